// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/serving_suggest.h"

#include "model/advice/serving_machines.h"
#include "model/advice/serving_plans.h"
#include "model/cost/capacity_block.h"
#include "model/estimate/load_curve.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <map>

namespace alidade {

namespace {

/// Of each kind only the best change is suggested.
enum class Kind : std::uint8_t { plan, formats, layout, pools, machines, instance, purchase };

std::array<double, allBounds.size()> byBound(const ServingTotals& totals) {
    std::array<double, allBounds.size()> out{};
    for (std::size_t i = 0; i < stepParts.size(); ++i) {
        out[static_cast<std::size_t>(stepParts[i].bound)] += totals.decoding().decode.parts[i];
    }
    return out;
}

/// Tries changes against one service that carries its load.
class ServiceAdviser {
public:
    struct Outcome {
        double gain = 0;   ///< of tokens per dollar, or per GPU where no price is known
        double sooner = 0; ///< before / after of the time of a request - 1
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
        , before_(std::make_unique<ServingTotals>(evaluator.totals()))
        , cost_(evaluator.cost())
        , mostLoad_(std::max(mostAdvisedLoad, evaluator.load())) {}

    /// What an edit brings; nullopt if it gets less far, has no price to compare, or brings nothing that is
    /// worth a line.
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
        if (std::abs(out.gain) < leastGain) {
            out.gain = 0;
        }
        if (out.gain < 0 || (out.gain == 0 && out.sooner < leastSooner)) {
            return std::nullopt;
        }
        describe(edit, evaluator_.totals(), cost, out.suggestion);
        return out;
    }

    /// Without the fields that do not matter.
    void shorten(Suggestion& suggestion) {
        suggestion.change.set = withoutNeedless(spec_, std::move(suggestion.change.set), evaluator_);
        suggestion.change.text = describeEdit(suggestion.change.set);
    }

    /// Whether the estimate of the changed scenario keeps its targets too, where that is asked for.
    bool isConfirmed(const Suggestion& suggestion) {
        return level_ < ServiceLevel::meets ||
               evaluator_.estimateAgrees(*applyEdit(spec_, suggestion.change.set));
    }

    const Scenario& scenario() const { return scenario_; }
    ServiceLevel level() const { return level_; }

private:
    void describe(const Edit& edit, const ServingTotals& after, const ServiceCost& cost,
                  Suggestion& s) const {
        s.change = {describeEdit(edit), edit};
        s.stepTime = after.decoding().decode.seconds;
        s.stepTimeDifference = s.stepTime - before_->decoding().decode.seconds;
        s.tokensPerSecond = after.outputTokensPerSecond;
        s.tokensPerSecondGain = after.outputTokensPerSecond / before_->outputTokensPerSecond - 1;
        s.memoryBytes = after.decoding().memoryTotal;
        const double percentile = spec_.workload.sloPercentile.value_or(90);
        ServiceGain gain;
        gain.ttft = quantileOf(after.ttftPercentiles, percentile);
        gain.ttftDifference = gain.ttft - quantileOf(before_->ttftPercentiles, percentile);
        gain.itl = quantileOf(after.itlPercentiles, percentile);
        gain.itlDifference = gain.itl - quantileOf(before_->itlPercentiles, percentile);
        if (scenario_.hasPrice) {
            gain.dollarsPerHour = after.dollarsPerHour;
            gain.dollarsPerHourDifference = after.dollarsPerHour - before_->dollarsPerHour;
            gain.dollarsPerMillionOutputTokens = after.dollarsPerMillionOutputTokens;
            gain.dollarsPerMillionOutputTokensDifference =
                after.dollarsPerMillionOutputTokens - before_->dollarsPerMillionOutputTokens;
        }
        s.service = gain;
        s.reason = reasonOf(after, cost, s);
    }

    /// Why it helps: the smaller bill, the class of time that shrinks most, or what carries more.
    std::string reasonOf(const ServingTotals& after, const ServiceCost& cost, Suggestion& s) const {
        static constexpr std::array<std::string_view, allBounds.size()> words{
            "compute",     "HBM traffic",     "launch latency", "NVLink traffic",
            "EFA traffic", "network traffic", "C2C traffic",    "uncovered communication",
            "the bubble",  "the optimizer",   "storage",        "waiting for stragglers"};
        const auto was = byBound(*before_), is = byBound(after);
        std::size_t most = 0;
        for (std::size_t i = 1; i < was.size(); ++i) {
            if (was[i] - is[i] > was[most] - is[most]) {
                most = i;
            }
        }
        s.bound = static_cast<Bound>(most);
        const auto seconds = [](double t) { return formatQuantity(t, Dimension::seconds); };
        const auto number = [](double n) { return formatQuantity(n, Dimension::number); };
        if (cost.bill < cost_.bill * (1 - 1e-9)) {
            const double load = after.requestsPerSecond / after.maxRequestRate;
            return "the same requests for less rent, at " +
                   formatQuantity(load, Dimension::ratio, {.significant = 2}) +
                   " of the most that it carries";
        }
        if (was[most] - is[most] > 1e-3 * before_->decoding().decode.seconds) {
            return std::string(words[most]) + " of a decode step falls from " + seconds(was[most]) + " to " +
                   seconds(is[most]);
        }
        if (after.maxRequestRate > before_->maxRequestRate * 1.001) {
            return "it carries up to " + number(after.maxRequestRate) + " instead of " +
                   number(before_->maxRequestRate) + " requests/s";
        }
        return "requests wait less";
    }

    const ScenarioSpec& spec_;
    ServiceLevel level_;
    ServingEvaluator& evaluator_;
    Scenario scenario_;
    std::unique_ptr<ServingTotals> before_;
    ServiceCost cost_;
    double mostLoad_;
};

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
        if (outcome && (known == best_.end() || *outcome < known->second)) {
            best_[kind] = std::move(*outcome);
        }
    }

    /// The change on the fewest machines that it needs, where the load is given: what it saves becomes rent.
    void addOnFewerMachines(Kind kind, const Edit& edit) {
        add(kind, edit);
        const auto changed = applyEdit(spec_, edit);
        const std::int64_t now = machineCount(spec_);
        if (!changed || now < 2 || (!spec_.workload.requestRatePerS && !hasTargets(spec_))) {
            return;
        }
        if (const auto count = fewestMachines(*changed, adviser_.level(), now - 1, evaluator_)) {
            Edit fewer = edit;
            const Edit machines = machineCountEdit(*changed, *count);
            fewer.insert(fewer.end(), machines.begin(), machines.end());
            add(kind, changesOf(spec_, fewer));
        }
    }

    std::vector<Suggestion> take(std::size_t most) {
        std::vector<ServiceAdviser::Outcome> ordered;
        for (auto& [kind, outcome] : best_) {
            ordered.push_back(std::move(outcome));
        }
        std::sort(ordered.begin(), ordered.end());
        std::vector<Suggestion> out;
        for (ServiceAdviser::Outcome& outcome : ordered) {
            adviser_.shorten(outcome.suggestion);
            const bool known = std::ranges::any_of(out, [&](const Suggestion& other) {
                return other.change.set == outcome.suggestion.change.set;
            });
            if (!known && out.size() < most && adviser_.isConfirmed(outcome.suggestion)) {
                out.push_back(std::move(outcome.suggestion));
            }
        }
        return out;
    }

private:
    const ScenarioSpec& spec_;
    ServiceAdviser& adviser_;
    ServingEvaluator& evaluator_;
    std::map<Kind, ServiceAdviser::Outcome> best_;
};

/// Other instance types, as many as the load needs, each with the present layout.
void addInstances(const ScenarioSpec& spec, ServiceLevel level, ServingEvaluator& evaluator, Advice& advice) {
    if (!spec.cluster.instance || !evaluator.scenario().hasPrice) {
        return;
    }
    for (const std::string& id : servingInstances(evaluator.catalog())) {
        const Edit machine{{"cluster.instance", id}, {"cluster.region", ""}, {"cluster.gpus", ""}};
        const auto changed = id == spec.cluster.instance ? std::nullopt : applyEdit(spec, machine);
        const auto count =
            changed ? fewestMachines(*changed, level, 4 * machineCount(spec), evaluator) : std::nullopt;
        if (count) {
            Edit edit = machine;
            const Edit counted = machineCountEdit(*changed, *count);
            edit.insert(edit.end(), counted.begin(), counted.end());
            advice.add(Kind::instance, changesOf(spec, edit));
        }
    }
}

void addPurchase(const ScenarioSpec& spec, const Scenario& scenario, const Catalog& catalog, Advice& advice) {
    for (const Price& price : catalog.prices) {
        if (price.item == scenario.priceItem && price.current && price.purchase == Purchase::capacityBlock &&
            price.region == scenario.spec.cluster.region &&
            scenario.inputs[Input::paidItems] <= mostCapacityBlockInstances) {
            advice.add(Kind::purchase, changesOf(spec, {{"cluster.purchase", "capacity_block"},
                                                        {"cluster.region", price.region}}));
        }
    }
}

} // namespace

std::vector<Suggestion> suggestForService(ServingEvaluator& evaluator, const ScenarioSpec& spec,
                                          std::size_t most) {
    const ServiceLevel level = evaluator.tryOut(spec);
    if (level < ServiceLevel::carries) {
        return {};
    }
    ServiceAdviser adviser(spec, level, evaluator);
    Advice advice(spec, adviser, evaluator);
    const Scenario& scenario = adviser.scenario();
    const Catalog& catalog = evaluator.catalog();
    addPurchase(spec, scenario, catalog, advice);
    if (scenario.pools.size() > 1) {
        for (const Edit& edit : poolEdits(spec, scenario)) {
            advice.add(Kind::pools, edit);
        }
        return advice.take(most);
    }
    advice.addOnFewerMachines(Kind::machines, {});
    addInstances(spec, level, evaluator, advice);
    for (const Edit& edit : servingPlanEdits(spec, scenario)) {
        advice.add(Kind::plan, edit);
    }
    for (const Edit& edit : narrowerFormats(spec, scenario, catalog)) {
        advice.addOnFewerMachines(Kind::formats, edit);
    }
    if (const auto plain = plainService(spec, catalog, evaluator.profile())) {
        for (const ServingLayout& layout : servingLayouts(*plain)) {
            advice.addOnFewerMachines(Kind::layout, changesOf(spec, editOf(layout, *plain)));
        }
    }
    return advice.take(most);
}

} // namespace alidade
