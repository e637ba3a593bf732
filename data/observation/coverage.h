// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/cluster_map.h"
#include "data/observation/intervals.h"
#include "data/prometheus/prometheus_api.h"
#include "model/observation/observation.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Slots that a server counts in a full window beyond those that there are, by source and window (0 with
/// Prometheus, which aligns them to the clock); what was seen over a long time holds for a short one.
using FilledWindows = std::map<std::string, double>;

/// How much of the windows of rates is filled with samples. Prometheus spreads what it saw in a part of a
/// window over all of it, so that a rate next to a gap (or next to the newest sample) is a fraction of the
/// true one: such values are not measurements.
/// https://prometheus.io/docs/prometheus/latest/querying/functions/#rate
class Coverage {
public:
    /// What it is given must outlive it.
    Coverage(PrometheusApi& api, const LabelNames& labels, const ClusterMap& map, const JobHosts& hosts,
             const Intervals& intervals, const TimeGrid& grid, FilledWindows& filled)
        : api_(api)
        , labels_(labels)
        , map_(map)
        , hosts_(hosts)
        , intervals_(intervals)
        , grid_(grid)
        , filled_(filled) {}

    /// Asks for the coverage of the windows of these rules, one query a source and window. A server that
    /// cannot answer it leaves the values as they are.
    void ask(const std::vector<const MetricRule*>& rules, std::stop_token stop);
    /// Values of windows that are not filled become NaN: of rates one missing scrape is too many,
    /// a mean or percentile of what was counted bears half of them.
    void clean(const MetricRule& rule, SignalTable& table) const;

private:
    struct Slots {
        std::string source;
        SignalScope scope = SignalScope::node;
        double window = 0;
        SignalTable counts; ///< slots of the window that have a sample
        double slot = 0;    ///< s
        double beyond = 0;  ///< see FilledWindows
        /// That a full window has, which ends at Unix s.
        double expectedAt(double time) const;
    };
    const Slots* slotsOf(const MetricRule& rule) const;

    PrometheusApi& api_;
    const LabelNames& labels_;
    const ClusterMap& map_;
    const JobHosts& hosts_;
    const Intervals& intervals_;
    TimeGrid grid_;
    FilledWindows& filled_;
    std::vector<Slots> slots_;
};

} // namespace alidade::data
