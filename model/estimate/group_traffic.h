// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"
#include "model/topology/link_traffic.h"

#include <vector>

namespace alidade {

/// What each kind of group moves in a step of training: that of the layers of every stage and micro-batch,
/// between stages, and at the ends of the step. Stages share their gradients in proportion to the gradients
/// that they hold. Of a service, in a decode step of an engine (a pool that only prefills: in a prefill
/// step); between its stages travel the rows of the step.
/// \param pool of scenario.pools; training has one
std::vector<GroupTraffic> groupTraffic(const Estimate& estimate, const Scenario& scenario,
                                       std::size_t pool = 0);

/// Seconds of the step that groupTraffic speaks of; 0 without an estimate.
double trafficStepSeconds(const Estimate& estimate, std::size_t pool = 0);

} // namespace alidade
