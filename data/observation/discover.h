// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/cluster_map.h"
#include "data/prometheus/prometheus_api.h"

#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Names of the metrics that the server has in this time, sorted.
Result<std::vector<std::string>> metricsOf(PrometheusApi& api, double start, double end,
                                           std::stop_token stop);

/// Asks for the series that tell who runs where.
/// \param names of the server's metrics, sorted
Result<ClusterMap> discoverCluster(PrometheusApi& api, const MetricMapping& mapping,
                                   const std::vector<std::string>& names, double start, double end,
                                   std::stop_token stop);

/// Hosts none of whose GPUs did anything in the last six hours of this time, by the metric of their activity.
/// Empty where the mapping has none.
Result<std::set<std::string>> idleHosts(PrometheusApi& api, const MetricMapping& mapping,
                                        const std::vector<std::string>& names, const HostAliases& aliases,
                                        double start, double end, std::stop_token stop);

/// The hosts of a job, with whatever queries that takes.
Result<JobHosts> findHosts(PrometheusApi& api, const MetricMapping& mapping,
                           const std::vector<std::string>& names, const ClusterMap& map,
                           const std::string& job, double start, double end, std::stop_token stop);

} // namespace alidade::data
