// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/load_curve.h"

#include "model/estimate/evaluate_serving.h"
#include "model/estimate/played_engine.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

constexpr int curvePoints = 32;
constexpr double nearlyFull = 0.985; ///< of the largest rate: beyond it, latencies have no meaning

bool isClosedLoop(const Scenario& scenario) { return scenario.inputs[Input::concurrency] > 0; }

/// The most that a curve goes to: requests/s, or requests in flight.
double largestLoad(const Scenario& scenario, const ServingTotals& now) {
    if (!isClosedLoop(scenario)) {
        return nearlyFull * now.maxRequestRate;
    }
    constexpr double beyond = 1.25; // how the queue begins is of interest too
    return std::max(beyond * std::min(now.maxConcurrency, 1e6), scenario.inputs[Input::concurrency]);
}

bool within(const ServingTargets& targets, double ttft, double itl) {
    return (!targets.ttft || ttft <= *targets.ttft) && (!targets.itl || itl <= *targets.itl);
}

void evaluateAt(const Scenario& scenario, double load, ServingTotals& out) {
    const bool closed = isClosedLoop(scenario);
    evaluateServingAt(scenario, closed ? 0 : load, closed ? load : 0, out);
}

} // namespace

ServingTargets servingTargets(const Scenario& scenario) {
    const WorkloadSpec& w = scenario.spec.workload;
    ServingTargets out{.ttft = w.ttftSloS, .itl = w.itlSloS, .percentile = w.sloPercentile.value_or(90)};
    if (!makesTokens(w)) {
        out.itl.reset();
    }
    if (!takesPrompts(w)) {
        out.ttft.reset();
    }
    return out;
}

double quantileOf(const Percentiles& p, double percentile) {
    struct Known {
        double at, value;
    };
    const Known known[] = {{50, p.p50}, {90, p.p90}, {95, p.p95}, {99, p.p99}};
    const auto depth = [](double at) { return -std::log(1 - at / 100); };
    if (percentile <= known[0].at) {
        return p.p50;
    }
    const Known* above = std::find_if(std::begin(known), std::end(known) - 1,
                                      [&](const Known& k) { return k.at >= percentile; });
    const Known* below = above - 1;
    const double share = (depth(percentile) - depth(below->at)) / (depth(above->at) - depth(below->at));
    return below->value + share * (above->value - below->value);
}

bool meets(const ServingTargets& targets, const ServingTotals& totals) {
    return totals.stable && within(targets, quantileOf(totals.ttftPercentiles, targets.percentile),
                                   quantileOf(totals.itlPercentiles, targets.percentile));
}

std::vector<LoadPoint> loadCurve(const Scenario& scenario, const ServingTotals& present, bool simulate) {
    const ServingTargets targets = servingTargets(scenario);
    const double most = largestLoad(scenario, present);
    std::vector<LoadPoint> out;
    if (!(most > 0) || !std::isfinite(most)) {
        return out;
    }
    const auto totals = std::make_unique<ServingTotals>();
    const bool closed = isClosedLoop(scenario);
    for (int i = 1; i <= curvePoints; ++i) {
        // Rates evenly; concurrencies by equal factors, from one request on.
        const double share = static_cast<double>(i) / curvePoints;
        const double load =
            closed ? std::pow(std::max(most, 1.0), (i - 1.0) / (curvePoints - 1)) : most * share;
        evaluateAt(scenario, load, *totals);
        if (!totals->stable) {
            continue;
        }
        const PlayedLoad played{closed ? 0 : load, closed ? load : 0};
        if (simulate && wantsPlaying(scenario, *totals, played)) {
            const ServingState state = play(scenario, *totals, played).state;
            evaluateServingAt(scenario, played.requestsPerSecond, played.concurrency, *totals,
                              ServingDetail::percentiles, &state);
        }
        // More load never lowers a latency: a request finds what it would find with less, and others besides.
        // What comes out lower than at a smaller load, does so by the closed form's error or the sample's.
        const LoadPoint before = out.empty() ? LoadPoint{} : out.back();
        out.push_back(
            {.requestsPerSecond = totals->requestsPerSecond,
             .concurrency = totals->concurrency,
             .outputTokensPerSecond = totals->outputTokensPerSecond,
             .utilization = totals->pools[static_cast<std::size_t>(totals->limitingPool)].utilization,
             .ttft = std::max(before.ttft, totals->ttft),
             .itl = std::max(before.itl, totals->itl),
             .ttftPercentile =
                 std::max(before.ttftPercentile, quantileOf(totals->ttftPercentiles, targets.percentile)),
             .itlPercentile =
                 std::max(before.itlPercentile, quantileOf(totals->itlPercentiles, targets.percentile)),
             .dollarsPerMillionOutputTokens = totals->dollarsPerMillionOutputTokens});
        LoadPoint& now = out.back();
        now.meetsTargets = within(targets, now.ttftPercentile, now.itlPercentile);
    }
    return out;
}

double requestRateWithin(const Scenario& scenario, const ServingTargets& targets, const ServingTotals& now) {
    const auto totals = std::make_unique<ServingTotals>();
    double low = 0, high = largestLoad(scenario, now), rate = 0;
    const auto good = [&](double load) {
        evaluateAt(scenario, load, *totals);
        const bool met = meets(targets, *totals);
        rate = met ? totals->requestsPerSecond : rate;
        return met;
    };
    if (!(high > 0) || !std::isfinite(high) || good(high)) {
        return rate;
    }
    constexpr int halvings = 18;
    for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        (good(middle) ? low : high) = middle;
    }
    return rate;
}

} // namespace alidade
