// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"
#include "data/validation/repository_source.h"

namespace alidade::data {
namespace {

constexpr int most = 100'000'000; ///< of anything that is counted
constexpr double milli = 1e-3;

std::string textOr(ObjectReader& from, std::string_view key) {
    return from.text(key).value_or(std::string());
}
/// At least one.
std::optional<int> count(ObjectReader& from, std::string_view key) { return from.integer(key, 1, most); }

/// A figure that is zero or more, in units of `scale`.
std::optional<double> scaled(ObjectReader& from, std::string_view key, double scale = 1) {
    const auto number = from.number(key, {0, 1e30, {}});
    return number ? std::optional(*number * scale) : std::nullopt;
}

/// One of a few words; empty if absent.
std::string word(ObjectReader& from, std::string_view key, const std::vector<std::string>& legal) {
    const auto index = from.choice(key, legal);
    return index ? legal[*index] : std::string();
}

void readModel(ObjectReader row, PublishedServing& out) {
    row.require({"name", "arch"});
    out.model = textOr(row, "name");
    out.architecture = textOr(row, "arch");
    out.family = word(row, "kind", {"dense", "moe"});
    row.finish();
}

PublishedServingHardware hardwareOf(ObjectReader row) {
    row.require({"gpu"});
    PublishedServingHardware out;
    out.gpu = textOr(row, "gpu");
    out.gpus = count(row, "gpus");
    out.nodes = count(row, "nodes").value_or(out.nodes);
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
    out.instances = count(row, "instances").value_or(out.instances);
    out.gpus = count(row, "gpus").value_or(out.gpus);
    out.tensor = count(row, "tp");
    out.expert = count(row, "ep");
    out.attentionData = count(row, "dp");
    row.finish();
    return out;
}

PublishedServingLayout layoutOf(ObjectReader row) {
    PublishedServingLayout out;
    out.tensor = count(row, "tp");
    out.pipeline = count(row, "pp");
    out.replicas = count(row, "dp");
    out.expert = count(row, "ep");
    out.attentionData = count(row, "attention_dp");
    if (auto pools = row.object("disaggregated")) {
        pools->require({"prefill", "decode"});
        if (auto pool = pools->object("prefill")) {
            out.prefill = poolOf(std::move(*pool));
        }
        if (auto pool = pools->object("decode")) {
            out.decode = poolOf(std::move(*pool));
        }
        pools->finish();
    }
    out.words = textOr(row, "as_published");
    row.finish();
    return out;
}

void readPrecision(ObjectReader row, PublishedServing& out) {
    const std::vector<std::string> formats = {"fp32", "fp16", "bf16",  "fp8",  "fp8_block",
                                              "int8", "int4", "mxfp4", "nvfp4"};
    out.weights = word(row, "weights", formats);
    out.activations = word(row, "activations", formats);
    out.kvCache = word(row, "kv", formats);
    row.finish();
}

PublishedSpeculation speculationOf(ObjectReader row) {
    PublishedSpeculation out;
    out.method = textOr(row, "method");
    out.draftTokens = count(row, "draft_tokens");
    out.acceptanceLength = row.number("acceptance_length", {1, most, {}});
    row.finish();
    return out;
}

PublishedLoad loadOf(ObjectReader row) {
    row.require({"mode"});
    PublishedLoad out;
    out.inputTokens = row.number("isl", {0, most, "tokens"});
    out.outputTokens = row.number("osl", {0, most, "tokens"});
    out.lengths = textOr(row, "length_distribution");
    out.concurrency = row.number("concurrency", {1, most, {}});
    out.requestRate = scaled(row, "request_rate_per_s");
    out.batch = count(row, "batch");
    out.requests = count(row, "num_requests");
    out.mode = word(row, "mode",
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

PublishedServingFigures figuresOf(ObjectReader row) {
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
    if (auto line = row.object("itl_fit")) {
        out.itlLine = lineOf(std::move(*line));
    }
    row.finish();
    return out;
}

void readParts(ObjectReader& row, PublishedServing& out) {
    if (auto part = row.object("source")) {
        out.source = repositorySource(std::move(*part));
    }
    if (auto part = row.object("model")) {
        readModel(std::move(*part), out);
    }
    if (auto part = row.object("hardware")) {
        out.hardware = hardwareOf(std::move(*part));
    }
    if (auto part = row.object("engine")) {
        readEngine(std::move(*part), out);
    }
    if (auto part = row.object("parallelism")) {
        out.layout = layoutOf(std::move(*part));
    }
    if (auto part = row.object("precision")) {
        readPrecision(std::move(*part), out);
    }
    if (auto part = row.object("speculative")) {
        out.speculation = speculationOf(std::move(*part));
    }
    if (auto part = row.object("workload")) {
        out.load = loadOf(std::move(*part));
    }
    if (auto part = row.object("measured")) {
        out.measured = figuresOf(std::move(*part));
    }
}

} // namespace

std::optional<PublishedServing> readServingRow(ObjectReader& row) {
    const std::size_t before = row.faults().size();
    row.require({"id", "source", "model", "hardware", "engine", "parallelism", "precision", "workload",
                 "phase", "measured", "quality"});
    PublishedServing out;
    out.id = textOr(row, "id");
    out.phase = word(row, "phase", {"e2e", "prefill", "decode"});
    out.printed = textOr(row, "published_metric");
    out.quality = word(row, "quality", {"A", "B", "C"});
    out.notes = textOr(row, "notes");
    row.allow("repeats"); // spread of the runs behind one figure
    readParts(row, out);
    row.finish();
    return row.faults().size() == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
