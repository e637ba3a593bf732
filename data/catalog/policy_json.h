// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/base/result.h"
#include "model/observation/health_policy.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What the "kind" of a document of health policies says.
inline constexpr std::string_view healthPoliciesKind = "health_policies";

/// The policies of a document, `"kind": "health_policies"`; whatever is wrong is added to the list of faults,
/// and then nothing is read.
std::vector<HealthPolicy> readHealthPolicies(const nlohmann::json& document, std::vector<JsonFault>& faults);

/// The policies of a text. The error names the first thing that is wrong, with its place.
/// \param file for the error
Result<std::vector<HealthPolicy>> readHealthPolicies(const std::string& file, std::string_view text);

/// A document that readHealthPolicies reads as the same policies.
std::string writeHealthPolicies(const std::vector<HealthPolicy>& policies);

/// The presets that the program comes with, the default one (NVIDIA's) first.
const std::vector<HealthPolicy>& shippedHealthPolicies();

} // namespace alidade::data
