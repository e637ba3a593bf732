// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alidade::data {

/// What the content of a file is, as far as its form tells.
struct FileNature {
    enum class Kind : std::uint8_t { scenario, importable, other };
    Kind kind = Kind::other;
    std::string what; ///< "a catalog of gpus"; empty for a scenario, and for what nobody knows
    std::string use;  ///< what it is for on the command line: "use it with --catalog FILE"
};

/// \param file stands in `use`
FileNature natureOf(std::string_view content, const std::string& file);

/// Why a file cannot be opened as a scenario: "FILE: is a catalog of gpus, not a scenario; use it ...".
/// Empty for a scenario, even for one with faults, and for what is no JSON at all.
std::string notScenario(std::string_view content, const std::string& file);

} // namespace alidade::data
