// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_suggest.h"

#include "model/advice/purchase_edits.h"
#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/advice/suggestion_words.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/serving_estimate.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/test_time_plan.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace alidade {

namespace {

/// Only the best change of each kind is suggested.
enum class Kind : std::uint8_t { plan, formats, layout, pools, machines, instance, purchase };

std::array<double, allBounds.size()> byBound(const Serving& serving) {
    std::array<double, allBounds.size()> out{};
    for (const auto& part : serving.breakdown)
        out.at(static_cast<std::size_t>(part.bound)) += part.seconds;
    return out;
}

PlanFigures figuresOf(const Estimate& e, Bound bound) {
    PlanFigures out;
    out.stepTime = e.serving->stepTime;
    out.boundTime = byBound(*e.serving).at(static_cast<std::size_t>(bound));
    out.requestTime = e.serving->e2e;
    out.maxRequestRate = e.serving->maxRequestRate;
    out.requestsPerSecond = e.serving->requestsPerSecond;
    if (e.cost) {
        out.dollarsPerHour = e.cost->dollarsPerHour;
        out.dollarsPerMillionTokens = e.cost->dollarsPerMillionTokens;
        out.purchase = purchaseOf(*e.cost);
        out.region = e.cost->region;
    }
    return out;
}

ServiceGain gainOf(const Estimate& before, const Estimate& after) {
    const Serving &was = *before.serving, &is = *after.serving;
    ServiceGain gain;
    gain.ttft = quantileOf(is.ttftPercentiles, is.targetPercentile);
    gain.ttftDifference = gain.ttft - quantileOf(was.ttftPercentiles, was.targetPercentile);
    gain.itl = quantileOf(is.itlPercentiles, is.targetPercentile);
    gain.itlDifference = gain.itl - quantileOf(was.itlPercentiles, was.targetPercentile);
    if (before.cost && after.cost) {
        gain.dollarsPerHour = after.cost->dollarsPerHour;
        gain.dollarsPerHourDifference = after.cost->dollarsPerHour - before.cost->dollarsPerHour;
        if (before.cost->dollarsPerMillionOutputTokens && after.cost->dollarsPerMillionOutputTokens) {
            gain.dollarsPerMillionOutputTokens = after.cost->dollarsPerMillionOutputTokens;
            gain.dollarsPerMillionOutputTokensDifference =
                *after.cost->dollarsPerMillionOutputTokens - *before.cost->dollarsPerMillionOutputTokens;
        }
    }
    return gain;
}

/// Fills in the effect of a change from the estimates before and after it.
void describe(const Estimate& before, const Estimate& after, Suggestion& s) {
    const Serving &was = *before.serving, &is = *after.serving;
    s.stepTime = is.stepTime;
    s.stepTimeDifference = is.stepTime - was.stepTime;
    s.tokensPerSecond = is.outputTokensPerSecond;
    s.tokensPerSecondGain = is.outputTokensPerSecond / was.outputTokensPerSecond - 1;
    s.memoryBytes = after.memory ? after.memory->totalBytes : 0;
    const auto old = byBound(was), now = byBound(is);
    std::size_t most = 0;
    for (std::size_t i = 1; i < old.size(); ++i)
        if (old[i] - now[i] > old[most] - now[most])
            most = i;
    s.bound = static_cast<Bound>(most);
    s.service = gainOf(before, after);
    s.before = figuresOf(before, s.bound);
    s.after = figuresOf(after, s.bound);
    s.reason = suggestionReason(s, sequenceWord(after.scenario.workload));
}

/// Tries changes on a service that carries its load.
class ServiceAdviser {
public:
    struct Outcome {
        double gain = 0;   ///< in tokens per dollar, or per GPU where no price is known
        double sooner = 0; ///< request time before / after - 1
        Suggestion suggestion;
        bool operator<(const Outcome& other) const {
            return gain != other.gain ? gain > other.gain : sooner > other.sooner;
        }
    };

    ServiceAdviser(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator)
        : spec_(spec)
        , level_(level)
        , evaluator_(evaluator)
        , scenario_(evaluator.scenario())
        , cost_(evaluator.cost())
        , mostLoad_(std::max(mostAdvisedLoad, evaluator.load())) {}

    /// The effect of an edit; nullopt if it reaches a lower level, has no comparable price, or gains too
    /// little to mention.
    std::optional<Outcome> tryEdit(const Edit& edit) {
        constexpr double leastGain = 0.01, leastSooner = 0.02;
        const auto changed = applyEdit(spec_, edit);
        if (edit.empty() || !changed || evaluator_.tryOut(*changed) < level_ ||
            evaluator_.load() > mostLoad_ || evaluator_.scenario().hasPrice != scenario_.hasPrice) {
            return std::nullopt;
        }
        const ServiceCost cost = evaluator_.cost();
        Outcome out{.gain = cost_.perToken / cost.perToken - 1,
                    .sooner = cost_.time / cost.time - 1,
                    .suggestion = {}};
        if (std::abs(out.gain) < leastGain)
            out.gain = 0;
        if (out.gain < 0 || (out.gain == 0 && out.sooner < leastSooner))
            return std::nullopt;
        out.suggestion.change = {describeEdit(edit), edit};
        return out;
    }

    /// Drops the fields that do not matter.
    void shorten(Suggestion& suggestion) {
        suggestion.change.set = withoutNeedless(spec_, std::move(suggestion.change.set), evaluator_);
        suggestion.change.text = describeEdit(suggestion.change.set);
    }

    /// Fills in the figures from the full estimates of both scenarios, which may simulate the engine.
    /// \return whether the change delivers: targets that are met now are still met, and it saves money, or
    /// time at the same cost
    bool confirm(Suggestion& s) {
        const Estimate after = estimateOf(*applyEdit(spec_, s.change.set));
        const Estimate& before = presentEstimate();
        if (!before.serving || !after.serving || !std::isfinite(after.serving->e2e))
            return false;
        const bool bound = level_ == ServiceLevel::meets || before.serving->meetsTargets == true;
        if (bound && after.serving->meetsTargets == false)
            return false;
        describe(before, after, s);
        constexpr double slack = 0.01;
        const double was = billPerToken(before), is = billPerToken(after);
        return is <= was * (1 + slack) &&
               (is < was * (1 - slack) || after.serving->e2e < before.serving->e2e * (1 - slack));
    }

    const Scenario& scenario() const { return scenario_; }
    ServiceLevel level() const { return level_; }

private:
    Estimate estimateOf(const ScenarioSpec& spec) const {
        return servingEstimate(*resolve(spec, evaluator_.catalog(), evaluator_.profile()),
                               {.loadLimit = false});
    }
    const Estimate& presentEstimate() {
        if (!present_)
            present_ = std::make_unique<Estimate>(estimateOf(spec_));
        return *present_;
    }
    /// Dollars, or GPUs where no price is known, per token and second.
    static double billPerToken(const Estimate& e) {
        const double tokens = e.serving->inputTokensPerSecond + e.serving->outputTokensPerSecond;
        return (e.cost ? e.cost->dollarsPerHour : static_cast<double>(e.gpus)) / tokens;
    }

    const ScenarioSpec& spec_;
    ServiceLevel level_;
    ServingEvaluator& evaluator_;
    Scenario scenario_;
    ServiceCost cost_;
    std::unique_ptr<Estimate> present_;
    double mostLoad_;
};

/// True where a load or targets say how few machines are enough. Users who wait for their answers take what
/// they get: there the number of machines stays.
bool loadSaysHowMany(const ScenarioSpec& spec) {
    return spec.workload.requestRatePerS.has_value() || hasTargets(spec);
}

/// Collects the best change of each kind.
class Advice {
public:
    Advice(const ScenarioSpec& spec, ServiceAdviser& adviser, ServingEvaluator& evaluator)
        : spec_(spec)
        , adviser_(adviser)
        , evaluator_(evaluator) {}

    void add(Kind kind, const Edit& edit) {
        auto outcome = adviser_.tryEdit(edit);
        const auto known = best_.find(kind);
        if (outcome && (known == best_.end() || *outcome < known->second))
            best_[kind] = std::move(*outcome);
    }

    /// The change with the fewest machines that carry the given load: turns the gain into lower cost.
    void addOnFewerMachines(Kind kind, const Edit& edit) {
        add(kind, edit);
        const auto changed = applyEdit(spec_, edit);
        const std::int64_t now = machineCount(spec_);
        if (!changed || now < 2 || !loadSaysHowMany(spec_))
            return;
        if (const auto count = fewestMachines(*changed, adviser_.level(), now - 1, evaluator_)) {
            Edit fewer = edit;
            const Edit machines = machineCountEdit(*changed, *count);
            fewer.insert(fewer.end(), machines.begin(), machines.end());
            add(kind, changesOf(spec_, fewer));
        }
    }

    std::vector<Suggestion> take(std::size_t most) {
        std::vector<ServiceAdviser::Outcome> ordered;
        for (auto& [kind, outcome] : best_)
            ordered.push_back(std::move(outcome));
        std::sort(ordered.begin(), ordered.end());
        std::vector<Suggestion> out;
        for (ServiceAdviser::Outcome& outcome : ordered) {
            adviser_.shorten(outcome.suggestion);
            const bool known = std::ranges::any_of(out, [&](const Suggestion& other) {
                return other.change.set == outcome.suggestion.change.set;
            });
            if (!known && out.size() < most && adviser_.confirm(outcome.suggestion))
                out.push_back(std::move(outcome.suggestion));
        }
        return out;
    }

private:
    const ScenarioSpec& spec_;
    ServiceAdviser& adviser_;
    ServingEvaluator& evaluator_;
    std::map<Kind, ServiceAdviser::Outcome> best_;
};

/// Other instance types, in the number that the load needs, or that there is, each with the current layout.
void addInstances(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator, Advice& advice) {
    if (!spec.cluster.instance || !evaluator.scenario().hasPrice)
        return;
    for (const std::string& id : servingInstances(evaluator.catalog())) {
        Edit machine{{"cluster.instance", id}, {"cluster.region", ""}, {"cluster.gpus", ""}};
        std::ranges::copy(withoutStatedPrice(spec), std::back_inserter(machine));
        const auto changed = id == spec.cluster.instance ? std::nullopt : applyEdit(spec, machine);
        if (!changed)
            continue;
        const std::optional<std::int64_t> count =
            loadSaysHowMany(spec) ? fewestMachines(*changed, level, 4 * machineCount(spec), evaluator)
                                  : machineCount(spec);
        if (count) {
            Edit edit = machine;
            const Edit counted = machineCountEdit(*changed, *count);
            edit.insert(edit.end(), counted.begin(), counted.end());
            advice.add(Kind::instance, changesOf(spec, edit));
        }
    }
}

void addPurchase(const ScenarioSpec& spec, const Scenario& scenario, const Catalog& catalog, Advice& advice) {
    for (const Edit& edit : purchaseEdits(spec, scenario, catalog))
        advice.add(Kind::purchase, changesOf(spec, edit));
}

} // namespace

std::vector<Suggestion> suggestForService(ServingEvaluator& evaluator, const ScenarioSpec& spec,
                                          std::size_t most) {
    const ServiceLevel level = evaluator.tryOut(spec);
    if (level < ServiceLevel::carries)
        return {};
    ServiceAdviser adviser(spec, level, evaluator);
    Advice advice(spec, adviser, evaluator);
    const Scenario& scenario = adviser.scenario();
    const Catalog& catalog = evaluator.catalog();
    addPurchase(spec, scenario, catalog, advice);
    if (scenario.pools.size() > 1) {
        for (const Edit& edit : poolEdits(spec, scenario))
            advice.add(Kind::pools, edit);
        return advice.take(most);
    }
    advice.addOnFewerMachines(Kind::machines, {});
    addInstances(spec, level, evaluator, advice);
    for (const Edit& edit : servingPlanEdits(spec, scenario))
        advice.add(Kind::plan, edit);
    for (const Edit& edit : narrowerFormats(spec, scenario, catalog))
        advice.addOnFewerMachines(Kind::formats, edit);
    if (const auto plain = plainService(spec, catalog, evaluator.profile()))
        for (const ServingLayout& layout : servingLayouts(*plain))
            advice.addOnFewerMachines(Kind::layout, changesOf(spec, editOf(layout, *plain)));
    return advice.take(most);
}

} // namespace alidade
