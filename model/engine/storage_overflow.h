// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// Warns where the file system of a run is full before the run ends, with the day and a capacity that is
/// enough.
void reportStorageOverflow(const Scenario& scenario, Estimate& estimate);

} // namespace alidade
