// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// What a platform does with a job that is handed over: where it looks for annotations and runtimes, which
// servers it asks, how it starts a failed job anew, and which network cards it attaches.
#include "tests/data/handed_over.h"

#include <QProcess>
#include <QTest>

namespace tst_handoff_platforms {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::HandoffFile;

namespace {

const char* const training = "llama-3.1-70b-64xp5.48xlarge";
const char* const ultraservers = "deepseek-v3-8xu-p6e-gb200x72";

} // namespace

class TestHandoffPlatforms : public QObject {
    Q_OBJECT

private slots:
    /// The chart has one template for all instances of a server, of which the first alone answers.
    void chartProbesItsServers() {
        const auto several = handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"vllm", "llm-d"});
        QVERIFY2(several, several.error().c_str());
        const json values = toJson(YAML::Load(fileOf(*several, "values.yaml").text));
        for (const auto& [pool, port] : {std::pair("prefill", 8000), {"decode", 8200}}) {
            const json& all = values[pool];
            QCOMPARE(all["tolerations"][0]["key"].get<std::string>(), std::string("nvidia.com/gpu"));
            for (const char* probe : {"startupProbe", "readinessProbe", "livenessProbe"}) {
                const json& each = all["containers"][0]["extraConfig"][probe];
                if (all["parallelism"]["workers"] == 1) {
                    QCOMPARE(each["httpGet"]["port"].get<int>(), port);
                    QCOMPARE(each["httpGet"]["path"].get<std::string>(), std::string("/health"));
                    continue;
                }
                // Nothing listens: the first instance fails, the others pass.
                const json& command = each["exec"]["command"];
                QVERIFY2(command.dump().find(":" + std::to_string(port) + "/health") != std::string::npos,
                         command.dump().c_str());
                for (const auto& [index, status] : {std::pair("0", 1), {"1", 0}}) {
                    QProcess check;
                    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
                    environment.insert(QStringLiteral("LWS_WORKER_INDEX"), QString::fromLatin1(index));
                    environment.insert(QStringLiteral("no_proxy"), QStringLiteral("localhost"));
                    check.setProcessEnvironment(environment);
                    check.start(
                        QStringLiteral("python3"),
                        {QStringLiteral("-c"), QString::fromStdString(command[2].get<std::string>())
                                                   .replace(QString::number(port), QStringLiteral("1"))});
                    QVERIFY(check.waitForFinished(60'000));
                    QCOMPARE(check.exitCode(), status);
                }
            }
        }
        const auto arm = handedOff(shipped().at("serve-deepseek-r1-1xu-p6e-gb200x72"), {"vllm", "llm-d"});
        QVERIFY2(arm, arm.error().c_str());
        const json pods = toJson(YAML::Load(fileOf(*arm, "values.yaml").text));
        QCOMPARE(pods["decode"]["nodeSelector"]["kubernetes.io/arch"].get<std::string>(),
                 std::string("arm64"));
        const json& domain = pods["extraObjects"][0];
        QCOMPARE(domain["kind"].get<std::string>(), std::string("ComputeDomain"));
        QCOMPARE(SchemaCheck(handoffFolder + "crds/").fault(domain), std::string());
        for (const char* pool : {"prefill", "decode"}) {
            const json& claim = pods[pool]["resourceClaims"][0];
            QVERIFY(claim["resourceClaimTemplateName"] ==
                    domain["spec"]["channel"]["resourceClaimTemplate"]["name"]);
            QVERIFY(pods[pool]["containers"][0]["resources"]["claims"][0]["name"] == claim["name"]);
        }
    }

    /// KAI reads the topology from the object that owns the pods, and places no job whose topology is
    /// missing.
    void kaiFindsTheTopologyOfAJob() {
        for (const char* id : {training, ultraservers}) {
            const auto handoff = handedOff(shipped().at(id), {"kai"});
            QVERIFY2(handoff, handoff.error().c_str());
            const auto documents = documentsOf(handoff->files.front().text);
            const json job = ofKind(documents, "JobSet").at(0);
            const json& annotations = job["metadata"]["annotations"];
            const json topology = ofKind(documents, "Topology").at(0);
            QCOMPARE(topology["apiVersion"].get<std::string>(), std::string("kai.scheduler/v1alpha1"));
            QVERIFY(annotations["kai.scheduler/topology"] == topology["metadata"]["name"]);
            QVERIFY(std::ranges::any_of(topology["spec"]["levels"], [&](const json& level) {
                return level["nodeLabel"] == annotations["kai.scheduler/topology-preferred-placement"];
            }));
            QVERIFY(job["spec"].dump().find("kai.scheduler/topology") == std::string::npos);
        }
    }

    /// A reference without a kind is one to a ClusterTrainingRuntime, which is not in the file.
    void trainJobRefersToItsRuntime() {
        const auto handoff = handedOff(shipped().at(training), {"trainjob"});
        const auto documents = documentsOf(handoff->files.front().text);
        const json runtime = ofKind(documents, "TrainingRuntime").at(0);
        const json reference = ofKind(documents, "TrainJob").at(0)["spec"]["runtimeRef"];
        QCOMPARE(reference["kind"].get<std::string>(), std::string("TrainingRuntime"));
        QVERIFY(reference["name"] == runtime["metadata"]["name"]);
        // It restarts and is placed as a JobSet is.
        const json& set = runtime["spec"]["template"]["spec"];
        QVERIFY(set["failurePolicy"]["maxRestarts"].get<int>() > 0);
        const json& pods = set["replicatedJobs"][0]["template"]["spec"];
        QCOMPARE(pods["backoffLimit"].get<int>(), 0);
        QVERIFY(
            pods["template"]["metadata"]["annotations"].contains("kueue.x-k8s.io/podset-preferred-topology"));
    }

    /// The ranks of a collective begin anew together.
    void volcanoStartsTheWholeJobAnew() {
        const auto handoff = handedOff(shipped().at(training), {"volcano"});
        const json job = ofKind(documentsOf(handoff->files.front().text), "Job").at(0)["spec"];
        QCOMPARE(job["policies"][0]["action"].get<std::string>(), std::string("RestartJob"));
        QVERIFY(job["maxRetry"].get<int>() > 0);
        // A container that its node starts anew is not a failed pod.
        QCOMPARE(job["tasks"][0]["template"]["spec"]["restartPolicy"].get<std::string>(),
                 std::string("Never"));
    }

    /// Of the network cards: the first has an address, and EFA only where all have it.
    void pcsAttachesTheCardsThatHaveEfa_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<std::string>("cards"); // of EFA
        QTest::newRow("p6-b200") << QStringLiteral("llama-3.1-70b-16xp6-b200.48xlarge")
                                 << std::string("0 1 2 3 4 5 6 7 ");
        QTest::newRow("p6-b300") << QStringLiteral("qwen3-235b-a22b-32xp6-b300.48xlarge")
                                 << std::string("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 ");
        QTest::newRow("p6e-gb200") << QString::fromLatin1(ultraservers) << std::string("1 5 9 13 ");
    }
    void pcsAttachesTheCardsThatHaveEfa() {
        QFETCH(QString, id);
        QFETCH(std::string, cards);
        const auto handoff = handedOff(shipped().at(id.toStdString()), {"pcs"});
        QVERIFY2(handoff, handoff.error().c_str());
        const json all = toJson(YAML::Load(fileOf(*handoff, "pcs.yaml").text))["Resources"];
        const json interfaces = all["Template"]["Properties"]["LaunchTemplateData"]["NetworkInterfaces"];
        std::string found;
        std::set<std::pair<int, int>> places;
        for (const json& each : interfaces) {
            const int card = each["NetworkCardIndex"].get<int>(), device = each["DeviceIndex"].get<int>();
            QVERIFY(places.insert({card, device}).second);
            if (card == 0 && device == 0)
                QCOMPARE(each["InterfaceType"].get<std::string>(), std::string("interface"));
            else
                found += std::to_string(card) + " ";
        }
        QVERIFY(places.contains({0, 0}));
        QCOMPARE(found, cards);
        // The login node starts from the same image, so it has the same processors, and sees the same files.
        const bool arm = id == QLatin1String(ultraservers);
        QCOMPARE(all["Login"]["Properties"]["InstanceConfigs"][0]["InstanceType"].get<std::string>(),
                 std::string(arm ? "m7g.2xlarge" : "m6i.2xlarge"));
        QVERIFY(all["LoginTemplate"]["Properties"]["LaunchTemplateData"]["UserData"] ==
                all["Template"]["Properties"]["LaunchTemplateData"]["UserData"]);
        const std::string queue = all["Queue"]["Properties"]["Name"].get<std::string>();
        QVERIFY(handoff->files.back().text.find("--partition=" + queue + " ") != std::string::npos);
        const auto cluster = handedOff(shipped().at(id.toStdString()), {"parallelcluster"});
        const json head = toJson(YAML::Load(fileOf(*cluster, "cluster.yaml").text))["HeadNode"];
        QCOMPARE(head["InstanceType"].get<std::string>(), std::string(arm ? "m7g.8xlarge" : "m6i.8xlarge"));
    }

    /// A page of one token, as SGLang has it, fits no kernel of vLLM for latent attention.
    void pagesAreThoseOfTheEngine() {
        const char* const plan = "serve-deepseek-r1-24xp5en.48xlarge"; // of SGLang
        const auto has = [](const Result<Handoff>& handoff, const char* words) {
            return fileOf(*handoff, "serve-decode.sh").text.find(words) != std::string::npos;
        };
        QVERIFY(has(handedOff(shipped().at(plan), {"sglang"}), "--page-size 1\n"));
        QVERIFY(!has(handedOff(shipped().at(plan), {"vllm"}), "--block-size"));
        QVERIFY(has(handedOff(changed(plan, {{"plan.kv_block", "64"}}), {"vllm"}), "--block-size 64\n"));
    }

    /// vLLM does not sleep with expandable segments, and Mooncake takes InfiniBand unless it is told.
    void environmentIsThatOfTheProgram() {
        const auto all = [](const Handoff& handoff) {
            std::string out;
            for (const HandoffFile& file : handoff.files)
                out += file.text;
            return out;
        };
        const auto has = [&](const Result<Handoff>& handoff, const char* words) {
            return all(*handoff).find(words) != std::string::npos;
        };
        const auto rollout = handedOff(shipped().at("grpo-qwen3-32b-8xp5en.48xlarge"), {"verl", "slurm"});
        QVERIFY(!has(rollout, "expandable_segments"));
        QVERIFY(has(handedOff(shipped().at(training), {"slurm"}), "expandable_segments:True"));
        const Planned& disaggregated = shipped().at("serve-deepseek-r1-1xu-p6e-gb200x72");
        for (const char* cluster : {"dynamo", "leaderworkerset"}) {
            QVERIFY(has(handedOff(disaggregated, {"sglang", cluster}), "SGLANG_MOONCAKE_CUSTOM_MEM_POOL"));
            QVERIFY(has(handedOff(disaggregated, {"sglang", cluster}), "MC_FORCE_MNNVL"));
            QVERIFY(!has(handedOff(disaggregated, {"vllm", cluster}), "MC_FORCE_MNNVL"));
        }
        QVERIFY(!has(handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"sglang", "dynamo"}),
                     "MOONCAKE"));
    }
};

QTEST_GUILESS_MAIN(TestHandoffPlatforms)

} // namespace tst_handoff_platforms

#include "tst_handoff_platforms.moc"
