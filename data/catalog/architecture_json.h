// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/workload/architecture.h"

namespace alidade::data {

/// Reads an architecture with the keys of catalogs/models.json, as a scenario may hold one in place of a
/// model's id. Faults are added; nullopt if there was one. `id` and `name` need not be there. Besides the
/// ranges of the single fields it checks that they belong together (kv_heads divides attention_heads, the
/// layer pattern has one letter a layer, a token uses no more experts than there are, ...).
std::optional<Architecture> readArchitecture(const nlohmann::json& value, const std::string& pointer,
                                             std::vector<JsonFault>& faults);

/// The same with the first fault as the error: "/moe/routed_experts: what is wrong; what would be right".
Result<Architecture> readArchitecture(const nlohmann::json& value);

/// Adds a fault for each pair of fields that contradict each other.
void checkArchitecture(const Architecture& architecture, const std::string& pointer,
                       std::vector<JsonFault>& faults);

/// The architecture with the keys of catalogs/models.json: id, name, the fields, notes.
nlohmann::ordered_json architectureToJson(const Architecture& architecture);

/// A user catalog with this one model, ready to be written to a file. UTF-8, ends with a newline.
std::string architectureToCatalogText(const Architecture& architecture);

} // namespace alidade::data
