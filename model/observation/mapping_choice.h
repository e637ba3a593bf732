// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/metric_mapping.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// The rules that a server with metrics of these names can answer: of each signal the first alternative, in
/// the order of the presets and of their rules. `absent` says of every other signal what was looked for.
/// \param names sorted
MetricMapping chooseRules(const std::vector<MetricMapping>& presets, const std::vector<std::string>& names);

/// The server has what the rule reads.
bool readable(const MetricRule& rule, const std::vector<std::string>& names);

/// What is odd about the largest of a metric's present values, for a person: "DCGM_FI_DEV_GPU_UTIL is up to
/// 0.97 % ..."; nullopt: nothing.
/// \param raw in the metric's own unit
std::optional<std::string> implausible(const MetricRule& rule, double raw);

} // namespace alidade
