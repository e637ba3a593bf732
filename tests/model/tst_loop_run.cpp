// SPDX-License-Identifier: GPL-3.0-or-later
// What the start and the end of a closed-loop benchmark do to its means, against users that are played one by
// one.
#include "model/validation/loop_run.h"

#include <QTest>
#include <queue>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace alidade;

namespace {

/// Busy users over the whole run, as a share of all: answers of uniform lengths with that spread, made at a
/// pace that does not depend on how many users are left.
double playedShare(int users, int requestsPerUser, double cv, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> length(1 - cv * std::sqrt(3.0), 1 + cv * std::sqrt(3.0));
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;
    double work = 0, end = 0;
    int left = users * requestsPerUser;
    for (; left > users * (requestsPerUser - 1); --left) {
        const double one = length(random);
        work += one;
        ends.push(one);
    }
    while (!ends.empty()) {
        end = ends.top();
        ends.pop();
        if (left > 0) {
            --left;
            const double one = length(random);
            work += one;
            ends.push(end + one);
        }
    }
    return work / (users * end);
}

LoopRun evenRun() {
    return {.users = 33,
            .requestsPerUser = 10,
            .lengthCv = 0,
            .answer = 10,
            .promptsOfOthers = 3.2, // 0.1 s each
            .burst = 3.2,
            .waitInSteadyState = 0,
            .answerAlone = 10};
}

} // namespace

class TestLoopRun : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theEndOfARunCostsThroughput_data();
    void theEndOfARunCostsThroughput();
    void fewerUsersMakeTheEndShorter();
    void firstRoundIsHalfOfTheBurst();
    void answersThatSpreadForgetTheStart();
    void equalAnswersOfAnUnknownStart();
    void aLoneUserWaitsForNobody();
};

void TestLoopRun::theEndOfARunCostsThroughput_data() {
    QTest::addColumn<int>("users");
    QTest::addColumn<int>("requests");
    QTest::addColumn<double>("cv");
    for (const int users : {16, 100, 400}) {
        for (const int requests : {3, 5, 20}) {
            for (const double cv : {0.3, 0.577}) {
                QTest::addRow("%d users, %d requests each, cv %.2f", users, requests, cv)
                    << users << requests << cv;
            }
        }
    }
}

void TestLoopRun::theEndOfARunCostsThroughput() {
    QFETCH(int, users);
    QFETCH(int, requests);
    QFETCH(double, cv);
    double played = 0;
    constexpr int runs = 50;
    for (unsigned seed = 1; seed <= runs; ++seed)
        played += playedShare(users, requests, cv, seed) / runs;
    const double share = throughputShare({.users = double(users),
                                          .requestsPerUser = double(requests),
                                          .lengthCv = cv,
                                          .answer = 1,
                                          .answerAlone = 1});
    QVERIFY2(std::abs(share / played - 1) < 0.05,
             qPrintable(QStringLiteral("%1 for %2").arg(share).arg(played)));
}

void TestLoopRun::fewerUsersMakeTheEndShorter() {
    LoopRun run{.users = 100, .requestsPerUser = 5, .lengthCv = 0.577, .answer = 1, .answerAlone = 1};
    const double even = throughputShare(run);
    run.answerAlone = 0.25;
    QVERIFY(throughputShare(run) > even + 0.02);
    QVERIFY(throughputShare(run) < 1);
    run.requestsPerUser = 0; // not given
    QCOMPARE(throughputShare(run), 1.0);
}

void TestLoopRun::firstRoundIsHalfOfTheBurst() {
    // Lengths that spread: no later round collides, and one request of five waits for half of the burst.
    LoopRun run = evenRun();
    run.lengthCv = 0.577;
    run.requestsPerUser = 5;
    run.waitInSteadyState = 1000;
    QVERIFY(std::abs(firstTokenDelay(run) - 3.2 / 2 / 5) < 1e-12);
    run.burst = 1.6;
    QVERIFY(std::abs(firstTokenDelay(run) - 1.6 / 2 / 5) < 1e-12);
}

void TestLoopRun::answersThatSpreadForgetTheStart() {
    LoopRun run = evenRun();
    double last = firstTokenDelay(run);
    for (const double cv : {0.02, 0.05, 0.1, 0.3}) {
        run.lengthCv = cv;
        const double delay = firstTokenDelay(run);
        QVERIFY2(delay <= last, qPrintable(QString::number(cv)));
        last = delay;
    }
    QVERIFY(last < 0.6 * firstTokenDelay(evenRun()));
    // Never more than in step with all others.
    QVERIFY(firstTokenDelay(evenRun()) < 3.2);
}

void TestLoopRun::equalAnswersOfAnUnknownStart() {
    LoopRun run = evenRun();
    run.requestsPerUser = 0;
    QCOMPARE(firstTokenDelay(run), 0.0);
    run.lengthCv = 0.06;
    QVERIFY(firstTokenDelay(run) > 0);
}

void TestLoopRun::aLoneUserWaitsForNobody() {
    LoopRun run = evenRun();
    run.users = 1;
    QCOMPARE(firstTokenDelay(run), 0.0);
    QCOMPARE(throughputShare(run), 1.0);
}

QTEST_GUILESS_MAIN(TestLoopRun)
#include "tst_loop_run.moc"
