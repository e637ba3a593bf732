// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

#include <string>
#include <vector>

namespace alidade {

/// The names of those assumptions of an estimate that some other figure of it depends on: those that its
/// derivation leads to, and those that change a figure when they are a quarter more or a fifth less. (A
/// number that is multiplied by nothing, and the side of a maximum that loses, are not in a figure.)
std::vector<std::string> usedAssumptions(const Scenario& scenario, const Estimate& estimate);

} // namespace alidade
