// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/suggestion_words.h"

#include "model/hardware/purchase.h"
#include "model/kernels/bound_words.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace alidade {

namespace {

constexpr std::string_view inTwoWays = "base_and_rest"; ///< no purchase option of a catalog
constexpr double noticeable = 1e-3;                     ///< relative; smaller differences are not mentioned

/// Two values with enough digits to distinguish them.
struct Pair {
    std::string before, after;
};
Pair pairOf(double before, double after, Dimension dimension) {
    constexpr int fewest = 3, most = 12;
    Pair out;
    for (int digits = fewest; digits <= most && out.before == out.after; ++digits) {
        out.before = formatQuantity(before, dimension, {.significant = digits});
        out.after = formatQuantity(after, dimension, {.significant = digits});
    }
    return out;
}

bool differs(double before, double after) { return std::abs(after - before) > noticeable * std::abs(before); }
bool falls(double before, double after) { return before > after && differs(before, after); }

/// "a step takes 6.5 s instead of 6.1 s"
std::string insteadOf(const std::string& what, double before, double after, Dimension dimension) {
    const Pair pair = pairOf(before, after, dimension);
    return what + " " + pair.after + " instead of " + pair.before;
}

std::string boundFalls(const Suggestion& s, const std::string& of) {
    const Pair pair = pairOf(s.before.boundTime, s.after.boundTime, Dimension::seconds);
    return std::string(boundWords(s.bound).time) + of + " falls from " + pair.before + " to " + pair.after;
}

/// Whether the class of time explains the faster step; its share of the difference must be noticeable.
bool boundExplains(const Suggestion& s) {
    return falls(s.before.stepTime, s.after.stepTime) &&
           s.before.boundTime - s.after.boundTime > noticeable * s.before.stepTime;
}

void addMoney(const Suggestion& s, const char* ofRun, const char* ofHour, std::vector<std::string>& parts) {
    const auto differing = [](const std::optional<double>& before, const std::optional<double>& after) {
        return before && after && differs(*before, *after);
    };
    if (differing(s.before.dollarsPerRun, s.after.dollarsPerRun)) {
        parts.push_back(
            insteadOf(ofRun, *s.before.dollarsPerRun, *s.after.dollarsPerRun, Dimension::dollars));
    } else if (!s.before.dollarsPerRun && differing(s.before.dollarsPerHour, s.after.dollarsPerHour)) {
        parts.push_back(
            insteadOf(ofHour, *s.before.dollarsPerHour, *s.after.dollarsPerHour, Dimension::dollars));
    }
}

void addTrainingTime(const Suggestion& s, std::vector<std::string>& parts) {
    if (boundExplains(s))
        parts.push_back(boundFalls(s, "") + " per step");
    else if (differs(s.before.stepTime, s.after.stepTime))
        parts.push_back(insteadOf("a step takes", s.before.stepTime, s.after.stepTime, Dimension::seconds));
    else
        parts.push_back("a step takes as long as before");
}

void addServiceTime(const Suggestion& s, const std::string& sequence, std::vector<std::string>& parts) {
    if (boundExplains(s))
        parts.push_back(boundFalls(s, " per decode step"));
    if (differs(s.before.requestTime, s.after.requestTime)) {
        parts.push_back(insteadOf("a " + sequence + " takes", s.before.requestTime, s.after.requestTime,
                                  Dimension::seconds));
    }
    if (differs(s.before.maxRequestRate, s.after.maxRequestRate)) {
        parts.push_back(insteadOf("the maximum stable load is", s.before.maxRequestRate,
                                  s.after.maxRequestRate, Dimension::number) +
                        " " + sequence + "s/s");
    }
}

void addPriceOfTokens(const Suggestion& s, std::vector<std::string>& parts) {
    const auto &before = s.before.dollarsPerMillionTokens, &after = s.after.dollarsPerMillionTokens;
    if (before && after && differs(*before, *after))
        parts.push_back(insteadOf("a million tokens cost", *before, *after, Dimension::dollars));
}

std::string bought(const std::string& purchase, const std::string& region) {
    const std::optional<Purchase> known = purchaseNamed(purchase);
    const std::string how = known ? textsOf(*known).change : purchase == inTwoWays ? "in two ways" : purchase;
    return how + (region.empty() ? "" : " in " + region);
}

} // namespace

std::string purchaseOf(const Scenario& scenario) {
    const bool mixed =
        scenario.hasBase() && scenario.inputs[Input::baseItems] < scenario.inputs[Input::paidItems];
    return mixed ? std::string(inTwoWays) : scenario.mainPurchase();
}

std::string purchaseOf(const Cost& cost) {
    return cost.base && cost.base->rest > 0 ? std::string(inTwoWays) : cost.purchase;
}

std::string purchaseChange(const std::string& purchaseBefore, const std::string& regionBefore,
                           const std::string& purchaseAfter, const std::string& regionAfter) {
    if (purchaseBefore == purchaseAfter && regionBefore == regionAfter)
        return {};
    if (purchaseAfter.empty())
        return "its price is unknown";
    const std::string was =
        purchaseBefore.empty() ? "" : " instead of " + bought(purchaseBefore, regionBefore);
    return "bought " + bought(purchaseAfter, regionAfter) + was;
}

std::string describeChange(const ScenarioSpec& spec, const Edit& edit, const Catalog& catalog,
                           const Profile& profile) {
    const std::string text = describeEdit(edit);
    const bool machines = std::ranges::any_of(edit, [](const auto& each) {
        return each.first.starts_with("cluster.") && each.first != "cluster.purchase" &&
               each.first != "cluster.region" && !each.second.empty();
    });
    const auto changed = machines ? applyEdit(spec, edit) : std::nullopt;
    const auto before = changed ? resolve(spec, catalog, profile) : Result<Scenario>(Error{});
    const auto after = changed ? resolve(*changed, catalog, profile) : Result<Scenario>(Error{});
    if (!before || !after || !before->hasPrice)
        return text;
    const auto word = [](const std::optional<std::string>& value) { return value.value_or(""); };
    const ClusterSpec &was = before->spec.cluster, &is = after->spec.cluster;
    const std::string purchase =
        purchaseChange(purchaseOf(*before), word(was.region),
                       after->hasPrice ? purchaseOf(*after) : std::string(), word(is.region));
    return purchase.empty() ? text : text + "; " + purchase;
}

std::string suggestionReason(const Suggestion& s, const std::string& sequence) {
    std::vector<std::string> parts;
    if (s.service) {
        addMoney(s, "the rent of the run is", "an hour costs", parts);
        addPriceOfTokens(s, parts);
        addServiceTime(s, sequence, parts);
    } else {
        addTrainingTime(s, parts);
        addMoney(s, "the rent of the run is", "an hour costs", parts);
    }
    const std::string purchase =
        purchaseChange(s.before.purchase, s.before.region, s.after.purchase, s.after.region);
    if (!purchase.empty())
        parts.push_back(purchase);
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : "; ") + part;
    return out;
}

} // namespace alidade
