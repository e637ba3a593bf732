// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/edits.h"
#include "model/cost/capacity_block.h"
#include "model/estimate/engine.h"
#include "model/estimate/evaluate.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade {

namespace {

/// What kind of change it is: of each kind only the best one is suggested.
enum class Kind : std::uint8_t { overlap, precision, recompute, layout, microBatch, purchase, machine };

struct Candidate {
    Kind kind;
    Edit edit;
};

std::vector<Candidate> candidates(const ScenarioSpec& spec, const Scenario& scenario,
                                  const Catalog& catalog) {
    std::vector<Candidate> out;
    const auto add = [&](Kind kind, Edit edit) {
        edit = changesOf(spec, edit);
        if (!edit.empty()) {
            out.push_back({kind, std::move(edit)});
        }
    };
    if (scenario.plan.tensorParallel > 1 && scenario.inputs[Input::overlapTensor] < 0.62) {
        // What tuned stacks reach with user buffers: fitted to published training steps.
        add(Kind::overlap, {{"plan.overlap.tensor", "62 %"}});
    }
    if (scenario.plan.precision != Precision::fp8) {
        add(Kind::precision, {{"plan.precision", "fp8"}});
    }
    for (const char* words : {"none", "norms", "glu", "norms, glu"}) {
        add(Kind::recompute, {{"plan.recompute", words}});
    }
    for (const int n : {1, 2, 4}) {
        add(Kind::microBatch, {{"plan.micro_batch", std::to_string(n)}});
    }
    for (Edit& layout : layoutEdits(static_cast<int>(scenario.inputs[Input::gpus]), scenario.model.layers)) {
        add(Kind::layout, std::move(layout));
    }
    for (const Price& price : catalog.prices) {
        if (price.item == scenario.priceItem && price.current && price.purchase == Purchase::capacityBlock &&
            price.region == scenario.spec.cluster.region &&
            scenario.inputs[Input::paidItems] <= mostCapacityBlockInstances) {
            add(Kind::purchase, {{"cluster.purchase", "capacity_block"}, {"cluster.region", price.region}});
        }
    }
    if (spec.cluster.instance) {
        for (const std::string& id : trainingInstances(catalog)) {
            add(Kind::machine, {{"cluster.instance", id}, {"cluster.region", ""}});
        }
    }
    return out;
}

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

} // namespace

std::vector<Suggestion> suggest(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                std::size_t most) {
    Evaluator evaluator(catalog, profile);
    const Totals* found = evaluator.runsAndFits(spec);
    if (!found) {
        return {};
    }
    const Totals before = *found;
    const Scenario scenario = evaluator.scenario();
    // Tokens per dollar, or per second where the price is not known.
    const auto worth = [](const Totals& t, bool priced) {
        return priced ? t.tokensPerSecond * t.goodput / t.dollarsPerHour : t.tokensPerSecond * t.goodput;
    };
    constexpr double leastGain = 0.005; // smaller gains are noise beside the error of the model
    std::map<Kind, std::pair<double, Suggestion>> best;
    for (const Candidate& candidate : candidates(spec, scenario, catalog)) {
        const auto changed = applyEdit(spec, candidate.edit);
        const Totals* after = changed ? evaluator.runsAndFits(*changed) : nullptr;
        if (!after) {
            continue;
        }
        const bool priced = scenario.hasPrice;
        if (priced && !evaluator.scenario().hasPrice) {
            continue; // not to be compared
        }
        const double gain = worth(*after, priced) / worth(before, priced) - 1;
        const auto known = best.find(candidate.kind);
        if (gain < leastGain || (known != best.end() && known->second.first >= gain)) {
            continue;
        }
        Suggestion out;
        out.change = {describeEdit(candidate.edit), candidate.edit};
        out.stepTime = after->stepTime;
        out.stepTimeDifference = after->stepTime - before.stepTime;
        out.tokensPerSecond = after->tokensPerSecond;
        out.tokensPerSecondGain = after->tokensPerSecond / before.tokensPerSecond - 1;
        out.memoryBytes = after->memoryTotal;
        if (priced && scenario.hasTokens) {
            out.dollarsPerRun = after->dollarsPerRun;
            out.dollarsPerRunDifference = after->dollarsPerRun - before.dollarsPerRun;
        }
        explainGain(before, *after, out);
        best[candidate.kind] = {gain, std::move(out)};
    }
    std::vector<std::pair<double, Suggestion>> ordered;
    for (auto& [kind, entry] : best) {
        ordered.push_back(std::move(entry));
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Suggestion> out;
    for (auto& [gain, suggestion] : ordered) {
        suggestion.change.set = withoutNeedless(spec, std::move(suggestion.change.set), evaluator);
        suggestion.change.text = describeEdit(suggestion.change.set);
        const bool known = std::any_of(out.begin(), out.end(), [&](const Suggestion& other) {
            return other.change.set == suggestion.change.set;
        });
        if (!known && out.size() < most) {
            out.push_back(std::move(suggestion));
        }
    }
    return out;
}

} // namespace alidade
