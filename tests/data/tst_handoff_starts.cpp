// SPDX-License-Identifier: GPL-3.0-or-later
// What is handed over starts and trains what the plan says: counts that a tool checks before its first step
// agree, and nothing is left to a default that is another.
#include "data/jobs/import_job.h"
#include "model/scenario/fields.h"
#include "tests/data/handed_over.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tst_handoff_starts {

using namespace alidade;
using namespace tests;
using data::Handoff;

namespace {

/// The word after an option in a script; empty: it is not there.
std::string optionIn(const std::string& script, const std::string& option) {
    const std::size_t at = script.find("\n    " + option + " ");
    if (at == std::string::npos)
        return {};
    const std::size_t begin = at + option.size() + 6;
    return script.substr(begin, script.find('\n', begin) - begin);
}

using Fields = std::map<std::string, std::string>;

std::vector<std::string> trainings() {
    std::vector<std::string> out;
    for (const auto& [id, source] : shipped())
        if (!source.spec.workload.isServing() && !source.spec.workload.isReinforcement())
            out.push_back(id);
    return out;
}

} // namespace

class TestHandoffStarts : public QObject {
    Q_OBJECT

private slots:
    void batchesOfDeepSpeedMultiply_data() { allTrainings(); }
    void batchesOfDeepSpeedMultiply() {
        QFETCH(std::string, id);
        const Planned& source = shipped().at(id);
        const auto handoff = handedOff(source, {"deepspeed", "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const json config = json::parse(fileOf(*handoff, "ds_config.json").text);
        const PlanSpec& plan = source.estimate->scenario.plan;
        const std::int64_t replicas =
            source.estimate->gpus / plan.tensorParallel.value_or(1) / plan.contextParallel.value_or(1);
        const auto batch = config["train_batch_size"].get<std::int64_t>();
        QCOMPARE(config["train_micro_batch_size_per_gpu"].get<std::int64_t>() *
                     config["gradient_accumulation_steps"].get<std::int64_t>() * replicas,
                 batch);
        compareTrainer(*handoff, source, batch, replicas);
    }

    void degreesOfAccelerateMultiply_data() { allTrainings(); }
    void degreesOfAccelerateMultiply() {
        QFETCH(std::string, id);
        const Planned& source = shipped().at(id);
        const auto handoff = handedOff(source, {"accelerate", "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const json config = toJson(YAML::Load(fileOf(*handoff, "accelerate.yaml").text));
        std::int64_t product = 1;
        for (const char* degree : {"dp_replicate", "dp_shard", "tp", "cp"})
            product *= std::stoll(
                config["parallelism_config"][std::string("parallelism_config_") + degree + "_size"].dump());
        QCOMPARE(product, std::stoll(config["num_processes"].dump()));
        const PlanSpec& plan = source.estimate->scenario.plan;
        const std::int64_t replicas =
            source.estimate->gpus / plan.tensorParallel.value_or(1) / plan.contextParallel.value_or(1);
        const std::string& script = fileOf(*handoff, "train.sh").text;
        compareTrainer(*handoff, source,
                       std::stoll(optionIn(script, "--per_device_train_batch_size")) *
                           std::stoll(optionIn(script, "--gradient_accumulation_steps")) * replicas,
                       replicas);
    }

    /// 2,048 replicas do not share a batch of 15,360.
    void saysWhatReplicasDoNotShare() {
        const auto uneven = handedOff(shipped().at("deepseek-v3-256xp5en.48xlarge"), {"deepspeed", "slurm"});
        QVERIFY(uneven);
        const data::LeftOut* batch = leftOut(*uneven, "workload.global_batch");
        QVERIFY(batch != nullptr && batch->value == "15360");
        QVERIFY(batch->why.find("2048 replicas") != std::string::npos &&
                batch->why.find("16384") != std::string::npos);
        QVERIFY(leftOut(*uneven, "plan.pipeline_parallel")->why.find("2048 replicas") != std::string::npos);
    }

    void precisionsThatAToolLacksAreBf16() {
        for (const char* precision : {"fp8", "mxfp8"}) {
            const Planned source =
                changed("qwen3-235b-a22b-32xp6-b300.48xlarge", {{"plan.precision", precision}});
            const auto deep = handedOff(source, {"deepspeed"});
            QVERIFY2(deep, deep.error().c_str());
            QVERIFY(json::parse(fileOf(*deep, "ds_config.json").text)["bf16"]["enabled"].get<bool>());
            QVERIFY(fileOf(*deep, "train.sh").text.find("\n    --bf16\n") != std::string::npos);
            QVERIFY(leftOut(*deep, "plan.precision")->why.find("written as BF16") != std::string::npos);
            const auto accelerated = handedOff(source, {"accelerate"});
            const bool known = std::string(precision) == "fp8";
            QCOMPARE(
                YAML::Load(fileOf(*accelerated, "accelerate.yaml").text)["mixed_precision"].as<std::string>(),
                std::string(known ? "fp8" : "bf16"));
            QCOMPARE(leftOut(*accelerated, "plan.precision") == nullptr, known);
        }
    }

    void megatronDropsNothingOut() {
        for (const std::string& id : trainings()) {
            const auto handoff = handedOff(shipped().at(id), {"megatron-lm"});
            if (!handoff)
                continue; // adapters
            const std::string& script = handoff->files.front().text;
            QCOMPARE(optionIn(script, "--attention-dropout"), std::string("0.0"));
            QCOMPARE(optionIn(script, "--hidden-dropout"), std::string("0.0"));
        }
    }

    void adaptersHaveABase() {
        const auto tuned = handedOff(shipped().at("llama-3.1-70b-lora-1xp5.48xlarge"), {"megatron-bridge"});
        QVERIFY(tuned);
        const std::string& script = tuned->files.front().text;
        QVERIFY(script.find("\n    checkpoint.pretrained_checkpoint=CHANGE_ME_PRETRAINED_CHECKPOINT\n") !=
                std::string::npos);
        QVERIFY(script.find("\n    checkpoint.save=CHANGE_ME_CHECKPOINTS\n") != std::string::npos);
        const auto full = handedOff(shipped().at("llama-3.1-70b-64xp5.48xlarge"), {"megatron-bridge"});
        QVERIFY(full->files.front().text.find("pretrained_checkpoint") == std::string::npos);
        // Made-up tokens are for pre-training only; neither data set is that of the plan.
        QVERIFY(script.find(" --mode lora --dataset squad ") != std::string::npos);
        QVERIFY(warns(*tuned, "--dataset squad"));
        QVERIFY(warns(*full, "--dataset mock"));
    }

    /// A fine-tune of all weights begins with those of the model, in each tool and on the way back.
    void fullFinetunesHaveABase() {
        const Planned& source = shipped().at("llama-3.1-8b-1xp5.4xlarge");
        const auto bridge = handedOff(source, {"megatron-bridge"});
        const std::string& script = fileOf(*bridge, "train.sh").text;
        QVERIFY(script.find(" --mode sft --dataset squad ") != std::string::npos);
        QVERIFY(script.find("\n    checkpoint.pretrained_checkpoint=CHANGE_ME_PRETRAINED_CHECKPOINT\n") !=
                std::string::npos);
        const auto megatron = handedOff(source, {"megatron-lm"});
        QCOMPARE(optionIn(fileOf(*megatron, "train.sh").text, "--pretrained-checkpoint"),
                 std::string("CHANGE_ME_PRETRAINED_CHECKPOINT"));
        const auto titan = handedOff(source, {"torchtitan"});
        const std::string& config = fileOf(*titan, "job.toml").text;
        QVERIFY(config.find("\ninitial_load_path = \"./assets/hf/Llama-3.1-8B\"\n") != std::string::npos);
        QVERIFY(config.find("\ninitial_load_in_hf = true\n") != std::string::npos);
        const data::JobFiles files = [&config](const std::string& name) -> std::optional<std::string> {
            return name.ends_with("job.toml") ? std::optional(config) : std::nullopt;
        };
        for (const auto* handoff : {&*bridge, &*megatron, &*titan})
            QCOMPARE(data::readJob(fileOf(*handoff, "train.sh").text, "train.sh", catalog(), files)
                         .spec.workload.finetune.kind,
                     std::optional<std::string>("full"));
        const Planned& first = shipped().at("llama-3.1-8b-8xp5.48xlarge");
        for (const char* tool : {"megatron-lm", "megatron-bridge", "torchtitan"})
            for (const data::HandoffFile& file : handedOff(first, {tool})->files) {
                QVERIFY2(file.text.find("PRETRAINED") == std::string::npos, file.name.c_str());
                QVERIFY2(file.text.find("initial_load") == std::string::npos, file.name.c_str());
            }
    }

    /// Megatron-Bridge 0.6.0 pre-trains DeepSeek-V3, but has no recipe to fine-tune it.
    void recipesAreForTheTask() {
        constexpr const char* onlyPretrained = "has a recipe to pre-train DeepSeek-V3 only";
        const Planned& first = shipped().at("deepseek-v3-256xp5en.48xlarge");
        const auto pretrained = handedOff(first, {"megatron-bridge"});
        QVERIFY(!warns(*pretrained, onlyPretrained));
        const auto tuned =
            handedOff(changed("deepseek-v3-256xp5en.48xlarge", {{"workload.finetune.kind", "full"}}),
                      {"megatron-bridge"});
        QVERIFY(warns(*tuned, onlyPretrained));
        QVERIFY(leftOut(*tuned, "workload.finetune.kind") != nullptr);
        QVERIFY(fileOf(*tuned, "train.sh").text.find("--model deepseek_v3 --mode sft") != std::string::npos);
    }

    /// Megatron-LM refuses to save without an interval.
    void checkpointsHaveTheirInterval_data() { allTrainings(); }
    void checkpointsHaveTheirInterval() {
        QFETCH(std::string, id);
        const Planned& source = shipped().at(id);
        const Estimate& planned = *source.estimate;
        const double steps = planned.run ? planned.run->checkpoint.interval / planned.training->stepTime : 0;
        const std::string expected =
            planned.run ? std::to_string(std::max(1LL, std::llround(steps))) : "CHANGE_ME_SAVE_INTERVAL";
        if (const auto handoff = handedOff(source, {"megatron-lm"})) // not adapters
            QCOMPARE(optionIn(fileOf(*handoff, "train.sh").text, "--save-interval"), expected);
        if (const auto handoff = handedOff(source, {"megatron-bridge"}))
            QVERIFY(
                fileOf(*handoff, "train.sh").text.find("\n    checkpoint.save_interval=" + expected + "\n") !=
                std::string::npos);
        if (const auto handoff = handedOff(source, {"torchtitan"})) {
            const std::string& config = fileOf(*handoff, "job.toml").text;
            QVERIFY(config.find("\n[checkpoint]\nenable = true\ninterval = " + expected + "\n") !=
                    std::string::npos);
            QVERIFY(config.find("\ndump_folder = \"CHANGE_ME_CHECKPOINTS\"\n") != std::string::npos);
            QVERIFY(warns(*handoff, "training.dataset is c4"));
        }
    }

    void theWrittenIntervalIsInSteps() {
        const Planned source =
            changed("llama-3.1-70b-64xp5.48xlarge", {{"run.checkpoint_interval_s", "3600"}});
        const auto handoff = handedOff(source, {"megatron-lm"});
        QCOMPARE(optionIn(fileOf(*handoff, "train.sh").text, "--save-interval"),
                 std::to_string(std::llround(3600 / source.estimate->training->stepTime)));
        QCOMPARE(leftOut(*handoff, "run.checkpoint_interval_s")->why,
                 std::string("written in whole steps of the predicted time"));
    }

    /// What Megatron checks before its first step.
    void megatronTakesThePlan_data() {
        QTest::addColumn<std::string>("id");
        QTest::addColumn<Fields>("fields");
        QTest::addColumn<std::string>("gone");
        QTest::addColumn<std::string>("path");
        const std::string dense = "llama-3.1-70b-64xp5.48xlarge", experts = "deepseek-v3-256xp5en.48xlarge",
                          graphs = "deepseek-v3-8xu-p6e-gb200x72";
        const auto row = [](const char* name, const std::string& id, const Fields& fields, const char* gone,
                            const char* path) {
            QTest::newRow(name) << id << fields << std::string(gone) << std::string(path);
        };
        row("a layout says the chunks", graphs, {}, "--num-virtual-stages-per-pipeline-rank", "");
        row("FSDP2 has no stages", dense, {{"plan.sharding", "fsdp2"}}, "--use-torch-fsdp2", "plan.sharding");
        row("FSDP2 has no FP16", dense,
            {{"plan.pipeline_parallel", "1"},
             {"plan.virtual_pipeline", "1"},
             {"plan.schedule", "1f1b"},
             {"plan.sharding", "fsdp2"},
             {"plan.precision", "fp16"}},
            "--use-torch-fsdp2", "plan.sharding");
        row("no norms with delayed scaling", dense,
            {{"plan.precision", "fp8"}, {"plan.fp8_recipe", "delayed"}, {"plan.recompute", "norms"}},
            "--recompute-modules", "plan.recompute");
        row("no latent attention", dense, {{"plan.recompute", "mla_up_proj"}}, "--recompute-modules",
            "plan.recompute");
        row("no grouped experts", experts, {{"plan.expert_kernels", "loop"}, {"plan.recompute", "moe_act"}},
            "--recompute-modules", "plan.recompute");
        row("no graphs of parts", graphs, {{"plan.recompute", "full"}}, "--cuda-graph-impl",
            "plan.cuda_graphs");
    }
    void megatronTakesThePlan() {
        QFETCH(std::string, id);
        QFETCH(Fields, fields);
        QFETCH(std::string, gone);
        QFETCH(std::string, path);
        const auto handoff = handedOff(changed(id, fields), {"megatron-lm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const std::string& script = fileOf(*handoff, "train.sh").text;
        QVERIFY2(script.find("\n    " + gone) == std::string::npos, script.c_str());
        QVERIFY(path.empty() || leftOut(*handoff, path) != nullptr);
    }

    /// Without chunks vLLM refuses to start where a step does not hold the longest request.
    void stepsHoldTheLongestRequest_data() {
        QTest::addColumn<std::string>("id");
        for (const auto& [id, source] : shipped())
            if (source.spec.workload.isServing())
                QTest::newRow(id.c_str()) << id;
    }
    void stepsHoldTheLongestRequest() {
        QFETCH(std::string, id);
        const auto handoff = handedOff(shipped().at(id), {"vllm"});
        QVERIFY2(handoff, handoff.error().c_str());
        for (const data::HandoffFile& file : handoff->files)
            if (file.text.find("\n    --no-enable-chunked-prefill\n") != std::string::npos) {
                const std::string step = optionIn(file.text, "--max-num-batched-tokens");
                QVERIFY2(step.empty() ||
                             std::stoll(step) >= std::stoll(optionIn(file.text, "--max-model-len")),
                         file.name.c_str());
            }
    }

    /// A data set is run through as often as the plan says, whatever its sequences come to.
    void epochsAreThoseOfThePlan() {
        const char* const id = "llama-3.3-70b-qlora-1xp5.4xlarge";
        for (const char* tool : {"accelerate", "deepspeed"}) {
            const auto handoff = handedOff(shipped().at(id), {tool});
            QVERIFY2(handoff, handoff.error().c_str());
            const std::string& script = fileOf(*handoff, "train.sh").text;
            QCOMPARE(optionIn(script, "--num_train_epochs"), std::string("2"));
            QCOMPARE(optionIn(script, "--max_steps"), std::string());
            QVERIFY(leftOut(*handoff, "workload.finetune.epochs") == nullptr);
        }
        // 50,000 examples of 600 tokens, packed, twice: 916 steps of 16 x 4,096 tokens.
        const Planned source =
            changed("llama-3.1-8b-1xp5.4xlarge", {{"workload.tokens", ""},
                                                  {"workload.sequence_length", "4096"},
                                                  {"workload.finetune.examples", "50000"},
                                                  {"workload.finetune.epochs", "2"},
                                                  {"workload.finetune.example_tokens", "600"}});
        const auto bridge = handedOff(source, {"megatron-bridge"});
        QVERIFY2(bridge, bridge.error().c_str());
        QVERIFY2(bridge->files.front().text.find("\n    train.train_iters=916\n") != std::string::npos,
                 bridge->files.front().text.c_str());
    }

    void onlyWhatIsMissingIsNamed() {
        for (const std::string& id : trainings()) {
            const auto handoff = handedOff(shipped().at(id), {"deepspeed"});
            for (const char* path : {"workload.sequence_length", "workload.tokens", "workload.finetune.rank",
                                     "workload.finetune.targets"})
                QVERIFY2(leftOut(*handoff, path) == nullptr, (id + " " + path).c_str());
        }
        // 512 of the 576 GPUs of eight UltraServers are 128 instances.
        QVERIFY(leftOut(*handedOff(shipped().at("deepseek-v3-8xu-p6e-gb200x72"), {"slurm"}),
                        "cluster.gpus") == nullptr);
        const Planned quantized = changed("serve-llama-3.1-70b-1xp5en.48xlarge", {{"plan.weights", "fp8"}});
        const auto served = handedOff(quantized, {"vllm"});
        QCOMPARE(optionIn(served->files.front().text, "--quantization"), std::string("fp8"));
        QVERIFY(leftOut(*served, "plan.weights") == nullptr);
        QVERIFY(leftOut(*handedOff(quantized, {"tensorrt-llm"}), "plan.weights") != nullptr);
    }

    void serversAreReached() {
        for (const auto& [id, source] : shipped()) {
            if (!source.spec.workload.isServing())
                continue;
            for (const char* tool : {"sglang", "tensorrt-llm"}) {
                const auto handoff = handedOff(source, {tool});
                QVERIFY2(handoff, handoff.error().c_str());
                QCOMPARE(optionIn(handoff->files.front().text, "--host"), std::string("0.0.0.0"));
            }
        }
    }

    /// Workers of vLLM meet by the address that each gives to the other; NIXL goes over EFA by libfabric only
    /// where it is told to.
    void poolsReachEachOther() {
        const Planned& pools = shipped().at("serve-deepseek-r1-24xp5en.48xlarge");
        const auto slurm = handedOff(pools, {"vllm", "slurm"});
        QVERIFY2(slurm, slurm.error().c_str());
        for (const char* name : {"serve-prefill.sh", "serve-decode.sh"}) {
            const std::string& script = fileOf(*slurm, name).text;
            QVERIFY(script.find("export VLLM_NIXL_SIDE_CHANNEL_HOST\n") != std::string::npos);
            const std::string transfer = optionIn(script, "--kv-transfer-config");
            const json config = json::parse(transfer.substr(1, transfer.size() - 2));
            QCOMPARE(config["kv_role"].get<std::string>(), std::string("kv_both"));
            QVERIFY(config["kv_connector_extra_config"]["backends"] == json::array({"LIBFABRIC"}));
        }
        const auto dynamo = handedOff(pools, {"vllm", "dynamo"});
        const std::string& graph = dynamo->files.front().text;
        QVERIFY(graph.find("fieldPath: status.podIP") != std::string::npos);
        for (const auto& [tool, variable] :
             {std::pair("sglang", "export SGLANG_DISAGGREGATION_NIXL_BACKEND=LIBFABRIC\n"),
              std::pair("tensorrt-llm", "export TRTLLM_NIXL_KVCACHE_BACKEND=LIBFABRIC\n")}) {
            const auto handoff = handedOff(pools, {tool, "slurm"});
            for (const char* name : {"serve-prefill.sh", "serve-decode.sh"})
                QVERIFY2(fileOf(*handoff, name).text.find(variable) != std::string::npos, tool);
        }
        // Servers that share an instance have a port each, for the other pool too.
        const Planned small = changed("serve-llama-3.1-70b-1xp5en.48xlarge",
                                      {{"plan.disaggregated.prefill.workers", "2"},
                                       {"plan.disaggregated.prefill.tensor_parallel", "2"},
                                       {"plan.disaggregated.decode.workers", "2"},
                                       {"plan.disaggregated.decode.tensor_parallel", "2"}});
        const auto shared = handedOff(small, {"vllm", "slurm"});
        QVERIFY2(shared, shared.error().c_str());
        QVERIFY(fileOf(*shared, "serve-decode.sh")
                    .text.find("VLLM_NIXL_SIDE_CHANNEL_PORT=$((5600 + i * 2)) CUDA_VISIBLE_DEVICES=") !=
                std::string::npos);
        // One server sends nothing to another.
        const auto alone = handedOff(shipped().at("serve-gpt-oss-120b-1xp5.48xlarge"), {"vllm"});
        QVERIFY(alone->files.front().text.find("NIXL") == std::string::npos);
    }

    void mpiIsAskedFor() {
        const Planned& pools = shipped().at("serve-deepseek-r1-24xp5en.48xlarge");
        QVERIFY(warns(*handedOff(pools, {"tensorrt-llm", "leaderworkerset"}), "needs MPI"));
        QVERIFY(!warns(*handedOff(pools, {"tensorrt-llm", "slurm"}), "needs MPI"));
        QVERIFY(!warns(*handedOff(pools, {"vllm", "leaderworkerset"}), "needs MPI"));
        QVERIFY(!warns(
            *handedOff(shipped().at("serve-gpt-oss-120b-1xp5.48xlarge"), {"tensorrt-llm", "leaderworkerset"}),
            "needs MPI"));
    }

private:
    static void allTrainings() {
        QTest::addColumn<std::string>("id");
        for (const std::string& id : trainings())
            QTest::newRow(id.c_str()) << id;
    }

    /// Batch and steps are those of the plan, or it is said what they are.
    static void compareTrainer(const Handoff& handoff, const Planned& source, std::int64_t batch,
                               std::int64_t replicas) {
        const ScenarioSpec& spec = source.estimate->scenario;
        QVERIFY(batch % replicas == 0);
        QCOMPARE(batch != *spec.workload.globalBatch, leftOut(handoff, "workload.global_batch") != nullptr);
        const bool stages = spec.plan.pipelineParallel.value_or(1) > 1;
        QCOMPARE(stages, leftOut(handoff, "plan.pipeline_parallel") != nullptr);
        QCOMPARE(stages, warns(handoff, "the predicted figures are those of the plan with its"));
        if (!spec.workload.tokens)
            return;
        const std::string steps = optionIn(fileOf(handoff, "train.sh").text, "--max_steps");
        const double tokens = static_cast<double>(batch) *
                              static_cast<double>(*spec.workload.sequenceLength) * std::stod(steps);
        QVERIFY(tokens >= *spec.workload.tokens &&
                tokens < *spec.workload.tokens +
                             static_cast<double>(batch) * static_cast<double>(*spec.workload.sequenceLength));
    }
};

QTEST_GUILESS_MAIN(TestHandoffStarts)

} // namespace tst_handoff_starts

#include "tst_handoff_starts.moc"
