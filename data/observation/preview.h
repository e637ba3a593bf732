// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"

#include <string>
#include <vector>

namespace alidade::data {

/// What a rule reads at one instant, for a person who edits it.
struct RulePreview {
    struct Value {
        Entity where;
        double value = 0; ///< in the signal's unit
        double raw = 0;   ///< in the metric's
    };
    std::string expression;    ///< PromQL that was asked
    std::vector<Value> values; ///< the first few, by Entity
    std::size_t rows = 0;      ///< of them there are
    std::string check;         ///< what is odd about the unit, or "values between 1290 and 1755 MHz"
    bool odd = false;          ///< `check` says that something is wrong
};

/// \param time Unix s
/// \param most values that come back
Result<RulePreview> previewRule(PrometheusApi& api, const MetricRule& rule, const LabelNames& labels,
                                double time, std::size_t most = 8, std::stop_token stop = {});

} // namespace alidade::data
