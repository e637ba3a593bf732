// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/missing_signal.h"
#include "model/observation/signal.h"
#include "model/observation/time_grid.h"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace alidade {

/// Which figure of a distribution a table holds; `value` for everything that is none.
enum class Statistic : std::uint8_t { value, mean, p50, p90, p95, p99 };

/// What a row of measured values belongs to. Empty and -1 are for what its scope does not need.
struct Entity {
    std::string host; ///< host name as the mapping joins it
    int gpu = -1;     ///< index on the host
    std::string part; ///< EFA device, engine, exporter (for target_up)
    bool operator==(const Entity&) const = default;
    auto operator<=>(const Entity&) const = default;
};

/// The measured values of one signal, on the grid of its observation.
struct SignalTable {
    Signal signal = Signal::stepTime;
    Statistic statistic = Statistic::value;
    std::vector<Entity> rows;   ///< sorted, each once
    std::vector<double> values; ///< row by row, `points` each; NaN: not measured
    std::string metric;         ///< that it was read from
    std::string expression;     ///< PromQL that was asked
    double bucketWidth = 0; ///< of a percentile: width of the bucket that it fell in, the same unit; 0: none
    double window = 0;      ///< s before each instant that a value is taken from
    bool signOnly = false;  ///< the unit is not certain: only whether a value is above 0 means something
    std::string note;       ///< what a person should know: "an over-estimate"; may be empty

    std::span<const double> row(std::size_t i, std::size_t points) const {
        return std::span(values).subspan(i * points, points);
    }
};

/// Where sentinels stood instead of measurements; the values there are NaN.
struct BlankSpan {
    Signal signal = Signal::stepTime;
    Entity where;
    double start = 0, end = 0; ///< Unix s of the first and the last grid point
    bool operator==(const BlankSpan&) const = default;
};

/// An exporter, or whatever a group of metrics is from.
struct ObservedSource {
    std::string id;                                           ///< of the mapping's preset: "dcgm-exporter"
    double scrapeInterval = 0;                                ///< s; 0: not known
    double newest = std::numeric_limits<double>::quiet_NaN(); ///< Unix s of its newest sample; NaN: none
};

/// What was measured on a cluster, as a value: whatever it was read from, and whether it is history or live.
/// Blank sentinels are NaN, counters are rates or events, histograms are means and percentiles.
struct Observation {
    std::string server; ///< for a person, without credentials: "http://prometheus.example:9090"
    std::string job;    ///< that was chosen; empty: everything
    TimeGrid grid;
    std::vector<std::string> hosts; ///< of the job, sorted; also those that have no series
    std::string hostsHow;           ///< for a person: how they were found
    std::vector<ObservedSource> sources;
    std::vector<SignalTable> tables;
    std::vector<MissingSignal> missing; ///< also signals that are shown from a substitute
    std::vector<BlankSpan> blanks;
    std::vector<std::string> warnings; ///< of the server and of the reading: partial data, cut off, ...
    double newest = std::numeric_limits<double>::quiet_NaN(); ///< Unix s of the newest sample
    double scrapeInterval = 0; ///< s, the shortest of those that were read; 0: not known
    /// Queries that the server left without an answer: their signals are missing for no reason of theirs.
    std::size_t unanswered = 0;

    /// nullptr if not measured.
    const SignalTable* table(Signal signal, Statistic statistic = Statistic::value) const {
        for (const SignalTable& each : tables)
            if (each.signal == signal && each.statistic == statistic)
                return &each;
        return nullptr;
    }
};

} // namespace alidade
