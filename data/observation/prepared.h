// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/cluster_map.h"
#include "data/observation/collect.h"
#include "data/observation/coverage.h"
#include "data/observation/intervals.h"
#include "data/observation/joined_queries.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// What is found out before the series are read: who runs where, which rules answer, how often exporters are
/// scraped.
struct Prepared {
    MetricMapping mapping;
    ClusterMap map;
    JobHosts hosts;
    std::vector<MetricRule> rules; ///< to read
    Intervals intervals;
    std::vector<MissingSignal> missing;
    std::vector<std::string> warnings;
    // These grow with what is read.
    FilledWindows filled;
    AnswerSizes sizes;
    std::map<std::string, std::vector<std::string>> bounds; ///< of buckets, by metric
};

Result<Prepared> prepareObservation(PrometheusApi& api, const MetricMapping& mapping,
                                    const ObservationRequest& request, std::stop_token stop);

/// Reads the series of the grid.
Result<Observation> readPrepared(PrometheusApi& api, Prepared& prepared, const TimeGrid& grid,
                                 const std::string& job, std::stop_token stop,
                                 const std::function<void(double share)>& progress = {});

} // namespace alidade::data
