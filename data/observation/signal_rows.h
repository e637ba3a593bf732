// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"
#include "model/observation/query_windows.h"

#include <map>
#include <string>
#include <vector>

namespace alidade::data {

/// Names of hosts that some exporters know only by an address: "10.0.0.7" -> "gpu-0007".
using HostAliases = std::map<std::string, std::string, std::less<>>;

/// "gpu-0007:9100" -> "gpu-0007"; "[fe80::1]:9100" -> "fe80::1". Of an alias, the name.
std::string hostName(std::string_view label, const HostAliases& aliases);

/// The first of the alternatives that the series has and that is not empty. Empty: none.
std::string labelValue(const Labels& labels, std::string_view alternatives);

/// What the rows of a table are made with.
struct RowRules {
    const MetricRule& rule;
    const LabelNames& labels;
    const HostAliases& aliases;
    QueryWindows windows;
    const std::vector<std::string>* hosts = nullptr; ///< sorted; only these; nullptr: all
};

/// Blank sentinels become NaN and are told as spans, values get the signal's unit, series of one entity
/// become one row, rows are sorted. Of codes, the one that came last counts.
/// \param unnamed series that lack a label by which rows are told apart; they are left out
struct SignalRows {
    SignalTable table; ///< without expression, window, bucketWidth
    std::vector<BlankSpan> blanks;
    std::size_t unnamed = 0;
};
SignalRows signalRows(const Matrix& matrix, const RowRules& rules, Statistic statistic = Statistic::value);

/// Width of the bucket that the table's median value fell in. 0: unknown, or beyond the last finite bound.
/// \param bounds values of `le`
double bucketWidthOf(const SignalTable& table, const std::vector<std::string>& bounds, double scale);

} // namespace alidade::data
