// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Returns a text without the colors and other escape sequences of a terminal (ECMA-48).
std::string withoutEscapes(std::string_view text);

/// Returns a line without the prefixes of mpirun, srun, pdsh, kubectl, stern and log collectors, without the
/// comment sign and trimmed.
std::string_view plainNcclLine(std::string_view line);

/// Returns the words of a line.
std::vector<std::string_view> wordsOfLine(std::string_view line);

bool allDigits(std::string_view word);

/// Returns the bytes per element of a type as nccl-tests names it; 0 if it is unknown.
int bytesOfNcclType(std::string_view type);

/// "NVIDIA H100 80GB HBM3" -> "H100"; empty for a generic name ("NVIDIA Graphics Device").
std::string partOfDevice(std::string_view device);

/// "22602" -> "2.26.2", as in NCCL's headers; empty if it is invalid.
std::string versionOfNcclCode(std::string_view code);

} // namespace alidade::data
