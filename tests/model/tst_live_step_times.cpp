// SPDX-License-Identifier: GPL-3.0-or-later
// Step times alone: which of them count, and what they determine.
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/found_constants.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>

namespace tst_live_step_times {

using namespace alidade;
using namespace alidade::tests;

namespace {

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::abs(b); }

Catalog catalogOfSteps() {
    Catalog out = fittedCatalog();
    makeExact(out.defaultProfile, {"gemm_compute_efficiency", "step_overhead"});
    return out;
}

} // namespace

class TestLiveStepTimes : public QObject {
    Q_OBJECT

    Catalog catalog_ = catalogOfSteps();
    ScenarioSpec spec_ = smallTraining();

    Result<LiveCalibration> calibrate(const MeasuredStepTimes& steps) const {
        return calibrateStepTimes(spec_, catalog_, catalog_.defaultProfile, steps);
    }
    QString error(const MeasuredStepTimes& steps) const {
        const auto out = calibrate(steps);
        return out ? QString() : QString::fromStdString(out.error());
    }
    static MeasuredStepTimes stepsOf(std::vector<double> seconds) {
        return {.file = "steps.csv", .seconds = std::move(seconds)};
    }
    /// The note on what was left out of 40 steps of 5 s, the first ones of them slower and others changed.
    QString excluded(std::size_t slow, double slower, const std::vector<double>& others = {}) const {
        std::vector<double> seconds(40, 5);
        for (std::size_t i = 0; i < slow; ++i)
            seconds[i] = slower;
        for (std::size_t i = 0; i < others.size(); ++i)
            seconds[20 + i] = others[i];
        const LiveCalibration out = *calibrate(stepsOf(seconds));
        const QString notes = joined(out.notes);
        return notes.startsWith(QLatin1String("Excluded")) ? notes.section(QLatin1Char('.'), 0, 0)
                                                           : QString::number(out.samples);
    }

private slots:
    void whatStepsSay() {
        const LiveCalibration out = *calibrate(stepsOf(std::vector<double>(24, 5)));
        QVERIFY(out.evidence == CalibrationEvidence::stepTimes);
        QCOMPARE(out.quantity, std::string("step time"));
        QCOMPARE(out.source, std::string("steps.csv"));
        QCOMPARE(out.samples, std::size_t{24});
        QCOMPARE(out.spread, 0.0);
        const CalibratedParameter step = *figure(out, "step_time"), mfu = *figure(out, "mfu"),
                                  factor = *figure(out, "overall_factor");
        for (const CalibratedParameter& each : {step, mfu, factor}) {
            QCOMPARE(each.low, each.after);
            QCOMPARE(each.high, each.after);
        }
        QCOMPARE(step.after, 5.0);
        QCOMPARE(step.how, std::string("24 steps"));
        QCOMPARE(factor.before, 1.0);
        QVERIFY(near(factor.after, 5 / step.before));
        QVERIFY(near(mfu.after, mfu.before * step.before / 5));
        QCOMPARE(
            joined(out.notes),
            QStringLiteral("Step times provide a single number, which the constants share according to their "
                           "uncertainty. "
                           "GPU activity from Prometheus and nccl-tests logs separate them."));
        QVERIFY(near(out.before.median, 1 - step.before / 5) || near(out.before.median, step.before / 5 - 1));
        QVERIFY(out.after.median < out.before.median);
    }

    /// Of 4.5, 5 and 5.5 s in equal parts the quartiles are 4.5 and 5.5 (of 24: values 5.75 and 17.25).
    void bandsOfSteps() {
        std::vector<double> seconds;
        for (int i = 0; i < 24; ++i)
            seconds.push_back(5 + 0.5 * (i % 3 - 1));
        const LiveCalibration out = *calibrate(stepsOf(seconds));
        QVERIFY(near(out.spread, 0.1));
        const CalibratedParameter step = *figure(out, "step_time"), mfu = *figure(out, "mfu"),
                                  factor = *figure(out, "overall_factor");
        for (const CalibratedParameter& each : {step, mfu, factor})
            QVERIFY(near(each.low, 0.9 * each.after) && near(each.high, 1.1 * each.after));
    }

    /// More than 10 % above the median is warm-up at the front, of at most a fifth of the steps; 5 % off is
    /// an outlier where steps hardly vary.
    void whatCounts() {
        QCOMPARE(excluded(0, 5), QStringLiteral("40"));
        QCOMPARE(excluded(3, 5.51),
                 QStringLiteral("Excluded: 3 warm-up steps, 0 outliers (checkpoints, stalls)"));
        QCOMPARE(excluded(3, 5.49),
                 QStringLiteral("Excluded: 0 warm-up steps, 3 outliers (checkpoints, stalls)"));
        QCOMPARE(excluded(8, 9),
                 QStringLiteral("Excluded: 8 warm-up steps, 0 outliers (checkpoints, stalls)"));
        QCOMPARE(excluded(10, 9),
                 QStringLiteral("Excluded: 8 warm-up steps, 2 outliers (checkpoints, stalls)"));
        QCOMPARE(excluded(0, 5, {5.24, 4.76}), QStringLiteral("40"));
        QCOMPARE(excluded(0, 5, {5.26, 4.74, 50}),
                 QStringLiteral("Excluded: 0 warm-up steps, 3 outliers (checkpoints, stalls)"));
    }

    /// Where steps vary, five deviations of them: of 2 % each way 1.4826 x 0.02 x 5 = 14.8 %.
    void outliersOfStepsThatVary() {
        std::vector<double> seconds;
        for (int i = 0; i < 41; ++i)
            seconds.push_back(i == 20 ? 5 : i % 2 == 0 ? 4.9 : 5.1);
        for (const double each : {5 * 1.147, 5 / 1.147 * 0.99})
            seconds.push_back(each);
        QCOMPARE((*calibrate(stepsOf(seconds))).samples, std::size_t{43});
        seconds.back() = 5 * 0.851;
        QCOMPARE((*calibrate(stepsOf(seconds))).samples, std::size_t{42});
        seconds[41] = 5 * 1.149;
        QCOMPARE((*calibrate(stepsOf(seconds))).samples, std::size_t{41});
    }

    void howMany() {
        const QString few = QStringLiteral(
            "steps.csv: %1 steps after removing warm-up and outliers; at least %2 are required");
        QCOMPARE(error(stepsOf(std::vector<double>(19, 5))), few.arg(19).arg(20));
        QCOMPARE(error(stepsOf(std::vector<double>(20, 5))), QString());
        MeasuredStepTimes means = stepsOf({5});
        means.areMeans = true;
        const LiveCalibration one = *calibrate(means);
        QCOMPARE(figure(one, "step_time")->how, std::string("one figure"));
        QVERIFY(joined(one.notes).startsWith(QLatin1String("Step times provide")));
        means.seconds = {5, 5.1, 5};
        QCOMPARE(figure(*calibrate(means), "step_time")->how, std::string("3 means of the log"));
        means.seconds.clear();
        QCOMPARE(error(means), few.arg(0).arg(1));
    }

    /// 64 sequences of 4,096 tokens on 16 GPUs: 16,384 tokens of each in a step.
    void tokensPerSecond() {
        MeasuredStepTimes rates;
        rates.file = "log";
        rates.tokensPerSecondPerGpu = std::vector<double>(20, 4096);
        QVERIFY(near(figure(*calibrate(rates), "step_time")->after, 4));
        rates.tokensPerSecondPerGpu.assign(10, 4096);
        rates.seconds.assign(10, 4);
        QVERIFY(near(figure(*calibrate(rates), "step_time")->after, 4));
    }

    void batchOfTheRun() {
        MeasuredStepTimes steps = stepsOf(std::vector<double>(20, 5));
        steps.globalBatch = 64;
        QCOMPARE(error(steps), QString());
        steps.globalBatch = 128;
        QCOMPARE(error(steps),
                 QStringLiteral("steps.csv: the run has a global batch of 128, the scenario one of 64; set "
                                "workload.global_batch to that of the run"));
        steps.globalBatch = 64.001;
        QVERIFY(!error(steps).isEmpty());
    }

    void whatIsOutsidePhysics() {
        const LiveCalibration out = *calibrate(stepsOf(std::vector<double>(24, 5)));
        const double all = 5 * figure(out, "mfu")->after; // a step of MFU 1
        QCOMPARE(error(stepsOf(std::vector<double>(24, 1.01 * all))), QString());
        QCOMPARE(
            error(stepsOf(std::vector<double>(24, all / 2))),
            QStringLiteral(
                "steps.csv: MFU comes out as 200 %, which is physically impossible; likely the unit of the "
                "column, or the model, the batch or the number of GPUs of the scenario is not the job's"));
        spec_ = smallServing();
        QCOMPARE(
            error(stepsOf(std::vector<double>(24, 5))),
            QStringLiteral(
                "step times apply to training, but this is a serving scenario; use a training scenario"));
        spec_.workload.model = "unheard of";
        QVERIFY(error(stepsOf({})).startsWith(QLatin1String("/workload/model")));
        spec_ = smallTraining();
    }

    /// One uncertain constant with a known part f of the step, measured as planned: 1 / sd^2 is f^2 over the
    /// square of the steps' error, 2 % at best, and that of hypot(0.24, 0.1).
    void certaintyOfAConstant() {
        makeExact(catalog_.defaultProfile, {});
        Parameter& fixed = constantIn(catalog_.defaultProfile, "step_overhead");
        fixed.value = 10;
        fixed.logSd = 0.24;
        // Constants enter in the spread between GPUs too: without it f is 10 s of the step.
        constantIn(catalog_.defaultProfile, "straggler_spread").value = 0;
        const double planned = figure(*calibrate(stepsOf(std::vector<double>(24, 20))), "step_time")->before;
        const double f = 10 / planned;
        const auto sd = [&](const std::vector<double>& seconds) {
            return figure(*calibrate(stepsOf(seconds)), "step_overhead")->logSd;
        };
        const auto expected = [f](double error) {
            return 1 / std::sqrt(f * f / (error * error) + 1 / (0.26 * 0.26));
        };
        QVERIFY(near(sd(std::vector<double>(24, planned)), expected(0.02), 0.01));
        QVERIFY(near(sd(std::vector<double>(240, planned)), expected(0.02), 0.01)); // however many
        std::vector<double> seconds;
        for (int i = 0; i < 36; ++i)
            seconds.push_back(planned * (1 + 0.05 * (i % 3 - 1)));
        QVERIFY(near(sd(seconds), expected(0.05), 0.02));
        catalog_ = catalogOfSteps();
    }
};

QTEST_APPLESS_MAIN(TestLiveStepTimes)

} // namespace tst_live_step_times

#include "tst_live_step_times.moc"
