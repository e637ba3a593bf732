// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/charged_price.h"

#include "model/catalog/price_choice.h"
#include "model/hardware/purchase.h"
#include "model/scenario/rented_machines.h"

#include <string>

namespace alidade {

namespace {

/// How a part is bought: the fields of its own that it has.
struct Terms {
    const std::optional<std::string>&purchase, &commitment;
    const std::optional<double>&stated, &discount;
};

Terms termsOf(const ScenarioSpec& spec, OrderPart part) {
    const ClusterSpec& cluster = spec.cluster;
    const BaseOrderSpec& base = spec.order.base;
    return part == OrderPart::base
               ? Terms{base.purchase, base.commitment, base.dollarsPerInstanceHour, base.discount}
               : Terms{cluster.purchase, cluster.commitment, cluster.dollarsPerInstanceHour,
                       cluster.discount};
}

/// Instances or UltraServers that are rented, spare ones included.
std::int64_t rentedMachines(const ScenarioSpec& spec) {
    const bool trains = !spec.workload.isServing() && !spec.workload.isReinforcement();
    return machineCount(spec) + (trains && !spec.cluster.ultraserver ? spec.run.spares.value_or(0) : 0);
}

} // namespace

bool hasOrderPart(const ScenarioSpec& spec, OrderPart part) {
    const std::int64_t base = spec.order.base.instances.value_or(0);
    return part == OrderPart::base ? base > 0 : base < rentedMachines(spec);
}

bool isPriceOfPart(const Price& price, const ScenarioSpec& spec, OrderPart part) {
    if (!hasOrderPart(spec, part) || (spec.cluster.region && price.region != *spec.cluster.region))
        return false;
    const Terms terms = termsOf(spec, part);
    const std::string wanted = terms.purchase.value_or("on_demand");
    const bool stated = terms.stated && takesTypedRate(wanted);
    if (stated)
        return false;
    if (wanted == purchaseWord(Purchase::savingsPlan) && terms.discount &&
        price.purchase == Purchase::onDemand) {
        return true; // a plan without a rate is a discount off this one
    }
    return wanted == purchaseWord(price.purchase) &&
           (!terms.commitment || !isCommitment(price.purchase) || commitmentOf(price) == *terms.commitment);
}

bool isPriceOf(const Price& price, const ScenarioSpec& spec) {
    return isPriceOfPart(price, spec, OrderPart::rest) || isPriceOfPart(price, spec, OrderPart::base);
}

const Price* chargedPrice(const Catalog& catalog, const ScenarioSpec& spec, OrderPart part) {
    const std::string item = spec.cluster.ultraserver.value_or(spec.cluster.instance.value_or(""));
    const auto best = [&](bool reduced) {
        return preferredPrice(catalog.prices, spec.pricingDay(), [&](const Price& price) {
            return price.item == item && isPriceOfPart(price, spec, part) &&
                   (price.purchase == Purchase::onDemand) == reduced;
        });
    };
    // A plan with its own rate takes no discount off On-Demand.
    const Price* own = best(false);
    return own != nullptr ? own : best(true);
}

} // namespace alidade
