// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/import_job.h"

#include "data/jobs/job_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>

namespace alidade::data {

using namespace handoff;

namespace {

constexpr std::size_t mostBytes = 4u << 20;

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// The first line that is not a comment and not empty.
std::string_view firstLine(std::string_view text) {
    while (!text.empty()) {
        text = trimmed(text);
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.starts_with('#') || line.starts_with("#!"))
            return line;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return {};
}

bool looksLikeToml(std::string_view text) {
    const std::string_view line = firstLine(text);
    return line.starts_with('[') && line.find(']') != std::string_view::npos &&
           line.find('"') == std::string_view::npos && line.find(',') == std::string_view::npos &&
           line.find('{') == std::string_view::npos;
}

bool looksLikeYaml(std::string_view text) {
    const std::string_view line = firstLine(text);
    if (line.starts_with("---") || line.starts_with('{'))
        return true;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || line.starts_with('-') || line.starts_with('#') ||
        (colon + 1 < line.size() && line[colon + 1] != ' ' && line[colon + 1] != '\r'))
        return false;
    return line.substr(0, colon).find_first_of(" \t$=") == std::string_view::npos;
}

/// A list of options without a program: continued over its lines, and those of Megatron-LM.
std::string asCommand(std::string_view text) {
    std::string out(text);
    std::ranges::replace(out, '\n', ' ');
    return "pretrain_arguments " + out;
}

/// Whether a name has a word, between what is neither a letter nor a digit: "h100" in "nvidia_h100_80gb".
bool hasWord(std::string_view name, std::string_view word) {
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    while (!name.empty()) {
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(name, isPart) - name.begin());
        if (bare(name.substr(0, end)) == word)
            return true;
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return false;
}

constexpr std::array programs{"torchrun",
                              "torch.distributed.run",
                              "pretrain_",
                              "torchtitan",
                              "accelerate launch",
                              "deepspeed",
                              "vllm",
                              "sglang",
                              "trtllm-serve",
                              "run_recipe.py",
                              "verl.trainer",
                              "one_step_off_policy",
                              "fully_async_policy",
                              "nemo llm",
                              "megatron_gpt_pretraining",
                              "#SBATCH",
                              "srun ",
                              "--num-layers"};

} // namespace

bool looksLikeRunningJob(std::string_view text) {
    const auto has = [text](std::string_view word) { return text.find(word) != std::string_view::npos; };
    return (has("JobId=") && has("NumNodes=")) ||
           (has("\"kind\": \"Pod\"") && has("\"containers\"") && has("nvidia.com/gpu"));
}

bool looksLikeJob(std::string_view text) {
    const std::string_view head = text.substr(0, 64u << 10);
    if (head.find("\"alidade\"") != std::string_view::npos)
        return false;
    const auto has = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    if (std::ranges::any_of(programs, has))
        return true;
    return (has("apiVersion") && has("kind") && (has("containers") || has("replicatedJobs"))) ||
           (has("modelArtifacts:") && has("decode:")) || has("SlurmQueues:") || has("zero_optimization") ||
           (has("context_servers:") && has("generation_servers:")) ||
           (has("num_nodes:") && has("tensor_model_parallel_size:")) ||
           has("train_micro_batch_size_per_gpu") || has("compute_environment:") ||
           has("tensor-parallel-size:") || has("[parallelism]") || (has("JobId=") && has("NumNodes=")) ||
           (has("\"jobs\"") && has("\"node_count\""));
}

JobReading readJob(std::string_view text, const std::string& file, const Catalog& catalog,
                   const JobFiles& files, const Tools* tools) {
    JobReading out;
    if (text.size() > mostBytes) {
        out.faults.push_back(file + ": larger than 4 MiB; a job is a few kilobytes");
        return out;
    }
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    if (text.find('\0') != std::string_view::npos) {
        out.faults.push_back(file + ":1: binary; a job is text");
        return out;
    }
    JobReader reader(out, catalog, files, tools != nullptr ? *tools : Tools::shipped());
    const std::string content(text);
    if (readScontrol(reader, text)) {
        // done
    } else if (looksLikeToml(text)) {
        Settings keys;
        if (std::string fault = flattenToml(content, file, keys); !fault.empty()) {
            out.faults.push_back(fault + "; expected the TOML of torchtitan");
            return out;
        }
        out.tool = "torchtitan";
        readTorchtitan(reader, keys, {});
    } else if (looksLikeYaml(text)) {
        if (!readYamlJob(reader, content, file))
            out.faults.push_back(
                file +
                ":1: not a recognized job; expected a Kubernetes manifest, a ParallelCluster configuration, "
                "or a configuration of Accelerate, DeepSpeed, NeMo, vLLM or a disaggregated TensorRT-LLM");
        if (!out.faults.empty())
            return out;
    } else {
        const bool bare = firstLine(text).starts_with("--");
        if (bare) {
            reader.readShellText(asCommand(text), 1, {}, "", 1);
        } else {
            // Several scripts in one text, as of prefill and decode: each has its own directives.
            int line = 1;
            for (std::size_t at = 0; at < content.size();) {
                const std::size_t next = content.find("\n#!/", at);
                const std::size_t end = next == std::string::npos ? content.size() : next + 1;
                reader.known = {};
                reader.readShellText(std::string_view(content).substr(at, end - at), line, {}, "", 1);
                line +=
                    static_cast<int>(std::count(content.begin() + static_cast<std::ptrdiff_t>(at),
                                                content.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
                at = end;
            }
        }
    }
    if (out.tool.empty() && out.unknownProgram.empty() && out.understood.empty()) {
        out.faults.push_back(file + ":1: not a recognized command; expected one that starts torchrun, "
                                    "accelerate, deepspeed, vllm, sglang or trtllm-serve");
        return out;
    }
    reader.conclude();
    return out;
}

namespace handoff {

/// The instance of the catalog that alone has such GPUs: of the type that Slurm tells, or else of one that
/// all hosts are named after.
void JobReader::assumeInstance() {
    if (out.spec.cluster.instance || out.spec.cluster.ultraserver)
        return;
    std::optional<std::int64_t> gpus = known.gpusPerNode;
    const auto count = static_cast<std::int64_t>(out.hosts.size());
    if (!gpus && out.gpus && count > 0 && *out.gpus % count == 0)
        gpus = *out.gpus / count;
    const bool typed = !gpuType_.values.empty();
    const Instance* found = nullptr;
    std::string gpu;
    for (const Instance& each : catalog.instances) {
        const std::string word = each.gpu.substr(0, each.gpu.find('-')); // "h100-sxm"
        const auto isNamed = [&word](const std::string& name) { return hasWord(name, word); };
        const bool fits = typed       ? isNamed(gpuType_.value())
                          : count > 0 ? std::ranges::all_of(out.hosts, isNamed)
                                      : false;
        if (!fits || each.gpus == 0 || (gpus && each.gpus != *gpus))
            continue;
        if (found != nullptr)
            return; // several have them
        found = &each;
        gpu = word;
    }
    if (found != nullptr)
        assume("cluster.instance", found->id,
               typed ? gpuType_.name + " has GPUs of the type " + gpuType_.value()
                     : "the hosts are named after " + gpu);
}

/// NVLink domains that the job names for all of its hosts are those of its UltraServers.
void JobReader::countDomains() {
    std::map<std::string, std::int64_t> sizes;
    for (const std::string& host : out.hosts)
        if (const auto domain = out.domains.find(host); domain != out.domains.end())
            ++sizes[domain->second];
        else
            return;
    if (sizes.empty())
        return;
    domains = static_cast<std::int64_t>(sizes.size());
    domainHosts = std::ranges::max(sizes | std::views::values);
}

/// Instances that are components of UltraServers are rented as those.
void JobReader::assumeUltraServers(const Instance& machine) {
    std::vector<const UltraServer*> all;
    for (const UltraServer& each : catalog.ultraservers)
        if (each.instance == machine.id)
            all.push_back(&each);
    if (all.empty() || !out.gpus)
        return;
    std::ranges::sort(all, {}, &UltraServer::instances);
    // The largest, unless the domains say that a smaller one is enough.
    const auto enough = std::ranges::find_if(all, [this](const UltraServer* each) {
        return domains > 0 ? each->instances >= domainHosts : each->instances == domainHosts;
    });
    const UltraServer* found = enough == all.end() ? all.back() : *enough;
    const std::int64_t hosts = (*out.gpus + machine.gpus - 1) / machine.gpus;
    const bool segments = domains == 0 && domainHosts > 0 && !out.spec.workload.isServing();
    const std::int64_t each = segments ? domainHosts : found->instances;
    const std::int64_t count = std::max(domains, (hosts + each - 1) / each);
    std::string why = machine.id + " is a part of it";
    for (const ReadField& field : out.assumed)
        if (field.path == "cluster.instance")
            why += ": " + field.from;
    for (const char* path : {"cluster.instance", "cluster.instances"}) {
        std::erase_if(out.understood, [path](const ReadField& field) { return field.path == path; });
        std::erase_if(out.assumed, [path](const ReadField& field) { return field.path == path; });
    }
    out.spec.cluster.instance.reset();
    out.spec.cluster.instances.reset();
    assume("cluster.ultraserver", found->id, why);
    assume("cluster.ultraservers", std::to_string(count), std::to_string(hosts) + " instances");
    if (*out.gpus != count * found->gpus)
        assume("cluster.gpus", std::to_string(*out.gpus), "fewer than the UltraServers have");
}

void JobReader::conclude() {
    const bool serving = out.spec.workload.isServing();
    assumeInstance();
    countDomains();
    const Instance* machine = catalog.instance(out.spec.cluster.instance.value_or(""));
    if (domains == 0)
        out.segment = domainHosts;
    if (serving && servers > 0)
        out.gpus = servers;
    if (!out.gpus && known.nodes && known.gpusPerNode && !serving)
        out.gpus = *known.nodes * *known.gpusPerNode;
    if (!out.gpus && known.nodes && machine != nullptr && !serving)
        out.gpus = *known.nodes * machine->gpus;
    if (machine != nullptr && known.gpusPerNode && !serving && *known.gpusPerNode > machine->gpus)
        contradict("the job starts " + std::to_string(*known.gpusPerNode) +
                   " processes on an instance, but " + machine->id + " has " + std::to_string(machine->gpus) +
                   " GPUs");
    const std::int64_t model = number("plan.tensor_parallel", 1) * number("plan.context_parallel", 1) *
                               number("plan.pipeline_parallel", 1);
    const bool plan = has("plan.tensor_parallel") || has("plan.micro_batch") || has("plan.sharding");
    const bool open = std::ranges::any_of(
        std::array{"plan.tensor_parallel", "plan.context_parallel", "plan.pipeline_parallel"},
        [this](const char* degree) { return isAskedFor(degree) && !has(degree); });
    if (!serving && out.gpus && plan && !open && !out.unknownProgram.size()) {
        if (has("plan.data_parallel") && number("plan.data_parallel", 1) * model != *out.gpus)
            contradict("the job has " + std::to_string(*out.gpus) + " GPUs, but its degrees make " +
                       std::to_string(number("plan.data_parallel", 1) * model));
        else if (!has("plan.data_parallel") && *out.gpus % model == 0)
            assume("plan.data_parallel", std::to_string(*out.gpus / model),
                   "GPUs / (tensor x context x pipeline)");
        else if (*out.gpus % model != 0)
            contradict("tensor x context x pipeline is " + std::to_string(model) +
                       ", which does not divide the " + std::to_string(*out.gpus) + " GPUs of the job");
    }
    if (machine != nullptr && !out.hosts.empty())
        assume("cluster.instances", std::to_string(out.hosts.size()), "the hosts that it runs on");
    if (machine != nullptr && out.gpus && !has("cluster.instances"))
        assume("cluster.instances", std::to_string((*out.gpus + machine->gpus - 1) / machine->gpus),
               std::to_string(*out.gpus) + " GPUs");
    if (machine == nullptr && out.gpus && has("plan.train.gpus") && !has("cluster.instances"))
        assume("cluster.instances", std::to_string((*out.gpus + 7) / 8),
               std::to_string(*out.gpus) + " GPUs in two pools, on instances of 8");
    if (const auto instances = out.spec.cluster.instances; serving && machine != nullptr && out.gpus &&
                                                           instances && !repeated && roles.contains("") &&
                                                           *out.gpus < *instances * machine->gpus)
        assume("plan.data_parallel", "1", "one server, which leaves GPUs of its instances idle");
    if (machine != nullptr)
        assumeUltraServers(*machine);
    const auto ask = [this](const char* path) {
        if (!has(path) && std::ranges::find(out.asks, path) == out.asks.end())
            out.asks.emplace_back(path);
    };
    for (const std::string& path : open_)
        ask(path.c_str());
    ask("workload.kind");
    ask("workload.model");
    if (serving) {
        ask("workload.input_tokens");
        ask("workload.output_tokens");
        if (!has("workload.concurrency") && !has("workload.request_rate_per_s"))
            out.asks.emplace_back("workload.concurrency");
        if (has("plan.speculative.draft_tokens"))
            ask("plan.speculative.acceptance");
    } else if (out.spec.workload.isReinforcement()) {
        // Of the lengths a job has the limits alone.
        ask("workload.prompt_tokens");
        ask("workload.response_tokens");
        ask("workload.prompts_per_step");
        ask("workload.samples_per_prompt");
    } else {
        ask("workload.sequence_length");
        ask("workload.global_batch");
    }
    if (!has("cluster.ultraserver"))
        ask("cluster.instance");
    if (!out.gpus && !has("cluster.ultraservers"))
        ask("cluster.instances");
}

} // namespace handoff

} // namespace alidade::data
