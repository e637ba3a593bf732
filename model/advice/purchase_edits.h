// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/scenario/scenario.h"

#include <vector>

namespace alidade {

/// Other ways to buy the same machines. All of them are needed for the same time, so the best split between
/// two ways is at a limit: all in one way, or as many in Capacity Blocks as an account can have.
/// \param scenario of the spec
std::vector<Edit> purchaseEdits(const ScenarioSpec& spec, const Scenario& scenario, const Catalog& catalog);

} // namespace alidade
