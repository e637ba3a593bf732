// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/observation/health_policy.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The "kind" of a document of health policies.
inline constexpr std::string_view healthPoliciesKind = "health_policies";

/// Reads the policies of a document, `"kind": "health_policies"`. Faults are added to the list; if there are
/// any, nothing is returned.
std::vector<HealthPolicy> readHealthPolicies(const nlohmann::json& document, std::vector<JsonFault>& faults);

/// Reads the policies of a text. The error is the first fault, with its place.
/// \param file name for the error
Result<std::vector<HealthPolicy>> readHealthPolicies(const std::string& file, std::string_view text);

/// Returns a document that readHealthPolicies reads as the same policies.
std::string writeHealthPolicies(const std::vector<HealthPolicy>& policies);

/// Returns the shipped presets, the default one (NVIDIA's) first.
const std::vector<HealthPolicy>& shippedHealthPolicies();

} // namespace alidade::data
