// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/failure_causes.h"
#include "model/reliability/goodput.h"
#include "model/run/run_calendar.h"
#include "model/run/run_facts.h"
#include "model/run/run_simulation.h"

#include <QTest>

#include <array>
#include <cmath>
#include <numeric>

namespace tst_run_process {

using namespace alidade;

namespace {

constexpr double day = 86'400;

bool within(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

double meanOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

/// Drawn runs against the expectations of what they are drawn from: large samples of fixed seeds.
class TestRunProcess : public QObject {
    Q_OBJECT

private slots:
    /// Ten days of which 0.9 count, four planned stops of 600 s, a day of waiting.
    void processOfAnEstimate() {
        Run run;
        run.days = RunDaysT<double>{9, 10, 11, 10};
        run.goodput = 0.9;
        run.mtbf = 5000;
        run.recovery = 300;
        run.checkpoint.interval = 70;
        run.checkpoint.stall = 2;
        run.checkpoint.drain = 30;
        run.lost = {{std::string(plannedCause), 4, 2400, 0, 2400, {}},
                    {std::string(waitingCause), 0, day, 0, day, {}},
                    {"GPU and HBM", 9, 1, 1, 2, {}}};
        const RunProcess p = runProcess(run);
        QCOMPARE(p.useful, 9 * day);
        QCOMPARE(p.interval, 70.0);
        QCOMPARE(p.stall, 2.0);
        QCOMPARE(p.drain, 30.0);
        QCOMPARE(p.mtbf, 5000.0);
        QCOMPARE(p.recovery, 300.0);
        QCOMPARE(p.plannedStop, 600.0);
        QCOMPARE(p.plannedRate, 4 / (10 * day));
        QCOMPARE(p.waitingShare, 0.1);
        run.days.reset();
        QCOMPARE(runProcess(run).useful, 0.0);
        QCOMPARE(runProcess(run).plannedRate, 0.0);
        QCOMPARE(runProcess(run).waitingShare, 0.0);
    }

    /// Without failures: one stall after each interval but the last; waiting lengthens everything.
    void withoutFailures() {
        RunProcess p{.useful = 1000, .interval = 100, .stall = 2, .mtbf = 1e15, .recovery = 50};
        QCOMPARE(drawLengths(p, 1, 7).front(), 1000 + 9 * 2.0);
        QCOMPARE(drawRun(p, 7).stalls, 18.0);
        QVERIFY(drawRun(p, 7).failures.empty());
        p.useful = 1050;
        QCOMPARE(drawLengths(p, 1, 7).front(), 1050 + 10 * 2.0);
        p.waitingShare = 0.5;
        QCOMPARE(drawLengths(p, 1, 7).front(), 2 * 1070.0);
        QVERIFY(drawLengths(p, 0, 7).empty());
    }

    /// The mean length is that of the closed form (Daly 2006); with a drain, work is lost back to the
    /// checkpoint before.
    void meanLength() {
        for (const double drain : {0.0, 60.0}) {
            const RunProcess p{
                .useful = 100'000, .interval = 90, .stall = 4, .drain = drain, .mtbf = 1000, .recovery = 200};
            const double expected = p.useful / ettr<double>(90, 4, 1000, 200 + drain);
            QVERIFY(within(meanOf(drawLengths(p, 400, 3)), expected, 6e-3));
        }
    }

    /// Every second of a drawn run is accounted for. A recovery is repeated by failures in it: M (e^(R/M) -
    /// 1) on average. Causes come with their shares of the failures of Llama 3.
    void piecesOfARun() {
        const RunProcess p{.useful = 4e6,
                           .interval = 50,
                           .stall = 1,
                           .drain = 0,
                           .mtbf = 400,
                           .recovery = 200,
                           .plannedRate = 1e-4,
                           .plannedStop = 30,
                           .waitingShare = 0.2};
        const DrawnRun run = drawRun(p, 5);
        double lost = 0, stopped = 0, last = 0;
        std::array<double, failureCauses.size()> causes{};
        for (const DrawnFailure& failure : run.failures) {
            QVERIFY(failure.at >= last && failure.stop >= p.recovery && failure.lost >= 0);
            last = failure.at + failure.stop;
            lost += failure.lost;
            stopped += failure.stop;
            ++causes[static_cast<std::size_t>(failure.cause)];
        }
        const auto count = static_cast<double>(run.failures.size());
        QVERIFY(count > 9000);
        QVERIFY(within(run.seconds * 0.8, p.useful + run.stalls + run.planned + lost + stopped, 1e-9));
        QVERIFY(within(playedSeconds(p, run), p.useful + run.stalls + lost + stopped, 1e-9));
        QVERIFY(within(stopped / count, 400 * (std::exp(0.5) - 1), 0.02));
        QVERIFY(within(lost / count, 51 / 2.0, 0.05)); // somewhere in an interval
        QVERIFY(within(run.planned, 30 * 1e-4 * run.seconds * 0.8, 0.1));
        for (std::size_t i = 0; i < causes.size(); ++i) {
            const double share = failureCauses[i].share;
            QVERIFY(std::abs(causes[i] / count - share) < 4 * std::sqrt(share * (1 - share) / count));
        }
    }

    /// What is not known of the step time and the failure rate spreads the lengths log-normally.
    void spreadOfTheLengths() {
        const auto deviation = [](const std::vector<double>& ascending) {
            return std::log(ascending[ascending.size() * 9 / 10] / ascending[ascending.size() / 10]) / 2 /
                   1.2816;
        };
        const RunProcess p{
            .useful = 1e6, .interval = 10, .stall = 0, .drain = 0, .mtbf = 2000, .recovery = 100};
        const auto steps = drawLengths(p, 2000, 11, {.stepLogSd = 0.07, .rateLogSd = 0});
        QVERIFY(std::is_sorted(steps.begin(), steps.end()));
        QVERIFY(std::abs(deviation(steps) - 0.07) < 0.007);
        // The time beyond the useful one is in proportion to the failure rate, and so are planned stops.
        for (const bool planned : {false, true}) {
            RunProcess stops = p;
            if (planned) {
                stops.mtbf = 1e15;
                stops.plannedRate = 1 / 2000.0;
                stops.plannedStop = 100;
            }
            std::vector<double> beyond;
            for (const double length : drawLengths(stops, 2000, 13, {.stepLogSd = 0, .rateLogSd = 0.3}))
                beyond.push_back(length - p.useful);
            QVERIFY(std::abs(deviation(beyond) - 0.3) < 0.03);
            // 500 failures of M (e^(R/M) - 1) s and half an interval; 500 stops, and one for each 2,000 s of
            // stops.
            const double each = planned ? 100 / (1 - 0.05) : 2000 * std::expm1(0.05) + 5;
            QVERIFY(within(beyond[1000], 500 * each, 0.05));
        }
    }

    /// A run of a day and a half, a tenth of it planned stops and a fifth waiting, spread evenly.
    void daysWithStops() {
        const RunProcess p{.useful = 1, .interval = 1e9, .stall = 0, .waitingShare = 0.2};
        const DrawnRun run{.seconds = 1.5 * day, .stalls = 0, .planned = 0.15 * day, .failures = {}};
        const std::vector<RunDay> days = drawnDays(p, run, 0);
        QCOMPARE(days.size(), std::size_t{2});
        QVERIFY(within(days[0].shares.starting, 0.1 * day, 1e-9));
        QVERIFY(within(days[0].shares.stopped, 0.2 * day, 1e-9));
        QVERIFY(within(days[0].shares.work, 0.7 * day, 1e-9));
        QVERIFY(within(days[1].shares.starting, 0.05 * day, 1e-9));
        QVERIFY(within(days[1].shares.stopped, 0.1 * day, 1e-9));
        QVERIFY(within(days[1].shares.work, 0.35 * day, 1e-9));
        QVERIFY(drawnDays(p, {.seconds = HUGE_VAL, .failures = {}}, 0).empty());
        QVERIFY(drawnDays(p, {.seconds = 0, .failures = {}}, 0).empty());
    }

    /// The failure to show has no other one, and no end of the run, within half of the window, and is over by
    /// then.
    void failureToShow() {
        const RunProcess p{.useful = 1000, .interval = 10, .stall = 0};
        DrawnRun run{.seconds = 1000, .stalls = 0, .planned = 0, .failures = {}};
        const auto shown = [&](std::vector<DrawnFailure> failures) {
            run.failures = std::move(failures);
            return tellingFailure(p, run, 40);
        };
        QCOMPARE(shown({{500, 4, 1, 0}, {700, 6, 1, 0}}), 1); // loses more
        QCOMPARE(shown({{500, 6, 1, 0}, {700, 4, 1, 0}}), 0);
        QCOMPARE(shown({{500, 6, 1, 0}, {700, 8, 13, 0}}),
                 0); // the second one takes more than half of the window
        QCOMPARE(shown({{500, 6, 1, 0}, {700, 8, 11, 0}}), 1);
        QCOMPARE(shown({{500, 4, 1, 0}, {985, 8, 1, 0}}), 0);  // near the end
        QCOMPARE(shown({{15, 8, 1, 0}, {500, 4, 1, 0}}), 1);   // near the start
        QCOMPARE(shown({{500, 8, 10, 0}, {525, 4, 1, 0}}), 0); // 15 s after the first one has ended
        QCOMPARE(shown({{500, 4, 10, 0}, {531, 8, 1, 0}}), 1); // 21 s
        QCOMPARE(shown({{500, 4, 1, 0}, {515, 8, 1, 0}}), 1);  // neither is alone
        QCOMPARE(shown({}), -1);
    }

    /// At least 200 outcomes, or none: all of them together have 3e7 failures at most.
    void numberOfOutcomes() {
        QCOMPARE(outcomesToDraw(1000, 0), 1000);
        QCOMPARE(outcomesToDraw(1000, 30'000), 1000);
        QCOMPARE(outcomesToDraw(1000, 60'000), 500);
        QCOMPARE(outcomesToDraw(1000, 150'000), 200);
        QCOMPARE(outcomesToDraw(1000, 151'000), 0);
        Run run;
        run.days = RunDaysT<double>{9, 10, 11, 10};
        QVERIFY(within(nodeRent({.nodeDollarsPerHour = 0.5}, {}, run), 0.5 * 24 * 10, 1e-12));
    }
};

QTEST_APPLESS_MAIN(TestRunProcess)

} // namespace tst_run_process

#include "tst_run_process.moc"
