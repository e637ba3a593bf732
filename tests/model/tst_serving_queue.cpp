// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/autoscaling.h"
#include "model/serving/speculation.h"
#include "tests/oracle/reference/queueing.h"

#include <QTest>

namespace tst_serving_queue {

using namespace alidade;
using namespace alidade::reference;

namespace {

bool close(double a, double b, double relative = 1e-12) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

} // namespace

/// The formulas of waiting lines at the ends of their range; their values are held by the oracle.
class TestServingQueue : public QObject {
    Q_OBJECT

private slots:
    void moreServersWaitLess() {
        double before = 1;
        for (int servers = 4; servers < 40; ++servers) {
            const double waits = erlangC(servers, 3.9);
            QVERIFY(waits > 0 && waits < before);
            before = waits;
        }
    }

    void overloadWaitsForEver() {
        QCOMPARE(erlangC(4, 4.0), 1.0);
        QVERIFY(std::isinf(queueWait(4, 8.0, 0.5)));
        QVERIFY(std::isinf(queueWaitPercentile(4, 8.0, 0.5, 0.9)));
        QVERIFY(std::isinf(linearEquilibrium(10.0, 1000.0, 1.0, 0.01, 1e-4, 0.0).step));
    }

    /// The tail is exponential, so that the mean over those who wait is also its scale.
    void percentilesAreThoseOfTheMean() {
        const double waits = erlangC(3, 2.4), wait = queueWait(3, 2.4, 1.0, 1.5, 2.0);
        const double p90 = queueWaitPercentile(3, 2.4, 1.0, 0.9, 1.5, 2.0);
        QVERIFY(close(waits * std::exp(-p90 * waits / wait), 0.1));
        QCOMPARE(queueWaitPercentile(3, 2.4, 1.0, 0.1), 0.0);
    }

    void equilibriumKeepsItsTokens() {
        const LinearEquilibrium<double> e = linearEquilibrium(3.0, 1500.0, 200.0, 0.01, 5e-5, 2e-4);
        QVERIFY(close(e.step, 0.01 + 5e-5 * e.chunk + 2e-4 * e.batch));
        QVERIFY(close(e.batch / e.chunk, 200.0 / 1500.0));
    }

    void certainAcceptanceGainsEveryDraft() {
        QCOMPARE(speculativeTokens(1.0, 3.0), 4.0);
        QVERIFY(close(speculativeTokens(1 - 1e-9, 3.0), 4.0, 1e-6));
        QCOMPARE(speculativeTokens(0.0, 3.0), 1.0);
    }

    void replicasAreWholeAndKeepHeadroom() {
        const ScalingPolicy policy{.kind = ScalingKind::fixed, .headroom = 0.25};
        const ReplicaFacts replica{.rate = 10, .stableRate = 10};
        QCOMPARE(scaleReplicas({.rates = {80}}, replica, policy).most(), 10); // rounding does not add one
        QCOMPARE(scaleReplicas({.rates = {80.1}}, replica, policy, 2).most(), 13);
    }

    /// The same templates explain themselves.
    void waitsExplainThemselves() {
        Trace trace;
        const Traced rate = Traced::leaf(trace, 6.4, "rate", Dimension::number, "given", SourceKind::user);
        const Traced service =
            Traced::leaf(trace, 1.0, "service", Dimension::number, "given", SourceKind::user);
        const Traced wait = queueWaitPercentile(8, rate, service, 0.99);
        QVERIFY(close(wait.value(), queueWaitPercentile(8, 6.4, 1.0, 0.99)));
        QVERIFY(explain(wait).inputs.size() >= 2);
    }
};

QTEST_APPLESS_MAIN(TestServingQueue)

} // namespace tst_serving_queue

#include "tst_serving_queue.moc"
