// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// The order for a training run, or one of reinforcement learning, of so many hours.
/// \param services that are paid in addition to the machines
Order trainingOrder(const Scenario& scenario, double hours, const std::vector<OrderedService>& services = {});

/// The order for a service, for serviceHours().
/// \param kilowattHoursPerMonth at its load; 0: not known
Order serviceOrder(const Scenario& scenario, double kilowattHoursPerMonth = 0);

/// The energy, where the scenario gives it a price. \param kilowattHours of the whole order; 0: not known
std::vector<OrderedService> energyServices(const Scenario& scenario, double kilowattHours);

/// Hours for which a service is ordered: the days that its scenario names, else the term of a commitment
/// (with a base, the longer time of base and rest), else all that is usable of the shortest block of a month
/// or longer, else a month.
double serviceHours(const Scenario& scenario);

/// The currency that amounts are converted to; nullopt: none, or its rate or date is missing.
std::optional<Conversion> conversionOf(const OrderSpec& order);

} // namespace alidade
