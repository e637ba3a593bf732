// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/suggest.h"

#include "model/advice/candidates.h"
#include "model/advice/layouts.h"
#include "model/advice/serving_suggest.h"
#include "model/estimate/evaluate.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade {

namespace {

constexpr std::size_t suggestionBudget = 120; ///< evaluations of the search for the fastest layout

std::array<double, allBounds.size()> byBound(const Totals& totals) {
    std::array<double, allBounds.size()> out{};
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        out[static_cast<std::size_t>(stepParts[i].bound)] += totals.parts[i];
    }
    return out;
}

/// Why a change helps, from the two evaluations: the class of time that shrinks most.
void explainGain(const Totals& before, const Totals& after, Suggestion& out) {
    const auto was = byBound(before), is = byBound(after);
    double most = 0;
    for (std::size_t i = 0; i < was.size(); ++i) {
        if (was[i] - is[i] > most) {
            most = was[i] - is[i];
            out.bound = static_cast<Bound>(i);
        }
    }
    const auto at = static_cast<std::size_t>(out.bound);
    static constexpr std::array<std::string_view, allBounds.size()> words{
        "compute",     "HBM traffic",     "launch latency", "NVLink traffic",
        "EFA traffic", "network traffic", "C2C traffic",    "uncovered communication",
        "the bubble",  "the optimizer",   "storage",        "waiting for stragglers"};
    const auto seconds = [](double t) { return formatQuantity(t, Dimension::seconds); };
    out.reason = most > 1e-6 * before.stepTime ? std::string(words[at]) + " falls from " + seconds(was[at]) +
                                                     " to " + seconds(is[at]) + " a step"
                                               : "the same step at a lower price";
}

/// Tries changes against one scenario that runs and fits.
class Adviser {
public:
    struct Outcome {
        double gain = 0; ///< of tokens per dollar, or per second where no price is known
        Suggestion suggestion;
    };

    Adviser(const ScenarioSpec& spec, const Totals& before, const Scenario& scenario, Evaluator& evaluator)
        : spec_(spec)
        , before_(before)
        , scenario_(scenario)
        , evaluator_(evaluator) {}

    /// What an edit brings; nullopt if it does not run, does not fit, has no price to compare, or gains
    /// nothing that is worth a line.
    std::optional<Outcome> tryEdit(const Edit& edit) {
        constexpr double leastGain = 0.01;
        const auto changed = applyEdit(spec_, edit);
        const Totals* after = changed ? evaluator_.runsAndFits(*changed) : nullptr;
        if (!after || (scenario_.hasPrice && !evaluator_.scenario().hasPrice)) {
            return std::nullopt;
        }
        Outcome out;
        out.gain = worth(*after) / worth(before_) - 1;
        if (out.gain < leastGain) {
            return std::nullopt;
        }
        Suggestion& s = out.suggestion;
        s.change = {describeEdit(edit), edit};
        s.stepTime = after->stepTime;
        s.stepTimeDifference = after->stepTime - before_.stepTime;
        s.tokensPerSecond = after->tokensPerSecond;
        s.tokensPerSecondGain = after->tokensPerSecond / before_.tokensPerSecond - 1;
        s.memoryBytes = after->memoryTotal;
        if (scenario_.hasPrice && scenario_.hasTokens) {
            s.dollarsPerRun = after->dollarsPerRun;
            s.dollarsPerRunDifference = after->dollarsPerRun - before_.dollarsPerRun;
        }
        explainGain(before_, *after, s);
        return out;
    }

    /// Without the fields that do not matter.
    void shorten(Suggestion& suggestion) {
        suggestion.change.set = withoutNeedless(spec_, std::move(suggestion.change.set), evaluator_);
        suggestion.change.text = describeEdit(suggestion.change.set);
    }

private:
    double worth(const Totals& t) const {
        return t.tokensPerSecond * t.goodput / (scenario_.hasPrice ? t.dollarsPerHour : 1);
    }

    const ScenarioSpec& spec_;
    const Totals& before_;
    const Scenario& scenario_;
    Evaluator& evaluator_;
};

/// The best change of each kind, best first, no change twice.
std::vector<Suggestion> bestOfEachKind(const std::vector<Candidate>& candidates, Adviser& adviser) {
    std::map<AdviceKind, Adviser::Outcome> best;
    for (const Candidate& candidate : candidates) {
        auto outcome = adviser.tryEdit(candidate.edit);
        const auto known = best.find(candidate.kind);
        if (outcome && (known == best.end() || known->second.gain < outcome->gain)) {
            best[candidate.kind] = std::move(*outcome);
        }
    }
    std::vector<Adviser::Outcome> ordered;
    for (auto& [kind, outcome] : best) {
        ordered.push_back(std::move(outcome));
    }
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.gain > b.gain; });
    std::vector<Suggestion> out;
    for (Adviser::Outcome& outcome : ordered) {
        adviser.shorten(outcome.suggestion);
        const bool known = std::any_of(out.begin(), out.end(), [&](const Suggestion& other) {
            return other.change.set == outcome.suggestion.change.set;
        });
        if (!known) {
            out.push_back(std::move(outcome.suggestion));
        }
    }
    return out;
}

} // namespace

std::vector<Suggestion> suggestWith(Evaluator& evaluator, const ScenarioSpec& spec, std::size_t most) {
    const Totals* found = evaluator.runsAndFits(spec);
    if (!found) {
        return {};
    }
    const auto before = std::make_unique<Totals>(*found);
    const Scenario scenario = evaluator.scenario();
    Adviser adviser(spec, *before, scenario, evaluator);
    std::vector<Candidate> candidates = candidatesFor(spec, scenario, evaluator.catalog());
    if (auto layout = fastestLayout(spec, {spec, scenario}, scenario.model, evaluator, suggestionBudget)) {
        candidates.push_back({AdviceKind::layout, changesOf(spec, *layout)});
    }
    std::vector<Suggestion> out = bestOfEachKind(candidates, adviser);
    if (out.size() >= 2 && out.size() < most) { // room for the two best together
        Edit both = out[0].change.set;
        both.insert(both.end(), out[1].change.set.begin(), out[1].change.set.end());
        if (auto outcome = adviser.tryEdit(both)) {
            out.push_back(std::move(outcome->suggestion));
        }
    }
    out.resize(std::min(out.size(), most));
    return out;
}

std::vector<Suggestion> suggest(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                std::size_t most) {
    if (spec.workload.kind == "serving") {
        ServingEvaluator evaluator(catalog, profile);
        return suggestForService(evaluator, spec, most);
    }
    Evaluator evaluator(catalog, profile);
    return suggestWith(evaluator, spec, most);
}

} // namespace alidade
