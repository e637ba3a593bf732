// SPDX-License-Identifier: GPL-3.0-or-later
// What is handed over: every shipped scenario to every legal pair of targets. Options are those of the pinned
// versions, scripts pass bash and ShellCheck, manifests the schemas of their kinds, and hostile names stay
// names.
#include "data/handoff/handoff.h"
#include "data/json/json.h"
#include "tests/data/handed_over.h"
#include "tests/data/manifest_schema.h"
#include "tests/sanitized.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <set>
#include <sstream>
#include <yaml-cpp/yaml.h>

namespace tst_handoff {

using namespace alidade;
using data::Handoff;
using data::HandoffFile;
using nlohmann::json;
using namespace tests;

namespace {

/// Words of an argument array, or of the lists of a manifest.
std::vector<std::string> optionsOf(const std::string& script) {
    std::vector<std::string> out;
    std::istringstream lines(script);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "ARGS=(") {
            inside = true;
        } else if (line == ")") {
            inside = false;
        } else if (inside) {
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                if (word.starts_with('\''))
                    word.erase(0, 1);
                const bool option = word.starts_with("--");
                const bool override =
                    word.find('=') != std::string::npos && !option && word.find('.') < word.find('=');
                if (option || override || word.starts_with("mixed_precision="))
                    out.push_back(word.substr(0, word.find('=')));
                if (!override)
                    break;
            }
        }
    }
    return out;
}

void flatKeys(const json& value, const std::string& path, std::vector<std::string>& out) {
    if (!value.is_object()) {
        out.push_back(path);
        return;
    }
    for (const auto& [key, each] : value.items())
        flatKeys(each, path.empty() ? key : path + "." + key, out);
}

QString run(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return program + QStringLiteral(" did not run");
    return process.exitCode() == 0 ? QString() : QString::fromUtf8(process.readAll());
}

} // namespace

class TestHandoff : public QObject {
    Q_OBJECT

private slots:
    void everyShippedScenarioHasFilesForEveryLegalPair();
    void writesOnlyOptionsOfThePinnedVersions();
    void scriptsPassBashAndShellCheck();
    void manifestsKeepToTheirSchemas();
    void hostileNamesStayNames();
    void hostileIdsStayInTheirLines();
    void readmeNamesTheCommandOfEachCluster();
    void readmeHasTheWholePlan();
    void knownPlanGivesKnownArguments();
    void saysWhatItCannotExpress();
    void refusesWhatDoesNotGoTogether();
    void rulesPassPromtool();
    void dashboardKeepsToItsGrid();
    void measurementsPassShellCheck();
    void guideHasEveryTarget();
};

void TestHandoff::everyShippedScenarioHasFilesForEveryLegalPair() {
    std::size_t pairs = 0;
    for (const auto& [id, source] : shipped()) {
        const bool serving = source.spec.workload.isServing();
        for (const std::string& tool : data::handoffTargetsFor(source.spec)) {
            if (!isTool(tool, serving))
                continue;
            for (const std::string& cluster : data::handoffTargetsFor(source.spec)) {
                if (isTool(cluster, serving) || !data::runsOn(tool, cluster) || !test::tried(pairs++))
                    continue;
                const auto handoff = handedOff(source, {tool, cluster});
                QVERIFY2(handoff, (id + " " + tool + " " + cluster + ": " + handoff.error()).c_str());
                QVERIFY(handoff->files.size() > 1);
                QCOMPARE(handoff->files.back().name, std::string("README.md"));
                const auto again = handedOff(source, {tool, cluster});
                for (std::size_t i = 0; i < handoff->files.size(); ++i) {
                    const HandoffFile& file = handoff->files[i];
                    QCOMPARE(file.text, again->files[i].text);
                    QVERIFY2(file.text.ends_with('\n'), file.name.c_str());
                    if (file.name.ends_with(".json"))
                        QVERIFY2(json::accept(file.text), file.name.c_str());
                    if (file.name.ends_with(".yaml"))
                        QVERIFY2(!YAML::LoadAll(file.text).empty(), file.name.c_str());
                    QVERIFY2(file.text.find('\t') == std::string::npos, file.name.c_str());
                }
            }
        }
    }
    QVERIFY2(pairs > 400, std::to_string(pairs).c_str());
}

void TestHandoff::writesOnlyOptionsOfThePinnedVersions() {
    std::map<std::string, std::set<std::string>> known;
    for (const char* tool : {"megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "accelerate",
                             "verl", "vllm", "sglang", "tensorrt-llm", "slurm"})
        known[tool] = namesOf(tool);
    for (const auto& [id, source] : shipped()) {
        const bool serving = source.spec.workload.isServing();
        for (const std::string& tool : data::handoffTargetsFor(source.spec)) {
            if (!isTool(tool, serving) || tool == "fsdp2")
                continue;
            const auto handoff = handedOff(source, {tool, "slurm"});
            QVERIFY(handoff);
            for (const HandoffFile& file : handoff->files) {
                std::vector<std::string> names;
                const std::set<std::string>* list = &known[tool];
                if (file.name.ends_with(".sh") && tool != "torchtitan" && tool != "deepspeed" &&
                    tool != "accelerate") {
                    names = optionsOf(file.text);
                    QVERIFY(!names.empty());
                } else if (file.name == "ds_config.json") {
                    flatKeys(json::parse(file.text), "", names);
                    std::erase_if(names, [](const std::string& each) {
                        return each.starts_with("zero_optimization.offload_optimizer.");
                    });
                } else if (file.name == "disagg.yaml") {
                    // Of each pool the router's own keys, and those of a server.
                    json pools = toJson(YAML::Load(file.text));
                    for (const char* own : {"hostname", "port", "backend", "model"})
                        QCOMPARE(pools.erase(own), std::size_t{1});
                    for (const auto& [pool, keys] : pools.items()) {
                        QVERIFY(pool == "context_servers" || pool == "generation_servers");
                        json server = keys;
                        for (const char* own : {"num_instances", "urls"})
                            QCOMPARE(server.erase(own), std::size_t{1});
                        flatKeys(server, "", names);
                    }
                } else if (file.name.ends_with(".yaml")) {
                    flatKeys(toJson(YAML::Load(file.text)), "", names);
                } else if (file.name.ends_with(".toml")) {
                    std::istringstream lines(file.text);
                    std::string section;
                    for (std::string line; std::getline(lines, line);)
                        if (line.starts_with('['))
                            section = line.substr(1, line.size() - 2);
                        else if (line.find(" = ") != std::string::npos)
                            names.push_back(section + "." + line.substr(0, line.find(" = ")));
                } else if (file.name.ends_with(".sbatch")) {
                    list = &known["slurm"];
                    std::istringstream lines(file.text);
                    for (std::string line; std::getline(lines, line);)
                        if (line.starts_with("#SBATCH "))
                            names.push_back(line.substr(8, line.find('=') - 8));
                }
                for (const std::string& name : names)
                    QVERIFY2(list->contains(name), (id + " " + tool + " " + file.name + ": " + name).c_str());
            }
        }
    }
}

void TestHandoff::scriptsPassBashAndShellCheck() {
    if (!run(QStringLiteral("shellcheck"), {QStringLiteral("--version")}).isEmpty())
        QFAIL("needs shellcheck: packaging/install-dependencies test");
    QTemporaryDir scripts;
    QStringList files;
    std::set<std::string> seen;
    for (const auto& [id, source] : shipped()) {
        const bool serving = source.spec.workload.isServing();
        for (const std::string& tool : data::handoffTargetsFor(source.spec)) {
            if (!isTool(tool, serving))
                continue;
            const auto handoff = handedOff(source, {tool, "slurm"});
            for (const HandoffFile& file : handoff->files) {
                if (!file.name.ends_with(".sh") && !file.name.ends_with(".sbatch"))
                    continue;
                files << scripts.filePath(QStringLiteral("%1-").arg(files.size()) +
                                          QString::fromStdString(file.name));
                std::ofstream(files.back().toStdString()) << file.text;
            }
        }
    }
    QVERIFY(files.size() > 60);
    const QStringList loop{QStringLiteral("-c"), QStringLiteral("for f; do bash -n \"$f\" || exit 1; done"),
                           QStringLiteral("bash")};
    QCOMPARE(run(QStringLiteral("bash"), loop + files), QString());
    const QStringList shell{QStringLiteral("-s"), QStringLiteral("bash")};
    QCOMPARE(run(QStringLiteral("shellcheck"), shell + files), QString());
}

void TestHandoff::manifestsKeepToTheirSchemas() {
    const SchemaCheck schemas(handoffFolder + "crds/");
    int checked = 0;
    for (const auto& [id, source] : shipped()) {
        for (const std::string& cluster : data::handoffTargetsFor(source.spec)) {
            if (data::handoffTarget(cluster)->kind != data::TargetKind::cluster ||
                !data::runsOn(data::toolOf(source.spec), cluster))
                continue;
            const auto handoff = handedOff(source, {cluster});
            QVERIFY2(handoff, handoff.error().c_str());
            for (const HandoffFile& file : handoff->files) {
                if (!file.name.ends_with(".yaml"))
                    continue;
                for (const YAML::Node& node : YAML::LoadAll(file.text)) {
                    const json document = toJson(node);
                    if (!document.contains("kind") || !document.contains("apiVersion"))
                        continue;
                    const std::string fault = schemas.fault(document);
                    QVERIFY2(fault.empty(), (id + " " + file.name + fault).c_str());
                    checked += schemas.knows(document) ? 1 : 0;
                }
            }
        }
    }
    QVERIFY2(checked > 150, std::to_string(checked).c_str());
    // The check itself finds a field that does not exist.
    const auto handoff = handedOff(shipped().at("llama-3.1-70b-64xp5.48xlarge"), {"jobset"});
    json document = toJson(YAML::LoadAll(handoff->files.front().text).back());
    document["spec"]["replicatedJobs"][0]["template"]["spec"]["paralelism"] = 3;
    QVERIFY(!schemas.fault(document).empty());
}

void TestHandoff::hostileNamesStayNames() {
    QTemporaryDir scripts;
    const std::string touched = scripts.filePath(QStringLiteral("touched")).toStdString();
    for (const std::string& name :
         {"$(touch " + touched + ")", "`touch " + touched + "`",
          std::string("two\nlines\n#SBATCH --uid=root"), std::string("quote ' and \" and \\"),
          std::string("yes"), std::string("- a: b\n  c: [")}) {
        ScenarioSpec spec = shipped().at("llama-3.1-8b-8xp5.48xlarge").spec;
        spec.name = name;
        const Planned source = sourceOf(spec);
        for (const char* cluster : {"slurm", "jobset", "pytorchjob"}) {
            const auto handoff = handedOff(source, {cluster});
            QVERIFY(handoff);
            for (const HandoffFile& file : handoff->files) {
                const std::string path = scripts.filePath(QStringLiteral("f")).toStdString();
                std::ofstream(path) << file.text;
                if (file.name.ends_with(".sh") || file.name.ends_with(".sbatch")) {
                    QCOMPARE(
                        run(QStringLiteral("bash"), {QStringLiteral("-n"), QString::fromStdString(path)}),
                        QString());
                    // The programs are not there, so the script ends where it would start them.
                    QProcess process;
                    process.setProcessEnvironment(QProcessEnvironment());
                    process.start(QStringLiteral("/bin/bash"), {QString::fromStdString(path)});
                    process.waitForFinished(20'000);
                    QVERIFY(!QFile::exists(QString::fromStdString(touched)));
                    QVERIFY(file.text.find("\n#SBATCH --uid") == std::string::npos);
                }
                if (file.name.ends_with(".yaml")) {
                    const auto documents = YAML::LoadAll(file.text);
                    QCOMPARE(documents.back()["metadata"]["annotations"]["alidade.invalid/scenario"]
                                 .as<std::string>(),
                             name);
                }
            }
        }
    }
}

void TestHandoff::hostileIdsStayInTheirLines() {
    // A user's catalog may have ids and names of any characters.
    const std::string hostile = "p5.48xlarge\n#SBATCH --uid=root\ntouch x\r\n --comment=a";
    Catalog own = catalog();
    for (Instance& each : own.instances)
        if (each.id == "p5.48xlarge")
            each.id = hostile;
    for (Architecture& each : own.models)
        if (each.id == "llama-3.1-8b")
            each.name = "Llama\ntouch x";
    for (StorageTier& each : own.storage)
        each.name += "\ntouch x";
    ScenarioSpec spec = shipped().at("llama-3.1-8b-8xp5.48xlarge").spec;
    spec.cluster.instance = hostile;
    spec.run.storage = "fsx-lustre-persistent2-500";
    const auto answer = estimate(spec, own, own.defaultProfile);
    const auto resolved = resolve(spec, own, own.defaultProfile);
    QVERIFY2(answer && resolved, answer.error().c_str());
    for (const char* tool : {"megatron-lm", "accelerate"}) {
        const auto handoff = data::handOff({spec, *answer, *resolved, own, "Alidade test"}, {tool, "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        for (const HandoffFile& file : handoff->files)
            QVERIFY2(file.text.find("\n#SBATCH --uid") == std::string::npos &&
                         file.text.find("\ntouch") == std::string::npos &&
                         file.text.find('\r') == std::string::npos,
                     file.name.c_str());
        // One line of one option; the quotes keep what follows a blank from being a second one.
        std::istringstream lines(handoff->files.front().text);
        int constraints = 0;
        for (std::string line; std::getline(lines, line);)
            if (line.find("--constraint=") != std::string::npos) {
                ++constraints;
                QVERIFY2(line.starts_with("#SBATCH '--constraint=p5.48xlarge") && line.ends_with("=a'"),
                         line.c_str());
            }
        QCOMPARE(constraints, 1);
    }
}

void TestHandoff::readmeHasTheWholePlan() {
    for (const auto& [id, source] : shipped()) {
        if (source.spec.workload.isReinforcement())
            continue;
        const auto handoff = handedOff(source, {"slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const std::string& readme = handoff->files.back().text;
        const std::size_t plan = readme.find("\n## The plan\n");
        QVERIFY(plan != std::string::npos);
        for (const Field& field : fieldTable()) {
            const std::string path(field.path);
            if (!path.starts_with("plan.") && !path.starts_with("workload.") && !path.starts_with("cluster."))
                continue;
            if (!std::holds_alternative<std::monostate>(field.get(source.spec)) &&
                path != "cluster.placement" && path != "cluster.excluded_hosts")
                QVERIFY2(readme.find("\n    " + path + " = ", plan) != std::string::npos,
                         (id + " " + path).c_str());
        }
    }
    const auto pools = handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"slurm"});
    QVERIFY(pools->files.back().text.find(
                "\n    plan.disaggregated.prefill.attention_data_parallel = 16\n") != std::string::npos);
    // Degrees are there where the plan leaves them open, too.
    ScenarioSpec open = shipped().at("llama-3.1-8b-8xp5.48xlarge").spec;
    open.plan.dataParallel.reset();
    QVERIFY(handedOff(sourceOf(open), {"slurm"})->files.back().text.find("\n    plan.data_parallel = 64\n") !=
            std::string::npos);
}

/// A mistyped target is answered with all that there are.
void TestHandoff::readmeNamesTheCommandOfEachCluster() {
    const auto unknown = handedOff(shipped().at("llama-3.1-8b-8xp5.48xlarge"), {"zzzzzzzz"});
    QVERIFY(!unknown);
    for (const data::TargetInfo& target : data::handoffTargets())
        if (target.kind == data::TargetKind::observation)
            QVERIFY2(unknown.error().find(target.id) != std::string::npos, unknown.error().c_str());
    const std::map<std::string, std::string> commands{
        {"slurm", "sbatch job.sbatch"},
        {"jobset", "kubectl apply -f jobset.yaml"},
        {"trainjob", "kubectl apply -f trainjob.yaml"},
        {"pytorchjob", "kubectl apply -f pytorchjob.yaml"},
        {"leaderworkerset", "kubectl apply -f leaderworkerset.yaml"},
        {"dynamo", "kubectl apply -f dynamo.yaml"},
        {"llm-d", "helm install NAME llm-d-modelservice --version v0.4.12 --repo "
                  "https://llm-d-incubation.github.io/llm-d-modelservice/ -f values.yaml"},
        {"volcano", "kubectl apply -f volcano.yaml"},
        {"kai", "kubectl apply -f kai.yaml"},
        {"kueue", "kubectl apply -f kueue.yaml"},
        {"karpenter", "kubectl apply -f karpenter.yaml"},
        {"eksctl", "eksctl create nodegroup -f nodegroup.yaml"},
        {"parallelcluster",
         "pcluster create-cluster --cluster-name NAME --cluster-configuration cluster.yaml"},
        {"pcs", "aws cloudformation deploy --stack-name NAME --template-file pcs.yaml"},
        {"hyperpod-eks", "kubectl apply -f pytorchjob.yaml"}};
    std::set<std::string> seen;
    for (const char* id : {"llama-3.1-70b-64xp5.48xlarge", "serve-gpt-oss-120b-1xp5.48xlarge"}) {
        const Planned& source = shipped().at(id);
        for (const std::string& cluster : data::handoffTargetsFor(source.spec)) {
            const data::TargetInfo& target = *data::handoffTarget(cluster);
            if (target.kind != data::TargetKind::cluster || !data::runsOn(data::toolOf(source.spec), cluster))
                continue;
            seen.insert(cluster);
            const auto handoff = handedOff(source, {cluster});
            QVERIFY2(handoff, handoff.error().c_str());
            const std::string& readme = handoff->files.back().text;
            QVERIFY2(std::ranges::find(handoff->files, target.writes, &HandoffFile::name) !=
                         handoff->files.end(),
                     (cluster + " does not write " + target.writes).c_str());
            if (const auto at = commands.find(cluster); at != commands.end())
                QVERIFY2(readme.find("\n    " + at->second + "\n") != std::string::npos, readme.c_str());
            else
                QVERIFY2(readme.find("Put " + target.writes + " next to the lifecycle scripts") !=
                             std::string::npos,
                         readme.c_str());
            // A file that makes only the cluster starts no job on it.
            const std::string script = source.spec.workload.isServing() ? "serve.sh" : "train.sh";
            const std::set<std::string> slurm{"parallelcluster", "pcs", "hyperpod-slurm"};
            const std::set<std::string> beside{"kueue", "karpenter", "eksctl"};
            const std::string nodes = source.spec.workload.isServing() ? "1" : "64";
            // Without the options, a task has one core and no GPU.
            QCOMPARE(readme.find("\n    srun --nodes=" + nodes + " --ntasks-per-node=1 --gres=gpu:") !=
                         std::string::npos,
                     slurm.contains(cluster));
            QCOMPARE(readme.find(" --mem=0 --exclusive --partition=gpu bash " + script + "\n") !=
                         std::string::npos,
                     slurm.contains(cluster));
            QCOMPARE(readme.find("bash " + script + "\n") != std::string::npos, slurm.contains(cluster));
            // Objects that are next to a job are made before it.
            const std::string job = source.spec.workload.isServing() ? "leaderworkerset" : "jobset";
            QCOMPARE(readme.find("    " + target.apply + target.writes + "\n    kubectl apply -f " + job +
                                 ".yaml\n") != std::string::npos,
                     beside.contains(cluster));
        }
    }
    for (const data::TargetInfo& target : data::handoffTargets())
        QVERIFY2(target.kind != data::TargetKind::cluster || seen.contains(target.id), target.id.c_str());
    // Each pool is a separate job.
    const auto pools = handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"slurm"});
    for (const char* command : {"\n    sbatch job-prefill.sbatch\n", "    sbatch job-decode.sbatch\n"})
        QVERIFY2(pools->files.back().text.find(command) != std::string::npos, command);
}

void TestHandoff::knownPlanGivesKnownArguments() {
    // 405B on 2,048 p5: 128 positions of embedding, layers and loss over 16 stages of 8 chunks.
    const auto handoff = handedOff(shipped().at("llama-3.1-405b-2048xp5.48xlarge"), {"megatron-lm"});
    QVERIFY(handoff);
    const std::string& text = handoff->files.front().text;
    for (const char* line :
         {"    --num-layers 126\n", "    --hidden-size 16384\n", "    --ffn-hidden-size 53248\n",
          "    --tensor-model-parallel-size 8\n", "    --pipeline-model-parallel-size 16\n",
          "    --num-virtual-stages-per-pipeline-rank 8\n", "    --account-for-embedding-in-pipeline-split\n",
          "    --account-for-loss-in-pipeline-split\n", "    --sequence-parallel\n",
          "    --use-distributed-optimizer\n", "    --global-batch-size 2048\n", "    --seq-length 8192\n",
          "    --train-samples 1904296875\n", "torchrun --nnodes=2048 --nproc_per_node=8"})
        QVERIFY2(text.find(line) != std::string::npos, line);

    const auto served = handedOff(shipped().at("serve-deepseek-r1-24xp5en.48xlarge"), {"sglang", "slurm"});
    QVERIFY(served);
    QCOMPARE(served->files[0].name, std::string("job-prefill.sbatch"));
    QVERIFY(served->files[0].text.find("#SBATCH --nodes=2\n") != std::string::npos);
    QVERIFY(served->files[0].text.find("#SBATCH --array=0-3\n") != std::string::npos);
    QVERIFY(served->files[1].text.find("#SBATCH --array=0-15\n") != std::string::npos);
    QVERIFY(served->files[2].text.find("    --tp-size 16\n") != std::string::npos);
    QVERIFY(served->files[2].text.find("    --enable-dp-attention\n") != std::string::npos);
    QVERIFY(served->files[2].text.find("    --disaggregation-mode prefill\n") != std::string::npos);
}

void TestHandoff::saysWhatItCannotExpress() {
    const auto handoff = handedOff(shipped().at("deepseek-v3-256xp5en.48xlarge"), {"megatron-lm"});
    QVERIFY(handoff);
    const auto at = std::ranges::find(handoff->leftOut, "plan.schedule", &data::LeftOut::path);
    QVERIFY(at != handoff->leftOut.end());
    QCOMPARE(at->value, std::string("dualpipe"));
    QVERIFY(handoff->files.front().text.find("# not expressed: plan.schedule = dualpipe") !=
            std::string::npos);
    QVERIFY(handoff->files.back().text.find("plan.schedule = dualpipe") != std::string::npos);
}

void TestHandoff::refusesWhatDoesNotGoTogether() {
    const Planned& training = shipped().at("llama-3.1-70b-64xp5.48xlarge");
    const Planned& serving = shipped().at("serve-gpt-oss-120b-1xp5.48xlarge");
    QVERIFY(handedOff(training, {"megatronlm"}).error().find("'megatron-lm'") != std::string::npos);
    QVERIFY(handedOff(training, {"qqqqqq"}).error().ends_with("'alidade export --help' lists them all"));
    QVERIFY(!handedOff(training, {"vllm"}));
    QVERIFY(!handedOff(serving, {"torchtitan"}));
    QVERIFY(!handedOff(serving, {"jobset"}));
    QVERIFY(!handedOff(training, {"slurm", "jobset"}));
    QVERIFY(!handedOff(training, {"megatron-lm", "torchtitan"}));
    QVERIFY(handedOff(training, {"kubernetes"}));
    QVERIFY(handedOff(training, {"megatron-lm", "jobset", "kueue"}));
    QVERIFY(handedOff(serving, {"dynamo", "karpenter"}));
    for (const std::vector<std::string>& each : std::initializer_list<std::vector<std::string>>{
             {"slurm", "kueue"}, {"kueue", "karpenter"}, {"volcano", "kueue"}, {"hyperpod-eks", "kueue"}})
        QVERIFY2(!handedOff(training, each), (each[0] + " " + each[1]).c_str());
    QVERIFY(!handedOff(serving, {"dynamo", "kueue"}));
    QVERIFY(!handedOff(shipped().at("llama-3.1-70b-lora-1xp5.48xlarge"), {"megatron-lm"}));
}

void TestHandoff::rulesPassPromtool() {
    if (!run(QStringLiteral("promtool"), {QStringLiteral("--version")}).isEmpty())
        QFAIL("needs promtool: packaging/install-dependencies test");
    for (const auto& [id, source] : shipped()) {
        const auto handoff = handedOff(source, {"prometheus-rules"});
        QVERIFY2(handoff, handoff.error().c_str());
        QTemporaryDir place;
        const QString rules = place.filePath(QStringLiteral("rules.yml"));
        std::ofstream(rules.toStdString()) << handoff->files.front().text;
        QCOMPARE(run(QStringLiteral("promtool"), {QStringLiteral("check"), QStringLiteral("rules"), rules}),
                 QString());
        if (source.spec.workload.isServing() || source.spec.workload.isReinforcement())
            continue; // no step of training with a band
        // A step of an hour is above every band; XID 79 is a GPU that is gone.
        std::map<std::string, YAML::Node> alerts;
        const YAML::Node groups = YAML::Load(handoff->files.front().text)["groups"];
        for (const auto& group : groups)
            for (const auto& rule : group["rules"])
                if (rule["alert"])
                    alerts.insert_or_assign(rule["alert"].as<std::string>(), YAML::Node(rule));
        QVERIFY(alerts.contains("StepTimeAbovePlan") && alerts.contains("GpuXid79"));
        const auto quoted = [](std::string text) {
            for (const auto& [name, value] :
                 {std::pair{"{{ $labels.gpu }}", "3"}, std::pair{"{{ $labels.Hostname }}", "n1"}})
                if (const std::size_t at = text.find(name); at != std::string::npos)
                    text.replace(at, std::string(name).size(), value);
            return json(text).dump();
        };
        const auto annotations = [&](const char* name) {
            return "{summary: " + quoted(alerts[name]["annotations"]["summary"].as<std::string>()) +
                   ", cost: " + quoted(alerts[name]["annotations"]["cost"].as<std::string>()) + "}";
        };
        std::ofstream(place.filePath(QStringLiteral("test.yml")).toStdString())
            << "rule_files: [rules.yml]\nevaluation_interval: 1m\ntests:\n- interval: 1m\n  input_series:\n"
               "  - {series: 'training_step_time_seconds{job=\"t\"}', values: '3600x40'}\n"
               "  - {series: 'DCGM_FI_DEV_XID_ERRORS{gpu=\"3\",Hostname=\"n1\"}', values: '0x10 79x30'}\n"
               "  alert_rule_test:\n"
               "  - {eval_time: 5m, alertname: GpuXid79, exp_alerts: []}\n"
               "  - {eval_time: 20m, alertname: GpuXid79, exp_alerts: [{exp_labels: {severity: critical, "
               "gpu: '3', "
               "Hostname: n1}, exp_annotations: "
            << annotations("GpuXid79")
            << "}]}\n"
               "  - {eval_time: 5m, alertname: StepTimeAbovePlan, exp_alerts: []}\n"
               "  - {eval_time: 20m, alertname: StepTimeAbovePlan, exp_alerts: [{exp_labels: {severity: "
               "warning}, "
               "exp_annotations: "
            << annotations("StepTimeAbovePlan") << "}]}\n";
        QCOMPARE(run(QStringLiteral("promtool"), {QStringLiteral("test"), QStringLiteral("rules"),
                                                  place.filePath(QStringLiteral("test.yml"))}),
                 QString());
    }
}

void TestHandoff::dashboardKeepsToItsGrid() {
    for (const auto& [id, source] : shipped()) {
        const auto handoff = handedOff(source, {"grafana-dashboard"});
        QVERIFY2(handoff, handoff.error().c_str());
        const json dashboard = json::parse(handoff->files.front().text);
        QCOMPARE(dashboard["schemaVersion"].get<int>(), 39);
        QCOMPARE(dashboard["templating"]["list"][0]["type"].get<std::string>(), std::string("datasource"));
        std::set<int> ids;
        std::set<std::pair<int, int>> cells;
        int bands = 0;
        for (const json& panel : dashboard["panels"]) {
            QVERIFY(ids.insert(panel["id"].get<int>()).second);
            const json& grid = panel["gridPos"];
            QVERIFY(grid["x"].get<int>() + grid["w"].get<int>() <= 24);
            for (int x = grid["x"]; x < grid["x"].get<int>() + grid["w"].get<int>(); ++x)
                for (int y = grid["y"]; y < grid["y"].get<int>() + grid["h"].get<int>(); ++y)
                    QVERIFY2(cells.insert({x, y}).second, "panels overlap");
            QCOMPARE(panel["datasource"]["uid"].get<std::string>(), std::string("${datasource}"));
            bands += panel["fieldConfig"]["defaults"].contains("thresholds") ? 1 : 0;
        }
        QVERIFY(bands > 1 || source.spec.workload.isReinforcement()); // whose exporters have no common names
    }
}

void TestHandoff::measurementsPassShellCheck() {
    if (!run(QStringLiteral("shellcheck"), {QStringLiteral("--version")}).isEmpty())
        QFAIL("needs shellcheck: packaging/install-dependencies test");
    QTemporaryDir place;
    std::size_t row = 0;
    for (const auto& [id, source] : shipped()) {
        if (!test::tried(row++))
            continue;
        const auto handoff = handedOff(source, {"nccl-tests"});
        QVERIFY2(handoff, handoff.error().c_str());
        const QString file = place.filePath(QStringLiteral("nccl-tests.sh"));
        std::ofstream(file.toStdString()) << handoff->files.front().text;
        QCOMPARE(run(QStringLiteral("shellcheck"), {file}), QString());
    }
}

void TestHandoff::guideHasEveryTarget() {
    const std::string guide = fileText(ALIDADE_TEST_DATA "/../views/help/guide.html");
    for (const data::TargetInfo& target : data::handoffTargets())
        QVERIFY2(guide.find("<a name=\"handoff-" + target.id + "\"></a>") != std::string::npos,
                 target.id.c_str());
}

QTEST_GUILESS_MAIN(TestHandoff)

} // namespace tst_handoff

#include "tst_handoff.moc"
