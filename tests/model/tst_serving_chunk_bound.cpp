// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/simulation.h"
#include "model/serving/steady_state.h"

#include <QTest>

namespace tst_serving_chunk_bound {

using namespace alidade;

namespace {

double step(const StepWork& work) {
    return 0.004 + 1.4e-5 * work.prefillTokens + 4e-5 * work.decodeSequences;
}

EngineLimits limits() {
    EngineLimits out;
    out.maxSequences = 800;
    out.chunkTokens = 8192;
    out.memory.bytesPerToken = 1;
    out.kvBytes = 1e12;
    return out;
}

} // namespace

/// More prompt tokens than steps can take: every step is full, and most users wait for their prefill.
class TestServingChunkBound : public QObject {
    Q_OBJECT

private slots:
    void agreesWithTheSimulation_data() {
        QTest::addColumn<double>("input");
        QTest::addColumn<double>("output");
        QTest::addColumn<double>("concurrency");
        QTest::newRow("offline, more requests than places") << 2048.0 << 128.0 << 3000.0;
        QTest::newRow("all in the engine") << 2048.0 << 128.0 << 700.0;
        QTest::newRow("prompts longer than a step") << 20000.0 << 600.0 << 400.0;
    }
    void agreesWithTheSimulation() {
        QFETCH(double, input);
        QFETCH(double, output);
        QFETCH(double, concurrency);
        const RequestLoad load{.inputTokens = input, .outputTokens = output, .concurrency = concurrency};
        const ServingState closed = steadyState(load, limits(), step);
        const ServingState played =
            simulate(load, limits(), step, SimulationOptions{.seed = 3, .requests = 6000}).state;
        const auto agree = [](const char* what, double a, double b) {
            const bool good = std::abs(a / b - 1) < 0.05;
            if (!good) {
                qWarning("%s: %g in closed form, %g simulated", what, a, b);
            }
            return good;
        };
        QVERIFY(agree("rate", closed.requestsPerSecond, played.requestsPerSecond));
        QVERIFY(agree("ttft", closed.ttft, played.ttft));
        QVERIFY(agree("itl", closed.itl, played.itl));
        QVERIFY(agree("batch", closed.batch, played.batch));
        QVERIFY(agree("e2e", closed.e2e, played.e2e));
    }

    /// Where steps are full and every place is taken, users only lengthen the queue.
    void moreUsersOnlyWait() {
        const auto at = [](double users) {
            return steadyState({.inputTokens = 2048, .outputTokens = 128, .concurrency = users}, limits(),
                               step);
        };
        const ServingState few = at(800), many = at(6000);
        QVERIFY(std::abs(few.requestsPerSecond / many.requestsPerSecond - 1) < 1e-9);
        QVERIFY(std::abs(few.itl / many.itl - 1) < 1e-9);
        QVERIFY(many.ttft > 5 * few.ttft);
    }
};

QTEST_GUILESS_MAIN(TestServingChunkBound)

} // namespace tst_serving_chunk_bound

#include "tst_serving_chunk_bound.moc"
