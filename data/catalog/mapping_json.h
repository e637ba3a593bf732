// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/observation/metric_mapping.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The "kind" of a document of presets, and of a user's mapping.
inline constexpr std::string_view metricsKind = "metrics";
inline constexpr std::string_view mappingKind = "metric_mapping";

/// Returns the shipped presets (catalogs/metrics.json), in the order of detection.
const std::vector<MetricMapping>& metricPresets();

/// Reads a document of presets: "kind": "metrics". nullopt if it has faults, which are added to the list.
std::optional<std::vector<MetricMapping>>
readMetricPresets(const nlohmann::json& value, const std::string& pointer, std::vector<JsonFault>& faults);

/// Reads a user's mapping: "kind": "metric_mapping". The error lists every fault, "FILE:/rules/3/scale: what
/// is wrong; how to fix it", one per line.
Result<MetricMapping> readMapping(std::string_view text, const std::string& file);

/// Returns the JSON document of a mapping, which reads back as the same mapping (except for detection
/// results).
std::string writeMapping(const MetricMapping& mapping);

} // namespace alidade::data
