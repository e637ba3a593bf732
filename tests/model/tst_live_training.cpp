// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a training job from what a cluster measured, on series that are constant or nearly so.
#include "model/calibration/live_kinds.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/found_constants.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tst_live_training {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double tokensOfStep = 64.0 * 4096;

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); }

/// Steps of 5 s on two hosts over 120 instants, every 30 s.
struct Rig {
    Catalog catalog = fittedCatalog();
    ScenarioSpec spec = smallTraining();
    Observation o;
    std::vector<Finding> findings;

    Rig() {
        makeExact(catalog.defaultProfile, {"gemm_compute_efficiency", "power_utilisation"});
        o.server = "server";
        o.job = "llama";
        o.grid = {1000, 30, 120};
        o.hosts = {"a", "b"};
        add(Signal::stepTime, {{}}, 5);
        add(Signal::gpuTemperature, {{"a", 0, {}}}, 60); // so that there are always data
    }
    void add(Signal signal, std::vector<Entity> rows, double value) {
        SignalTable& table = o.tables.emplace_back();
        table.signal = signal;
        table.rows = std::move(rows);
        table.values.assign(table.rows.size() * o.grid.points, value);
    }
    /// GPUs of both hosts with the same value.
    void addGpus(Signal signal, double value) {
        std::vector<Entity> rows;
        for (const char* host : {"a", "b"})
            for (int gpu = 0; gpu < 8; ++gpu)
                rows.push_back({host, gpu, {}});
        add(signal, rows, value);
    }
    std::vector<double>& values(Signal signal) {
        for (SignalTable& table : o.tables)
            if (table.signal == signal)
                return table.values;
        throw std::out_of_range("not measured");
    }
    Result<LiveCalibration> calibrate() const {
        return calibrateLive(spec, catalog, catalog.defaultProfile, o, findings);
    }
    LiveCalibration found() const { return *calibrate(); }
    QString error() const {
        const auto out = calibrate();
        return out ? QString() : QString::fromStdString(out.error());
    }
};

} // namespace

class TestLiveTraining : public QObject {
    Q_OBJECT

    static void verifyFigure(const LiveCalibration& found, const char* name, double after, double low,
                             double high) {
        const CalibratedParameter* p = figure(found, name);
        QVERIFY2(p, name);
        QVERIFY2(near(p->after, after) || (std::isnan(after) && std::isnan(p->after)),
                 qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(name)).arg(p->after, 0, 'g', 12)));
        QVERIFY2(near(p->low, low),
                 qPrintable(QStringLiteral("%1: low %2").arg(QLatin1String(name)).arg(p->low, 0, 'g', 12)));
        QVERIFY2(near(p->high, high),
                 qPrintable(QStringLiteral("%1: high %2").arg(QLatin1String(name)).arg(p->high, 0, 'g', 12)));
    }

private slots:
    void whatItIsFrom() {
        const LiveCalibration found = Rig().found();
        QVERIFY(found.evidence == CalibrationEvidence::training);
        QCOMPARE(found.source, std::string("server, job llama"));
        QCOMPARE(found.quantity, std::string("step time"));
        QCOMPARE(found.start, 1000.0);
        QCOMPARE(found.end, 1000 + 119 * 30.0);
        QCOMPARE(found.samples, std::size_t{12}); // windows of ten instants
        QCOMPARE(found.spread, 0.0);
        QVERIFY(found.excluded.empty());
    }

    void whatIsMissing() {
        Rig rig;
        rig.o.grid.points = 9;
        for (SignalTable& table : rig.o.tables)
            table.values.resize(table.rows.size() * 9);
        QCOMPARE(rig.error(),
                 QStringLiteral("only 9 of 9 instants are free of faults, checkpoints and restarts; at least "
                                "10 are required; select a longer time range, or one without faults"));
        rig.o.grid.points = 10;
        for (SignalTable& table : rig.o.tables)
            table.values.assign(table.rows.size() * 10, table.values[0]);
        rig.values(Signal::stepTime).assign(10, 14.9); // 20.1 steps
        QCOMPARE(rig.error(), QString());
        rig.values(Signal::stepTime).assign(10, 15.1);
        QCOMPARE(
            rig.error(),
            QStringLiteral("only 19.9 steps in fault-free time; at least 20 are required; select a longer "
                           "time range"));
        const QString time =
            QStringLiteral("the job does not report its step time; use a mapping that names the metric");
        rig.values(Signal::stepTime).assign(10, none);
        QCOMPARE(rig.error(), time);
        rig.values(Signal::stepTime).assign(10, 0);
        QCOMPARE(rig.error(), time);
        rig.o.tables.erase(rig.o.tables.begin());
        QCOMPARE(rig.error(), time);
        // As the mean of a distribution too.
        rig.add(Signal::stepTime, {{}}, 5);
        rig.o.tables.back().statistic = Statistic::mean;
        QCOMPARE(rig.error(), QString());
        rig.spec.workload.model = "unheard of";
        QVERIFY(rig.error().startsWith(QLatin1String("/workload/model")));
    }

    void faultsAreNamed() {
        Rig rig;
        for (const auto& [kind, host] : {std::pair(FaultKind::straggler, "b"), {FaultKind::thermal, "a"}}) {
            Finding& each = rig.findings.emplace_back();
            each.kind = kind;
            each.where.host = host;
            each.start = kind == FaultKind::straggler ? 1000 : 2000;
            each.end = kind == FaultKind::straggler ? 1999 : 5000;
        }
        QCOMPARE(
            rig.error(),
            QStringLiteral("only 0 of 120 instants are free of faults, checkpoints and restarts (straggler "
                           "b, thermal throttling a); at least 10 are required; select a longer time "
                           "range, or one without faults"));
        rig.findings[1].end = 4000;
        const LiveCalibration found = rig.found();
        QCOMPARE(found.excluded.size(), std::size_t{2});
        QVERIFY(found.start > 4000 && found.end == 1000 + 119 * 30.0);
    }

    void tokensOfAStepHaveToAgree() {
        Rig rig;
        rig.add(Signal::tokensPerSecond, {{}}, 1.049 * tokensOfStep / 5);
        QCOMPARE(rig.error(), QString());
        rig.values(Signal::tokensPerSecond).assign(120, 0.951 * tokensOfStep / 5);
        QCOMPARE(rig.error(), QString());
        rig.values(Signal::tokensPerSecond).assign(120, 1.1 * tokensOfStep / 5);
        QCOMPARE(
            rig.error(),
            QStringLiteral("the steps of the job have 2.88e+05 tokens, those of the scenario 2.62e+05; set "
                           "workload.global_batch and workload.sequence_length to those of the job"));
        rig.values(Signal::tokensPerSecond).assign(120, 0.94 * tokensOfStep / 5);
        QVERIFY(!rig.error().isEmpty());
    }

    /// What the profile says of the step is scaled by how long it took. Of windows of 4.5 to 5.5 s, a
    /// quarter each at 4.5 and 5.5, the quartiles are 4.875 and 5.125.
    void stepAndMfu() {
        Rig rig;
        LiveCalibration found = rig.found();
        const CalibratedParameter planned = *figure(found, "step_time"), mfu = *figure(found, "mfu");
        verifyFigure(found, "step_time", 5, 5, 5);
        QVERIFY(near(mfu.after, mfu.before * planned.before / 5));
        QCOMPARE(planned.how, std::string("mean of 12 windows"));
        QCOMPARE(mfu.how, std::string("model FLOP of the scenario / (step x GPUs x BF16 peak)"));
        std::vector<double>& steps = rig.values(Signal::stepTime);
        for (std::size_t i = 0; i < 120; ++i)
            steps[i] = i < 30 ? 4.5 : i < 90 ? 5 : 5.5;
        found = rig.found();
        QVERIFY(near(found.spread, (5.125 - 4.875) / (2 * 5)));
        verifyFigure(found, "step_time", 5, 5 * 0.975, 5 * 1.025);
        verifyFigure(found, "mfu", mfu.after, mfu.after * 0.975, mfu.after * 1.025);
        steps.assign(120, mfu.after * 5 * 1.01);
        QCOMPARE(rig.error(), QString());
        steps.assign(120, mfu.after * 5 / 1.5);
        QCOMPARE(
            rig.error(),
            QStringLiteral(
                "MFU comes out as 150 %, which is physically impossible; likely the model, the batch or the "
                "number of GPUs of the scenario is not the job's"));
    }

    void numbersOfGpus() {
        Rig rig;
        rig.addGpus(Signal::tensorActive, 0.4);
        QVERIFY(!says(rig.found(), "GPUs with data"));
        rig.spec.cluster.instances = 4;
        rig.spec.plan.dataParallel = 16;
        QVERIFY(says(rig.found(), "The job has 16 GPUs with data, the scenario 32."));
    }

    void sharesAboveOne() {
        const QString text = QStringLiteral(
            "the %1 are active 110 % of the time, which is physically impossible; likely blank "
            "values are read as numbers: give the mapping a largest value");
        const auto error = [](Signal signal) {
            Rig rig;
            rig.addGpus(signal, 1.1);
            return rig.error();
        };
        QCOMPARE(error(Signal::tensorActive), text.arg(QLatin1String("tensor pipes")));
        QCOMPARE(error(Signal::smActive), text.arg(QLatin1String("SMs")));
        QCOMPARE(error(Signal::dramActive), text.arg(QLatin1String("HBM")));
        Rig rig;
        rig.addGpus(Signal::dramActive, 1);
        QCOMPARE(rig.error(), QString());
    }

    /// Half active at 1.5 GHz: 750 MHz of the data sheet's 1e15 / (4,096 x 125) Hz.
    void tensorPipes() {
        Rig rig;
        rig.addGpus(Signal::tensorActive, 0.5);
        QVERIFY(says(rig.found(),
                     "Tensor activity or clock is not measured, so tensor FLOP/s and GEMM efficiency are "
                     "unknown."));
        rig.addGpus(Signal::smClock, 1.5e9);
        LiveCalibration found = rig.found();
        const double ofu = 0.75 / 1.953125, mfu = figure(found, "mfu")->after;
        verifyFigure(found, "ofu", ofu, 0.98 * ofu, 1.02 * ofu);
        QCOMPARE(
            figure(found, "ofu")->how,
            std::string("tensor activity x clock, averaged as product, / 1.95e+03 MHz, the clock of the data "
                        "sheet"));
        verifyFigure(found, "recompute_and_tiles", ofu / mfu, 0.97 * ofu / mfu, 1.03 * ofu / mfu);
        const double tiles = figure(found, "recompute_and_tiles")->before;
        QVERIFY(near(figure(found, "ofu")->before, tiles * figure(found, "mfu")->before));
        verifyFigure(found, "sustained_clock", 1.5e9, 1.5e9 * 0.995, 1.5e9 * 1.005);
        QCOMPARE(figure(found, "sustained_clock")->before, 1.953125e9);
        QCOMPARE(figure(found, "sustained_clock")->how, std::string("0.768 of the data sheet's"));
        QVERIFY(!figure(found, "gemm_efficiency"));
        rig.addGpus(Signal::engineActive, 0.9);
        QVERIFY(figure(rig.found(), "gemm_efficiency")->how.starts_with("FLOP/s / graphics engine active"));
        rig.addGpus(Signal::smActive, 0.8);
        found = rig.found();
        // What is useful of the FLOP, or what was done, over the time in which SMs work.
        verifyFigure(found, "gemm_efficiency", none, std::min(ofu, mfu * tiles) / 0.8, 1);
        QVERIFY(figure(found, "gemm_efficiency")->interval);
        QVERIFY(figure(found, "gemm_efficiency")->how.starts_with("FLOP/s / SM active, 1"));
        QVERIFY(near(figure(found, "gemm_efficiency")->before, 0.7) ||
                figure(found, "gemm_efficiency")->before > 0.6);
        // Fewer FLOP than the model has: an error beyond what two counts may differ by.
        const double clock = 1.953125e9 * mfu / 0.5;
        rig.values(Signal::smClock).assign(16 * 120, 0.98 * clock);
        QCOMPARE(rig.error(), QString());
        rig.values(Signal::smClock).assign(16 * 120, 0.96 * clock);
        QVERIFY(rig.error().startsWith(
            QStringLiteral("MFU, %1 %, is above what the tensor pipes did, %2 %, which is "
                           "physically impossible")
                .arg(QLatin1String(figureText(100 * mfu).c_str()),
                     QLatin1String(figureText(96 * mfu).c_str()))));
    }

    void otherParts() {
        Rig rig;
        rig.addGpus(Signal::tensorActive, 0.5);
        rig.spec.cluster.custom.gpu = "a100-80gb-sxm"; // of unknown SMs here
        QVERIFY(says(rig.found(), "The clock at which this GPU reaches its data sheet peak is unknown."));
        rig.spec.cluster.custom = {};
        rig.spec.cluster.instance = "p5.48xlarge";
        QVERIFY(says(rig.found(), "Tensor activity or clock is not measured"));
    }

    void communication() {
        Rig rig;
        LiveCalibration found = rig.found();
        for (const char* name : {"exposed_time", "nvlink_bytes_per_step", "efa_bytes_per_step",
                                 "network_efficiency_seen", "energy_per_token", "checkpoint_seconds"}) {
            QVERIFY2(!figure(found, name), name);
        }
        rig.add(Signal::nodeComputeTime, {{"a", -1, {}}, {"b", -1, {}}}, 4);
        rig.addGpus(Signal::nvlinkTransmit, 2e9);
        rig.add(Signal::efaTransmit, {{"a", -1, {}}, {"b", -1, {}}}, 3e9);
        rig.values(Signal::efaTransmit)[7] = 40e9;
        found = rig.found();
        // Means are known as well as exporters round, to 0.5 %.
        verifyFigure(found, "exposed_time", 1, 1 - 0.025, 1 + 0.025);
        verifyFigure(found, "nvlink_bytes_per_step", 1e10, 0.995e10, 1.005e10);
        const double bytes = 5 * (3e9 + 37e9 / 240);
        verifyFigure(found, "efa_bytes_per_step", bytes, 0.995 * bytes, 1.005 * bytes);
        verifyFigure(found, "network_efficiency_seen", none, 0.1, 1); // 40 of 8 x 50 GB/s
        QVERIFY(says(found, "Calibrate it with --nccl-log."));
        rig.values(Signal::efaTransmit)[7] = 4000e9;
        verifyFigure(rig.found(), "network_efficiency_seen", none, 1, 1);
        rig.values(Signal::nodeComputeTime).assign(240, 4.99);
        found = rig.found();
        QVERIFY(near(figure(found, "exposed_time")->after, 0.01) ||
                std::abs(figure(found, "exposed_time")->after - 0.01) < 1e-9);
        QCOMPARE(figure(found, "exposed_time")->low, 0.0);
        // What the profile plans outside of compute is less than its step.
        const double planned = figure(found, "exposed_time")->before;
        QVERIFY(planned > 0 && planned < figure(found, "step_time")->before);
    }

    void energyOfATokenAndPower() {
        Rig rig;
        rig.add(Signal::tokensPerSecond, {{}}, tokensOfStep / 5);
        rig.addGpus(Signal::gpuPower, 600);
        const LiveCalibration found = rig.found();
        const double joules = 600 * 16 * 5 / tokensOfStep;
        verifyFigure(found, "energy_per_token", joules, 0.995 * joules, 1.005 * joules);
        const CalibratedParameter* power = figure(found, "power_utilisation");
        QVERIFY(near(power->after, 600.0 / 700) && near(power->logSd, 0.02));
        rig.values(Signal::gpuPower).assign(16 * 120, 800);
        QCOMPARE(figure(rig.found(), "power_utilisation")->after, 1.0);
        rig.o.tables.erase(rig.o.tables.end() - 2); // the rate
        QVERIFY(!figure(rig.found(), "energy_per_token") && figure(rig.found(), "power_utilisation"));
    }

    /// Two checkpoints whose instants spend 0.4, 0.4 and 0.6 of 30 s in them: 21 s each.
    void checkpoints() {
        Rig rig;
        rig.add(Signal::checkpointShare, {{}}, 0.003);
        QVERIFY(!figure(rig.found(), "checkpoint_seconds"));
        std::vector<double>& share = rig.values(Signal::checkpointShare);
        share.assign(120, 0);
        share[10] = share[11] = 0.4;
        share[50] = 0.6;
        share[60] = none;
        const LiveCalibration found = rig.found();
        verifyFigure(found, "checkpoint_seconds", 21, 14, 21);
        QCOMPARE(figure(found, "checkpoint_seconds")->how,
                 std::string("2 checkpoints, 1.18 % of the time; asynchronous ones hide"));
        QCOMPARE(found.excluded.size(), std::size_t{2});
    }

    /// 16 GPUs for an hour. Restarts and standstills stop a job, errors where they cost it time.
    void failures() {
        Rig rig;
        const CalibratedParameter* p = nullptr;
        LiveCalibration found = rig.found();
        p = figure(found, "gpu_hours_per_restart");
        QVERIFY(std::isnan(p->after) && p->interval);
        QVERIFY(near(p->low, 16 / std::log(10)));
        QVERIFY(std::isinf(p->high));
        QCOMPARE(p->how, std::string("0 in 16 GPU hours, Poisson"));
        const auto add = [&](FaultKind kind, double seconds) {
            Finding& each = rig.findings.emplace_back();
            each.kind = kind;
            each.where.host = "elsewhere";
            each.start = 1000;
            each.end = 1001;
            each.cost = FaultCost();
            each.cost->seconds = seconds;
        };
        add(FaultKind::xid, 0);
        add(FaultKind::straggler, 10);
        QCOMPARE(figure(rig.found(), "gpu_hours_per_restart")->how,
                 std::string("0 in 16 GPU hours, Poisson"));
        add(FaultKind::restart, 0);
        add(FaultKind::stall, 0);
        add(FaultKind::xid, 10);
        add(FaultKind::doubleBitErrors, 10);
        found = rig.found();
        p = figure(found, "gpu_hours_per_restart");
        QCOMPARE(p->how, std::string("4 in 16 GPU hours, Poisson"));
        QVERIFY(near(p->after, 4) && !p->interval);
        // Chi-squared: 10 % of 8 degrees 3.490, 90 % of 10 15.987; halves of them in 16 hours.
        QVERIFY(std::abs(p->low - 16 / 7.9936) < 0.02 && std::abs(p->high - 16 / 1.7448) < 0.05);
    }
};

QTEST_APPLESS_MAIN(TestLiveTraining)

} // namespace tst_live_training

#include "tst_live_training.moc"
