// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/catalog/price_choice.h"
#include "model/cost/capacity_block.h"
#include "model/hardware/purchase.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/edit.h"
#include "model/scenario/resolve_parts.h"
#include "model/units/format.h"

#include <algorithm>
#include <utility>

namespace alidade::resolving {

namespace {

/// On-Demand before other purchase options, the large US Regions before the rest, then by isPreferred().
bool comesFirst(const Price& a, const Price& b) {
    static constexpr std::string_view preferred[] = {"us-east-2", "us-east-1", "us-west-2"};
    const auto rankOf = [](const Price& price) {
        return std::pair(price.purchase != Purchase::onDemand,
                         std::ranges::find(preferred, price.region) - std::begin(preferred));
    };
    const auto first = rankOf(a), second = rankOf(b);
    return first != second ? first < second : isPreferred(a, b);
}

/// Whether a price is what a scenario asks for, whatever its dates. Commitments, training plans and Spot
/// prices have to be asked for by name.
bool isAskedFor(const Price& price, const std::string& item, const ClusterSpec& written) {
    const auto wanted = written.purchase ? purchaseNamed(*written.purchase) : std::nullopt;
    const bool purchase = wanted ? price.purchase == *wanted
                                 : price.purchase == Purchase::onDemand ||
                                       price.purchase == Purchase::capacityBlock ||
                                       price.purchase == Purchase::custom;
    return purchase && price.item == item && (!written.region || price.region == *written.region) &&
           (!written.commitment || !isCommitment(price.purchase) ||
            commitmentOf(price) == *written.commitment);
}

/// Returns the preferred price in force, or nullptr if there is none.
const Price* bestPrice(const Catalog& catalog, const std::string& item, const ClusterSpec& written,
                       std::string_view day) {
    const Price* best = nullptr;
    for (const Price& each : catalog.prices)
        if (isAskedFor(each, item, written) && isInForce(each, day) && (!best || comesFirst(each, *best)))
            best = &each;
    return best;
}

/// Returns all prices of an item, whatever their dates, preferred ones first.
std::vector<const Price*> pricesOf(const Catalog& catalog, const std::string& item,
                                   const ClusterSpec& written) {
    std::vector<const Price*> out;
    for (const Price& each : catalog.prices)
        if (each.current && isAskedFor(each, item, written))
            out.push_back(&each);
    std::ranges::stable_sort(out, [](const Price* a, const Price* b) { return comesFirst(*a, *b); });
    return out;
}

std::string datesOf(const Price& price) {
    return price.validUntil.empty()  ? "from " + price.validFrom
           : price.validFrom.empty() ? "until " + price.validUntil
                                     : "from " + price.validFrom + " until " + price.validUntil;
}

std::string wherePriced(const Catalog& catalog, const std::string& item) {
    std::vector<std::string> places;
    for (const Price* price : pricesOf(catalog, item, {})) {
        const std::string place =
            nameOfChoice("cluster.purchase", purchaseWord(price->purchase)) + " in " + price->region;
        if (std::find(places.begin(), places.end(), place) == places.end())
            places.push_back(place);
    }
    std::string text;
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < std::min(places.size(), most); ++i)
        text += (i ? ", " : "") + places[i];
    return places.size() > most ? text + ", ..." : text;
}

/// Returns an error for a region without any prices; empty if it has one, or if none is asked for.
std::string unknownRegion(const Catalog& catalog, const std::optional<std::string>& region) {
    if (!region)
        return {};
    std::vector<std::string> known;
    for (const Price& price : catalog.prices) {
        if (price.region == *region)
            return {};
        if (std::find(known.begin(), known.end(), price.region) == known.end())
            known.push_back(price.region);
    }
    const std::string near = nearestName(*region, known);
    return "There is no region '" + *region + "' in the catalog" +
           (near.empty() ? "; use one of its regions, or leave the region out"
                         : "; the nearest is '" + near + "'");
}

/// Spare instances of a training run, which are rented in addition to those of the cluster once the run is
/// resolved. (Of UltraServers they are among those that are rented.)
std::int64_t sparesToCome(const Context& context) {
    const WorkloadSpec& workload = context.spec.workload;
    const bool training = !workload.isServing() && !workload.isReinforcement();
    return training && !context.out.spec.cluster.ultraserver ? context.spec.run.spares.value_or(0) : 0;
}

/// Instances or UltraServers that are paid, spares included.
std::int64_t paidMachines(const Context& context) {
    return static_cast<std::int64_t>(context.out.inputs[Input::paidItems]) + sparesToCome(context);
}

std::string blockLimit() {
    return std::to_string(mostCapacityBlockInstances) +
           " that an account can have in Capacity Blocks at a time, so there is no price; ";
}

/// Blocks are billed from start to end. Their sizes add up to any count that is sold.
/// \returns whether as many as this are sold
bool bookBlocks(Context& context) {
    const bool ultraserver = context.out.spec.cluster.ultraserver.has_value();
    const std::int64_t paid = paidMachines(context);
    const std::int64_t count = paid - context.spec.order.base.instances.value_or(0);
    if (!ultraserver && count > mostCapacityBlockInstances) {
        const std::string most = std::to_string(mostCapacityBlockInstances);
        warn(context, "cluster.purchase",
             formatCount(count) + " instances exceed the " + blockLimit() +
                 (context.isBase ? "set order.base.instances to " + most + " or less"
                                 : "ask AWS for an offer and enter it as a custom price, or use On-Demand, "
                                   "for all or for " +
                                       formatCount(paid - mostCapacityBlockInstances) +
                                       " of them (order.base.instances)"));
        return false;
    }
    context.out.rental = {.blockEndHours = ultraserver ? ultraserverBlockEndHours : capacityBlockEndHours,
                          .blocksOfOne = ultraserver};
    return true;
}

/// A commitment is billed for its whole term. \pre the purchase is a commitment
void bookTerm(Context& context) {
    const std::string term = context.out.spec.cluster.commitment.value_or("");
    constexpr std::int64_t all = 1'000'000;
    context.out.rental = {.termYears = term.starts_with('3') ? 3 : 1,
                          .upfrontShare = term.ends_with("all_upfront")       ? all
                                          : term.ends_with("partial_upfront") ? all / 2
                                                                              : 0};
}

void bookTrainingPlan(Context& context) {
    context.out.rental = {.blockEndHours = trainingPlanEndHours,
                          .blocksOfOne = context.out.spec.cluster.ultraserver.has_value(),
                          .blocksByDay = true};
}

/// Takes note of how a purchase option bills its time. \returns whether as many machines as this are sold
bool book(Context& context, Purchase purchase) {
    context.out.rental = {};
    switch (purchase) {
    case Purchase::capacityBlock:
        return bookBlocks(context);
    case Purchase::reserved:
    case Purchase::savingsPlan:
        bookTerm(context);
        return true;
    case Purchase::trainingPlan:
        bookTrainingPlan(context);
        return true;
    case Purchase::onDemand:
    case Purchase::spot:
    case Purchase::custom:
        return true;
    }
    return true;
}

/// Takes the term of the price, or says that it is not known.
void takeTerm(Context& context, const Price& price) {
    ClusterSpec& filled = context.out.spec.cluster;
    const std::string term = commitmentOf(price);
    if (!term.empty())
        filled.commitment = term;
    if (!term.starts_with('1') && !term.starts_with('3')) {
        warn(context, "cluster.commitment",
             "The price of " + price.item + " states no term; one year is billed");
    }
}

/// Whether a machine is sold in Capacity Blocks alone, which Savings Plans do not reduce.
bool isBlockOnly(const Catalog& catalog, const std::string& item) {
    const auto sold = [&](Purchase purchase) {
        return std::ranges::any_of(catalog.prices, [&](const Price& price) {
            return price.item == item && price.purchase == purchase;
        });
    };
    return sold(Purchase::capacityBlock) && !sold(Purchase::onDemand);
}

/// Uses the price that the scenario states.
void takeTypedPrice(Context& context, Purchase purchase) {
    ClusterSpec& filled = context.out.spec.cluster;
    filled.purchase = std::string(purchaseWord(purchase));
    if (purchase == Purchase::savingsPlan && !filled.commitment)
        filled.commitment = std::string(usualCommitment);
    context.out.hasPrice = book(context, purchase);
    context.out.priceSource = "scenario";
    set(context, Input::price, *context.spec.cluster.dollarsPerInstanceHour, "scenario", SourceKind::user);
}

/// The rate of a Savings Plan by its share off the On-Demand price. \returns whether there is such a price
bool takeDiscountedOnDemand(Context& context) {
    ClusterSpec onDemand = context.spec.cluster;
    onDemand.purchase = "on_demand";
    const Price* price =
        bestPrice(context.catalog, context.out.priceItem, onDemand, context.spec.pricingDay());
    if (!onDemand.discount || !price)
        return false;
    ClusterSpec& filled = context.out.spec.cluster;
    filled.purchase = "savings_plan";
    filled.region = price->region;
    filled.commitment = filled.commitment.value_or(std::string(usualCommitment));
    context.out.hasPrice = book(context, Purchase::savingsPlan);
    context.out.priceDate = price->date;
    context.out.priceSource = citation(price->provenance, "usd_per_hour");
    set(context, Input::price, price->rate.si() * (1 - *onDemand.discount),
        context.out.priceItem + ", On-Demand in " + price->region + ", " + price->date + ", less " +
            formatQuantity(*onDemand.discount, Dimension::ratio) + ": " + context.out.priceSource,
        SourceKind::user);
    return true;
}

/// Savings Plans and training plans have no price list: their rate is typed, or in a user's catalog.
/// \returns whether the price is settled
bool resolveUnlisted(Context& context, Purchase purchase) {
    const ClusterSpec& written = context.spec.cluster;
    const std::string& item = context.out.priceItem;
    if (purchase == Purchase::savingsPlan && isBlockOnly(context.catalog, item)) {
        warn(context, "cluster.purchase",
             "Savings Plans do not apply to Capacity Blocks, and " + item + " is sold only in them");
        return true;
    }
    if (written.dollarsPerInstanceHour) {
        takeTypedPrice(context, purchase);
        return true;
    }
    if (bestPrice(context.catalog, item, written, context.spec.pricingDay()))
        return false;
    if (purchase == Purchase::trainingPlan) {
        warn(
            context, "cluster.dollars_per_instance_hour",
            "AWS publishes no prices of training plans; set dollars_per_instance_hour to the fee of an offer "
            "/ (instances x hours)");
    } else if (!takeDiscountedOnDemand(context)) {
        warn(context, "cluster.dollars_per_instance_hour",
             "No Savings Plan rate is known for " + item +
                 "; set dollars_per_instance_hour to the rate of the plan, or discount to its share off the "
                 "On-Demand price");
    }
    return true;
}

} // namespace

namespace {

/// The price of machines that are bought in one way.
void resolveRate(Context& context) {
    ClusterSpec& filled = context.out.spec.cluster;
    const ClusterSpec& written = context.spec.cluster;
    if (written.dollarsPerInstanceHour && written.purchase.value_or("custom") == "custom") {
        takeTypedPrice(context, Purchase::custom);
        return;
    }
    const Purchase wanted = purchaseOrOnDemand(written.purchase);
    if ((wanted == Purchase::savingsPlan || wanted == Purchase::trainingPlan) &&
        resolveUnlisted(context, wanted)) {
        return;
    }
    if (written.purchase == "custom") {
        warn(context, "cluster.dollars_per_instance_hour",
             "A custom purchase needs a price; set dollars_per_instance_hour");
        return;
    }
    if (written.dollarsPerInstanceHour) {
        warn(context, "cluster.purchase",
             "The given price applies only to a custom purchase, a Savings Plan or a training plan; the "
             "catalog "
             "price is used");
    }
    const std::string& item = context.out.priceItem;
    if (const Price* price = bestPrice(context.catalog, item, written, context.spec.pricingDay())) {
        context.out.priceId = price->id;
        context.out.priceDate = price->date;
        context.out.priceValidUntil = price->validUntil;
        context.out.priceSource = citation(price->provenance, "usd_per_hour");
        if (!written.purchase && price->purchase != Purchase::onDemand) {
            context.out.problems.push_back(
                {Severity::info,
                 "/cluster/purchase",
                 "No On-Demand price is known for " + item + "; the " +
                     nameOfChoice("cluster.purchase", purchaseWord(price->purchase)) + " price in " +
                     price->region + " is used",
                 {}});
        }
        filled.region = price->region;
        filled.purchase = std::string(purchaseWord(price->purchase));
        if (isCommitment(price->purchase))
            takeTerm(context, *price);
        context.out.hasPrice = book(context, price->purchase);
        const double discount = written.discount.value_or(0);
        const std::string less =
            discount > 0 ? ", less " + formatQuantity(discount, Dimension::ratio) : std::string();
        set(context, Input::price, price->rate.si() * (1 - discount),
            item + ", " + nameOfChoice("cluster.purchase", *filled.purchase) + " in " + price->region + ", " +
                price->date + less + ": " + context.out.priceSource,
            discount > 0 ? SourceKind::user : catalogKind(price->provenance, "usd_per_hour"));
        return;
    }
    if (const std::string unknown = unknownRegion(context.catalog, written.region); !unknown.empty()) {
        illegal(context, "cluster.region", unknown);
        return;
    }
    filled.purchase = written.purchase.value_or("on_demand");
    const std::string where = wherePriced(context.catalog, item);
    const std::string term = written.commitment && isCommitment(wanted)
                                 ? " (" + nameOfChoice("cluster.commitment", *written.commitment) + ")"
                                 : std::string();
    const std::string here = nameOfChoice("cluster.purchase", *filled.purchase) + term +
                             (filled.region ? " in " + *filled.region : std::string());
    if (where.empty()) {
        warn(context, "cluster.purchase",
             "No price is known for " + item + "; set purchase to custom and set dollars_per_instance_hour");
    } else if (const auto dated = pricesOf(context.catalog, item, written); !dated.empty()) {
        const std::string_view day = context.spec.pricingDay();
        warn(context, context.spec.order.start ? "order.start" : "run.start",
             "The prices of " + item + ", " + here + ", are valid " + datesOf(*dated.front()) +
                 (day.empty() ? "; set the start" : ", not on " + std::string(day)));
    } else {
        warn(context, "cluster.region",
             "No price is known for " + item + ", " + here + "; prices are known for " + where);
    }
}

/// What is asked for of the base: the machines of the cluster, bought in its way.
ScenarioSpec baseAlone(const Context& context) {
    ScenarioSpec out;
    const BaseOrderSpec& base = context.spec.order.base;
    out.order.start = context.spec.order.start;
    out.run.start = context.spec.run.start;
    out.cluster = context.out.spec.cluster;
    out.cluster.purchase = base.purchase;
    out.cluster.dollarsPerInstanceHour = base.dollarsPerInstanceHour;
    out.cluster.commitment = base.commitment;
    out.cluster.discount = base.discount;
    return out;
}

/// "/order/base/purchase" of "/cluster/purchase".
std::string placeOfBase(const std::string& place) {
    constexpr std::string_view cluster = "/cluster/", base = "/order/base/";
    return place == "/cluster/region"   ? std::string(base) + "purchase" // there it is not sold
           : place.starts_with(cluster) ? std::string(base) + place.substr(cluster.size())
                                        : place;
}

/// The largest base that can be bought; 0: with none, since the rest alone exceeds what is sold.
std::int64_t largestBase(const Context& context) {
    const std::int64_t rented = paidMachines(context);
    const ClusterSpec& cluster = context.out.spec.cluster;
    const auto inBlocks = [](const std::optional<std::string>& purchase) {
        return purchase == purchaseWord(Purchase::capacityBlock);
    };
    if (cluster.ultraserver || !inBlocks(context.spec.order.base.purchase) ||
        rented <= mostCapacityBlockInstances) {
        return rented;
    }
    return inBlocks(cluster.purchase) ? 0 : mostCapacityBlockInstances;
}

/// Buys fewer in a problem that is about a base of too many.
void offerSmallerBase(const Context& context, Problem& problem) {
    const std::int64_t most = largestBase(context);
    if (most > 0 && most < context.spec.order.base.instances.value_or(0)) {
        const Edit edit{{"order.base.instances", std::to_string(most)}};
        problem.fix = Fix{describeEdit(edit), edit};
    }
}

/// Rules of the base. \returns whether there is one to be bought
bool checkBase(Context& context) {
    const BaseOrderSpec& base = context.spec.order.base;
    if (base.instances.value_or(0) == 0) {
        if (!base.instances &&
            (base.purchase || base.dollarsPerInstanceHour || base.commitment || base.discount)) {
            warn(context, "order.base.instances", "The base has no instances; set order.base.instances");
        }
        return false;
    }
    const std::int64_t rented = paidMachines(context);
    if (*base.instances > rented) {
        illegal(context, "order.base.instances",
                "The base of " + formatCount(*base.instances) + " exceeds the " + formatCount(rented) +
                    " that are rented; set order.base.instances to " + formatCount(rented) + " or less");
        offerSmallerBase(context, context.out.problems.back());
        return false;
    }
    const DisaggregatedSpec& apart = context.spec.plan.disaggregated;
    if (apart.prefill.instance || apart.decode.instance) {
        illegal(context, "order.base.instances",
                "A base is of one type of machine, and each pool rents its own type; leave order.base out");
        return false;
    }
    const auto purchase = purchaseNamed(base.purchase.value_or(""));
    if (base.commitment && !(purchase && isCommitment(*purchase))) {
        warn(context, "order.base.commitment",
             "Only a reservation or a Savings Plan has a term; set order.base.purchase to one of them");
    }
    return true;
}

/// Prices the part of the machines that is bought in another way. \pre the rest is priced
void resolveBase(Context& context) {
    if (!checkBase(context))
        return;
    const auto instances = static_cast<double>(*context.spec.order.base.instances);
    const ScenarioSpec asked = baseAlone(context);
    Scenario base;
    base.priceItem = context.out.priceItem;
    Context alone = contextOf(asked, context.catalog, context.profile, base, 0);
    base.inputs[Input::paidItems] = instances;
    alone.isBase = true;
    resolveRate(alone);
    Scenario& out = context.out;
    const auto whole = static_cast<double>(paidMachines(context));
    const bool isAll = instances >= whole;
    const auto isInBlocks = [](const RentalTerms& terms) { return terms.inBlocks() && !terms.blocksByDay; };
    if (!isAll && isInBlocks(out.rental) && isInBlocks(base.rental) && !out.spec.cluster.ultraserver &&
        whole > mostCapacityBlockInstances) {
        base.hasPrice = false;
        warn(context, "order.base.purchase",
             "Base and rest are " + formatCount(static_cast<std::int64_t>(whole)) +
                 " instances, which exceed the " + blockLimit() + "buy one of them in another way");
    }
    for (Problem& problem : base.problems) {
        problem.place = placeOfBase(problem.place);
        problem.message = "Base: " + problem.message;
        if (problem.place == "/order/base/purchase" && !base.hasPrice)
            offerSmallerBase(context, problem);
        out.problems.push_back(std::move(problem));
    }
    out.hasPrice = (isAll || out.hasPrice) && base.hasPrice;
    out.legal = out.legal && base.legal;
    out.baseRental = base.rental;
    out.spec.order.base.purchase = base.spec.cluster.purchase;
    out.spec.order.base.commitment = base.spec.cluster.commitment;
    out.basePriceDate = base.priceDate;
    out.basePriceSource = base.priceSource;
    if (isAll) {
        out.priceDate = base.priceDate;
        out.priceSource = base.priceSource;
    }
    const bool endsFirst = !base.priceValidUntil.empty() &&
                           (out.priceValidUntil.empty() || base.priceValidUntil < out.priceValidUntil);
    if (isAll || endsFirst) {
        out.priceValidUntil = base.priceValidUntil;
        out.priceId = base.priceId;
    }
    const InputOrigin& origin = base.origins[static_cast<std::size_t>(Input::price)];
    set(context, Input::baseItems, instances, "scenario", SourceKind::user);
    set(context, Input::basePrice, base.inputs[Input::price], origin.source, origin.kind);
}

} // namespace

void resolvePrice(Context& context) {
    resolveRate(context);
    resolveBase(context);
}

} // namespace alidade::resolving
