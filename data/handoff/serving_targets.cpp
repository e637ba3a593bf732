// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/job.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

/// The degrees of a program's pool.
struct Pool {
    std::int64_t tensor = 1, pipeline = 1, expert = 1, attention = 1;
    std::optional<std::int64_t> maxBatch;
};

Pool poolOf(const ScenarioSpec& spec, const std::string& role) {
    const PlanSpec& plan = spec.plan;
    if (role == "serve")
        return {plan.tensorParallel.value_or(1), plan.pipelineParallel.value_or(1),
                plan.expertParallel.value_or(1), plan.attentionDataParallel.value_or(1), plan.maxBatch};
    const PoolSpec& pool = role == "prefill" ? plan.disaggregated.prefill : plan.disaggregated.decode;
    return {pool.tensorParallel.value_or(1), pool.pipelineParallel.value_or(1),
            pool.expertParallel.value_or(1), pool.attentionDataParallel.value_or(1),
            pool.maxBatch ? pool.maxBatch : plan.maxBatch};
}

std::string prefix(const std::string& role) {
    return role == "serve" ? "plan." : "plan.disaggregated." + role + ".";
}

/// The longest request that the plan expects: three standard deviations over the mean of both lengths,
/// rounded up to a kibitoken, and no more than the model takes.
std::int64_t longestRequest(const HandoffSource& source) {
    const WorkloadSpec& load = source.estimate.scenario.workload;
    const auto longest = [](double mean, double cv) { return mean * (1 + 3 * cv); };
    const double tokens = longest(load.inputTokens.value_or(0), load.inputTokensCv.value_or(0)) +
                          longest(load.outputTokens.value_or(0), load.outputTokensCv.value_or(0));
    const auto rounded = static_cast<std::int64_t>(std::ceil(tokens / 1024)) * 1024;
    const int most = source.scenario.model.maxContextTokens;
    return most > 0 ? std::min<std::int64_t>(rounded, most) : rounded;
}

/// What all engines have in common: model, weights that are not in the checkpoint's name, host memory.
void writeWeights(const HandoffSource& source, Job& job, Settings& out, const char* offloadOption) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const std::string weights = spec.plan.weights.value_or("bf16");
    const std::string repository = repositoryOf(spec, job.warnings);
    if (repository.starts_with("CHANGE_ME"))
        leaveOut(job.leftOut, "workload.model", spec.workload.model.value_or("one of your own"),
                 "no repository is known for it");
    const std::string& native = source.scenario.model.nativeWeightFormat;
    const auto suffixes = weightSuffixes();
    const bool named = std::ranges::any_of(suffixes, [&](const auto& each) {
        return each.second == weights && repository.ends_with(each.first);
    });
    const bool isNative =
        native.starts_with(weights) || (weights == "fp8_block" && native.find("block") != std::string::npos);
    const bool inBlocks = native.find("block") != std::string::npos;
    if (weights == "fp8" && inBlocks && !named)
        leaveOut(job.leftOut, "plan.weights", weights, "the checkpoint is in blocks of FP8");
    const bool atLoad = weights == "fp8" && !named && !isNative;
    if (atLoad)
        out.set("--quantization", "fp8");
    else if (!isNative && !named)
        leaveOut(job.leftOut, "plan.weights", weights,
                 "the checkpoint decides: name a repository with these weights in place of " + repository);
    if (const double share = spec.plan.weightsOffload.value_or(0); share > 0 && source.estimate.memory) {
        double bytes = 0;
        for (const MemoryPartT<double>& part : source.estimate.memory->parts)
            if (part.name == "Weights")
                bytes = part.bytes;
        if (offloadOption != nullptr && bytes > 0)
            out.set(offloadOption, static_cast<std::int64_t>(
                                       std::ceil(bytes / std::max(0.01, 1 - share) * share / bytesPerGib)));
        else
            leaveOut(job.leftOut, "plan.weights_offload", fieldWord(spec, "plan.weights_offload"),
                     "no such option");
    }
}

/// Requests that each attention group takes at once.
std::int64_t requestsOfGroup(const Pool& pool, const std::string& role, Job& job) {
    const std::int64_t each = std::max<std::int64_t>(1, *pool.maxBatch / pool.attention);
    if (each * pool.attention != *pool.maxBatch)
        leaveOut(job.leftOut, prefix(role) + "max_batch", std::to_string(*pool.maxBatch),
                 "each of " + std::to_string(pool.attention) + " groups takes " + std::to_string(each));
    return each;
}

/// The wire that the key-value cache goes over has a name only where it is EFA.
void tellTransfer(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const std::vector<Program> all = servingPrograms(source);
    if (spec.plan.disaggregated.transfer && all.size() > 1 && !sendsOverEfa(source, all.front()))
        leaveOut(job.leftOut, "plan.disaggregated.transfer", *spec.plan.disaggregated.transfer,
                 "NIXL takes what it finds");
}

void tellReplicas(const Program& program, Job& job) {
    if (program.replicas > 1)
        job.warnings.push_back(
            std::to_string(program.replicas) + " " +
            (program.role == "serve" ? std::string("replicas") : program.role + " workers") +
            " run as separate servers: put a router in front of them");
}

/// The page of the cache is up to the engine unless the plan says it: that of another one may fit none of its
/// kernels.
void leavePages(const HandoffSource& source, const Job& job, ScenarioSpec& fields) {
    if (fieldWord(source.written, "plan.kv_block").empty() &&
        !fields.plan.engine.value_or("").starts_with(job.tool->id))
        fields.plan.kvBlock.reset();
}

/// Without chunks a step has to hold the longest request: an engine with fewer tokens a step does not start,
/// or refuses such a request.
void holdLongest(const HandoffSource& source, std::string_view option, Settings& out, Job& job) {
    const std::int64_t longest = longestRequest(source);
    const std::int64_t chunk = source.estimate.scenario.plan.chunkTokens.value_or(longest);
    if (source.estimate.scenario.plan.mixedPrefill.value_or(true) || chunk >= longest)
        return;
    for (Setting& each : out.all)
        if (each.name == option)
            each.values = {std::to_string(longest)};
    leaveOut(job.leftOut, "plan.chunk_tokens", std::to_string(chunk),
             "without chunked prefill a step holds the longest request; written as " +
                 std::to_string(longest));
}

} // namespace

void writeVllm(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const bool experts = source.scenario.model.moe.has_value();
    tellTransfer(source, job);
    for (Program program : servingPrograms(source)) {
        const Pool pool = poolOf(spec, program.role);
        Settings& out = program.arguments;
        program.launcher = Launcher::vllm;
        program.command = {"vllm", "serve", repositoryOf(spec, job.warnings)};
        out.set("--tensor-parallel-size", pool.tensor);
        if (pool.pipeline > 1)
            out.set("--pipeline-parallel-size", pool.pipeline);
        if (pool.attention > 1)
            out.set("--data-parallel-size", pool.attention);
        const std::int64_t all = pool.tensor * pool.attention;
        if (experts && pool.expert == all && all > 1)
            out.set("--enable-expert-parallel");
        else if (pool.expert > 1)
            leaveOut(job.leftOut, prefix(program.role) + "expert_parallel", std::to_string(pool.expert),
                     "vLLM spreads experts over all of tensor x data GPUs, or not at all");
        if (pool.maxBatch)
            out.set("--max-num-seqs", requestsOfGroup(pool, program.role, job));
        ScenarioSpec fields = spec;
        fields.plan.tensorParallel.reset();
        fields.plan.pipelineParallel.reset();
        leavePages(source, job, fields);
        writeFields(*job.tool, fields, out, job.leftOut);
        holdLongest(source, "--max-num-batched-tokens", out, job);
        if (const std::int64_t longest = longestRequest(source); longest > 0)
            out.set("--max-model-len", longest);
        out.set(reusesPrompts(spec.workload) ? "--enable-prefix-caching" : "--no-enable-prefix-caching");
        writeWeights(source, job, out, "--cpu-offload-gb");
        if (const double bytes = spec.plan.kvOffloadBytes.value_or(0); bytes > 0) {
            out.set("--kv-offloading-size", static_cast<std::int64_t>(std::ceil(
                                                bytes * static_cast<double>(pool.tensor) / bytesPerGib)));
            out.set("--kv-offloading-backend", "native");
        }
        if (const auto draft = spec.plan.speculative.draftTokens) {
            Json config = Json::object();
            config["method"] = source.scenario.model.mtpLayers > 0 ? "mtp" : "eagle3";
            config["num_speculative_tokens"] = *draft;
            if (source.scenario.model.mtpLayers == 0)
                config["model"] = "CHANGE_ME_DRAFT_MODEL";
            out.set("--speculative-config", config.dump());
        }
        if (program.role != "serve") {
            Json transfer = {{"kv_connector", "NixlConnector"}, {"kv_role", "kv_both"}};
            if (sendsOverEfa(source, program))
                transfer["kv_connector_extra_config"] = {{"backends", Json::array({"LIBFABRIC"})}};
            out.set("--kv-transfer-config", transfer.dump());
        }
        out.set("--port", program.port());
        tellReplicas(program, job);
        program.environment = environmentOf(source, "vllm", program);
        job.programs.push_back(std::move(program));
    }
}

void writeSglang(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    for (Program program : servingPrograms(source)) {
        const Pool pool = poolOf(spec, program.role);
        Settings& out = program.arguments;
        program.launcher = Launcher::sglang;
        program.command = {"python3", "-m", "sglang.launch_server"};
        out.set("--model-path", repositoryOf(spec, job.warnings));
        const std::int64_t all = pool.tensor * pool.attention;
        out.set("--tp-size", all);
        if (pool.pipeline > 1)
            out.set("--pp-size", pool.pipeline);
        if (pool.attention > 1) {
            out.set("--dp-size", pool.attention);
            out.set("--enable-dp-attention");
        }
        if (pool.expert > 1)
            out.set("--ep-size", pool.expert);
        if (pool.expert > 1 && pool.expert == all)
            out.set("--moe-a2a-backend", "deepep");
        if (pool.maxBatch)
            out.set("--max-running-requests", *pool.maxBatch);
        if (spec.plan.chunkTokens)
            out.set("--chunked-prefill-size", *spec.plan.chunkTokens * pool.attention);
        ScenarioSpec fields = spec;
        fields.plan.maxBatch.reset();
        fields.plan.pipelineParallel.reset();
        leavePages(source, job, fields);
        writeFields(*job.tool, fields, out, job.leftOut);
        if (const std::int64_t longest = longestRequest(source); longest > 0)
            out.set("--context-length", longest);
        if (!reusesPrompts(spec.workload))
            out.set("--disable-radix-cache");
        writeWeights(source, job, out, "--cpu-offload-gb");
        if (const double bytes = spec.plan.kvOffloadBytes.value_or(0); bytes > 0) {
            out.set("--enable-hierarchical-cache");
            out.set("--hicache-size", static_cast<std::int64_t>(std::ceil(bytes / 1e9)));
        }
        if (const auto draft = spec.plan.speculative.draftTokens) {
            out.set("--speculative-algorithm", "EAGLE");
            if (source.scenario.model.mtpLayers == 0)
                out.set("--speculative-draft-model-path", "CHANGE_ME_DRAFT_MODEL");
            out.set("--speculative-num-steps", *draft);
            out.set("--speculative-eagle-topk", "1");
            out.set("--speculative-num-draft-tokens", *draft + 1);
        }
        if (program.role != "serve") {
            out.set("--disaggregation-mode", program.role);
            out.set("--disaggregation-transfer-backend",
                    spec.plan.disaggregated.transfer == "nvlink" ? "mooncake" : "nixl");
        }
        out.set("--host", "0.0.0.0");
        out.set("--port", program.port());
        tellReplicas(program, job);
        program.environment = environmentOf(source, "sglang", program);
        job.programs.push_back(std::move(program));
    }
}

namespace {

/// "HOST_A", ..., "HOST_Z", "HOST_AA": one for each server whose host only a person knows.
std::string hostPlaceholder(const std::string& role, int number) {
    std::string letters;
    for (int rest = number; rest >= 0; rest = rest / 26 - 1)
        letters.insert(letters.begin(), static_cast<char>('A' + rest % 26));
    return std::string("CHANGE_ME_") + (role == "prefill" ? "CONTEXT" : "GENERATION") + "_HOST_" + letters;
}

/// One pool of the configuration of `trtllm-serve disaggregated`, which sends the requests to both.
Json poolServers(const Program& program, const Pool& pool) {
    Json urls = Json::array();
    for (int server = 0; server < program.replicas; ++server)
        urls.push_back(hostPlaceholder(program.role, server / program.perNode()) + ":" +
                       std::to_string(program.port() + server % program.perNode()));
    Json out = {{"num_instances", program.replicas}, {"urls", urls}};
    out["tensor_parallel_size"] = pool.tensor * pool.attention;
    out["pipeline_parallel_size"] = pool.pipeline;
    if (pool.expert > 1)
        out["moe_expert_parallel_size"] = pool.expert;
    if (pool.attention > 1)
        out["enable_attention_dp"] = true;
    return out;
}

} // namespace

void writeTensorRtLlm(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    tellTransfer(source, job);
    Json router = {{"hostname", "0.0.0.0"}, {"port", 8080}, {"backend", "pytorch"}};
    for (Program program : servingPrograms(source)) {
        const Pool pool = poolOf(spec, program.role);
        Settings& out = program.arguments;
        Settings keys;
        program.launcher = Launcher::trtllm;
        program.command = {"trtllm-serve", repositoryOf(spec, job.warnings)};
        const std::int64_t all = pool.tensor * pool.attention;
        out.set("--tp_size", all);
        if (pool.pipeline > 1)
            out.set("--pp_size", pool.pipeline);
        if (pool.expert > 1)
            out.set("--ep_size", pool.expert);
        if (pool.attention > 1) {
            keys.set("enable_attention_dp", "true");
            if (pool.tensor > 1)
                leaveOut(job.leftOut, prefix(program.role) + "tensor_parallel", std::to_string(pool.tensor),
                         "attention data parallelism makes one group of each GPU");
        }
        if (pool.maxBatch) {
            Pool groups = pool;
            groups.attention = pool.attention > 1 ? all : 1;
            out.set("--max_batch_size", requestsOfGroup(groups, program.role, job));
        }
        if (const std::int64_t longest = longestRequest(source); longest > 0)
            out.set("--max_seq_len", longest);
        ScenarioSpec fields = spec;
        fields.plan.pipelineParallel.reset();
        leavePages(source, job, fields);
        Settings both;
        writeFields(*job.tool, fields, both, job.leftOut);
        for (Setting& each : both.all)
            (each.name.starts_with("--") ? out : keys).all.push_back(std::move(each));
        holdLongest(source, "--max_num_tokens", out, job);
        keys.set("kv_cache_config.enable_block_reuse", reusesPrompts(spec.workload) ? "true" : "false");
        if (const double bytes = spec.plan.kvOffloadBytes.value_or(0); bytes > 0)
            keys.set("kv_cache_config.host_cache_size", static_cast<std::int64_t>(bytes));
        if (!spec.plan.cudaGraphs.value_or(true))
            keys.set("cuda_graph_config", "null");
        else
            keys.set("cuda_graph_config.enable_padding", "true");
        Settings weights;
        writeWeights(source, job, weights, nullptr);
        if (weights.has("--quantization"))
            leaveOut(job.leftOut, "plan.weights", fieldWord(spec, "plan.weights"), "the checkpoint decides");
        if (const auto draft = spec.plan.speculative.draftTokens) {
            const bool prediction = source.scenario.model.mtpLayers > 0;
            keys.set("speculative_config.decoding_type", prediction ? "MTP" : "Eagle");
            keys.set(prediction ? "speculative_config.num_nextn_predict_layers"
                                : "speculative_config.max_draft_len",
                     *draft);
            if (!prediction)
                keys.set("speculative_config.speculative_model", "CHANGE_ME_DRAFT_MODEL");
        }
        if (program.role != "serve") {
            keys.set("cache_transceiver_config.backend", "NIXL");
            out.set("--server_role", program.role == "prefill" ? "CONTEXT" : "GENERATION");
        }
        const std::string file =
            program.role == "serve" ? "llm_args.yaml" : "llm_args-" + program.role + ".yaml";
        out.set("--config", file);
        out.set("--host", "0.0.0.0"); // localhost where nothing is said
        out.set("--port", program.port());
        Json document = Json::object();
        for (const Setting& each : keys.all)
            setPath(document, each.name, valueOf(each.value()));
        job.files.push_back({file, yamlText(document)});
        if (program.role != "serve") {
            router["model"] = program.command.back();
            router[program.role == "prefill" ? "context_servers" : "generation_servers"] =
                poolServers(program, pool);
        }
        tellReplicas(program, job);
        program.environment = environmentOf(source, "tensorrt-llm", program);
        job.programs.push_back(std::move(program));
    }
    if (router.contains("context_servers"))
        job.files.push_back({disaggregatedFile, yamlText(router)});
}

} // namespace alidade::data::handoff
