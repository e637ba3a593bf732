// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/observe.h"
#include "app/cli/terminal.h"

#include <string>
#include <vector>

namespace alidade::cli {

/// Of the values of one table: NaN where there are none. A code is never averaged: its `last` is the largest
/// of the newest values, because a code that is not 0 matters more.
struct TableFigures {
    double mean;     ///< of all values
    double last;     ///< mean of the rows' newest values
    double sum;      ///< of events: how many there were
    double lastTime; ///< Unix s of the newest value
};
TableFigures figuresOf(const SignalTable& table, const TimeGrid& grid);

/// A value in its signal's unit: "567 W", "84.2 %", "63 °C".
std::string signalText(double value, std::string_view unit);

/// For a person. \param series each row by itself as well
std::string metricsText(const Observed& answer, bool series, const Terminal& terminal);

/// The documented object. \param series the values of each row as well
std::string metricsJson(const Observed& answer, bool series);

} // namespace alidade::cli
