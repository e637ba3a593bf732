// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that people paste: each sample comes out as its .expected.json says. And what is handed over is read
// back as the plan that it was, but for the fields that the target does not express.
#include "data/catalog/catalog_reader.h"
#include "data/jobs/import_job.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

namespace tst_import_job {

using namespace alidade;
using data::JobReading;
using nlohmann::json;

namespace {

const std::string samples = ALIDADE_TEST_DATA "/data/handoff/samples/";

std::string fileText(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

JobReading read(const std::string& text, const data::JobFiles& files = {}) {
    return data::readJob(text, "job", catalog(), files);
}

json scenarioOf(const JobReading& reading) { return json::parse(data::writeScenario(reading.spec)); }

const json* valueAt(const json& document, const std::string& path) {
    const json* at = &document;
    std::istringstream keys(path);
    for (std::string key; std::getline(keys, key, '.');) {
        if (!at->is_object() || !at->contains(key))
            return nullptr;
        at = &(*at)[key];
    }
    return at;
}

/// A value as a set where it is a list; one word is a list of one.
bool same(const json& a, const json& b) {
    if (a.is_array() || b.is_array()) {
        const auto words = [](const json& list) {
            std::set<std::string> out;
            if (list.is_array())
                for (const json& each : list)
                    out.insert(each.dump());
            else
                out.insert(list.dump());
            // Two words for the same module.
            if (out.erase("\"norms\"") > 0)
                out.insert("\"layernorm\"");
            return out;
        };
        return words(a) == words(b);
    }
    if (a.is_number() && b.is_number())
        return std::abs(a.get<double>() - b.get<double>()) <= 1e-9 * std::abs(b.get<double>());
    return a == b;
}

void compare(const json& expected, const json& actual, const std::string& path, std::string& faults) {
    if (expected.is_object()) {
        for (const auto& [key, value] : expected.items())
            compare(value, actual.is_object() && actual.contains(key) ? actual[key] : json(),
                    path.empty() ? key : path + "." + key, faults);
        return;
    }
    if (!same(expected, actual))
        faults += path + " is " + actual.dump() + ", not " + expected.dump() + "; ";
}

std::set<std::string> names(const std::vector<data::ReadName>& list) {
    std::set<std::string> out;
    for (const data::ReadName& each : list)
        out.insert(each.name);
    return out;
}

} // namespace

class TestImportJob : public QObject {
    Q_OBJECT

private slots:
    void samplesComeOutAsExpected_data();
    void samplesComeOutAsExpected();
    void scriptsInManifestsHaveTheirLines();
    void followsShellVariables();
    void executesNothing();
    void findsContradictions();
    void faultsNameTheLine();
    void refusesWhatIsNoNumber_data();
    void refusesWhatIsNoNumber();
    void asksForWhatOnlyAShellKnows();
    void namesTheFileOfALine();
    void takesEveryWordForTrue_data();
    void takesEveryWordForTrue();
    void countsTheServersOfAnArray();
    void readsRunningJobs();
};

void TestImportJob::samplesComeOutAsExpected_data() {
    QTest::addColumn<QString>("name");
    const QStringList files =
        QDir(QString::fromStdString(samples)).entryList({QStringLiteral("*.expected.json")});
    QCOMPARE(files.size(), 33);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
}

void TestImportJob::samplesComeOutAsExpected() {
    QFETCH(QString, name);
    const json expected = json::parse(fileText(samples + name.toStdString()));
    const auto sample = expected.at("sample").get<std::string>();
    const JobReading reading = data::readJob(fileText(samples + sample), sample, catalog());
    QVERIFY2(reading.faults.empty(), reading.faults.empty() ? "" : reading.faults.front().c_str());
    QCOMPARE(reading.tool, expected.at("tool").get<std::string>());
    const json scenario = scenarioOf(reading);
    std::string faults;
    compare(expected.at("scenario"), scenario, "", faults);
    if (expected.contains("any_of"))
        for (const auto& [path, values] : expected["any_of"].items()) {
            const json* value = valueAt(scenario, path);
            if (value != nullptr &&
                std::ranges::none_of(values, [&](const json& each) { return same(each, *value); }))
                faults += path + " is " + value->dump() + ", none of " + values.dump() + "; ";
        }
    if (expected.contains("absent"))
        for (const json& path : expected["absent"])
            if (const json* value = valueAt(scenario, path.get<std::string>()))
                faults += path.get<std::string>() + " is " + value->dump() + "; ";
    if (expected.contains("gpus")) {
        const json gpus = reading.gpus ? json(*reading.gpus) : json();
        if (gpus != expected["gpus"])
            faults += "GPUs are " + gpus.dump() + ", not " + expected["gpus"].dump() + "; ";
    }
    for (const json& path : expected.at("asks"))
        if (std::ranges::find(reading.asks, path.get<std::string>()) == reading.asks.end())
            faults += "does not ask for " + path.get<std::string>() + "; ";
    const std::set<std::string> others = names(reading.otherVersions), unknown = names(reading.unknown);
    const auto listed = [](const json& list) {
        std::set<std::string> out;
        for (const json& each : list)
            out.insert(each.get<std::string>());
        return out;
    };
    for (const auto& [what, found, wanted] :
         {std::tuple{"other versions", others, listed(expected.at("other_versions"))},
          std::tuple{"unknown", unknown, listed(expected.at("unknown"))}}) {
        if (found != wanted) {
            faults += std::string(what) + ":";
            for (const std::string& each : found)
                faults += " " + each;
            faults += "; ";
        }
    }
    if (expected.contains("unknown_program") &&
        reading.unknownProgram != expected["unknown_program"].get<std::string>())
        faults += "program " + reading.unknownProgram + "; ";
    for (const std::string& each : reading.contradictions)
        faults += "contradiction: " + each + "; ";
    // Each understood field has its line, and the line is in the text.
    const auto lines = std::ranges::count(fileText(samples + sample), '\n') + 1;
    for (const data::ReadField& each : reading.understood)
        QVERIFY2(each.line >= 0 && each.line <= lines, each.path.c_str());
    QVERIFY2(faults.empty(), faults.c_str());
}

/// A script in a manifest has the lines of the file where it is a block, and one line where it is quoted.
void TestImportJob::scriptsInManifestsHaveTheirLines() {
    const std::string head =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n"
        "      command:\n        - bash\n        - \"-c\"\n        - ";
    const auto lineOf = [](const JobReading& reading) {
        const auto at =
            std::ranges::find(reading.understood, "workload.sequence_length", &data::ReadField::path);
        return at == reading.understood.end() ? -1 : at->line;
    };
    const JobReading block = read(head + "|\n          set -e\n          torchrun --nproc_per_node=8 \\\n"
                                         "            pretrain_gpt.py \\\n              --seq-length 4096\n");
    QCOMPARE(lineOf(block), 14);
    const JobReading quoted = read(
        head + "\"set -e\\ntorchrun --nproc_per_node=8 pretrain_gpt.py \\\\\\n --seq-length 4096\\n\"\n");
    QCOMPARE(lineOf(quoted), 10);
}

void TestImportJob::followsShellVariables() {
    const JobReading reading =
        read("TP=4\nPP=$((TP / 2))\n: \"${MBS:=2}\"\nARGS=(--tensor-model-parallel-size $TP)\n"
             "ARGS+=(--pipeline-model-parallel-size \"${PP}\" # a comment\n"
             "  --micro-batch-size ${MBS:-8})\n"
             "if [ -n \"$FAST\" ]; then MBS=16; fi\n"
             "torchrun --nnodes=2 --nproc_per_node 8 \\\n  pretrain_gpt.py \"${ARGS[@]}\" "
             "--global-batch-size $(cat batch) --seq-length 4096\n");
    QCOMPARE(*reading.spec.plan.tensorParallel, 4);
    QCOMPARE(*reading.spec.plan.pipelineParallel, 2);
    QCOMPARE(*reading.spec.plan.microBatch, 2);
    QVERIFY(!reading.spec.workload.globalBatch); // only a running shell knows
    QCOMPARE(*reading.gpus, 16);
    const auto at = std::ranges::find(reading.understood, "plan.pipeline_parallel", &data::ReadField::path);
    QVERIFY(at != reading.understood.end());
    QCOMPARE(at->line, 5);
}

void TestImportJob::executesNothing() {
    const QString place = QDir::temp().filePath(QStringLiteral("alidade-import-touched"));
    QFile::remove(place);
    const std::string path = place.toStdString();
    read("X=$(touch " + path + ")\n`touch " + path +
         "`\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers $X\n");
    read("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: [sh, -c, \"touch " + path + "\"]\n");
    QVERIFY(!QFile::exists(place));
}

void TestImportJob::findsContradictions() {
    const JobReading nodes = read("#!/bin/bash\n#SBATCH --nodes=16\n#SBATCH --gpus-per-node=8\n"
                                  "srun torchrun --nnodes=8 --nproc_per_node=8 pretrain_gpt.py "
                                  "--tensor-model-parallel-size 8 --seq-length 4096\n");
    QVERIFY(!nodes.contradictions.empty());
    QVERIFY(nodes.contradictions.front().find("16") != std::string::npos);
    const JobReading degrees =
        read("torchrun --nnodes=3 --nproc_per_node=8 pretrain_gpt.py "
             "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 --seq-length 4096\n");
    QVERIFY(!degrees.contradictions.empty());
    QVERIFY(degrees.contradictions.front().find("24") != std::string::npos);
}

void TestImportJob::faultsNameTheLine() {
    QVERIFY(read("[training]\nseq_len = = 8\n").faults.at(0).starts_with("job:2: "));
    QVERIFY(read("apiVersion: v1\nkind: [JobSet\nspec: }\n").faults.at(0).starts_with("job:"));
    QVERIFY(!read("hello world\n").faults.empty());
    QVERIFY(!read("").faults.empty());
    const JobReading bad = read("torchrun pretrain_gpt.py \\\n --tensor-model-parallel-size eight\n");
    QVERIFY(std::ranges::any_of(bad.warnings,
                                [](const std::string& each) { return each.starts_with("line 2: "); }));
    // The counts of the launcher, too.
    for (const char* count : {"--nnodes=many", "--nnodes 99999999999999999999", "--nproc_per_node=-8"}) {
        const JobReading launch =
            read("torchrun \\\n " + std::string(count) + " pretrain_gpt.py --seq-length 4096\n");
        QVERIFY2(!launch.contradictions.empty() && launch.contradictions.front().starts_with("line 2: --n") &&
                     launch.contradictions.front().ends_with(" is not a number"),
                 count);
        QVERIFY(!launch.gpus);
    }
    for (const char* count : {"--nproc_per_node=gpu", "--nproc-per-node auto", "--nnodes=1:8", "--nnodes=$N"})
        QVERIFY2(read("torchrun " + std::string(count) + " pretrain_gpt.py --seq-length 4096\n")
                     .contradictions.empty(),
                 count);
}

void TestImportJob::refusesWhatIsNoNumber_data() {
    QTest::addColumn<std::string>("command");
    QTest::addColumn<std::string>("said");
    QTest::addColumn<std::string>("path");
    const auto row = [](const char* program, const char* said, const char* path) {
        QTest::newRow(said) << std::string(program) << std::string(said) << std::string(path);
    };
    const char *vllm = "vllm serve openai/gpt-oss-120b",
               *sglang = "python3 -m sglang.launch_server --model-path openai/gpt-oss-120b",
               *trtllm = "trtllm-serve openai/gpt-oss-120b",
               *trainer = "accelerate launch --num_processes 8 train.py --per_device_train_batch_size 1",
               *megatron = "torchrun --nproc_per_node 8 pretrain_gpt.py --seq-length 4096";
    row(vllm, "--tensor-parallel-size eight", "plan.tensor_parallel");
    row(vllm, "--tensor-parallel-size 0", "plan.tensor_parallel");
    row(vllm, "--max-num-seqs many", "plan.max_batch");
    row(vllm, "--kv-offloading-size lots", "plan.kv_offload_bytes");
    row(sglang, "--tp-size 8.5", "plan.tensor_parallel");
    row(sglang, "--max-running-requests 1k", "plan.max_batch"); // only vLLM reads such numbers
    row(sglang, "--chunked-prefill-size 2q", "plan.chunk_tokens");
    row(trtllm, "--tp_size 4x", "plan.tensor_parallel");
    row(trainer, "--gradient_accumulation_steps four", "workload.global_batch");
    row(megatron, "--train-iters a", "workload.tokens");
}

void TestImportJob::refusesWhatIsNoNumber() {
    QFETCH(std::string, command);
    QFETCH(std::string, said);
    QFETCH(std::string, path);
    const JobReading reading = read(command + " \\\n  " + said + "\n");
    QVERIFY(std::ranges::any_of(reading.contradictions, [&](const std::string& each) {
        return each.starts_with("line 2: " + said + " is not a");
    }));
    const json scenario = scenarioOf(reading);
    QVERIFY2(valueAt(scenario, path) == nullptr, scenario.dump().c_str());
    if (path == "plan.tensor_parallel") {
        QVERIFY(std::ranges::find(reading.asks, path) != reading.asks.end());
        QVERIFY(!reading.gpus);
    }
    // The suffixes that vLLM reads.
    const JobReading human = read("vllm serve openai/gpt-oss-120b --max-num-seqs 1k "
                                  "--max-num-batched-tokens 16K --tensor-parallel-size 8\n");
    QVERIFY(human.contradictions.empty());
    QCOMPARE(*human.spec.plan.maxBatch, 1000);
    QCOMPARE(*human.spec.plan.chunkTokens, 16'384);
}

void TestImportJob::asksForWhatOnlyAShellKnows() {
    for (const auto& [text, line] :
         {std::pair("TP=$(nproc)\nvllm serve openai/gpt-oss-120b \\\n --tensor-parallel-size $TP\n",
                    "line 3"),
          std::pair("trtllm-serve openai/gpt-oss-120b --tp_size $(nproc)\n", "line 1"),
          std::pair("torchrun --nnodes 2 --nproc_per_node 8 pretrain_gpt.py --micro-batch-size 1 \\\n "
                    "--tensor-model-parallel-size $(nproc)\n",
                    "line 2")}) {
        const JobReading reading = read(text);
        QVERIFY2(std::ranges::find(reading.asks, "plan.tensor_parallel") != reading.asks.end(), text);
        QVERIFY2(std::ranges::any_of(reading.warnings,
                                     [&line](const std::string& each) {
                                         return each.starts_with(line) &&
                                                each.find("running shell") != std::string::npos;
                                     }),
                 text);
        // What would follow from a tensor degree of one does not follow.
        QVERIFY2(!reading.spec.plan.tensorParallel && !reading.spec.plan.dataParallel, text);
        QCOMPARE(reading.gpus.has_value(), !reading.spec.workload.isServing());
    }
}

void TestImportJob::namesTheFileOfALine() {
    const auto beside = [](const std::string& name) -> std::optional<std::string> {
        static const std::map<std::string, std::string> all{
            {"train.sh", "\n\ntorchrun --nnodes=2 --nproc_per_node=8 -m torchtitan.train \\\n"
                         "  --job.config_file job.toml --training.seq_len 4096\n"},
            {"job.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 8192\n"
                         "[parallelism]\ntensor_parallel_degree = 4\npipeline_parallel_degree = \"two\"\n"
                         "[metrics]\nlog_freq = 10\n"},
            {"accelerate.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"},
            {"ds_config.json", "{\n \"zero_optimization\": {\"stage\": 2}\n}\n"},
            {"serve.yaml", "max-num-seqs: 64\nswap-space: 4\n"}};
        const auto at = all.find(name);
        return at == all.end() ? std::nullopt : std::optional(at->second);
    };
    const auto place = [](const JobReading& reading, const std::string& path) {
        const auto at = std::ranges::find(reading.understood, path, &data::ReadField::path);
        return at == reading.understood.end() ? std::string() : at->from + " " + std::to_string(at->line);
    };
    const auto remark = [](const std::vector<data::ReadName>& list, const std::string& name) {
        const auto at = std::ranges::find(list, name, &data::ReadName::name);
        return at == list.end() ? std::string() : at->why + " " + std::to_string(at->line);
    };
    const JobReading titan = read("#!/bin/bash\n#SBATCH --nodes=4\nsrun bash train.sh\n", beside);
    QCOMPARE(place(titan, "plan.tensor_parallel"),
             std::string("parallelism.tensor_parallel_degree in job.toml 7"));
    QCOMPARE(place(titan, "workload.sequence_length"), std::string("training.seq_len in train.sh 4"));
    QCOMPARE(place(titan, "cluster.instances"), std::string("--nnodes in train.sh 3"));
    QCOMPARE(remark(titan.noField, "metrics.log_freq"), std::string("in job.toml 10"));
    QVERIFY(std::ranges::any_of(
        titan.warnings, [](const std::string& each) { return each.starts_with("line 8 of job.toml: "); }));
    // The nodes of the directives are in the job itself.
    QVERIFY(std::ranges::any_of(titan.contradictions, [](const std::string& each) {
        return each.find("--nodes in line 2 says 4") != std::string::npos;
    }));

    const JobReading launched = read(
        "accelerate launch --config_file accelerate.yaml --num_machines 2 \\\n train.py --bf16\n", beside);
    QCOMPARE(place(launched, "plan.sharding"), std::string("distributed_type in accelerate.yaml 2"));
    QCOMPARE(place(launched, "plan.precision"), std::string("--bf16 2"));
    QCOMPARE(remark(launched.noField, "compute_environment"), std::string("in accelerate.yaml 1"));

    const JobReading sharded =
        read("torchrun --nproc_per_node 8 train.py --deepspeed ds_config.json\n", beside);
    QCOMPARE(place(sharded, "plan.sharding"), std::string("zero_optimization.stage in ds_config.json 2"));

    const JobReading served = read("vllm serve meta-llama/Llama-3.1-8B \\\n  --config serve.yaml\n", beside);
    QCOMPARE(place(served, "plan.max_batch"), std::string("--max-num-seqs in serve.yaml 1"));
    QCOMPARE(place(served, "workload.model"), std::string("the model 1"));
    // A configuration that is the job itself needs no name.
    const JobReading alone = read(*beside("job.toml"));
    QCOMPARE(place(alone, "plan.tensor_parallel"), std::string("parallelism.tensor_parallel_degree 7"));
    QCOMPARE(remark(alone.noField, "metrics.log_freq"), std::string(" 10"));
}

void TestImportJob::takesEveryWordForTrue_data() {
    QTest::addColumn<std::string>("word");
    QTest::addColumn<bool>("on");
    for (const char* word : {"true", "True", "TRUE", "yes", "on", "1"})
        QTest::newRow(word) << std::string(word) << true;
    for (const char* word : {"false", "False", "no", "Off", "0"})
        QTest::newRow(word) << std::string(word) << false;
}

void TestImportJob::takesEveryWordForTrue() {
    QFETCH(std::string, word);
    QFETCH(bool, on);
    const JobReading trained = read("accelerate launch --num_processes 8 train.py --gradient_checkpointing " +
                                    word + " --per_device_train_batch_size 1 --use_peft " + word + "\n");
    QCOMPARE(trained.spec.plan.recompute->front(), std::string(on ? "full" : "none"));
    QCOMPARE(trained.spec.workload.finetune.kind.has_value(), on);
    const JobReading sharded =
        read("compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n"
             "  fsdp_reshard_after_forward: " +
             word + "\n  fsdp_offload_params: " + word + "\n");
    QCOMPARE(*sharded.spec.plan.sharding, std::string(on ? "fsdp2" : "zero2"));
    QCOMPARE(sharded.spec.plan.offload.optimizer.has_value(), on);
    QCOMPARE(
        read("torchrun --nproc_per_node 8 run_recipe.py --model llama3_8b model.cross_entropy_loss_fusion=" +
             word + "\n")
            .spec.plan.loss.value_or(""),
        std::string(on ? "fused" : "unfused"));
    const JobReading bridge = read("torchrun --nproc_per_node 8 run_recipe.py --model llama3_8b "
                                   "ddp.use_distributed_optimizer=" +
                                   word + " model.sequence_parallel=" + word + "\n");
    QCOMPARE(*bridge.spec.plan.sharding, std::string(on ? "zero1" : "none"));
    QCOMPARE(*bridge.spec.plan.sequenceParallel, on);
    const JobReading served = read("model: deepseek-ai/DeepSeek-R1\ntensor-parallel-size: 8\n"
                                   "enable-expert-parallel: " +
                                   word + "\nenable-prefix-caching: " + word + "\n");
    QCOMPARE(served.spec.plan.expertParallel.value_or(1), on ? 8 : 1);
    QCOMPARE(served.spec.workload.prefixCacheHit.has_value(), !on);
}

void TestImportJob::countsTheServersOfAnArray() {
    const auto servers = [](const std::string& count, const std::string& array = "0-4") {
        const auto beside = [&count](const std::string&) {
            return std::optional("TASK=${SLURM_ARRAY_TASK_ID:-0}\nCOUNT=$((" + count +
                                 "))\nfor ((i = 0; i < COUNT; i++)); do\n"
                                 "  vllm serve meta-llama/Llama-3.1-8B --port 800$i &\ndone\n");
        };
        return *read("#!/bin/bash\n#SBATCH --array=" + array + "\nsrun bash serve.sh\n", beside)
                    .spec.plan.dataParallel;
    };
    QCOMPARE(servers("3"), 15);
    QCOMPARE(servers("(14 + 4 - TASK) / 5"), 14); // 3, 3, 3, 3 and 2
    QCOMPARE(servers("TASK + 1"), 15);            // 1 to 5
    QCOMPARE(servers("3", "0-4%2"), 15);          // two at once, five in all
    QCOMPARE(servers("3", "1-9:4"), 9);           // 1, 5 and 9
    QCOMPARE(servers("TASK + 1", "1-9:4%2"), 18);
}

void TestImportJob::readsRunningJobs() {
    const JobReading slurm =
        read("JobId=42 JobName=titan\n   Partition=p5en-48xlarge AllocNode:Sid=head:1\n"
             "   NodeList=p5en-[1-16]\n   NumNodes=16 NumCPUs=3072 NumTasks=16\n"
             "   AllocTRES=cpu=3072,node=16,gres/gpu=128\n   Command=/home/a/job.sbatch\n",
             [](const std::string& name) -> std::optional<std::string> {
                 if (name != "/home/a/job.sbatch")
                     return {};
                 return "srun torchrun --nproc_per_node=8 --nnodes=16 pretrain_gpt.py "
                        "--tensor-model-parallel-size 4 --seq-length 8192\n";
             });
    QCOMPARE(slurm.tool, std::string("slurm"));
    QCOMPARE(*slurm.spec.cluster.instance, std::string("p5en.48xlarge"));
    QCOMPARE(*slurm.spec.cluster.instances, 16);
    QCOMPARE(*slurm.gpus, 128);
    QCOMPARE(*slurm.spec.plan.dataParallel, 32);
    const JobReading squeue = read(R"({"jobs": [{"job_id": 1, "partition": "p5-48xlarge", "nodes": "p5-[1-4]",
        "node_count": {"set": true, "number": 4}, "tres_alloc_str": "cpu=8,node=4,gres/gpu=32"}]})");
    QCOMPARE(*squeue.spec.cluster.instance, std::string("p5.48xlarge"));
    QCOMPARE(*squeue.gpus, 32);
    const JobReading list =
        read(R"({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Pod",
        "spec": {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}, "containers": [{"name": "a",
        "command": ["vllm", "serve", "openai/gpt-oss-120b", "--tensor-parallel-size", "8"],
        "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}}]})");
    QCOMPARE(list.tool, std::string("kubernetes"));
    QCOMPARE(*list.spec.workload.model, std::string("gpt-oss-120b"));
    QCOMPARE(*list.gpus, 8);
    // The pods of one job are its instances; those of no job are servers.
    const auto pods = [](int count, const std::string& labels, const std::string& words) {
        std::string out = R"({"apiVersion": "v1", "kind": "List", "items": [)";
        for (int i = 0; i < count; ++i)
            out += (i == 0 ? "" : ", ") + (R"({"kind": "Pod", "metadata": {"labels": {)" + labels) +
                   R"(}}, "spec": {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"},
                   "containers": [{"command": [)" +
                   words + R"(], "resources": {"limits": {"nvidia.com/gpu": 8}}}]}})";
        return out + "]}";
    };
    const JobReading trained =
        read(pods(16, R"("jobset.sigs.k8s.io/jobset-name": "a")",
                  R"("torchrun", "--nproc_per_node=8", "pretrain_gpt.py", "--tensor-model-parallel-size", "4",
                  "--seq-length", "8192")"));
    QCOMPARE(*trained.gpus, 128);
    QCOMPARE(*trained.spec.cluster.instances, 16);
    QVERIFY(trained.contradictions.empty());
    const JobReading served = read(
        pods(3, R"("app": "a")", R"("vllm", "serve", "openai/gpt-oss-120b", "--tensor-parallel-size", "8")"));
    QCOMPARE(*served.gpus, 24);
    QCOMPARE(*served.spec.plan.dataParallel, 3);
    // A cluster that does not account for GPUs says them for each node.
    const JobReading counted =
        read("JobId=2 JobName=a\n   Partition=gpu Features=p5.48xlarge\n   NumNodes=8-8 "
             "NumCPUs=768\n   TRES=cpu=768,node=8\n   TresPerNode=gres:gpu:h100:8\n");
    QCOMPARE(*counted.gpus, 64);
    QCOMPARE(*counted.spec.cluster.instance, std::string("p5.48xlarge"));
}

QTEST_GUILESS_MAIN(TestImportJob)

} // namespace tst_import_job

#include "tst_import_job.moc"
