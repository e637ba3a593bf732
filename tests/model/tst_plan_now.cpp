// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as now, and the lines of a deployment.
#include "tests/model/hand_made_charts.h"

#include <QTest>

#include <cmath>

namespace tst_plan_now {

using namespace alidade;
using namespace alidade::tests;

/// Lines of what is now, and of serving.
class TestPlanNow : public QObject {
    Q_OBJECT

private slots:
    /// The newest value of 150 s is now, at least of three points; a gap after it is not.
    void whatIsNow() {
        const auto now = [](std::size_t missing, double step, bool gap = false) {
            Charts charts;
            charts.cluster.observation.grid.step = step;
            charts.gpuValues(Signal::gpuPower, 500, 500);
            charts.cluster.flat(Signal::loss, {}, 1); // keeps the points observed
            for (const char* host : {"a", "b"})
                for (int gpu = 0; gpu < 2; ++gpu)
                    charts.cluster.set(Signal::gpuPower, {host, gpu, {}}, 20 - missing, 20, none);
            if (gap) {
                charts.cluster.set(Signal::gpuPower, {"c", 0, {}}, 18, 20, none)
                    .set(Signal::loss, {}, 18, 20, none);
                charts.cluster.set(Signal::requestsRunning, {"c", -1, "x"}, 18, 20, none);
            }
            return line(charts.training(), "power_per_gpu").now.has_value();
        };
        QVERIFY(now(2, 100) && !now(3, 100)); // 1.5 points are two
        QVERIFY(now(5, 30) && !now(6, 30));
        QVERIFY(now(2, 600) && !now(3, 600));
        QVERIFY(!now(2, 60, true));
    }

    /// Where the job has ended, now is the median of its last five minutes.
    void nowOfAJobThatEnded() {
        Charts charts;
        charts.gpuValues(Signal::gpuPower, 500, 500);
        for (const char* host : {"a", "b"})
            for (int gpu = 0; gpu < 2; ++gpu)
                for (std::size_t i = 0; i < 20; ++i)
                    charts.cluster.set(Signal::gpuPower, {host, gpu, {}}, i, i + 1,
                                       100 + static_cast<double>(i));
        charts.until = 17; // points 12 to 16
        QCOMPARE(line(charts.training(), "power_per_gpu").now, std::optional(114.0));
        charts.until = 3;
        QCOMPARE(line(charts.training(), "power_per_gpu").now, std::optional(101.0));
        charts.until = 20;
        QCOMPARE(line(charts.training(), "power_per_gpu").now, std::optional(119.0));
        charts.until = 50;
        QCOMPARE(line(charts.training(), "power_per_gpu").now, std::optional(119.0));
        charts.until = 17;
        for (const char* host : {"a", "b"})
            for (int gpu = 0; gpu < 2; ++gpu)
                charts.cluster.set(Signal::gpuPower, {host, gpu, {}}, 10, 17, none);
        QCOMPARE(line(charts.training(), "power_per_gpu").now, std::optional(109.0)); // the newest before
    }

    /// comparePlan() takes it from the last step time, where not more than five minutes without one follow.
    void tailOfAJob() {
        const auto now = [](std::size_t tail, bool hole = false) {
            HandMade of(40);
            for (const char* host : {"a", "b"}) {
                of.flat(Signal::gpuPower, {host, 0, {}}, 500);
                of.set(Signal::gpuPower, {host, 0, {}}, 40 - tail, 40, 100);
                if (hole)
                    of.set(Signal::gpuPower, {host, 0, {}}, 38, 40, none);
            }
            of.flat(Signal::stepTime, {}, 2).set(Signal::stepTime, {}, 40 - tail, 40, none);
            return line(comparePlan(of.observation, {}, nullptr), "power_per_gpu").now.value_or(-1);
        };
        QCOMPARE(now(0), 500.0);
        QCOMPARE(now(5), 500.0);
        QCOMPARE(now(6), 100.0);
        QCOMPARE(now(5, true), -1.0);
    }

    void meansOfSeries() {
        Charts charts;
        const ClusterDigest digest(charts.cluster.observation);
        charts.job.stopped = {Sign::no, Sign::yes, Sign::unknown, Sign::no};
        const PlanView view{digest, charts.job, nullptr, 4};
        QCOMPARE(meanOfSeries(view, {1, 10, 3, none, 5}, true), 3.0);
        QCOMPARE(meanOfSeries(view, {1, 10, 3, none, 6}, false), 5.0);
        QVERIFY(std::isnan(meanOfSeries(view, {none, 10}, true) - 10) &&
                std::isnan(meanOfSeries(view, {}, false)));
    }

    void figuresOfServing() {
        Charts charts;
        charts.serves = true;
        charts.plan = banded();
        charts.plan->headline->high = 200; // of times 0.5 to 1.25
        charts.plan->scenario.workload.inputTokens = 900;
        charts.plan->scenario.workload.outputTokens = 200;
        charts.plan->scenario.workload.prefixCacheHit = 0.25;
        Serving serving;
        serving.ttft = 2;
        serving.ttftPercentiles = {};
        serving.ttftPercentiles.p50 = 1;
        serving.ttftPercentiles.p90 = 3;
        serving.ttftPercentiles.p95 = 4;
        serving.ttftPercentiles.p99 = 5;
        serving.itl = 0.02;
        serving.itlPercentiles = {};
        serving.outputTokensPerSecond = 100;
        serving.inputTokensPerSecond = 400;
        serving.concurrency = 12;
        serving.requestsPerSecond = 4;
        serving.queueTime = 0.5;
        Pool prefills, decodes;
        decodes.batch = 8;
        decodes.kvTokens = 10'000;
        serving.pools = {prefills, decodes};
        charts.plan->serving = serving;
        assume(*charts.plan, "serving_ttft_log_sd", std::log(2) / 1.2815515655446004); // half to twice
        const auto add = [&](Signal signal, Statistic statistic, double value) {
            SignalTable table;
            table.signal = signal;
            table.statistic = statistic;
            table.rows = {{"c", -1, "x"}, {"d", -1, "x"}};
            table.values.assign(20, value);
            table.values.insert(table.values.end(), 20, 3 * value);
            charts.cluster.observation.tables.push_back(table);
        };
        charts.cluster.observation.tables.clear();
        for (const Statistic each :
             {Statistic::mean, Statistic::p50, Statistic::p90, Statistic::p95, Statistic::p99}) {
            add(Signal::timeToFirstToken, each, 1);
            add(Signal::interTokenLatency, each, 0.01);
        }
        for (const Signal each : {Signal::generationTokensPerSecond, Signal::promptTokensPerSecond,
                                  Signal::requestsRunning, Signal::requestsWaiting, Signal::kvCacheUse,
                                  Signal::prefixHitShare, Signal::preemptionsPerSecond, Signal::gpuPower})
            add(each, Statistic::value, 10);
        add(Signal::queueTime, Statistic::mean, 1);
        const PlanActual out = charts.serving();
        QCOMPARE(
            ids(out),
            QByteArray("ttft_mean output_tokens_per_s ttft_p50 ttft_p90 ttft_p95 ttft_p99 itl_mean itl_p50 "
                       "itl_p90 itl_p95 itl_p99 prompt_tokens_per_s requests_running requests_waiting "
                       "kv_use prefix_hits queue_time preemptions_per_s power_per_gpu"));
        QCOMPARE(told(out, "ttft_mean"), QByteArray("now 2, mean 2, planned 2 (1 to 4)"));
        QCOMPARE(told(out, "ttft_p50"), QByteArray("now 2, mean 2, planned 1 (0.5 to 2)"));
        QCOMPARE(told(out, "ttft_p99"), QByteArray("now 2, mean 2, planned 5 (2.5 to 10)"));
        QCOMPARE(told(out, "itl_mean"), QByteArray("now 0.02, mean 0.02, planned 0.02 (0.01 to 0.025)"));
        QCOMPARE(told(out, "itl_p90"), QByteArray("now 0.02, mean 0.02"));
        QCOMPARE(told(out, "output_tokens_per_s"), QByteArray("now 40, mean 40, planned 100 (80 to 200)"));
        QCOMPARE(told(out, "prompt_tokens_per_s"), QByteArray("now 40, mean 40, planned 400 (320 to 800)"));
        // 4 a second wait half a second: 2 of 12 are in the queue.
        QCOMPARE(told(out, "requests_running"), QByteArray("now 40, mean 40, planned 10 (5 to 12.5)"));
        QCOMPARE(told(out, "requests_waiting"), QByteArray("now 40, mean 40, planned 2 (1 to 2.5)"));
        QCOMPARE(told(out, "kv_use"),
                 QByteArray("now 20, mean 20, planned 0.8 (0.4 to 1)")); // 8 x 1,000 of 10,000
        QCOMPARE(told(out, "prefix_hits"), QByteArray("now 20, mean 20, planned 0.25 (0.25 to 0.25)"));
        QCOMPARE(told(out, "queue_time"), QByteArray("now 2, mean 2, planned 0.5 (0.25 to 1)"));
        QCOMPARE(told(out, "preemptions_per_s"), QByteArray("now 40, mean 40"));
        charts.plan->serving->pools.back().kvTokens = 1000; // never more than all of it
        QVERIFY(told(charts.serving(), "kv_use").contains("planned 1 ("));
        charts.plan->serving->pools.back().kvTokens = 0;
        QCOMPARE(told(charts.serving(), "kv_use"), QByteArray("now 20, mean 20"));
        charts.plan->serving->queueTime = 0;
        charts.plan->scenario.workload.prefixCacheHit = 0;
        QCOMPARE(told(charts.serving(), "queue_time"), QByteArray("now 2, mean 2"));
        QCOMPARE(told(charts.serving(), "prefix_hits"), QByteArray("now 20, mean 20"));
        charts.plan.reset();
        QCOMPARE(told(charts.serving(), "ttft_mean"), QByteArray("now 2, mean 2"));
        // Two lines are in their order.
        std::erase_if(charts.cluster.observation.tables, [](const SignalTable& each) {
            return each.signal != Signal::generationTokensPerSecond &&
                   (each.signal != Signal::timeToFirstToken || each.statistic > Statistic::p50);
        });
        QCOMPARE(ids(charts.serving()), QByteArray("ttft_mean output_tokens_per_s ttft_p50"));
    }

    /// What runs decides which of the two it is; where both do, or neither, the plan.
    void whatIsCompared() {
        const auto is = [](bool trains, bool serves, bool planServes) {
            HandMade of(20);
            of.flat(Signal::gpuPower, {"a", 0, {}}, 500);
            if (trains)
                of.flat(Signal::tokensPerSecond, {}, 4000);
            if (serves)
                of.flat(Signal::requestsRunning, {"b", -1, "x"}, 4);
            Estimate plan;
            plan.runs = true;
            if (planServes)
                plan.serving = Serving();
            else
                plan.training = Training();
            const QByteArray charts = ids(comparePlan(of.observation, {}, &plan));
            return charts.contains("tokens_per_s ") || charts.startsWith("mfu") ? "trains"
                   : charts.contains("requests_running")                        ? "serves"
                                                                                : "neither";
        };
        QCOMPARE(is(true, false, true), "trains");
        QCOMPARE(is(false, true, false), "serves");
        QCOMPARE(is(true, true, true), "serves");
        QCOMPARE(is(true, true, false), "trains");
    }
};

QTEST_APPLESS_MAIN(TestPlanNow)

} // namespace tst_plan_now

#include "tst_plan_now.moc"
