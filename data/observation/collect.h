// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// What to read from a server.
struct ObservationRequest {
    TimeGrid grid;
    std::string job;           ///< value of the mapping's job label; empty: everything
    std::vector<Signal> only;  ///< these signals; empty: all that the mapping has
    double scrapeInterval = 0; ///< s; 0: found out from the data
};

/// Reads them: one query a signal and statistic, as values.
Result<Observation> collectObservation(PrometheusApi& api, const MetricMapping& mapping,
                                       const ObservationRequest& request, std::stop_token stop = {},
                                       const std::function<void(double share)>& progress = {});

/// The rules of the presets that this server can answer, the first alternative of each signal that it has.
/// \param presets catalogs/metrics.json
Result<MetricMapping> detectMapping(PrometheusApi& api, const std::vector<MetricMapping>& presets,
                                    double start, double end, std::stop_token stop = {});

/// When something that the mappings read was last measured, to the minute, within the five years before
/// `before` (Unix s); nullopt: nothing was.
Result<std::optional<double>> newestSample(PrometheusApi& api, const std::vector<MetricMapping>& mappings,
                                           double before, std::stop_token stop = {});

/// Jobs that a person can choose between, from the training and serving metrics of the mapping.
struct JobChoice {
    std::string job;  ///< value of the job label, or the name that the job gives itself
    std::string kind; ///< "training" or "serving"
    int hosts = 0;
};
Result<std::vector<JobChoice>> findJobs(PrometheusApi& api, const MetricMapping& mapping, double start,
                                        double end, std::stop_token stop = {});

} // namespace alidade::data
