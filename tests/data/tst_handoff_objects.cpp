// SPDX-License-Identifier: GPL-3.0-or-later
// Objects of a cluster that are handed over: the names, quotas, regions and domains that the service refuses
// or ignores a job for when they are wrong.
#include "data/jobs/import_job.h"
#include "model/scenario/fields.h"
#include "tests/data/handed_over.h"

#include <QTest>

#include <regex>

namespace tst_handoff_objects {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::HandoffFile;

namespace {

const char* const training = "llama-3.1-70b-64xp5.48xlarge";
const char* const ultraservers = "deepseek-v3-8xu-p6e-gb200x72";

/// Each object with "containers" in a document: the pods that it makes.
void podsOf(const json& value, std::vector<json>& out) {
    if (value.is_object() && value.contains("containers") && value["containers"].is_array())
        out.push_back(value);
    if (value.is_structured())
        for (const json& each : value)
            podsOf(each, out);
}

data::JobReading read(const Handoff& handoff, const std::string& name) {
    return data::readJob(fileOf(handoff, name).text, "job", catalog(), [&](const std::string& wanted) {
        const auto at = std::ranges::find(handoff.files, wanted, &HandoffFile::name);
        return at == handoff.files.end() ? std::nullopt : std::optional(at->text);
    });
}

} // namespace

class TestHandoffObjects : public QObject {
    Q_OBJECT

private slots:
    /// A Service sends requests to servers that have loaded their weights; further instances of a server
    /// answer no requests.
    void serversAreProbedBeforeTheyAreAsked() {
        int leaders = 0, workers = 0;
        for (const auto& [id, source] : shipped()) {
            if (!source.spec.workload.isServing())
                continue;
            for (const char* engine : {"vllm", "sglang", "tensorrt-llm"}) {
                const auto handoff = handedOff(source, {engine, "leaderworkerset"});
                QVERIFY2(handoff, (id + handoff.error()).c_str());
                const auto documents = documentsOf(handoff->files.front().text);
                const json services = ofKind(documents, "Service");
                for (const json& set : ofKind(documents, "LeaderWorkerSet")) {
                    const json& group = set["spec"]["leaderWorkerTemplate"];
                    const bool several = group.contains("leaderTemplate");
                    const json& leader = group[several ? "leaderTemplate" : "workerTemplate"];
                    const json& container = leader["spec"]["containers"][0];
                    const json& port = container["ports"][0]["containerPort"];
                    for (const char* probe : {"startupProbe", "readinessProbe"}) {
                        QVERIFY(container[probe]["httpGet"]["port"] == port);
                        QVERIFY(container[probe]["httpGet"]["path"] == "/health");
                    }
                    QVERIFY(std::ranges::any_of(services, [&](const json& each) {
                        return each["spec"]["selector"]["alidade.invalid/leader"] ==
                                   leader["metadata"]["labels"]["alidade.invalid/leader"] &&
                               each["spec"]["ports"][0]["targetPort"] == port;
                    }));
                    ++leaders;
                    if (!several)
                        continue;
                    ++workers;
                    const json& worker = group["workerTemplate"]["spec"]["containers"][0];
                    QVERIFY(!worker.contains("startupProbe") && !worker.contains("readinessProbe"));
                }
            }
        }
        QVERIFY(leaders > 20 && workers > 1);
    }

    void hyperPodHasNamesOfItsOwn() {
        const auto handoff = handedOff(shipped().at(training), {"hyperpod-eks"});
        QVERIFY2(handoff, handoff.error().c_str());
        const auto documents = documentsOf(handoff->files.front().text);
        const json job = ofKind(documents, "PyTorchJob").at(0);
        QCOMPARE(job["metadata"]["namespace"].get<std::string>(), std::string("hyperpod-ns-CHANGE_ME_TEAM"));
        const json& labels = job["metadata"]["labels"];
        QCOMPARE(labels["kueue.x-k8s.io/queue-name"].get<std::string>(),
                 std::string("hyperpod-ns-CHANGE_ME_TEAM-localqueue"));
        QCOMPARE(labels["kueue.x-k8s.io/priority-class"].get<std::string>(),
                 std::string("CHANGE_ME_PRIORITY-priority"));
        std::vector<json> pods;
        podsOf(job, pods);
        QCOMPARE(pods.at(0)["nodeSelector"]["node.kubernetes.io/instance-type"].get<std::string>(),
                 std::string("ml.p5.48xlarge"));
        for (const json& each : documents) // what the job mounts is alongside it
            QVERIFY(each["kind"] == "StorageClass" || each["metadata"].contains("namespace"));
        const auto plain = handedOff(shipped().at(training), {"pytorchjob"});
        QVERIFY(plain->files.front().text.find("hyperpod") == std::string::npos &&
                plain->files.front().text.find("ml.p5") == std::string::npos);
        QCOMPARE(*read(*handoff, "pytorchjob.yaml").spec.cluster.instance, std::string("p5.48xlarge"));

        const auto slurm = handedOff(shipped().at(training), {"hyperpod-slurm"});
        const json parameters = json::parse(fileOf(*slurm, "provisioning_parameters.json").text);
        const auto group = parameters["worker_groups"][0]["instance_group_name"].get<std::string>();
        QVERIFY2(std::regex_match(group, std::regex("[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")), group.c_str());
        const json groups = json::parse(fileOf(*slurm, "create-cluster.json").text)["InstanceGroups"];
        const auto workers = std::ranges::find_if(
            groups, [&group](const json& each) { return each["InstanceGroupName"] == group; });
        QVERIFY(workers != groups.end());
        QCOMPARE((*workers)["InstanceType"].get<std::string>(), std::string("ml.p5.48xlarge"));
        QCOMPARE((*workers)["InstanceCount"].get<int>(), 64);
        QVERIFY(std::ranges::any_of(groups, [&parameters](const json& each) {
            return each["InstanceGroupName"] == parameters["controller_group"];
        }));
    }

    /// Kueue admits no pod that asks for a resource which its queue does not cover.
    void queuesCoverWhatPodsAskFor() {
        for (const auto& [id, source] : shipped()) {
            if (source.spec.workload.isReinforcement())
                continue;
            const auto handoff = handedOff(source, {"kueue"});
            QVERIFY2(handoff, (id + handoff.error()).c_str());
            const auto objects = documentsOf(fileOf(*handoff, "kueue.yaml").text);
            const json group = ofKind(objects, "ClusterQueue").at(0)["spec"]["resourceGroups"][0];
            const auto covered = group["coveredResources"].get<std::set<std::string>>();
            const json local = ofKind(objects, "LocalQueue").at(0);
            QVERIFY(local["spec"]["clusterQueue"] ==
                    ofKind(objects, "ClusterQueue").at(0)["metadata"]["name"]);
            int jobs = 0;
            for (const json& document : documentsOf(handoff->files.front().text)) {
                std::vector<json> pods;
                podsOf(document, pods);
                for (const json& pod : pods)
                    for (const auto& [resource, quantity] :
                         pod["containers"][0]["resources"]["requests"].items())
                        QVERIFY2(covered.contains(resource), (id + " " + resource).c_str());
                if (pods.empty())
                    continue;
                ++jobs;
                QVERIFY(document["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] ==
                        local["metadata"]["name"]);
                QVERIFY(document["metadata"].contains("namespace") ==
                        local["metadata"].contains("namespace"));
            }
            QVERIFY(jobs > 0);
        }
        // 64 pods of nine tenths of 2,048 GiB.
        const auto handoff = handedOff(shipped().at(training), {"megatron-lm", "jobset", "kueue"});
        const json quotas = ofKind(documentsOf(fileOf(*handoff, "kueue.yaml").text), "ClusterQueue")
                                .at(0)["spec"]["resourceGroups"][0]["flavors"][0]["resources"];
        std::map<std::string, std::string> all;
        for (const json& each : quotas)
            all[each["name"]] = each["nominalQuota"].is_string() ? each["nominalQuota"].get<std::string>()
                                                                 : each["nominalQuota"].dump();
        const std::map<std::string, std::string> wanted{{"nvidia.com/gpu", "512"},
                                                        {"vpc.amazonaws.com/efa", "2048"},
                                                        {"hugepages-2Mi", "320Gi"},
                                                        {"memory", std::to_string(64 * 1843) + "Gi"}};
        QVERIFY2(all == wanted, json(all).dump().c_str());
    }

    void regionsAreNoZones() {
        const Planned& source = shipped().at(ultraservers); // in us-east-1-dfw-2a
        const auto cluster = handedOff(source, {"parallelcluster"});
        QCOMPARE(YAML::Load(fileOf(*cluster, "cluster.yaml").text)["Region"].as<std::string>(),
                 std::string("us-east-1"));
        QVERIFY(fileOf(*cluster, "cluster.yaml").text.find("# The instances are in us-east-1-dfw-2a") !=
                std::string::npos);
        const auto nodes = handedOff(source, {"eksctl"});
        const YAML::Node config = YAML::Load(fileOf(*nodes, "nodegroup.yaml").text);
        QCOMPARE(config["metadata"]["region"].as<std::string>(), std::string("us-east-1"));
        QCOMPARE(config["managedNodeGroups"][0]["availabilityZones"][0].as<std::string>(),
                 std::string("us-east-1-dfw-2a"));
        const auto pool = handedOff(source, {"karpenter"});
        QVERIFY(fileOf(*pool, "karpenter.yaml").text.find("us-east-1-dfw-2a") != std::string::npos);
        const auto plain = handedOff(shipped().at(training), {"eksctl"});
        const YAML::Node other = YAML::Load(fileOf(*plain, "nodegroup.yaml").text);
        QCOMPARE(other["metadata"]["region"].as<std::string>(), std::string("us-east-2"));
        QCOMPARE(other["managedNodeGroups"][0]["availabilityZones"][0].as<std::string>(),
                 std::string("CHANGE_ME_ZONE"));
    }

    void machinesOfOnesOwnAreRefused() {
        ScenarioSpec spec = shipped().at(training).spec;
        spec.cluster = {};
        for (const auto& [path, value] :
             {std::pair("cluster.custom.gpu", "h100-sxm"), std::pair("cluster.instances", "64"),
              std::pair("cluster.custom.network_bytes_per_s_per_gpu_per_direction", "50 GB/s")}) {
            const auto next = withField(spec, path, value);
            QVERIFY2(next, next.error().c_str());
            spec = *next;
        }
        const Planned source = sourceOf(spec);
        for (const char* target :
             {"parallelcluster", "pcs", "eksctl", "karpenter", "kueue", "hyperpod-slurm", "hyperpod-eks"}) {
            const auto handoff = handedOff(source, {target});
            QVERIFY2(!handoff, target);
            QVERIFY2(handoff.error().find("requires an AWS instance type") != std::string::npos,
                     handoff.error().c_str());
        }
        for (const char* target : {"slurm", "jobset"})
            QVERIFY2(handedOff(source, {target}), target);
    }

    void pcsHasImagesAndALogin() {
        const auto handoff = handedOff(shipped().at(training), {"pcs"});
        const json all = toJson(YAML::Load(fileOf(*handoff, "pcs.yaml").text))["Resources"];
        int groups = 0;
        for (const json& each : all)
            if (each["Type"] == "AWS::PCS::ComputeNodeGroup") {
                ++groups;
                QVERIFY(each["Properties"].contains("AmiId"));
                const auto used =
                    each["Properties"]["CustomLaunchTemplate"]["TemplateId"]["Ref"].get<std::string>();
                QVERIFY2(all.contains(used), used.c_str());
            }
        QCOMPARE(groups, 2);
        QVERIFY(all.contains("Login"));
        // No job runs on the login node.
        for (const json& each : all["Queue"]["Properties"]["ComputeNodeGroupConfigurations"])
            QVERIFY(each.dump().find("\"Nodes\"") != std::string::npos);
    }

    void reservationsAreNamed_data() {
        QTest::addColumn<std::string>("target");
        for (const char* target : {"eksctl", "pcs", "karpenter", "parallelcluster"})
            QTest::newRow(target) << std::string(target);
    }
    void reservationsAreNamed() {
        QFETCH(std::string, target);
        for (const auto& [purchase, named] :
             {std::pair("on_demand", false), {"reserved", true}, {"capacity_block", true}}) {
            const auto handoff = handedOff(changed(training, {{"cluster.purchase", purchase}}), {target});
            QVERIFY2(handoff, handoff.error().c_str());
            QCOMPARE(std::ranges::count(handoff->placeholders, "CHANGE_ME_RESERVATION"), named ? 1 : 0);
            if (target != "karpenter") { // which reads what the reservation is
                const bool block = std::string(purchase) == "capacity_block";
                const std::string text = fileOf(*handoff, data::handoffTarget(target)->writes).text;
                QCOMPARE(text.find("capacity-block") != std::string::npos ||
                             text.find("CAPACITY_BLOCK") != std::string::npos,
                         block);
            }
        }
    }

    /// 128 instances of eight UltraServers: eight domains of sixteen, and the pods of each in its own.
    void eachUltraServerIsADomain() {
        for (const char* kind : {"jobset", "kai", "volcano"}) {
            const auto handoff = handedOff(shipped().at(ultraservers), {"megatron-lm", kind});
            QVERIFY2(handoff, handoff.error().c_str());
            const auto documents = documentsOf(handoff->files.front().text);
            std::map<std::string, int> domains; // claim → instances
            for (const json& each : ofKind(documents, "ComputeDomain"))
                domains[each["spec"]["channel"]["resourceClaimTemplate"]["name"]] = each["spec"]["numNodes"];
            QCOMPARE(domains.size(), std::size_t{8});
            const json job = documents.back();
            const bool volcano = std::string(kind) == "volcano";
            const json& groups = volcano ? job["spec"]["tasks"] : job["spec"]["replicatedJobs"];
            QCOMPARE(groups.size(), std::size_t{8});
            std::set<std::string> claims;
            for (const json& group : groups) {
                std::vector<json> pods;
                podsOf(group, pods);
                QCOMPARE(pods.size(), std::size_t{1});
                const auto claim =
                    pods[0]["resourceClaims"][0]["resourceClaimTemplateName"].get<std::string>();
                QVERIFY2(claims.insert(claim).second, claim.c_str());
                const int count = volcano ? group["replicas"].get<int>()
                                          : group["template"]["spec"]["parallelism"].get<int>();
                QCOMPARE(count, 16);
                QCOMPARE(domains.at(claim), count);
                QVERIFY(pods[0]["containers"][0]["resources"]["claims"][0]["name"] ==
                        pods[0]["resourceClaims"][0]["name"]);
                QVERIFY(pods[0]["affinity"].dump().find("nvidia.com/gpu.clique") != std::string::npos);
            }
            // The domains are in the order of the ranks, whose first host all of them know.
            const data::JobReading reading = read(*handoff, std::string(kind) + ".yaml");
            QVERIFY2(reading.contradictions.empty(), kind);
            QCOMPARE(*reading.gpus, 512);
        }
        const auto ranks = handedOff(shipped().at(ultraservers), {"accelerate", "jobset"});
        const std::string& text = ranks->files.front().text;
        for (const char* words :
             {"NODE_RANK=${JOB_COMPLETION_INDEX:-0}\n", "NODE_RANK=$(( 16 + ${JOB_COMPLETION_INDEX:-0} ))\n",
              "NODE_RANK=$(( 112 + ${JOB_COMPLETION_INDEX:-0} ))\n"})
            QVERIFY2(text.find(words) != std::string::npos, words);
    }

    /// Kinds with one template of pods make a job of each UltraServer, and these meet as one.
    void jobsOfOneTemplateClaimTheirDomain_data() {
        QTest::addColumn<std::string>("kind");
        QTest::addColumn<std::string>("head");
        QTest::newRow("trainjob") << std::string("TrainJob") << std::string("-0-node-0-0.");
        QTest::newRow("pytorchjob") << std::string("PyTorchJob") << std::string("-0-worker-0\n");
    }
    void jobsOfOneTemplateClaimTheirDomain() {
        QFETCH(std::string, kind);
        QFETCH(std::string, head);
        const std::string target = QTest::currentDataTag();
        const auto handoff = handedOff(shipped().at(ultraservers), {"megatron-lm", target});
        const auto documents = documentsOf(handoff->files.front().text);
        std::map<std::string, int> domains; // claim → instances
        for (const json& each : ofKind(documents, "ComputeDomain"))
            domains[each["spec"]["channel"]["resourceClaimTemplate"]["name"]] = each["spec"]["numNodes"];
        QCOMPARE(domains.size(), std::size_t{8});
        const auto jobs = ofKind(documents, kind), runtimes = ofKind(documents, "TrainingRuntime");
        QCOMPARE(jobs.size(), std::size_t{8});
        std::set<std::string> claims;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const bool train = kind == "TrainJob";
            const json& trainer = jobs[i]["spec"][train ? "trainer" : "pytorchReplicaSpecs"];
            std::vector<json> pods;
            podsOf(train ? runtimes.at(i) : jobs[i], pods);
            const json& container = train ? trainer : pods.at(0)["containers"][0];
            if (train) {
                QVERIFY(jobs[i]["spec"]["runtimeRef"]["name"] == runtimes[i]["metadata"]["name"]);
                QVERIFY(trainer["resourcesPerNode"]["claims"][0]["name"] ==
                        pods.at(0)["resourceClaims"][0]["name"]);
            }
            const std::string claim = pods.at(0)["resourceClaims"][0]["resourceClaimTemplateName"];
            QVERIFY2(claims.insert(claim).second, claim.c_str());
            QCOMPARE(domains.at(claim), 16);
            QCOMPARE((train ? trainer["numNodes"] : trainer["Worker"]["replicas"]).get<int>(), 16);
            QVERIFY(pods[0]["affinity"].dump().find("nvidia.com/gpu.clique") != std::string::npos);
            // All know the first instance of the first job, the number of all and their own ranks.
            const std::string script = container["command"].at(2);
            QVERIFY2(script.find(head) != std::string::npos, script.c_str());
            QVERIFY(script.find("--nnodes=128") != std::string::npos);
            const std::string rank =
                i == 0 ? "\nNODE_RANK=${" : "\nNODE_RANK=$(( " + std::to_string(16 * i) + " + ";
            QVERIFY2(script.find(rank) != std::string::npos, script.c_str());
        }
        QVERIFY(std::ranges::any_of(handoff->warnings, [](const std::string& each) {
            return each.find("8 UltraServers is a separate job") != std::string::npos;
        }));
        const data::JobReading reading = read(*handoff, target + ".yaml");
        QVERIFY2(reading.contradictions.empty(),
                 reading.contradictions.empty() ? "" : reading.contradictions.front().c_str());
        QCOMPARE(*reading.gpus, 512);
        QCOMPARE(*reading.spec.cluster.ultraservers, 8);
    }

    void serversOfAnUltraServerClaimItsDomain_data() {
        QTest::addColumn<std::string>("target");
        for (const char* target : {"leaderworkerset", "dynamo"})
            QTest::newRow(target) << std::string(target);
    }
    void serversOfAnUltraServerClaimItsDomain() {
        QFETCH(std::string, target);
        const SchemaCheck schemas(handoffFolder + "crds/");
        const auto written = [&](const std::string& prefill, const std::string& decode) {
            return handedOff(changed("serve-deepseek-r1-1xu-p6e-gb200x72",
                                     {{"cluster.ultraservers", "2"},
                                      {"plan.disaggregated.transfer", "efa"},
                                      {"plan.disaggregated.prefill.workers", prefill},
                                      {"plan.disaggregated.decode.workers", decode}}),
                             {target});
        };
        /// Claim → instances of the pods that have it.
        const auto instances = [&](const std::vector<json>& documents) {
            std::map<std::string, int> out;
            const auto add = [&out](const json& part, int count) {
                std::vector<json> pods;
                podsOf(part, pods);
                if (!pods.empty() && pods[0].contains("resourceClaims"))
                    out[pods[0]["resourceClaims"][0]["resourceClaimTemplateName"]] += count;
            };
            for (const json& each : ofKind(documents, "LeaderWorkerSet"))
                add(each, each["spec"]["replicas"].get<int>() *
                              each["spec"]["leaderWorkerTemplate"]["size"].get<int>());
            for (const json& graph : ofKind(documents, "DynamoGraphDeployment"))
                for (const json& each : graph["spec"]["components"])
                    add(each,
                        each["replicas"].get<int>() *
                            (each.contains("multinode") ? each["multinode"]["nodeCount"].get<int>() : 1));
            return out;
        };
        for (const auto& [prefill, decode] : {std::pair("10", "2"), {"9", "2"}, {"3", "3"}}) {
            const auto handoff = written(prefill, decode);
            QVERIFY2(handoff, handoff.error().c_str());
            const auto documents = documentsOf(handoff->files.front().text);
            std::map<std::string, int> domains;
            for (const json& each : ofKind(documents, "ComputeDomain"))
                domains[each["spec"]["channel"]["resourceClaimTemplate"]["name"]] = each["spec"]["numNodes"];
            QCOMPARE(domains.size(), std::size_t{2});
            QVERIFY(instances(documents) == domains);
            for (const auto& [claim, count] : domains)
                QVERIFY(count <= 18); // of an UltraServer
            for (const json& each : documents)
                QVERIFY2(schemas.fault(each).empty(), schemas.fault(each).c_str());
            // The parts are one pool each when they are read.
            const data::JobReading reading = read(*handoff, target + ".yaml");
            QCOMPARE(*reading.spec.plan.disaggregated.prefill.workers, std::stoi(prefill));
            QCOMPARE(*reading.spec.plan.disaggregated.decode.workers, std::stoi(decode));
            QCOMPARE(*reading.spec.cluster.ultraservers, 2);
            // Ten prefill and two decode workers are the same in both.
            if (prefill == std::string("10"))
                QVERIFY(domains.begin()->second == domains.rbegin()->second);
        }
    }

    void poolsOfOneUltraServerShareItsDomain() {
        // Both pools of a service in one UltraServer are in one domain.
        const Planned& pools = shipped().at("serve-deepseek-r1-1xu-p6e-gb200x72");
        const auto served = handedOff(pools, {"leaderworkerset"});
        int instances = 0;
        const auto objects = documentsOf(served->files.front().text);
        for (const json& each : ofKind(objects, "LeaderWorkerSet"))
            instances +=
                each["spec"]["replicas"].get<int>() * each["spec"]["leaderWorkerTemplate"]["size"].get<int>();
        QCOMPARE(ofKind(objects, "ComputeDomain").at(0)["spec"]["numNodes"].get<int>(), instances);
        QVERIFY(std::ranges::none_of(served->warnings, [](const std::string& each) {
            return each.find("ComputeDomain") != std::string::npos;
        }));
    }

    void ultraServersComeBack_data() {
        QTest::addColumn<std::string>("id");
        QTest::addColumn<std::string>("target");
        for (const auto& [id, source] : shipped())
            if (source.spec.cluster.ultraserver)
                for (const char* target : {"slurm", "jobset", "leaderworkerset", "trainjob"})
                    if (data::handoffTargetsFor(source.spec).size() > 0 && bool(handedOff(source, {target})))
                        QTest::newRow((id + " " + target).c_str()) << id << std::string(target);
    }
    void ultraServersComeBack() {
        QFETCH(std::string, id);
        QFETCH(std::string, target);
        const Planned& source = shipped().at(id);
        const auto handoff = handedOff(source, {target});
        std::string text;
        for (const HandoffFile& file : handoff->files)
            if (file.name == target + ".yaml" || file.name.ends_with(".sbatch"))
                text += file.text + "\n";
        const data::JobReading reading =
            data::readJob(text, "job", catalog(), [&](const std::string& wanted) {
                const auto at = std::ranges::find(handoff->files, wanted, &HandoffFile::name);
                return at == handoff->files.end() ? std::nullopt : std::optional(at->text);
            });
        const ClusterSpec& cluster = source.estimate->scenario.cluster;
        QCOMPARE(reading.spec.cluster.ultraserver.value_or(""), *cluster.ultraserver);
        QCOMPARE(reading.spec.cluster.ultraservers.value_or(1), cluster.ultraservers.value_or(1));
        QVERIFY(!reading.spec.cluster.instance && !reading.spec.cluster.instances);
        if (!source.spec.workload.isServing()) {
            const auto answer = estimate(reading.spec, catalog(), catalog().defaultProfile);
            QVERIFY2(answer, answer.error().c_str());
            QCOMPARE(answer->gpus, source.estimate->gpus);
        }
    }
};

QTEST_GUILESS_MAIN(TestHandoffObjects)

} // namespace tst_handoff_objects

#include "tst_handoff_objects.moc"
