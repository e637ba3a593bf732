// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/assignment.h"
#include "model/fleet/autoscaling.h"
#include "model/fleet/fleet.h"
#include "model/fleet/fleet_replay.h"
#include "model/fleet/observed_traffic.h"
#include "model/fleet/purchase_split.h"
#include "model/fleet/request_trace.h"
#include "model/fleet/traffic.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_fleet {

using namespace alidade;
using namespace alidade::test;

/// Services without traffic on pools without machines: what the plan of a fleet begins with.
class TestNeutralFleet : public QObject {
    Q_OBJECT

private slots:
    /// A replica of one GPU; no machine that can be had, no spare.
    void poolsAreEmpty() {
        const PoolLimits limits;
        QVERIFY(allOne(limits.gpus) && allZero(limits.maxInstances, limits.spares));
        const FleetPool pool;
        QVERIFY(allZero(pool.maxInstances, pool.spares, PoolPrice{}.price, AssignmentSearch{}.tried));
        const ServiceOption option;
        QVERIFY(allOne(option.gpus, option.slot) && allZero(option.pool, option.loadSeconds, option.extra));
        const RejectedOption rejected;
        QVERIFY(allZero(rejected.service, rejected.pool));
        const PlannedPool planned;
        QVERIFY(allZero(planned.pool, planned.total, planned.most, planned.least));
        const PurchaseSplit split;
        QVERIFY(allZero(split.base, split.blocks, split.onDemand, split.baseHours, split.blockHours,
                        split.onDemandHours, split.usedHours, split.dollars));
    }

    void nothingIsPlanned() {
        const PlacedService placed;
        QVERIFY(allZero(placed.service, placed.peakRate, placed.utilization, placed.ttft, placed.itl,
                        placed.gpuHours, placed.dollars, placed.dollarsPerMillionTokens));
        const FleetAnswer answer;
        QVERIFY(allZero(FleetPlan{}.total, answer.assignments, answer.tried));
        const ReplicaFacts facts;
        QVERIFY(allZero(facts.rate, facts.stableRate, facts.lead));
        const ReplicaPlan replicas;
        QVERIFY(allZero(replicas.requests, replicas.late, replicas.lateSeconds, replicas.busiest));
        QVERIFY(allOne(ScalingPolicy{}.minReplicas));
    }

    /// Without requests, all of them came in time; the rate is that of the trace.
    void nothingIsReplayed() {
        QVERIFY(allOne(ReplayOptions{}.scale));
        const ReplayHour hour;
        QVERIFY(allZero(hour.requests, hour.ttft, hour.itl) && allOne(hour.onTime));
        const ServiceReplay replay;
        QVERIFY(allOne(replay.onTime));
        QVERIFY(allZero(replay.service, replay.requests, replay.seconds, replay.ttftAtTarget,
                        replay.itlAtTarget, replay.prefixHit, replay.leastReplicas, replay.mostReplicas));
    }

    /// A request has a token in and one out; arrivals without a pattern are those of a Poisson process (cv
    /// 1).
    void tracesAreEmpty() {
        const TraceRequest request;
        QVERIFY(allOne(request.input, request.output));
        QVERIFY(allZero(request.time, request.firstBlock, request.blocks, RequestTrace{}.failed));
        const LengthStatistics lengths;
        QVERIFY(allZero(lengths.mean, lengths.cv, lengths.p50, lengths.p90, lengths.p99, lengths.most));
        const PrefixHit hit;
        QVERIFY(allZero(hit.cacheTokens, hit.share));
        const TraceStatistics statistics;
        QVERIFY(allZero(statistics.requests, statistics.failed, statistics.seconds));
        QVERIFY(allOne(statistics.arrivalCv));
    }

    /// Every day like another.
    void trafficIsFlat() {
        const TrafficShape traffic;
        QVERIFY(allZero(traffic.peak, traffic.trough, traffic.mean) && allOne(traffic.weekend));
        QCOMPARE(ObservedTraffic{}.measuredHours, std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestNeutralFleet)

} // namespace tst_neutral_fleet

#include "tst_neutral_fleet.moc"
