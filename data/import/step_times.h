// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Step times of one training run, in the order of the file.
struct StepTimesReading {
    std::vector<double> seconds;
    std::string column;              ///< header of their column; empty: the file has none
    std::string unit;                ///< in which the numbers were read: "s", "ms"
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; how to fix it"; then no seconds
};

/// Reads a table with commas, semicolons or tabs, quoted or not, or bare numbers, one per line. The column is
/// the one whose header names a step time, with its unit: "step_time_s", "step_time_ms", "elapsed time per
/// iteration (ms)", "iteration_time". Without a unit the numbers are seconds. Lines that are empty or begin
/// with '#' are skipped; decimal points only.
/// \param column header to use instead; empty: detected
StepTimesReading readStepTimes(std::string_view text, const std::string& fileName,
                               const std::string& column = {});

} // namespace alidade::data
