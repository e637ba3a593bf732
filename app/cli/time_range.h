// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/time_grid.h"

#include <string>

namespace CLI {
class App;
}

namespace alidade::cli {

/// The range of time that a command asks a server for, as the arguments say it.
struct TimeRangeOptions {
    std::string start = "-1h"; ///< --start
    std::string end = "now";   ///< --end
    std::string step;          ///< --step; empty: by the length of the range
};

/// Adds --start, --end and --step. `options` must outlive the parsing.
void addTimeRangeOptions(CLI::App& command, TimeRangeOptions& options);

/// The instants of the range, aligned to the step. Without a step: 30 s, or so much that there are at most
/// 500. A Failure of the request names the option that is wrong.
/// \param now Unix seconds
TimeGrid gridOf(const TimeRangeOptions& options, double now);

} // namespace alidade::cli
