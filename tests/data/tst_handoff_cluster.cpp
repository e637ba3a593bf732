// SPDX-License-Identifier: GPL-3.0-or-later
// What a hand-off says of the cluster: the storage that the plan counts on is mounted where the target has
// words for it, where hosts have names the ranks get theirs, and instances run the servers and ranks of the
// plan.
#include "tests/data/handed_over.h"
#include "tests/data/sample_topology.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace tst_handoff_cluster {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::HandoffFile;

namespace {

const char* const training = "llama-3.1-70b-64xp5.48xlarge";

Planned withStorage(const std::string& storage, std::optional<double> bytes = {}) {
    ScenarioSpec spec = shipped().at(training).spec;
    spec.run.storage = storage;
    spec.run.storageBytes = bytes;
    return sourceOf(spec);
}

std::vector<json> documentsOf(const Handoff& handoff) {
    return tests::documentsOf(handoff.files.front().text);
}

/// The first document of a kind; null: there is none.
json oneOfKind(const std::vector<json>& documents, const std::string& kind) {
    for (const json& each : documents)
        if (each.value("kind", "") == kind)
            return each;
    return nullptr;
}

const HandoffFile* fileOf(const Handoff& handoff, const std::string& name) {
    const auto at = std::ranges::find(handoff.files, name, &HandoffFile::name);
    return at == handoff.files.end() ? nullptr : &*at;
}

bool leaves(const Handoff& handoff, const std::string& path) {
    return std::ranges::find(handoff.leftOut, path, &data::LeftOut::path) != handoff.leftOut.end();
}

/// Keys with [] for lists, as the list of ParallelCluster has them.
void keysOf(const json& value, const std::string& path, std::set<std::string>& out) {
    out.insert(path);
    if (value.is_object())
        for (const auto& [key, each] : value.items())
            keysOf(each, path.empty() ? key : path + "." + key, out);
    if (value.is_array())
        for (const json& each : value)
            keysOf(each, path + "[]", out);
}

/// Two GPUs a server: an instance of eight has room for four.
Planned servers(int replicas, int instances) {
    ScenarioSpec spec = shipped().at("serve-llama-3.1-70b-1xp5en.48xlarge").spec;
    spec.plan.tensorParallel = 2;
    spec.plan.dataParallel = replicas;
    spec.cluster.instances = instances;
    return sourceOf(spec);
}

/// Runs serve.sh with a vllm that writes its GPUs and its port into `folder`/started, and with `ending` as
/// its last words. \returns the status of the script
int served(const Handoff& handoff, const QTemporaryDir& folder, const QString& instance,
           const std::string& ending, const char* variable = "SLURM_ARRAY_TASK_ID") {
    const QString vllm = folder.filePath(QStringLiteral("vllm")),
                  script = folder.filePath(QStringLiteral("serve.sh"));
    std::ofstream(vllm.toStdString()) << "#!/bin/bash\nport=${*: -1}\necho \"$CUDA_VISIBLE_DEVICES $port\" "
                                         ">>\"${0%/*}/started\"\n"
                                      << ending;
    QFile(vllm).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    std::ofstream(script.toStdString()) << fileOf(handoff, "serve.sh")->text;
    QFile::remove(folder.filePath(QStringLiteral("started")));
    QProcess bash;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"),
                       folder.path() + u':' + environment.value(QStringLiteral("PATH")));
    environment.insert(QString::fromLatin1(variable), instance);
    bash.setProcessEnvironment(environment);
    bash.start(QStringLiteral("bash"), {script});
    return bash.waitForFinished(60'000) && bash.exitStatus() == QProcess::NormalExit ? bash.exitCode() : -1;
}

std::set<std::string> startedIn(const QTemporaryDir& folder) {
    std::istringstream lines(fileText(folder.filePath(QStringLiteral("started")).toStdString()));
    std::set<std::string> out;
    for (std::string line; std::getline(lines, line);)
        out.insert(line);
    return out;
}

std::size_t linesOf(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

} // namespace

class TestHandoffCluster : public QObject {
    Q_OBJECT

private slots:
    void podsMountTheStorageOfThePlan() {
        const Planned source = withStorage("fsx-lustre-persistent2-500", 96e12);
        for (const char* cluster : {"jobset", "pytorchjob", "trainjob", "volcano", "kai"}) {
            const auto handoff = handedOff(source, {cluster});
            QVERIFY2(handoff, handoff.error().c_str());
            QVERIFY(!leaves(*handoff, "run.storage") && !leaves(*handoff, "run.storage_bytes"));
            const auto documents = documentsOf(*handoff);
            const json made = oneOfKind(documents, "StorageClass"),
                       claim = oneOfKind(documents, "PersistentVolumeClaim");
            QCOMPARE(made["provisioner"].get<std::string>(), std::string("fsx.csi.aws.com"));
            QCOMPARE(made["parameters"]["perUnitStorageThroughput"].get<std::string>(), std::string("500"));
            QCOMPARE(made["parameters"]["deploymentType"].get<std::string>(), std::string("PERSISTENT_2"));
            QCOMPARE(made["parameters"]["efaEnabled"].get<std::string>(), std::string("true"));
            QCOMPARE(made["reclaimPolicy"].get<std::string>(), std::string("Retain"));
            QVERIFY(std::ranges::any_of(handoff->warnings, [](const std::string& each) {
                return each.find("makes a file system of") != std::string::npos;
            }));
            QVERIFY(claim["spec"]["storageClassName"] == made["metadata"]["name"]);
            const auto size = claim["spec"]["resources"]["requests"]["storage"].get<std::string>();
            QVERIFY(size.ends_with("Gi"));
            const long long gib = std::atoll(size.c_str());
            QVERIFY(static_cast<double>(gib) * 1073741824.0 >= 96e12 - 1 && gib % 9600 == 0);
            const std::string text = handoff->files.front().text;
            for (const char* place : {"mountPath: /fsx", "mountPath: /scratch"})
                QVERIFY2(text.find(place) != std::string::npos, cluster);
            QVERIFY(text.find("claimName: " + claim["metadata"]["name"].get<std::string>()) !=
                    std::string::npos);
        }
    }

    void bucketsAreMounted() {
        const auto handoff = handedOff(withStorage("s3-standard"), {"jobset"});
        QVERIFY(handoff);
        const auto documents = documentsOf(*handoff);
        const json volume = oneOfKind(documents, "PersistentVolume");
        QCOMPARE(volume["spec"]["csi"]["driver"].get<std::string>(), std::string("s3.csi.aws.com"));
        QVERIFY(oneOfKind(documents, "PersistentVolumeClaim")["spec"]["volumeName"] ==
                volume["metadata"]["name"]);
        QVERIFY(oneOfKind(documents, "StorageClass").is_null());
        QVERIFY(handoff->files.front().text.find("mountPath: /s3") != std::string::npos);
        QVERIFY(std::ranges::find(handoff->placeholders, "CHANGE_ME_BUCKET") != handoff->placeholders.end());
    }

    void clustersMakeTheStorageOfThePlan() {
        const std::set<std::string> known = namesOf("parallelcluster");
        for (const auto& [storage, lustre] :
             {std::pair("fsx-lustre-persistent2-1000", true), std::pair("fsx-lustre-scratch2", true),
              std::pair("s3-standard", false)}) {
            const auto handoff = handedOff(withStorage(storage), {"parallelcluster"});
            QVERIFY2(handoff, handoff.error().c_str());
            QVERIFY(!leaves(*handoff, "run.storage"));
            const json cluster = toJson(YAML::Load(fileOf(*handoff, "cluster.yaml")->text));
            std::set<std::string> keys;
            keysOf(cluster, "", keys);
            for (const std::string& key : keys)
                QVERIFY2(
                    key.empty() || known.contains(key) ||
                        std::ranges::any_of(known, [&](const auto& each) { return each.starts_with(key); }),
                    key.c_str());
            QCOMPARE(cluster.contains("SharedStorage"), lustre);
            const json& queue = cluster["Scheduling"]["SlurmQueues"][0];
            QCOMPARE(queue.contains("Iam"), !lustre);
            QCOMPARE(
                queue["ComputeSettings"]["LocalStorage"]["EphemeralVolume"]["MountDir"].get<std::string>(),
                std::string("/scratch"));
        }
        const auto service = handedOff(withStorage("fsx-lustre-persistent2-250"), {"pcs"});
        const json pcs = toJson(YAML::Load(fileOf(*service, "pcs.yaml")->text))["Resources"];
        QCOMPARE(
            pcs["FileSystem"]["Properties"]["LustreConfiguration"]["PerUnitStorageThroughput"].get<int>(),
            250);
        const auto mounting =
            pcs["Template"]["Properties"]["LaunchTemplateData"]["UserData"]["Fn::Base64"]["Fn::Sub"]
                .get<std::string>();
        QVERIFY(mounting.find("mount -t lustre") != std::string::npos &&
                mounting.starts_with("MIME-Version"));
    }

    void saysWhatIsNotMounted() {
        ScenarioSpec spec = shipped().at(training).spec;
        spec.run.storage = "fsx-lustre-persistent2-500";
        spec.run.checkpointIntervalS = 900;
        spec.run.spares = 2;
        const Planned source = sourceOf(spec);
        const auto slurm = handedOff(source, {"slurm"});
        QVERIFY(slurm);
        for (const char* path : {"run.storage", "run.checkpoint_interval_s", "run.spares"}) {
            QVERIFY2(leaves(*slurm, path), path);
            QVERIFY(slurm->files.front().text.find(std::string("# not expressed: ") + path) !=
                    std::string::npos);
        }
        QVERIFY(slurm->files.front().text.find(
                    "# The plan counts on FSx for Lustre Persistent 2, 500 MB/s") != std::string::npos);
        const auto tiered = handedOff(withStorage("fsx-lustre-intelligent-tiering"), {"jobset"});
        QVERIFY(tiered);
        QVERIFY(leaves(*tiered, "run.storage"));
        // A service has no checkpoints, so it mounts none.
        const auto served = handedOff(shipped().at("serve-gpt-oss-120b-1xp5.48xlarge"), {"leaderworkerset"});
        QVERIFY(served && oneOfKind(documentsOf(*served), "PersistentVolumeClaim").is_null());
    }

    void namedHostsGetTheirRanks() {
        ScenarioSpec spec = shipped().at("llama-3.1-8b-8xp5.48xlarge").spec;
        spec.cluster.topology = "cluster.json";
        Catalog placed = catalog();
        placed.topologies.push_back(
            sampleTopology({.instanceType = "p5.48xlarge", .hosts = 24, .hostsPerLeaf = 6}));
        const auto resolved = resolve(spec, placed, placed.defaultProfile);
        const auto answer = estimate(spec, placed, placed.defaultProfile);
        QVERIFY(resolved && answer);
        const auto handoff =
            data::handOff({spec, *answer, *resolved, placed, "Alidade test"}, {"megatron-lm", "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const std::string& job = fileOf(*handoff, "job.sbatch")->text;
        for (const char* words :
             {"#SBATCH --nodelist=./hosts.txt\n", "export SLURM_HOSTFILE=hosts.txt\n",
              "srun --distribution=arbitrary bash train.sh\n", "HEAD=$(head -n 1 hosts.txt)\n"})
            QVERIFY2(job.find(words) != std::string::npos, words);
        QVERIFY(job.find("--switches") == std::string::npos);
        const std::string& hosts = fileOf(*handoff, "hosts.txt")->text;
        QCOMPARE(linesOf(hosts), std::size_t{8});
        const std::string& table = fileOf(*handoff, "ranks.csv")->text;
        QCOMPARE(linesOf(table), std::size_t{65});
        // Rank 8 is the first of the second host.
        std::istringstream lines(hosts);
        std::string first, second;
        std::getline(lines, first);
        std::getline(lines, second);
        QVERIFY(table.find("\r\n8,") != std::string::npos);
        QVERIFY(table.substr(table.find("\r\n8,"), 60).find(second) != std::string::npos);
        const std::string& script = fileOf(*handoff, "train.sh")->text;
        QVERIFY(script.find("--node_rank=\"$NODE_RANK\"") != std::string::npos);
        QVERIFY(script.find("NODE_RANK=${NODE_RANK:-${SLURM_PROCID:?") != std::string::npos);

        const auto free = handedOff(shipped().at("llama-3.1-8b-8xp5.48xlarge"), {"slurm"});
        QVERIFY(fileOf(*free, "hosts.txt") == nullptr); // hosts without names are Slurm's choice
    }

    void instancesStartTheServersOfThePlan() {
        QTemporaryDir folder;
        const std::set<std::string> all{"0,1 8000", "2,3 8001", "4,5 8002", "6,7 8003"},
            three{"0,1 8000", "2,3 8001", "4,5 8002"};
        // Ten servers are four, three and three; six on two instances are three each.
        const auto uneven = handedOff(servers(10, 3), {"vllm", "slurm"});
        QVERIFY(fileOf(*uneven, "job.sbatch")->text.find("#SBATCH --array=0-2\n") != std::string::npos);
        for (const auto& [instance, started] : {std::pair("0", all), {"1", three}, {"2", three}}) {
            QCOMPARE(served(*uneven, folder, QString::fromLatin1(instance), "exit 0\n"), 0);
            QVERIFY2(startedIn(folder) == started, instance);
        }
        // The README of a cluster starts all of them by one srun.
        for (const auto& [instance, started] : {std::pair("0", all), {"2", three}}) {
            QCOMPARE(served(*uneven, folder, QString::fromLatin1(instance), "exit 0\n", "SLURM_PROCID"), 0);
            QVERIFY2(startedIn(folder) == started, instance);
        }
        const auto even = handedOff(servers(6, 2), {"vllm", "slurm"});
        QCOMPARE(served(*even, folder, QStringLiteral("1"), "exit 0\n"), 0);
        QVERIFY(startedIn(folder) == three);
        // Without a cluster a person says which instance it is.
        const auto alone = handedOff(servers(10, 3), {"vllm"});
        QVERIFY(alone->files.back().text.find(
                    "On each of 3 instances, with its number:\n\n    INSTANCE=0 bash serve.sh\n") !=
                std::string::npos);
        QVERIFY(handedOff(servers(6, 2), {"vllm"})->files.back().text.find("INSTANCE") == std::string::npos);
    }

    void serverThatFailsEndsItsInstance() {
        QTemporaryDir folder;
        const auto handoff = handedOff(servers(4, 1), {"vllm", "slurm"});
        QElapsedTimer time;
        time.start();
        QCOMPARE(served(*handoff, folder, QStringLiteral("0"),
                        "[ \"$port\" = 8002 ] && exit 7\necho $$ >>\"${0%/*}/running\"\nexec sleep 300\n"),
                 7);
        QVERIFY(time.elapsed() < 60'000);
        std::istringstream pids(fileText(folder.filePath(QStringLiteral("running")).toStdString()));
        for (std::string pid; std::getline(pids, pid);) {
            const std::string command = "/proc/" + pid + "/cmdline";
            QTRY_VERIFY2(fileText(command).find("sleep") == std::string::npos, pid.c_str());
        }
        QVERIFY(fileOf(*handoff, "serve.sh")->text.find("\nwait\n") == std::string::npos);
    }

    /// Instances are numbered by Slurm, which knows the network, and the first one is found in a long list
    /// too.
    void slurmNumbersTheInstances() {
        QTemporaryDir folder;
        const auto put = [&folder](const char* name, const std::string& text) {
            const QString file = folder.filePath(QString::fromLatin1(name));
            std::ofstream(file.toStdString()) << text;
            QFile(file).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        };
        put("scontrol", "#!/bin/bash\nseq -f 'ip-10-0-%.0f' 1 100000\n");
        put("torchrun", "#!/bin/bash\necho \"$*\" >\"${0%/*}/ran\"\n");
        put("srun",
            "#!/bin/bash\necho \"$SRUN_CPUS_PER_TASK\" >\"${0%/*}/cores\"\nSLURM_PROCID=1234 \"$@\"\n");
        const auto run = [&folder](const char* file, const QStringList& variables) {
            QProcess bash;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("PATH"),
                               folder.path() + u':' + environment.value(QStringLiteral("PATH")));
            for (const QString& each : variables)
                environment.insert(each.section(u'=', 0, 0), each.section(u'=', 1));
            bash.setProcessEnvironment(environment);
            bash.setWorkingDirectory(folder.path());
            bash.start(QStringLiteral("bash"), {QString::fromLatin1(file)});
            const bool ended = bash.waitForFinished(60'000);
            return std::pair(ended ? bash.exitCode() : -1, bash.readAllStandardError());
        };
        for (const char* tool : {"megatron-lm", "torchtitan", "megatron-bridge", "fsdp2"}) {
            const auto handoff = handedOff(shipped().at("llama-3.1-405b-2048xp5.48xlarge"), {tool, "slurm"});
            QVERIFY2(handoff, handoff.error().c_str());
            for (const HandoffFile& file : handoff->files)
                put(file.name.c_str(), file.text);
            const auto [status, said] = run("job.sbatch", {QStringLiteral("SLURM_JOB_NODELIST=ip-10-0-[1-2]"),
                                                           QStringLiteral("SLURM_CPUS_ON_NODE=192")});
            QVERIFY2(status == 0, said);
            // From 22.05 on srun does not take the cores of a task over from sbatch: it would have one.
            QCOMPARE(fileText(folder.filePath(QStringLiteral("cores")).toStdString()), std::string("192\n"));
            const std::string ran = fileText(folder.filePath(QStringLiteral("ran")).toStdString());
            QVERIFY2(ran.starts_with("--nnodes=2048 --nproc_per_node=8 --node_rank=1234 "
                                     "--master_addr=ip-10-0-1 --master_port=29500 "),
                     ran.c_str());
            // Nothing that Slurm knows is left to be replaced.
            QVERIFY(std::ranges::find(handoff->placeholders, "CHANGE_ME_HEAD_NODE") ==
                    handoff->placeholders.end());
            // Without Slurm a person says it, and is told so rather than left with as many first instances.
            QCOMPARE(run("train.sh", {QStringLiteral("NODE_RANK=3"), QStringLiteral("HEAD=a")}).first, 0);
            QVERIFY(run("train.sh", {QStringLiteral("HEAD=a")}).second.contains("NODE_RANK"));
            QVERIFY(run("train.sh", {QStringLiteral("NODE_RANK=3")}).second.contains("HEAD"));
        }
    }

    /// On a separate cluster each server of several instances is started for itself.
    void readmeStartsEachServer() {
        const auto handoff =
            handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"parallelcluster"});
        const std::string& readme = handoff->files.back().text;
        QVERIFY2(readme.find("    srun --nodes=2 --ntasks-per-node=1 --gres=gpu:8 --cpus-per-task=96 "
                             "--mem=0 --exclusive --partition=gpu bash serve-prefill.sh\n") !=
                     std::string::npos,
                 readme.c_str());
        QVERIFY(readme.find("serve-prefill.sh is one server of 4: run its line 4 times.\n") !=
                std::string::npos);
        QVERIFY(readme.find("serve-decode.sh is one server") == std::string::npos);
    }

    void slurmSaysWhatKeepsInstancesTogether() {
        int segments = 0, switches = 0;
        for (const auto& [id, source] : shipped()) {
            if (data::handoffTargetsFor(source.spec).empty())
                continue;
            const auto handoff = handedOff(source, {"slurm"});
            QVERIFY2(handoff, handoff.error().c_str());
            for (const HandoffFile& file : handoff->files) {
                if (!file.name.ends_with(".sbatch"))
                    continue;
                for (const std::string option : {"--segment", "--switches"}) {
                    const bool asked = file.text.find("#SBATCH " + option + "=") != std::string::npos;
                    QVERIFY2(asked == (file.text.find("# " + option) != std::string::npos),
                             (id + " " + file.name).c_str());
                    (option == "--segment" ? segments : switches) += asked ? 1 : 0;
                }
            }
        }
        QVERIFY(segments > 2 && switches > 0);
        // A segment divides the job and fits into an UltraServer of 18 instances.
        for (const auto& [id, file, option] :
             {std::tuple("deepseek-v3-8xu-p6e-gb200x72", "job.sbatch", "--segment=16"),
              std::tuple("llama-3.1-405b-4xu-p6e-gb200x72", "job.sbatch", "--segment=18"),
              std::tuple("serve-deepseek-r1-1xu-p6e-gb200x72", "job-decode.sbatch", "--segment=8"),
              std::tuple("serve-deepseek-r1-1xu-p6e-gb200x72", "job-prefill.sbatch", "--segment=2")}) {
            const auto handoff = handedOff(shipped().at(id), {"slurm"});
            QVERIFY2(fileOf(*handoff, file)->text.find(std::string("#SBATCH ") + option + "\n") !=
                         std::string::npos,
                     id);
        }
    }

    /// A manifest has a ComputeDomain; elsewhere a person has to know that NVLink ends at the instance
    /// without IMEX.
    void imexIsSaid() {
        const auto says = [](const char* id, const std::vector<std::string>& targets, const char* words) {
            const auto handoff = handedOff(shipped().at(id), targets);
            if (!handoff)
                qFatal("%s", handoff.error().c_str());
            return handoff->files.back().text.find(words) != std::string::npos;
        };
        const char* ultra = "deepseek-v3-8xu-p6e-gb200x72";
        for (const char* cluster : {"slurm", "pcs", "parallelcluster", "hyperpod-slurm"})
            QVERIFY2(says(ultra, {cluster}, "nvidia-imex") && says(ultra, {cluster}, "a prolog of Slurm"),
                     cluster);
        QVERIFY(says(ultra, {"parallelcluster"}, "3.14.0"));
        QVERIFY(says(ultra, {"megatron-bridge"}, "nvidia-imex"));
        QVERIFY(!says(ultra, {"jobset"}, "nvidia-imex"));
        QVERIFY(!says(training, {"slurm"}, "nvidia-imex"));
    }

    void efaIsForWhatLeavesTheInstance() {
        for (const auto& [id, file, leaves] :
             {std::tuple("serve-llama-3.1-70b-1xp5en.48xlarge", "serve.sh", false),
              std::tuple("llama-3.1-70b-lora-1xp5.48xlarge", "train.sh", false),
              std::tuple("llama-3.1-8b-8xp5.48xlarge", "train.sh", true),
              std::tuple("serve-deepseek-r1-24xp5en.48xlarge", "serve-prefill.sh", true),
              std::tuple("serve-deepseek-r1-24xp5en.48xlarge", "serve-decode.sh", true)}) {
            const auto handoff = handedOff(shipped().at(id), {"slurm"});
            QVERIFY2(handoff, handoff.error().c_str());
            const std::string& script = fileOf(*handoff, file)->text;
            for (const char* variable : {"export FI_PROVIDER=efa\n", "export NCCL_SOCKET_IFNAME="})
                QVERIFY2((script.find(variable) != std::string::npos) == leaves, id);
        }
        // The variables and the devices of a pod go together.
        for (const auto& [id, leaves] : {std::pair("serve-llama-3.1-70b-1xp5en.48xlarge", false),
                                         std::pair("serve-deepseek-r1-24xp5en.48xlarge", true)}) {
            const std::string text = handedOff(shipped().at(id), {"leaderworkerset"})->files.front().text;
            QVERIFY2((text.find("FI_PROVIDER") != std::string::npos) == leaves, id);
            QVERIFY2((text.find("vpc.amazonaws.com/efa") != std::string::npos) == leaves, id);
        }
    }

    /// The operator of PyTorchJob gives an elastic job of workers a rendezvous, but no RANK, which only a
    /// job with a master has.
    void podsOfPyTorchJobKnowTheirNumber() {
        const Planned& source = shipped().at("llama-3.1-8b-8xp5.48xlarge");
        for (const char* tool : {"megatron-lm", "accelerate"}) {
            const auto handoff = handedOff(source, {tool, "pytorchjob"});
            QVERIFY2(handoff, handoff.error().c_str());
            const json spec = oneOfKind(documentsOf(*handoff), "PyTorchJob")["spec"];
            QCOMPARE(spec["elasticPolicy"]["rdzvBackend"].get<std::string>(), std::string("c10d"));
            QCOMPARE(spec["elasticPolicy"]["minReplicas"].get<int>(), 8);
            QCOMPARE(spec["elasticPolicy"]["maxReplicas"].get<int>(), 8);
            const json& roles = spec["pytorchReplicaSpecs"];
            QVERIFY(roles.contains("Worker") && !roles.contains("Master"));
            QCOMPARE(roles["Worker"]["replicas"].get<int>(), 8);
            const json& container = roles["Worker"]["template"]["spec"]["containers"][0];
            QCOMPARE(container["name"].get<std::string>(), std::string("pytorch"));
            const std::string text = container.dump();
            QVERIFY2(text.find("${RANK") == std::string::npos, tool);
            if (container["command"][0] == "torchrun") {
                // Its place is the operator's; an option would override it.
                QVERIFY(text.find("rdzv") == std::string::npos &&
                        text.find("NODE_RANK") == std::string::npos);
                continue;
            }
            bool numbered = false;
            for (const json& each : container["env"])
                numbered = numbered || (each["name"] == "NODE_RANK" &&
                                        each["valueFrom"]["fieldRef"]["fieldPath"] ==
                                            "metadata.labels['training.kubeflow.org/replica-index']");
            QVERIFY(numbered);
            const auto script = container["command"][2].get<std::string>();
            QVERIFY2(script.find("NODE_RANK=${NODE_RANK:?}\n") != std::string::npos, script.c_str());
            QVERIFY2(script.find("HEAD=llama-3-1-8b-worker-0\n") != std::string::npos, script.c_str());
        }
        // The launcher of Accelerate has an address for c10d only where the instances are on several
        // networks.
        const auto handoff = handedOff(source, {"accelerate", "slurm"});
        const YAML::Node config = YAML::Load(fileOf(*handoff, "accelerate.yaml")->text);
        QCOMPARE(config["rdzv_backend"].as<std::string>(), std::string("static"));
        QCOMPARE(config["same_network"].as<bool>(), true);
    }
};

QTEST_GUILESS_MAIN(TestHandoffCluster)

} // namespace tst_handoff_cluster

#include "tst_handoff_cluster.moc"
