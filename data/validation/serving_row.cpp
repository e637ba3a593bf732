// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"
#include "data/validation/repository_source.h"
#include "data/validation/row_fields.h"

namespace alidade::data {
namespace {

void readModel(ObjectReader row, PublishedServing& out) {
    row.require({"name", "arch"});
    out.model = textOr(row, "name");
    out.architecture = textOr(row, "arch");
    out.family = wordOf(row, "kind", {"dense", "moe"});
    row.finish();
}

PublishedServingHardware servingHardwareOf(ObjectReader row) {
    row.require({"gpu"});
    PublishedServingHardware out;
    out.gpu = textOr(row, "gpu");
    out.gpus = counted(row, "gpus", 1);
    out.nodes = counted(row, "nodes", 1).value_or(out.nodes);
    out.instance = textOr(row, "instance");
    out.interconnect = textOr(row, "interconnect");
    row.finish();
    return out;
}

void readEngine(ObjectReader row, PublishedServing& out) {
    row.require({"name"});
    out.engine = textOr(row, "name");
    out.engineVersion = textOr(row, "version");
    row.finish();
}

PublishedPool poolOf(ObjectReader row) {
    row.require({"instances", "gpus"});
    PublishedPool out;
    out.instances = counted(row, "instances", 1).value_or(out.instances);
    out.gpus = counted(row, "gpus", 1).value_or(out.gpus);
    out.tensor = counted(row, "tp", 1);
    out.expert = counted(row, "ep", 1);
    out.attentionData = counted(row, "dp", 1);
    row.finish();
    return out;
}

PublishedServingLayout layoutOf(ObjectReader row) {
    PublishedServingLayout out;
    out.tensor = counted(row, "tp", 1);
    out.pipeline = counted(row, "pp", 1);
    out.replicas = counted(row, "dp", 1);
    out.expert = counted(row, "ep", 1);
    out.attentionData = counted(row, "attention_dp", 1);
    if (auto pools = row.object("disaggregated")) {
        pools->require({"prefill", "decode"});
        if (auto pool = pools->object("prefill"))
            out.prefill = poolOf(std::move(*pool));
        if (auto pool = pools->object("decode"))
            out.decode = poolOf(std::move(*pool));
        pools->finish();
    }
    out.words = textOr(row, "as_published");
    row.finish();
    return out;
}

void readPrecision(ObjectReader row, PublishedServing& out) {
    const std::vector<std::string> formats = {"fp32", "fp16", "bf16",  "fp8",  "fp8_block",
                                              "int8", "int4", "mxfp4", "nvfp4"};
    out.weights = wordOf(row, "weights", formats);
    out.activations = wordOf(row, "activations", formats);
    out.kvCache = wordOf(row, "kv", formats);
    out.scales = wordOf(row, "scales", {"tensor", "channel", "block"});
    row.finish();
}

PublishedSpeculation speculationOf(ObjectReader row) {
    PublishedSpeculation out;
    out.method = textOr(row, "method");
    out.draftTokens = counted(row, "draft_tokens", 1);
    out.acceptanceLength = row.number("acceptance_length", {1, mostOfAnything, {}});
    row.finish();
    return out;
}

PublishedLoad loadOf(ObjectReader row) {
    row.require({"mode"});
    PublishedLoad out;
    out.inputTokens = row.number("isl", {0, mostOfAnything, "tokens"});
    out.outputTokens = row.number("osl", {0, mostOfAnything, "tokens"});
    out.lengths = textOr(row, "length_distribution");
    out.inputCv = row.number("isl_cv", {0, mostOfAnything, {}});
    out.outputCv = row.number("osl_cv", {0, mostOfAnything, {}});
    out.sampling = wordOf(row, "sampling", {"top_p", "plain"});
    out.tuning = wordOf(row, "tuning", {"vendor", "as_run"});
    out.concurrency = row.number("concurrency", {1, mostOfAnything, {}});
    out.requestRate = scaled(row, "request_rate_per_s");
    out.batch = counted(row, "batch", 1);
    out.requests = counted(row, "num_requests", 1);
    out.pollInterval = counted(row, "poll_interval_steps", 1);
    out.mode = wordOf(row, "mode",
                      {"offline", "static batch", "single-stream", "server (closed loop)", "server",
                       "interactive", "server (production)"});
    out.prefixCacheHit = row.number("prefix_cache_hit", {0, 1, {}});
    row.finish();
    return out;
}

PublishedItlLine lineOf(ObjectReader row) {
    row.require({"intercept_ms", "slope_ms_per_context_token"});
    PublishedItlLine out;
    out.intercept = scaled(row, "intercept_ms", milli).value_or(0);
    out.slope = scaled(row, "slope_ms_per_context_token", milli).value_or(0);
    row.allow("formula"); // says in words what the two are
    row.finish();
    return out;
}

PublishedServingFigures servingFiguresOf(ObjectReader row) {
    PublishedServingFigures out;
    out.outputTokensPerS = scaled(row, "output_tokens_per_s");
    out.outputTokensPerSPerGpu = scaled(row, "output_tokens_per_s_per_gpu");
    out.inputTokensPerS = scaled(row, "input_tokens_per_s");
    out.inputTokensPerSPerGpu = scaled(row, "input_tokens_per_s_per_gpu");
    out.totalTokensPerS = scaled(row, "total_tokens_per_s");
    out.requestsPerS = scaled(row, "requests_per_s");
    out.ttft = scaled(row, "ttft_ms", milli);
    out.tpot = scaled(row, "tpot_ms", milli);
    out.itl = scaled(row, "itl_ms", milli);
    out.e2e = scaled(row, "e2e_latency_ms", milli);
    out.prefill = scaled(row, "prefill_ms", milli);
    out.tokensPerSPerUser = scaled(row, "tokens_per_s_per_user");
    if (auto line = row.object("itl_fit"))
        out.itlLine = lineOf(std::move(*line));
    row.finish();
    return out;
}

void readParts(ObjectReader& row, PublishedServing& out) {
    if (auto part = row.object("source"))
        out.source = repositorySource(std::move(*part));
    if (auto part = row.object("model"))
        readModel(std::move(*part), out);
    if (auto part = row.object("hardware"))
        out.hardware = servingHardwareOf(std::move(*part));
    if (auto part = row.object("engine"))
        readEngine(std::move(*part), out);
    if (auto part = row.object("parallelism"))
        out.layout = layoutOf(std::move(*part));
    if (auto part = row.object("precision"))
        readPrecision(std::move(*part), out);
    if (auto part = row.object("speculative"))
        out.speculation = speculationOf(std::move(*part));
    if (auto part = row.object("workload"))
        out.load = loadOf(std::move(*part));
    if (auto part = row.object("measured"))
        out.measured = servingFiguresOf(std::move(*part));
}

} // namespace

std::optional<PublishedServing> readServingRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "source", "model", "hardware", "engine", "parallelism", "precision", "workload",
                 "phase", "measured", "quality"});
    PublishedServing out;
    out.id = textOr(row, "id");
    out.phase = wordOf(row, "phase", {"e2e", "prefill", "decode"});
    out.printed = textOr(row, "published_metric");
    out.quality = wordOf(row, "quality", {"A", "B", "C"});
    out.notes = textOr(row, "notes");
    row.allow("repeats"); // spread of the runs behind one figure
    readParts(row, out);
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
