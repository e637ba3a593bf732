// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of a training job: what is measured of it and what is planned, with their bands.
#include "tests/model/hand_made_charts.h"

#include <QTest>

#include <cmath>

namespace tst_plan_charts {

using namespace alidade;
using namespace alidade::tests;

/// Charts and shares.
class TestPlanCharts : public QObject {
    Q_OBJECT

private slots:
    /// A latency's band is of times as it is; of a rate it is the inverse. Without three positive figures
    /// there is none.
    void bands() {
        Estimate estimate = banded();
        QVERIFY(rateBand(estimate).low == 0.8 && rateBand(estimate).high == 1.25);
        QVERIFY(timeBand(estimate).low == 0.8 && timeBand(estimate).high == 1.25);
        estimate.headline->high = 200;
        QVERIFY(rateBand(estimate).low == 0.8 && rateBand(estimate).high == 2);
        QVERIFY(timeBand(estimate).low == 0.5 && timeBand(estimate).high == 1.25);
        estimate.headline->unit = "s";
        QVERIFY(rateBand(estimate).low == 0.5 && rateBand(estimate).high == 1.25);
        QVERIFY(timeBand(estimate).low == 0.8 && timeBand(estimate).high == 2);
        const PlannedFigure figure = timeBand(estimate).around(10);
        QVERIFY(figure.value == 10 && figure.low == 8 && figure.high == 20);
        for (double HeadlineT<double>::* zero :
             {&HeadlineT<double>::value, &HeadlineT<double>::low, &HeadlineT<double>::high}) {
            Estimate none = estimate;
            (*none.headline).*zero = 0;
            QVERIFY(rateBand(none).low == 1 && rateBand(none).high == 1 && timeBand(none).high == 1);
        }
        QVERIFY(timeBand(Estimate()).low == 1);
        QVERIFY(firstTokenBand(estimate).high == 2); // as of times, where nothing else is known
        assume(estimate, "serving_ttft_log_sd", 0.5);
        QVERIFY(std::abs(firstTokenBand(estimate).high - std::exp(1.2815515655446 * 0.5)) < 1e-9);
        QVERIFY(std::abs(firstTokenBand(estimate).low * firstTokenBand(estimate).high - 1) < 1e-12);
        QVERIFY(!assumedValue(estimate, "x") && assumedValue(estimate, "serving_ttft_log_sd") == 0.5);
    }

    /// Multiprocessors x FLOP of a cycle x clock make the published peak, within half a percent.
    void clocksOfPeaks() {
        QCOMPARE(std::round(*peakClock(312e12) / 1e6), 1411.0);   // 312e12 / (108 x 2,048)
        QCOMPARE(std::round(*peakClock(989.5e12) / 1e6), 1830.0); // / (132 x 4,096)
        QCOMPARE(std::round(*peakClock(2250e12) / 1e6), 1856.0);  // / (148 x 8,192)
        QVERIFY(peakClock(2250e12 * 1.0049) && !peakClock(2250e12 * 1.0051));
        QVERIFY(peakClock(2250e12 * 0.9951) && !peakClock(2250e12 * 0.9949));
    }

    /// 12 times 2 GB over NVLink and 1 GB over the network, and once for the whole step.
    void volumesOfAStep() {
        Estimate estimate = trainingPlan();
        const StepVolumes volumes = stepVolumes(estimate);
        QCOMPARE(volumes.nvlinkBytes, 26e9);
        QCOMPARE(volumes.networkBytes, 13e9);
        QCOMPARE(volumes.memoryBytes, 60e9);
        estimate.scenario.plan.pipelineParallel.reset();
        QCOMPARE(stepVolumes(estimate).memoryBytes, 120e9);
        QCOMPARE(stepVolumes(Estimate()).memoryBytes, 0.0);
    }

    void figuresOfTraining() {
        Charts charts;
        charts.plan = trainingPlan();
        charts.plan->memory = Memory();
        charts.plan->memory->totalBytes = 66e9;
        charts.plan->memory->lowBytes = 60e9;
        charts.plan->memory->highBytes = 72e9;
        assume(*charts.plan, "hbm_bandwidth", 3e12);
        assume(*charts.plan, "gpu_power", 700);
        assume(*charts.plan, "power_utilisation", 0.9);
        charts.cluster.flat(Signal::stepTime, {}, 2.5).flat(Signal::tokensPerSecond, {}, 3200);
        charts.gpuValues(Signal::gpuPower, 500, 600).gpuValues(Signal::memoryUsed, 50e9, 70e9);
        charts.gpuValues(Signal::nvlinkTransmit, 1e10, 3e10).gpuValues(Signal::dramActive, 0.2, 0.4);
        charts.gpuValues(Signal::tensorActive, 0.3, 0.5);
        for (const char* host : {"a", "b", "c"})
            charts.cluster.flat(Signal::efaTransmit, {host, -1, {}}, 1e10);
        const PlanActual out = charts.training();
        QCOMPARE(ids(out),
                 QByteArray("step_time tokens_per_s mfu gpu_memory nvlink_per_gpu efa_per_gpu hbm_active "
                            "tensor_active power_per_gpu"));
        QCOMPARE(told(out, "step_time"), QByteArray("now 2.5, mean 2.5, planned 2 (1.6 to 2.5)"));
        QCOMPARE(told(out, "tokens_per_s"), QByteArray("now 3200, mean 3200, planned 4000 (3200 to 5000)"));
        QCOMPARE(told(out, "mfu"),
                 QByteArray("now 0.32, mean 0.32, planned 0.4 (0.32 to 0.5)")); // 3,200 of 4,000
        QCOMPARE(told(out, "gpu_memory"),
                 QByteArray("now 7e+10, mean 7e+10, planned 6.6e+10 (6e+10 to 7.2e+10)"));
        QCOMPARE(told(out, "nvlink_per_gpu"),
                 QByteArray("now 2e+10, mean 2e+10, planned 1.3e+10 (1.04e+10 to 1.625e+10)"));
        QCOMPARE(told(out, "efa_per_gpu"),
                 QByteArray("now 5e+09, mean 5e+09, planned 6.5e+09 (5.2e+09 to 8.125e+09)"));
        QCOMPARE(told(out, "hbm_active"), QByteArray("now 0.3, mean 0.3, planned 0.01 (0.008 to 0.0125)"));
        QCOMPARE(told(out, "tensor_active"), QByteArray("now 0.4, mean 0.4"));
        QCOMPARE(told(out, "power_per_gpu"), QByteArray("now 550, mean 550, planned 630 (504 to 787.5)"));
        QCOMPARE(line(out, "mfu").how,
                 std::string("tokens/s of tokens_per_second, times the plan's FLOPs of a token (6 N) "
                             "over the peak of 4 GPUs"));
        charts.plan->memory.reset();
        QCOMPARE(told(charts.training(), "gpu_memory"), QByteArray("now 7e+10, mean 7e+10"));
        charts.gpus = 0; // nothing to divide by: per node, and no utilization by the plan
        QCOMPARE(told(charts.training(), "efa_per_gpu").left(21), QByteArray("now 1e+10, mean 1e+10"));
        QCOMPARE(told(charts.training(), "mfu"), QByteArray("none"));
        charts.plan.reset();
        QCOMPARE(told(charts.training(), "step_time"), QByteArray("now 2.5, mean 2.5"));
    }

    void howALineWasMade() {
        Charts charts;
        charts.gpuValues(Signal::gpuPower, 500, 600);
        SignalTable& table = charts.cluster.table(Signal::gpuPower);
        QCOMPARE(line(charts.training(), "power_per_gpu").how, std::string("mean of gpu_power"));
        table.expression = "avg(P)";
        QCOMPARE(line(charts.training(), "power_per_gpu").how, std::string("mean of gpu_power: avg(P)"));
        QCOMPARE(line(charts.training(), "power_per_gpu").expression, std::string("avg(P)"));
        table.note = "rounded";
        QCOMPARE(line(charts.training(), "power_per_gpu").how,
                 std::string("mean of gpu_power: avg(P) (rounded)"));
        charts.cluster.flat(Signal::stepTime, {}, 2);
        QCOMPARE(line(charts.training(), "step_time").how, std::string("step_time"));
    }

    void stepTimesOfARate() {
        Charts charts;
        charts.plan = trainingPlan();
        charts.job.stepTime.assign(20, 3);
        QCOMPARE(told(charts.training(), "step_time"), QByteArray("now 3, mean 3, planned 2 (1.6 to 2.5)"));
        QCOMPARE(line(charts.training(), "step_time").how, std::string("1 / steps per second"));
        charts.job.stepTimeIsRelative = true;
        QCOMPARE(told(charts.training(), "step_time"), QByteArray("none"));
    }

    /// By the plan's count where there is a throughput, else as the job tells it.
    void utilization() {
        Charts charts;
        charts.cluster.flat(Signal::modelFlopsUtilization, {}, 0.36)
            .flat(Signal::modelFlopsPerGpu, {}, 200e12);
        QCOMPARE(told(charts.training(), "mfu"), QByteArray("now 0.36, mean 0.36"));
        QCOMPARE(line(charts.training(), "mfu").how, std::string("as the job reports it of mfu"));
        charts.plan = trainingPlan();
        QCOMPARE(told(charts.training(), "mfu"),
                 QByteArray("now 0.36, mean 0.36, planned 0.4 (0.32 to 0.5)"));
        Charts flops;
        flops.cluster.flat(Signal::modelFlopsPerGpu, {}, 200e12);
        QCOMPARE(told(flops.training(), "mfu"), QByteArray("none"));
        flops.plan = trainingPlan();
        QCOMPARE(told(flops.training(), "mfu"), QByteArray("now 0.25, mean 0.25, planned 0.4 (0.32 to 0.5)"));
        charts.cluster.flat(Signal::tokensPerSecond, {}, 2000);
        QVERIFY(told(charts.training(), "mfu").startsWith("now 0.2, mean 0.2"));
        charts.plan->training->tokensPerSecond = 0;
        QVERIFY(told(charts.training(), "mfu").startsWith("now 0.36"));
    }

    /// 2,250 TFLOP/s hold at 1,856 MHz: at half that clock half of the active pipes' work is done.
    void tensorWorkOfTheJob() {
        Charts charts;
        charts.plan = trainingPlan();
        assume(*charts.plan, "bf16_peak", 2250e12);
        const double clock = 2250e12 / (148 * 8192);
        charts.gpuValues(Signal::tensorActive, 0.4, 0.8).gpuValues(Signal::smClock, clock / 2, clock);
        QCOMPARE(told(charts.training(), "tensor_work"), QByteArray("now 0.5, mean 0.5")); // 0.2 and 0.8
        assume(*charts.plan, "peak", 1000e12);
        QCOMPARE(told(charts.training(), "tensor_work"),
                 QByteArray("now 0.5, mean 0.5, planned 0.4 (0.32 to 0.5)"));
        QVERIFY(!ids(charts.training()).contains("tensor_active"));
        charts.cluster.set(Signal::smClock, {"a", 0, {}}, 0, 20, none)
            .set(Signal::tensorActive, {"b", 1, {}}, 0, 20, none);
        charts.cluster.set(Signal::smClock, {"a", 1, {}}, 19, 20, none)
            .set(Signal::smClock, {"b", 0, {}}, 19, 20, none);
        QCOMPARE(told(charts.training(), "tensor_work").left(17), QByteArray("now 0.5, mean 0.5"));
        QVERIFY(std::isnan(line(charts.training(), "tensor_work").measured[19]));
        charts.cluster.table(Signal::smClock).rows[1].gpu = 7; // a clock of another GPU is none of this one
        QCOMPARE(told(charts.training(), "tensor_work").left(17), QByteArray("now 0.2, mean 0.2"));
    }

    /// 60 GB, 26 GB and 13 GB in 2 s, of what the hardware can; the measured part is of the time that the job
    /// runs.
    void shares() {
        Charts charts;
        charts.plan = trainingPlan();
        for (const char* name : {"peak", "hbm_bandwidth", "nvlink_bandwidth", "network_bandwidth"})
            assume(*charts.plan, name,
                   name[0] == 'p'   ? 1600e12
                   : name[0] == 'h' ? 60e9
                   : name[1] == 'v' ? 26e9
                                    : 26e9);
        charts.gpuValues(Signal::tensorActive, 0.3, 0.5).gpuValues(Signal::dramActive, 0.2, 0.4);
        charts.gpuValues(Signal::nvlinkTransmit, 2.6e9, 2.6e9);
        for (const char* host : {"a", "b", "c"})
            charts.cluster.flat(Signal::efaTransmit, {host, -1, {}}, 5.2e9);
        QCOMPARE(charts.shares(),
                 QByteArray("Tensor pipes 0.25 0.4\nHBM 0.5 0.3\nNVLink 0.5 0.1\nEFA 0.25 0.1\n"));
        QCOMPARE(charts.made(addShares).notes.size(), std::size_t{1}); // the clock of the peak is not known
        charts.cluster.set(Signal::dramActive, {"a", 0, {}}, 10, 20, 99);
        std::fill(charts.job.stopped.begin() + 10, charts.job.stopped.end(), Sign::yes);
        QVERIFY(charts.shares().contains("HBM 0.5 0.3\n"));
        charts.gpus = 0;
        QVERIFY(charts.shares().contains("EFA 0.25 0.2\n"));
        charts.gpus = 1;
        QVERIFY(charts.shares().contains("EFA 0.25 0.4\n"));
        charts.gpus = 4;
        assume(*charts.plan, "bf16_peak", 2250e12);
        charts.gpuValues(Signal::smClock, 2250e12 / (148 * 8192) / 2, 2250e12 / (148 * 8192) / 2);
        QVERIFY(charts.shares().startsWith("Tensor pipes 0.25 0.2\n") &&
                charts.made(addShares).notes.empty());
        charts.plan.reset();
        QCOMPARE(charts.shares(), QByteArray("Tensor pipes - 0.4\nHBM - 0.3\n"));
        QVERIFY(charts.made(addShares).notes.empty());
        Charts nothing;
        nothing.plan = trainingPlan();
        QCOMPARE(nothing.shares(), QByteArray());
        for (const char* name : {"hbm_bandwidth", "nvlink_bandwidth"})
            assume(*nothing.plan, name, name[0] == 'h' ? 0 : 13e9);
        QCOMPARE(nothing.shares(), QByteArray("NVLink 1 -\n"));
    }
};

QTEST_APPLESS_MAIN(TestPlanCharts)

} // namespace tst_plan_charts

#include "tst_plan_charts.moc"
