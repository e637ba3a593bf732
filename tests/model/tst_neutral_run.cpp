// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/spares.h"
#include "model/run/checkpoint_curve.h"
#include "model/run/run_calendar.h"
#include "model/run/run_facts.h"
#include "model/run/run_phases.h"
#include "model/run/run_simulation.h"
#include "model/run/spare_costs.h"
#include "model/run/storage_fill.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_run {

using namespace alidade;
using namespace alidade::test;

/// A run in which nothing fails and that costs nothing: what the calendar of a run begins with.
class TestNeutralRun : public QObject {
    Q_OBJECT

private slots:
    void nothingFails() {
        const RunProcess process;
        QVERIFY(allZero(process.useful, process.stall, process.drain, process.recovery, process.plannedRate,
                        process.plannedStop, process.waitingShare));
        QVERIFY(allOne(process.interval, process.mtbf)); // > 0, so that their ratios have a value
        const DrawnFailure failure;
        QVERIFY(allZero(failure.at, failure.lost, failure.stop, failure.cause));
        const DrawnRun run;
        QVERIFY(allZero(run.seconds, run.stalls, run.planned));
        const RunSpread exact;
        QVERIFY(allZero(exact.stepLogSd, exact.rateLogSd));
    }

    void nothingIsDone() {
        const RunShares shares;
        QVERIFY(allZero(shares.work, shares.redone, shares.stopped, shares.starting, shares.total()));
        const RunSpan span;
        QVERIFY(allZero(RunDay{}.interruptions, span.from, span.to));
        const RunPhase phase;
        QVERIFY(allZero(phase.from, phase.to) && allOne(phase.number, phase.count)); // the only block
        const CheckpointPoint point;
        QVERIFY(allZero(point.interval, point.goodput));
    }

    /// One node, without spares, whose job can neither shrink nor wait.
    void nothingIsSpare() {
        const ElasticLoss loss;
        QVERIFY(allZero(loss.idleShare, loss.growths));
        const NodeShortage shortage;
        QVERIFY(allOne(shortage.nodes));
        QVERIFY(allZero(shortage.meanInRepair, shortage.elasticReplicas, shortage.growthShare));
        const RunFacts facts;
        QVERIFY(allZero(facts.detection, facts.nodes, facts.elasticReplicas, facts.nodeDollarsPerHour));
        const SpareCost cost;
        QVERIFY(allZero(cost.spares, cost.rent, cost.waiting));
        const StorageFill fill;
        QVERIFY(allZero(fill.capacity, fill.days, fill.data, fill.checkpoint, fill.period));
    }

    /// The parts of a day add up to it.
    void sharesAddUp() {
        const RunShares shares{.work = 8, .redone = 4, .stopped = 2, .starting = 1};
        QCOMPARE(shares.total(), 15.0);
    }
};

QTEST_GUILESS_MAIN(TestNeutralRun)

} // namespace tst_neutral_run

#include "tst_neutral_run.moc"
