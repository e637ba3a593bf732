// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"
#include "model/observation/rule_expression.h"

#include <stop_token>
#include <vector>

namespace alidade::data {

/// How often the exporters are scraped, and when they last were.
struct Intervals {
    std::vector<ObservedSource> sources;
    double shortest = 0; ///< s; 0: not known
    double newest = std::numeric_limits<double>::quiet_NaN();
    double stepTime = 0; ///< s, of the training job; 0: not known

    /// Windows of a rule's queries.
    QueryWindows windows(const MetricRule& rule, double gridStep) const;
};

/// Asks for the samples in the ten minutes before the end of the grid and, of sources that had none there,
/// before its middle. \param given s; above 0 it counts for all sources
Result<Intervals> findIntervals(PrometheusApi& api, const std::vector<const MetricRule*>& rules,
                                const JobSelection& selection, const TimeGrid& grid, double given,
                                std::stop_token stop);

} // namespace alidade::data
