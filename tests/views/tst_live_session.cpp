// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_fixture.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_live_session {

using namespace alidade;
using namespace alidade::views;

namespace {

/// A session at a clock that a test sets, with one server.
struct Rig {
    sample::LiveServer server;
    double now = sample::liveNow;
    LiveSession session{nullptr, [this] { return now; }, sample::liveJudge({})};

    Rig() {
        session.setPolicies(sample::livePolicies());
        session.setSources({server.source()});
    }
    ~Rig() { server.held = false; }
    void settle() { QTRY_VERIFY(!session.isAsking()); }
    void open() {
        session.chooseSource("a");
        settle();
    }
};

} // namespace

class TestLiveSession : public QObject {
    Q_OBJECT
private slots:
    void answersArrive();
    void olderAnswersAreDropped();
    void failuresBackOffAndKeepTheLastAnswer();
    void pausedAsksNothing();
    void fixedTimeIsAskedOnce();
    void pollsAskForTheSameInstants();
    void otherPolicyJudgesTheSameMeasurements();
    void policyChosenDuringAQueryCounts();
    void anotherJobIsNotShownAsThisOne();
    void snapshotsShowTheirOwnTime();
    void planThatFailsIsSaid();
    void endsWhileAnAnswerIsAwaited();
    void gridsAreRoundAndShort();
    void quietWindowIsTheLongest();
};

void TestLiveSession::answersArrive() {
    Rig rig;
    QCOMPARE(rig.session.state()->phase, LivePhase::none);
    rig.server.held = true;
    rig.session.chooseSource("a");
    QCOMPARE(rig.session.state()->phase, LivePhase::connecting);
    rig.server.held = false;
    rig.settle();
    const auto state = rig.session.state();
    QCOMPARE(state->phase, LivePhase::connected);
    QVERIFY(state->result);
    QCOMPARE(state->jobs.size(), std::size_t(2));
    QCOMPARE(*rig.session.job(), std::string("llama-70b-sft")); // the first that was found
    QCOMPARE(state->result->findings.size(), std::size_t(8));
    QVERIFY(state->result->quiet);
    QCOMPARE(*rig.session.nextAsk(), 30.0); // a step of the grid
}

void TestLiveSession::olderAnswersAreDropped() {
    Rig rig;
    rig.open();
    rig.server.held = true;
    rig.session.setSpan({.last = 1800});
    QTRY_COMPARE(rig.server.asked.load(), 2);
    rig.session.setSpan({.last = 86400}); // supersedes the one that waits
    rig.server.held = false;
    rig.settle();
    QTRY_COMPARE(rig.server.asked.load(), 3);
    QCOMPARE(rig.session.state()->result->request.grid.step, 300.0);
    QTest::qWait(20);
    QCOMPARE(rig.session.state()->result->request.grid.step, 300.0);
}

void TestLiveSession::failuresBackOffAndKeepTheLastAnswer() {
    Rig rig;
    rig.open();
    const auto good = rig.session.state()->result;
    rig.server.fail("Connection refused.");
    for (const double wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
        rig.session.ask();
        rig.settle();
        QCOMPARE(rig.session.state()->phase, LivePhase::stale);
        QCOMPARE(*rig.session.nextAsk(), wait);
    }
    QCOMPARE(rig.session.state()->result, good);
    QCOMPARE(rig.session.state()->error, std::string("Connection refused."));
    rig.now += 90;
    QCOMPARE(rig.session.age(), 90.0);
    rig.server.fail({});
    rig.session.ask();
    rig.settle();
    QCOMPARE(rig.session.state()->phase, LivePhase::connected);
    QCOMPARE(rig.session.state()->failures, 0);
    QCOMPARE(*rig.session.nextAsk(), 30.0);
}

void TestLiveSession::pausedAsksNothing() {
    Rig rig;
    rig.open();
    rig.session.setFollowing(false);
    QVERIFY(!rig.session.nextAsk());
    QCOMPARE(rig.server.asked.load(), 1);
    rig.session.setFollowing(true); // asks at once
    rig.settle();
    QCOMPARE(rig.server.asked.load(), 2);
    QVERIFY(rig.session.nextAsk());
}

void TestLiveSession::fixedTimeIsAskedOnce() {
    Rig rig;
    rig.open();
    rig.session.setSpan({.start = sample::liveStart, .end = sample::liveStart + 3600, .fixed = true});
    rig.settle();
    QVERIFY(!rig.session.isPolling());
    QVERIFY(!rig.session.nextAsk());
    QCOMPARE(rig.session.state()->result->request.grid.start, sample::liveStart);
    QCOMPARE(rig.session.state()->result->request.grid.end(), sample::liveStart + 3600);
}

void TestLiveSession::pollsAskForTheSameInstants() {
    Rig rig;
    rig.open();
    rig.now += 37;
    rig.session.ask();
    rig.settle();
    const TimeGrid first = rig.server.requests[0].grid, second = rig.server.requests[1].grid;
    QCOMPARE(second.step, first.step);
    QCOMPARE(std::fmod(second.start - first.start, first.step), 0.0);
}

void TestLiveSession::otherPolicyJudgesTheSameMeasurements() {
    Rig rig;
    rig.open();
    const auto before = rig.session.state()->result;
    rig.session.choosePolicy("nvidia");
    rig.settle();
    const auto after = rig.session.state()->result;
    QCOMPARE(after->policy, std::string("nvidia"));
    QCOMPARE(after->observation, before->observation);
    QCOMPARE(rig.server.asked.load(), 1);
}

void TestLiveSession::policyChosenDuringAQueryCounts() {
    Rig rig;
    rig.server.held = true;
    rig.session.chooseSource("a");
    QTRY_COMPARE(rig.server.asked.load(), 1);
    rig.session.choosePolicy("nvidia");
    rig.server.held = false;
    QTRY_VERIFY(rig.session.state()->result);
    QTRY_COMPARE(rig.session.state()->result->policy, std::string("nvidia"));
    QCOMPARE(rig.server.asked.load(), 1);
}

void TestLiveSession::anotherJobIsNotShownAsThisOne() {
    Rig rig;
    rig.open();
    rig.server.fail("503 from the server.");
    rig.session.chooseJob(std::string("chat"));
    rig.settle();
    QCOMPARE(rig.session.state()->phase, LivePhase::failed);
    QVERIFY(!rig.session.state()->result);
}

void TestLiveSession::snapshotsShowTheirOwnTime() {
    Rig rig;
    LiveSource snapshot = rig.server.source("s", "snapshot of 14:00");
    snapshot.recorded = TimeGrid{sample::liveStart - 86400, 60, 61};
    rig.session.setSources({rig.server.source(), snapshot});
    rig.session.chooseSource("s");
    rig.settle();
    QCOMPARE(rig.session.state()->result->request.grid, *snapshot.recorded);
    QVERIFY(!rig.session.nextAsk());
}

void TestLiveSession::planThatFailsIsSaid() {
    Rig rig;
    LivePlan plan;
    plan.id = plan.name = "70B";
    plan.estimate = [](std::stop_token) -> Result<std::shared_ptr<const Estimate>> {
        return Error{"There is no model 'llama-9'."};
    };
    rig.session.setPlans({plan});
    rig.open();
    QCOMPARE(rig.session.state()->result->planError, std::string("There is no model 'llama-9'."));
    QCOMPARE(rig.session.state()->phase, LivePhase::connected);
}

void TestLiveSession::endsWhileAnAnswerIsAwaited() {
    sample::LiveServer server;
    server.held = true;
    {
        LiveSession session(nullptr, {}, sample::liveJudge({}));
        session.setSources({server.source()});
        session.chooseSource("a");
        QTRY_COMPARE(server.asked.load(), 1);
    } // stops the worker, which would else wait for ever
    QCOMPARE(server.asked.load(), 1);
}

void TestLiveSession::gridsAreRoundAndShort() {
    for (const double last : {1800.0, 7200.0, 86400.0, 604800.0, 31.0 * 86400}) {
        const TimeGrid grid = gridOf({.last = last}, sample::liveNow + 7);
        QVERIFY(grid.points <= 361);
        QVERIFY(grid.points > 60);
        QCOMPARE(std::fmod(grid.start, grid.step), 0.0);
        QVERIFY(grid.end() <= sample::liveNow + 7);
        QVERIFY(grid.end() > sample::liveNow + 7 - grid.step);
    }
}

void TestLiveSession::quietWindowIsTheLongest() {
    Rig rig;
    rig.open();
    const auto quiet = rig.session.state()->result->quiet;
    QVERIFY(quiet);
    // Before the straggler; errors that are corrected from 10 min on cost nothing and do not disturb.
    QCOMPARE(quiet->start, sample::liveStart);
    QCOMPARE(quiet->end, sample::liveStart + 1740);
}

QTEST_GUILESS_MAIN(TestLiveSession)

} // namespace tst_live_session

#include "tst_live_session.moc"
