// SPDX-License-Identifier: GPL-3.0-or-later
// The formulas of a closed loop with a start and an end, where all but one of their terms are out of the way.
#include "model/validation/loop_run.h"

#include <QTest>

#include <cmath>

namespace tst_loop_run_by_hand {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

/// Answers that spread so widely that prompts come at any time; nothing bounds a group of them.
constexpr LoopRunConstants anyGroup{.group = 1e12, .spread = 1e12, .fullest = 0.999, .leastCv = 0.01};

/// Five users, ten rounds; half of an answer of 10 s is waiting for prompts, of 1.25 s each.
LoopRun wideRun() {
    return {.users = 5,
            .requestsPerUser = 10,
            .lengthCv = 1,
            .answer = 10,
            .promptsOfOthers = 5,
            .burst = 6,
            .waitInSteadyState = 0,
            .answerAlone = 10};
}

} // namespace

class TestLoopRunByHand : public QObject {
    Q_OBJECT

private slots:
    /// One round of n waits for half of the burst; in the others a prompt waits as in M/D/1: at a load of a
    /// half, half of its own time.
    void windowOfAnyTime() {
        LoopRun run = wideRun();
        QVERIFY(near(firstTokenDelay(run, anyGroup), 6 / 2.0 / 10 + 0.9 * 0.5 * 1.25));
        run.requestsPerUser = 0; // ten, usually
        QVERIFY(near(firstTokenDelay(run, anyGroup), 6 / 2.0 / 10 + 0.9 * 0.5 * 1.25));
        run.requestsPerUser = 2;
        QVERIFY(near(firstTokenDelay(run, anyGroup), 6 / 2.0 / 2 + 0.5 * 0.5 * 1.25));
        run.requestsPerUser = 1;
        QVERIFY(near(firstTokenDelay(run, anyGroup), 3));
        run.requestsPerUser = 0.5; // no less than one
        QVERIFY(near(firstTokenDelay(run, anyGroup), 3));
        run.requestsPerUser = 10;
        run.waitInSteadyState = 0.5; // what a loop without end waits too is no delay
        QVERIFY(near(firstTokenDelay(run, anyGroup), 0.3 + 0.9 * 0.125));
        run.waitInSteadyState = 1;
        QVERIFY(near(firstTokenDelay(run, anyGroup), 0.3));
        run.waitInSteadyState = 0;
        run.promptsOfOthers = 8; // a load of 0.8: twice the time of a prompt, 2 s
        QVERIFY(near(firstTokenDelay(run, anyGroup), 0.3 + 0.9 * 2 * 2));
    }

    /// After two rounds, the first of which is not meant: sqrt(r) is (1.5^1.5 - 0.5^1.5) / 1.5 = 0.98904 on
    /// average, and the window 2 sqrt(pi) x cv x that. With a cv of 0.1426092 it is half of an answer.
    void windowOfHalfAnAnswer() {
        LoopRun run = wideRun();
        run.requestsPerUser = 2;
        run.lengthCv = 0.5 / (2 * std::sqrt(std::acos(-1.0)) * 0.9890426109960733);
        run.promptsOfOthers = 2.5; // a load of a half in it, of prompts of 0.625 s
        QVERIFY(near(firstTokenDelay(run, anyGroup), 6 / 2.0 / 2 + 0.5 * 0.5 * 0.625));
        // As wide at least as the cv of equal answers.
        LoopRunConstants constants = anyGroup;
        constants.leastCv = run.lengthCv;
        run.lengthCv = 0;
        QVERIFY(near(firstTokenDelay(run, constants), 6 / 2.0 / 2 + 0.5 * 0.5 * 0.625));
    }

    /// In a full window a prompt waits for a group of others: the root of those that come within a part of
    /// the answer, or of all.
    void groups() {
        LoopRun run = wideRun();
        run.promptsOfOthers = 100; // 25 s each, ten times more than fits
        LoopRunConstants constants{.group = 0.5, .spread = 1e12, .fullest = 1 - 1e-12, .leastCv = 0.01};
        QVERIFY(near(firstTokenDelay(run, constants), 0.3 + 0.9 * 25 * (0.5 * 2)));
        constants.spread = 2.5; // 25 s: one prompt
        QVERIFY(near(firstTokenDelay(run, constants), 0.3 + 0.9 * 25 * 0.5));
        constants.fullest = 0.5; // of the window: half of a prompt by M/D/1, half by the group
        QVERIFY(near(firstTokenDelay(run, constants), 0.3 + 0.9 * 25 * 0.25));
    }

    /// Five users, four rounds, a cv of 0.1, prompts of 1 s in answers of 10 s: sqrt(r) is 1.376522 on
    /// average, the window 0.487964 of an answer, 0.819732 of it taken: 2.273653 prompts by M/D/1, 0.88
    /// sqrt(0.58) = 0.670188 by the group, together 0.517614. Equal answers: a window of 0.048796, 0.97 of
    /// it taken: 16.1667 by M/D/1, 0.643511 together.
    void shippedConstants() {
        LoopRun run{.users = 5,
                    .requestsPerUser = 4,
                    .lengthCv = 0.1,
                    .answer = 10,
                    .promptsOfOthers = 4,
                    .burst = 4,
                    .waitInSteadyState = 0,
                    .answerAlone = 10};
        QVERIFY(std::abs(firstTokenDelay(run) - (0.5 + 0.75 * 0.517614)) < 2e-6);
        run.lengthCv = 0;
        QVERIFY(std::abs(firstTokenDelay(run) - (0.5 + 0.75 * 0.643511)) < 2e-6);
        // Short of full, the least window shows: 0.4 s of prompts are 0.819732 of 0.0488 x 10 s.
        run.promptsOfOthers = 0.4;
        const double group = 0.88 * std::sqrt(std::min(0.058 * 10 / 0.1, 4.0)); // 1.76
        QVERIFY(std::abs(firstTokenDelay(run) - (0.5 + 0.75 * 0.1 * 2.273653 * group / (2.273653 + group))) <
                2e-6);
    }

    void whatHasNoDelay() {
        LoopRun run = wideRun();
        run.users = 1;
        QCOMPARE(firstTokenDelay(run), 0.0);
        run = wideRun();
        run.answer = 0;
        QCOMPARE(firstTokenDelay(run), 0.0);
        run = wideRun();
        run.lengthCv = 0;
        QVERIFY(firstTokenDelay(run) > 0);
        run.requestsPerUser = 0;
        QCOMPARE(firstTokenDelay(run), 0.0);
        run.lengthCv = 1;
        QVERIFY(firstTokenDelay(run) > 0);
    }

    /// Four answers of each of 16 users with a cv of 0.5: 3.375 rounds until the last requests are sent, then
    /// the longest of the rests, (1 + 0.5 sqrt(3)) (1 - 1/4) of an answer.
    void endOfARun() {
        LoopRun run{.users = 16, .requestsPerUser = 4, .lengthCv = 0.5, .answer = 10, .answerAlone = 10};
        const double longest = (1 + 0.5 * std::sqrt(3)) * 0.75;
        QVERIFY(near(throughputShare(run), 4 / (3.375 + longest)));
        run.answerAlone = 5; // half as long: three quarters on average
        QVERIFY(near(throughputShare(run), 4 / (3.375 + 0.75 * longest)));
        run.answerAlone = 20; // not longer
        QVERIFY(near(throughputShare(run), 4 / (3.375 + longest)));
        run.requestsPerUser = 1;
        QVERIFY(near(throughputShare(run), 1 / (0.375 + longest)));
        run.lengthCv = 3; // the rest is five answers on average: all of the run
        QVERIFY(near(throughputShare(run), 1 / ((1 + 3 * std::sqrt(3)) * 0.75)));
        run.lengthCv = 0.01;
        run.requestsPerUser = 4;
        run.answerAlone = 0; // an end that takes less than an answer costs nothing
        QCOMPARE(throughputShare(run), 1.0);
    }

    void whatHasNoEnd() {
        const LoopRun run{
            .users = 16, .requestsPerUser = 4, .lengthCv = 0.5, .answer = 10, .answerAlone = 10};
        QVERIFY(throughputShare(run) < 1);
        for (const auto member : {&LoopRun::requestsPerUser, &LoopRun::lengthCv, &LoopRun::answer}) {
            LoopRun other = run;
            other.*member = 0;
            QCOMPARE(throughputShare(other), 1.0);
        }
        LoopRun one = run;
        one.users = 1;
        QCOMPARE(throughputShare(one), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestLoopRunByHand)

} // namespace tst_loop_run_by_hand

#include "tst_loop_run_by_hand.moc"
