// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"
#include "model/serving/validity.h"
#include "tests/model/random_workload.h"

#include <QTest>

namespace tst_serving_played {

using namespace alidade;

namespace {

bool within(double closed, double played, double tolerance) {
    return std::abs(closed / played - 1) <= tolerance;
}

} // namespace

/// The closed form of an engine against the same engine played, in a few cases that take no time. Many more,
/// and as many requests as it takes to know the truth to a percent, are in tst_serving_agreement.
class TestServingPlayed : public QObject {
    Q_OBJECT

private slots:
    /// Open and closed, mixed and prefill first, where the closed form declares itself valid: within the 10 %
    /// that it promises, and 3 % of the sample.
    void closedFormWhereItHolds_data() {
        QTest::addColumn<int>("index");
        for (int index = 0; index < 48; ++index)
            QTest::addRow("%d", index) << index;
    }
    void closedFormWhereItHolds() {
        QFETCH(int, index);
        const Workload w = randomWorkload(index, index % 6 == 5, 7);
        const ServingState closed = steadyState(w.load, w.limits, w.step);
        if (closedFormLimit(w.load, closed) != ClosedFormLimit::none)
            return;
        ++valid_;
        const ServingState played =
            simulate(w.load, w.limits, w.step, {.seed = 1, .requests = 6000, .warmUp = 1500}).state;
        QVERIFY2(within(closed.requestsPerSecond, played.requestsPerSecond, 0.04), figures(closed, played));
        QVERIFY2(within(closed.itl, played.itl, 0.08), figures(closed, played));
        QVERIFY2(within(closed.ttft, played.ttft, 0.13), figures(closed, played));
        QVERIFY2(within(closed.e2e, played.e2e, 0.08), figures(closed, played));
        QVERIFY2(within(closed.batch, played.batch, 0.08), figures(closed, played));
        QVERIFY2(within(closed.itlPercentiles.p50, played.itlPercentiles.p50, 0.1), figures(closed, played));
        QVERIFY2(within(closed.ttftPercentiles.p50, played.ttftPercentiles.p50, 0.2),
                 figures(closed, played));
        QVERIFY2(std::abs(closed.prefillShare - played.prefillShare) < 0.05, figures(closed, played));
    }
    void someHold() { QVERIFY(valid_ >= 16); }

    /// The most that an engine can do is what it does with twice as many users as it has places.
    void capacity() {
        for (int index = 0; index < 6; ++index) {
            Workload w = randomWorkload(index, false, 8);
            w.load.requestsPerSecond = 0;
            const LoadMeans means = loadMeans(w.load, w.limits);
            const double most = maximumRequestRate(w.load, w.limits, w.step);
            w.load.concurrency = std::round(2 * means.maxBatch);
            const ServingState played =
                simulate(w.load, w.limits, w.step, {.seed = 1, .requests = 6000, .warmUp = 1500}).state;
            QVERIFY2(within(most, played.requestsPerSecond, 0.1),
                     qPrintable(
                         QStringLiteral("%1: %2 and %3").arg(index).arg(most).arg(played.requestsPerSecond)));
        }
    }

private:
    static const char* figures(const ServingState& closed, const ServingState& played) {
        static QByteArray text;
        text = QString::asprintf(
                   "rate %.4g/%.4g itl %.4g/%.4g p50 %.4g/%.4g ttft %.4g/%.4g p50 %.4g/%.4g e2e %.4g/%.4g "
                   "batch %.4g/%.4g prefill %.3f/%.3f used %.2f",
                   closed.requestsPerSecond, played.requestsPerSecond, closed.itl, played.itl,
                   closed.itlPercentiles.p50, played.itlPercentiles.p50, closed.ttft, played.ttft,
                   closed.ttftPercentiles.p50, played.ttftPercentiles.p50, closed.e2e, played.e2e,
                   closed.batch, played.batch, closed.prefillShare, played.prefillShare, closed.utilization)
                   .toUtf8();
        return text.constData();
    }

    int valid_ = 0;
};

QTEST_APPLESS_MAIN(TestServingPlayed)

} // namespace tst_serving_played

#include "tst_serving_played.moc"
