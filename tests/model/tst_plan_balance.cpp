// SPDX-License-Identifier: GPL-3.0-or-later
// What an hour of a job was against its plan: steps, and the two sentences.
#include "tests/model/hand_made_hour.h"

#include <QTest>

namespace tst_plan_balance {

using namespace alidade;
using namespace alidade::tests;

/// The balance of a plan and a job.
class TestPlanBalance : public QObject {
    Q_OBJECT

private slots:
    void stepsOfTheHour() {
        QCOMPARE(Hour().steps(), QByteArray("600 of 600"));
        QCOMPARE(planned(5).steps(), QByteArray("600 of 720"));
        Hour hour;
        std::fill_n(hour.job.stepTime.begin(), 10, none); // the job begins later
        std::fill_n(hour.job.stepTime.begin() + 20, 5, none);
        QCOMPARE(hour.steps(), QByteArray("450 of 500"));
        hour.job.stopped[30] = hour.job.stopped[31] = Sign::yes;
        hour.job.stopped[32] = Sign::unknown;
        QCOMPARE(hour.steps(), QByteArray("430 of 500"));
        JobStop stop;
        stop.span = {30, 32, 2};
        stop.redone = 90; // 15 steps
        hour.job.stops = {stop, stop};
        QCOMPARE(hour.steps(), QByteArray("400 of 500"));
        hour.job.stops.front().redone = 1e6;
        QCOMPARE(hour.steps(), QByteArray("0 of 500"));
        hour.job.stepTime.assign(60, 0.5);
        hour.job.stopped.assign(60, Sign::no);
        hour.job.stops = {stop};
        QCOMPARE(hour.steps(), QByteArray("7020 of 600")); // 7,200 but 180
        hour.job.stepTimeIsRelative = true;
        QCOMPARE(hour.steps(), QByteArray("0 of 0"));
        hour = Hour();
        hour.plan.reset();
        QCOMPARE(hour.steps(), QByteArray("600 of 0"));
    }

    /// A measured rate counts every step; where it is missing the step time does, less checkpoints.
    void stepsOfARate() {
        Hour hour;
        hour.cluster.row(Signal::stepsPerSecond, {}, runs({{20, 0.1}, {20, none}, {20, 0.1}}));
        QCOMPARE(hour.steps(), QByteArray("440 of 600"));
        hour.job.stopped.assign(60, Sign::yes);
        QCOMPARE(hour.steps(), QByteArray("240 of 600"));
        Hour saving;
        saving.cluster.row(Signal::checkpointShare, {},
                           runs({{10, 0.5}, {10, 2}, {10, -1}, {10, none}, {20, 0}}));
        QCOMPARE(saving.steps(), QByteArray("450 of 600")); // 50 and 100 less
        Hour gap;                                           // of which nothing is known
        for (int gpu = 0; gpu < 2; ++gpu)
            for (const char* host : {"a", "b"})
                gap.cluster.set(Signal::gpuPower, {host, gpu, {}}, 20, 30, none);
        QCOMPARE(gap.steps(), QByteArray("500 of 500"));
        QVERIFY(gap.sentences().endsWith("No data for 10 min: the server has no samples of it."));
    }

    /// 1.5 % is on plan, and so is a pace of less than 3 % off.
    void verdict() {
        QCOMPARE(Hour().sentences(), QByteArray("On plan over one hour."));
        QCOMPARE(planned(6 * (1 - 0.0149)).sentences(), QByteArray("On plan over one hour."));
        QCOMPARE(planned(6 * (1 - 0.0151)).sentences(),
                 QByteArray("1.5 % behind plan over one hour; on plan now."));
        QCOMPARE(planned(6 * (1 + 0.0149)).sentences(), QByteArray("On plan over one hour."));
        QCOMPARE(planned(6 * (1 + 0.0151)).sentences(),
                 QByteArray("1.5 % ahead of plan over one hour; on plan now."));
        QCOMPARE(planned(6 * 0.95).sentences(),
                 QByteArray("5 % behind plan over one hour; 5 % slower than planned now."));
        QCOMPARE(planned(6 * 1.25).sentences(),
                 QByteArray("25 % ahead of plan over one hour; 20 % faster than planned now."));
        QCOMPARE(planned(6).now(6.3).sentences(),
                 QByteArray("On plan over one hour; 5 % slower than planned now."));
    }

    /// The newest five minutes, by their median.
    void paceNow() {
        const auto now = [](Hour hour) {
            const QByteArray said = hour.sentences();
            return said.mid(said.indexOf("; ") + 2);
        };
        Hour behind = planned(5); // 600 of 720
        QCOMPARE(now(behind.now(5.15)), QByteArray("3 % slower than planned now."));
        QCOMPARE(now(behind.now(5.14)), QByteArray("on plan now."));
        QCOMPARE(now(behind.now(4.86)), QByteArray("on plan now."));
        QCOMPARE(now(behind.now(4.85)), QByteArray("3 % faster than planned now."));
        behind.now(5);
        std::fill(behind.job.stepTime.end() - 5, behind.job.stepTime.end() - 3, 20);
        QCOMPARE(now(behind), QByteArray("on plan now."));
        behind.job.stepTime[57] = 20;
        QCOMPARE(now(behind), QByteArray("300 % slower than planned now."));
        // The plan's band is up to 1 / 0.9: inside it is on plan where the whole time is worse.
        Hour band = planned(5);
        band.plan->headline = HeadlineT<double>{"Throughput", "tokens/s", 100, 90, 112, Bound::compute, 0.7};
        QCOMPARE(now(band.now(5.5)), QByteArray("on plan now."));
        QCOMPARE(now(band.now(5.6)), QByteArray("12 % slower than planned now."));
        Hour steady = planned(5.6); // 7 % behind in all, and 7.1 % now
        steady.plan->headline = band.plan->headline;
        QCOMPARE(now(steady), QByteArray("7 % slower than planned now, inside the band."));
        Hour silent = planned(5);
        silent.now(none);
        QCOMPARE(now(silent), QByteArray("nothing measured in the last minutes."));
        JobStop stop;
        stop.span = {10, 12, 2};
        silent.job.stops = {stop};
        QCOMPARE(now(silent), QByteArray("nothing measured in the last minutes."));
        stop.lasts = true;
        stop.span = {55, 60, 5};
        silent.job.stops = {stop};
        QCOMPARE(now(silent), QByteArray("the job is not making progress now."));
        for (int gpu = 0; gpu < 2; ++gpu)
            for (const char* host : {"a", "b"})
                silent.cluster.set(Signal::gpuPower, {host, gpu, {}}, 50, 60, none);
        QVERIFY(silent.sentences().contains("; no data now."));
    }

    void spans_data() {
        QTest::addColumn<int>("points");
        QTest::addColumn<double>("step");
        QTest::addColumn<QByteArray>("span");
        QTest::newRow("half an hour") << 30 << 60.0 << QByteArray("30 min");
        QTest::newRow("one") << 60 << 60.0 << QByteArray("one hour");
        QTest::newRow("two") << 120 << 60.0 << QByteArray("two hours");
        QTest::newRow("three") << 36 << 300.0 << QByteArray("three hours");
        QTest::newRow("four") << 48 << 300.0 << QByteArray("four hours");
        QTest::newRow("five") << 60 << 300.0 << QByteArray("five hours");
        QTest::newRow("six") << 72 << 300.0 << QByteArray("six hours");
        QTest::newRow("seven") << 84 << 300.0 << QByteArray("7 h");
        QTest::newRow("a little more") << 60 << 61.7 << QByteArray("one hour");
        QTest::newRow("more") << 60 << 61.9 << QByteArray("62 min");
        QTest::newRow("a little less") << 60 << 58.3 << QByteArray("one hour");
        QTest::newRow("less") << 60 << 58.1 << QByteArray("58 min");
    }
    void spans() {
        QFETCH(int, points);
        QFETCH(double, step);
        QFETCH(QByteArray, span);
        QCOMPARE(Hour(static_cast<std::size_t>(points), step).sentences(), "On plan over " + span + '.');
    }

    /// Without a plan faults are held against the time; up to half a percent of it is none.
    void withoutAPlan() {
        Hour hour;
        hour.plan.reset();
        QCOMPARE(hour.sentences(), QByteArray("No fault cost the job time in one hour."));
        const auto lost = [&](std::vector<double> seconds) {
            hour.findings.clear();
            for (const double each : seconds)
                hour.findings.push_back(finding(FaultKind::straggler, each));
            return hour.sentences();
        };
        QCOMPARE(lost({18}), QByteArray("No fault cost the job time in one hour."));
        QCOMPARE(lost({18.1}), QByteArray("0.50 % of one hour lost to faults."));
        QCOMPARE(lost({36}), QByteArray("1 % of one hour lost to faults."));
        QCOMPARE(lost({44}), QByteArray("1.2 % of one hour lost to faults."));
        QCOMPARE(lost({70}), QByteArray("1.9 % of one hour lost to faults."));
        QCOMPARE(lost({88}), QByteArray("2 % of one hour lost to faults."));
        QCOMPARE(lost({200, 160, 18}), QByteArray("10 % of one hour lost to faults."));
        hour.findings.front().cost.reset();
        QCOMPARE(hour.sentences(), QByteArray("4 % of one hour lost to faults."));
        hour.job.stepTime.assign(60, none);
        QCOMPARE(hour.sentences(), QByteArray("No training job was measured in this time."));
        QVERIFY(hour.money().isEmpty() && hour.notes().isEmpty());
    }

    /// 600 of 750 steps: 20 points, of which faults explain at most all.
    void becauseOfFaults() {
        Hour hour = planned(4.8);
        const QByteArray verdict = "20 % behind plan over one hour; 25 % slower than planned now.";
        QCOMPARE(hour.sentences(), verdict);
        const auto because = [&](std::vector<double> seconds) {
            hour.findings.clear();
            for (const double each : seconds)
                hour.findings.push_back(finding(FaultKind::straggler, each));
            return hour.sentences().mid(verdict.size());
        };
        QCOMPARE(because({18}), QByteArray()); // half a percent
        QCOMPARE(because({36}), QByteArray(" | One fault explains 1 of the 20 points."));
        QCOMPARE(because({360, 180}), QByteArray(" | Two faults explain 15 of the 20 points."));
        QCOMPARE(because({360, 360, 180}), QByteArray(" | Three faults explain 20 of the 20 points."));
        QCOMPARE(because({36, 36, 36, 36}), QByteArray(" | Four faults explain 4 of the 20 points."));
        QVERIFY(because(std::vector<double>(5, 36)).startsWith(" | Five faults"));
        QVERIFY(because(std::vector<double>(6, 36)).startsWith(" | Six faults"));
        QVERIFY(because(std::vector<double>(7, 36)).startsWith(" | Seven faults"));
        QVERIFY(because(std::vector<double>(8, 36)).startsWith(" | Eight faults"));
        QCOMPARE(because(std::vector<double>(9, 36)),
                 QByteArray(" | Nine faults explain 9 of the 20 points."));
        QCOMPARE(because(std::vector<double>(10, 36)),
                 QByteArray(" | 10 faults explain 10 of the 20 points."));
        hour.cluster.flat(Signal::checkpointShare, {}, 0.05);
        QCOMPARE(because({360}),
                 QByteArray(" | One fault explains 10 of the 24 points, checkpoints take 5."));
    }

    /// 5 % in checkpoints: 570 of 600 steps.
    void becauseOfCheckpoints() {
        Hour hour;
        hour.cluster.flat(Signal::checkpointShare, {}, 0.05);
        QCOMPARE(hour.sentences(), QByteArray("5 % behind plan over one hour; on plan now. | "
                                              "Checkpoints take 5 of the 5 points."));
        QCOMPARE(hour.losses(), QByteArray("In checkpoints: 30 steps, 0.05, $5\n"));
        hour = planned(5.7);
        hour.cluster.flat(Signal::checkpointShare, {}, 0.0049);
        QVERIFY(!hour.sentences().contains("heckpoints"));
        hour = planned(5.7);
        hour.cluster.flat(Signal::checkpointShare, {}, 0.0051);
        QVERIFY(hour.sentences().endsWith(" | Checkpoints take 1 of the 5 points."));
        Hour few;
        few.cluster.flat(Signal::checkpointShare, {}, 0.00049);
        QVERIFY(few.losses().isEmpty());
        few = Hour();
        few.cluster.flat(Signal::checkpointShare, {}, 0.00051);
        QVERIFY(!few.losses().isEmpty());
        few.job.stepTimeIsRelative = true;
        QCOMPARE(few.losses(), QByteArray("In checkpoints: 0 steps, 0.00051, $0.051\n"));
    }
};

QTEST_APPLESS_MAIN(TestPlanBalance)

} // namespace tst_plan_balance

#include "tst_plan_balance.moc"
