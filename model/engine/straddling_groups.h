// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// Warns of groups that spread over several NVLink domains though one could hold them: how many, of which
/// kind, and the step time now and with the best placement (improvePlacement), which is the fix. Does nothing
/// for an estimate without such groups.
void reportStraddling(const Scenario& scenario, const ScenarioSpec& spec, const Catalog& catalog,
                      const Profile& profile, bool withFix, Estimate& estimate);

} // namespace alidade
