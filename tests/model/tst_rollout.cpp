// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rollout.h"
#include "tests/oracle/reference/scaling_laws.h"
#include "tests/sanitized.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tst_rollout {

using namespace alidade;
using namespace alidade::reference;

namespace {

/// Plays one rollout: every engine works through its sequences, a step takes `fixed` + `each` x batch.
double played(const RolloutLoad& load, double fixed, double each, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(1e-12, 1 - 1e-12);
    const auto engines = static_cast<std::size_t>(load.engines);
    const auto perEngine = static_cast<std::size_t>(load.sequences / load.engines);
    const auto places = static_cast<std::size_t>(load.places);
    double last = 0;
    for (std::size_t e = 0; e < engines; ++e) {
        std::vector<double> waiting, left;
        for (std::size_t i = 0; i < perEngine; ++i)
            waiting.push_back(std::max(1.0, std::round(load.lengths.quantile(uniform(random)))));
        double now = 0;
        while (!waiting.empty() || !left.empty()) {
            while (left.size() < places && !waiting.empty()) {
                left.push_back(waiting.back());
                waiting.pop_back();
            }
            const double steps = *std::ranges::min_element(left);
            now += steps * (fixed + each * static_cast<double>(left.size()));
            for (double& one : left)
                one -= steps;
            std::erase_if(left, [](double one) { return one < 0.5; });
        }
        last = std::max(last, now);
    }
    return last;
}

} // namespace

class TestRollout : public QObject {
    Q_OBJECT

private slots:
    void lengthsKeepTheirMean() {
        const ResponseLengths cut(3200, 0.8, 4000);
        QVERIFY(std::abs(cut.meanBelow(4000) / 3200 - 1) < 1e-6);
        QVERIFY(cut.cutShare() > 0.3); // the mean is near the limit: many are cut
        const ResponseLengths free(1000, 0.5, 1e9);
        QVERIFY(std::abs(free.secondMoment() / (1000.0 * 1000.0 * 1.25) - 1) < 1e-6);
        QCOMPARE(free.residualAbove(0), 1.0);
        const ResponseLengths equal(700, 0, 4096);
        QCOMPARE(equal.longestOf(5000), 700.0);
        QCOMPARE(equal.above(699), 1.0);
        QCOMPARE(equal.above(701), 0.0);
    }

    void equalLengthsTakeTheirSteps() {
        const RolloutLoad load{
            .sequences = 64, .engines = 4, .places = 100, .ahead = 0, .lengths = {500, 0, 1000}};
        const Rollout r = rollout(load, [](double batch, double) { return 0.01 + 0.001 * batch; });
        QVERIFY(std::abs(r.seconds / (500 * (0.01 + 0.016)) - 1) < 0.01);
        QCOMPARE(r.longest, 500.0);
    }

    /// The tail by order statistics against playing it, on random settings.
    void agreesWithThePlayedRollout() {
        std::mt19937_64 random(20);
        const auto between = [&](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        double worst = 0, sum = 0;
        int beyond = 0;
        constexpr int settings = test::draws(300);
        for (int i = 0; i < settings; ++i) {
            const double mean = std::exp(between(std::log(200), std::log(6000)));
            const double engines = std::round(std::exp(between(0, std::log(16))));
            const double each = std::round(std::exp(between(std::log(16), std::log(160))));
            const RolloutLoad load{.sequences = engines * each,
                                   .engines = engines,
                                   .places = 1e6,
                                   .ahead = 0,
                                   .lengths = {mean, between(0.2, 1.0), mean * between(1.5, 8)}};
            const double fixed = between(0.004, 0.02), perSequence = fixed * between(0.002, 0.03);
            // The longest of few sequences scatters more from draw to draw.
            double expected = 0;
            const int draws = static_cast<int>(std::clamp(40'000 / load.sequences, 40.0, 1000.0));
            for (int k = 0; k < draws; ++k)
                expected += played(load, fixed, perSequence, random) / draws;
            const Rollout r =
                rollout(load, [&](double batch, double) { return fixed + perSequence * batch; });
            const double error = r.seconds / expected - 1;
            worst = std::max(worst, std::abs(error));
            sum += std::abs(error);
            beyond += std::abs(error) > 0.03 ? 1 : 0;
        }
        qInfo("mean error %.2f %%, worst %.2f %%, beyond 3 %%: %d of %d", 100 * sum / settings, 100 * worst,
              beyond, settings);
        QVERIFY(sum / settings < 0.015);
        QVERIFY(beyond <= std::max(2, settings / 50)); // draws of a long tail scatter themselves
        QVERIFY(worst < 0.06);
    }

    /// With few places the waiting sequences refill them; the whole work bounds the time from below.
    void refillsFreeSlots() {
        std::mt19937_64 random(7);
        const RolloutLoad load{
            .sequences = 4096, .engines = 8, .places = 64, .ahead = 0, .lengths = {1000, 0.7, 6000}};
        double mean = 0;
        for (int k = 0; k < 20; ++k)
            mean += played(load, 0.01, 0.0002, random) / 20;
        const Rollout r = rollout(load, [](double batch, double) { return 0.01 + 0.0002 * batch; });
        QVERIFY2(std::abs(r.seconds / mean - 1) < 0.08, std::to_string(r.seconds / mean).c_str());
        QVERIFY(r.refillEnd > 0.5 * r.seconds);
        QVERIFY(r.seconds > 4096.0 / 8 * 1000 / 64 * (0.01 + 0.0002 * 64));
    }

    /// More staleness, less waiting for the last sequences.
    void stalenessShortensTheTail() {
        double before = 1e9;
        for (const double ahead : {0.0, 0.1, 0.3, 1.0}) {
            const RolloutLoad load{.sequences = 2048,
                                   .engines = 16,
                                   .places = 1024,
                                   .ahead = ahead,
                                   .lengths = {3000, 0.8, 24576}};
            const double seconds =
                rollout(load, [](double batch, double) { return 0.01 + 0.00002 * batch; }).seconds;
            QVERIFY(seconds < before);
            before = seconds;
        }
    }

    void servingMovesTheOptimumToSmallerModels() {
        const LossLaw& law = lossLaws().front();
        const OptimalModel trained = optimalModel(law, 5.76e23);
        const OptimalModel alone = optimalForServing(law, trained.loss, 0);
        QVERIFY(std::abs(alone.parameters / trained.parameters - 1) < 1e-3);
        const OptimalModel served = optimalForServing(law, trained.loss, 1e13);
        QVERIFY(served.parameters < trained.parameters);
        QVERIFY(served.tokens > trained.tokens);
        QVERIFY(std::abs(lossOf(law, served.parameters, served.tokens) - trained.loss) < 1e-6);
        QCOMPARE(optimalForServing(law, 1.5, 0).parameters, 0.0); // below what no model reaches
    }
};

QTEST_GUILESS_MAIN(TestRollout)

} // namespace tst_rollout

#include "tst_rollout.moc"
