// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rl_step.h"
#include "model/posttraining/rollout.h"

#include <QTest>

#include <cmath>
#include <cstddef>

namespace tst_rollout_by_hand {

using namespace alidade;

namespace {

bool within(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

/// 1 s, 0.1 s of each sequence, 0.001 s of each token of its context.
double step(double batch, double context) { return 1 + 0.1 * batch + 0.001 * context; }

/// Eight responses of 100 tokens on two engines.
RolloutLoad equal(double places, double ahead = 0) {
    return {.sequences = 8, .engines = 2, .places = places, .ahead = ahead, .lengths = {100, 0, 1000}};
}

} // namespace

/// Rollouts of equal responses, whose integrals can be done on paper.
class TestRolloutByHand : public QObject {
    Q_OBJECT

private slots:
    /// Four on each engine start and end together: 100 steps of 1.4 s, and 0.001 x 100^2 / 2 s for the
    /// context.
    void allAtOnce() {
        const Rollout r = rollout(equal(10), step);
        QVERIFY(within(r.seconds, 145, 1e-7));
        QCOMPARE(r.longest, 100.0);
        QCOMPARE(r.steps, 100.0);
        QVERIFY(within(r.meanBatch, 4, 1e-7));
        QCOMPARE(r.refillEnd, 0.0);
        QCOMPARE(r.tailSeconds, 0.0);
        QCOMPARE(r.profile.front().batch, 4.0);
        QVERIFY(within(r.profile.back().batch, 4, 1e-9));
        QVERIFY(within(r.profile.back().seconds, 145, 1e-7));
    }

    /// Half as many of later steps alongside them, of random age, go out one by one: from 6 sequences to 4, 5
    /// on average.
    void someOfLaterSteps() {
        const Rollout r = rollout(equal(10, 0.5), step);
        QVERIFY(within(r.seconds, 100 * 1.5 + 5, 1e-6));
        QVERIFY(within(r.longest, 100, 1e-6));
        QVERIFY(within(r.meanBatch, 5, 1e-6));
        QCOMPARE(r.profile.front().batch, 6.0);
        QCOMPARE(rolling::underWay(equal(10, 0.5), 4, 30), 4 + 2 * 0.7);
        QCOMPARE(rolling::underWay(equal(10), 4, 30), 4.0);
    }

    /// There are always sequences to refill two places with: 4 x 100 / 2 steps of two.
    void placesThatAreAlwaysFull() {
        const Rollout r = rollout(equal(2, 1), step);
        QCOMPARE(r.seconds, 200 * step(2, 50));
        QCOMPARE(r.steps, 200.0);
        QCOMPARE(r.meanBatch, 2.0);
        QCOMPARE(r.refillEnd, r.seconds);
        QCOMPARE(r.profile[0].seconds, 0.0);
        QCOMPARE(r.profile[5].seconds, r.seconds);
        QCOMPARE(r.profile[5].batch, 2.0);
        // Half as many are just enough.
        QCOMPARE(rollout(equal(2, 0.5), step).seconds, 200 * step(2, 50));
        QVERIFY(rollout(equal(2, 0.45), step).refillEnd < 200 * step(2, 50));
    }

    /// Two places are refilled until none waits; then two sequences of random age drain: 2 (1 - t / 100) are
    /// left, until a share of 0.625 / (2 x 2 + 0.25) is (Blom 1958), at T = 85.3.
    void refilledPlaces() {
        const Rollout r = rollout(equal(2), step);
        const double T = 100 * (1 - 0.625 / 4.25);
        QVERIFY(within(rolling::drainEndOf(equal(2)), T, 1e-9));
        QVERIFY(within(r.longest, T, 1e-9));
        const double drained = 2 * (T - T * T / 200), refill = (400 - drained) / 2;
        QVERIFY(within(r.refillEnd, refill * step(2, 50), 1e-3));
        // A step has one sequence at least, from token 50 on; the context grows from 50 by half of what is
        // made.
        const double batches = 50 * 1.5 + (T - 50);
        const double tail = T + 0.1 * batches + 0.001 * (50 * T + T * T / 4);
        QVERIFY(within(r.seconds, refill * step(2, 50) + tail, 2e-3));
        QVERIFY(within(r.steps, refill + T, 1e-3));
        QVERIFY(within(r.meanBatch, (2 * refill + batches) / (refill + T), 0.02));
        QCOMPARE(r.profile[0].seconds, 0.0);
        QVERIFY(r.profile[1].seconds > r.refillEnd);
        QVERIFY(within(r.profile.back().seconds, r.seconds, 1e-9));
        // The tail: less than one of the two is left, after token 50.
        QVERIFY(r.tailShare < 2 / 8.0 && r.tailShare > 0.8 * 2 / 8);
        QVERIFY(within(r.tailSeconds, (T - 50) * 1.2, 0.15));
        // With some of later steps alongside them it ends where that many are left.
        QVERIFY(within(rolling::drainEndOf(equal(2, 0.2)), 100 * (1 - 0.2 * 4 / 2), 1e-9));
    }

    /// Sides that take turns add up; else the slower side and the synchronization. Generation is 2 N, two
    /// log-probabilities 2 N each, an update 6 N an epoch; PPO has a critic of 2 N + 6 N and a reward model
    /// of 2 N.
    void stepOfReinforcementLearning() {
        using enum RolePlacement;
        for (const RolePlacement turns : {colocated, split})
            QCOMPARE(rlStepTime<double>(turns, 10, 3, 8, 2), 23.0);
        for (const RolePlacement beside : {oneStepOff, async}) {
            QCOMPARE(rlStepTime<double>(beside, 10, 3, 8, 2), 15.0);
            QCOMPARE(rlStepTime<double>(beside, 10, 3, 20, 2), 22.0);
        }
        QCOMPARE(rlFlopsPerToken<double>(5, RlAlgorithm::grpo, 3), 5.0 * (2 + 4 + 18));
        QCOMPARE(rlFlopsPerToken<double>(5, RlAlgorithm::ppo, 3), 5.0 * (2 + 4 + 18 + 2 + 18 + 2));
        QCOMPARE(weightSyncTime<double>(100, 3, 50, 80), 5.0);
        QCOMPARE(weightSyncTime<double>(100, 3, 50, 10), 10.0);
        QCOMPARE(meaningOf(placementWords, "async").value(), async);
        QVERIFY(!meaningOf(placementWords, "sync"));
        QCOMPARE(meaningOf(algorithmWords, "rloo").value(), RlAlgorithm::rloo);
    }

    /// 40 responses of different lengths on each of 8 engines with 4 places: the last engine takes as much
    /// longer in both parts. Refilled places make all but the tokens of the tail, step by step.
    void lastOfEightEngines() {
        const RolloutLoad load{
            .sequences = 320, .engines = 8, .places = 4, .ahead = 0, .lengths = {100, 0.5, 1000}};
        const auto linear = [](double batch, double) { return 1 + 0.3 * batch; };
        const Rollout r = rollout(load, linear);
        const double factor = rolling::lastEngineFactor(load, 1, 0.3);
        QVERIFY(std::abs(factor - 1) > 0.003);
        QVERIFY(within(r.refillEnd, factor * (r.steps - r.longest) * (1 + 0.3 * 4), 1e-9));
        QVERIFY(within(r.profile.back().seconds, r.seconds, 1e-6));
        // A step of one length: the last engine has the longest of all, in the mean over all draws.
        const RolloutLoad each{
            .sequences = 64, .engines = 8, .places = 100, .ahead = 0, .lengths = {100, 0.8, 1e6}};
        QVERIFY(within(rolling::lastEngineFactor(each, 1, 1e-9),
                       each.lengths.meanOfLongest(64) / each.lengths.longestOf(64), 0.01));
    }

    /// Random ages of very different responses have more left than a new one: 40 places hold more than the
    /// tokens of all 41 responses, none is refilled.
    void nothingToRefill() {
        const RolloutLoad load{
            .sequences = 41, .engines = 1, .places = 40, .ahead = 0, .lengths = {100, 2, 1e5}};
        const Rollout r = rollout(load, [](double, double) { return 1.0; });
        QCOMPARE(r.refillEnd, 0.0);
        QCOMPARE(r.steps, r.longest);
    }

    /// Points of the profile lie closer where most of the sequences end, and the last right at the end: with
    /// steps of 1 s they tell their tokens.
    void pointsOfTheProfile() {
        const RolloutLoad load{
            .sequences = 40, .engines = 1, .places = 100, .ahead = 0, .lengths = {100, 0.5, 1000}};
        const Rollout r = rollout(load, [](double, double) { return 1.0; });
        const double even = r.longest / (Rollout::points - 1.0);
        double before = 0;
        for (std::size_t i = 1; i < Rollout::points; ++i) {
            const double gap = r.profile[i].seconds - r.profile[i - 1].seconds;
            QVERIFY(gap > before);
            QVERIFY(within(r.profile[i].batch, 40 * load.lengths.above(r.profile[i].seconds), 1e-6) ||
                    i + 1 == Rollout::points);
            before = gap;
        }
        QVERIFY(r.profile[1].seconds < even / 2);
        QVERIFY(within(r.profile.back().seconds, r.longest, 1e-6));
        // What the sequences cost beyond the step is exact: their tokens.
        const Rollout priced = rollout(load, [](double batch, double) { return 0.1 * batch; });
        QVERIFY(within(priced.seconds, 0.1 * 40 * load.lengths.meanBelow(r.longest), 5e-3));
    }

    /// With sequences of later steps alongside them, a rollout ends when as many are left as those are.
    void endAmongLaterSteps() {
        const RolloutLoad load{
            .sequences = 320, .engines = 8, .places = 100, .ahead = 0.5, .lengths = {100, 0.5, 1000}};
        const double end = rolling::endOf(load);
        QVERIFY(end < load.lengths.longestOf(320));
        QVERIFY(within(rolling::underWay(load, 40, end), 0.5 * 40, 1e-6));
        QVERIFY(within(rollout(load, step).longest, end, 1e-9));
        // One response alone takes its steps.
        const RolloutLoad one{
            .sequences = 1, .engines = 1, .places = 100, .ahead = 0, .lengths = {100, 0.5, 1000}};
        const Rollout r = rollout(one, [](double, double) { return 2.0; });
        QVERIFY(within(r.seconds, 2 * r.longest, 1e-6));
    }

    /// Less than one place is one; one engine has no other to wait for.
    void smallestCases() {
        QCOMPARE(rollout(equal(0.5, 1), step).meanBatch, 1.0);
        QCOMPARE(rolling::lastEngineFactor(equal(10), 1, 0.1), 1.0);
        RolloutLoad spread = equal(10);
        spread.lengths = {100, 0.8, 1000};
        QCOMPARE(rolling::lastEngineFactor(spread, 0, 0.1), 1.0);
        QCOMPARE(rolling::lastEngineFactor(spread, 1, 0), 1.0);
        spread.sequences = 2;
        QCOMPARE(rolling::lastEngineFactor(spread, 1, 0.1), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestRolloutByHand)

} // namespace tst_rollout_by_hand

#include "tst_rollout_by_hand.moc"
