// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/validation/published_json.h"
#include "data/validation/row_fields.h"
#include "model/units/constants.h"

namespace alidade::data {
namespace {

constexpr double billion = 1e9;

PublishedSource sourceOf(ObjectReader row) {
    row.require({"title", "locator"});
    PublishedSource out{textOr(row, "title"), textOr(row, "locator"), textOr(row, "table"),
                        textOr(row, "row"), textOr(row, "date")};
    row.finish();
    return out;
}

PublishedExperts expertsOf(ObjectReader row) {
    row.require({"experts", "topk", "expert_ffn"});
    PublishedExperts out;
    out.experts = counted(row, "experts").value_or(0);
    out.perToken = counted(row, "topk").value_or(0);
    out.shared = counted(row, "shared");
    out.expertFfn = counted(row, "expert_ffn").value_or(0);
    out.firstDenseLayers = counted(row, "first_dense_layers");
    out.sharedExpertFfn = counted(row, "shared_expert_ffn");
    row.allow("note");
    row.finish();
    return out;
}

MlaShape mlaOf(ObjectReader row) {
    row.require({"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
    MlaShape out;
    out.qLoraRank = counted(row, "q_lora_rank").value_or(0);
    out.kvLoraRank = counted(row, "kv_lora_rank").value_or(0);
    out.qkNopeHeadDim = counted(row, "qk_nope_head_dim").value_or(0);
    out.qkRopeHeadDim = counted(row, "qk_rope_head_dim").value_or(0);
    out.vHeadDim = counted(row, "v_head_dim").value_or(0);
    row.finish();
    return out;
}

Mamba2Shape mambaOf(ObjectReader row) {
    row.require({"heads", "head_dim", "state"});
    Mamba2Shape out;
    out.heads = counted(row, "heads").value_or(0);
    out.headDim = counted(row, "head_dim").value_or(0);
    out.state = counted(row, "state").value_or(0);
    out.groups = counted(row, "groups").value_or(1);
    row.finish();
    return out;
}

PublishedModel modelOf(ObjectReader row) {
    row.require({"name"});
    PublishedModel out;
    out.name = textOr(row, "name");
    out.parameters = scaled(row, "params_b", billion);
    out.activeParameters = scaled(row, "active_params_b", billion);
    out.layers = counted(row, "layers");
    out.hidden = counted(row, "hidden");
    out.heads = counted(row, "heads");
    out.kvHeads = counted(row, "kv_heads");
    out.headDim = counted(row, "head_dim");
    out.ffn = counted(row, "ffn");
    out.vocab = counted(row, "vocab");
    out.gatedFfn = row.boolean("gated_ffn");
    out.tiedEmbeddings = row.boolean("tied_embeddings");
    if (auto moe = row.object("moe"))
        out.moe = expertsOf(std::move(*moe));
    if (auto mla = row.object("mla"))
        out.mla = mlaOf(std::move(*mla));
    if (auto mamba = row.object("mamba"))
        out.mamba = mambaOf(std::move(*mamba));
    out.layerPattern = textOr(row, "layer_pattern");
    out.attention = textOr(row, "attention");
    out.mtpLayers = counted(row, "mtp_layers");
    out.sequenceLength = counted(row, "seq_len");
    row.finish();
    return out;
}

PublishedHardware hardwareOf(ObjectReader row) {
    row.require({"gpu"});
    PublishedHardware out;
    out.gpu = textOr(row, "gpu");
    out.gpus = counted(row, "gpus");
    out.gpusPerNode = row.integer("gpus_per_node", 1, mostOfAnything).value_or(out.gpusPerNode);
    out.scaleUpDomain = scaleUpDomainOf(row, out);
    out.network = textOr(row, "network");
    out.instance = textOr(row, "instance");
    row.allow("memory_note");
    row.allow("power_note");
    row.finish();
    return out;
}

PublishedParallelism parallelismOf(ObjectReader row) {
    PublishedParallelism out;
    out.tensor = counted(row, "tp");
    out.sequence = row.boolean("sp");
    out.context = counted(row, "cp");
    out.pipeline = counted(row, "pp");
    out.virtualPipeline = counted(row, "vpp");
    out.expert = counted(row, "ep");
    out.expertTensor = counted(row, "etp");
    out.data = counted(row, "dp");
    out.zeroStage = row.integer("zero_stage", 0, 3);
    out.sharding = textOr(row, "sharding");
    out.schedule = textOr(row, "schedule");
    out.shardSize = counted(row, "fsdp_size");
    row.allow("dp_replicate");
    row.finish();
    return out;
}

/// A list of words, or one word.
std::vector<std::string> words(ObjectReader& row, std::string_view key) {
    const nlohmann::json* value = row.value(key);
    if (value != nullptr && value->is_string())
        return {value->get<std::string>()};
    return row.texts(key);
}

PublishedRecipe recipeOf(ObjectReader row) {
    PublishedRecipe out;
    out.recomputeModules = words(row, "recompute_modules");
    out.cudaGraphs = textOr(row, "cuda_graph_impl");
    out.cudaGraphScope = words(row, "cuda_graph_scope");
    const auto flexible = row.text("moe_flex_dispatcher_backend");
    const auto dispatcher = row.text("moe_dispatcher");
    out.dispatcher = flexible ? *flexible : dispatcher.value_or(std::string());
    out.pipelineLayout = textOr(row, "pp_layout");
    out.expertOverlap = row.boolean("moe_a2a_overlap");
    out.expertTensor = counted(row, "expert_tensor_parallel_size");
    out.offloadedLayers = counted(row, "cpu_offloading_num_layers");
    row.allow("source");
    row.finish();
    return out;
}

PublishedFigures figuresOf(ObjectReader row) {
    PublishedFigures out;
    out.stepTime = scaled(row, "step_time_s", 1);
    out.tokensPerSPerGpu = scaled(row, "tokens_per_s_per_gpu", 1);
    out.tokensPerS = scaled(row, "tokens_per_s", 1);
    out.flopsPerSPerGpu = scaled(row, "tflops_per_gpu", tera);
    out.mfu = row.number("mfu", {0, 1, {}});
    out.hfu = row.number("hfu", {0, 1, {}});
    out.mfuPeak = scaled(row, "mfu_peak_tflops", tera);
    out.flopsDefinition = textOr(row, "flops_definition");
    out.peakMemory = scaled(row, "peak_mem_gib", bytesPerGib);
    out.peakMemoryPrinted = scaled(row, "peak_mem_gb_printed", giga);
    out.peakMemoryDefinition = textOr(row, "peak_mem_definition");
    row.allow("samples_per_s");
    row.finish();
    return out;
}

PublishedLayerTime layerOf(ObjectReader row) {
    row.require({"forward_ms", "backward_ms", "total_ms"});
    PublishedLayerTime out{scaled(row, "forward_ms", milli).value_or(0),
                           scaled(row, "backward_ms", milli).value_or(0),
                           scaled(row, "total_ms", milli).value_or(0)};
    row.finish();
    return out;
}

PublishedWholeRun wholeRunOf(ObjectReader row) {
    row.require({"gpu_hours", "train_tokens"});
    PublishedWholeRun out{scaled(row, "gpu_hours", 1).value_or(0),
                          scaled(row, "train_tokens", 1).value_or(0)};
    row.finish();
    return out;
}

void readParts(ObjectReader& row, PublishedTraining& out) {
    if (auto part = row.object("source"))
        out.source = sourceOf(std::move(*part));
    if (auto part = row.object("model"))
        out.model = modelOf(std::move(*part));
    if (auto part = row.object("hardware"))
        out.hardware = hardwareOf(std::move(*part));
    if (auto part = row.object("parallelism"))
        out.parallelism = parallelismOf(std::move(*part));
    if (auto part = row.object("batch")) {
        out.globalBatch = counted(*part, "gbs");
        out.microBatch = counted(*part, "mbs");
        part->allow("grad_accum"); // computed by whoever needs it: printed ones contradict their own batch
        out.tokensPerStep = scaled(*part, "tokens", 1);
        part->finish();
    }
    if (auto part = row.object("recipe"))
        out.recipe = recipeOf(std::move(*part));
    if (auto part = row.object("measured"))
        out.measured = figuresOf(std::move(*part));
    if (auto part = row.object("layer"))
        out.layer = layerOf(std::move(*part));
    if (auto part = row.object("whole_run"))
        out.wholeRun = wholeRunOf(std::move(*part));
}

} // namespace

std::optional<PublishedTraining> readTrainingRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "kind", "group", "outcome", "source", "model", "hardware", "parallelism", "batch",
                 "precision", "measured", "confidence"});
    PublishedTraining out;
    out.id = textOr(row, "id");
    out.kind = wordOf(row, "kind", {"benchmark", "production", "layer", "whole_run"});
    out.group = textOr(row, "group");
    out.outcome = wordOf(row, "outcome", {"ok", "oom", "oom_fragmentation"});
    out.precision = wordOf(row, "precision", {"FP16", "BF16", "FP8", "MXFP8", "NVFP4"});
    out.precisionDetail = textOr(row, "precision_detail");
    out.recompute = wordOf(row, "recompute", {"none", "selective", "full"});
    out.recomputeDetail = textOr(row, "recompute_detail");
    out.offload = textOr(row, "offload");
    out.optimizer = textOr(row, "optimizer");
    out.software = textOr(row, "software");
    out.confidence = wordOf(row, "confidence", {"high", "medium", "low"});
    out.notes = textOr(row, "notes");
    out.inferred = row.texts("inferred");
    row.allow("derived"); // never measured
    readParts(row, out);
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
