// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/suggest.h"

#include "model/advice/candidates.h"
#include "model/advice/layouts.h"
#include "model/advice/serving_suggest.h"
#include "model/advice/suggestion_words.h"
#include "model/estimate/evaluate.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade {

namespace {

constexpr std::size_t suggestionBudget = 120; ///< evaluations in the search for the fastest layout

std::array<double, allBounds.size()> byBound(const Totals& totals) {
    std::array<double, allBounds.size()> out{};
    for (std::size_t i = 0; i < stepParts.size(); ++i)
        out[static_cast<std::size_t>(stepParts[i].bound)] += totals.parts[i];
    return out;
}

/// The class of time that shrinks the most.
Bound shrinkingMost(const Totals& before, const Totals& after) {
    const auto was = byBound(before), is = byBound(after);
    std::size_t most = 0;
    for (std::size_t i = 1; i < was.size(); ++i)
        if (was[i] - is[i] > was[most] - is[most])
            most = i;
    return static_cast<Bound>(most);
}

PlanFigures figuresOf(const Totals& totals, const Scenario& scenario, Bound bound) {
    PlanFigures out;
    out.stepTime = totals.stepTime;
    out.boundTime = byBound(totals)[static_cast<std::size_t>(bound)];
    if (scenario.hasPrice) {
        out.dollarsPerHour = totals.dollarsPerHour;
        if (scenario.hasTokens)
            out.dollarsPerRun = totals.dollarsPerRun;
        out.purchase = purchaseOf(scenario);
        out.region = scenario.spec.cluster.region.value_or("");
    }
    return out;
}

/// Tries changes on a scenario that runs and fits.
class Adviser {
public:
    struct Outcome {
        double saved = 0;  ///< cost before / after - 1; 0 where no price is known, or nothing is saved
        double sooner = 0; ///< tokens per second after / before - 1
        Suggestion suggestion;
        bool operator<(const Outcome& other) const {
            return saved != other.saved ? saved > other.saved : sooner > other.sooner;
        }
    };

    Adviser(const ScenarioSpec& spec, const Totals& before, const Scenario& scenario, Evaluator& evaluator)
        : spec_(spec)
        , before_(before)
        , scenario_(scenario)
        , evaluator_(evaluator) {}

    /// The effect of an edit; nullopt if it does not run, does not fit, has no comparable price, costs more,
    /// or gains too little to mention. The cost is that of the whole run, including unused hours of a booked
    /// Capacity Block; without a number of tokens, the cost per token.
    std::optional<Outcome> tryEdit(const Edit& edit) {
        constexpr double leastGain = 0.01;
        const auto changed = applyEdit(spec_, edit);
        const Totals* after = changed ? evaluator_.runsAndFits(*changed) : nullptr;
        if (!after || (scenario_.hasPrice && !evaluator_.scenario().hasPrice))
            return std::nullopt;
        Outcome out;
        const double saved = scenario_.hasPrice ? money(before_) / money(*after) - 1 : 0;
        out.saved = std::abs(saved) < leastGain ? 0 : saved;
        out.sooner = rate(*after) / rate(before_) - 1;
        if (out.saved < 0 || (out.saved == 0 && out.sooner < leastGain))
            return std::nullopt;
        describe(edit, *after, out.suggestion);
        return out;
    }

    /// Drops the fields that do not matter.
    void shorten(Suggestion& suggestion) {
        suggestion.change.set = withoutNeedless(spec_, std::move(suggestion.change.set), evaluator_);
        suggestion.change.text = describeEdit(suggestion.change.set);
    }

private:
    static double rate(const Totals& t) { return t.tokensPerSecond * t.goodput; }
    double money(const Totals& t) const {
        return scenario_.hasTokens ? t.dollarsPerRun : t.dollarsPerHour / rate(t);
    }
    void describe(const Edit& edit, const Totals& after, Suggestion& s) const {
        s.change = {describeEdit(edit), edit};
        s.stepTime = after.stepTime;
        s.stepTimeDifference = after.stepTime - before_.stepTime;
        s.tokensPerSecond = after.tokensPerSecond;
        s.tokensPerSecondGain = after.tokensPerSecond / before_.tokensPerSecond - 1;
        s.memoryBytes = after.memoryTotal;
        if (scenario_.hasPrice && scenario_.hasTokens) {
            s.dollarsPerRun = after.dollarsPerRun;
            s.dollarsPerRunDifference = after.dollarsPerRun - before_.dollarsPerRun;
        }
        s.bound = shrinkingMost(before_, after);
        s.before = figuresOf(before_, scenario_, s.bound);
        s.after = figuresOf(after, evaluator_.scenario(), s.bound);
        s.reason = suggestionReason(s);
    }

    const ScenarioSpec& spec_;
    const Totals& before_;
    const Scenario& scenario_;
    Evaluator& evaluator_;
};

/// The best change of each kind, best first, without duplicates.
std::vector<Suggestion> bestOfEachKind(const std::vector<Candidate>& candidates, Adviser& adviser) {
    std::map<AdviceKind, Adviser::Outcome> best;
    for (const Candidate& candidate : candidates) {
        auto outcome = adviser.tryEdit(candidate.edit);
        const auto known = best.find(candidate.kind);
        if (outcome && (known == best.end() || *outcome < known->second))
            best[candidate.kind] = std::move(*outcome);
    }
    std::vector<Adviser::Outcome> ordered;
    for (auto& [kind, outcome] : best)
        ordered.push_back(std::move(outcome));
    std::sort(ordered.begin(), ordered.end());
    std::vector<Suggestion> out;
    for (Adviser::Outcome& outcome : ordered) {
        adviser.shorten(outcome.suggestion);
        const bool known = std::any_of(out.begin(), out.end(), [&](const Suggestion& other) {
            return other.change.set == outcome.suggestion.change.set;
        });
        if (!known)
            out.push_back(std::move(outcome.suggestion));
    }
    return out;
}

} // namespace

std::vector<Suggestion> suggestWith(Evaluator& evaluator, const ScenarioSpec& spec, std::size_t most) {
    const Totals* found = evaluator.runsAndFits(spec);
    if (!found)
        return {};
    const auto before = std::make_unique<Totals>(*found);
    const Scenario scenario = evaluator.scenario();
    Adviser adviser(spec, *before, scenario, evaluator);
    std::vector<Candidate> candidates = candidatesFor(spec, scenario, evaluator.catalog());
    if (auto layout = fastestLayout(spec, {spec, scenario}, scenario.model, evaluator, suggestionBudget))
        candidates.push_back({AdviceKind::layout, changesOf(spec, *layout)});
    std::vector<Suggestion> out = bestOfEachKind(candidates, adviser);
    if (out.size() >= 2 && out.size() < most) { // room for the two best combined
        Edit both = out[0].change.set;
        both.insert(both.end(), out[1].change.set.begin(), out[1].change.set.end());
        if (auto outcome = adviser.tryEdit(both))
            out.push_back(std::move(outcome->suggestion));
    }
    out.resize(std::min(out.size(), most));
    return out;
}

} // namespace alidade
