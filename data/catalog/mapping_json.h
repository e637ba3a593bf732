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

/// What the "kind" of a document of presets, and of a person's mapping, says.
inline constexpr std::string_view metricsKind = "metrics";
inline constexpr std::string_view mappingKind = "metric_mapping";

/// The shipped presets (catalogs/metrics.json), in the order in which they are looked for.
const std::vector<MetricMapping>& metricPresets();

/// A document of presets: "kind": "metrics". nullopt if it has a fault, which is then in the list.
std::optional<std::vector<MetricMapping>>
readMetricPresets(const nlohmann::json& value, const std::string& pointer, std::vector<JsonFault>& faults);

/// A person's mapping: "kind": "metric_mapping". The error lists every fault, "FILE:/rules/3/scale: what is
/// wrong; what would be right", one a line.
Result<MetricMapping> readMapping(std::string_view text, const std::string& file);
/// The same from a file.
Result<MetricMapping> readMappingFile(const std::string& path);

/// The JSON document of a mapping, which reads back as the same mapping (but for what a detection said).
std::string writeMapping(const MetricMapping& mapping);

} // namespace alidade::data
