// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble_order.h"

#include "model/base/calendar.h"
#include "model/cost/rental.h"
#include "model/cost/storage_price.h"
#include "model/hardware/purchase.h"
#include "model/scenario/choice_names.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {

namespace {

std::int64_t millionths(const std::optional<double>& share) { return std::llround(share.value_or(0) * 1e6); }

OrderTerms termsOf(const Scenario& scenario) {
    const OrderSpec& order = scenario.spec.order;
    return {.start = order.start ? dayOfDate(*order.start) : std::nullopt,
            .support = millionths(order.support),
            .contingency = millionths(order.contingency),
            .tax = millionths(order.tax),
            .conversion = conversionOf(order)};
}

OrderedTransfer transferOf(const Scenario& scenario, bool monthly) {
    OrderedTransfer out;
    if (scenario.transfer.empty())
        return out;
    // AWS counts a GiB as a GB, see billedGigabytes()
    out.gigabytes = thousandths(scenario.spec.order.transferOutBytes.value_or(0) / bytesPerGib);
    out.monthly = monthly;
    for (const TransferTier& tier : scenario.transfer)
        out.tiers.push_back({tier.upToGb ? thousandths(*tier.upToGb) : 0, nanoDollars(tier.dollarsPerGb)});
    return out;
}

OrderedMachines machinesOf(const Scenario& scenario, const Inputs& in, std::string item, double hours) {
    const ClusterSpec& cluster = scenario.spec.cluster;
    return {.item = std::move(item),
            .label = {},
            .ultraserver = cluster.ultraserver.has_value(),
            .count = static_cast<int>(std::lround(in[Input::paidItems])),
            .hours = hours,
            .price = nanoDollars(in[Input::price]),
            .purchase = purchaseOrOnDemand(cluster.purchase),
            .rental = scenario.rental,
            .commitment =
                cluster.commitment ? nameOfChoice("cluster.commitment", *cluster.commitment) : std::string()};
}

/// Machines as they are bought: all in one way, or a base and the rest.
void splitBase(const Scenario& scenario, std::vector<OrderedMachines>& machines) {
    const auto base = static_cast<int>(std::lround(scenario.inputs[Input::baseItems]));
    if (base == 0 || machines.size() != 1)
        return;
    OrderedMachines first = machines.front();
    const BaseOrderSpec& written = scenario.spec.order.base;
    first.label = "Base";
    first.count = base;
    first.price = nanoDollars(scenario.inputs[Input::basePrice]);
    first.purchase = purchaseOrOnDemand(written.purchase);
    first.rental = scenario.baseRental;
    first.commitment =
        written.commitment ? nameOfChoice("cluster.commitment", *written.commitment) : std::string();
    OrderedMachines& rest = machines.front();
    rest.label = "Rest";
    rest.count -= base;
    if (rest.count <= 0)
        machines.clear();
    machines.insert(machines.begin(), std::move(first));
}

/// What a buyer of machines in two ways has to know.
void addBaseRemarks(const Scenario& scenario, Order& order) {
    if (!scenario.hasBase())
        return;
    if (scenario.inputs[Input::baseItems] < scenario.inputs[Input::paidItems]) {
        order.remarks.emplace_back(
            "Base and rest are bought separately and may be in different Availability Zones; ask for one.");
    }
    if (scenario.baseRental.termYears > 0) {
        order.remarks.emplace_back(
            "This order pays the whole term of the base, also where the machines are needed for less time.");
    }
}

/// What is bought: "p5.48xlarge"; a custom machine by the name of the cluster.
std::string itemOf(const Scenario& scenario) {
    return scenario.priceItem.empty() ? scenario.clusterName : scenario.priceItem;
}

/// How long a service is ordered for, if its scenario does not say so.
double usualHours(const RentalTerms& rental) {
    return rental.termYears > 0 ? rental.termYears * hoursOfTermYear
           : rental.inBlocks()  ? paidHours(monthHours, rental) - rental.blockEndHours
                                : monthHours;
}

Order withRemarks(const Scenario& scenario, Order order) {
    addBaseRemarks(scenario, order);
    const bool listed =
        std::ranges::find(order.lines, OrderLineKind::energy, &OrderLine::kind) != order.lines.end();
    if (listed && scenario.spec.cluster.purchase != "custom") {
        order.remarks.emplace_back(
            "AWS prices include energy: the energy line is charged in addition to them.");
    }
    return order;
}

} // namespace

std::vector<OrderedService> energyServices(const Scenario& scenario, double kilowattHours) {
    const auto& price = scenario.spec.order.energyPrice;
    if (!price || !(kilowattHours > 0))
        return {};
    return {{.kind = OrderLineKind::energy,
             .text = "Energy, with hosts and cooling",
             .unit = "kWh",
             .quantity = thousandths(kilowattHours),
             .price = nanoDollars(*price)}};
}

Order trainingOrder(const Scenario& scenario, double hours, const std::vector<OrderedService>& services) {
    std::vector<OrderedMachines> machines{machinesOf(scenario, scenario.inputs, itemOf(scenario), hours)};
    splitBase(scenario, machines);
    return withRemarks(
        scenario, orderOf(machines, services, termsOf(scenario), transferOf(scenario, /*monthly=*/false)));
}

std::optional<Conversion> conversionOf(const OrderSpec& order) {
    if (!order.currency || order.currency == "USD" || !order.exchangeRate || !order.exchangeDate)
        return std::nullopt;
    return Conversion{.currency = *order.currency,
                      .rate = std::llround(*order.exchangeRate * 1e9),
                      .date = *order.exchangeDate,
                      .digits = currencyDigits(*order.currency)};
}

double serviceHours(const Scenario& scenario) {
    if (scenario.spec.order.days)
        return *scenario.spec.order.days * 24;
    const double rest = usualHours(scenario.rental);
    return scenario.hasBase() ? std::max(rest, usualHours(scenario.baseRental)) : rest;
}

Order serviceOrder(const Scenario& scenario, double kilowattHoursPerMonth) {
    const double hours = serviceHours(scenario);
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
        if (!oneMachine)
            machines.back().label = i == 0 ? "Prefill" : "Decode";
    }
    splitBase(scenario, machines);
    return withRemarks(scenario,
                       orderOf(machines, energyServices(scenario, kilowattHoursPerMonth * hours / monthHours),
                               termsOf(scenario), transferOf(scenario, /*monthly=*/true)));
}

} // namespace alidade
