// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/workload/architecture.h"

namespace alidade::data {

/// Reads an architecture with the keys of catalogs/models.json, which a scenario may contain instead of a
/// model's id. Faults are added; nullopt if there was one. `id` and `name` are optional. Besides the ranges
/// of the fields it checks that they are consistent (kv_heads divides attention_heads, the layer pattern has
/// one letter per layer, a token uses at most the routed experts, ...).
std::optional<Architecture> readArchitecture(const nlohmann::json& value, const std::string& pointer,
                                             std::vector<JsonFault>& faults);

/// The same with the first fault as the error: "/moe/routed_experts: what is wrong; how to fix it".
Result<Architecture> readArchitecture(const nlohmann::json& value);

/// Adds a fault for each pair of fields that contradict each other.
void checkArchitecture(const Architecture& architecture, const std::string& pointer,
                       std::vector<JsonFault>& faults);

/// Returns the architecture with the keys of catalogs/models.json: id, name, the fields, notes.
nlohmann::ordered_json architectureToJson(const Architecture& architecture);

/// Returns the text of a user catalog with this one model. UTF-8, ends with a newline.
std::string architectureToCatalogText(const Architecture& architecture);

} // namespace alidade::data
