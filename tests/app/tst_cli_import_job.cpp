// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// `alidade import job` of jobs that run, on a real Prometheus with the history of a simulated cluster.
#include "data/handoff/handoff.h"
#include "data/json/json.h"
#include "tests/app/program.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace tst_cli_import_job {

using namespace alidade::test;
using alidade::tests::PrometheusServer;
using alidade::tests::SimulatedCluster;

using Json = nlohmann::json;

class CliImportJobTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SimulatedCluster> cluster_;
    std::unique_ptr<PrometheusServer> server_;
    QTemporaryDir folder_;
    Program program_;

    QString fileWith(const char* name, const QByteArray& text) const {
        const QString path = folder_.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write");
        return path;
    }

    /// At the end of the history.
    Outcome run(const QStringList& more) const {
        return program_.run(QStringList{QStringLiteral("import"), QStringLiteral("job"),
                                        QStringLiteral("--prometheus"),
                                        QString::fromStdString(server_->url()), QStringLiteral("--at"),
                                        QString::number(cluster_->end() - 15, 'f', 0)} +
                            more);
    }
    Json answer(const QStringList& more) const {
        const Outcome outcome = run(more + QStringList{QStringLiteral("--json")});
        return outcome.status == 0 ? Json::parse(outcome.out.toStdString()) : Json();
    }

    static std::string from(const Json& answer, const std::string& path) {
        for (const char* list : {"understood", "assumed"})
            for (const Json& each : answer[list])
                if (each["path"] == path)
                    return each["from"];
        return {};
    }
    static std::string unplaced(const Json& answer, const std::string& name) {
        for (const Json& each : answer["no_field"])
            if (each["name"] == name)
                return each["value"];
        return {};
    }

private Q_SLOTS:
    void initTestCase() {
        for (const QString& missing : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!missing.isEmpty())
                QFAIL(qPrintable(missing));
        cluster_ = std::make_unique<SimulatedCluster>();
        QVERIFY2(cluster_->error().isEmpty(), qPrintable(cluster_->error()));
        server_ = std::make_unique<PrometheusServer>(
            alidade::tests::PrometheusOptions{.blocks = cluster_->blocks()});
        QVERIFY2(server_->error().isEmpty(), qPrintable(server_->error()));
    }

    void aTrainingJobHasItsHostsAndGpus() {
        const Json job = answer({}); // the only one that trains
        QCOMPARE(job["tool"], "prometheus");
        QCOMPARE(job["gpus"], 24);
        QCOMPARE(job["hosts"], Json({"gpu-0001", "gpu-0002", "gpu-0003"}));
        const Json& cluster = job["scenario"]["cluster"];
        QCOMPARE(cluster["instance"], "p5.48xlarge");
        QCOMPARE(cluster["instances"], 3);
        QVERIFY(from(job, "cluster.instance").find("DCGM_FI_DEV_") != std::string::npos);
        // What no series says is asked for, not made up.
        for (const char* path : {"workload.model", "workload.global_batch", "plan.tensor_parallel"})
            QVERIFY(std::ranges::find(job["asks"], path) != job["asks"].end());
        const double tokens = cluster_->truth()["training"]["tokens_per_step"];
        QVERIFY(std::abs(std::stod(unplaced(job, "tokens of a step")) / tokens - 1) < 0.02);
    }

    void anEngineHasItsModelLoadAndCache() {
        const Json job =
            answer({QStringLiteral("--job"), QStringLiteral("meta-llama/Llama-3.3-70B-Instruct")});
        QCOMPARE(job["gpus"], 8);
        const Json& load = job["scenario"]["workload"];
        const Json& plan = job["scenario"]["plan"];
        const Json& truth = cluster_->truth()["serving"]["parameters"];
        QCOMPARE(load["model"], "llama-3.3-70b");
        QCOMPARE(plan["engine"], "vllm");
        QCOMPARE(plan["data_parallel"], 1);
        QCOMPARE(plan["tensor_parallel"], 8);
        QCOMPARE(from(job, "plan.tensor_parallel"), std::string("8 GPUs on the hosts of 1 engine"));
        QCOMPARE(plan["memory_utilization"], 0.9);
        QCOMPARE(plan["kv_block"], truth["block_size"]);
        QCOMPARE(from(job, "plan.kv_block"), std::string("vllm:cache_config_info{block_size}"));
        const auto near = [](double value, double wanted, double share) {
            return std::abs(value / wanted - 1) < share;
        };
        QVERIFY(near(load["input_tokens"], truth["prompt_mean"], 0.02));
        QVERIFY(near(load["output_tokens"], truth["output_mean"], 0.02));
        QVERIFY(near(load["prefix_cache_hit"], truth["prefix_hit"], 0.02));
        // The rate swings around its mean.
        QVERIFY(near(load["request_rate_per_s"], truth["rate_rps"], truth["rate_swing"]));
        QVERIFY(job["asks"].empty());
    }

    /// Exporters with other names: SGLang, torchtitan, and no job of the scheduler on the GPUs.
    void otherExportersSayTheSame() {
        alidade::tests::ClusterOptions options;
        options.trainingNaming = "torchtitan";
        options.config = {{"serving", {{"engines", {"sglang"}}}}, {"exporters", {{"hpc_job", ""}}}};
        const SimulatedCluster other(options);
        QVERIFY2(other.error().isEmpty(), qPrintable(other.error()));
        const PrometheusServer server(alidade::tests::PrometheusOptions{.blocks = other.blocks()});
        QVERIFY2(server.error().isEmpty(), qPrintable(server.error()));
        const auto found = [&](const char* job) {
            const Outcome outcome =
                program_.run({QStringLiteral("import"), QStringLiteral("job"), QStringLiteral("--prometheus"),
                              QString::fromStdString(server.url()), QStringLiteral("--at"),
                              QString::number(other.end() - 15, 'f', 0), QStringLiteral("--job"),
                              QString::fromLatin1(job), QStringLiteral("--json")});
            return outcome.status == 0 ? Json::parse(outcome.out.toStdString()) : Json();
        };
        const Json trained = found("llama70b-pretrain");
        QCOMPARE(trained["hosts"], Json({"gpu-0001", "gpu-0002", "gpu-0003"}));
        QCOMPARE(trained["scenario"]["plan"]["framework"], "torchtitan");
        const double tokens = other.truth()["training"]["tokens_per_step"];
        QVERIFY(std::abs(std::stod(unplaced(trained, "tokens of a step")) / tokens - 1) < 0.05);
        const Json served = found("meta-llama/Llama-3.3-70B-Instruct-sglang");
        QCOMPARE(served["scenario"]["plan"]["engine"], "sglang");
        QCOMPARE(served["scenario"]["workload"]["input_tokens"],
                 other.truth()["serving"]["parameters"]["prompt_mean"]);
        // The name of an unknown model is asked for.
        QVERIFY(std::ranges::find(served["asks"], "workload.model") != served["asks"].end());
    }

    void aTopologyPlacesTheJob() {
        const QString topology =
            fileWith("topology.conf", "SwitchName=a Nodes=gpu-[0001-0002]\nSwitchName=b "
                                      "Nodes=gpu-[0003-0004]\nSwitchName=top Switches=a,b\n");
        const QString out = folder_.filePath(QStringLiteral("job.json"));
        const QStringList more{
            QStringLiteral("--job"),      QStringLiteral("meta-llama/Llama-3.3-70B-Instruct"),
            QStringLiteral("--topology"), topology,
            QStringLiteral("-o"),         out};
        const Json job = answer(more);
        QCOMPARE(job["scenario"]["cluster"]["placement"], Json({"gpu-0004"}));
        const Outcome outcome = program_.run({QStringLiteral("estimate"), out, QStringLiteral("--json")});
        QVERIFY2(outcome.status == 0, outcome.err.constData());
        QVERIFY(Json::parse(outcome.out.toStdString())["runs"].get<bool>());
        // Of the training job the topology lacks a host.
        const QString less = fileWith("less.conf", "SwitchName=a Nodes=gpu-[0001-0002]\n");
        const Outcome missing = run({QStringLiteral("--topology"), less, QStringLiteral("--json")});
        QCOMPARE(missing.status, 0);
        QVERIFY(missing.err.contains("gpu-0003"));
        QVERIFY(!Json::parse(missing.out.toStdString())["scenario"]["cluster"].contains("placement"));
    }

    /// Without a topology of the cluster the hosts of the job are one.
    void hostsOfTheJobAreATopology() {
        const QString job = fileWith("job.txt", "JobId=42 JobName=train\n   Partition=p5-48xlarge\n"
                                                "   NodeList=p5-[7-10]\n   NumNodes=4 NumCPUs=768\n");
        const QString out = folder_.filePath(QStringLiteral("plan.json")),
                      hosts = folder_.filePath(QStringLiteral("hosts.json"));
        const QString other = fileWith("other.conf", "SwitchName=a Nodes=gpu-[1-4]\n");
        for (const QStringList& topology :
             {QStringList(), QStringList{QStringLiteral("--topology"), other}}) {
            QFile::remove(hosts);
            const Outcome outcome = program_.run(
                QStringList{QStringLiteral("import"), QStringLiteral("job"), job, QStringLiteral("-o"), out,
                            QStringLiteral("--topology-out"), hosts, QStringLiteral("--json")} +
                topology);
            QVERIFY2(outcome.status == 0, outcome.err.constData());
            const Json cluster = Json::parse(outcome.out.toStdString())["scenario"]["cluster"];
            QCOMPARE(cluster["placement"], Json({"p5-7", "p5-8", "p5-9", "p5-10"}));
            QCOMPARE(cluster["topology"].get<std::string>(), hosts.toStdString());
            QFile file(hosts);
            QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().contains("p5-10"));
            const Outcome checked =
                program_.run({QStringLiteral("import"), QStringLiteral("topology"), hosts});
            QVERIFY2(checked.status == 0, checked.err.constData());
            // The plan that a person completes runs on these hosts.
            const Outcome plan =
                program_.run({QStringLiteral("estimate"), out, QStringLiteral("--json"),
                              QStringLiteral("--set"), QStringLiteral("workload.kind=training"),
                              QStringLiteral("--set"), QStringLiteral("workload.model=llama-3.1-8b"),
                              QStringLiteral("--set"), QStringLiteral("workload.sequence_length=8192"),
                              QStringLiteral("--set"), QStringLiteral("workload.global_batch=64"),
                              QStringLiteral("--set"), QStringLiteral("plan.sharding=fsdp2")});
            QVERIFY2(plan.status == 0, plan.err.constData());
            QVERIFY(Json::parse(plan.out.toStdString())["runs"].get<bool>());
        }
        // A topology that has the hosts is enough.
        QFile::remove(hosts);
        const QString own = fileWith("own.conf", "SwitchName=a Nodes=p5-[1-16]\n");
        const Outcome known =
            program_.run({QStringLiteral("import"), QStringLiteral("job"), job, QStringLiteral("--topology"),
                          own, QStringLiteral("--topology-out"), hosts});
        QVERIFY2(known.status == 0, known.err.constData());
        QVERIFY(!QFile::exists(hosts));
    }

    void refusesWhatIsWrong_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("said");
        QTest::addColumn<int>("status");
        QTest::newRow("unknown job") << QStringList{QStringLiteral("--job"), QStringLiteral("llama7b")}
                                     << QStringLiteral("llama70b-pretrain") << 2;
        QTest::newRow("both") << QStringList{QStringLiteral("job.sh")}
                              << QStringLiteral("either a file or a server") << 2;
        QTest::newRow("no time") << QStringList{QStringLiteral("--at"), QStringLiteral("noon")}
                                 << QStringLiteral("--at") << 2;
        QTest::newRow("before it all") << QStringList{QStringLiteral("--at"), QStringLiteral("2020-01-01")}
                                       << QStringLiteral("No data") << 1;
    }
    void refusesWhatIsWrong() {
        QFETCH(QStringList, more);
        QFETCH(QString, said);
        QFETCH(int, status);
        QStringList words{QStringLiteral("import"), QStringLiteral("job"), QStringLiteral("--prometheus"),
                          QString::fromStdString(server_->url())};
        if (!more.contains(QStringLiteral("--at")))
            words += {QStringLiteral("--at"), QString::number(cluster_->end() - 15, 'f', 0)};
        const Outcome outcome = program_.run(words + more);
        QCOMPARE(outcome.status, status);
        QVERIFY(outcome.out.isEmpty());
        QVERIFY2(outcome.said().contains(said), outcome.err.constData());
    }
    /// A file in the folder of a user catalog is another version of a tool.
    void aUserCatalogAddsAVersion() {
        QTemporaryDir user;
        QVERIFY(QDir(user.path()).mkdir(QStringLiteral("handoff")));
        const QString table = user.filePath(QStringLiteral("handoff/vllm-0.11.0.json"));
        const auto write = [&table](const QByteArray& text) {
            QFile file(table);
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        QVERIFY(write("{\"id\": \"vllm\", \"version\": \"0.11.0\", \"of\": \"0.24.0\", \"without\": "
                      "[\"--block-size\"], \"options\": {\"one\": [\"--size-of-a-block\"]}, \"fields\": "
                      "[{\"path\": \"plan.kv_block\", \"option\": \"--size-of-a-block\"}]}"));
        const QStringList catalog{QStringLiteral("--catalog"), user.path()};
        const QString folder = folder_.filePath(QStringLiteral("serve"));
        const auto written = [&](const QStringList& more) {
            return program_.run(QStringList{QStringLiteral("export"),
                                            QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge"),
                                            QStringLiteral("--set"), QStringLiteral("plan.kv_block=32"),
                                            QStringLiteral("--to"), QStringLiteral("vllm@0.11.0")} +
                                more);
        };
        const Outcome without = written({});
        QCOMPARE(without.status, 2);
        QVERIFY2(without.said().contains(QStringLiteral("there are 0.24.0")), without.err.constData());
        const Outcome exported = written(catalog + QStringList{QStringLiteral("-o"), folder});
        QVERIFY2(exported.status == 0, exported.err.constData());
        QFile script(folder + QStringLiteral("/serve.sh"));
        QVERIFY(script.open(QIODevice::ReadOnly));
        const QByteArray text = script.readAll();
        QVERIFY(text.contains("--size-of-a-block 32") && !text.contains("--block-size"));
        const Outcome back = program_.run(QStringList{QStringLiteral("import"), QStringLiteral("job"),
                                                      script.fileName(), QStringLiteral("--json")} +
                                          catalog);
        QVERIFY2(back.status == 0, back.err.constData());
        const Json job = Json::parse(back.out.toStdString());
        QCOMPARE(job["scenario"]["plan"]["kv_block"], 32);
        QVERIFY(job["unknown"].empty());
        const QStringList check{QStringLiteral("catalog"), QStringLiteral("check"), user.path()};
        QCOMPARE(program_.run(check).status, 0);
        QVERIFY(write("{\"id\": \"vllm\", \"version\": \"0.11.0\", \"of\": \"0.24\"}"));
        const Outcome wrong = program_.run(check);
        QCOMPARE(wrong.status, 2);
        QVERIFY2(
            wrong.said().contains(QStringLiteral("vllm-0.11.0.json:/of: there is no version 0.24 of vllm")),
            wrong.err.constData());
    }
    /// The list is longer than the line of an error.
    void theHelpOfExportListsEveryTarget() {
        const Outcome outcome = program_.run({QStringLiteral("export"), QStringLiteral("--help")});
        QCOMPARE(outcome.status, 0);
        for (const alidade::data::TargetInfo& each : alidade::data::handoffTargets())
            QVERIFY2(outcome.out.contains(each.id.c_str()), each.id.c_str());
    }

    void neitherIsRefused() {
        const Outcome outcome = program_.run({QStringLiteral("import"), QStringLiteral("job")});
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.said().contains(QStringLiteral("--prometheus")), outcome.err.constData());
    }
};

QTEST_GUILESS_MAIN(CliImportJobTest)

} // namespace tst_cli_import_job

#include "tst_cli_import_job.moc"
