// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// A line without what mpirun, srun, pdsh or a log collector put before it, without the comment sign and
/// without blanks at its ends.
std::string_view plainNcclLine(std::string_view line);

/// The parts between blanks.
std::vector<std::string_view> wordsOfLine(std::string_view line);

bool allDigits(std::string_view word);

/// Bytes of an element of a type as nccl-tests names it; 0 if it is unknown.
int bytesOfNcclType(std::string_view type);

/// "NVIDIA H100 80GB HBM3" -> "H100"; empty for a name that tells nothing ("NVIDIA Graphics Device").
std::string partOfDevice(std::string_view device);

/// "22602" -> "2.26.2", as NCCL's headers count; empty if it is none.
std::string versionOfNcclCode(std::string_view code);

} // namespace alidade::data
