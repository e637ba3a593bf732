// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/serving_estimate.h"

#include "model/estimate/assemble_serving.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/played_engine.h"
#include "model/scenario/test_time_plan.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace alidade {

namespace {

std::string text(double value, Dimension dimension) { return formatQuantity(value, dimension); }

void reportMemory(const Scenario& scenario, const ServingTotals& totals, Estimate& out) {
    if (out.fits || !scenario.legal)
        return;
    for (std::size_t i = 0; i < scenario.pools.size(); ++i) {
        const PoolTotalsT<double>& pool = totals.pools[i];
        if (pool.fits)
            continue;
        const double room = std::max(0.0, pool.memory.kvCapacity + pool.memory.kvOffloaded);
        const std::string where = scenario.pools.size() == 1 ? ""
                                  : i == 0                   ? " of the prefill pool"
                                                             : " of the decode pool";
        const std::string what =
            pool.memory.kvCapacity <= 0
                ? "Does not fit: weights take " + text(pool.memory.weights, Dimension::bytes) + " of a GPU" +
                      where + ", activations and the engine " +
                      text(pool.memory.activations + pool.memory.workspace, Dimension::bytes) + ", and " +
                      text(scenario.pools[i].inputs[Input::capacity] - pool.memory.reserve,
                           Dimension::bytes) +
                      " may be used"
                : "Does not fit: one " + sequenceWord(scenario.spec.workload) + " needs " +
                      text(pool.kvInUse, Dimension::bytes) + " of KV cache on a GPU" + where + ", " +
                      text(room, Dimension::bytes) + " are left";
        out.problems.push_back({Severity::error, "/plan", what, {}});
    }
}

/// What is found besides the evaluation itself.
template <class N>
void fillTargets(const Scenario& scenario, const ServingTotals& totals, const EstimateOptions& options,
                 ServingT<N>& out) {
    const ServingTargets targets = servingTargets(scenario);
    if (targets.any()) {
        out.meetsTargets = meets(targets, totals);
        if (options.loadLimit)
            out.requestRateWithinTargets = requestRateWithin(scenario, targets, totals, options.simulate);
    }
}

/// Overload and missed targets.
void reportLoad(const Scenario& scenario, const ServingTotals& totals, Estimate& out) {
    Serving& s = *out.serving;
    const std::string sequences = sequenceWord(scenario.spec.workload) + "s";
    if (!totals.stable) {
        const double asked = scenario.inputs[Input::requestRate];
        const std::string most = text(s.maxRequestRate, Dimension::number);
        // The closed form does not count what a full cache preempts and computes again; the simulation does.
        const std::string why =
            " " + sequences + "/s arrive" +
            (asked < s.maxRequestRate ? "; in the simulation the queue grows without end, though in closed "
                                        "form the plan carries up to " +
                                            most
                                      : ", the plan carries " + most + "; the queue grows without end");
        out.problems.push_back({Severity::error,
                                "/workload/request_rate_per_s",
                                "Overloaded: " + text(asked, Dimension::number) + why,
                                {}});
    }
    if (scenario.inputs[Input::concurrency] > s.maxConcurrency) {
        out.problems.push_back({Severity::warning,
                                "/workload/concurrency",
                                text(scenario.inputs[Input::concurrency], Dimension::number) + " " +
                                    sequences + " are more than the " +
                                    text(s.maxConcurrency, Dimension::number) +
                                    " that memory and the largest batch hold: the rest wait, which the time "
                                    "to the first token contains",
                                {}});
    }
    const ServingTargets targets = servingTargets(scenario);
    if (!targets.any() || !totals.stable)
        return;
    const double ttft = quantileOf(s.ttftPercentiles, targets.percentile);
    const double itl = quantileOf(s.itlPercentiles, targets.percentile);
    const auto missed = [&](const char* what, const char* place, double value, double target) {
        out.problems.push_back({Severity::warning,
                                place,
                                std::string(what) + " is " + text(value, Dimension::seconds) + " at p" +
                                    text(s.targetPercentile, Dimension::number) + ", the target " +
                                    text(target, Dimension::seconds),
                                {}});
    };
    if (s.ttftTarget && ttft > *s.ttftTarget)
        missed("Time to the first token", "/workload/ttft_slo_s", ttft, *s.ttftTarget);
    if (s.itlTarget && itl > *s.itlTarget)
        missed("Time between tokens", "/workload/itl_slo_s", itl, *s.itlTarget);
}

} // namespace

bool canEvaluateServing(const Scenario& scenario) {
    return scenario.modeled && !scenario.pools.empty() &&
           std::ranges::all_of(scenario.pools,
                               [](const ServingPool& pool) { return !pool.plan.kinds.empty(); });
}

namespace {

std::vector<double> evenly(const std::vector<double>& ascending, std::size_t points) {
    std::vector<double> out;
    for (std::size_t i = 0; i < points && !ascending.empty(); ++i) {
        const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(points);
        out.push_back(ascending[static_cast<std::size_t>(at * static_cast<double>(ascending.size()))]);
    }
    return out;
}

std::vector<double> evenly(const std::vector<WeightedSample>& ascending, std::size_t points) {
    double all = 0;
    for (const auto& [value, weight] : ascending)
        all += weight;
    std::vector<double> out;
    double passed = 0;
    for (const auto& [value, weight] : ascending) {
        passed += weight;
        while (out.size() < points &&
               (static_cast<double>(out.size()) + 0.5) / static_cast<double>(points) * all <= passed) {
            out.push_back(value);
        }
    }
    return out;
}

/// \param later s by which first tokens come later than the engine counts
Distribution distributionOf(const SimulationResult& result, double later) {
    constexpr std::size_t points = 200;
    Distribution out;
    out.ttft = evenly(result.ttft, points);
    out.itl = evenly(result.itl, points);
    out.tpot = evenly(result.tpot, points);
    out.e2e = evenly(result.e2e, points);
    for (std::vector<double>* times : {&out.ttft, &out.e2e})
        for (double& seconds : *times)
            seconds += later;
    out.requests = static_cast<std::int64_t>(result.ttft.size());
    out.seed = playedSeed;
    return out;
}

} // namespace

namespace {

/// What an estimate shows of the present load.
struct Shown {
    std::unique_ptr<ServingTotals> totals;
    std::optional<Played> played; ///< where the engine was played for any reason
    bool distrusted = false;      ///< the closed form does not hold
    bool simulated = false;       ///< the totals are of what was played
    bool confirmed = false;       ///< the totals are the closed form's, and what was played agrees with them
};

/// In closed form, or played: where the closed form does not hold, and where it does but the played engine
/// contradicts what it says about the targets.
/// \param always play, for the distribution
Shown shownTotals(const Scenario& scenario, const std::vector<Inputs>& inputs, bool simulate, bool always) {
    Shown out{.totals = std::make_unique<ServingTotals>(), .played = {}};
    evaluateServing<double>(scenario, inputs, *out.totals);
    const PlayedLoad load = presentLoad(scenario);
    const ServingTargets targets = servingTargets(scenario);
    out.distrusted = simulate && wantsPlaying(scenario, *out.totals, load);
    const bool checked = simulate && targets.any();
    if (!canPlay(scenario, *out.totals) || !(out.distrusted || checked || always))
        return out;
    out.played = play(scenario, *out.totals, load);
    if (!out.distrusted && !checked)
        return out;
    auto totals = std::make_unique<ServingTotals>();
    evaluateServing<double>(scenario, inputs, *totals, &out.played->state);
    out.simulated = out.distrusted || contradicts(targets, *out.totals, *totals);
    out.confirmed = !out.simulated;
    if (out.simulated)
        out.totals = std::move(totals);
    return out;
}

} // namespace

bool meetsItsTargets(const Scenario& scenario) {
    if (!scenario.runs() || !canEvaluateServing(scenario))
        return false;
    const Shown shown = shownTotals(scenario, poolInputs(scenario), true, false);
    return shown.totals->fits && meets(servingTargets(scenario), *shown.totals);
}

Estimate servingEstimate(const Scenario& scenario, EstimateOptions options) {
    if (!canEvaluateServing(scenario)) {
        const std::array<Inputs, 1> inputs{scenario.inputs};
        return assembleServing<double>(scenario, inputs, nullptr);
    }
    const std::vector<Inputs> inputs = poolInputs(scenario);
    const Shown shown = shownTotals(scenario, inputs, options.simulate, options.distribution);
    Estimate out = assembleServing<double>(scenario, inputs, shown.totals.get());
    reportMemory(scenario, *shown.totals, out);
    if (out.serving) {
        out.serving->simulated = shown.simulated;
        out.serving->confirmed = shown.confirmed;
        fillTargets(scenario, *shown.totals, options, *out.serving);
        if (options.distribution && shown.played)
            out.serving->distribution = distributionOf(shown.played->result, shown.totals->outsideEngine);
        reportLoad(scenario, *shown.totals, out);
        if (options.loadCurve) {
            const bool all = shown.simulated && !shown.distrusted;
            out.serving->loadCurve = loadCurve(scenario, *shown.totals,
                                               !options.simulate ? CurvePlaying::never
                                               : all             ? CurvePlaying::always
                                                                 : CurvePlaying::whereNeeded);
        }
    }
    return out;
}

EstimateT<Traced> tracedServingEstimate(const Scenario& scenario, Trace& trace) {
    std::vector<InputsT<Traced>> inputs;
    if (!canEvaluateServing(scenario)) {
        inputs.push_back(tracedInputs(trace, scenario.inputs, scenario.origins));
        return assembleServing<Traced>(scenario, inputs, nullptr);
    }
    for (const ServingPool& pool : scenario.pools)
        inputs.push_back(tracedInputs(trace, pool.inputs, pool.origins));
    // The same state as in plain numbers, played or in closed form.
    const Shown shown = shownTotals(scenario, poolInputs(scenario), true, false);
    const auto totals = std::make_unique<ServingTotalsT<Traced>>();
    evaluateServing<Traced>(scenario, inputs, *totals, shown.simulated ? &shown.played->state : nullptr);
    EstimateT<Traced> out = assembleServing<Traced>(scenario, inputs, totals.get());
    if (out.serving) {
        out.serving->simulated = shown.simulated;
        out.serving->confirmed = shown.confirmed;
        fillTargets(scenario, *shown.totals, {}, *out.serving);
    }
    return out;
}

} // namespace alidade
