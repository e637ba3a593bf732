// SPDX-License-Identifier: GPL-3.0-or-later
// Published figures of whole runs, predicted from the constants and from what the source gives in their
// place.
#include "model/validation/predict_row.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>

namespace tst_predict_run {

using namespace alidade;
using namespace alidade::tests;

namespace {

/// Constants of which every figure can be worked out on paper.
Catalog catalogOfRuns() {
    Catalog out = fittedCatalog();
    const std::pair<const char*, double> values[] = {{"gpu_hours_per_failure", 40'000},
                                                     {"restart_time", 300},
                                                     {"restart_growth", 100},
                                                     {"failure_detection", 200},
                                                     {"standby_restart", 65},
                                                     {"checkpointless_restart", 50},
                                                     {"peer_checkpoint_stall", 0.04},
                                                     {"checkpoint_stall", 0.5},
                                                     {"checkpoint_writer_rate", 1e9},
                                                     {"serial_writer_rate", 6e8},
                                                     {"tcp_client_rate", 2.5e9},
                                                     {"host_efficiency", 0.8},
                                                     {"network_efficiency", 0.9},
                                                     {"power_utilisation", 0.9},
                                                     {"idle_power", 0.1},
                                                     {"waiting_power", 0.5},
                                                     {"fan_power", 0.2},
                                                     {"host_power_per_gpu", 200},
                                                     {"serving_power_compute", 10},
                                                     {"serving_power_memory", 2},
                                                     {"serving_power_floor", 0.2}};
    for (const auto& [name, value] : values)
        constantIn(out.defaultProfile, name).value = value;
    const auto add = [&](const char* name, const char* stack, double value) {
        Parameter p = constantIn(out.defaultProfile, "fan_power");
        p.name = name;
        p.stack = stack;
        p.value = value;
        out.defaultProfile.parameters.push_back(std::move(p));
    };
    add("fan_power", "liquid", 0.05);
    add("nvme_drive_write", "server", 4e9);
    add("nvme_drive_write_operations", "server", 50'000);
    add("nvme_drive_read", "server", 7e9);
    add("nvme_drive_read_operations", "server", 150'000);
    add("nvme_drive_read", "odd", 7e9);
    return out;
}

PublishedRun runOf(const char* quantity) {
    PublishedRun row;
    row.id = "run";
    row.gpu = "H100";
    row.gpus = 16;
    row.nodes = 2;
    row.figures = {{.quantity = quantity, .value = 1}};
    return row;
}

ValidationReport report(const PublishedRun& row, const Catalog& catalog) {
    ValidationReport out;
    predictRun(row, catalog, catalog.defaultProfile, out);
    return out;
}

/// Share of the time that counts under exponential failures, failures during restarts included (Daly 2006).
double effective(double interval, double stall, double mtbf, double restart) {
    return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + stall) / mtbf));
}

} // namespace

class TestPredictRun : public QObject {
    Q_OBJECT

    Catalog catalog_ = catalogOfRuns();

    double predicted(const PublishedRun& row) const {
        const ValidationReport out = report(row, catalog_);
        return out.rows.empty() ? -1 : out.rows.front().predicted;
    }
    QString assumed(const PublishedRun& row) const {
        return joined(report(row, catalog_).rows.at(0).assumed);
    }
    QString lacks(const PublishedRun& row) const {
        const ValidationReport out = report(row, catalog_);
        return out.skipped.empty() ? QString() : QString::fromStdString(out.skipped.front().why);
    }
    static QString gives(const char* what) {
        return QStringLiteral("the source does not give %1").arg(QLatin1String(what));
    }
    static bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

private slots:
    void goodputFromFailureToFailure() {
        PublishedRun row = runOf("goodput");
        row.reliability.wallInterval = 1000;
        QCOMPARE(lacks(row), gives("the recovery time"));
        row.reliability.recovery = 50;
        QCOMPARE(predicted(row), 0.95);
        QCOMPARE(assumed(row), QString());
        row = runOf("goodput");
        row.reliability.method =
            "replicas"; // one step in e is lost where steps last as long as failures take
        QCOMPARE(lacks(row), gives("the step time or the failure rate"));
        row.reliability.step = 20;
        QCOMPARE(lacks(row), gives("the step time or the failure rate"));
        row.reliability.mtbf = 100;
        QVERIFY(near(predicted(row), std::exp(-0.2)));
    }

    void goodputOfEveryStep() {
        PublishedRun row = runOf("goodput");
        row.reliability.method = "every_step";
        row.reliability.step = 20;
        row.reliability.mtbf = 7200;
        row.reliability.recovery = 90;
        QVERIFY(near(predicted(row), effective(20, 0.04, 7200, 90)));
        QCOMPARE(assumed(row), QString());
        row.reliability.step.reset(); // ten seconds
        QVERIFY(near(predicted(row), effective(10, 0.04, 7200, 90)));
        // What is not given: 40,000 GPU-hours over 16 GPUs; 200 s to find the failure, 300 s to restart.
        row.reliability.mtbf.reset();
        QVERIFY(near(predicted(row), effective(10, 0.04, 9e6, 90)));
        QCOMPARE(assumed(row), QStringLiteral("failure rate"));
        row.reliability.recovery.reset();
        row.reliability.mtbf = 7200;
        QVERIFY(near(predicted(row), effective(10, 0.04, 7200, 500)));
        QCOMPARE(assumed(row), QStringLiteral("recovery time"));
        row.gpus = 2048; // doubled twice beyond 512
        QVERIFY(near(predicted(row), effective(10, 0.04, 7200, 700)));
        row.reliability.recovery = 90; // no growth of what is given
        QVERIFY(near(predicted(row), effective(10, 0.04, 7200, 90)));
        row.reliability.recovery.reset();
        row.reliability.standby = true;
        QVERIFY(near(predicted(row), effective(10, 0.04, 7200, 265)));
        row.reliability.method = "checkpointless";
        QVERIFY(near(predicted(row), effective(10, 0, 7200, 250)));
        QCOMPARE(assumed(row), QStringLiteral("recovery time"));
    }

    void failuresOfNodes() {
        PublishedRun row = runOf("goodput");
        row.reliability.method = "every_step";
        row.reliability.recovery = 90;
        row.reliability.failuresPerNodeDay = 0.5; // of 2 nodes: one a day
        QVERIFY(near(predicted(row), effective(10, 0.04, 86'400, 90)));
        row.gpus.reset(); // 8 of a node
        QVERIFY(near(predicted(row), effective(10, 0.04, 86'400, 90)));
        row.reliability.failuresPerNodeDay.reset();
        QVERIFY(near(predicted(row), effective(10, 0.04, 9e6, 90)));
        row.nodes.reset();
        QCOMPARE(lacks(row), gives("the number of GPUs"));
        row.gpus = 16;
        row.reliability.failuresPerNodeDay = 0.5; // of how many nodes?
        QVERIFY(near(predicted(row), effective(10, 0.04, 9e6, 90)));
        QCOMPARE(assumed(row), QStringLiteral("failure rate"));
    }

    /// 1.2e9 parameters of 10 bytes: 12 GB take a minute to storage (or longer, where 1 GB/s and process is
    /// less), and 12e9 / (16 x 64e9 x 0.8) s to host memory.
    void goodputOfCheckpoints() {
        PublishedRun row = runOf("goodput");
        row.storage.parameters = 1.2e9;
        row.storage.bytesPerParameter = 10;
        row.reliability.mtbf = 7200;
        row.reliability.interval = 600;
        row.reliability.recovery = 300;
        const double copy = 12e9 / (16 * 64e9 * 0.8);
        // A restart reads the state again; what was made while the last checkpoint was written is lost.
        QVERIFY(near(predicted(row), effective(600, 0.5 + copy, 7200, 300 + 60 + 60)));
        QCOMPARE(assumed(row), QString());
        row.reliability.stall = 2;
        QVERIFY(near(predicted(row), effective(600, 2 + copy, 7200, 300 + 60 + 60)));
        row.reliability.method = "sync";
        QVERIFY(near(predicted(row), effective(600, 2 + copy + 60, 7200, 300 + 60)));
        row.reliability.interval.reset();
        QCOMPARE(assumed(row), QStringLiteral("checkpoint interval"));
        row.reliability.interval = 600;
        row.storage.parameters.reset(); // a checkpoint of nothing
        QVERIFY(near(predicted(row), effective(600, 2, 7200, 300)));
        // 16 processes of 0.01 GB/s need 75 s.
        constantIn(catalog_.defaultProfile, "checkpoint_writer_rate").value = 1e7;
        row.storage.parameters = 1.2e9;
        QVERIFY(near(predicted(row), effective(600, 2 + copy + 75, 7200, 300 + 75)));
        constantIn(catalog_.defaultProfile, "checkpoint_writer_rate").value = 1e9;
    }

    void restores() {
        PublishedRun row = runOf("restore_s");
        QCOMPARE(predicted(row), 300.0); // of 16 GPUs, without reading the state
        row.gpus = 1024;
        QCOMPARE(predicted(row), 400.0);
        row.reliability.standby = true;
        QCOMPARE(predicted(row), 65.0);
        row.gpus.reset();
        QCOMPARE(lacks(row), gives("the number of GPUs"));
        row.storage.rate = 2e9; // of a file system: 14 bytes of each parameter
        QCOMPARE(lacks(row), gives("the size of the model"));
        row.storage.parameters = 1e9;
        QCOMPARE(predicted(row), 7.0);
        row.storage.bytesPerParameter = 2;
        QCOMPARE(predicted(row), 1.0);
    }

    void stalls() {
        PublishedRun row = runOf("checkpoint_stall_s");
        QCOMPARE(lacks(row), gives("the number of GPUs or the size of the model"));
        row.storage.parameters = 1.024e12;
        QVERIFY(near(predicted(row), 0.5 + 1.024e12 * 14 / (16 * 64e9 * 0.8)));
        row.gpu = "GB200"; // over NVLink-C2C
        QVERIFY(near(predicted(row), 0.5 + 1.024e12 * 14 / (16 * 450e9 * 0.8)));
        row.gpus.reset();
        QCOMPARE(lacks(row), gives("the number of GPUs or the size of the model"));
        row.reliability.method = "every_step";
        QCOMPARE(predicted(row), 0.04);
    }

    void checkpointTimes() {
        PublishedRun row = runOf("checkpoint_s");
        row.instance = "p5.48xlarge";
        QCOMPARE(lacks(row), gives("the size of the checkpoint"));
        row.storage.parameters = 1e9;
        QCOMPARE(lacks(row), gives("what the storage can take"));
        row.storage.rate = 7e9;
        QCOMPARE(predicted(row), 2.0);
        row.storage.bytesPerParameter = 21;
        QCOMPARE(predicted(row), 3.0);
        row.storage.bytes = 70e9; // as said
        QCOMPARE(predicted(row), 10.0);
        row.storage.rate.reset();
        row.storage.tier = "nvme";
        // One process of 1 GB/s, then 20: two machines read 2 x 4e6 x 4096, and write 2 x 2e6 x 4096 bytes/s.
        QCOMPARE(predicted(row), 0.5 + 70);
        row.storage.processes = 20;
        QCOMPARE(predicted(row), 0.5 + 3.5);
        row.storage.processes = 100;
        QVERIFY(near(predicted(row), 0.5 + 70e9 / (2 * 4e6 * 4096)));
        row.storage.write = true;
        QVERIFY(near(predicted(row), 0.5 + 70e9 / (2 * 2e6 * 4096)));
        row.nodes.reset(); // one
        QVERIFY(near(predicted(row), 0.5 + 70e9 / (2e6 * 4096)));
        row.storage.singleFile = true;
        QVERIFY(near(predicted(row), 0.5 + 70e9 / 6e8));
        row.storage.singleFile = false;
        row.instance.clear();
        QCOMPARE(lacks(row), gives("the rate of the local drives"));
        row.storage.tier = "lustre_tcp";
        row.nodes = 4;
        QCOMPARE(predicted(row), 0.5 + 7);
    }

    void checkpointBytes() {
        PublishedRun row = runOf("checkpoint_bytes");
        QCOMPARE(lacks(row), gives("the size of the model"));
        row.storage.parameters = 1e9;
        QCOMPARE(predicted(row), 14e9);
        row.storage.bytesPerParameter = 8;
        QCOMPARE(predicted(row), 8e9);
    }

    void ratesOfStorage() {
        PublishedRun row = runOf("storage_bytes_per_s");
        PublishedStorage& s = row.storage;
        QCOMPARE(lacks(row), gives("what the storage is made of"));
        s.drive = "unheard of";
        QCOMPARE(lacks(row), gives("a class of drives with constants"));
        s.drive = "odd"; // of which only the stream is known
        QCOMPARE(lacks(row), gives("a class of drives with constants"));
        s.drive = "server";
        QCOMPARE(predicted(row), 7e9);
        s.drives = 4;
        QCOMPARE(predicted(row), 28e9);
        s.ioBytes = 4096; // 150,000 a second of each
        QCOMPARE(predicted(row), 4 * 150'000 * 4096.0);
        s.ioBytes = 1e6;
        QCOMPARE(predicted(row), 28e9);
        s.write = true;
        QCOMPARE(predicted(row), 16e9);
        s.ioBytes = 1000;
        QCOMPARE(predicted(row), 4 * 50'000 * 1000.0);
        s.servers = 10;
        s.serverRate = 50e9;
        QCOMPARE(predicted(row), 450e9);
        QCOMPARE(assumed(row), QStringLiteral("share of the line rate"));
        s.capacity = 2199023255552; // 2 TiB
        s.ratePerTib = 1e9;
        QCOMPARE(predicted(row), 2e9);
        s.accelerators = 8;
        s.batchBytes = 1e9;
        s.compute = 0.5;
        QCOMPARE(predicted(row), 16e9);
        s.utilization = 0.75;
        QCOMPARE(predicted(row), 12e9);
    }

    /// Of 700 W a busy GPU draws 630, an idle one 70, one that waits half-way between: 350.
    void powerOfTraining() {
        PublishedRun row = runOf("power_w");
        QCOMPARE(lacks(row), gives("GPU-hours, or a boundary that adds up"));
        row.power.boundary = "gpu";
        QVERIFY(near(predicted(row), 16 * (0.85 * 630 + 0.15 * 350)));
        QCOMPARE(assumed(row), QStringLiteral("busy share of a step"));
        row.power.highest = true;
        QVERIFY(near(predicted(row), 16 * 630.0));
        row.power.boundary = "node_wall_ac"; // fans 20 %, in water 5 %; 200 W of host for each
        QVERIFY(near(predicted(row), 16 * (630 * 1.2 + 200)));
        row.power.cooling = "water";
        QVERIFY(near(predicted(row), 16 * (630 * 1.05 + 200)));
        row.gpus.reset();
        QCOMPARE(lacks(row), gives("the number of GPUs"));
        row.power.capped = true;
        QCOMPARE(lacks(row), gives("the power limit: it was lowered"));
        row.gpu = "TPU";
        QCOMPARE(lacks(row), gives("a GPU of the catalog (TPU is not in it)"));
        row.power.method = "tdp_estimate";
        QCOMPARE(lacks(row), gives("a measurement: rated power x GPU-hours is an accounting rule"));
    }

    /// 16 H100, 1e15 FLOP/s and 3.2e12 bytes/s each: 3.2e12 parameters and 500 tokens/s are 0.2 of the peak.
    void powerOfServing() {
        PublishedRun row = runOf("power_w");
        PublishedPower& p = row.power;
        p.boundary = "gpu";
        p.serving = true;
        QCOMPARE(lacks(row), gives("the size of the model, the batch or the rate"));
        p.parameters = 3.2e12;
        p.outputTokensPerS = 500;
        QCOMPARE(lacks(row), gives("the size of the model, the batch or the rate"));
        p.batch = 100;
        const auto watts = [](double compute, double memory) {
            return 16 * 700 * (0.1 + 0.9 * (1 - 0.8 * std::exp(-10 * compute - 2 * memory)));
        };
        // 5 steps/s read 6.4e12 bytes over 16 GPUs: 2e12 of 3.2e12.
        QVERIFY(near(predicted(row), watts(0.2, 0.625)));
        p.weights = "fp8";
        QVERIFY(near(predicted(row), watts(0.2, 0.3125)));
        p.weights = "mxfp4";
        QVERIFY(near(predicted(row), watts(0.2, 0.625 * 0.275)));
        p.weights = "bfloat16";
        // A tenth of them active: of 2 sequences, 1 - 0.9^2 are read.
        p.activeParameters = 3.2e11;
        p.batch = 2;
        p.outputTokensPerS = 10;
        QVERIFY(near(predicted(row), watts(0.0004, 0.625 * 0.19)));
        row.gpus.reset();
        QCOMPARE(lacks(row), gives("the size of the model, the batch or the rate"));
    }

    void energy() {
        PublishedRun row = runOf("energy_kwh");
        row.power.boundary = "gpu";
        row.power.highest = true;
        QCOMPARE(lacks(row), gives("how long it ran"));
        row.power.seconds = 7200;
        QVERIFY(near(predicted(row), 16 * 0.630 * 2));
        row.figures.front().quantity = "energy_j_per_output_token";
        QCOMPARE(lacks(row), gives("the output rate"));
        row.power.outputTokensPerS = 100;
        QVERIFY(near(predicted(row), 16 * 630.0 / 100));
        row.power.boundary = "facility";
        QCOMPARE(lacks(row), gives("GPU-hours, or a boundary that adds up"));
    }

    void bands_data() {
        QTest::addColumn<QString>("quantity");
        QTest::addColumn<double>("logSd");
        const std::pair<const char*, double> known[] = {
            {"restore_s", 0.35},    {"checkpoint_bytes", 0.08},  {"storage_bytes_per_s", 0.15},
            {"checkpoint_s", 0.15}, {"checkpoint_stall_s", 0.6}, {"power_w", 0.15},
            {"goodput", 0.03}};
        for (const auto& [quantity, logSd] : known)
            QTest::newRow(quantity) << quantity << logSd;
    }
    /// From the 10 % to the 90 % quantile, 1.28155 sd away; a goodput ends at 1.
    void bands() {
        QFETCH(QString, quantity);
        QFETCH(double, logSd);
        PublishedRun row = runOf("");
        row.figures.front().quantity = quantity.toStdString();
        row.storage.parameters = 1e9;
        row.storage.servers = 1;
        row.storage.serverRate = 1e9;
        row.power.boundary = "gpu";
        row.reliability.wallInterval = 10;
        row.reliability.recovery = 5;
        if (quantity == QLatin1String("checkpoint_s"))
            row.storage.rate = 1e9;
        ValidationRow out = report(row, catalog_).rows.at(0);
        QVERIFY(near(out.high / out.predicted, std::exp(1.2815515655 * logSd)));
        QVERIFY(near(out.predicted / out.low, std::exp(1.2815515655 * logSd)));
        row.reliability.recovery = 0.01;
        out = report(row, catalog_).rows.at(0);
        if (quantity == QLatin1String("goodput"))
            QCOMPARE(out.high, 1.0);
    }

    void whatIsReported() {
        PublishedRun row = runOf("checkpoint_bytes");
        row.storage.parameters = 1e9;
        row.figures = {{.quantity = "checkpoint_bytes", .value = 10e9, .atLeast = true},
                       {.quantity = "restore_s", .value = 150},
                       {.quantity = "power_w", .value = 150},
                       {.quantity = "restore_s", .value = 0}};
        row.group = "group";
        row.quality = "high";
        row.rowKind = "checkpoint";
        row.model = "GPT";
        row.software = "NeMo";
        row.notes = "notes";
        row.source = {.title = "title", .locator = "locator", .table = "table", .row = "", .date = "2025"};
        const ValidationReport out = report(row, catalog_);
        QCOMPARE(out.rows.size(), std::size_t{2});
        QVERIFY(out.skipped.empty());
        const ValidationRow& first = out.rows.front();
        QCOMPARE(
            joined({first.id, first.group, first.quality, first.rowKind, first.model, first.gpu,
                    first.framework, first.sourceTitle, first.sourceLocator, first.sourceTable,
                    first.sourceDate, first.notes}),
            QStringLiteral(
                "run, group, high, checkpoint, GPT, h100-sxm, NeMo, title, locator, table, 2025, notes"));
        QVERIFY(first.kind == RowKind::run);
        QCOMPARE(first.gpus, 16);
        QCOMPARE(first.nodes, 2);
        QCOMPARE(joined(first.assumed), QStringLiteral("published as a lower bound"));
        QVERIFY(near(first.error, 0.4));
        QCOMPARE(out.rows.back().error, 1.0);
        QVERIFY(out.rows.back().assumed.empty());
        row.figures = {{.quantity = "restore_s", .value = 0}};
        QCOMPARE(lacks(row), gives("a positive value"));
        row.figures.clear();
        QCOMPARE(
            lacks(row),
            QStringLiteral("the source gives no figure that an estimate has: it is a fact for defaults"));
    }
};

QTEST_APPLESS_MAIN(TestPredictRun)

} // namespace tst_predict_run

#include "tst_predict_run.moc"
