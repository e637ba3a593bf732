// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/fleet_bill.h"

#include "model/base/text.h"
#include "model/fleet/service_options.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/scenario.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

std::optional<PoolPrice> priceOf(const ScenarioSpec& anyService, const FleetPool& pool,
                                 const PurchaseTerms& terms, const Catalog& catalog, const Profile& profile,
                                 std::string& missing) {
    ScenarioSpec spec = replicaOn({.name = {}, .spec = anyService, .traffic = {}}, pool, catalog, 0);
    spec.cluster.region = pool.region;
    spec.cluster.purchase = terms.purchase;
    spec.cluster.dollarsPerInstanceHour = terms.dollarsPerInstanceHour;
    spec.cluster.discount = terms.discount;
    spec.cluster.commitment = terms.commitment;
    const Result<Scenario> scenario = resolve(spec, catalog, profile);
    if (!scenario || !scenario->hasPrice) {
        std::string why = scenario ? std::string() : scenario.error();
        for (const Problem& problem : scenario ? scenario->problems : std::vector<Problem>{}) {
            const bool ofPrice = problem.place == "/cluster/region" || problem.place == "/cluster/purchase" ||
                                 problem.place == "/cluster/dollars_per_instance_hour";
            why = ofPrice ? problem.message : why;
        }
        missing += (missing.empty() || why.empty() ? "" : ". ") + why;
        return std::nullopt;
    }
    PurchaseTerms found = terms;
    found.commitment = scenario->spec.cluster.commitment;
    return PoolPrice{.terms = std::move(found),
                     .price = nanoDollars(scenario->inputs[Input::price]),
                     .region = scenario->spec.cluster.region.value_or(""),
                     .source = scenario->priceSource,
                     .date = scenario->priceDate};
}

bool isBlock(const PurchaseTerms& terms) { return terms.purchase == "capacity_block"; }

/// "Reserved (1 year, no upfront)", in a line of a bill.
std::string wordOf(const PurchaseTerms& terms) {
    const std::string term = terms.purchase == "reserved" ? terms.commitment.value_or("") : std::string();
    return nameOfChoice("cluster.purchase", terms.purchase) +
           (term.empty() ? term : " (" + nameOfChoice("cluster.commitment", term) + ")");
}

void addLine(PlannedPool& out, std::string text, double hours, NanoDollars price) {
    OrderLine line;
    line.text = std::move(text);
    line.unit = "instance-hours";
    line.quantity = thousandths(std::round(hours * 1000) / 1000);
    line.price = price;
    line.amount = amountOf(line.quantity, line.price);
    line.months = {line.amount};
    out.total += line.amount;
    out.lines.push_back(std::move(line));
}

} // namespace

std::vector<PoolPrice> pricesOf(const ScenarioSpec& anyService, const FleetPool& pool, const Catalog& catalog,
                                const Profile& profile, std::string& missing) {
    std::vector<PoolPrice> out;
    const auto add = [&](const PurchaseTerms& terms) {
        if (auto price = priceOf(anyService, pool, terms, catalog, profile, missing))
            out.push_back(*std::move(price));
    };
    if (pool.base)
        add(*pool.base);
    for (const PurchaseTerms& terms : pool.burst)
        add(terms);
    return out;
}

PoolLimits limitsOf(const FleetPool& pool, const std::vector<PoolPrice>& prices, const Catalog& catalog) {
    PoolLimits out{.gpus = std::max(1, gpusOfMachine(catalog, pool.machine)),
                   .maxInstances = pool.maxInstances,
                   .spares = pool.spares,
                   .prices = {},
                   .baseInstances = pool.baseInstances};
    for (const PoolPrice& each : prices) {
        const bool isBase =
            pool.base && &each == &prices.front() && each.terms.purchase == pool.base->purchase;
        std::optional<NanoDollars>& place = isBase                ? out.prices.base
                                            : isBlock(each.terms) ? out.prices.block
                                                                  : out.prices.onDemand;
        place = std::min(place.value_or(each.price), each.price);
    }
    out.prices.baseInBlocks = pool.base && isBlock(*pool.base);
    return out;
}

PlannedPool plannedPool(const FleetPool& pool, std::size_t index, const InstanceDemand& demand,
                        const PoolLimits& limits, const std::vector<PoolPrice>& prices) {
    PlannedPool out;
    out.pool = index;
    out.demand = demand;
    out.split = *cheapestSplit(demand, limits.prices, limits.baseInstances);
    const auto [least, most] = std::ranges::minmax_element(demand.counts);
    out.least = *least;
    out.most = *most;
    const double periods = monthHours / demand.hours();
    const auto termsAt = [&](NanoDollars price, bool block) {
        for (std::size_t i = 0; i < prices.size(); ++i)
            if (prices[i].price == price && isBlock(prices[i].terms) == block)
                return wordOf(prices[i].terms);
        return std::string();
    };
    const PurchaseSplit& split = out.split;
    if (split.base > 0) {
        addLine(out,
                pool.name + ": " + formatCount(split.base) + " x " + pool.machine + ", base, " +
                    termsAt(*limits.prices.base, pool.base->purchase == "capacity_block"),
                split.base * monthHours, *limits.prices.base);
    }
    if (split.blocks > 0) {
        addLine(out,
                pool.name + ": up to " + formatCount(split.blocks) + " x " + pool.machine +
                    ", Capacity Blocks",
                split.blockHours * periods, *limits.prices.block);
    }
    if (split.onDemand > 0) {
        addLine(out,
                pool.name + ": up to " + formatCount(split.onDemand) + " x " + pool.machine + ", burst, " +
                    termsAt(*limits.prices.onDemand, false),
                split.onDemandHours * periods, *limits.prices.onDemand);
    }
    return out;
}

} // namespace alidade
