// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Step times of one training run, in the order of the file.
struct StepTimesReading {
    std::vector<double> seconds;
    std::string column;              ///< header that they stood under; empty: the file has none
    std::string unit;                ///< that the numbers were read in: "s", "ms"
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; what would be right"; then no seconds
};

/// Reads a table with commas, semicolons or tabs, quoted or not, or numbers alone, one a line. The column is
/// the one whose header is a word for the time of a step, with its unit in it: "step_time_s", "step_time_ms",
/// "elapsed time per iteration (ms)", "iteration_time". Without a unit the numbers are seconds. Lines that
/// are empty or begin with '#' are passed over; decimal points only.
/// \param column header to take instead, whatever it is called; empty: found out
StepTimesReading readStepTimes(std::string_view text, const std::string& fileName,
                               const std::string& column = {});

} // namespace alidade::data
