// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_fixes.h"

#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/advice/suggestion_words.h"
#include "model/scenario/rented_machines.h"

#include <algorithm>

namespace alidade {

namespace {

/// The best edit tried: the one that gets furthest, then the cheapest, then the fastest.
class Best {
public:
    Best(const ScenarioSpec& spec, ServingEvaluator& evaluator)
        : spec_(spec)
        , evaluator_(evaluator) {}

    void tryOut(const Edit& edit) {
        const auto changed = applyEdit(spec_, edit);
        ServiceLevel level = changed ? evaluator_.tryMeans(*changed) : ServiceLevel::none;
        if (level == ServiceLevel::none)
            return;
        const ServiceCost cost = evaluator_.cost();
        const bool cheaper = cost.bill < cost_.bill * (1 - 1e-9) ||
                             (cost.bill <= cost_.bill * (1 + 1e-9) && cost.time < cost_.time);
        // Percentiles decide only where a plan could win by them.
        if (level == ServiceLevel::carries && (cheaper || level_ < ServiceLevel::meets))
            level = evaluator_.judgeLatencies();
        if (level > level_ || (level == level_ && cheaper)) {
            level_ = level;
            cost_ = cost;
            edit_ = edit;
        }
    }
    /// \return whether any edit reaches the highest level
    bool tryAll(const std::vector<Edit>& edits) {
        for (const Edit& edit : edits)
            tryOut(edit);
        return level_ == ServiceLevel::meets;
    }
    /// The same in order of preference: stops at the first edit that reaches the highest level.
    bool tryInOrder(const std::vector<Edit>& edits) {
        return std::ranges::any_of(edits, [this](const Edit& edit) { return tryAll({edit}); });
    }
    ServiceLevel level() const { return level_; }
    const std::optional<Edit>& edit() const { return edit_; }

private:
    const ScenarioSpec& spec_;
    ServingEvaluator& evaluator_;
    ServiceLevel level_ = ServiceLevel::none;
    ServiceCost cost_;
    std::optional<Edit> edit_;
};

/// Layouts on the same machines, with the current formats and with narrower ones.
std::vector<Edit> layoutEdits(const ScenarioSpec& spec, const Scenario& plain,
                              const ServingEvaluator& evaluator) {
    std::vector<Edit> formats = narrowerFormats(spec, plain, evaluator.catalog());
    formats.insert(formats.begin(), Edit{});
    std::vector<Edit> out;
    for (const Edit& format : formats) {
        const auto changed = applyEdit(spec, format);
        const auto base = changed ? plainService(*changed, evaluator.catalog(), evaluator.profile())
                                  : std::optional<Scenario>();
        if (!base)
            continue;
        for (const ServingLayout& layout : servingLayouts(*base)) {
            Edit edit = changesOf(spec, editOf(layout, *base));
            edit.insert(edit.end(), format.begin(), format.end());
            out.push_back(std::move(edit));
        }
    }
    return out;
}

/// Adds a few machines to an edit if the full estimate needs them.
Edit confirmed(const ScenarioSpec& spec, const Edit& edit, ServingEvaluator& evaluator) {
    const ScenarioSpec changed = *applyEdit(spec, edit);
    const std::int64_t count = machineCount(changed);
    for (const std::int64_t more : {count / 16, count / 8 + 1, count / 4 + 2}) {
        Edit larger = edit;
        const Edit counted = machineCountEdit(changed, count + more);
        larger.insert(larger.end(), counted.begin(), counted.end());
        if (evaluator.estimateAgrees(*applyEdit(spec, larger)))
            return more == 0 ? edit : changesOf(spec, larger);
    }
    return edit;
}

} // namespace

std::optional<Fix> nearestServingFix(const ScenarioSpec& spec, ServingEvaluator& evaluator) {
    const ServiceLevel now = evaluator.tryOut(spec);
    const auto resolved = resolve(spec, evaluator.catalog(), evaluator.profile());
    const auto plain = plainService(spec, evaluator.catalog(), evaluator.profile());
    if (!plain)
        return std::nullopt;
    const auto fixOf = [&](const Edit& edit) {
        Edit changes = withoutNeedless(spec, changesOf(spec, edit), evaluator);
        std::string text = describeChange(spec, changes, evaluator.catalog(), evaluator.profile());
        return Fix{std::move(text), std::move(changes)};
    };
    if (const Edit own = resolved ? changesOfRules(*resolved) : Edit{}; !own.empty()) {
        const ScenarioSpec changed = *applyEdit(spec, own);
        const ServiceLevel level = evaluator.tryOut(changed);
        if (level == ServiceLevel::meets && evaluator.estimateAgrees(changed))
            return fixOf(own);
        if (const auto more = nearestServingFix(changed, evaluator))
            return fixOf(joined(own, more->set));
        if (level > ServiceLevel::none)
            return fixOf(own);
    }
    const bool apart = resolved && resolved->pools.size() > 1;
    Best furthest(spec, evaluator);
    const auto agreed = [&] { return evaluator.estimateAgrees(*applyEdit(spec, *furthest.edit())); };
    const bool elsewhere = resolved && std::ranges::any_of(resolved->problems, [](const Problem& p) {
                               return p.severity == Severity::error && p.place == "/cluster/region";
                           });
    if (elsewhere && furthest.tryAll({{{"cluster.region", ""}}}) && agreed())
        return fixOf(*furthest.edit());
    if ((apart && furthest.tryAll(poolEdits(spec, *resolved)) && agreed()) ||
        (furthest.tryAll(servingPlanEdits(spec, *plain)) && agreed()) ||
        (furthest.tryInOrder(narrowerFormats(spec, *plain, evaluator.catalog())) && agreed()) ||
        (!apart && furthest.tryAll(layoutEdits(spec, *plain, evaluator)) && agreed())) {
        return fixOf(*furthest.edit());
    }
    const bool disputed = furthest.level() == ServiceLevel::meets; // the full estimate disagrees
    for (const ServiceLevel level : {ServiceLevel::meets, ServiceLevel::carries}) {
        if (apart || level <= now || (level <= furthest.level() && !disputed))
            break;
        if (const auto servers = moreServers(spec, level, evaluator))
            return fixOf(confirmed(spec, *servers, evaluator));
        if (!hasTargets(spec))
            break; // carrying the load is the only requirement
    }
    return furthest.edit() && furthest.level() > now ? std::optional(fixOf(*furthest.edit())) : std::nullopt;
}

void adviseService(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                   Estimate& estimate) {
    const auto ofTarget = [](const Problem& p) { return p.place.ends_with("_slo_s"); };
    const auto wanting = [&](const Problem& p) { return p.severity == Severity::error || ofTarget(p); };
    if (std::ranges::none_of(estimate.problems, wanting))
        return;
    ServingEvaluator evaluator(catalog, profile);
    const std::optional<Fix> fix = nearestServingFix(spec, evaluator);
    bool first = true;
    for (Problem& problem : estimate.problems) {
        if (!wanting(problem))
            continue;
        problem.fix = fix;
        if (!fix && first)
            problem.message += ". No single change, other layout, or larger or different machine helps";
        first = false;
    }
}

} // namespace alidade
