// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/fields.h"
#include "model/validation/published_layout.h"
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

using Words = std::vector<std::string>;

/// The words of a plan for what the row says, and the fields that it leaves open.
class PlanReader {
public:
    PlanReader(const PublishedTraining& row, const Framework* framework, const Architecture& model,
               ScenarioSpec& out, Words& assumed)
        : row_(row)
        , framework_(framework)
        , model_(model)
        , spec_(out)
        , plan_(out.plan)
        , assumed_(assumed) {}

    std::string degrees();
    std::string batch();
    void pipeline();
    std::int64_t usualChunks() const;
    void experts();
    void sharding();
    void precision();
    void recompute();
    void rest();

private:
    void assume(const char* path) { assumed_.emplace_back(path); }
    bool hasDefault(std::string_view path) const {
        return framework_ && std::ranges::any_of(framework_->defaults,
                                                 [&](const auto& each) { return each.first == path; });
    }
    /// Sets a share that the framework covers where its overlap is on.
    void overlap(std::string_view path);

    const PublishedTraining& row_;
    const Framework* framework_;
    const Architecture& model_;
    ScenarioSpec& spec_;
    PlanSpec& plan_;
    Words& assumed_;
};

std::string PlanReader::degrees() {
    const PublishedParallelism& p = row_.parallelism;
    const std::pair<bool, const char*> needs[] = {{p.tensor.has_value(), "tensor"},
                                                  {p.pipeline.has_value(), "pipeline"},
                                                  {p.context.has_value(), "context"}};
    std::string missing;
    for (const auto& [there, name] : needs)
        missing += there ? "" : (missing.empty() ? "" : ", ") + std::string(name);
    if (!missing.empty())
        return "the source does not give the degree of " + missing + " parallelism";
    plan_.tensorParallel = *p.tensor;
    plan_.pipelineParallel = *p.pipeline;
    plan_.contextParallel = *p.context;
    const int replica = std::max(1, *p.tensor * *p.pipeline * *p.context);
    plan_.dataParallel = p.data.value_or(std::max(1, row_.hardware.gpus.value_or(1) / replica));
    plan_.sequenceParallel = p.sequence;
    if (!p.sequence && *p.tensor > 1)
        assume("plan.sequence_parallel");
    return {};
}

std::string PlanReader::batch() {
    const double length = *row_.model.sequenceLength;
    if (row_.microBatch)
        plan_.microBatch = *row_.microBatch;
    else
        assume("plan.micro_batch");
    if (row_.globalBatch) {
        spec_.workload.globalBatch = *row_.globalBatch;
        return {};
    }
    const bool throughput = row_.measured.tokensPerSPerGpu || row_.measured.tokensPerS ||
                            row_.measured.flopsPerSPerGpu || row_.measured.mfu;
    const std::int64_t replicas = *plan_.dataParallel;
    if (!row_.tokensPerStep && !throughput && row_.outcome == "ok")
        return "the source does not give the global batch";
    if (!row_.tokensPerStep && !row_.microBatch && row_.outcome == "ok")
        return "the source gives neither the global batch nor the micro-batch";
    assume("workload.global_batch");
    const double sequences = row_.tokensPerStep.value_or(0) / length;
    const std::int64_t once = replicas * row_.microBatch.value_or(1);
    spec_.workload.globalBatch =
        std::max<std::int64_t>(1,
                               static_cast<std::int64_t>(std::round(sequences / static_cast<double>(once)))) *
        once;
    return {};
}

/// Chunks per stage where a source does not give them. Megatron-Core is run with as many as the layers allow:
/// whoever states the number uses one or two layers per chunk, and where two publications give none (128 to
/// 1,024 GPUs at the same global batch, Mixtral 8x22B and Qwen2 57B of arXiv 2504.14960) throughput falls
/// with the number of micro-batches as it does with one layer per chunk. torchtitan has two chunks unless it
/// is told otherwise. 1: not interleaved.
std::int64_t PlanReader::usualChunks() const {
    if (row_.finetune) // its tools do not interleave unless they are told to
        return 1;
    const std::string_view stack = framework_ ? std::string_view(framework_->stack) : std::string_view();
    const std::int64_t stages = *row_.parallelism.pipeline;
    const bool saysSo = saysWord(row_.parallelism.schedule, "interleaved");
    if (!saysSo && !row_.parallelism.schedule.empty())
        return 1;
    if (stack.starts_with("fsdp"))
        return saysSo ? 2 : 1;
    const std::int64_t microbatches =
        spec_.workload.globalBatch.value_or(stages) /
        std::max<std::int64_t>(1, *plan_.dataParallel * plan_.microBatch.value_or(1));
    const bool divides =
        model_.layers % stages == 0 && microbatches % stages == 0; // Megatron-Core asks for both
    return stack.starts_with("megatron") && divides ? model_.layers / stages : 1;
}

void PlanReader::pipeline() {
    const PublishedParallelism& p = row_.parallelism;
    constexpr std::pair<std::string_view, const char*> named[] = {{"DualPipeV", "dualpipe-v"},
                                                                  {"DualPipe", "dualpipe"},
                                                                  {"ZB-V", "zb-v"},
                                                                  {"ZB-H1", "zb-h1"},
                                                                  {"GPipe", "gpipe"}};
    const auto special = std::find_if(std::begin(named), std::end(named),
                                      [&](const auto& each) { return saysWord(p.schedule, each.first); });
    if (special != std::end(named))
        plan_.schedule = special->second;
    else if (p.virtualPipeline.value_or(1) > 1)
        plan_.schedule = "interleaved";
    if (p.virtualPipeline.value_or(1) > 1) {
        plan_.virtualPipeline = *p.virtualPipeline;
    } else if (!p.virtualPipeline && *p.pipeline > 1 &&
               (!saysWord(p.schedule, "1F1B") || saysWord(p.schedule, "interleav"))) {
        assume("plan.virtual_pipeline");
        if (const std::int64_t chunks = usualChunks(); chunks > 1 && special == std::end(named)) {
            plan_.virtualPipeline = chunks;
            plan_.schedule = "interleaved";
        }
    }
    if (row_.recipe && !row_.recipe->pipelineLayout.empty()) {
        const auto split = layersOfStages(row_.recipe->pipelineLayout, *p.pipeline, model_.layers);
        if (!split.empty())
            plan_.pipelineSplit = split;
    }
    if (saysWord(p.schedule, "AsyncTP"))
        overlap("plan.overlap.tensor");
}

void PlanReader::experts() {
    if (!model_.moe)
        return;
    const PublishedParallelism& p = row_.parallelism;
    plan_.expertParallel = p.expert.value_or(1);
    if (p.expertTensor) {
        plan_.expertTensorParallel = *p.expertTensor;
    } else if (row_.recipe) {
        plan_.expertTensorParallel = row_.recipe->expertTensor.value_or(1);
    } else {
        // Where the framework has no default: as the attention, as Megatron-Core has it, if the
        // GPUs can be dealt out so.
        if (!hasDefault("plan.expert_tensor_parallel")) {
            const std::int64_t group = *plan_.dataParallel * *plan_.contextParallel * *plan_.tensorParallel;
            const bool divides = group % (*plan_.expertParallel * *plan_.tensorParallel) == 0;
            plan_.expertTensorParallel = divides ? *p.tensor : 1;
        }
        if (*p.tensor > 1)
            assume("plan.expert_tensor_parallel");
    }
    const std::string words = row_.notes + " " + row_.recomputeDetail;
    const bool balanced = saysWord(words, "force-balanced") || saysWord(words, "forced balanced") ||
                          saysWord(words, "balanced routing");
    if (balanced)
        plan_.expertImbalance = 1;
    else
        assume("plan.expert_imbalance");
    if (saysWord(words, "capacity factor 1"))
        plan_.capacityFactor = 1;
    if ((row_.recipe && row_.recipe->expertOverlap.value_or(false)) || saysWord(p.schedule, "EP overlap") ||
        saysWord(words, "EP overlap on") || saysWord(words, "EP communication overlap")) {
        overlap("plan.overlap.expert");
    }
}

void PlanReader::overlap(std::string_view path) {
    const Field* field = findField(path);
    if (!framework_ || !field)
        return;
    for (const auto& [known, share] : framework_->overlapped) {
        if (known != path)
            continue;
        if (const auto value = parseField(*field, share))
            field->set(spec_, *value);
    }
}

void PlanReader::sharding() {
    const PublishedParallelism& p = row_.parallelism;
    if (!p.zeroStage) {
        assume("plan.sharding");
        return;
    }
    constexpr const char* stages[] = {"none", "zero1", "zero2", "zero3"};
    plan_.sharding = stages[*p.zeroStage];
    if (*p.zeroStage < 3 || saysWord(p.sharding, "ZeRO"))
        return;
    const std::int64_t ranks = *plan_.dataParallel * *plan_.contextParallel;
    const std::int64_t size = p.shardSize.value_or(groupSize(p.sharding).value_or(static_cast<int>(ranks)));
    plan_.sharding = size < ranks ? "hsdp" : "fsdp2";
    if (!plan_.overlap.gradient)
        overlap("plan.overlap.gradient");
    if (size < ranks)
        plan_.shardSize = size;
}

void PlanReader::precision() {
    std::string word = row_.precision;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    plan_.precision = word;
    if (word != "fp8")
        return;
    constexpr std::pair<std::string_view, const char*> recipes[] = {
        {"delayed", "delayed"},     {"block", "block"}, {"current", "current"}, {"tensorwise", "current"},
        {"tensor-wise", "current"}, {"rowwise", "row"}, {"row-wise", "row"}};
    for (const auto& [said, recipe] : recipes) {
        if (saysWord(row_.precisionDetail, said)) {
            plan_.fp8Recipe = recipe;
            return;
        }
    }
    assume("plan.fp8_recipe");
}

void PlanReader::recompute() {
    if (row_.recompute == "none" || row_.recompute == "full") {
        plan_.recompute = Words{row_.recompute};
        return;
    }
    Words modules = recomputedModules(row_.recomputeDetail);
    if (modules.empty() && row_.recipe)
        modules = row_.recipe->recomputeModules;
    if (!modules.empty())
        plan_.recompute = std::move(modules);
    else if (row_.recompute == "selective")
        plan_.recompute = Words{"selective"};
    else
        assume("plan.recompute");
}

void PlanReader::rest() {
    if (row_.finetune) {
        const PublishedFinetune& tune = *row_.finetune;
        FinetuneSpec& out = spec_.workload.finetune;
        const auto says = [&](std::string_view word) { return tune.method.find(word) != std::string::npos; };
        out.kind = says("qlora") || !tune.baseWeights.empty() ? "qlora" : says("lora") ? "lora" : "full";
        if (*out.kind != "full")
            out.rank = tune.loraRank;
        out.method = "sft";
        if (says("dpo")) { // the batch of a source counts sequences, two of each pair
            out.method = "dpo";
            spec_.workload.globalBatch = std::max<std::int64_t>(1, *spec_.workload.globalBatch / 2);
        }
        if (tune.chunkedLoss)
            plan_.loss = *tune.chunkedLoss ? "chunked" : "unfused";
        plan_.masterWeights = tune.masterWeights;
        if (!tune.expertKernels.empty())
            plan_.expertKernels = tune.expertKernels;
        constexpr std::pair<std::string_view, const char*> kernels[] = {{"flash_attention_2", "fa2"},
                                                                        {"flash_attention_3", "fa3"},
                                                                        {"flash_attention_4", "fa4"},
                                                                        {"sdpa", "sdpa"}};
        for (const auto& [said, kernel] : kernels)
            if (saysWord(tune.attention, said))
                plan_.attentionKernel = kernel;
        if (saysWord(row_.optimizer, "8-bit"))
            plan_.optimizer = "adam_8bit";
    }
    const bool ofNvidia = framework_ != nullptr && (framework_->id.starts_with("nemo") ||
                                                    framework_->id.starts_with("megatron-bridge"));
    if (saysWord(row_.optimizer, "LoRA")) {
        spec_.workload.finetune.kind = "lora";
        spec_.workload.finetune.rank = numberAfter(row_.notes, "LoRA rank ");
        // NVIDIA's recipes for published figures adapt linear_qkv alone; the plan has attention as a whole.
        const bool said = saysWord(row_.notes, "Adapters on attention");
        if (said || ofNvidia)
            spec_.workload.finetune.targets = Words{"attention"};
        if (!said && ofNvidia)
            assume("workload.finetune.targets");
    }
    // Short examples packed into one sequence do not attend to each other. NVIDIA's published fine-tuning
    // packs SQuAD, with some 200 tokens an example, to 4,096 (NeMo performance summary).
    if (const auto tokens = numberAfter(row_.notes, "examples of about ")) {
        spec_.workload.finetune.exampleTokens = static_cast<double>(*tokens);
        assume("workload.finetune.example_tokens");
    } else if (ofNvidia && saysWord(row_.notes, "packed") && row_.model.sequenceLength == 4096) {
        spec_.workload.finetune.exampleTokens = 200;
        assume("workload.finetune.example_tokens");
    }
    // "Adam" does not say in what precision it keeps its moments: that is the framework's default.
    if (saysWord(row_.optimizer, "Muon"))
        plan_.optimizer = "muon";
    if (saysWord(row_.offload, "optimizer"))
        plan_.offload.optimizer = percentIn(row_.offload).value_or(1);
    if (saysWord(row_.offload, "activation")) {
        const auto layers = row_.recipe ? row_.recipe->offloadedLayers : std::nullopt;
        plan_.offload.activations =
            layers ? std::min(1.0, *layers / static_cast<double>(model_.layers)) : 1.0;
        if (!layers)
            assume("plan.offload.activations");
    }
    if (row_.recipe && !row_.recipe->dispatcher.empty() && row_.model.moe) {
        plan_.expertExchange = saysWord(row_.recipe->dispatcher, "alltoall") ? "all_to_all" : "fused";
        for (const char* known : {"deepep", "hybridep"})
            if (saysWord(row_.recipe->dispatcher, known))
                plan_.dispatcher = known;
    } else if (row_.model.moe) {
        const std::string words = row_.notes + " " + row_.software;
        constexpr std::pair<std::string_view, const char*> named[] = {{"HybridEP", "hybridep"},
                                                                      {"DeepEP", "deepep"},
                                                                      {"UCCL", "uccl"},
                                                                      {"alltoall dispatcher", "nccl"}};
        const auto said = std::find_if(std::begin(named), std::end(named),
                                       [&](const auto& each) { return saysWord(words, each.first); });
        if (said != std::end(named))
            plan_.dispatcher = said->second;
        else
            assume("plan.expert_exchange");
    }
    if (row_.recipe && !row_.recipe->cudaGraphs.empty()) {
        plan_.cudaGraphs = row_.recipe->cudaGraphs != "none";
        const bool whole = row_.recipe->cudaGraphs == "full_iteration" ||
                           std::ranges::find(row_.recipe->cudaGraphScope, "full_iteration") !=
                               row_.recipe->cudaGraphScope.end();
        plan_.cudaGraphScope = whole ? "full" : "partial";
    } else if (saysWord(row_.notes, "CUDA graphs")) {
        plan_.cudaGraphs = !saysWord(row_.notes, "CUDA graphs off");
    }
}

} // namespace

std::string publishedPlan(const PublishedTraining& row, const Catalog& catalog, ScenarioSpec& out,
                          const Architecture& architecture, std::vector<std::string>& assumed) {
    const Framework* framework = publishedFramework(row, catalog);
    if (!framework && row.finetune) { // libraries on PyTorch or Megatron-Core that have no entry of their own
        const int stage = row.parallelism.zeroStage.value_or(-1);
        const bool torch = stage == 0 || row.parallelism.sharding.find("FSDP") != std::string::npos;
        framework = catalog.framework(torch        ? row.finetune->compiled.value_or(false) ? "torchtitan"
                                                                                            : "torchtitan-eager"
                                      : stage >= 2 ? "deepspeed"
                                                   : "megatron-core");
    }
    if (framework)
        out.plan.framework = framework->id;
    else
        assumed.emplace_back("plan.framework");
    PlanReader reader(row, framework, architecture, out, assumed);
    if (std::string lacks = reader.degrees(); !lacks.empty())
        return lacks;
    if (std::string lacks = reader.batch(); !lacks.empty())
        return lacks;
    reader.pipeline();
    reader.experts();
    reader.sharding();
    reader.precision();
    reader.recompute();
    reader.rest();
    return {};
}

} // namespace alidade
