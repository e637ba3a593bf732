// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"
#include "model/scenario/spec.h"

#include <span>
#include <string>
#include <vector>

namespace alidade::data {

/// A field that is not the same in all of several scenarios.
struct DifferingField {
    const Field* field = nullptr;   ///< of the field table; never null
    std::vector<std::string> texts; ///< one a scenario, as --set takes them; empty: absent
    std::vector<std::string> shown; ///< the same for people: "On-Demand", "16,384"
};

/// In the order of the field table. The name of a scenario is not a difference.
/// \param filled as the estimates return them, with every default in place; none null
std::vector<DifferingField> differingFields(std::span<const ScenarioSpec* const> filled);

} // namespace alidade::data
