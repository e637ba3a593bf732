// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alidade::data {

/// What a file contains, judging by its form.
struct FileNature {
    enum class Kind : std::uint8_t { scenario, importable, other };
    Kind kind = Kind::other;
    std::string what; ///< "a catalog of gpus"; empty for a scenario and for unknown content
    std::string use;  ///< how to use it on the command line: "use it with --catalog FILE"
};

/// \param file name that `use` contains
FileNature natureOf(std::string_view content, const std::string& file);

/// Returns why a file cannot be opened as a scenario: "FILE: is a catalog of gpus, not a scenario; use it
/// ...". Empty for a scenario, even for one with faults, and for a file that is not JSON at all.
std::string notScenario(std::string_view content, const std::string& file);

} // namespace alidade::data
