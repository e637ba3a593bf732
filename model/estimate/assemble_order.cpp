// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble_order.h"

#include "model/base/calendar.h"
#include "model/cost/storage_price.h"

#include <cmath>

namespace alidade {

namespace {

std::int64_t millionths(const std::optional<double>& share) { return std::llround(share.value_or(0) * 1e6); }

OrderTerms termsOf(const OrderSpec& order) {
    return {.start = order.start ? dayOfDate(*order.start) : std::nullopt,
            .support = millionths(order.support),
            .contingency = millionths(order.contingency),
            .tax = millionths(order.tax)};
}

Purchase purchaseOf(const ClusterSpec& cluster) {
    const std::string word = cluster.purchase.value_or("on_demand");
    return word == "capacity_block" ? Purchase::capacityBlock
           : word == "reserved"     ? Purchase::reserved
           : word == "custom"       ? Purchase::custom
                                    : Purchase::onDemand;
}

OrderedMachines machinesOf(const Scenario& scenario, const Inputs& in, std::string item, double hours) {
    return {.item = std::move(item),
            .label = {},
            .ultraserver = scenario.spec.cluster.ultraserver.has_value(),
            .count = static_cast<int>(std::lround(in[Input::paidItems])),
            .hours = hours,
            .price = nanoDollars(in[Input::price]),
            .purchase = purchaseOf(scenario.spec.cluster),
            .blockEndHours = scenario.blockEndHours};
}

/// What is bought: "p5.48xlarge"; a custom machine by the name of the cluster.
std::string itemOf(const Scenario& scenario) {
    return scenario.priceItem.empty() ? scenario.clusterName : scenario.priceItem;
}

} // namespace

Order trainingOrder(const Scenario& scenario, double hours, const std::vector<OrderedService>& services) {
    return orderOf({machinesOf(scenario, scenario.inputs, itemOf(scenario), hours)}, services,
                   termsOf(scenario.spec.order));
}

Order serviceOrder(const Scenario& scenario) {
    const double hours = scenario.spec.order.days ? *scenario.spec.order.days * 24 : monthHours;
    std::vector<OrderedMachines> machines;
    const DisaggregatedSpec& apart = scenario.spec.plan.disaggregated;
    const bool oneMachine = !apart.prefill.instance && !apart.decode.instance;
    for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
        const ServingPool& pool = scenario.pools[i];
        if (oneMachine && i > 0) {
            machines.front().count += static_cast<int>(std::lround(pool.inputs[Input::paidItems]));
            continue;
        }
        machines.push_back(machinesOf(scenario, pool.inputs,
                                      oneMachine || pool.instance.empty() ? itemOf(scenario) : pool.instance,
                                      hours));
        if (!oneMachine) {
            machines.back().label = i == 0 ? "Prefill" : "Decode";
        }
    }
    return orderOf(machines, {}, termsOf(scenario.spec.order));
}

} // namespace alidade
