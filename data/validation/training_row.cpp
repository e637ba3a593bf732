// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"

#include <nlohmann/json.hpp>

namespace alidade::data {
namespace {

constexpr int most = 100'000'000; ///< of anything that is counted
constexpr double billion = 1e9, tera = 1e12, gibi = 1024.0 * 1024.0 * 1024.0, giga = 1e9, milli = 1e-3;

std::string textOr(ObjectReader& from, std::string_view key) {
    return from.text(key).value_or(std::string());
}
std::optional<int> count(ObjectReader& from, std::string_view key) { return from.integer(key, 0, most); }

/// A positive number in units of `scale`.
std::optional<double> scaled(ObjectReader& from, std::string_view key, double scale) {
    const auto number = from.number(key, {0, 1e30, {}});
    return number ? std::optional(*number * scale) : std::nullopt;
}

/// One of a few words; empty if absent.
std::string word(ObjectReader& from, std::string_view key, const std::vector<std::string>& legal) {
    const auto index = from.choice(key, legal);
    return index ? legal[*index] : std::string();
}

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
    out.experts = count(row, "experts").value_or(0);
    out.perToken = count(row, "topk").value_or(0);
    out.shared = count(row, "shared").value_or(0);
    out.expertFfn = count(row, "expert_ffn").value_or(0);
    out.firstDenseLayers = count(row, "first_dense_layers").value_or(0);
    out.sharedExpertFfn = count(row, "shared_expert_ffn");
    row.allow("note");
    row.finish();
    return out;
}

MlaShape mlaOf(ObjectReader row) {
    row.require({"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
    MlaShape out;
    out.qLoraRank = count(row, "q_lora_rank").value_or(0);
    out.kvLoraRank = count(row, "kv_lora_rank").value_or(0);
    out.qkNopeHeadDim = count(row, "qk_nope_head_dim").value_or(0);
    out.qkRopeHeadDim = count(row, "qk_rope_head_dim").value_or(0);
    out.vHeadDim = count(row, "v_head_dim").value_or(0);
    row.finish();
    return out;
}

Mamba2Shape mambaOf(ObjectReader row) {
    row.require({"heads", "head_dim", "state"});
    Mamba2Shape out;
    out.heads = count(row, "heads").value_or(0);
    out.headDim = count(row, "head_dim").value_or(0);
    out.state = count(row, "state").value_or(0);
    out.groups = count(row, "groups").value_or(1);
    row.finish();
    return out;
}

PublishedModel modelOf(ObjectReader row) {
    row.require({"name"});
    PublishedModel out;
    out.name = textOr(row, "name");
    out.parameters = scaled(row, "params_b", billion);
    out.activeParameters = scaled(row, "active_params_b", billion);
    out.layers = count(row, "layers");
    out.hidden = count(row, "hidden");
    out.heads = count(row, "heads");
    out.kvHeads = count(row, "kv_heads");
    out.headDim = count(row, "head_dim");
    out.ffn = count(row, "ffn");
    out.vocab = count(row, "vocab");
    out.gatedFfn = row.boolean("gated_ffn");
    out.tiedEmbeddings = row.boolean("tied_embeddings");
    if (auto moe = row.object("moe")) {
        out.moe = expertsOf(std::move(*moe));
    }
    if (auto mla = row.object("mla")) {
        out.mla = mlaOf(std::move(*mla));
    }
    if (auto mamba = row.object("mamba")) {
        out.mamba = mambaOf(std::move(*mamba));
    }
    out.layerPattern = textOr(row, "layer_pattern");
    out.attention = textOr(row, "attention");
    out.mtpLayers = count(row, "mtp_layers");
    out.sequenceLength = count(row, "seq_len");
    row.finish();
    return out;
}

PublishedHardware hardwareOf(ObjectReader row) {
    row.require({"gpu"});
    PublishedHardware out;
    out.gpu = textOr(row, "gpu");
    out.gpus = count(row, "gpus");
    out.gpusPerNode = row.integer("gpus_per_node", 1, most).value_or(out.gpusPerNode);
    out.scaleUpDomain = row.integer("scale_up_domain", 1, most).value_or(out.gpusPerNode);
    out.network = textOr(row, "network");
    out.instance = textOr(row, "instance");
    row.allow("memory_note");
    row.allow("power_note");
    row.finish();
    return out;
}

PublishedParallelism parallelismOf(ObjectReader row) {
    PublishedParallelism out;
    out.tensor = count(row, "tp");
    out.sequence = row.boolean("sp");
    out.context = count(row, "cp");
    out.pipeline = count(row, "pp");
    out.virtualPipeline = count(row, "vpp");
    out.expert = count(row, "ep");
    out.expertTensor = count(row, "etp");
    out.data = count(row, "dp");
    out.zeroStage = row.integer("zero_stage", 0, 3);
    out.sharding = textOr(row, "sharding");
    out.schedule = textOr(row, "schedule");
    out.shardSize = count(row, "fsdp_size");
    row.allow("dp_replicate");
    row.finish();
    return out;
}

/// A list of words, or one word.
std::vector<std::string> words(ObjectReader& row, std::string_view key) {
    const nlohmann::json* value = row.value(key);
    if (value != nullptr && value->is_string()) {
        return {value->get<std::string>()};
    }
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
    out.expertTensor = count(row, "expert_tensor_parallel_size");
    out.offloadedLayers = count(row, "cpu_offloading_num_layers");
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
    out.peakMemory = scaled(row, "peak_mem_gib", gibi);
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
    if (auto part = row.object("source")) {
        out.source = sourceOf(std::move(*part));
    }
    if (auto part = row.object("model")) {
        out.model = modelOf(std::move(*part));
    }
    if (auto part = row.object("hardware")) {
        out.hardware = hardwareOf(std::move(*part));
    }
    if (auto part = row.object("parallelism")) {
        out.parallelism = parallelismOf(std::move(*part));
    }
    if (auto part = row.object("batch")) {
        out.globalBatch = count(*part, "gbs");
        out.microBatch = count(*part, "mbs");
        part->allow("grad_accum"); // computed by whoever needs it: printed ones contradict their own batch
        out.tokensPerStep = scaled(*part, "tokens", 1);
        part->finish();
    }
    if (auto part = row.object("recipe")) {
        out.recipe = recipeOf(std::move(*part));
    }
    if (auto part = row.object("measured")) {
        out.measured = figuresOf(std::move(*part));
    }
    if (auto part = row.object("layer")) {
        out.layer = layerOf(std::move(*part));
    }
    if (auto part = row.object("whole_run")) {
        out.wholeRun = wholeRunOf(std::move(*part));
    }
}

} // namespace

std::optional<PublishedTraining> readTrainingRow(ObjectReader& row) {
    const std::size_t before = row.faults().size();
    row.require({"id", "kind", "group", "outcome", "source", "model", "hardware", "parallelism", "batch",
                 "precision", "measured", "confidence"});
    PublishedTraining out;
    out.id = textOr(row, "id");
    out.kind = word(row, "kind", {"benchmark", "production", "layer", "whole_run"});
    out.group = textOr(row, "group");
    out.outcome = word(row, "outcome", {"ok", "oom", "oom_fragmentation"});
    out.precision = word(row, "precision", {"FP16", "BF16", "FP8", "MXFP8", "NVFP4"});
    out.precisionDetail = textOr(row, "precision_detail");
    out.recompute = word(row, "recompute", {"none", "selective", "full"});
    out.recomputeDetail = textOr(row, "recompute_detail");
    out.offload = textOr(row, "offload");
    out.optimizer = textOr(row, "optimizer");
    out.software = textOr(row, "software");
    out.confidence = word(row, "confidence", {"high", "medium", "low"});
    out.notes = textOr(row, "notes");
    out.inferred = row.texts("inferred");
    row.allow("derived"); // never measured
    readParts(row, out);
    row.finish();
    return row.faults().size() == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
