// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/json/json.h"

#include <algorithm>

namespace alidade::data::handoff {

namespace {

const Setting* onlyIfOn(const Setting* setting) { return isOn(setting) ? setting : nullptr; }

/// Degrees of a server, as Alidade counts them.
struct Degrees {
    std::int64_t tensor = 1, pipeline = 1, attention = 1, expert = 1, replicas = 1, nodes = 0;
    const Setting *tensorFrom = nullptr, *pipelineFrom = nullptr, *attentionFrom = nullptr,
                  *expertFrom = nullptr, *replicasFrom = nullptr;
    bool known = true; ///< all of them can be read
    std::int64_t gpus() const { return tensor * pipeline * attention; }
};

/// A degree and where it is said; one that is not a number makes the whole unknown.
void take(JobReader& reader, const Setting* from, std::int64_t& value, const Setting*& place, Degrees& all,
          bool human = false) {
    if (const auto number = reader.count(from, human)) {
        value = *number;
        place = from;
    } else if (from != nullptr) {
        all.known = false;
    }
}

Degrees vllmDegrees(JobReader& reader, Settings& settings) {
    Degrees out;
    take(reader, settings.use("--tensor-parallel-size"), out.tensor, out.tensorFrom, out, true);
    take(reader, settings.use("--pipeline-parallel-size"), out.pipeline, out.pipelineFrom, out, true);
    const Setting* experts = onlyIfOn(settings.use("--enable-expert-parallel"));
    const bool moe = reader.model() != nullptr && reader.model()->moe.has_value();
    const Setting* data = settings.use("--data-parallel-size");
    if (experts != nullptr || moe)
        take(reader, data, out.attention, out.attentionFrom, out, true);
    else
        take(reader, data, out.replicas, out.replicasFrom, out, true);
    if (experts != nullptr) {
        out.expert = out.tensor * out.attention;
        out.expertFrom = experts;
    }
    const auto all = reader.count(data, true);
    if (const auto local = reader.count(settings.use("--data-parallel-size-local"), true); local && all)
        out.nodes = (*all + *local - 1) / *local;
    if (const auto nodes = reader.count(settings.use("--nnodes"), true))
        out.nodes = *nodes;
    for (const char* name : {"--node-rank", "--master-addr", "--data-parallel-address",
                             "--data-parallel-rpc-port", "--data-parallel-start-rank", "--headless"})
        settings.use(name);
    return out;
}

Degrees sglangDegrees(JobReader& reader, Settings& settings) {
    Degrees out;
    take(reader, settings.use("--tp-size"), out.tensor, out.tensorFrom, out);
    take(reader, settings.use("--pp-size"), out.pipeline, out.pipelineFrom, out);
    std::int64_t groups = 1;
    const Setting* data = nullptr;
    take(reader, settings.use("--dp-size"), groups, data, out);
    if (isOn(settings.use("--enable-dp-attention")) && groups > 1) {
        out.attention = groups;
        out.attentionFrom = data;
        out.tensor = std::max<std::int64_t>(1, out.tensor / out.attention);
    } else if (groups > 1) {
        out.replicas = groups;
        out.replicasFrom = data;
    }
    take(reader, settings.use("--ep-size"), out.expert, out.expertFrom, out);
    if (const auto nodes = reader.count(settings.use("--nnodes")))
        out.nodes = *nodes;
    return out;
}

Degrees tensorRtDegrees(JobReader& reader, Settings& settings) {
    Degrees out;
    take(reader, settings.use("--tp_size"), out.tensor, out.tensorFrom, out);
    take(reader, settings.use("--pp_size"), out.pipeline, out.pipelineFrom, out);
    if (const Setting* attention = settings.use("enable_attention_dp"); isOn(attention) && out.tensor > 1) {
        out.attention = out.tensor;
        out.tensor = 1;
        out.attentionFrom = attention;
    }
    take(reader, settings.use("--ep_size"), out.expert, out.expertFrom, out);
    return out;
}

void setDegree(JobReader& reader, const std::string& path, std::int64_t value, const Setting* from,
               const Setting* or_) {
    const Setting* place = from != nullptr ? from : or_;
    if (place != nullptr)
        reader.set(path, value, *place);
    else if (value > 1)
        reader.set(path, value, "the command", 0);
}

void readSpeculation(JobReader& reader, Settings& settings) {
    if (const Setting* config = settings.use("--speculative-config")) {
        const auto json = nlohmann::json::parse(config->value(), nullptr, false);
        if (json.is_object() && json.contains("num_speculative_tokens") &&
            json["num_speculative_tokens"].is_number_integer())
            reader.set("plan.speculative.draft_tokens", json["num_speculative_tokens"].get<std::int64_t>(),
                       *config);
    }
    for (const char* name :
         {"--speculative-config.num_speculative_tokens", "--speculative-num-steps",
          "speculative_config.num_nextn_predict_layers", "speculative_config.max_draft_len"})
        if (const Setting* draft = settings.use(name))
            reader.set("plan.speculative.draft_tokens", draft->value(), *draft);
}

void readPrefixCache(JobReader& reader, Settings& settings) {
    const Setting* off = nullptr;
    for (const char* name : {"--no-enable-prefix-caching", "--disable-radix-cache"})
        if (const Setting* each = settings.use(name); isOn(each))
            off = each;
    for (const char* name : {"--enable-prefix-caching", "kv_cache_config.enable_block_reuse"})
        if (isOff(settings.find(name)))
            off = settings.use(name);
    if (off != nullptr)
        reader.set("workload.prefix_cache_hit", "0", *off);
}

void readWeights(JobReader& reader, Settings& settings) {
    const Setting* quantization = settings.use("--quantization");
    if (quantization == nullptr)
        return;
    static const std::map<std::string, std::string> formats{{"fp8", "fp8"},
                                                            {"fp8_per_block", "fp8_block"},
                                                            {"modelopt_fp4", "nvfp4"},
                                                            {"modelopt", "fp8"},
                                                            {"awq", "int4"},
                                                            {"gptq", "int4"},
                                                            {"awq_marlin", "int4"},
                                                            {"gptq_marlin", "int4"},
                                                            {"mxfp4", "mxfp4"},
                                                            {"modelopt_fp8", "fp8"},
                                                            {"w8a8_fp8", "fp8"}};
    if (const auto at = formats.find(quantization->value()); at != formats.end())
        reader.set("plan.weights", at->second, *quantization);
}

/// "prefill" or "decode" of a server of a pool; empty: a server that does both.
std::string roleOf(const JobReader& reader, Settings& settings, const JobCommand& command) {
    if (const Setting* mode = settings.use("--disaggregation-mode");
        mode != nullptr && (mode->value() == "prefill" || mode->value() == "decode"))
        return mode->value();
    if (const Setting* role = settings.use("--server_role"))
        return role->value() == "CONTEXT" ? "prefill" : role->value() == "GENERATION" ? "decode" : "";
    if (const Setting* transfer = settings.use("--kv-transfer-config")) {
        if (transfer->value().find("kv_producer") != std::string::npos)
            return "prefill";
        if (transfer->value().find("kv_consumer") != std::string::npos)
            return "decode";
        // kv_both says neither; the name of the script or of the object does.
        if (command.role.empty())
            return reader.pool();
    }
    return command.role;
}

void readConfigFile(JobReader& reader, const Tool& tool, Settings& settings) {
    const Setting* config = settings.use("--config");
    if (config == nullptr)
        return;
    auto keys = reader.keysOf(config->value(), flattenYaml);
    if (!keys)
        return;
    for (Setting& each : keys->all) {
        if (tool.id != "tensorrt-llm")
            each.name = "--" + each.name;
        settings.all.push_back(std::move(each)); // the file wins over the command line
    }
}

} // namespace

void readServer(JobReader& reader, const Tool& tool, Settings& settings, const std::vector<ShellWord>& rest,
                const JobCommand& command) {
    reader.set("workload.kind", std::string(wordOf(WorkloadKind::serving)), tool.name, 0);
    reader.set("plan.engine", tool.id, tool.name, 0);
    readConfigFile(reader, tool, settings);
    for (Setting& each : settings.all)
        if (const auto same = tool.sameAs.find(each.name); same != tool.sameAs.end())
            each.name = same->second;
    if (isOn(settings.find("--headless")))
        return; // a further instance of a server that was read already
    const Setting* model = settings.use(tool.id == "sglang" ? "--model-path" : "--model");
    if (model != nullptr)
        reader.readModelName(model->value(), *model);
    else if (!rest.empty())
        reader.readModelName(rest.front().text, reader.said("the model", rest.front().line));
    const std::string role = roleOf(reader, settings, command);
    Degrees degrees = tool.id == "vllm"     ? vllmDegrees(reader, settings)
                      : tool.id == "sglang" ? sglangDegrees(reader, settings)
                                            : tensorRtDegrees(reader, settings);
    reader.nameTheOpen(tool, settings);
    for (const char* degree : {"plan.tensor_parallel", "plan.pipeline_parallel", "plan.data_parallel"})
        degrees.known = degrees.known && !reader.isAskedFor(degree);
    const std::string prefix = role.empty() ? "plan." : "plan.disaggregated." + role + ".";
    const bool again = !reader.roles.insert(role).second;
    if (again) { // one more instance, or one more replica that is written out
        reader.repeated = true;
        return;
    }
    setDegree(reader, prefix + "tensor_parallel", degrees.tensor, degrees.tensorFrom,
              tool.id == "vllm" && degrees.known ? degrees.attentionFrom : nullptr);
    if (!degrees.known && degrees.tensorFrom == nullptr)
        reader.askFor(prefix + "tensor_parallel");
    if (degrees.pipelineFrom != nullptr)
        setDegree(reader, prefix + "pipeline_parallel", degrees.pipeline, degrees.pipelineFrom, nullptr);
    if (degrees.attentionFrom != nullptr)
        setDegree(reader, prefix + "attention_data_parallel", degrees.attention, degrees.attentionFrom,
                  nullptr);
    if (degrees.expertFrom != nullptr)
        setDegree(reader, prefix + "expert_parallel", degrees.expert, degrees.expertFrom, nullptr);
    const std::int64_t replicas = degrees.replicas * command.replicas;
    if (!role.empty())
        reader.set(prefix + "workers", replicas, "the servers of the role", 0);
    else if (degrees.replicasFrom != nullptr || replicas > 1)
        reader.set("plan.data_parallel", replicas,
                   degrees.replicasFrom != nullptr ? *degrees.replicasFrom
                                                   : reader.said("the number of servers"));
    const bool perRank = tool.id != "sglang";
    for (const char* name : {"--max-num-seqs", "--max-running-requests", "--max_batch_size"})
        if (const Setting* most = settings.use(name))
            if (const auto requests = reader.count(most, tool.id == "vllm"))
                reader.set(prefix + "max_batch", *requests * (perRank ? degrees.attention : 1), *most);
    if (const Setting* chunk = settings.use("--chunked-prefill-size");
        chunk != nullptr && chunk->value() != "-1" && !reader.has("plan.chunk_tokens")) // -1: all at once
        if (const auto tokens = reader.count(chunk))
            reader.set("plan.chunk_tokens", std::max<std::int64_t>(1, *tokens / degrees.attention), *chunk);
    // One pool's values are used for both where the scenario has only one field.
    if (role == "decode" && reader.roles.contains("prefill"))
        for (const FieldSpelling& field : tool.fields)
            if (reader.has(field.path) && settings.use(field.option) != nullptr)
                std::erase_if(settings.all,
                              [&field](const Setting& each) { return each.name == field.option; });
    Tool fields = tool;
    std::erase_if(fields.fields, [](const FieldSpelling& each) {
        return each.path == "plan.tensor_parallel" || each.path == "plan.pipeline_parallel" ||
               each.path == "plan.max_batch";
    });
    reader.readFields(fields, settings);
    readPrefixCache(reader, settings);
    readWeights(reader, settings);
    readSpeculation(reader, settings);
    if (const Setting* bytes = settings.use("--kv-offloading-size"))
        if (const auto gib = reader.count(bytes))
            reader.set("plan.kv_offload_bytes",
                       std::to_string(*gib * 1073741824 / std::max<std::int64_t>(1, degrees.tensor)), *bytes);
    if (const Setting* transfer = settings.find("--kv-transfer-config");
        transfer != nullptr && transfer->value().find("LIBFABRIC") != std::string::npos)
        reader.set("plan.disaggregated.transfer", "efa", *transfer);
    if (const Setting* transfer = settings.use("--disaggregation-transfer-backend"))
        reader.set("plan.disaggregated.transfer", transfer->value() == "mooncake" ? "nvlink" : "efa",
                   *transfer);
    if (degrees.known)
        reader.servers += degrees.gpus() * replicas;
    if (degrees.nodes > 0 && role.empty()) {
        Launch launch;
        launch.nodes = degrees.nodes;
        launch.nodesFrom = reader.said("the instances of a server");
        reader.noteLaunch(launch, replicas);
    }
    reader.nameTheRest(tool, settings);
}

void readDisaggregated(JobReader& reader, const Settings& keys) {
    static const std::map<std::string, std::string, std::less<>> options{
        {"tensor_parallel_size", "--tp_size"},
        {"pipeline_parallel_size", "--pp_size"},
        {"moe_expert_parallel_size", "--ep_size"},
        {"max_batch_size", "--max_batch_size"},
        {"max_num_tokens", "--max_num_tokens"},
        {"max_seq_len", "--max_seq_len"},
        {"free_gpu_memory_fraction", "kv_cache_config.free_gpu_memory_fraction"}};
    if (reader.out.tool.empty() || reader.out.tool == "slurm")
        reader.out.tool = "tensorrt-llm";
    for (const auto& [section, role] :
         {std::pair("context_servers.", "prefill"), {"generation_servers.", "decode"}}) {
        JobCommand command;
        command.role = role;
        Settings settings;
        std::vector<ShellWord> rest;
        for (Setting each : keys.all) {
            const bool own = each.name.starts_with(section);
            if (own)
                each.name.erase(0, std::string_view(section).size());
            else if (each.name.starts_with("context_servers.") ||
                     each.name.starts_with("generation_servers."))
                continue; // the other pool's
            if (each.name == "model" && rest.empty()) {
                rest.push_back({each.value(), each.line});
            } else if (each.name == "num_instances") {
                command.replicas = reader.count(&each).value_or(1);
            } else if (each.name == "urls") {
                for (const std::string& url : each.values)
                    if (const std::string host = url.substr(0, url.find(':'));
                        host != "localhost" && host.find("CHANGE_ME") == std::string::npos)
                        reader.addHost(host);
            } else if (each.name != "hostname" && each.name != "port" && each.name != "backend") {
                const auto at = options.find(each.name);
                if (at != options.end())
                    each.name = at->second;
                // What a pool says itself counts, not what is said for both.
                settings.all.insert(own ? settings.all.end() : settings.all.begin(), std::move(each));
            }
        }
        readServer(reader, reader.toolFor("tensorrt-llm", settings), settings, rest, command);
    }
}

} // namespace alidade::data::handoff
