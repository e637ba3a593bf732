// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/validation/published_json.h"
#include "data/validation/row_fields.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cctype>

namespace alidade::data {
namespace {

bool saysIn(std::string text, std::string_view word) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find(word) != std::string::npos;
}

void readTuneOptions(ObjectReader row, PublishedTraining& out) {
    PublishedFinetune& tune = *out.finetune;
    const std::string precision = textOr(row, "precision");
    out.precision = saysIn(precision, "mxfp8")  ? "MXFP8"
                    : saysIn(precision, "fp8")  ? "FP8"
                    : saysIn(precision, "fp16") ? "FP16"
                                                : "BF16";
    out.precisionDetail = precision;
    tune.baseWeights = textOr(row, "base_weights");
    tune.loraRank = counted(row, "lora_rank", 1);
    const std::string recompute = textOr(row, "recompute");
    out.recompute = saysIn(recompute, "full")        ? "full"
                    : saysIn(recompute, "selective") ? "selective"
                                                     : "none";
    out.recomputeDetail = out.recompute == "none" ? "" : recompute;
    out.offload = textOr(row, "offload");
    if (saysIn(recompute, "offloaded")) // the inputs of recomputed layers
        out.offload += (out.offload.empty() ? "" : "; ") + std::string("activation checkpoints");
    out.optimizer = textOr(row, "optimizer");
    tune.compiled = row.boolean("compile");
    tune.attention = textOr(row, "attention");
    tune.chunkedLoss = row.boolean("chunked_loss");
    tune.masterWeights = row.boolean("master_weights");
    tune.expertKernels = wordOf(row, "expert_kernels", {"grouped", "loop"});
    ignoreKeys(row, {"other", "note", "notes"});
    row.finish();
}

void readTunePlaces(ObjectReader& row, PublishedTraining& out) {
    if (auto part = row.object("model")) {
        out.model.name = textOr(*part, "id");
        const std::string name = textOr(*part, "name");
        out.model.name = out.model.name.empty() ? name : out.model.name;
        out.model.parameters = scaled(*part, "params_b", giga);
        out.model.activeParameters = scaled(*part, "active_params_b", giga);
        ignoreKeys(*part, {"note", "notes"});
        part->finish();
    }
    if (auto part = row.object("hardware")) {
        out.hardware.gpu = textOr(*part, "gpu");
        out.hardware.gpus = counted(*part, "gpus", 1);
        out.hardware.gpusPerNode = part->integer("gpus_per_node", 1, mostOfAnything).value_or(8);
        out.hardware.scaleUpDomain = scaleUpDomainOf(*part, out.hardware);
        out.hardware.network = textOr(*part, "network");
        out.hardware.instance = textOr(*part, "instance");
        ignoreKeys(*part, {"note", "notes"});
        part->finish();
    }
    if (auto part = row.object("parallelism")) {
        PublishedParallelism& p = out.parallelism;
        // A degree that a recipe does not set is 1.
        p.tensor = counted(*part, "tp", 1).value_or(1);
        p.context = counted(*part, "cp", 1).value_or(1);
        p.pipeline = counted(*part, "pp", 1).value_or(1);
        p.virtualPipeline = counted(*part, "vpp", 1);
        p.expert = counted(*part, "ep", 1);
        p.data = counted(*part, "dp", 1);
        p.sharding = textOr(*part, "sharding");
        p.zeroStage = saysIn(p.sharding, "fsdp") || saysIn(p.sharding, "3") ? std::optional(3)
                      : saysIn(p.sharding, "2")                             ? std::optional(2)
                      : saysIn(p.sharding, "1")                             ? std::optional(1)
                      : saysIn(p.sharding, "none")                          ? std::optional(0)
                                                                            : std::nullopt;
        ignoreKeys(*part, {"sp", "etp", "note", "notes"});
        part->finish();
    }
    if (auto part = row.object("batch")) {
        out.globalBatch = counted(*part, "gbs", 1);
        out.microBatch = counted(*part, "mbs", 1);
        out.model.sequenceLength = counted(*part, "seq_len", 1);
        out.tokensPerStep = scaled(*part, "tokens");
        out.finetune->packed = part->boolean("packed");
        ignoreKeys(*part, {"grad_accum", "note", "notes"});
        part->finish();
    }
}

} // namespace

std::optional<PublishedTraining> readFinetuneRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "group", "source", "model", "hardware", "parallelism", "batch", "measured", "method"});
    PublishedTraining out;
    out.finetune.emplace();
    out.id = textOr(row, "id");
    out.kind = textOr(row, "kind");
    out.group = textOr(row, "group");
    out.outcome = textOr(row, "outcome");
    out.finetune->method = textOr(row, "method");
    out.confidence = wordOf(row, "confidence", {"high", "medium", "low"});
    out.notes = textOr(row, "notes");
    out.inferred = row.texts("inferred");
    row.allow("derived");
    if (auto part = row.object("source")) {
        out.source = {textOr(*part, "title"), textOr(*part, "locator"), textOr(*part, "table"),
                      textOr(*part, "row"), textOr(*part, "date")};
        ignoreKeys(*part, {"url", "note", "notes"});
        part->finish();
    }
    if (auto part = row.object("framework")) {
        out.software = textOr(*part, "name");
        ignoreKeys(*part, {"version", "note", "notes"});
        part->finish();
    }
    if (auto part = row.object("options"))
        readTuneOptions(std::move(*part), out);
    readTunePlaces(row, out);
    if (auto part = row.object("measured")) {
        out.measured.stepTime = scaled(*part, "step_time_s");
        out.measured.tokensPerS = scaled(*part, "tokens_per_s");
        out.measured.tokensPerSPerGpu = scaled(*part, "tokens_per_s_per_gpu");
        out.measured.peakMemory = scaled(*part, "peak_mem_gib", bytesPerGib);
        out.measured.peakMemoryDefinition = textOr(*part, "peak_mem_definition");
        ignoreKeys(*part, {"tflops_per_gpu", "mfu", "hours", "note", "notes"});
        part->finish();
    }
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
