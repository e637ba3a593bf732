// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/cluster_digest.h"
#include "model/observation/data_gaps.h"
#include "model/observation/finding_marks.h"
#include "model/observation/health_evidence.h"
#include "model/observation/health_policy.h"
#include "model/observation/histogram_quantile.h"
#include "model/observation/job_timeline.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/node_detail.h"
#include "model/observation/plan_actual.h"
#include "model/observation/plan_parts.h"
#include "model/observation/query_windows.h"
#include "model/observation/runs.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_observation {

using namespace alidade;
using namespace alidade::test;

/// What is built up field by field begins with nothing: callers fill in only what they know.
class TestNeutralObservation : public QObject {
    Q_OBJECT

private slots:
    void nothingIsObserved() {
        const Observation none;
        QVERIFY(allZero(none.scrapeInterval, none.unanswered, none.grid.start, none.grid.points));
        const SignalTable table;
        QVERIFY(allZero(table.bucketWidth, table.window));
        const BlankSpan blank;
        QVERIFY(allZero(blank.start, blank.end));
        QCOMPARE(ObservedSource{}.scrapeInterval, 0.0);
        QVERIFY(Entity{}.gpu < 0); // a host as a whole: 0 would be its first GPU
        const HistogramBucket bucket;
        QVERIFY(allZero(bucket.upperBound, bucket.count));
    }

    void spansAreEmpty() {
        const RowRange rows;
        QVERIFY(allZero(rows.begin, rows.end));
        const PointSpan points;
        QVERIFY(allZero(points.begin, points.end, points.hits));
        const DataGap gap;
        QVERIFY(allZero(gap.start, gap.end));
        const JobStop stop;
        QVERIFY(allZero(stop.start, stop.end, stop.hung));
    }

    /// A finding is seen once, has no code of the driver and costs nothing yet.
    void findingsCostNothing() {
        const FaultCost cost;
        QVERIFY(allZero(cost.seconds, cost.steps, cost.share));
        const Finding finding;
        QVERIFY(allZero(finding.code, finding.start) && allOne(finding.times));
        const Evidence evidence;
        QVERIFY(allZero(evidence.code, evidence.start, evidence.last) && allOne(evidence.times));
        const NodeRank rank;
        QVERIFY(allZero(rank.seconds, rank.findings));
        QCOMPARE(FindingMark{}.at, 0.0);
        const XidEvent event;
        QVERIFY(allZero(event.code, event.time, GpuDetail{}.gpu));
    }

    /// Rules for every code, as many GPUs as most nodes have, units as they are exported, values without a
    /// limit.
    void rulesHoldForAll() {
        QVERIFY(allZero(HealthRule{}.code, HealthLimits{}.gpusPerNode));
        const MetricRule rule;
        QVERIFY(allOne(rule.scale) && allZero(rule.largest));
    }

    /// Until it is known how often a server scrapes: every 15 s, on a grid of 30 s.
    void windowsOfUsualScrapes() {
        const QueryWindows any, usual = queryWindows(15, 30);
        QCOMPARE(any.rate, usual.rate);
        QCOMPARE(any.job, usual.job);
        QCOMPARE(any.step, usual.step);
        QVERIFY(any.gauge >= usual.gauge && any.gauge < 3 * 15); // no gauge outlives two missed scrapes
    }

    void plansAreUnknown() {
        const PlannedFigure figure;
        QVERIFY(allZero(figure.value, figure.low, figure.high));
        const LossLine line;
        QVERIFY(allZero(line.steps, line.share));
        const PlanActual plan;
        QVERIFY(allZero(plan.stepsDone, plan.stepsPlanned));
        const RelativeBand exact;
        QVERIFY(allOne(exact.low, exact.high));
        const StepVolumes volumes;
        QVERIFY(allZero(volumes.nvlinkBytes, volumes.networkBytes, volumes.memoryBytes));
    }
};

QTEST_GUILESS_MAIN(TestNeutralObservation)

} // namespace tst_neutral_observation

#include "tst_neutral_observation.moc"
