// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"
#include "model/reliability/failure_causes.h"
#include "model/reliability/run_core.h"
#include "model/reliability/spares.h"
#include "model/run/checkpoint_curve.h"
#include "model/run/run_calendar.h"
#include "model/run/run_facts.h"
#include "model/run/run_phases.h"
#include "model/run/spare_costs.h"
#include "model/run/storage_fill.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_run_calendar {

using namespace alidade;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

/// Three intervals of 10 with stalls of 1 after them; a failure at 25 loses 3 and stops for 5.
struct Drawn {
    RunProcess process{.useful = 60, .interval = 10, .stall = 1};
    DrawnRun run{.seconds = 73, .stalls = 5, .planned = 0, .failures = {{25, 3, 5, 0}}};

    explicit Drawn(double times = 1) {
        for (double* each : {&process.useful, &process.interval, &process.stall, &run.seconds, &run.stalls,
                             &run.failures[0].at, &run.failures[0].lost, &run.failures[0].stop})
            *each *= times;
    }
};

} // namespace

/// What the drawings of a whole run are made of, against values worked out by hand.
class TestRunCalendar : public QObject {
    Q_OBJECT

private slots:
    /// A hundred days that read 50 bytes; ten checkpoints of 10, of which three are kept.
    void fileSystemFillsUp() {
        Estimate e;
        QVERIFY(!storageFill(e));
        Run run;
        run.days = RunDaysT<double>{90, 100, 110, 100};
        run.goodput = 0.5;
        run.dataRate = 50 / (100 * 86'400 * 0.5);
        run.checkpoint.bytes = 10;
        run.checkpoint.interval = 5 * 86'400; // of training: one in ten days
        run.checkpoint.count = 10;
        e.run = run;
        QVERIFY(!storageFill(e)); // S3 has no capacity
        e.run->storageBytes = 100;
        const StorageFill fill = *storageFill(e);
        QVERIFY(near(fill.data, 50) && near(fill.period, 10));
        QVERIFY(near(fill.at(5), 2.5) && near(fill.at(25), 12.5 + 20) && near(fill.most(), 50 + 30));
        QVERIFY(!fill.fullAfter());
        // With all of them 10 / 10 + 50 / 100 a day: the seventh, on day 70, is the first that does not fit.
        QVERIFY(near(*fill.fullAfter(1'000), 70));
        // Three checkpoints leave 20, which is read in forty days.
        e.run->storageBytes = 50;
        QVERIFY(near(*storageFill(e)->fullAfter(), 40));
        // Two leave 4 after twenty days, in which ten have been read.
        e.run->storageBytes = 24;
        QVERIFY(near(*storageFill(e)->fullAfter(), 20));
        e.run->storageBytes = 81;
        QVERIFY(!storageFill(e)->fullAfter());
        // Data of later epochs are there already; a run without checkpoints in storage has the data alone.
        e.run->dataEpochs = 5;
        QVERIFY(near(storageFill(e)->data, 10));
        e.run->mode = CheckpointMode::peer;
        QVERIFY(near(storageFill(e)->most(), 10));
        // As many as the capacity is chosen for where none is given.
        QCOMPARE(usualCapacity(1e12, 0, 1, 1), keptCheckpoints * 1e12);
    }

    void blocksFollowEachOther() {
        Estimate e;
        const auto rented = runPhases(e, 40);
        QCOMPARE(rented.size(), std::size_t{1});
        QVERIFY(rented[0].kind == RunPhaseKind::rented && near(rented[0].to, 40));
        e.scenario.cluster.purchase = "capacity_block";
        // 40 days and half an hour at the end: six weeks.
        const auto one = runPhases(e, 40);
        QCOMPARE(one.size(), std::size_t{2});
        QVERIFY(one[0].kind == RunPhaseKind::block && near(one[0].to, 40) && one[0].count == 1);
        QVERIFY(one[1].kind == RunPhaseKind::unused && near(one[1].from, 40) && near(one[1].to, 42));
        // The longest block is of 182 days.
        const auto two = runPhases(e, 200);
        QCOMPARE(two.size(), std::size_t{3});
        QVERIFY(near(two[0].to, 182) && near(two[1].from, 182) && near(two[1].to, 200) && two[1].number == 2);
        QVERIFY(near(two[2].to * 24, capacityBlockPaidHours(200 * 24)));
        QVERIFY(runPhases(e, HUGE_VAL).empty());
    }

    /// Compute / expected time of an interval: 990 / (10,000 (e^0.1 - 1)), 1,990 / (10,000 (e^0.2 - 1)).
    void goodputOfAnotherInterval() {
        Run run;
        run.mtbf = 10'000;
        run.checkpoint.stall = 10;
        run.checkpoint.interval = 990;
        run.goodput = 0.5 * 990 / 1051.7091807564763; // half of the time goes elsewhere
        run.days = RunDaysT<double>{90, 100, 110, 100};
        QVERIFY(near(goodputAt(run, 990), run.goodput));
        QVERIFY(near(goodputAt(run, 1990), 0.5 * 1990 / 2214.0275816016985));
        QVERIFY(near(daysAt(run, 1990), 100 * (990 / 1051.7091807564763) / (1990 / 2214.0275816016985)));
        const auto curve = checkpointCurve(run, 100, 400, 3);
        QCOMPARE(curve.size(), std::size_t{3});
        QVERIFY(near(curve[0].interval, 100) && near(curve[1].interval, 200) && near(curve[2].interval, 400));
        QCOMPARE(curve[1].goodput, goodputAt(run, 200));
        QVERIFY(hasInterval(run));
        // Twice the failures: the same as an MTBF of 5,000.
        QVERIFY(near(goodputAtRate(run, 2), 0.5 * 990 / (5'000 * (std::exp(0.2) - 1))));
        run.checkpoint.drain = 70;
        QCOMPARE(shortestInterval(run), 60.0);
        run.mode = CheckpointMode::peer;
        QVERIFY(!hasInterval(run));
    }

    /// One node in repair in the mean: none with probability 1/e, at most one with 2/e.
    void spares() {
        const auto costs = spareCosts({.nodes = 10, .meanInRepair = 1}, 2, 1);
        QCOMPARE(costs.size(), std::size_t{2});
        const double e = std::exp(1.0);
        QVERIFY(costs[0].rent == 0 && near(costs[0].waiting, 10 * (e - 1) * 2));
        QVERIFY(costs[1].rent == 2 && near(costs[1].waiting, 11 * (e / 2 - 1) * 2));
        const auto many = spareCosts({.nodes = 2048, .meanInRepair = 7.8}, 1, 40);
        const auto least = std::ranges::min_element(many, {}, &SpareCost::total);
        QCOMPARE(least->spares, cheapestSpares(2048, 7.8));
    }

    void spansOfADrawnRun() {
        const Drawn d;
        QCOMPARE(playedSeconds(d.process, d.run), 73.0);
        const auto spans = drawnSpans(d.process, d.run, 2, 20, 28);
        struct Wanted {
            RunPiece piece;
            double from, to;
            bool saved;
        };
        const std::vector<Wanted> wanted{{RunPiece::work, 20, 21, true},
                                         {RunPiece::stopped, 21, 22, false},
                                         {RunPiece::redone, 22, 25, false},
                                         {RunPiece::stopped, 25, 27, false},
                                         {RunPiece::starting, 27, 28, false}};
        QCOMPARE(spans.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            QVERIFY2(spans[i].piece == wanted[i].piece && spans[i].from == wanted[i].from &&
                         spans[i].to == wanted[i].to && spans[i].saved == wanted[i].saved,
                     qPrintable(QString::number(i)));
        double work = 0;
        for (const RunSpan& each : drawnSpans(d.process, d.run, 2, 0, 1000))
            work += each.piece == RunPiece::work ? each.to - each.from : 0;
        QCOMPARE(work, 60.0);
    }

    void daysOfADrawnRun() {
        Drawn d(10'000);
        const auto days = drawnDays(d.process, d.run, 20'000);
        QCOMPARE(days.size(), std::size_t{9}); // 730,000 s
        QVERIFY(near(days[0].shares.work, 86'400) && days[0].interruptions == 0);
        QVERIFY(near(days[1].shares.work, 76'400) && near(days[1].shares.stopped, 10'000));
        const RunShares& third = days[2].shares;
        QVERIFY(near(third.work, 37'200) && near(third.redone, 30'000) && near(third.stopped, 19'200));
        QCOMPARE(days[2].interruptions, 1);
        RunShares sum;
        for (const RunDay& each : days) {
            sum.work += each.shares.work;
            sum.redone += each.shares.redone;
            sum.stopped += each.shares.stopped;
            sum.starting += each.shares.starting;
        }
        QVERIFY(near(sum.work, 600'000) && near(sum.redone, 30'000) && near(sum.stopped, 70'000) &&
                near(sum.starting, 30'000));

        d.process.waitingShare = 0.5; // the same pieces over twice the time
        d.run.seconds *= 2;
        const auto waiting = drawnDays(d.process, d.run, 20'000);
        QCOMPARE(waiting.size(), std::size_t{17});
        QVERIFY(near(waiting[0].shares.work, 43'200) && near(waiting[0].shares.stopped, 43'200));
        QCOMPARE(waiting[5].interruptions, 1); // 250,000 s of the pieces are 500,000 s of the calendar
        DrawnRun last = d.run;
        last.failures.front().at = playedSeconds(d.process, last);
        QCOMPARE(drawnDays(d.process, last, 20'000).back().interruptions, 1);
    }

    /// 10 days, of which 1 is redone, 0.3 stop after failures (a third of a stop is finding it), 0.2 planned,
    /// 0.1 waiting, 0.05 stalls.
    void expected() {
        constexpr double day = 86'400;
        Run run;
        run.days = RunDaysT<double>{9, 10, 11, 10};
        run.recovery = 300;
        run.lost = {{"GPU and HBM", 5, 0.3 * day, 1 * day, 1.3 * day, {}},
                    {std::string(plannedCause), 1, 0.2 * day, 0, 0.2 * day, {}},
                    {std::string(waitingCause), 0, 0.1 * day, 0, 0.1 * day, {}},
                    {std::string(stallCause), 9, 0, 0.05 * day, 0.05 * day, {}}};
        const RunShares shares = expectedShares(run, 100);
        QVERIFY(near(shares.redone, day) && near(shares.stopped, 0.25 * day));
        QVERIFY(near(shares.starting, 0.4 * day) && near(shares.work, 8.35 * day));
    }

    /// Alone in the window rather than the one that loses most.
    void failureToShow() {
        const RunProcess process{.useful = 1000, .interval = 10, .stall = 0};
        DrawnRun run{.seconds = 1000, .stalls = 0, .planned = 0, .failures = {}};
        QCOMPARE(tellingFailure(process, run, 40), -1);
        run.failures = {{10, 9, 1, 0}, {500, 4, 1, 0}, {700, 6, 1, 0}, {710, 8, 1, 0}};
        QCOMPARE(tellingFailure(process, run, 40), 1);
    }

    /// 4 January and 72.3 days: in the 73rd day, which is 72 days later. Two whole days end with the next
    /// day.
    void dates() {
        QCOMPARE(lastDayOf(20'822, 72.3), 20'894);
        QCOMPARE(lastDayOf(20'822, 2), 20'823);
        QCOMPARE(lastDayOf(20'822, 0.1), 20'822);
    }

    /// $2 an hour for 10 days of which a tenth is waiting.
    void rentOfANode() {
        Run run;
        run.days = RunDaysT<double>{9, 10, 11, 10};
        QVERIFY(near(nodeRent({.nodeDollarsPerHour = 2}, {.waitingShare = 0.1}, run), 432));
        QVERIFY(near(nodeRent({}, {.waitingShare = 0.1}, run), 9));
    }

    void outcomes() {
        QCOMPARE(shareWithin({1, 2, 3, 4}, 2), 0.5);
        QCOMPARE(shareWithin({1, 2, 3, 4}, 0.5), 0.0);
        QCOMPARE(shareWithin({}, 1), 0.0);
        QCOMPARE(outcomesToDraw(10'000, 560), 10'000);
        QCOMPARE(outcomesToDraw(10'000, 30'000), 1'000);
        QCOMPARE(outcomesToDraw(10'000, 1e6), 0);
    }
};

QTEST_APPLESS_MAIN(TestRunCalendar)

} // namespace tst_run_calendar

#include "tst_run_calendar.moc"
