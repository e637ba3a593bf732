// SPDX-License-Identifier: GPL-3.0-or-later
// Fleets on the machines of resolving_catalog.h: what is refused and left out, how bills are shared, and
// traces played on the planned replicas.
#include "model/fleet/fleet.h"
#include "model/fleet/fleet_replay.h"
#include "model/fleet/request_trace.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <numeric>

namespace tst_fleet_plan {

using namespace alidade;
using namespace alidade::test;

namespace {

FleetService serviceOf(const char* name, const char* edit, double rate) {
    FleetService out;
    out.name = name;
    out.spec = edited(smallServing(), editOf(edit));
    out.traffic.rates.assign(24, rate);
    out.traffic.rates[12] = 3 * rate;
    out.scaling.interval = 3600;
    out.scaling.kind = ScalingKind::scheduled;
    return out;
}

FleetPool poolOf(const char* name, const char* machine, int most) {
    FleetPool out;
    out.name = name;
    out.machine = machine;
    out.maxInstances = most;
    out.burst = {PurchaseTerms{.purchase = "on_demand"}};
    return out;
}

Fleet fleetOf(std::vector<FleetService> services, std::vector<FleetPool> pools) {
    Fleet out;
    out.services = std::move(services);
    out.pools = std::move(pools);
    return out;
}

Result<FleetAnswer> answerTo(const Fleet& fleet) {
    return planFleet(fleet, sharedCatalog(), sharedCatalog().defaultProfile);
}

QByteArray refusal(const Fleet& fleet) {
    const auto answer = answerTo(fleet);
    return answer ? QByteArray() : QByteArray::fromStdString(answer.error());
}

double rentedHours(const PlacedService& placed) {
    const ReplicaPlan& plan = placed.option.plan;
    return std::accumulate(plan.rented.begin(), plan.rented.end(), 0.0) * plan.step / 3600 *
           static_cast<double>(placed.option.slot);
}

RequestTrace traceOf(int count, double gap) {
    RequestTrace out;
    for (int i = 0; i < count; ++i) {
        TraceRequest each;
        each.time = gap * i;
        each.input = 500;
        each.output = 20;
        out.requests.push_back(each);
    }
    return out;
}

} // namespace

class TestFleetPlan : public QObject {
    Q_OBJECT

private slots:
    void fleetsThatMeanNothing() {
        const FleetService chat = serviceOf("chat", "", 1);
        QCOMPARE(
            refusal(fleetOf({chat}, {poolOf("a", "h8", 1), poolOf("b", "h88", 1)})),
            QByteArray(
                "/fleet/pools/1/instance: there is no machine 'h88' in the catalog; did you mean 'h8'?"));
        QCOMPARE(refusal(fleetOf({chat}, {poolOf("a", "entirely-else", 1)})),
                 QByteArray("/fleet/pools/0/instance: there is no machine 'entirely-else' in the catalog; "
                            "use the id of an "
                            "instance type or UltraServer"));
        FleetPool pool = poolOf("a", "h8", 1);
        pool.storage = "s3-standart";
        QCOMPARE(refusal(fleetOf({chat}, {pool})),
                 QByteArray("/fleet/pools/0/storage: there is no storage 's3-standart' in "
                            "the catalog; did you mean 's3-standard'?"));
        pool.storage = "entirely-else";
        QCOMPARE(refusal(fleetOf({chat}, {pool})),
                 QByteArray("/fleet/pools/0/storage: there is no storage 'entirely-else' in "
                            "the catalog; use the id of a file system or of S3"));
        FleetService wrong = chat;
        wrong.spec = smallTraining();
        QCOMPARE(
            refusal(fleetOf({chat, wrong}, {poolOf("a", "h8", 1)})),
            QByteArray("/fleet/services/1/scenario: is not a serving scenario; a fleet serves requests"));
        wrong = serviceOf("chat", "workload.model=denze", 1);
        QCOMPARE(refusal(fleetOf({wrong}, {poolOf("a", "h8", 1)})),
                 QByteArray("/fleet/services/0/scenario/workload/model: there is no model 'denze' in the "
                            "catalog; the nearest "
                            "is 'dense'"));
    }

    void oneServiceOnOnePool() {
        const auto answer = answerTo(fleetOf({serviceOf("chat", "", 1)}, {poolOf("main", "h8", 50)}));
        QVERIFY2(answer, answer.error().c_str());
        QCOMPARE(QByteArray::fromStdString(answer->whyNot), QByteArray());
        QVERIFY(answer->complete && answer->best && !answer->second && answer->rejected.empty());
        QVERIFY(answer->notes.empty() && answer->assignments == 1 && answer->tried == 1);
        const FleetPlan& plan = *answer->best;
        const PlacedService& placed = plan.services.front();
        const ReplicaPlan& replicas = placed.option.plan;
        QVERIFY(placed.option.verified && placed.option.layout == "tensor 1" && placed.option.slot == 1);
        QCOMPARE(placed.gpuHours, rentedHours(placed));
        QCOMPARE(placed.peakRate, std::min(1.0, replicas.busiest) * placed.option.facts.rate);
        QCOMPARE(placed.utilization, placed.peakRate / placed.option.facts.stableRate);
        QVERIFY(placed.ttft > 0 && placed.itl > 0 && !placed.ttftTarget && placed.percentile == 90);
        // All of the bill is its own: 600 tokens of each request, 730 / 24 days of a month.
        QVERIFY(std::abs(placed.dollars - static_cast<double>(plan.total) / 100) < 1e-6);
        const double tokens = replicas.requests * 730 / 24 * 600;
        QVERIFY(std::abs(placed.dollarsPerMillionTokens - placed.dollars / tokens * 1e6) < 1e-6);
        QCOMPARE(replicas.requests, (23 + 3) * 3600.0);
        const PlannedPool& pool = plan.pools.front();
        QCOMPARE(pool.total, plan.total);
        QCOMPARE(pool.lines.size(), std::size_t{1});
        // Every hour in which machines are needed costs $40.
        double hours = 0;
        for (const int count : pool.demand.counts)
            hours += count;
        QVERIFY(std::abs(static_cast<double>(plan.total) / 100 - hours * 730 / 24 * 40) < 40);
        QCOMPARE(answer->prices.front().size(), std::size_t{1});
        QCOMPARE(answer->prices.front().front().price, nanoDollars(40));
    }

    void servicesShareABill() {
        FleetService chat = serviceOf("chat", "workload.ttft_slo_s=5; workload.slo_percentile=95", 1),
                     code = serviceOf("code", "plan.tensor_parallel=2; workload.samples=2", 1);
        const auto answer =
            answerTo(fleetOf({chat, code}, {poolOf("main", "h8", 50), poolOf("idle", "h1", 0)}));
        QByteArray why;
        for (const RejectedOption& each : answer->rejected)
            why +=
                QByteArray::fromStdString(std::string(reasonText(each.reason)) + ": " + each.detail) + '\n';
        QVERIFY2(answer->best, why.constData());
        const FleetPlan& plan = *answer->best;
        const PlacedService &first = plan.services[0], &second = plan.services[1];
        QVERIFY(plan.pools.size() == 1 && plan.pools.front().pool == 0);
        const double all = first.gpuHours + second.gpuHours, total = static_cast<double>(plan.total) / 100;
        QVERIFY(std::abs(first.dollars - total * first.gpuHours / all) < 1e-6);
        QVERIFY(std::abs(second.dollars - total * second.gpuHours / all) < 1e-6);
        QVERIFY(first.percentile == 95 && first.ttftTarget == 5.0 && second.option.slot == 2);
        const double tokens = second.option.plan.requests * 730 / 24 * (500 + 2 * 100); // two samples
        QVERIFY(std::abs(second.dollarsPerMillionTokens - second.dollars / tokens * 1e6) < 1e-6);
        // No instance of the other pool can be had.
        QCOMPARE(answer->rejected.size(), std::size_t{2});
        for (const RejectedOption& each : answer->rejected) {
            if (each.service == 0) {
                QVERIFY(each.reason == RejectionReason::tooFewInstances && each.pool == 1);
                QVERIFY(each.detail.ends_with(" are needed with spares, 0 can be had"));
            } else {
                QVERIFY(each.reason == RejectionReason::notLegal);
            }
        }
    }

    void whyThereIsNone() {
        const auto only = [](const char* edit, const FleetPool& pool) {
            return *answerTo(fleetOf({serviceOf("chat", edit, 1)}, {pool}));
        };
        const char* none = "No pool can serve chat within its targets";
        const FleetAnswer slow = only("workload.ttft_slo_s=1 us", poolOf("main", "h8", 9));
        QCOMPARE(slow.whyNot, std::string(none));
        QVERIFY(slow.rejected.front().reason == RejectionReason::missesTtft && !slow.best);
        QVERIFY2(slow.rejected.front().detail.ends_with(" at p90 without load; the target is 1.00 µs"),
                 slow.rejected.front().detail.c_str());
        const FleetAnswer gaps =
            only("workload.itl_slo_s=1 us; workload.slo_percentile=99", poolOf("main", "h8", 9));
        QVERIFY(gaps.rejected.front().reason == RejectionReason::missesItl);
        QVERIFY(gaps.rejected.front().detail.ends_with(" at p99 without load; the target is 1.00 µs"));
        QCOMPARE(gaps.rejected.front().layout, std::string("tensor 1"));
        const FleetAnswer odd =
            only("plan.tensor_parallel=3; plan.pipeline_parallel=2; plan.attention_data_parallel=1",
                 poolOf("main", "h8", 9));
        QVERIFY(odd.rejected.front().reason == RejectionReason::notLegal);
        QCOMPARE(odd.rejected.front().layout, std::string("tensor 3 x pipeline 2"));
        QCOMPARE(odd.rejected.front().detail,
                 std::string("Tensor 3 does not divide the 16 attention heads of Dense 1"));
        FleetPool unsold = poolOf("main", "a4", 9);
        const FleetAnswer unpriced = only("", unsold);
        QVERIFY(unpriced.rejected.front().reason == RejectionReason::noPrice);
        QCOMPARE(unpriced.rejected.front().detail,
                 std::string(
                     "No price is known for a4; set purchase to custom and set dollars_per_instance_hour"));
        QCOMPARE(unpriced.notes.front(), "main: " + unpriced.rejected.front().detail);
        FleetService elsewhere = serviceOf("chat", "", 1);
        elsewhere.pools = {"other"};
        QCOMPARE(answerTo(fleetOf({elsewhere}, {poolOf("main", "h8", 9)}))->whyNot, std::string(none));
        elsewhere.pools = {"other", "main"};
        QVERIFY(answerTo(fleetOf({elsewhere}, {poolOf("main", "h8", 9)}))->best);
        // Each fits alone, both together do not.
        const FleetService wide = serviceOf("chat", "plan.tensor_parallel=8", 1e-3);
        const FleetAnswer both = *answerTo(fleetOf({wide, wide}, {poolOf("main", "h8", 1)}));
        QCOMPARE(both.whyNot, std::string("Together the services need more instances than the pools have"));
        QVERIFY(answerTo(fleetOf({wide, wide}, {poolOf("main", "h8", 2)}))->best);
    }

    void theCheaperPoolIsTaken() {
        FleetPool west = poolOf("west", "h8", 50);
        west.region = "us-west-2";
        const auto answer = answerTo(fleetOf({serviceOf("chat", "", 1)}, {west, poolOf("east", "h8", 50)}));
        QVERIFY(answer && answer->best && answer->second);
        QCOMPARE(answer->best->pools.front().pool, std::size_t{1});
        QCOMPARE(answer->second->pools.front().pool, std::size_t{0});
        QCOMPARE(answer->assignments, std::uint64_t{2});
        const double ratio =
            static_cast<double>(answer->second->total) / static_cast<double>(answer->best->total);
        QVERIFY(std::abs(ratio - 1.1) < 1e-4); // $44 against $40
    }

    void layoutsAreCompared() {
        FleetService chat = serviceOf("chat", "", 1);
        chat.searchLayouts = true;
        std::vector<double> shown;
        const auto answer =
            planFleet(fleetOf({chat}, {poolOf("main", "h8", 50)}), sharedCatalog(),
                      sharedCatalog().defaultProfile, {}, [&](double share) { shown.push_back(share); });
        QVERIFY(answer && answer->best);
        QVERIFY(!shown.empty() && std::is_sorted(shown.begin(), shown.end()) && shown.front() == 0 &&
                shown.back() < 1);
        const double rate = answer->best->services.front().option.facts.rate;
        for (const RejectedOption& each : answer->rejected) {
            QVERIFY(each.reason == RejectionReason::dominated);
            QVERIFY2(each.detail.find(": ") != std::string::npos &&
                         each.detail.find(" requests/s per GPU, against ") != std::string::npos,
                     each.detail.c_str());
        }
        QVERIFY(rate > 0);
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = planFleet(fleetOf({chat}, {poolOf("main", "h8", 50)}), sharedCatalog(),
                                       sharedCatalog().defaultProfile, stop.get_token());
        QVERIFY(stopped && !stopped->complete && !stopped->best);
    }

    void playedTraces() {
        const auto answer =
            answerTo(fleetOf({serviceOf("chat", "workload.ttft_slo_s=5", 1)}, {poolOf("main", "h8", 50)}));
        QVERIFY(answer && answer->best);
        const PlacedService& placed = answer->best->services.front();
        const auto play = [&](const RequestTrace& trace, const ReplayOptions& options) {
            return replayTrace(trace, placed, sharedCatalog(), sharedCatalog().defaultProfile, options);
        };
        const RequestTrace trace = traceOf(300, 20); // an hour and 2,380 s
        const auto plain = play(trace, {});
        QVERIFY(plain);
        QVERIFY(plain->requests == 300 && plain->complete && plain->meetsTargets &&
                plain->service == placed.service);
        QCOMPARE(plain->seconds, 5980.0);
        QCOMPARE(plain->hours.size(), std::size_t{2});
        QCOMPARE(plain->hours[0].requests, std::uint64_t{180});
        QCOMPARE(plain->hours[1].requests, std::uint64_t{120});
        QVERIFY(plain->onTime == 1 && plain->prefixHit == 0 && plain->hours[0].onTime == 1);
        // Requests that never meet take the same time each.
        QVERIFY(plain->ttft.p50 > 0 && std::abs(plain->ttft.p99 / plain->ttft.p50 - 1) < 1e-6);
        QCOMPARE(plain->ttftAtTarget, plain->ttft.p90);
        QCOMPARE(plain->itlAtTarget, plain->itl.p90);
        QVERIFY(std::abs(plain->hours[1].ttft / plain->ttft.p90 - 1) < 1e-6);
        const std::vector<int>& serving = placed.option.plan.serving;
        QCOMPARE(plain->leastReplicas, std::min(serving[0], serving[1]));
        QCOMPARE(plain->mostReplicas, std::max(serving[0], serving[1]));
        ReplayOptions twice;
        twice.scale = 2;
        QCOMPARE(play(trace, twice)->requests, std::uint64_t{600});
        ReplayOptions half;
        half.scale = 0.5;
        QCOMPARE(play(trace, half)->requests, std::uint64_t{150});
        ReplayOptions few;
        few.requests = 100;
        const auto cut = play(trace, few);
        QVERIFY(cut->requests == 100 && !cut->complete);
        QCOMPARE(cut->seconds, 1980.0);
        QVERIFY(!play({}, {}));

        // 8 blocks of 50 tokens that all prompts share: after each replica's first one 400 of 500 tokens are
        // spared.
        RequestTrace shared = traceOf(40, 20);
        shared.blockTokens = 50;
        shared.blocks = {0, 1, 2, 3, 4, 5, 6, 7};
        for (TraceRequest& each : shared.requests)
            each.blocks = 8;
        ReplayOptions aware;
        aware.routing = Routing::prefixAware;
        QCOMPARE(play(shared, aware)->prefixHit, 39 * 400.0 / (40 * 500));
        ReplayOptions turns;
        turns.routing = Routing::roundRobin;
        const int replicas = serving[0];
        QCOMPARE(play(shared, turns)->prefixHit, (40 - replicas) * 400.0 / (40 * 500));
        QVERIFY(play(shared, aware)->ttft.p50 < plain->ttft.p50);
        ReplayOptions small;
        small.prefixCacheTokens = 49;
        QCOMPARE(play(shared, small)->prefixHit, 0.0);
    }

    void whatIsNotPlayed() {
        const auto sampled =
            answerTo(fleetOf({serviceOf("chat", "workload.samples=2", 1)}, {poolOf("main", "h8", 50)}));
        QVERIFY(sampled && sampled->best);
        QVERIFY(!replayTrace(traceOf(3, 1), sampled->best->services.front(), sharedCatalog(),
                             sharedCatalog().defaultProfile, {}));
    }

    void aBurstMissesItsTarget() {
        const auto answer =
            answerTo(fleetOf({serviceOf("chat", "workload.ttft_slo_s=5", 1e-2)}, {poolOf("main", "h8", 50)}));
        QVERIFY(answer && answer->best);
        RequestTrace burst = traceOf(4000, 0);
        for (TraceRequest& each : burst.requests)
            each.input = 8000;
        const auto played = replayTrace(burst, answer->best->services.front(), sharedCatalog(),
                                        sharedCatalog().defaultProfile, {});
        QVERIFY(played && !played->meetsTargets && played->onTime < 1 && played->ttftAtTarget > 5);
        QCOMPARE(played->hours.front().requests, std::uint64_t{4000});
        QCOMPARE(played->hours.front().onTime, played->onTime);
    }
};

QTEST_APPLESS_MAIN(TestFleetPlan)

} // namespace tst_fleet_plan

#include "tst_fleet_plan.moc"
