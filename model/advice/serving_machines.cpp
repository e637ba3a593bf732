// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_machines.h"

#include "model/advice/serving_plans.h"
#include "model/catalog/price_choice.h"
#include "model/scenario/rented_machines.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace alidade {

namespace {

constexpr std::int64_t mostFactor = 64; ///< maximum number of machines, relative to the scenario's
constexpr std::size_t layoutsTried = 4; ///< on each type of machine

/// The layouts worth trying on these machines: the smallest few that may fit, which give the most replicas.
std::vector<Edit> layoutsOn(const ScenarioSpec& spec, const ServingEvaluator& evaluator) {
    std::vector<Edit> out{{}}; // the current layout
    const auto plain = plainService(spec, evaluator.catalog(), evaluator.profile());
    if (plain) {
        for (const ServingLayout& layout : servingLayouts(*plain)) {
            if (out.size() > layoutsTried)
                break;
            out.push_back(changesOf(spec, editOf(layout, *plain)));
        }
    }
    return out;
}

} // namespace

std::optional<std::int64_t> fewestMachines(const ScenarioSpec& spec, ServiceLevel level, std::int64_t most,
                                           ServingEvaluator& evaluator, double billBelow) {
    const auto reaches = [&](std::int64_t count) {
        const auto changed = applyEdit(spec, machineCountEdit(spec, count));
        return changed && evaluator.tryOut(*changed) >= level && evaluator.load() <= mostAdvisedLoad;
    };
    if (most < 1 || !reaches(most))
        return std::nullopt;
    const double each = evaluator.cost().bill / static_cast<double>(most);
    const double rate = spec.workload.requestRatePerS.value_or(0) * samplesOf(spec.workload);
    const double carried = evaluator.totals().maxRequestRate / static_cast<double>(most);
    // Start from the number that just carries the load; meeting targets takes slightly more.
    std::int64_t low = carried > 0 ? static_cast<std::int64_t>(std::ceil(rate / carried)) - 1 : 0;
    low = std::clamp<std::int64_t>(low, 0, most - 1);
    std::int64_t high = most; // invariant: low is too few, high is enough
    for (std::int64_t next = low + 1; next < high; next += std::max<std::int64_t>(1, next / 4)) {
        if (static_cast<double>(next) * each >= billBelow)
            return std::nullopt;
        (reaches(next) ? high : low) = next;
    }
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (reaches(middle) ? high : low) = middle;
    }
    return static_cast<double>(high) * each < billBelow ? std::optional(high) : std::nullopt;
}

namespace {

/// The best machines tried so far.
struct Servers {
    std::optional<Edit> edit;
    double bill = std::numeric_limits<double>::infinity();
};

/// Tries one type of machine with several layouts.
void tryMachine(const ScenarioSpec& spec, const Edit& kind, ServiceLevel level, ServingEvaluator& evaluator,
                Servers& best) {
    const auto machine = applyEdit(spec, kind);
    for (const Edit& layout : machine ? layoutsOn(*machine, evaluator) : std::vector<Edit>{}) {
        const auto laidOut = applyEdit(*machine, layout);
        const auto count =
            laidOut ? fewestMachines(*laidOut, level, mostFactor * machineCount(spec), evaluator, best.bill)
                    : std::nullopt;
        if (!count)
            continue;
        const Edit counted = machineCountEdit(*laidOut, *count);
        evaluator.tryOut(*applyEdit(*laidOut, counted));
        best = {kind, evaluator.cost().bill};
        best.edit->insert(best.edit->end(), layout.begin(), layout.end());
        best.edit->insert(best.edit->end(), counted.begin(), counted.end());
        if (layout.empty())
            return; // the current layout works; a different one would be a suggestion, not a fix
    }
}

} // namespace

std::optional<Edit> moreServers(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator) {
    Servers best;
    tryMachine(spec, {}, level, evaluator, best);
    if (best.edit || !spec.cluster.instance)
        return best.edit;
    for (const std::string& id : servingInstances(evaluator.catalog())) {
        const bool priced = std::ranges::any_of(evaluator.catalog().prices, [&](const Price& price) {
            return price.item == id && isInForce(price, spec.pricingDay());
        });
        if (id != spec.cluster.instance && priced) { // GPU counts and dollars are not comparable
            Edit other{{"cluster.instance", id}, {"cluster.gpus", ""}};
            std::ranges::copy(withoutStatedPrice(spec), std::back_inserter(other));
            tryMachine(spec, other, level, evaluator, best);
        }
    }
    return best.edit;
}

} // namespace alidade
