// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"
#include "model/observation/plan_parts.h"
#include "synthetic_cluster.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_plan_actual {

using namespace alidade;
using namespace alidade::tests;
using Kind = Trouble::Kind;

namespace {

/// A plan of eight machines, 12 % uncertain, with round figures.
Estimate plan(double stepTime) {
    Estimate out;
    out.runs = out.fits = true;
    out.gpus = 64;
    out.scenario.cluster.instances = 8;
    out.scenario.plan.pipelineParallel = 2;
    Training training;
    training.stepTime = stepTime;
    training.tokensPerSecond = 4e6 / stepTime;
    training.tokensPerSecondPerGpu = training.tokensPerSecond / 64;
    training.mfu = 0.4;
    training.hfu = 0.42;
    training.mfuPeakFlopsPerSecond = 989.5e12;
    training.microbatches = 4;
    Layer layer;
    layer.count = 80;
    Communication tensor;
    tensor.wireBytes = 1e9;
    tensor.networkBytes = 2e8;
    tensor.nvlinkBytes = 7e8; // reduced in the switches: less than the rest of a ring
    layer.communication = {tensor};
    Operation op;
    op.bytes = 1e10;
    layer.ops = {op, op};
    training.layers = {layer};
    Communication gradients;
    gradients.wireBytes = gradients.networkBytes = 5e9;
    training.communication = {gradients};
    out.training = training;
    out.headline = HeadlineT<double>{"Throughput", "tokens/s", 100, 90, 112, Bound::compute, 0.7};
    Memory memory;
    memory.totalBytes = 66e9;
    memory.lowBytes = 60e9;
    memory.highBytes = 72e9;
    out.memory = memory;
    Cost cost;
    cost.dollarsPerHour = 400;
    out.cost = cost;
    const auto assume = [&](const char* name, double value) {
        AssumptionT<double> each;
        each.name = name;
        each.value = value;
        out.assumptions.push_back(each);
    };
    assume("peak", 989.5e12);
    assume("bf16_peak", 989.5e12);
    assume("hbm_bandwidth", 3.35e12);
    assume("nvlink_bandwidth", 450e9);
    assume("network_bandwidth", 50e9);
    assume("gpu_power", 700);
    assume("power_utilisation", 0.9);
    return out;
}

const ChartLine* chart(const PlanActual& of, const std::string& id) {
    const auto found = std::ranges::find(of.charts, id, &ChartLine::id);
    return found == of.charts.end() ? nullptr : &*found;
}

PlanActual compared(const SyntheticCluster& cluster, const Estimate* estimate) {
    const Observation observation = cluster.observe();
    return comparePlan(observation, judgeHealth(observation, {}), estimate);
}

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

QByteArray told(const PlanActual& of) {
    QByteArray out = QByteArray::fromStdString(of.verdict + " / " + of.because) + ", " +
                     QByteArray::number(of.stepsDone) + " of " + QByteArray::number(of.stepsPlanned);
    for (const LossLine& each : of.losses) {
        out += "\n" + QByteArray::fromStdString(each.name) + ": " + QByteArray::number(each.steps) +
               " steps, " + QByteArray::number(each.share);
    }
    for (const std::string& note : of.notes)
        out += "\n" + QByteArray::fromStdString(note);
    return out;
}

} // namespace

class TestPlanActual : public QObject {
    Q_OBJECT

private slots:
    void figuresOfAPlanHaveItsBand() {
        const Estimate estimate = plan(6.1);
        const PlanActual out = compared({}, &estimate);
        QVERIFY(!out.charts.empty());
        QCOMPARE(out.charts.front().id, std::string("step_time"));
        const ChartLine& step = out.charts.front();
        QVERIFY(step.plan && step.now && step.mean);
        QCOMPARE(step.plan->value, 6.1);
        QVERIFY(near(step.plan->low, 6.1 / 1.12, 1e-12) && near(step.plan->high, 6.1 / 0.9, 1e-12));
        QVERIFY(near(*step.mean, 6.1, 0.01));
        QCOMPARE(step.measured.size(), 240u);
        const ChartLine* tokens = chart(out, "tokens_per_s");
        QVERIFY(tokens && near(tokens->plan->low, 0.9 * tokens->plan->value, 1e-12));
        const ChartLine* memory = chart(out, "gpu_memory"); // has its own band
        QVERIFY(memory && memory->plan->low == 60e9 && memory->plan->high == 72e9);
        QVERIFY(near(*memory->mean, 70e9, 0.01));
        const ChartLine* mfu = chart(out, "mfu");
        QVERIFY(mfu && mfu->plan->value == 0.4 && near(*mfu->mean, 0.4, 0.02));
        const ChartLine* power = chart(out, "power_per_gpu");
        QVERIFY(power && near(power->plan->value, 630, 1e-12) && near(*power->mean, 600, 0.01));
    }

    /// Bytes in one direction, of one GPU: 80 layers on two stages see four micro-batches.
    void unitsAreThoseOfOneGpu() {
        const Estimate estimate = plan(6.1);
        const StepVolumes volumes = stepVolumes(estimate);
        QVERIFY(near(volumes.nvlinkBytes, 0.7e9 * 160, 1e-12));
        QVERIFY(near(volumes.networkBytes, 0.2e9 * 160 + 5e9, 1e-12));
        QVERIFY(near(volumes.memoryBytes, 2e10 * 160, 1e-12));
        const PlanActual out = compared({}, &estimate);
        const ChartLine* efa = chart(out, "efa_per_gpu");
        QVERIFY(efa && near(efa->plan->value, 37e9 / 6.1, 1e-9));
        QVERIFY2(near(*efa->mean, 45e9 / 8, 0.08), QByteArray::number(*efa->mean)); // 45 GB/s a node
        const auto share = std::ranges::find(out.shares, "EFA", &ActivityShare::name);
        QVERIFY(share != out.shares.end() && near(*share->modeled, 37e9 / 6.1 / 50e9, 1e-9));
        QVERIFY(near(*share->measured, 45e9 / 8 / 50e9, 0.08));
        const auto hbm = std::ranges::find(out.shares, "HBM", &ActivityShare::name);
        QVERIFY(near(*hbm->modeled, 3.2e12 / 6.1 / 3.35e12, 1e-9) && near(*hbm->measured, 0.25, 0.1));
    }

    /// Tensor work is activity x clock over the clock of the peak: 132 x 4,096 FLOP a cycle make 989.5
    /// TFLOP/s at 1,830 MHz.
    void tensorWorkIsRelatedToTheClockOfThePeak() {
        QVERIFY(near(*peakClock(989.5e12), 1830e6, 0.001));
        QVERIFY(near(*peakClock(312e12), 1410e6, 0.001));
        QVERIFY(!peakClock(500e12));
        Estimate estimate = plan(6.1);
        const PlanActual out = compared({}, &estimate);
        const ChartLine* work = chart(out, "tensor_work");
        QVERIFY(work && work->plan->value == 0.42);
        QVERIFY2(near(*work->mean, 0.45 * 1755 / 1830, 0.08), QByteArray::number(*work->mean));
        for (auto& each : estimate.assumptions)
            each.value = each.name == "bf16_peak" ? 500e12 : each.value;
        const PlanActual unknown = compared({}, &estimate);
        QVERIFY(chart(unknown, "tensor_active") && !chart(unknown, "tensor_work"));
        QVERIFY2(std::ranges::any_of(
                     unknown.notes,
                     [](const std::string& note) { return note.find("clock") != std::string::npos; }),
                 told(unknown));
    }

    void onPlan() {
        const Estimate estimate = plan(6.1);
        SyntheticCluster cluster;
        cluster.checkpointEvery = 0;
        const PlanActual out = compared(cluster, &estimate);
        QVERIFY2(out.verdict == "On plan over two hours.", told(out));
        QVERIFY2(out.because.empty() && out.losses.empty(), told(out));
        QVERIFY2(near(out.stepsPlanned, 7200 / 6.1, 0.02) && near(out.stepsDone, out.stepsPlanned, 0.01),
                 told(out));
    }

    /// Faults explain what is missing, and the sum of the parts is the whole.
    void behindBecauseOfFaults() {
        const Estimate estimate = plan(6.1);
        SyntheticCluster cluster;
        cluster.checkpointEvery = 250;
        cluster.troubles = {{Kind::straggler, 2, 3, 1800, 3000, 1.3},
                            {Kind::hang, 0, 0, 4200, 4500},
                            {Kind::xid, 4, 2, 5400, 1e9, 0, 94, true}};
        const PlanActual out = compared(cluster, &estimate);
        QVERIFY2(out.verdict.find("behind plan over two hours; on plan now.") != std::string::npos,
                 told(out));
        QVERIFY2(out.because.starts_with("Three faults explain "), told(out));
        QVERIFY2(out.losses.size() == 4, told(out)); // and checkpoints
        QVERIFY2(std::ranges::is_sorted(out.losses, std::greater<>{}, &LossLine::share), told(out));
        double lost = 0, dollars = 0;
        for (const LossLine& each : out.losses) {
            lost += each.share;
            dollars += each.name.starts_with("Lost") ? *each.dollars : 0;
        }
        const double behind = 1 - out.stepsDone / out.stepsPlanned;
        QVERIFY2(std::abs(lost - behind) < 0.02, told(out));
        QVERIFY(out.dollarsLost && near(*out.dollarsLost, dollars, 1e-9));
        QVERIFY2(out.dollarsSpent && near(*out.dollarsSpent, 800, 0.02), told(out));
        QVERIFY(near(*out.dollarsPerStep, *out.dollarsSpent / out.stepsDone, 1e-9));
        QVERIFY2(near(*out.dollarsPerMillionTokens, *out.dollarsSpent / (out.stepsDone * 4), 0.05),
                 QByteArray::number(*out.dollarsPerMillionTokens));
        QVERIFY(!out.dollarsIdle);
    }

    void aJobThatStandsStillIsNotOnPlan() {
        const Estimate estimate = plan(6.1);
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::hang, 0, 0, 6800, 9000}};
        const PlanActual out = compared(cluster, &estimate);
        QVERIFY2(out.verdict.find("the job is not making progress now") != std::string::npos, told(out));
    }

    void sparesAreIdleMoney() {
        Estimate estimate = plan(6.1);
        SyntheticCluster cluster;
        cluster.spares = 2;
        estimate.gpus = 48;
        estimate.scenario.cluster.instances = 6;
        estimate.cost->dollarsPerHour = 300;
        const PlanActual out = compared(cluster, &estimate);
        QVERIFY2(out.dollarsIdle && near(*out.dollarsIdle, 2 * 50 * 2, 0.01), told(out));
        QVERIFY(near(*out.dollarsSpent, 6 * 50 * 2, 0.02));
        QVERIFY2(out.notes.empty(), told(out));
    }

    void aPlanTellsThePriceOfFaults() {
        Estimate estimate = plan(6.1);
        SyntheticCluster cluster;
        cluster.spares = 2; // six of the eight train
        const Observation observation = cluster.observe();
        const HealthContext context = healthContext(observation, &estimate);
        QVERIFY(context.dollarsPerHour && near(*context.dollarsPerHour, 300, 1e-9));
        QCOMPARE(context.gpusPerNode.value_or(0), 8);
        estimate.gpus = 60;
        QVERIFY(!healthContext(observation, &estimate).gpusPerNode);
        QVERIFY(!healthContext(observation, nullptr).dollarsPerHour);
    }

    void withoutAPlanThereAreChartsAlone() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::straggler, 2, 3, 1800, 3000, 1.3}};
        const PlanActual out = compared(cluster, nullptr);
        QVERIFY(out.charts.size() >= 6);
        QVERIFY(
            std::ranges::none_of(out.charts, [](const ChartLine& each) { return each.plan.has_value(); }));
        QVERIFY(!out.dollarsSpent && !out.dollarsLost && !out.dollarsPerStep && out.stepsPlanned == 0);
        QVERIFY2(out.verdict == "4 % of two hours lost to faults.", told(out));
    }

    void aPlanOfAnotherSizeIsSaidToBeOne() {
        Estimate estimate = plan(6.1);
        estimate.gpus = 512;
        estimate.scenario.cluster.instances = 64;
        const PlanActual out = compared({}, &estimate);
        QVERIFY2(std::ranges::any_of(out.notes,
                                     [](const std::string& note) {
                                         return note.find("64 GPUs, the plan 512") != std::string::npos;
                                     }),
                 told(out));
        QVERIFY2(out.verdict.starts_with("Another cluster than the plan's: 8 of 64 hosts"), told(out));
        QVERIFY2(out.because.find("planned") != std::string::npos && out.stepsPlanned == 0, told(out));
        estimate = plan(6.1);
        estimate.cost.reset();
        const PlanActual free = compared({}, &estimate);
        QVERIFY(!free.dollarsSpent && !free.dollarsIdle);
    }

    void servingHasItsLatencies() {
        Observation observation;
        observation.grid = {1000, 30, 40};
        observation.hosts = {"s-1", "s-2"};
        const auto add = [&](Signal signal, Statistic statistic, double first, double second) {
            SignalTable table;
            table.signal = signal;
            table.statistic = statistic;
            table.rows = {{"s-1", -1, "a"}, {"s-2", -1, "b"}};
            table.values.assign(40, first);
            table.values.insert(table.values.end(), 40, second);
            observation.tables.push_back(table);
        };
        add(Signal::timeToFirstToken, Statistic::mean, 0.2, 0.4);
        add(Signal::timeToFirstToken, Statistic::p90, 0.5, 0.7);
        add(Signal::interTokenLatency, Statistic::mean, 0.02, 0.03);
        add(Signal::generationTokensPerSecond, Statistic::value, 1000, 500);
        add(Signal::requestsRunning, Statistic::value, 10, 20);
        add(Signal::kvCacheUse, Statistic::value, 0.2, 0.4);
        Estimate estimate;
        estimate.runs = true;
        estimate.scenario.cluster.instances = 2;
        Serving serving;
        serving.ttft = 0.3;
        serving.ttftPercentiles.p90 = 0.6;
        serving.itl = 0.025;
        serving.outputTokensPerSecond = 1600;
        serving.concurrency = 30;
        estimate.serving = serving;
        estimate.headline = HeadlineT<double>{"TTFT", "s", 0.3, 0.27, 0.36, Bound::compute, 0.7};
        Cost cost;
        cost.dollarsPerHour = 60;
        estimate.cost = cost;
        const PlanActual out = comparePlan(observation, {}, &estimate);
        QVERIFY(chart(out, "ttft_mean") && near(*chart(out, "ttft_mean")->mean, 0.3, 1e-9));
        QVERIFY(near(chart(out, "ttft_p90")->plan->value, 0.6, 1e-9));
        QVERIFY(near(chart(out, "ttft_mean")->plan->high, 0.36, 1e-9));
        QVERIFY(near(*chart(out, "output_tokens_per_s")->mean, 1500, 1e-9));
        // Right behind the first latency, not behind all three.
        QCOMPARE(out.charts[0].id, std::string("ttft_mean"));
        QCOMPARE(out.charts[1].id, std::string("output_tokens_per_s"));
        QVERIFY(near(*chart(out, "requests_running")->now, 30, 1e-9));
        QVERIFY(near(*chart(out, "kv_use")->mean, 0.3, 1e-9));
        QVERIFY2(near(*out.dollarsPerMillionTokens, 20.0 / (1500 * 1200) * 1e6, 1e-9), told(out));
        QVERIFY2(out.verdict.starts_with("TTFT, mean is on plan") &&
                     out.verdict.ends_with("inside the band."),
                 told(out));
        estimate.serving->concurrency = 300; // ten times the measured load
        const PlanActual idle = comparePlan(observation, {}, &estimate);
        QVERIFY2(idle.verdict.ends_with("at a lower load than planned."), told(idle));
        QVERIFY2(idle.because.starts_with("30 requests run in the mean, 300 are planned"), told(idle));
    }

    /// The error of the first token is another one than that of the time per token, which the headline has.
    void firstTokenHasItsOwnBand() {
        Estimate estimate;
        estimate.headline = HeadlineT<double>{"ITL", "s", 0.02, 0.018, 0.024, Bound::hbm, 0.7};
        QVERIFY(near(firstTokenBand(estimate).high, 1.2, 1e-9)); // nothing else is known
        AssumptionT<double> error;
        error.name = "serving_ttft_log_sd";
        error.value = 0.467;
        estimate.assumptions.push_back(error);
        const RelativeBand band = firstTokenBand(estimate);
        QVERIFY2(near(band.high, 1.82, 0.001) && near(band.low, 0.55, 0.002), QByteArray::number(band.high));
        QVERIFY(near(timeBand(estimate).high, 1.2, 1e-9));
    }

    /// What exporters still tell when the job has made its last step is not a figure of now.
    void nowIsTheLastStep() {
        Observation observation = SyntheticCluster().observe();
        const std::size_t points = observation.grid.points;
        for (SignalTable& table : observation.tables) {
            for (std::size_t row = 0; row < table.rows.size(); ++row) {
                for (std::size_t i = points - 3; i < points; ++i)
                    if (table.signal == Signal::stepTime)
                        table.values[row * points + i] = NAN;
                    else if (table.signal == Signal::tokensPerSecond)
                        table.values[row * points + i] = 1;
            }
        }
        const Estimate estimate = plan(6.1);
        const PlanActual out = comparePlan(observation, {}, &estimate);
        const ChartLine* tokens = chart(out, "tokens_per_s");
        QVERIFY(tokens && tokens->now);
        QVERIFY2(*tokens->now > 1e5, QByteArray::number(*tokens->now));
    }

    void aFaultHasOneShare() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::hang, 0, 0, 4200, 4500}};
        Observation observation = cluster.observe();
        const std::size_t points = observation.grid.points;
        for (SignalTable& table : observation.tables) { // the job is seen from the second half hour
            for (std::size_t row = 0; row < table.rows.size() && table.signal == Signal::stepTime; ++row) {
                std::fill_n(table.values.begin() + static_cast<std::ptrdiff_t>(row * points), points / 4,
                            NAN);
            }
        }
        const Estimate estimate = plan(6.1);
        const std::vector<Finding> findings = judgeHealth(observation, {});
        const PlanActual out = comparePlan(observation, findings, &estimate);
        double share = 0;
        for (const Finding& each : findings)
            share += each.cost ? each.cost->share : 0;
        double told = 0;
        for (const LossLine& each : out.losses)
            told += each.name.starts_with("Lost") ? each.share : 0;
        QVERIFY2(share > 0 && near(told, share, 1e-9), QByteArray::number(told / share));
    }

    void nothingMeasuredIsNoAccident() {
        const Estimate estimate = plan(6.1);
        const PlanActual out = comparePlan({}, {}, &estimate);
        QVERIFY(out.charts.empty() && !out.dollarsSpent);
        QVERIFY(!out.verdict.empty());
    }
};

QTEST_APPLESS_MAIN(TestPlanActual)

} // namespace tst_plan_actual

#include "tst_plan_actual.moc"
