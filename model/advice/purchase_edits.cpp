// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/purchase_edits.h"

#include "model/catalog/price_choice.h"
#include "model/cost/capacity_block.h"
#include "model/hardware/purchase.h"
#include "model/scenario/fields.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace alidade {

namespace {

/// As many as an account can have in Capacity Blocks, the others on demand as before.
Edit splitWithBlocks(const ScenarioSpec& spec, const Price& block, std::int64_t items) {
    Edit out{{"cluster.purchase", std::string(purchaseWord(Purchase::capacityBlock))},
             {"cluster.region", block.region},
             {"order.base.instances", std::to_string(items - mostCapacityBlockInstances)},
             {"order.base.purchase", std::string(purchaseWord(Purchase::onDemand))}};
    if (spec.cluster.discount) {
        out.emplace_back("order.base.discount",
                         fieldText(*findField("order.base.discount"), *spec.cluster.discount));
    }
    return out;
}

} // namespace

std::vector<Edit> purchaseEdits(const ScenarioSpec& spec, const Scenario& scenario, const Catalog& catalog) {
    std::vector<Edit> out;
    const auto items = static_cast<std::int64_t>(std::llround(scenario.inputs[Input::paidItems]));
    const bool onDemand = scenario.spec.cluster.purchase == purchaseWord(Purchase::onDemand);
    for (const Price& price : catalog.prices) {
        if (price.item != scenario.priceItem || !isInForce(price, spec.pricingDay()) ||
            price.purchase != Purchase::capacityBlock || price.region != scenario.spec.cluster.region) {
            continue;
        }
        if (items <= mostCapacityBlockInstances) {
            out.push_back({{"cluster.purchase", std::string(purchaseWord(Purchase::capacityBlock))},
                           {"cluster.region", price.region}});
        } else if (onDemand && !scenario.hasBase()) {
            out.push_back(splitWithBlocks(spec, price, items));
        }
    }
    if (scenario.hasBase()) {
        out.push_back({{"order.base.instances", ""}});
        out.push_back({{"order.base.instances", std::to_string(items)}});
    }
    return out;
}

} // namespace alidade
