// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/catalog/price_choice.h"
#include "model/cost/capacity_block.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/resolve_parts.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::resolving {

namespace {

constexpr Purchase defaultPurchase = Purchase::onDemand;

struct PurchaseWord {
    std::string_view word;
    Purchase purchase;
};
constexpr PurchaseWord purchaseWords[] = {{"on_demand", Purchase::onDemand},
                                          {"capacity_block", Purchase::capacityBlock},
                                          {"reserved", Purchase::reserved},
                                          {"custom", Purchase::custom}};

std::string_view wordOf(Purchase purchase) {
    for (const auto& [word, value] : purchaseWords) {
        if (value == purchase) {
            return word;
        }
    }
    return "spot";
}

Purchase purchaseOf(std::string_view text) {
    for (const auto& [word, value] : purchaseWords) {
        if (word == text) {
            return value;
        }
    }
    return defaultPurchase;
}

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

/// Returns "1_year_no_upfront" for "1 year, no upfront, standard".
std::string commitmentOf(const Price& price) {
    std::string word;
    for (const char c : price.terms) {
        if (c == ',' && word.find("upfront") != std::string::npos) {
            break;
        }
        if (c != ',') {
            word += c == ' ' ? '_' : c;
        }
    }
    return word;
}

/// Whether a price is what a scenario asks for, whatever its dates. Reserved and Spot prices have to be asked
/// for by name.
bool isAskedFor(const Price& price, const std::string& item, const ClusterSpec& written) {
    const auto wanted = written.purchase ? std::optional(purchaseOf(*written.purchase)) : std::nullopt;
    const bool purchase = wanted ? price.purchase == *wanted
                                 : price.purchase != Purchase::reserved && price.purchase != Purchase::spot;
    return purchase && price.item == item && (!written.region || price.region == *written.region) &&
           (!written.commitment || price.purchase != Purchase::reserved ||
            commitmentOf(price) == *written.commitment);
}

/// Returns the preferred price in force, or nullptr if there is none.
const Price* bestPrice(const Catalog& catalog, const std::string& item, const ClusterSpec& written,
                       std::string_view day) {
    const Price* best = nullptr;
    for (const Price& each : catalog.prices) {
        if (isAskedFor(each, item, written) && isInForce(each, day) && (!best || comesFirst(each, *best))) {
            best = &each;
        }
    }
    return best;
}

/// Returns all prices of an item, whatever their dates, preferred ones first.
std::vector<const Price*> pricesOf(const Catalog& catalog, const std::string& item,
                                   const ClusterSpec& written) {
    std::vector<const Price*> out;
    for (const Price& each : catalog.prices) {
        if (each.current && isAskedFor(each, item, written)) {
            out.push_back(&each);
        }
    }
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
        const std::string place = nameOfChoice(wordOf(price->purchase)) + " in " + price->region;
        if (std::find(places.begin(), places.end(), place) == places.end()) {
            places.push_back(place);
        }
    }
    std::string text;
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
        text += (i ? ", " : "") + places[i];
    }
    return places.size() > most ? text + ", ..." : text;
}

/// Returns an error for a region without any prices; empty if it has one.
std::string unknownRegion(const Catalog& catalog, const std::optional<std::string>& region) {
    std::vector<std::string> known;
    for (const Price& price : catalog.prices) {
        if (!region || price.region == *region) {
            return {};
        }
        if (std::find(known.begin(), known.end(), price.region) == known.end()) {
            known.push_back(price.region);
        }
    }
    const std::string near = nearestName(region.value_or(""), known);
    return "There is no region '" + region.value_or("") + "' in the catalog" +
           (near.empty() ? "; use one of its regions, or leave the region out"
                         : "; the nearest is '" + near + "'");
}

/// Blocks are billed from start to end. Their sizes add up to any count that is sold.
/// \returns whether as many as this are sold
bool bookBlocks(Context& context) {
    const bool ultraserver = context.out.spec.cluster.ultraserver.has_value();
    const auto count = static_cast<std::int64_t>(context.out.inputs[Input::paidItems]);
    if (!ultraserver && count > mostCapacityBlockInstances) {
        warn(context, "cluster.purchase",
             formatCount(count) + " instances exceed the " + std::to_string(mostCapacityBlockInstances) +
                 " that an account can have in Capacity Blocks at a time, so there is no price; ask AWS for "
                 "an "
                 "offer and enter it as a custom price, or use On-Demand");
        return false;
    }
    context.out.blocksOfOne = ultraserver;
    context.out.blockEndHours = ultraserver ? ultraserverBlockEndHours : capacityBlockEndHours;
    return true;
}

} // namespace

void resolvePrice(Context& context) {
    ClusterSpec& filled = context.out.spec.cluster;
    const ClusterSpec& written = context.spec.cluster;
    if (written.dollarsPerInstanceHour && written.purchase.value_or("custom") == "custom") {
        filled.purchase = "custom";
        context.out.hasPrice = true;
        context.out.priceSource = "scenario";
        set(context, Input::price, *written.dollarsPerInstanceHour, "scenario", SourceKind::user);
        return;
    }
    if (written.purchase == "custom") {
        warn(context, "cluster.dollars_per_instance_hour",
             "A custom purchase needs a price; set dollars_per_instance_hour");
        return;
    }
    if (written.dollarsPerInstanceHour) {
        warn(context, "cluster.purchase",
             "The given price applies only to a custom purchase; the catalog price is used");
    }
    const std::string& item = context.out.priceItem;
    if (const Price* price = bestPrice(context.catalog, item, written, context.spec.pricingDay())) {
        context.out.hasPrice = price->purchase != Purchase::capacityBlock || bookBlocks(context);
        context.out.priceId = price->id;
        context.out.priceDate = price->date;
        context.out.priceValidUntil = price->validUntil;
        context.out.priceSource = citation(price->provenance, "usd_per_hour");
        if (!written.purchase && price->purchase != Purchase::onDemand) {
            context.out.problems.push_back({Severity::info,
                                            "/cluster/purchase",
                                            "No On-Demand price is known for " + item + "; the " +
                                                nameOfChoice(wordOf(price->purchase)) + " price in " +
                                                price->region + " is used",
                                            {}});
        }
        filled.region = price->region;
        filled.purchase = std::string(wordOf(price->purchase));
        if (price->purchase == Purchase::reserved && !commitmentOf(*price).empty()) {
            filled.commitment = commitmentOf(*price);
        }
        const double discount = written.discount.value_or(0);
        const std::string less =
            discount > 0 ? ", less " + formatQuantity(discount, Dimension::ratio) : std::string();
        set(context, Input::price, price->rate.si() * (1 - discount),
            item + ", " + nameOfChoice(*filled.purchase) + " in " + price->region + ", " + price->date +
                less + ": " + context.out.priceSource,
            discount > 0 ? SourceKind::user : catalogKind(price->provenance, "usd_per_hour"));
        return;
    }
    if (const std::string unknown = unknownRegion(context.catalog, written.region); !unknown.empty()) {
        illegal(context, "cluster.region", unknown);
        return;
    }
    filled.purchase = written.purchase.value_or("on_demand");
    const std::string where = wherePriced(context.catalog, item);
    const std::string term = written.commitment && *filled.purchase == "reserved"
                                 ? " (" + nameOfChoice(*written.commitment) + ")"
                                 : std::string();
    const std::string here =
        nameOfChoice(*filled.purchase) + term + (filled.region ? " in " + *filled.region : std::string());
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

} // namespace alidade::resolving
