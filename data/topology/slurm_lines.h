// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::data {

/// One logical line of a Slurm configuration: what stood on several lines that end in a backslash is one.
struct SlurmLine {
    std::size_t number = 0; ///< of its first line, from 1
    /// Keys in lower case (Slurm does not tell cases apart) with their values, quotes removed.
    std::vector<std::pair<std::string, std::string>> settings;

    /// The value of a key (in lower case); nullptr without.
    const std::string* value(std::string_view key) const;
};

/// The lines of a configuration without comments and blank lines. Words that are not KEY=VALUE are faults:
/// "FILE:line: what is wrong; how to fix it".
std::vector<SlurmLine> readSlurmLines(std::string_view text, const std::string& fileName,
                                      std::vector<std::string>& faults);

} // namespace alidade::data
