// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"
#include "data/handoff/megatron_words.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace alidade::data::handoff {

namespace {

void writeShape(const Architecture& model, Settings& out) {
    out.set("--num-layers", model.layers);
    out.set("--hidden-size", model.hiddenSize);
    if (model.ffnIntermediateSize > 0)
        out.set("--ffn-hidden-size", model.ffnIntermediateSize);
    out.set("--num-attention-heads", model.attentionHeads);
    if (!model.mla && model.kvHeads < model.attentionHeads) {
        out.set("--group-query-attention");
        out.set("--num-query-groups", model.kvHeads);
    }
    if (!model.mla)
        out.set("--kv-channels", model.headDim);
    out.set("--max-position-embeddings", std::max(model.maxContextTokens, 1));
    out.set("--position-embedding-type", model.learnedPositions > 0 ? "learned_absolute" : "rope");
    if (model.ropeTheta)
        out.set("--rotary-base", static_cast<std::int64_t>(std::llround(*model.ropeTheta)));
    out.set("--attention-dropout", "0.0"); // 0.1 each where nothing is said
    out.set("--hidden-dropout", "0.0");
    out.set("--normalization", model.norm == Normalization::rmsNorm ? "RMSNorm" : "LayerNorm");
    if (model.ffnGated)
        out.set("--swiglu");
    if (!model.biasO && !model.biasMlp)
        out.set("--disable-bias-linear");
    if (model.biasQkv && !model.biasO)
        out.set("--add-qkv-bias");
    if (!model.tieEmbeddings)
        out.set("--untie-embeddings-and-output-weights");
    if (model.qkNorm == QkNorm::perHead || model.mla)
        out.set("--qk-layernorm");
    out.set("--vocab-size", model.vocabSize);
}

void writeExpertsShape(const Architecture& model, Settings& out) {
    if (model.mla) {
        out.set("--multi-latent-attention");
        if (model.mla->qLoraRank > 0)
            out.set("--q-lora-rank", model.mla->qLoraRank);
        out.set("--kv-lora-rank", model.mla->kvLoraRank);
        out.set("--qk-head-dim", model.mla->qkNopeHeadDim);
        out.set("--qk-pos-emb-head-dim", model.mla->qkRopeHeadDim);
        out.set("--v-head-dim", model.mla->vHeadDim);
    }
    if (model.mtpLayers > 0)
        out.set("--mtp-num-layers", model.mtpLayers);
    if (!model.moe)
        return;
    const MoeShape& moe = *model.moe;
    out.set("--num-experts", moe.routedExperts);
    out.set("--moe-router-topk", moe.expertsPerToken);
    out.set("--moe-ffn-hidden-size", moe.expertIntermediateSize);
    if (moe.sharedExpertIntermediateSizeTotal > 0)
        out.set("--moe-shared-expert-intermediate-size", moe.sharedExpertIntermediateSizeTotal);
    if (moe.denseFirstLayers > 0)
        out.set("--moe-layer-freq", "[0]*" + std::to_string(moe.denseFirstLayers) + "+[1]*" +
                                        std::to_string(model.layers - moe.denseFirstLayers));
    else if (moe.layerStep > 1)
        out.set("--moe-layer-freq", moe.layerStep);
    if (moe.routerScore == "sigmoid")
        out.set("--moe-router-score-function", "sigmoid");
}

void appendSettings(const Settings& word, Settings& out) {
    for (const Setting& each : word.all)
        out.all.push_back(each);
}

/// Why PyTorch's FSDP2 does not take the plan in Megatron-LM; empty: it does.
std::string torchShardingFault(const HandoffSource& source) {
    const PlanSpec& plan = source.estimate.scenario.plan;
    if (plan.pipelineParallel.value_or(1) > 1)
        return "no pipeline";
    if (plan.expertParallel.value_or(1) > 1)
        return "no expert parallelism";
    if (plan.precision == "fp16")
        return "no FP16";
    return source.scenario.model.tieEmbeddings ? "no tied embeddings" : "";
}

/// The kind of sharding that is written.
std::string shardingWord(const HandoffSource& source, std::vector<LeftOut>& left) {
    const std::string kind = source.estimate.scenario.plan.sharding.value_or("zero1");
    if (kind != "fsdp2")
        return kind;
    const std::string fault = torchShardingFault(source);
    if (fault.empty())
        return kind;
    leaveOut(left, "plan.sharding", kind,
             "--use-torch-fsdp2 takes " + fault + "; written as Megatron-FSDP, which shards the same");
    return "zero3";
}

Settings shardingSettings(const ScenarioSpec& spec, const std::string& kind) {
    Settings out;
    if (kind == "zero1") {
        out.set("--use-distributed-optimizer");
    } else if (kind == "fsdp2") {
        out.set("--use-torch-fsdp2");
        out.set("--no-gradient-accumulation-fusion");
        out.set("--ckpt-format", "torch_dist");
    } else if (kind != "none") {
        out.set("--use-megatron-fsdp");
        out.set("--data-parallel-sharding-strategy", kind == "zero2" ? "optim_grads" : "optim_grads_params");
        out.set("--use-distributed-optimizer");
        out.set("--no-gradient-accumulation-fusion");
        out.set("--ckpt-format", "fsdp_dtensor");
        out.set("--init-model-with-meta-device");
    }
    if (kind == "hsdp") {
        const std::int64_t shard = spec.plan.shardSize.value_or(8);
        out.set("--num-distributed-optimizer-instances",
                std::max<std::int64_t>(1, spec.plan.dataParallel.value_or(1) / shard));
        out.set("--outer-dp-sharding-strategy", "no_shard");
    }
    return out;
}

void writeTraffic(const HandoffSource& source, const std::string& sharding, Settings& out,
                  std::vector<LeftOut>& left) {
    const ScenarioSpec& spec = source.estimate.scenario;
    if (spec.plan.overlap.gradient.value_or(0) > 0) {
        out.set("--overlap-grad-reduce");
        if (sharding != "none" && sharding != "fsdp2")
            out.set("--overlap-param-gather");
    }
    const bool sequence =
        spec.plan.sequenceParallel.value_or(false) && spec.plan.tensorParallel.value_or(1) > 1;
    if (sequence)
        out.set("--sequence-parallel");
    if (sequence && spec.plan.overlap.tensor.value_or(0) > 0)
        out.set("--tp-comm-overlap");
    const bool stages = spec.plan.pipelineParallel.value_or(1) > 1;
    const bool recomputesExperts = std::ranges::any_of(
        recomputedWords(spec), [](const std::string& word) { return word == "full" || word == "moe"; });
    // Interleaved schedules hide the exchange of stages unless they are told not to.
    if (stages && spec.plan.virtualPipeline.value_or(1) > 1 && source.written.plan.overlap.pipeline == 0.0)
        out.set("--no-overlap-p2p-communication");
    if (spec.plan.overlap.expert.value_or(0) > 0 && spec.plan.expertParallel.value_or(1) > 1) {
        if ((stages && spec.plan.virtualPipeline.value_or(1) < 2) || recomputesExperts)
            leaveOut(left, "plan.overlap.expert", fieldWord(spec, "plan.overlap.expert"),
                     "--overlap-moe-expert-parallel-comm needs a virtual pipeline with stages, and no "
                     "recomputed experts");
        else {
            out.set("--overlap-moe-expert-parallel-comm");
            out.set("--delay-wgrad-compute");
        }
    }
}

} // namespace

void writeMegatronLm(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Program program = trainingProgram(source);
    program.command = {job.tool->program};
    Settings& out = program.arguments;
    writeShape(source.scenario.model, out);
    writeExpertsShape(source.scenario.model, out);
    if (groupsExperts(source, job.leftOut))
        out.set("--moe-grouped-gemm");
    out.set("--seq-length", spec.workload.sequenceLength.value_or(0));
    writeFields(*job.tool, spec, out, job.leftOut);
    if (source.scenario.model.moe && !spec.plan.expertTensorParallel)
        out.set("--expert-tensor-parallel-size", spec.plan.tensorParallel.value_or(1));
    if (spec.plan.precision == "fp8" && spec.plan.fp8Recipe.value_or("delayed") == "delayed") {
        out.set("--fp8-amax-history-len", "1024");
        out.set("--fp8-amax-compute-algo", "max");
    }
    const std::string sharding = shardingWord(source, job.leftOut);
    appendSettings(shardingSettings(spec, sharding), out);
    writeTraffic(source, sharding, out, job.leftOut);
    const Settings stages = pipelineSettings(source, job.leftOut);
    if (stages.has("--pipeline-model-parallel-layout")) // it says the chunks itself
        std::erase_if(out.all, [](const Setting& each) {
            return each.name == "--num-virtual-stages-per-pipeline-rank";
        });
    appendSettings(stages, out);
    for (const Setting& each : recomputeSettings(source, "delayed", job.leftOut).all)
        out.all.push_back(each);
    leaveGraphsOut(spec, "--cuda-graph-impl", out, job.leftOut);
    if (const double share = spec.plan.offload.optimizer.value_or(0); share > 0) {
        if (!out.has("--use-precision-aware-optimizer"))
            out.set("--use-precision-aware-optimizer");
        out.set("--optimizer-cpu-offload");
        out.set("--optimizer-offload-fraction", fieldWord(spec, "plan.offload.optimizer"));
    }
    if (spec.plan.nodeLimit && source.scenario.model.moe) {
        const int domains = std::max(1, static_cast<int>(spec.plan.expertParallel.value_or(1)) /
                                            std::max(1, source.scenario.nvlinkDomain));
        if (domains > 1 && *spec.plan.nodeLimit < domains &&
            source.scenario.model.moe->routedExperts % domains == 0) {
            out.set("--moe-router-num-groups", domains);
            out.set("--moe-router-group-topk", *spec.plan.nodeLimit);
        } else {
            leaveOut(job.leftOut, "plan.node_limit", std::to_string(*spec.plan.nodeLimit),
                     "the experts are not spread over more domains than that");
        }
    }
    const std::string order = spec.cluster.rankOrder.value_or("tp-cp-ep-dp-pp");
    if (order == "tp-cp-ep-pp-dp")
        out.set("--use-tp-pp-dp-mapping");
    else if (order != "tp-cp-ep-dp-pp")
        leaveOut(job.leftOut, "cluster.rank_order", order, "only tp-cp-ep-dp-pp and tp-cp-ep-pp-dp exist");
    if (const double tokens = tokensOf(source); tokens > 0)
        out.set("--train-samples",
                static_cast<std::int64_t>(
                    std::ceil(tokens / static_cast<double>(spec.workload.sequenceLength.value_or(1)))));
    else
        out.set("--train-iters", "CHANGE_ME_ITERATIONS");
    out.set("--tokenizer-type", "HuggingFaceTokenizer");
    out.set("--tokenizer-model", repositoryOf(spec, job.warnings));
    out.set("--data-path", "CHANGE_ME_DATA");
    out.set("--save", "CHANGE_ME_CHECKPOINTS");
    out.set("--save-interval", checkpointSteps(source));
    out.set("--load", "CHANGE_ME_CHECKPOINTS");
    if (tunesAllWeights(source)) // where nothing is saved yet
        out.set("--pretrained-checkpoint", "CHANGE_ME_PRETRAINED_CHECKPOINT");
    out.set("--lr", "CHANGE_ME_LEARNING_RATE");
    out.set("--log-throughput");
    job.savesAsPlanned = true;
    program.environment = environmentOf(source, "megatron-lm", program);
    job.programs.push_back(std::move(program));
}

} // namespace alidade::data::handoff
