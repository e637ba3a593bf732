// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// The order for a training run, or one of reinforcement learning, of so many hours.
/// \param services that are paid beside the machines
Order trainingOrder(const Scenario& scenario, double hours, const std::vector<OrderedService>& services = {});

/// The order for a service, for the days that its scenario names or a month.
Order serviceOrder(const Scenario& scenario);

} // namespace alidade
