// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <string>
#include <string_view>

namespace alidade {

/// Who decided a number under "scenario" of the documented estimate: the scenario as it was written, or a
/// default.
/// \param path "scenario.plan.tensor_parallel"
/// \returns a few words; empty if the path is not a field of the scenario
std::string scenarioOrigin(const ScenarioSpec& written, std::string_view path);

} // namespace alidade
