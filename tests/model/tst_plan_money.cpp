// SPDX-License-Identifier: GPL-3.0-or-later
// What an hour of a job was worth: losses, money, and plans that do not compare.
#include "tests/model/hand_made_hour.h"

#include <QTest>

namespace tst_plan_money {

using namespace alidade;
using namespace alidade::tests;

/// Losses, money, and plans of something else.
class TestPlanMoney : public QObject {
    Q_OBJECT

private slots:
    /// Faults of one name are one line; the largest first.
    void losses() {
        Hour hour;
        Finding hang = finding(FaultKind::stall, 90, 15), down = finding(FaultKind::restart, 72, 12);
        hang.title = "Job: hang, then restart";
        down.title = "Job: down";
        Finding untitled = finding(FaultKind::restart, 18, 3);
        Finding free = finding(FaultKind::power, 0);
        Finding without = finding(FaultKind::power, 36);
        without.cost.reset();
        hour.findings = {finding(FaultKind::xid, 36, 6, 94),
                         finding(FaultKind::straggler, 180, 30),
                         hang,
                         down,
                         untitled,
                         finding(FaultKind::xid, 54, 9, 79),
                         finding(FaultKind::xid, 72, 12, 94),
                         free,
                         without};
        QCOMPARE(hour.losses(), QByteArray("Lost to straggler: 30 steps, 0.05, $5\n"
                                           "Lost to XID 94: 18 steps, 0.03, $3\n"
                                           "Lost to hang and restart: 15 steps, 0.025, $2.5\n"
                                           "Lost to down: 12 steps, 0.02, $2\n"
                                           "Lost to XID 79: 9 steps, 0.015, $1.5\n"
                                           "Lost to restart: 3 steps, 0.005, $0.5\n"));
        QCOMPARE(hour.money(), QByteArray("spent 100, lost 14.5, a step 0.166667"));
        hour.plan->cost.reset();
        QVERIFY(hour.losses().startsWith("Lost to straggler: 30 steps, 0.05\n"));
        QCOMPARE(hour.money(), QByteArray());
        QCOMPARE(hour.notes(), QByteArray("The plan has no price, so no cost is given.\n"));
        hour.plan->cost = Cost();
        QCOMPARE(hour.money(), QByteArray());
    }

    /// The rent is of the machines that train: $50 each; one that is idle, and a GPU that does not answer.
    void money() {
        Hour hour;
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667"));
        hour.cluster.flat(Signal::gpuPower, {"c", 0, {}}, 100); // does nothing
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667, idle 50"));
        hour.cluster = Hour().cluster;
        hour.findings = {finding(FaultKind::missingGpu, 0)};
        hour.findings.front().start = handMadeStart + 1740; // half an hour of half a machine
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667, idle 12.5"));
        hour.findings.front().end = handMadeStart + 2460;
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667, idle 5"));
        hour.findings.front().end = handMadeStart; // never below nothing
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667"));
        hour.findings.front().end.reset();
        hour.findings.front().kind = FaultKind::xid;
        QVERIFY(!hour.money().contains("idle"));
        hour.findings.front().kind = FaultKind::missingGpu;
        hour.findings.front().where = {};
        QVERIFY(!hour.money().contains("idle"));
        hour.findings.front().where = {"x", 0, {}}; // not of the job
        QVERIFY(!hour.money().contains("idle"));
        hour.findings.front().where = {"a", 0, {}};
        hour.gpus = 0;
        QVERIFY(!hour.money().contains("idle"));
        hour = Hour();
        hour.plan->scenario.cluster.instances.reset();
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667"));
        QCOMPARE(hour.notes(),
                 QByteArray("The rent is the whole plan's: its machines are not counted one by one.\n"));
        hour.cluster.flat(Signal::gpuPower, {"c", 0, {}}, 100);
        QVERIFY(!hour.money().contains("idle"));
        hour = Hour();
        hour.plan->scenario.cluster.instances = 4; // the plan has more machines
        QCOMPARE(hour.money(), QByteArray("spent 50, a step 0.0833333"));
        hour.job.stepTime.assign(60, none);
        QCOMPARE(hour.money(), QByteArray());
    }

    /// 4,000 tokens/s make 14.4 M in the hour, but no more than the steps have: 24,000 each.
    void moneyOfTokens() {
        Hour hour;
        hour.cluster.flat(Signal::tokensPerSecond, {}, 4000);
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.166667, a million tokens 6.94444"));
        hour.cluster.flat(Signal::checkpointShare, {}, 0.5); // 300 steps
        QCOMPARE(hour.money(), QByteArray("spent 100, a step 0.333333, a million tokens 13.8889"));
        Hour gaps;
        gaps.cluster.row(Signal::tokensPerSecond, {}, runs({{30, 4000}, {30, none}}));
        QCOMPARE(gaps.money(), QByteArray("spent 100, a step 0.166667, a million tokens 13.8889"));
        gaps.cluster.row(Signal::tokensPerSecond, {"x", -1, {}}, runs({{30, none}, {30, 0}}));
        QCOMPARE(gaps.money(), QByteArray("spent 100, a step 0.166667, a million tokens 13.8889"));
        Hour nothing;
        nothing.cluster.flat(Signal::tokensPerSecond, {}, 0);
        QCOMPARE(nothing.money(), QByteArray("spent 100, a step 0.166667"));
        Hour serving;
        serving.serves = true;
        serving.plan->training.reset();
        serving.plan->serving = Serving();
        serving.cluster.flat(Signal::generationTokensPerSecond, {"a", -1, "x"}, 1000);
        serving.cluster.flat(Signal::generationTokensPerSecond, {"b", -1, "x"}, 500);
        QCOMPARE(serving.money(), QByteArray("spent 100, a million tokens 18.5185")); // 5.4 M
    }

    /// More than 5 % more or fewer GPUs are another cluster.
    void anotherSize() {
        Hour hour;
        const auto of = [&](std::size_t gpus, int planned) {
            hour.gpus = gpus;
            hour.plan->gpus = planned;
            return hour.sentences();
        };
        QCOMPARE(of(100, 105), QByteArray("On plan over one hour."));
        QCOMPARE(of(100, 106),
                 QByteArray("Another cluster than the plan's: 2 of 2 hosts (100 GPUs, planned 106). Step "
                            "times do not compare."));
        QCOMPARE(of(104, 100), QByteArray("On plan over one hour."));
        QVERIFY(of(106, 100).startsWith("Another cluster"));
        QVERIFY(of(0, 100).startsWith("On plan") && of(100, 0).startsWith("On plan"));
        QVERIFY(of(1200, 2400)
                    .startsWith(
                        "Another cluster than the plan's: 2 of 2 hosts (1,200 GPUs, planned 2,400). Step"));
        QCOMPARE(hour.steps(), QByteArray("600 of 0"));
        QCOMPARE(hour.notes(),
                 QByteArray("The job has 1,200 GPUs, the plan 2,400: figures per GPU compare, step time "
                            "and tokens per second do not.\n"));
        hour.plan->scenario.cluster.instances.reset();
        QVERIFY(
            hour.sentences().startsWith("Another cluster than the plan's: 1,200 GPUs, planned 2,400. Step"));
        // Per GPU tokens compare: 1,000 a second are planned; without the points at which the job stands.
        hour.plan->scenario.cluster.instances = 2;
        hour.gpus = 8;
        hour.plan->gpus = 4;
        hour.cluster.row(Signal::tokensPerSecond, {}, runs({{30, 8000}, {30, 0}}));
        std::fill(hour.job.stopped.begin() + 30, hour.job.stopped.end(), Sign::yes);
        QVERIFY(!hour.sentences().contains("|")); // it is not shown
        hour.charts = {chart("tokens_per_s", "Tokens", 1, 1)};
        const auto said = [&](double perGpu) {
            hour.plan->training->tokensPerSecondPerGpu = perGpu;
            return hour.sentences().mid(hour.sentences().indexOf("|"));
        };
        QCOMPARE(said(1000),
                 QByteArray("| While it ran, a GPU made 1,000 tokens/s, planned are 1,000 tokens/s."));
        QCOMPARE(said(1000 / 1.0149),
                 QByteArray("| While it ran, a GPU made 1,000 tokens/s, planned are 985 tokens/s."));
        QVERIFY(said(1000 / 1.0151).endsWith(": 1.5 % more than planned."));
        QVERIFY(said(1000 / 0.9849).endsWith(": 1.5 % fewer than planned."));
        QVERIFY(!said(0).contains("|") || said(0).startsWith("Another"));
    }

    void plansOfSomethingElse() {
        Hour hour;
        hour.plan->runs = false;
        QCOMPARE(hour.notes(), QByteArray("The plan does not run; only measurements are shown.\n"));
        hour = Hour();
        hour.gpus = 0;
        QCOMPARE(hour.notes(), QByteArray());
        hour.gpus = 3;
        hour.plan->gpus = 0;
        QCOMPARE(hour.notes(), QByteArray());
        hour = Hour();
        hour.plan->training.reset();
        hour.plan->serving = Serving();
        QCOMPARE(hour.notes(), QByteArray("The plan serves, the measured job trains.\n"));
        QCOMPARE(hour.sentences(),
                 QByteArray("The plan serves, the measured job trains: there is nothing to compare."));
        hour.job.stepTime.assign(60, none);
        QCOMPARE(hour.sentences(), QByteArray("No training job was measured in this time."));
        hour = Hour();
        hour.serves = true;
        hour.gpus = 3;
        hour.charts = {chart("x", "X", 1, {})};
        QVERIFY(hour.notes().contains("The plan trains, the measured job serves.\n"));
        QCOMPARE(hour.sentences(),
                 QByteArray("The plan trains, the measured job serves: there is nothing to compare."));
    }

    /// 4,000 tokens/s of 6 s are 24,000 tokens; a tenth more or less is another batch.
    void stepsOfAnotherBatch() {
        const auto notes = [](double rate) {
            Hour hour;
            hour.cluster.flat(Signal::tokensPerSecond, {}, rate);
            return hour.notes();
        };
        QCOMPARE(notes(4390), QByteArray());
        QCOMPARE(notes(4410),
                 QByteArray("A step of the job has about 26,460 tokens, one of the plan 24,000 tokens: their "
                            "step times do not compare.\n"));
        QCOMPARE(notes(3610), QByteArray());
        QVERIFY(!notes(3590).isEmpty());
        QCOMPARE(notes(0), QByteArray());
        Hour several; // each rank's own
        several.cluster.flat(Signal::tokensPerSecond, {}, 9000)
            .flat(Signal::tokensPerSecond, {"x", -1, {}}, 9000);
        QCOMPARE(several.notes(), QByteArray());
    }

    void servingVerdict() {
        Hour hour;
        hour.serves = true;
        hour.plan->training.reset();
        hour.plan->serving = Serving();
        QCOMPARE(hour.sentences(), QByteArray("No serving engine was measured in this time."));
        hour.charts = {chart("x", "Requests", 3, {}), chart("ttft_mean", "TTFT, mean", 0.3, 0.3)};
        QCOMPARE(hour.sentences(), QByteArray("TTFT, mean is on plan over one hour, inside the band."));
        const auto said = [&](double mean) {
            hour.charts[1].mean = mean;
            return hour.sentences();
        };
        QCOMPARE(said(0.3 * 1.0149), QByteArray("TTFT, mean is on plan over one hour, inside the band."));
        QCOMPARE(said(0.3 * 1.0151),
                 QByteArray("TTFT, mean is 1.5 % above plan over one hour, inside the band."));
        QCOMPARE(said(0.3 * 0.9849),
                 QByteArray("TTFT, mean is 1.5 % below plan over one hour, inside the band."));
        QVERIFY(said(0.3299).endsWith("10 % above plan over one hour, inside the band."));
        QVERIFY(said(0.3301).endsWith("10 % above plan over one hour, outside the band."));
        QVERIFY(said(0.2701).endsWith(", inside the band.") && said(0.2699).endsWith(", outside the band."));
        // The band judges at most a quarter more or less load than planned.
        hour.charts.push_back(chart("requests_running", "Requests running", 124.9, 100));
        QVERIFY(hour.sentences().endsWith(", outside the band."));
        hour.charts.back().mean = 125.1;
        QVERIFY(hour.sentences().endsWith(
            " over one hour, at a higher load than planned. | 125 requests run in the "
            "mean, 100 are planned: latencies and tokens per second do not compare."));
        hour.charts.back().mean = 80.1;
        QVERIFY(hour.sentences().endsWith(", outside the band."));
        hour.charts.back().mean = 79.9;
        QVERIFY(hour.sentences().contains(", at a lower load than planned. | 79.9 requests run"));
        hour.charts.back().mean.reset();
        QVERIFY(hour.sentences().endsWith(", outside the band."));
        hour.charts.back().mean = 79.9;
        hour.charts.back().plan.reset();
        QVERIFY(hour.sentences().endsWith(", outside the band."));
        hour.charts.resize(1);
        QCOMPARE(hour.sentences(), QByteArray("No plan to compare with."));
        hour.plan.reset();
        hour.charts = {chart("ttft_mean", "TTFT, mean", 0.3, 0.3)};
        QCOMPARE(hour.sentences(), QByteArray("No plan to compare with."));
    }

    /// As many machines as the job has, at the plan's price of one.
    void contextOfHealth() {
        Hour hour;
        Estimate plan = planOf();
        plan.scenario.cluster.instances = 4;
        plan.gpus = 16;
        HealthContext context = healthContext(hour.cluster.observation, &plan);
        QCOMPARE(context.dollarsPerHour, std::optional(50.0));
        QCOMPARE(context.gpusPerNode, std::optional(4));
        plan.gpus = 17;
        QVERIFY(!healthContext(hour.cluster.observation, &plan).gpusPerNode);
        plan.scenario.cluster.instances.reset();
        context = healthContext(hour.cluster.observation, &plan);
        QCOMPARE(context.dollarsPerHour, std::optional(100.0));
        QVERIFY(!context.gpusPerNode);
        hour.cluster.flat(Signal::requestsRunning, {"b", -1, {}}, 1); // one of the two serves
        plan = planOf();
        plan.serving = Serving();
        QCOMPARE(healthContext(hour.cluster.observation, &plan).dollarsPerHour, std::optional(50.0));
        context = healthContext(hour.cluster.observation, nullptr);
        QVERIFY(!context.dollarsPerHour && !context.gpusPerNode);
    }
};

QTEST_APPLESS_MAIN(TestPlanMoney)

} // namespace tst_plan_money

#include "tst_plan_money.moc"
