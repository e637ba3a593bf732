// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/assemble_order.h"
#include "model/estimate/assemble_serving.h"
#include "model/estimate/load_curve.h"
#include "model/estimate/options.h"
#include "model/estimate/played_engine.h"
#include "model/estimate/serving_estimate.h"
#include "tests/model/service_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace tst_service_estimate {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(std::abs(a), std::abs(b)); }

Estimate assembled(ServiceRig& rig) {
    const std::vector<Inputs> pools = poolInputs(rig.scenario);
    return assembleServing<double>(rig.scenario, std::span<const Inputs>(pools), &rig.evaluated());
}

EstimateOptions closedForm() { return {.simulate = false, .loadLimit = false}; }

bool says(const Estimate& e, Severity severity, std::string_view place, std::string_view text) {
    return std::ranges::any_of(e.problems, [&](const Problem& p) {
        return p.severity == severity && p.place == place && p.message == text;
    });
}

} // namespace

/// What the estimate of a service says, and its curve over the load.
class TestServiceEstimate : public QObject {
    Q_OBJECT

private slots:
    /// With a given rate the headline is the time of a token, 5 % uncertain; in a closed loop it is the
    /// throughput, 8 %; of a prefill side its input.
    void headline() {
        ServiceRig rig;
        rig.in()[Input::servingTimeLogSd] = 0.05;
        rig.in()[Input::servingTimeLogSdMoe] = 0.06;
        rig.in()[Input::servingThroughputLogSd] = 0.08;
        rig.scenario.inputs = rig.in();
        const Estimate open = assembled(rig);
        QCOMPARE(open.headline->unit, std::string("s"));
        QCOMPARE(open.headline->name, std::string("Time per output token"));
        QVERIFY(near(open.headline->value, 0.062)); // 0.052 s between tokens, and 0.01
        QVERIFY(near(open.headline->high, 0.062 * std::exp(quantile90 * 0.05)));
        QVERIFY(open.headline->bottleneck == Bound::latency); // a step is 0.01 s of the engine's own
        QVERIFY(near(open.headline->bottleneckShare, 1));
        rig.scenario.model.moe.emplace();
        rig.scenario.model.moe->routedExperts = 16;
        rig.scenario.model.moe->expertsPerToken = 2;
        QVERIFY(near(assembled(rig).headline->high, 0.062 * std::exp(quantile90 * 0.06)));
        rig.in()[Input::concurrency] = 5;
        rig.in()[Input::requestRate] = 0;
        rig.scenario.inputs = rig.in();
        const Estimate closed = assembled(rig);
        QCOMPARE(closed.headline->name, std::string("Output throughput"));
        QCOMPARE(closed.headline->value, closed.serving->outputTokensPerSecond);
        QVERIFY(near(closed.headline->high / closed.headline->value, std::exp(quantile90 * 0.08)));
        rig.plan().phase = ServingPhase::prefill;
        rig.scenario.spec.workload.phase = "prefill";
        const Estimate prefill = assembled(rig);
        QCOMPARE(prefill.headline->name, std::string("Input throughput"));
        QCOMPARE(prefill.headline->value, prefill.serving->inputTokensPerSecond);
        QCOMPARE(prefill.headline->unit, std::string("tokens/s"));
        QVERIFY(!prefill.serving->expertLoad && prefill.serving->layers.empty());
        QCOMPARE(prefill.serving->prefillLayers.size(), std::size_t{2});
    }

    /// 2 sequences with 1 + 3 tokens in a step: 8 x 2 routed to 4 ranks, 4 experts on each of them.
    void poolsAndExperts() {
        ServiceRig rig;
        rig.scenario.model.moe.emplace();
        rig.scenario.model.moe->routedExperts = 16;
        rig.scenario.model.moe->expertsPerToken = 2;
        rig.in()[Input::draftTokens] = 3;
        rig.in()[Input::acceptance] = 0.5;
        const Estimate e = assembled(rig);
        const ExpertLoad& load = *e.serving->expertLoad;
        QCOMPARE(load.expertsPerRank, 4);
        QCOMPARE(load.tokensPerRank, 4.0);
        QCOMPARE(load.tokensPerExpert, 1.0);
        QCOMPARE(load.paddedTokensPerExpert, 1.0);
        QCOMPARE(e.gpus, 4);
        const Pool& pool = e.serving->pools[0];
        QCOMPARE(pool.name, std::string("engine"));
        QCOMPARE(pool.gpus, 4);
        QCOMPARE(pool.dollarsPerHour.value(), 24.0);
        QCOMPARE(pool.stepTime, rig.totals->pools[0].decode.seconds);
        QCOMPARE(e.serving->layers.size(), std::size_t{3}); // with a draft
        QCOMPARE(e.serving->layers[0].count, 2);
        QCOMPARE(e.serving->layers[1].count, 3);
        // 1 + 1/2 + 1/4 + 1/8 tokens of a step share its time.
        QVERIFY(near(rig.totals->itl, 0.05 + 0.02 / 10));
        QVERIFY(near(e.serving->tokensPerSecondPerUser, 1 / 0.062));
    }

    /// Activations of 51,200 bytes and 1,000 of the engine are within 30 %.
    void memoryOfAPool() {
        ServiceRig rig;
        const Estimate e = assembled(rig);
        QCOMPARE(e.memory->totalBytes, 82'200 + 2.5 * 105.5 * 256);
        QVERIFY(near(e.memory->highBytes - e.memory->totalBytes, 0.3 * 52'200));
        QVERIFY(near(e.memory->totalBytes - e.memory->lowBytes, 0.3 * 52'200));
        QCOMPARE(e.memory->parts[0].bytes, 30'000.0);
        QCOMPARE(e.memory->reserveBytes, 20'000.0);
        // Of two pools the fuller one is shown.
        ServiceRig apart;
        apart.splitPools();
        apart.in(0)[Input::networkBandwidth] = apart.in(1)[Input::networkBandwidth] = 1e9;
        apart.in(0)[Input::servingTransferEfficiency] = apart.in(1)[Input::servingTransferEfficiency] = 1;
        apart.states[1].inFlight = 3;
        const Estimate two = assembled(apart);
        QCOMPARE(two.memory->totalBytes, two.serving->pools[1].memory.totalBytes);
        QVERIFY(two.serving->pools[0].memory.totalBytes < two.memory->totalBytes);
        apart.states[0].inFlight = 3.5;
        const Estimate other = assembled(apart);
        QCOMPARE(other.memory->totalBytes, other.serving->pools[0].memory.totalBytes);
        QCOMPARE(other.gpus, 8);
        QCOMPARE(other.serving->pools[0].name, std::string("prefill"));
        QCOMPARE(other.serving->pools[1].name, std::string("decode"));
        QCOMPARE(other.serving->pools[0].stepTime, apart.totals->pools[0].prefill.seconds);
    }

    /// Both pools on the machines of the cluster are one line; on their own machines, two.
    void costOfPools() {
        ServiceRig rig;
        const Cost one = *assembled(rig).cost;
        QCOMPARE(one.lines.size(), std::size_t{1});
        QCOMPARE(one.lines[0].quantity, 3.0);
        QCOMPARE(one.lines[0].name, std::string("machines"));
        QVERIFY(near(one.dollarsPerMillionTokens.value(), 24 / (3600 * 666e-6)));
        QVERIFY(one.dollarsPerMillionInputTokens && one.dollarsPerMillionOutputTokens);
        QCOMPARE(one.order->lines[0].amount, Cents{24 * 730 * 100});
        rig.scenario.spec.order.days = 10;
        QCOMPARE(assembled(rig).cost->order->lines[0].amount, Cents{24 * 240 * 100});
        rig.splitPools();
        rig.in(1)[Input::paidItems] = 5;
        rig.in(1)[Input::price] = 10;
        rig.in(0)[Input::networkBandwidth] = rig.in(1)[Input::networkBandwidth] = 1e9;
        rig.in(0)[Input::servingTransferEfficiency] = rig.in(1)[Input::servingTransferEfficiency] = 1;
        QCOMPARE(assembled(rig).cost->lines[0].quantity, 8.0);
        QCOMPARE(assembled(rig).cost->order->lines[0].quantity, Thousandths{8 * 240'000});
        rig.scenario.spec.plan.disaggregated.decode.instance = "other";
        rig.scenario.pools[1].instance = "other";
        const Cost two = *assembled(rig).cost;
        QCOMPARE(two.lines.size(), std::size_t{2});
        QCOMPARE(two.lines[1].name, std::string("Decode on other"));
        QCOMPARE(two.lines[1].quantity, 5.0);
        QCOMPARE(two.lines[1].dollars, 50.0);
        QCOMPARE(two.order->lines.size(), std::size_t{2});
        rig.states[1].stable = false;
        const Estimate unstable = assembled(rig);
        QVERIFY(!unstable.cost->dollarsPerMillionTokens && !unstable.cost->dollarsPerMillionInputTokens);
        rig.scenario.hasPrice = false;
        QVERIFY(!assembled(rig).cost);
    }

    /// 400 W are 292 kWh a month, at $0.25; on machines whose price includes energy and on a custom one.
    void energyInTheOrder() {
        ServiceRig rig;
        Inputs& in = rig.in();
        in[Input::reportingPeak] = 1e30;
        in[Input::gpuPower] = 100;
        in[Input::idlePower] = 1; // all it ever draws
        in[Input::pue] = 1;
        rig.scenario.spec.order.energyPrice = 0.25;
        const Estimate e = assembled(rig);
        QVERIFY(near(e.serving->energy->watts, 400));
        const Order& order = *e.cost->order;
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(order.lines[1].quantity, Thousandths{292'000}); // 0.4 kW x 730 h
        QCOMPARE(order.lines[1].amount, Cents{7300});
        const auto remarked = [](const Order& of) {
            return std::ranges::any_of(of.remarks,
                                       [](const std::string& s) { return s.starts_with("AWS prices"); });
        };
        QVERIFY(remarked(order));
        rig.scenario.spec.cluster.purchase = "custom";
        QVERIFY(!remarked(*assembled(rig).cost->order));
        rig.scenario.spec.cluster.purchase.reset();
        rig.scenario.spec.order.energyPrice.reset();
        QVERIFY(!remarked(*assembled(rig).cost->order));
        QCOMPARE(assembled(rig).cost->order->lines.size(), std::size_t{1});
    }

    /// A service pays for 2 GiB to the internet each month at $0.50, as 2 GB.
    void transferInTheOrder() {
        ServiceRig rig;
        rig.scenario.spec.order.transferOutBytes = 2.0 * (1 << 30);
        QCOMPARE(assembled(rig).cost->order->lines.size(), std::size_t{1}); // no price is known
        rig.scenario.transfer.emplace_back();
        rig.scenario.transfer.back().dollarsPerGb = 0.5;
        const Order order = *assembled(rig).cost->order;
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(order.lines[1].quantity, Thousandths{2000});
        QCOMPARE(order.lines[1].amount, Cents{100});
        // Terms are shares of what precedes: 10 % support.
        rig.scenario.spec.order.support = 0.1;
        const Order supported = *assembled(rig).cost->order;
        QCOMPARE(supported.total, order.total + order.total / 10);
        OrderSpec euros;
        euros.currency = "EUR";
        euros.exchangeRate = 0.9;
        QVERIFY(!conversionOf(euros)); // of no day
        euros.exchangeDate = "2026-11-20";
        QCOMPARE(conversionOf(euros)->rate, std::int64_t{900'000'000});
        euros.currency = "USD";
        QVERIFY(!conversionOf(euros));
        Scenario committed = rig.scenario;
        committed.rental.termYears = 3;
        QCOMPARE(serviceHours(committed), 3 * 8760.0);
    }

    /// Quantiles between known ones are linear in -ln(1 - q): 99.5 % is as far beyond 99 % as ln 2 is of
    /// ln 5.
    void quantiles() {
        const Percentiles p{.p50 = 1, .p90 = 2, .p95 = 3, .p99 = 5};
        QCOMPARE(quantileOf(p, 20), 1.0);
        QCOMPARE(quantileOf(p, 50), 1.0);
        QVERIFY(near(quantileOf(p, 90), 2));
        QVERIFY(near(quantileOf(p, 95), 3));
        QVERIFY(near(quantileOf(p, 99), 5));
        QVERIFY(near(quantileOf(p, 75), 1 + std::log(2.0) / std::log(5.0)));
        QVERIFY(near(quantileOf(p, 97.5), 3 + 2 * std::log(2.0) / std::log(5.0)));
        QVERIFY(near(quantileOf(p, 99.5), 5 + 2 * std::log(2.0) / std::log(5.0)));
        constexpr double infinity = std::numeric_limits<double>::infinity();
        QCOMPARE(quantileOf({infinity, infinity, infinity, infinity}, 75), infinity);
    }

    /// A target holds up to its value, at its percentile. A played engine contradicts from another verdict or
    /// a fifth of the latency on.
    void targets() {
        ServingTotals closed, played;
        closed.stable = played.stable = true;
        closed.ttftPercentiles = played.ttftPercentiles = {1, 2, 3, 4};
        closed.itlPercentiles = played.itlPercentiles = {0.1, 0.2, 0.3, 0.4};
        QVERIFY(meets({}, closed));
        QVERIFY(meets({.ttft = 2, .itl = 0.2}, closed));
        QVERIFY(!meets({.ttft = 1.9}, closed));
        QVERIFY(!meets({.itl = 0.19}, closed));
        QVERIFY(!meets({.ttft = 2, .itl = 0.19}, closed));
        QVERIFY(meets({.ttft = 1, .percentile = 50}, closed));
        closed.stable = false;
        QVERIFY(!meets({}, closed));
        QVERIFY(contradicts({}, closed, played));
        closed.stable = true;
        QVERIFY(!contradicts({.ttft = 5, .itl = 5}, closed, played));
        played.ttftPercentiles.p90 = 2.39;
        QVERIFY(!contradicts({.ttft = 5, .itl = 5}, closed, played));
        QVERIFY(contradicts({.ttft = 2.2}, closed, played));
        played.ttftPercentiles.p90 = 2.41;
        QVERIFY(contradicts({.ttft = 5}, closed, played));
        QVERIFY(contradicts({.ttft = 1}, closed, played));
        QVERIFY(!contradicts({.itl = 5}, closed, played));
        played.ttftPercentiles.p90 = 1.59;
        QVERIFY(contradicts({.ttft = 5}, closed, played));
        played.itlPercentiles.p90 = 0.25;
        QVERIFY(contradicts({.itl = 5}, closed, played));
    }

    /// Targets of a scenario: none of a first token without prompts, none of gaps without answers.
    void targetsOfAScenario() {
        ServiceRig rig;
        WorkloadSpec& w = rig.scenario.spec.workload;
        QVERIFY(!servingTargets(rig.scenario).any());
        w.ttftSloS = 2;
        w.itlSloS = 0.1;
        QCOMPARE(servingTargets(rig.scenario).percentile, 90.0);
        QVERIFY(servingTargets(rig.scenario).ttft && servingTargets(rig.scenario).itl);
        w.phase = "prefill";
        QVERIFY(servingTargets(rig.scenario).ttft && !servingTargets(rig.scenario).itl);
        w.phase = "decode";
        QVERIFY(!servingTargets(rig.scenario).ttft && servingTargets(rig.scenario).itl);
    }

    /// 32 rates up to 0.985 of the largest; latencies never fall.
    void curveOverRates() {
        ServiceRig rig;
        rig.scenario.spec.workload.ttftSloS = 0.35;
        evaluateServing<double>(rig.scenario, poolInputs(rig.scenario), *rig.totals);
        const auto curve = loadCurve(rig.scenario, *rig.totals, CurvePlaying::never);
        const double most = 0.985 * rig.totals->maxRequestRate;
        QCOMPARE(curve.size(), std::size_t{32});
        for (std::size_t i = 0; i < curve.size(); ++i) {
            const double rate = most * static_cast<double>(i + 1) / 32;
            QVERIFY(std::abs(curve[i].requestsPerSecond - rate) < 1e-9 * rate);
            QVERIFY(std::abs(curve[i].outputTokensPerSecond - 11 * rate) < 1e-8 * rate);
            QVERIFY(std::abs(curve[i].utilization - 0.985 * static_cast<double>(i + 1) / 32) < 1e-6);
            QCOMPARE(curve[i].meetsTargets, curve[i].ttftPercentile <= 0.35);
            QVERIFY(i == 0 || curve[i].ttft >= curve[i - 1].ttft);
            QVERIFY(i == 0 || curve[i].itlPercentile >= curve[i - 1].itlPercentile);
            QVERIFY(curve[i].ttftPercentile > 0 && curve[i].itl > 0 && curve[i].concurrency > 0);
        }
        QVERIFY(curve.front().meetsTargets && !curve.back().meetsTargets);
        ServingTotals& t = *rig.totals;
        evaluateServingAt(rig.scenario, curve[15].requestsPerSecond, 0, t);
        QVERIFY(near(curve[15].ttftPercentile, t.ttftPercentiles.p90));
        QVERIFY(near(curve[15].ttft, t.ttft) && near(curve[15].itl, t.itl));
        QVERIFY(near(curve[15].dollarsPerMillionOutputTokens, t.dollarsPerMillionOutputTokens));
        // The largest rate within the targets is where the curve crosses them.
        evaluateServingAt(rig.scenario, 6, 0, t);
        const double limit = requestRateWithin(rig.scenario, servingTargets(rig.scenario), t, false);
        evaluateServingAt(rig.scenario, limit, 0, t);
        QVERIFY(t.ttftPercentiles.p90 <= 0.35);
        evaluateServingAt(rig.scenario, limit + 1e-4 * most, 0, t);
        QVERIFY(t.ttftPercentiles.p90 > 0.35);
        const ServingTargets lax{.ttft = 1e9}, hopeless{.ttft = 1e-9};
        QVERIFY(std::abs(requestRateWithin(rig.scenario, lax, t, false) - most) < 1e-9 * most);
        QCOMPARE(requestRateWithin(rig.scenario, hopeless, t, false), 0.0);
        t.maxRequestRate = 0;
        QVERIFY(loadCurve(rig.scenario, t, CurvePlaying::never).empty());
        QCOMPARE(requestRateWithin(rig.scenario, lax, t, false), 0.0);
    }

    /// Numbers of requests by equal factors, from one to 1.25 x what the deployment holds.
    void curveOverConcurrencies() {
        ServiceRig rig;
        rig.in()[Input::concurrency] = 2;
        rig.in()[Input::requestRate] = 0;
        rig.in()[Input::largestBatch] = 2;
        rig.scenario.inputs = rig.in();
        evaluateServing<double>(rig.scenario, poolInputs(rig.scenario), *rig.totals);
        QCOMPARE(rig.totals->maxConcurrency, 4.0);
        const auto curve = loadCurve(rig.scenario, *rig.totals, CurvePlaying::never);
        QCOMPARE(curve.size(), std::size_t{32});
        QVERIFY(std::abs(curve.front().concurrency - 1) < 0.02);
        QVERIFY(std::abs(curve.back().concurrency - 5) < 0.1);
        QVERIFY(std::abs(curve[16].concurrency - std::pow(5.0, 16 / 31.0)) < 0.05);
        rig.in()[Input::concurrency] = 9; // beyond what is held
        rig.scenario.inputs = rig.in();
        QVERIFY(std::abs(loadCurve(rig.scenario, *rig.totals, CurvePlaying::never).back().concurrency - 9) <
                0.2);
    }

    /// Memory that does not suffice is told with its numbers.
    void problemsOfMemory() {
        ServiceRig rig;
        rig.in()[Input::outputTokens] = 300;
        Estimate e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(!e.fits && !e.serving);
        QVERIFY(says(e, Severity::error, "/plan",
                     "Does not fit: one request needs 102 kB of KV cache on a GPU, 97.8 kB are left"));
        rig.in()[Input::kvOffload] = 2000; // of the host; 99.8 kB in all
        e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(says(e, Severity::error, "/plan",
                     "Does not fit: one request needs 102 kB of KV cache on a GPU, 99.8 kB are left"));
        rig.in()[Input::kvOffload] = 0;
        rig.plan().heaviest.split = 200'000;
        e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(
            says(e, Severity::error, "/plan",
                 "Does not fit: weights take 210 kB of a GPU, activations and the engine 52.2 kB, and 180 kB "
                 "may be used"));
        rig.splitPools();
        e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(
            says(e, Severity::error, "/plan",
                 "Does not fit: weights take 210 kB of a GPU of the decode pool, activations and the engine "
                 "52.2 kB, and 180 kB may be used"));
        QCOMPARE(e.problems.size(), std::size_t{2});
        rig.plan().kinds.clear();
        QVERIFY(!canEvaluateServing(rig.scenario));
    }

    /// A rate beyond the largest, more requests than places, and missed targets are told.
    void problemsOfLoad() {
        ServiceRig rig;
        rig.in()[Input::requestRate] = 500;
        rig.scenario.inputs = rig.in();
        Estimate e = servingEstimate(rig.scenario, closedForm());
        QCOMPARE(e.problems.size(), std::size_t{1});
        QVERIFY(e.problems[0].message.starts_with("Overloaded: 500 requests/s arrive, the plan carries "));
        QVERIFY(e.problems[0].message.ends_with("; the queue grows without end"));
        rig.in()[Input::requestRate] = 6;
        rig.scenario.spec.workload.ttftSloS = 0.001;
        rig.scenario.spec.workload.itlSloS = 1e9;
        rig.scenario.inputs = rig.in();
        e = servingEstimate(rig.scenario, closedForm());
        QCOMPARE(e.problems.size(), std::size_t{1});
        QVERIFY(e.problems[0].message.starts_with("Time to the first token is "));
        QVERIFY(e.problems[0].message.ends_with(" at p90, the target 1.00 ms"));
        QVERIFY(!*e.serving->meetsTargets);
        rig.scenario.spec.workload.ttftSloS = 1e9;
        rig.scenario.spec.workload.itlSloS = 0.001;
        e = servingEstimate(rig.scenario, closedForm());
        QCOMPARE(e.problems.size(), std::size_t{1});
        QCOMPARE(e.problems[0].place, std::string("/workload/itl_slo_s"));
        rig.scenario.spec.workload.itlSloS = 1e9;
        e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(e.problems.empty() && *e.serving->meetsTargets);
        // A played engine agrees at little load; without targets it is not queried.
        const EstimateOptions checked{.simulate = true, .loadLimit = false};
        ServiceRig calm;
        calm.in()[Input::requestRate] = 1;
        calm.scenario.inputs = calm.in();
        e = servingEstimate(calm.scenario, checked);
        QVERIFY(!e.serving->confirmed && !e.serving->simulated);
        calm.scenario.spec.workload.ttftSloS = 1e9;
        e = servingEstimate(calm.scenario, checked);
        QVERIFY(e.serving->confirmed && !e.serving->simulated && *e.serving->meetsTargets);
        rig.in()[Input::largestBatch] = 2;
        rig.in()[Input::concurrency] = 5;
        rig.in()[Input::requestRate] = 0;
        rig.scenario.inputs = rig.in();
        rig.scenario.spec.workload.ttftSloS.reset();
        rig.scenario.spec.workload.itlSloS.reset();
        e = servingEstimate(rig.scenario, closedForm());
        QVERIFY(says(e, Severity::warning, "/workload/concurrency",
                     "5 requests are more than the 4 that memory and the largest batch hold: the rest wait, "
                     "which the time to the first token contains"));
    }

    /// What was played keeps the rate and the utilization of the closed form, and shows its distribution.
    void played() {
        ServiceRig rig;
        evaluateServing<double>(rig.scenario, poolInputs(rig.scenario), *rig.totals);
        QVERIFY(canPlay(rig.scenario, *rig.totals));
        const Played p = play(rig.scenario, *rig.totals, presentLoad(rig.scenario));
        const ServingState& form = rig.totals->pools[0].state;
        QCOMPARE(p.state.requestsPerSecond, form.requestsPerSecond);
        QCOMPARE(p.state.utilization, form.utilization);
        QCOMPARE(p.state.prefillTime, form.prefillTime);
        QVERIFY(std::abs(p.state.e2e - form.e2e) < 0.1 * form.e2e);
        const Estimate e =
            servingEstimate(rig.scenario, {.distribution = true, .simulate = false, .loadLimit = false});
        QVERIFY(!e.serving->simulated && !e.serving->confirmed);
        const Distribution& d = *e.serving->distribution;
        QCOMPARE(d.ttft.size(), std::size_t{200});
        QCOMPARE(d.requests, static_cast<std::int64_t>(p.result.ttft.size()));
        for (const std::size_t i :
             {std::size_t{100}, std::size_t{170}, std::size_t{199}}) { // in the middle of its part
            const double at =
                (static_cast<double>(i) + 0.5) / 200 * static_cast<double>(p.result.ttft.size());
            QVERIFY(near(d.ttft[i], p.result.ttft[static_cast<std::size_t>(at)] + rig.totals->outsideEngine));
        }
        QVERIFY(std::ranges::is_sorted(d.e2e) && std::ranges::is_sorted(d.itl));
        // Gaps count as often as they were.
        QCOMPARE(d.itl.size(), std::size_t{200});
        double all = 0;
        for (const auto& [seconds, gaps] : p.result.itl)
            all += gaps;
        for (const std::size_t i : {std::size_t{20}, std::size_t{120}, std::size_t{190}}) {
            double below = 0, upTo = 0;
            for (const auto& [seconds, gaps] : p.result.itl) {
                below += seconds < d.itl[i] ? gaps : 0;
                upTo += seconds <= d.itl[i] ? gaps : 0;
            }
            const double at = (static_cast<double>(i) + 0.5) / 200 * all;
            QVERIFY(below <= at && at <= upTo);
        }
        rig.totals->stable = false;
        QVERIFY(!canPlay(rig.scenario, *rig.totals));
        rig.totals->stable = true;
        rig.totals->fits = false;
        QVERIFY(!canPlay(rig.scenario, *rig.totals));
        rig.totals->fits = true;
        rig.scenario.pools.push_back(rig.scenario.pools[0]);
        QVERIFY(!canPlay(rig.scenario, *rig.totals));
    }
};

QTEST_APPLESS_MAIN(TestServiceEstimate)

} // namespace tst_service_estimate

#include "tst_service_estimate.moc"
