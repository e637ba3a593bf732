// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"
#include "data/handoff/megatron_words.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace alidade::data::handoff {

namespace {

/// Options of Megatron-LM as keys of the bridge.
void translate(const Settings& from, Settings& out) {
    for (const Setting& each : from.all) {
        const auto at = std::ranges::find(bridgeKeys(), each.name, &BridgeKey::option);
        assert(at != bridgeKeys().end());
        const std::string key(at->key);
        if (at->kind == BridgeKey::Kind::flag) {
            out.set(key, "true");
        } else if (at->kind == BridgeKey::Kind::list) {
            std::string list = "[";
            for (const std::string& word : each.values)
                list += (list.size() > 1 ? "," : "") + word;
            out.set(key, list + "]");
        } else {
            out.set(key, each.value());
        }
    }
}

void writeBridgeSharding(const ScenarioSpec& spec, Settings& out, std::vector<LeftOut>& left) {
    const std::string kind = spec.plan.sharding.value_or("zero1");
    if (kind == "none") {
        out.set("ddp.use_distributed_optimizer", "false");
        return;
    }
    out.set("ddp.use_distributed_optimizer", "true");
    if (kind == "zero1")
        return;
    if (kind == "fsdp2" || kind == "hsdp") {
        leaveOut(left, "plan.sharding", kind,
                 "Megatron-Bridge has the distributed optimizer and Megatron-FSDP; "
                 "written as optim_grads_params");
    }
    out.set("ddp.use_megatron_fsdp", "true");
    out.set("ddp.data_parallel_sharding_strategy", kind == "zero2" ? "optim_grads" : "optim_grads_params");
}

void writeBridgePrecision(const ScenarioSpec& spec, Settings& out) {
    for (Setting& each : out.all) {
        if (each.name != "mixed_precision" || spec.plan.precision != "fp8")
            continue;
        const std::string recipe = spec.plan.fp8Recipe.value_or("current");
        each.values = {recipe == "block"     ? "bf16_with_fp8_subchannel_scaling_mixed"
                       : recipe == "delayed" ? "bf16_with_fp8_delayed_scaling_mixed"
                                             : "bf16_with_fp8_current_scaling_mixed"};
    }
}

void writeLora(const ScenarioSpec& spec, Settings& out) {
    out.set("peft.dim", spec.workload.finetune.rank.value_or(16));
    out.set("peft.alpha", 2 * spec.workload.finetune.rank.value_or(16));
    std::string targets;
    for (const std::string& each : spec.workload.finetune.targets.value_or(std::vector<std::string>{}))
        targets += (targets.empty() ? "" : ",") +
                   std::string(each == "attention" ? "linear_qkv,linear_proj" : "linear_fc1,linear_fc2");
    if (!targets.empty())
        out.set("peft.target_modules", "[" + targets + "]");
}

} // namespace

void writeMegatronBridge(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Program program = trainingProgram(source);
    const bool lora = spec.workload.finetune.kind == "lora", full = tunesAllWeights(source);
    const ModelNames* names = namesOf(spec.workload.model.value_or(""));
    job.warnings.emplace_back(
        lora || full ? "--dataset squad is a placeholder for your examples: replace it with your data set"
                     : "--dataset mock generates random tokens: replace it with your data set");
    std::string recipe = names == nullptr ? std::string() : names->bridge;
    program.command = {job.tool->program, "--mode",
                       lora   ? "lora"
                       : full ? "sft"
                              : "pretrain",
                       // Made-up tokens are for pre-training only.
                       "--dataset", lora || full ? "squad" : "mock"};
    if (recipe.empty()) {
        job.warnings.push_back("Megatron-Bridge " + job.toolVersion + " has no recipe for " +
                               source.estimate.modelName + ": write one, or use --to megatron-lm");
        leaveOut(job.leftOut, "workload.model", spec.workload.model.value_or("one of your own"),
                 "it has no recipe");
        recipe = "CHANGE_ME_RECIPE";
    } else if ((lora || full) && !names->bridgeTunes) {
        job.warnings.push_back("Megatron-Bridge " + job.toolVersion + " has a recipe to pre-train " +
                               source.estimate.modelName + " only: write one to fine-tune it");
        leaveOut(job.leftOut, "workload.finetune.kind", spec.workload.finetune.kind.value_or("full"),
                 "it has no recipe to fine-tune this model");
    }
    program.command.insert(program.command.begin() + 1, {"--model", recipe});
    program.overrides = true;
    Settings& out = program.arguments;
    writeFields(*job.tool, spec, out, job.leftOut);
    writeBridgePrecision(spec, out);
    writeBridgeSharding(spec, out, job.leftOut);
    const bool gradient = spec.plan.overlap.gradient.value_or(0) > 0;
    out.set("ddp.overlap_grad_reduce", gradient ? "true" : "false");
    if (spec.plan.sharding.value_or("zero1") != "none")
        out.set("ddp.overlap_param_gather", gradient ? "true" : "false");
    if (spec.plan.tensorParallel.value_or(1) > 1)
        out.set("comm_overlap.tp_comm_overlap", spec.plan.overlap.tensor.value_or(0) > 0 ? "true" : "false");
    if (spec.plan.expertParallel.value_or(1) > 1 && spec.plan.overlap.expert.value_or(0) > 0)
        out.set("comm_overlap.overlap_moe_expert_parallel_comm", "true");
    if (!groupsExperts(source, job.leftOut) && source.scenario.model.moe)
        out.set("model.moe_grouped_gemm", "false");
    translate(pipelineSettings(source, job.leftOut), out);
    translate(recomputeSettings(source, "current", job.leftOut), out);
    leaveGraphsOut(spec, "model.cuda_graph_impl", out, job.leftOut);
    if (spec.plan.offload.optimizer.value_or(0) > 0) {
        out.set("optimizer.optimizer_cpu_offload", "true");
        out.set("optimizer.optimizer_offload_fraction", fieldWord(spec, "plan.offload.optimizer"));
    }
    if (lora || full)
        out.set("checkpoint.pretrained_checkpoint", "CHANGE_ME_PRETRAINED_CHECKPOINT");
    if (lora)
        writeLora(spec, out);
    out.set("checkpoint.save", "CHANGE_ME_CHECKPOINTS");
    out.set("checkpoint.save_interval", checkpointSteps(source));
    const double perStep = static_cast<double>(spec.workload.globalBatch.value_or(1)) *
                           static_cast<double>(spec.workload.sequenceLength.value_or(1));
    if (const double tokens = tokensOf(source); tokens > 0)
        out.set("train.train_iters", static_cast<std::int64_t>(std::ceil(tokens / perStep)));
    else
        out.set("train.train_iters", "CHANGE_ME_ITERATIONS");
    if (spec.cluster.rankOrder.value_or("tp-cp-ep-dp-pp") != "tp-cp-ep-dp-pp")
        leaveOut(job.leftOut, "cluster.rank_order", *spec.cluster.rankOrder, "no such key");
    job.savesAsPlanned = true;
    program.environment = environmentOf(source, "megatron-bridge", program);
    job.programs.push_back(std::move(program));
}

} // namespace alidade::data::handoff
