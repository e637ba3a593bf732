// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/measured_collectives.h"
#include "data/import/nccl_log.h"
#include "data/import/step_times.h"
#include "model/engine/engine.h"
#include "tests/data/calibrated.h"
#include "tests/data/nccl_of_cluster.h"

#include <QFile>

#include <algorithm>
#include <cmath>

namespace tst_calibrate_logs {

using namespace alidade;

namespace {

std::vector<MeasuredCollective> tablesOf(const std::string& text, const std::string& name, int ranks = 0) {
    const data::NcclReading reading = data::readNcclLog(text, name);
    if (!reading.faults.empty())
        qFatal("%s", reading.faults.front().c_str());
    std::vector<MeasuredCollective> out;
    for (const data::NcclTable& table : reading.tables) {
        MeasuredCollective& each = out.emplace_back();
        each.log = name;
        each.op = table.op == "all_gather" ? CollectiveOp::allGather : CollectiveOp::allReduce;
        each.ranks = table.ranks > 0 ? table.ranks : ranks;
        each.nodes = table.nodes > 0 ? table.nodes : (each.ranks + 7) / 8;
        for (const data::NcclPoint& p : table.points)
            if (p.bytes > 0 && p.timeS > 0)
                each.points.push_back({p.bytes, p.timeS, p.inPlace});
    }
    return out;
}

nlohmann::json customCluster(const char* gpu, const char* network, double perGpu) {
    return {{"custom",
             {{"gpu", gpu},
              {"gpus_per_node", 8},
              {"nvlink_domain", 8},
              {"network", network},
              {"network_bytes_per_s_per_gpu_per_direction", perGpu}}},
            {"instances", 2}};
}

ScenarioSpec on(const nlohmann::json& cluster, int batch) {
    return test::specOf(
        {{"alidade", 1},
         {"workload",
          {{"kind", "training"},
           {"model", "llama-3.1-8b"},
           {"sequence_length", 8192},
           {"global_batch", batch}}},
         {"cluster", cluster},
         {"plan", {{"framework", "megatron-core"}, {"micro_batch", 1}, {"precision", "bf16"}}}});
}

Result<LiveCalibration> attempt(const ScenarioSpec& spec, const std::vector<MeasuredCollective>& tables) {
    return calibrateCollectives(spec, shippedCatalog(), shippedCatalog().defaultProfile, tables);
}

} // namespace

class TestCalibrateLogs : public QObject {
    Q_OBJECT

private slots:
    /// The efficiencies of the simulated clusters of tests/data/clusters, as nccl-tests would see them there.
    void networkEfficiencyIsFound_data() {
        QTest::addColumn<QString>("instance");
        QTest::addColumn<double>("efficiency");
        QTest::addColumn<int>("seed");
        QTest::newRow("default") << QStringLiteral("p5.48xlarge") << 0.85 << 7;
        QTest::newRow("p5-slow-memory") << QStringLiteral("p5.48xlarge") << 0.78 << 11;
        QTest::newRow("p5en-fast") << QStringLiteral("p5en.48xlarge") << 0.91 << 23;
        QTest::newRow("p6-b200") << QStringLiteral("p6-b200.48xlarge") << 0.82 << 31;
    }
    void networkEfficiencyIsFound() {
        QFETCH(QString, instance);
        QFETCH(double, efficiency);
        QFETCH(int, seed);
        test::NcclTruth truth;
        truth.efficiency = efficiency;
        truth.seed = static_cast<unsigned>(seed);
        const auto c =
            attempt(test::trainingOn(instance.toStdString(), 4), tablesOf(test::ncclLogOf(truth), "run.log"));
        QVERIFY2(c, c.error().c_str());
        const CalibratedParameter& measured = test::parameter(*c, "all_reduce_32_gpus_network_efficiency");
        const CalibratedParameter& found = test::parameter(*c, "network_efficiency");
        qInfo("measured %.4f, constant %.4f of %.4f, data share %.2f, [%.3f, %.3f]", measured.after,
              found.after, efficiency, found.dataShare, found.low, found.high);
        QVERIFY(std::abs(measured.after / efficiency - 1) < 0.05);
        QVERIFY(found.applied && found.dataShare > 0.5);
        QVERIFY(c->after.mean < c->before.mean);
    }

    void logsOfLaunchersAndColors_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("behind");
        const auto row = [](const char* name, const char* before, const char* behind = "") {
            QTest::newRow(name) << QString::fromLatin1(before) << QString::fromLatin1(behind);
        };
        row("mpirun", "[1,0]<stdout>: ");
        row("srun", "0: ");
        row("host", "launcher-0: ");
        row("kubectl", "[pod/nccl-test-launcher-x7k2p/main] ");
        row("stern", "nccl-test-launcher-x7k2p main ");
        row("timestamps", "2026-11-20T10:00:00.000Z ");
        row("colours", "\x1b[32m", "\x1b[0m");
        row("colours of stern", "\x1b[35mnccl-test-launcher-x7k2p\x1b[0m \x1b[36mmain\x1b[0m ");
    }
    void logsOfLaunchersAndColors() {
        QFETCH(QString, before);
        QFETCH(QString, behind);
        const std::string plain = test::ncclLogOf(test::NcclTruth{});
        std::string log;
        for (const QString& line : QString::fromStdString(plain).split(QLatin1Char('\n')))
            log += (line.trimmed().isEmpty() ? line : before + line + behind).toStdString() + '\n';
        const auto expected = data::readMeasuredCollectives(plain, "run.log", 8);
        const auto read = data::readMeasuredCollectives(log, "run.log", 8);
        QVERIFY2(read.faults.empty(), read.faults.empty() ? "" : read.faults.front().c_str());
        QCOMPARE(read.tables.size(), expected.tables.size());
        QCOMPARE(read.tables.front().points.size(), expected.tables.front().points.size());
        QCOMPARE(read.tables.front().ranks, expected.tables.front().ranks);
    }

    void wrongResultsAreRefused() {
        QString log = QString::fromStdString(test::ncclLogOf(test::NcclTruth{}));
        QStringList lines = log.split(QLatin1Char('\n'));
        for (QString& line : lines) {
            if (line.contains(QStringLiteral("float")) && line.endsWith(QLatin1Char('0'))) {
                line.replace(line.size() - 1, 1, QStringLiteral("3"));
                break;
            }
        }
        const std::string wrong = lines.join(QLatin1Char('\n')).toStdString();
        const auto refused = data::readMeasuredCollectives(wrong, "run.log", 8);
        QVERIFY(refused.tables.empty() && refused.faults.size() == 1);
        QVERIFY2(refused.faults.front().find("measurements have wrong results") != std::string::npos,
                 refused.faults.front().c_str());
        QVERIFY(!data::readMeasuredCollectives(wrong, "run.log", 8, true).tables.empty());
    }

    void publishedLogs_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("cluster");
        const auto row = [](const char* file, const nlohmann::json& cluster) {
            QTest::newRow(file) << QString::fromLatin1(file) << QString::fromStdString(cluster.dump());
        };
        const nlohmann::json p5 = {{"instance", "p5.48xlarge"}, {"instances", 2}};
        row("aws-p5-2node-allreduce", p5);
        row("aws-p5-2node-eks-allreduce-excerpt", p5);
        row("aws-batch-8gpu-allreduce", p5);
        row("lambda-b200-2node-allreduce", customCluster("b200-sxm", "infiniband", 50e9));
        row("nebius-h100-2node-allreduce", customCluster("h100-sxm", "infiniband", 50e9));
        row("gcp-a3mega-2node-allgather", customCluster("h100-sxm", "ethernet", 25e9));
        row("gcp-a3high-2node-allgather", customCluster("h100-sxm", "ethernet", 6.25e9));
        row("coreweave-gb200-nvl72-allreduce", {{"ultraserver", "u-p6e-gb200x72"}, {"ultraservers", 1}});
        row("oci-h100-2node-allreduce", customCluster("h100-sxm", "ethernet", 50e9));
    }
    void publishedLogs() {
        QFETCH(QString, file);
        QFETCH(QString, cluster);
        QFile log(QStringLiteral(ALIDADE_TEST_DATA "/data/nccl-logs/") + file + QStringLiteral(".txt"));
        QVERIFY(log.open(QIODevice::ReadOnly));
        const bool rack = file.contains(QStringLiteral("nvl72"));
        const auto c = attempt(on(nlohmann::json::parse(cluster.toStdString()), rack ? 72 : 16),
                               tablesOf(log.readAll().toStdString(), file.toStdString(), rack ? 72 : 16));
        QVERIFY2(c, c.error().c_str());
        qInfo("%zu rows, before %.3f, after %.3f, left out %.3f", c->samples, c->before.mean, c->after.mean,
              c->leftOut ? c->leftOut->mean : -1.0);
        QVERIFY(c->after.mean <= c->before.mean);
        QVERIFY(c->leftOut && c->leftOut->mean >= c->after.mean);
        QVERIFY(c->samples >= 5);
    }

    void aFasterLogThanTheLineIsRefused() {
        test::NcclTruth truth;
        truth.nodeLine = 800e9;
        const auto c =
            attempt(test::trainingOn("p5.48xlarge", 4), tablesOf(test::ncclLogOf(truth), "run.log"));
        QVERIFY(!c && c.error().find("physically impossible") != std::string::npos);
    }

    void aLogInsideOneNodeSaysNothingOfTheNetwork() {
        test::NcclTruth truth;
        truth.nodes = 1;
        truth.nodeLine = 8 * 450e9 / 8;
        const auto c =
            attempt(test::trainingOn("p5.48xlarge", 4), tablesOf(test::ncclLogOf(truth), "run.log"));
        QVERIFY2(c, c.error().c_str());
        QVERIFY(std::ranges::none_of(
            c->parameters, [](const CalibratedParameter& p) { return p.name == "network_efficiency"; }));
        QVERIFY(std::ranges::any_of(c->notes, [](const std::string& n) {
            return n.find("crosses the network") != std::string::npos;
        }));
    }

    void stepTimesAreOneNumber() {
        MeasuredStepTimes steps{"steps.csv", {}};
        for (int i = 0; i < 80; ++i)
            steps.seconds.push_back(i < 3 ? 25 : i % 20 == 19 ? 21 : 8.4 + 0.02 * (i % 3));
        const ScenarioSpec spec = test::trainingOn("p5.48xlarge", 3);
        const auto c = calibrateStepTimes(spec, shippedCatalog(), shippedCatalog().defaultProfile, steps);
        QVERIFY2(c, c.error().c_str());
        QVERIFY(std::abs(test::parameter(*c, "step_time").after / 8.42 - 1) < 0.005);
        const auto after = estimate(spec, shippedCatalog(), c->profile);
        QVERIFY(after && after->training && std::abs(after->training->stepTime / 8.42 - 1) < 0.02);
        QVERIFY(std::ranges::any_of(c->notes, [](const std::string& n) {
            return n.find("3 warm-up steps, 4 outliers") != std::string::npos;
        }));
        QVERIFY(std::ranges::any_of(
            c->notes, [](const std::string& n) { return n.find("single number") != std::string::npos; }));
        steps.seconds.resize(12);
        QVERIFY(!calibrateStepTimes(spec, shippedCatalog(), shippedCatalog().defaultProfile, steps));
        QVERIFY(!calibrateStepTimes(test::servingOn("p5.48xlarge"), shippedCatalog(),
                                    shippedCatalog().defaultProfile, steps));
    }

    void readsStepTimes_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("first");
        QTest::addColumn<QString>("unit");
        QTest::newRow("seconds") << QByteArray("step,step_time_s,loss\n1,8.5,2.1\n2,8.4,2.0\n") << 8.5
                                 << QStringLiteral("s");
        QTest::newRow("milliseconds")
            << QByteArray("iteration;elapsed time per iteration (ms)\n1;8500.0\n2;8400\n") << 8.5
            << QStringLiteral("ms");
        QTest::newRow("numbers alone") << QByteArray("# a run\n8.5\n\n8.4\n") << 8.5 << QStringLiteral("s");
        QTest::newRow("quoted, Windows")
            << QByteArray("\xEF\xBB\xBF\"step\",\"step time\"\r\n\"1\",\"8.5\"\r\n2,8.4\r\n") << 8.5
            << QStringLiteral("s");
        QTest::newRow("tabs") << QByteArray("step\titer_time_ms\n1\t8500\n2\t8400\n") << 8.5
                              << QStringLiteral("ms");
    }
    void readsStepTimes() {
        QFETCH(QByteArray, text);
        QFETCH(double, first);
        QFETCH(QString, unit);
        const data::StepTimesReading reading = data::readStepTimes(text.toStdString(), "steps.csv");
        QVERIFY2(reading.faults.empty(), reading.faults.empty() ? "" : reading.faults.front().c_str());
        QCOMPARE(reading.seconds.size(), std::size_t{2});
        QCOMPARE(reading.seconds.front(), first);
        QCOMPARE(reading.unit, unit.toStdString());
    }

    void saysWhatIsWrongInStepTimes_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("word") << QByteArray("step,step_time_s\n1,8.5\n2,fast\n")
                              << QStringLiteral("steps.csv:3: 'fast' is not a number");
        QTest::newRow("comma as point") << QByteArray("step;step_time_s\n1;8,5\n")
                                        << QStringLiteral("steps.csv:2: '8,5' is not a number");
        QTest::newRow("negative") << QByteArray("step,step_time_s\n1,-1\n")
                                  << QStringLiteral("steps.csv:2: '-1' is not a step time");
        QTest::newRow("no column") << QByteArray("step,loss\n1,2\n")
                                   << QStringLiteral("steps.csv:1: none of the columns 'step', 'loss'");
        QTest::newRow("two columns") << QByteArray("step_time_s,iteration_time\n1,2\n")
                                     << QStringLiteral(
                                            "steps.csv:1: both 'step_time_s' and 'iteration_time'");
        QTest::newRow("short line") << QByteArray("step,step_time_s\n1\n")
                                    << QStringLiteral("steps.csv:2: has 1 columns");
        QTest::newRow("nothing") << QByteArray("") << QStringLiteral("steps.csv: no step times found");
        QTest::newRow("no header") << QByteArray("1,2\n3,4\n")
                                   << QStringLiteral("steps.csv:1: the header line is missing");
    }
    void saysWhatIsWrongInStepTimes() {
        QFETCH(QByteArray, text);
        QFETCH(QString, words);
        const data::StepTimesReading reading = data::readStepTimes(text.toStdString(), "steps.csv");
        QVERIFY(reading.seconds.empty() && !reading.faults.empty());
        QVERIFY2(reading.faults.front().starts_with(words.toStdString()), reading.faults.front().c_str());
    }
};

QTEST_GUILESS_MAIN(TestCalibrateLogs)

} // namespace tst_calibrate_logs

#include "tst_calibrate_logs.moc"
