// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// alidade calibrate: from a real Prometheus over the simulated cluster, logs of nccl-tests and step times.
#include "data/json/json.h"
#include "tests/app/program.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"
#include "tests/data/nccl_of_cluster.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace tst_cli_calibrate {

using namespace alidade;
using alidade::test::Outcome;
using alidade::test::Program;
using Json = nlohmann::json;

namespace {

const Json training = {
    {"alidade", 1},
    {"workload",
     {{"kind", "training"}, {"model", "llama-3.1-70b"}, {"sequence_length", 8192}, {"global_batch", 24}}},
    {"cluster", {{"instance", "p5.48xlarge"}, {"instances", 3}}},
    {"plan",
     {{"framework", "megatron-core"}, {"tensor_parallel", 8}, {"micro_batch", 1}, {"precision", "bf16"}}}};
const Json serving = {
    {"alidade", 1},
    {"workload",
     {{"kind", "serving"},
      {"model", "llama-3.1-70b"},
      {"input_tokens", 2048},
      {"output_tokens", 256},
      {"request_rate_per_s", 4},
      {"prefix_cache_hit", 0.3}}},
    {"cluster", {{"instance", "p5.48xlarge"}, {"instances", 1}}},
    {"plan", {{"engine", "vllm"}, {"tensor_parallel", 8}, {"weights", "bf16"}, {"kv_cache", "bf16"}}}};

const Json& named(const Json& list, const char* name) {
    for (const Json& each : list)
        if (each.at("name") == name)
            return each;
    qFatal("there is no %s", name);
}

} // namespace

class TestCliCalibrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        write("training.json", training.dump());
        write("serving.json", serving.dump());
        write("run.log", test::ncclLogOf({}));
        std::string steps = "step,step_time_s\n";
        for (int i = 0; i < 60; ++i)
            steps += std::to_string(i) + "," + (i < 2 ? "30" : "8.4") + "\n";
        write("steps.csv", steps);
    }

    void aStepTimeOfAnotherJobIsDoubted() {
        const auto doubted = [this](const char* time) {
            const Outcome outcome = program_.run({QStringLiteral("calibrate"), path("training.json"),
                                                  QStringLiteral("--step-time"), QString::fromLatin1(time)});
            return outcome.status == 0 &&
                   outcome.out.simplified().contains("outside what the constants allow");
        };
        QVERIFY(doubted("4.9s"));
        QVERIFY(!doubted("8.4s"));
    }

    void fromALogOfNcclTests() {
        const Outcome outcome = program_.run(
            {QStringLiteral("calibrate"), path("training.json"), QStringLiteral("--nccl-log"),
             path("run.log"), QStringLiteral("-o"), path("network.json"), QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        const Json answer = Json::parse(outcome.out.toStdString());
        const Json& found = named(answer.at("measured"), "all_reduce_32_gpus_network_efficiency");
        QVERIFY(std::abs(found.at("after").get<double>() / 0.85 - 1) < 0.05);
        QCOMPARE(answer.at("source").at("evidence").get<std::string>(), std::string("nccl_tests"));
        QCOMPARE(answer.at("name").get<std::string>(), std::string("network"));
        QVERIFY(QFile::exists(path("network.json")));
    }

    void theProfileIsUsedWhenChosen() {
        const QStringList estimate{QStringLiteral("estimate"), path("training.json"),
                                   QStringLiteral("--json")};
        const Outcome calibrated =
            program_.run({QStringLiteral("calibrate"), path("training.json"), QStringLiteral("--steps"),
                          path("steps.csv"), QStringLiteral("-o"), path("steps.json")});
        QVERIFY2(calibrated.status == 0, calibrated.err.constData());
        QVERIFY(calibrated.out.contains("2 warm-up steps"));
        const Outcome plain = program_.run(estimate);
        const Outcome chosen =
            program_.run(estimate + QStringList{QStringLiteral("--calibration"), path("steps.json")});
        QVERIFY2(plain.status == 0 && chosen.status == 0, chosen.err.constData());
        const auto step = [](const Outcome& o) {
            return Json::parse(o.out.toStdString()).at("training").at("step_time_s").get<double>();
        };
        QVERIFY(std::abs(step(plain) / 8.4 - 1) > 0.05);
        QVERIFY(std::abs(step(chosen) / 8.4 - 1) < 0.02);
        Json own = training;
        own["calibration"] = "steps.json"; // next to the scenario
        write("own.json", own.dump());
        const Outcome beside =
            program_.run({QStringLiteral("estimate"), path("own.json"), QStringLiteral("--json")});
        QVERIFY2(beside.status == 0, beside.err.constData());
        QCOMPARE(step(beside), step(chosen));
    }

    void fromAServer() {
        for (const QString& why : {tests::PrometheusServer::missing(), tests::SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
        tests::ClusterOptions options;
        options.hours = 1;
        const tests::SimulatedCluster cluster(options);
        QVERIFY2(cluster.error().isEmpty(), qPrintable(cluster.error()));
        const tests::PrometheusServer server({.blocks = cluster.blocks(), .config = {}, .flags = {}});
        QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
        const QStringList where{QStringLiteral("--prometheus"), QString::fromStdString(server.url()),
                                QStringLiteral("--start"),      QString::number(cluster.start() + 30, 'f', 0),
                                QStringLiteral("--end"),        QString::number(cluster.end() - 15, 'f', 0),
                                QStringLiteral("--json")};
        const Outcome served =
            program_.run(QStringList{QStringLiteral("calibrate"), path("serving.json")} + where);
        QVERIFY2(served.status == 0, served.err.constData());
        const Json serves = Json::parse(served.out.toStdString());
        QVERIFY(!served.out.contains("did not converge"));
        QVERIFY(
            std::abs(named(serves.at("measured"), "decode_hbm_efficiency").at("after").get<double>() / 0.78 -
                     1) < 0.03);
        QVERIFY(
            std::abs(named(serves.at("measured"), "decode_step_overhead").at("after").get<double>() / 0.0029 -
                     1) < 0.10);
        const Outcome trained = program_.run(QStringList{QStringLiteral("calibrate"), path("training.json"),
                                                         QStringLiteral("-o"), path("cluster.json")} +
                                             where);
        QVERIFY2(trained.status == 0, trained.err.constData());
        const Json trains = Json::parse(trained.out.toStdString());
        QVERIFY(named(trains.at("measured"), "gemm_efficiency").at("interval").get<bool>());
        QVERIFY(trains.at("excluded").size() > 0);
        QVERIFY(trains.at("error").at("after").at("mean_abs_error") <
                trains.at("error").at("before").at("mean_abs_error"));
        QFile profile(path("cluster.json"));
        QVERIFY(profile.open(QIODevice::ReadOnly));
        QVERIFY(profile.readAll().contains("127.0.0.1"));
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("words");
        const QString scenario = path("training.json");
        QTest::newRow("nothing to go by") << QStringList{scenario} << 2 << QStringLiteral("no measurements");
        QTest::newRow("two kinds") << QStringList{scenario, QStringLiteral("--steps"), path("steps.csv"),
                                                  QStringLiteral("--nccl-log"), path("run.log")}
                                   << 2 << QStringLiteral("separate calibrations");
        QTest::newRow("no file") << QStringList{scenario, QStringLiteral("--steps"), path("gone.csv")} << 2
                                 << QStringLiteral("gone.csv");
        QTest::newRow("no log") << QStringList{scenario, QStringLiteral("--nccl-log"), path("steps.csv")} << 2
                                << QStringLiteral("steps.csv");
        QTest::newRow("no server") << QStringList{scenario, QStringLiteral("--prometheus"),
                                                  QStringLiteral("http://127.0.0.1:1")}
                                   << 1 << QStringLiteral("127.0.0.1:1");
        QTest::newRow("times") << QStringList{scenario, QStringLiteral("--prometheus"),
                                              QStringLiteral("http://127.0.0.1:1"), QStringLiteral("--start"),
                                              QStringLiteral("soon")}
                               << 2 << QStringLiteral("--start");
        QTest::newRow("serving from steps")
            << QStringList{path("serving.json"), QStringLiteral("--steps"), path("steps.csv")} << 2
            << QStringLiteral("training scenario");
    }
    void saysWhatIsWrong() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, words);
        const Outcome outcome = program_.run(QStringList{QStringLiteral("calibrate")} + arguments);
        QVERIFY2(outcome.status == status, outcome.err.constData());
        QVERIFY2(outcome.said().contains(words), outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
    }

private:
    QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }
    void write(const char* name, const std::string& content) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(QByteArray::fromStdString(content)), static_cast<qint64>(content.size()));
    }

    Program program_;
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliCalibrate)

} // namespace tst_cli_calibrate

#include "tst_cli_calibrate.moc"
