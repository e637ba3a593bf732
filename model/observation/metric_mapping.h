// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/signal.h"

#include <optional>
#include <string>
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
    info,      ///< a figure that stands in the labels: `label`
};

/// How one signal is read from one metric.
struct MetricRule {
    Signal signal = Signal::stepTime;
    std::string metric;   ///< without suffixes of a histogram
    std::string divisor;  ///< of a ratio
    std::string selector; ///< label matchers without braces: `err_code!="0"`; may be empty
    MetricKind kind = MetricKind::gauge;
    double scale = 1;   ///< to the signal's unit
    std::string unit;   ///< of the metric, for a person: "MiB"
    double largest = 0; ///< in the signal's unit; above it a value is a blank sentinel; 0: no limit
    std::string note;   ///< what a person should know: "an over-estimate"
};

/// Which labels tell rows apart.
struct LabelNames {
    std::string host = "instance"; ///< the value up to a colon is the host's name
    std::string gpu = "gpu";
    std::string device = "device";
    std::string engine = "instance";
    std::string job = "job"; ///< what a person chooses jobs by
    bool operator==(const LabelNames&) const = default;
};

/// How the signals of a cluster are read: one rule a signal. A preset has alternatives, the first one that
/// the server has counts.
struct MetricMapping {
    std::string id, name;
    LabelNames labels;
    std::vector<MetricRule> rules;
};

} // namespace alidade
