// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/validity.h"
#include "tests/model/random_workload.h"

#include <QTest>

namespace tst_serving_load {

using namespace alidade;

/// What more load does to the closed form, on random workloads.
class TestServingLoad : public QObject {
    Q_OBJECT

private slots:
    /// Where the closed form declares itself valid: gaps never shorten, the wait for the first token by no
    /// more than what its lattice rounds.
    void moreLoadIsNeverFaster_data() {
        QTest::addColumn<bool>("closed");
        QTest::newRow("open") << false;
        QTest::newRow("closed") << true;
    }

    void moreLoadIsNeverFaster() {
        QFETCH(bool, closed);
        int compared = 0;
        for (int index = 0; index < 60; ++index) {
            Workload w = randomWorkload(index, false);
            const double most = maximumRequestRate(w.load, w.limits, w.step);
            const double held = loadMeans(w.load, w.limits).maxBatch;
            double ttft = 0, itl = 0;
            for (int i = 1; i <= 24; ++i) {
                w.load.requestsPerSecond = closed ? 0 : most * i / 25;
                w.load.concurrency = closed ? std::pow(held, (i - 1) / 23.0) : 0;
                const ServingState s = steadyState(w.load, w.limits, w.step, ServingDetail::means);
                if (closedFormLimit(w.load, s) != ClosedFormLimit::none)
                    continue;
                ++compared;
                const std::string at = "workload " + std::to_string(index) + ", load " + std::to_string(i);
                QVERIFY2(s.itl >= itl * (1 - 1e-9), at.c_str());
                QVERIFY2(s.ttft >= ttft * 0.99, at.c_str());
                itl = std::max(itl, s.itl);
                ttft = std::max(ttft, s.ttft);
            }
        }
        QVERIFY(compared > 500);
    }

    /// Percentiles cost time; they change no mean.
    void meansAreTheSameWithPercentiles() {
        for (int index = 0; index < 40; ++index) {
            const Workload w = randomWorkload(index, index % 5 == 0);
            const ServingState means = steadyState(w.load, w.limits, w.step, ServingDetail::means);
            const ServingState all = steadyState(w.load, w.limits, w.step);
            QVERIFY(means.ttft == all.ttft && means.itl == all.itl && means.e2e == all.e2e);
            QVERIFY(means.requestsPerSecond == all.requestsPerSecond && means.batch == all.batch);
            QVERIFY(means.utilization == all.utilization && means.queueWait == all.queueWait);
            QVERIFY(means.prefillShare == all.prefillShare);
            QVERIFY(all.ttftPercentiles.p50 > 0 && all.ttftPercentiles.p99 >= all.ttftPercentiles.p90);
        }
    }

    void limitsOfTheClosedForm() {
        const RequestLoad open{.requestsPerSecond = 1}, equal{.inputCv = 0.5, .concurrency = 8};
        const ServingState usual{.utilization = 0.5, .queueWait = 0.01, .ttft = 1, .prefillShare = 0.2};
        const auto limit = [&](auto change) {
            ServingState state = usual;
            change(state);
            return closedFormLimit(open, state);
        };
        using enum ClosedFormLimit;
        QVERIFY(closedFormLimit(open, usual) == none);
        QVERIFY(closedFormLimit(equal, usual) == equalAnswers);
        QVERIFY(limit([](ServingState& s) { s.utilization = 0.81; }) == nearCapacity);
        QVERIFY(limit([](ServingState& s) { s.preemptionsPerRequest = 0.01; }) == fullCache);
        QVERIFY(limit([](ServingState& s) { s.queueWait = 0.5; }) == waitsForPlaces);
        QVERIFY(limit([](ServingState& s) { s.prefillShare = 0.6; }) == mostlyPrefill);
    }
};

QTEST_APPLESS_MAIN(TestServingLoad)

} // namespace tst_serving_load

#include "tst_serving_load.moc"
