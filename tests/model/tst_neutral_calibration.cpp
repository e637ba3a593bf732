// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/bound_rows.h"
#include "model/calibration/bound_serving.h"
#include "model/calibration/collective_fit.h"
#include "model/calibration/live_activity.h"
#include "model/calibration/live_calibration.h"
#include "model/calibration/live_constants.h"
#include "model/calibration/live_decode.h"
#include "model/calibration/live_windows.h"
#include "model/calibration/map_fit.h"
#include "model/calibration/positive_fit.h"
#include "model/calibration/step_fit.h"
#include "model/calibration/validation_fit.h"
#include "tests/model/neutral_value.h"

#include <QTest>

namespace tst_neutral_calibration {

using namespace alidade;
using namespace alidade::test;

/// What a fit is told and what it finds begins with nothing: callers fill in only what they know.
class TestNeutralCalibration : public QObject {
    Q_OBJECT

private slots:
    /// A row counts only once it has a weight, and has the spread of its fit unless it brings its own.
    void rowsAreUnmeasured() {
        const BoundRow row;
        QVERIFY(allZero(row.measured, row.weight, row.sd));
        const MeasuredServing serving;
        QVERIFY(allZero(serving.measured, serving.weight, serving.sd) && allOne(serving.gpus));
        const MeasuredStep step;
        QVERIFY(allZero(step.seconds, step.weight));
        const MeasuredCollective table;
        QVERIFY(allZero(table.ranks) && allOne(table.nodes));
        const MeasuredCollective::Point point;
        QVERIFY(allZero(point.bytes, point.seconds));
        QCOMPARE(MeasuredStepTimes{}.globalBatch, 0.0);
    }

    /// Points of a fit count once, and are left out alone.
    void pointsCountOnce() {
        const LivePoint live;
        QVERIFY(allZero(live.measured) && allOne(live.weight) && live.group < 0);
        const FitPoint point;
        QVERIFY(allZero(point.measured) && allOne(point.weight));
        const FitPrior prior;
        QVERIFY(allZero(prior.mean) && allOne(prior.sd));
        QVERIFY(allOne(MapOptions{}.threads, StepFitOptions{}.threads));
        QVERIFY(allZero(MapOptions{}.keepSlopes, StepFitOptions{}.keepSlopes, MapOptions{}.leastGain));
    }

    void nothingIsFitted() {
        const CollectiveFit collectives;
        QVERIFY(allZero(collectives.rows, collectives.series));
        const Calibration calibration;
        QVERIFY(allZero(calibration.rows, calibration.groups, calibration.iterations));
        const MapFit fit;
        QVERIFY(allZero(fit.cost, fit.iterations));
        const ConfoundedPair pair;
        QVERIFY(allZero(pair.first, pair.second, pair.correlation));
        const CollectiveLaw law;
        QVERIFY(allZero(law.alpha, law.gamma, law.bandwidth, law.meanAbsError, PositiveFit{}.meanAbsError));
        const RobustLine line;
        QVERIFY(allZero(line.a, line.b, line.aSd, line.bSd, line.abCovariance, line.residual, line.reach));
        const DecodeFit decode;
        QVERIFY(allZero(decode.efficiency, decode.efficiencySd, decode.overhead, decode.overheadSd));
    }

    void nothingIsSeenOfTheJob() {
        const JobActivity job;
        QVERIFY(allZero(job.gpus, job.tensor, job.sm, job.dram, job.clock, job.tensorClock, job.power));
        QVERIFY(allZero(job.nvlink, job.efa, job.efaMost, job.compute));
        const PoissonInterval events;
        QVERIFY(allZero(events.low, events.high));
        const DecodeWindow window;
        QVERIFY(allZero(window.start, window.end, window.itl, window.prefillShare, window.batch,
                        window.running, window.requestRate, window.prompt, window.output, window.hitShare,
                        window.prefillTime, window.ttft));
        const Spread spread;
        QVERIFY(allZero(spread.median, spread.relative, UsableTime{}.lookback));
    }

    /// Only the prior speaks, until something is measured.
    void nothingIsCalibrated() {
        const CalibratedParameter parameter;
        QVERIFY(allZero(parameter.before, parameter.after, parameter.logSd, parameter.low, parameter.high,
                        parameter.dataShare));
        const LiveCalibration calibration;
        QVERIFY(allZero(calibration.start, calibration.end, calibration.samples, calibration.spread));
        const ExcludedWindow window;
        QVERIFY(allZero(window.start, window.end));
    }
};

QTEST_GUILESS_MAIN(TestNeutralCalibration)

} // namespace tst_neutral_calibration

#include "tst_neutral_calibration.moc"
