// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/plan/plan_words.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

// DeepSpeed, Accelerate and custom programs: a configuration file alongside a script that the person
// has.

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t accumulation(const ScenarioSpec& spec) {
    const std::int64_t pass = spec.plan.microBatch.value_or(1) * spec.plan.dataParallel.value_or(1);
    return std::max<std::int64_t>(1,
                                  spec.workload.globalBatch.value_or(pass) / std::max<std::int64_t>(1, pass));
}

Json documentOf(const Settings& settings) {
    Json out = Json::object();
    for (const Setting& each : settings.all)
        setPath(out, each.name, valueOf(each.value()));
    return out;
}

/// The largest divisor of `all` up to `wanted`.
std::int64_t largestShare(std::int64_t all, std::int64_t wanted) {
    while (all % wanted != 0)
        --wanted;
    return wanted;
}

/// The plan as a tool without stages runs it: the GPUs of the stages are replicas. The micro-batch and, if
/// need be, the batch change to ones that the replicas share evenly, since these tools stop at any other.
ScenarioSpec withoutPipeline(const HandoffSource& source, Job& job, const std::string& why) {
    ScenarioSpec out = source.estimate.scenario;
    const std::int64_t stages = out.plan.pipelineParallel.value_or(1);
    const std::int64_t replicas =
        std::max<std::int64_t>(1, source.estimate.gpus / (out.plan.tensorParallel.value_or(1) *
                                                          out.plan.contextParallel.value_or(1)));
    const std::int64_t micro = out.plan.microBatch.value_or(1);
    const std::int64_t batch = out.workload.globalBatch.value_or(micro * replicas);
    if (stages > 1) {
        leaveOut(job.leftOut, "plan.pipeline_parallel", std::to_string(stages),
                 why + "; written as " + std::to_string(replicas) + " replicas");
        for (const char* path : {"plan.virtual_pipeline", "plan.schedule", "plan.pipeline_split"})
            if (const std::string word = fieldWord(source.written, path); !word.empty())
                leaveOut(job.leftOut, path, word, why);
        job.warnings.push_back("the predicted figures are those of the plan with its " +
                               std::to_string(stages) + " stages, which these files do not make");
    }
    out.plan.pipelineParallel = 1;
    out.plan.dataParallel = replicas;
    out.workload.globalBatch = (batch + replicas - 1) / replicas * replicas;
    const std::int64_t each = *out.workload.globalBatch / replicas;
    const std::int64_t share = largestShare(each, std::min(micro, each));
    out.plan.microBatch = share;
    if (*out.workload.globalBatch != batch)
        leaveOut(job.leftOut, "workload.global_batch", std::to_string(batch),
                 std::to_string(replicas) + " replicas do not share it evenly; written as " +
                     std::to_string(*out.workload.globalBatch));
    if (share != micro)
        leaveOut(job.leftOut, "plan.micro_batch", std::to_string(micro),
                 "the share of a replica does not divide by it; written as " + std::to_string(share));
    return out;
}

bool isLora(const ScenarioSpec& spec) {
    return spec.workload.finetune.kind == "lora" || spec.workload.finetune.kind == "qlora";
}

/// Weights of a precision that the tool lacks are BF16: without a word for one, it trains in FP32.
void toSixteenBits(ScenarioSpec& spec, Job& job, std::initializer_list<std::string_view> has) {
    const std::string precision = spec.plan.precision.value_or("bf16");
    if (std::ranges::find(has, precision) == has.end()) {
        leaveOut(job.leftOut, "plan.precision", precision,
                 job.tool->name + " " + job.tool->version + " has no such precision; written as BF16");
        spec.plan.precision = "bf16";
    }
}

/// Options of the Hugging Face Trainer and of TRL, which a script that uses them reads.
void writeTrainer(const ScenarioSpec& spec, Settings& out, Job& job) {
    out.set("--model_name_or_path", repositoryOf(spec, job.warnings));
    out.set("--max_length", spec.workload.sequenceLength.value_or(0));
    out.set("--per_device_train_batch_size", spec.plan.microBatch.value_or(1));
    out.set("--gradient_accumulation_steps", accumulation(spec));
    if (spec.workload.tokens)
        out.set("--max_steps",
                static_cast<std::int64_t>(std::ceil(
                    *spec.workload.tokens / static_cast<double>(spec.workload.globalBatch.value_or(1)) /
                    static_cast<double>(spec.workload.sequenceLength.value_or(1)))));
    else if (spec.workload.finetune.epochs)
        out.set("--num_train_epochs", fieldWord(spec, "workload.finetune.epochs"));
    if (!namesOf(spec.workload.model.value_or("")) || namesOf(*spec.workload.model)->huggingFace.empty())
        leaveOut(job.leftOut, "workload.model", spec.workload.model.value_or("one of your own"),
                 "no repository is known for it");
    const bool deepspeed = job.tool->id == "deepspeed";
    if (spec.plan.precision != "fp8" || deepspeed)
        out.set(spec.plan.precision == "fp16" ? "--fp16" : "--bf16");
    const auto recompute = spec.plan.recompute.value_or(std::vector<std::string>{"none"});
    if (std::ranges::find(recompute, "full") != recompute.end())
        out.set("--gradient_checkpointing");
    else if (recompute != std::vector<std::string>{"none"})
        leaveOut(job.leftOut, "plan.recompute", fieldWord(spec, "plan.recompute"),
                 "the whole layer or nothing");
    const std::string optimizer = spec.plan.optimizer.value_or("adam");
    if (!deepspeed && optimizer == "adam_8bit")
        out.set("--optim", "adamw_bnb_8bit");
    else if (!deepspeed)
        out.set("--optim", "adamw_torch_fused");
    if (!deepspeed && optimizer != "adam" && optimizer != "adam_8bit")
        leaveOut(job.leftOut, "plan.optimizer", optimizer,
                 "the Trainer has no such optimizer; written as Adam");
    if (isLora(spec)) {
        out.set("--use_peft");
        if (spec.workload.finetune.kind == "qlora")
            leaveOut(job.leftOut, "workload.finetune.kind", "qlora",
                     "written as LoRA; the script has to load the base in 4 bits");
        out.set("--lora_r", spec.workload.finetune.rank.value_or(16));
        const std::vector<std::string> attention{"q_proj", "k_proj", "v_proj", "o_proj"},
            mlp{"gate_proj", "up_proj", "down_proj"};
        std::vector<std::string> modules;
        const std::vector<std::string> targets =
            spec.workload.finetune.targets.value_or(std::vector<std::string>{});
        for (const std::string& each : targets) {
            const auto& names = each == "attention" ? attention : mlp;
            modules.insert(modules.end(), names.begin(), names.end());
        }
        if (!modules.empty())
            out.setList("--lora_target_modules", modules);
    }
}

const char* zeroStage(Sharding sharding) {
    switch (sharding) {
    case Sharding::none:
        return "0";
    case Sharding::zero1:
        return "1";
    case Sharding::zero2:
        return "2";
    case Sharding::zero3:
        return "3";
    }
    return "";
}

} // namespace

void writeDeepSpeed(const HandoffSource& source, Job& job) {
    ScenarioSpec spec = withoutPipeline(source, job, "only for a model that is written as a PipelineModule");
    toSixteenBits(spec, job, {"bf16", "fp16"});
    Settings out;
    writeFields(*job.tool, spec, out, job.leftOut);
    if (spec.plan.contextParallel.value_or(1) > 1)
        leaveOut(job.leftOut, "plan.context_parallel", fieldWord(spec, "plan.context_parallel"),
                 "Ulysses is set in the code");
    out.set("gradient_accumulation_steps", accumulation(spec));
    const std::string kind = spec.plan.sharding.value_or("zero3");
    const std::optional<Sharding> sharding = meaningOf(shardingWords, kind);
    if (sharding)
        out.set("zero_optimization.stage", zeroStage(*sharding));
    else
        leaveOut(job.leftOut, "plan.sharding", kind, "ZeRO has no such stage");
    if (kind == "hsdp")
        out.set("zero_optimization.mics_shard_size", spec.plan.shardSize.value_or(8));
    if (sharding == Sharding::zero3 && spec.plan.tensorParallel.value_or(1) > 1)
        job.warnings.emplace_back("DeepSpeed's tensor parallelism works with ZeRO stages 0 to 2");
    if (spec.plan.expertParallel.value_or(1) > 1) {
        out.set("expert_parallel.enabled", "true");
        out.set("expert_parallel.autoep_size", *spec.plan.expertParallel);
        if (spec.plan.expertTensorParallel)
            out.set("expert_parallel.expert_tensor_parallel_size", *spec.plan.expertTensorParallel);
    }
    if (const double share = spec.plan.offload.optimizer.value_or(0); share > 0) {
        out.set("zero_optimization.offload_optimizer.device", "cpu");
        out.set("zero_optimization.offload_optimizer.pin_memory", "true");
        if (share < 1)
            out.set("zero_optimization.offload_optimizer.ratio", fieldWord(spec, "plan.offload.optimizer"));
    }
    out.set("zero_optimization.overlap_comm", spec.plan.overlap.gradient.value_or(0) > 0 ? "true" : "false");
    Program program = trainingProgram(source);
    program.command = {"CHANGE_ME_TRAIN.py"};
    writeTrainer(spec, program.arguments, job);
    program.arguments.set("--deepspeed", "ds_config.json");
    program.environment = environmentOf(source, "deepspeed", program);
    job.files.push_back({"ds_config.json", jsonText(documentOf(out))});
    job.programs.push_back(std::move(program));
}

void writeAccelerate(const HandoffSource& source, Job& job) {
    ScenarioSpec spec = withoutPipeline(source, job, "no pipeline");
    toSixteenBits(spec, job, {"bf16", "fp16", "fp8"});
    const std::string kind = spec.plan.sharding.value_or("fsdp2");
    const std::int64_t data = spec.plan.dataParallel.value_or(1);
    Program program = trainingProgram(source);
    Settings out;
    out.set("compute_environment", "LOCAL_MACHINE");
    out.set("distributed_type", kind == "none" ? "MULTI_GPU" : "FSDP");
    if (kind == "zero1")
        leaveOut(job.leftOut, "plan.sharding", kind,
                 "FSDP2 shards parameters and gradients too; written as fsdp2");
    if (kind != "none") {
        out.set("fsdp_config.fsdp_version", "2");
        out.set("fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
        out.set("fsdp_config.fsdp_reshard_after_forward", kind == "zero2" ? "false" : "true");
        out.set("fsdp_config.fsdp_state_dict_type", "SHARDED_STATE_DICT");
        out.set("fsdp_config.fsdp_offload_params",
                spec.plan.offload.optimizer.value_or(0) >= 1 ? "true" : "false");
    }
    writeFields(*job.tool, spec, out, job.leftOut);
    const std::int64_t group = std::clamp<std::int64_t>(spec.plan.shardSize.value_or(8), 1, data);
    const std::int64_t shard = kind == "hsdp" ? group : kind == "none" ? 1 : data;
    if (kind == "hsdp" && group == data)
        leaveOut(job.leftOut, "plan.sharding", kind, "one group of all replicas; written as FSDP2");
    out.set("parallelism_config.parallelism_config_dp_replicate_size", data / shard);
    out.set("parallelism_config.parallelism_config_dp_shard_size", shard);
    if (const double share = spec.plan.offload.optimizer.value_or(0); share > 0 && share < 1)
        leaveOut(job.leftOut, "plan.offload.optimizer", fieldWord(spec, "plan.offload.optimizer"),
                 "all of the state or none of it");
    out.set("num_machines", program.nodes);
    out.set("num_processes", static_cast<std::int64_t>(program.nodes) * program.gpusPerNode);
    // With same_network the launcher passes the head's address to the static rendezvous alone.
    out.set("rdzv_backend", "static");
    out.set("same_network", "true");
    program.launcher = Launcher::accelerate;
    program.command = {"CHANGE_ME_TRAIN.py"};
    writeTrainer(spec, program.arguments, job);
    program.environment = environmentOf(source, "accelerate", program);
    job.files.push_back({"accelerate.yaml", yamlText(documentOf(out))});
    job.programs.push_back(std::move(program));
}

void writePyTorch(const HandoffSource& source, Job& job) {
    Program program = trainingProgram(source);
    program.command = {"CHANGE_ME_TRAIN.py"};
    program.arguments.set("--plan", "plan.json");
    program.environment = environmentOf(source, "pytorch", program);
    // The program reads its degrees from the plan: nothing of it is left out.
    ScenarioSpec plan = source.estimate.scenario;
    plan.cluster.topology.reset();
    job.files.push_back({"plan.json", writeScenario(plan)});
    job.programs.push_back(std::move(program));
}

} // namespace alidade::data::handoff
