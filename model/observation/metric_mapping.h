// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/missing_signal.h"
#include "model/observation/signal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// What an exporter's metric is by itself, which its TYPE line does not always tell (DCGM calls rates
/// counters).
enum class MetricKind : std::uint8_t {
    gauge,
    counter,
    histogram, ///< name_bucket, name_sum, name_count
    summary,   ///< name_sum and name_count alone: a mean
    ratio,     ///< of two counters: `metric` over `divisor`
    info,      ///< a figure that is in the labels: `figures`
    quotient,  ///< of two gauges: `metric` over `divisor`
    progress,  ///< a count that a restart sets back to a checkpoint: a fall is not a reset, and counts as
               ///< nothing
};

/// How series that fall into one row become one.
enum class Combine : std::uint8_t { automatic, sum, mean, largest, smallest };

/// How one signal is read from one metric.
struct MetricRule {
    Signal signal = Signal::stepTime;
    std::string metric;   ///< without suffixes of a histogram
    std::string divisor;  ///< of a ratio or a quotient
    std::string selector; ///< label matchers without braces: `err_code!="0"`; may be empty
    MetricKind kind = MetricKind::gauge;
    double scale = 1;   ///< to the signal's unit
    std::string unit;   ///< of the metric, for a person: "MiB"
    double largest = 0; ///< in the signal's unit; above it a value is a blank sentinel; 0: no limit
    std::string note;   ///< what a person should know: "an over-estimate"

    std::string instead; ///< metric that this one replaces; the note says how they differ
    std::string source;  ///< preset that it is from: "dcgm-exporter"; rules of one source are scraped alike
    std::string host;    ///< label of the host; empty: LabelNames::host
    std::string part;    ///< label of a row's part where the scope has none: the exporter of target_up; of a
                         ///< code, the label by which a new code is a new series
    std::vector<std::string> copies;  ///< labels by which copies of one figure differ (ranks): not added up
    std::vector<std::string> figures; ///< of an info: labels whose product is the figure
    Combine combine = Combine::automatic;
    bool perGpu = false;   ///< the job's figure is this times its GPUs
    bool signOnly = false; ///< the unit is not certain: only whether it is above 0 means something
    bool operator==(const MetricRule&) const = default;
};

/// Which labels tell rows apart. Alternatives are side by side, "Hostname|hostname": the first that a
/// series has counts.
struct LabelNames {
    std::string host = "instance"; ///< the value up to a colon is the host's name
    std::string gpu = "gpu";
    std::string device = "device";
    std::string engine = "instance";
    std::string job = "job_name|job";     ///< of a training metric: what a person chooses jobs by
    std::string model = "model_name|job"; ///< of a serving metric: the same
    std::string batchJob = "hpc_job";     ///< of a GPU metric: the scheduler's job that runs there
    bool operator==(const LabelNames&) const = default;
};

/// How the signals of a cluster are read: one rule a signal. A preset has alternatives, the first one that
/// the server has counts.
struct MetricMapping {
    std::string id, name;
    LabelNames labels;
    std::vector<MetricRule> rules;
    std::vector<MissingSignal> absent; ///< of a preset: what to do where the signal is not there; of a
                                       ///< detected mapping: why there is no rule
    std::vector<std::string> notes;    ///< of the detection, for a person: "DCGM_... looks like percent"
    std::string probe;                 ///< of a preset: what metrics of this source begin with: "DCGM_"

    /// nullptr: the mapping does not have it.
    const MetricRule* rule(Signal signal) const;
    bool operator==(const MetricMapping&) const = default;
};

/// Names on the server that the rule reads: those of a histogram with their suffixes.
std::vector<std::string> metricNames(const MetricRule& rule);

/// "Hostname|hostname" as a list.
std::vector<std::string> alternatives(std::string_view labels);

/// What `automatic` means for this rule; never `automatic`.
Combine combination(const MetricRule& rule);

std::string_view name(MetricKind kind);
std::string_view name(Combine combine);
std::optional<MetricKind> metricKindOf(std::string_view word);

} // namespace alidade
