// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"
#include "model/observation/query_windows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Whose metrics are read.
struct JobSelection {
    enum class Kind : std::uint8_t { everything, training, serving };
    Kind kind = Kind::everything;
    std::string matcher;            ///< of the job's own metrics: `job_name="llama70b"`; empty: none
    std::vector<std::string> hosts; ///< sorted; empty: all
};

/// Whether the job has such a signal at all: a training job has no time to first token.
bool concerns(const JobSelection& selection, Signal signal);

/// The statistics that are asked for: `value`, or the mean and, of a histogram, the percentiles.
std::vector<Statistic> statisticsOf(const MetricRule& rule);

/// Labels by which the answer's series are told apart, without `le`.
std::vector<std::string> groupLabels(const MetricRule& rule, const LabelNames& labels);

/// PromQL that reads one statistic of a rule, in the metric's own unit; a count of events as a rate. A rate
/// is taken of each series before they are added up, so that a restart of one is not a fall of the sum.
std::string expressionOf(const MetricRule& rule, const LabelNames& labels, const QueryWindows& windows,
                         const JobSelection& selection = {}, Statistic statistic = Statistic::value);

/// Seconds before an instant that this expression takes its values from.
double windowOf(const MetricRule& rule, const QueryWindows& windows);

/// `label="value"` with the value escaped.
std::string labelMatcher(std::string_view label, std::string_view value);

/// "90s", "37500ms".
std::string promDuration(double seconds);

} // namespace alidade
