// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/jobs/yaml_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <yaml-cpp/yaml.h>

namespace alidade::data::handoff {

namespace {

void flatten(const YAML::Node& node, const std::string& path, Settings& out, int depth) {
    if (depth > 32 || out.all.size() > 10'000)
        return;
    if (node.IsMap()) {
        for (const auto& each : node)
            flatten(each.second, path.empty() ? scalar(each.first) : path + "." + scalar(each.first), out,
                    depth + 1);
    } else if (node.IsSequence()) {
        Setting setting{path, {}, lineOf(node)};
        for (const auto& each : node)
            setting.values.push_back(scalar(each));
        out.all.push_back(std::move(setting));
    } else {
        out.all.push_back({path, {scalar(node)}, lineOf(node)});
    }
}

struct Pods {
    std::int64_t count = 1;    ///< instances of one replica
    std::int64_t replicas = 1; ///< servers
    std::string role;
};

class Manifests {
public:
    explicit Manifests(JobReader& reader)
        : reader_(reader) {}

    void addFiles(const YAML::Node& document) {
        if (scalar(at(document, "kind")) != "ConfigMap")
            return;
        const YAML::Node data = at(document, "data");
        if (data.IsDefined() && data.IsMap())
            for (const auto& each : data)
                reader_.addFile(scalar(each.first), scalar(each.second));
    }

    /// \returns whether it was a kind that runs something
    bool read(const YAML::Node& document) {
        if (++visited_ > mostDocuments) // aliases can make a list that holds itself
            return false;
        const std::string kind = scalar(at(document, "kind"));
        const YAML::Node spec = at(document, "spec");
        reader_.object = scalar(at(document, {"metadata", "name"}));
        if (kind == "List") {
            bool any = false;
            const YAML::Node items = at(document, "items");
            if (items.IsDefined() && items.IsSequence()) {
                for (const auto& each : items)
                    if (scalar(at(each, "kind")) != "Pod")
                        any = read(each) || any;
                any = alikePods(items) || any;
            }
            return any;
        }
        if (kind == "JobSet") {
            std::vector<Alike> groups;
            const YAML::Node jobs = at(spec, "replicatedJobs");
            if (jobs.IsDefined() && jobs.IsSequence())
                for (const auto& each : jobs) {
                    const YAML::Node batch = at(each, {"template", "spec"});
                    addAlike(groups, at(batch, "template"),
                             whole(at(batch, "parallelism")).value_or(1) *
                                 whole(at(each, "replicas")).value_or(1));
                }
            for (const Alike& each : groups)
                pods(each.first, {each.count, 1, ""});
        } else if (kind == "Job" && scalar(at(document, "apiVersion")).starts_with("batch.volcano")) {
            std::vector<Alike> groups;
            const YAML::Node tasks = at(spec, "tasks");
            if (tasks.IsDefined() && tasks.IsSequence())
                for (const auto& each : tasks)
                    addAlike(groups, at(each, "template"), whole(at(each, "replicas")).value_or(1));
            for (const Alike& each : groups)
                pods(each.first, {each.count, 1, ""});
        } else if (kind == "Job") {
            pods(at(spec, "template"), {whole(at(spec, "parallelism")).value_or(1), 1, ""});
        } else if (kind == "PyTorchJob") {
            std::int64_t all = 0;
            const YAML::Node roles = at(spec, "pytorchReplicaSpecs");
            if (roles.IsDefined() && roles.IsMap() && roles.size() > 0) {
                for (const auto& each : roles)
                    all += whole(at(each.second, "replicas")).value_or(1);
                const YAML::Node worker = at(roles, "Worker");
                pods(at(worker.IsDefined() ? worker : roles.begin()->second, "template"), {all, 1, ""});
            }
        } else if (kind == "TrainJob") {
            trainJob(at(spec, "trainer"));
        } else if (kind == "TrainingRuntime" || kind == "ClusterTrainingRuntime") {
            const YAML::Node jobs = at(spec, {"template", "spec", "replicatedJobs"});
            if (jobs.IsDefined() && jobs.IsSequence())
                for (const auto& each : jobs)
                    machine(at(each, {"template", "spec", "template", "spec"}));
            return false;
        } else if (kind == "LeaderWorkerSet") {
            const YAML::Node group = at(spec, "leaderWorkerTemplate");
            const YAML::Node leader = at(group, "leaderTemplate");
            pods(leader.IsDefined() ? leader : at(group, "workerTemplate"),
                 {whole(at(group, "size")).value_or(1), whole(at(spec, "replicas")).value_or(1), ""});
        } else if (kind == "Deployment" || kind == "StatefulSet") {
            pods(at(spec, "template"), {1, whole(at(spec, "replicas")).value_or(1), ""});
        } else if (kind == "Pod") {
            if (asksForGpus(document))
                reader_.addHost(scalar(at(spec, "nodeName")));
            pods(document, {1, 1, ""});
        } else if (kind == "ComputeDomain") {
            if (const auto nodes = whole(at(spec, "numNodes")); nodes && *nodes > 0) {
                reader_.domainHosts = std::max(reader_.domainHosts, *nodes);
                ++reader_.domains;
            }
            return false;
        } else if (kind == "DynamoGraphDeployment") {
            dynamo(spec);
        } else {
            return false;
        }
        return true;
    }

private:
    /// Pods that run the same words.
    struct Alike {
        std::string words;
        YAML::Node first;
        std::int64_t count = 0;
    };

    static void addAlike(std::vector<Alike>& groups, const YAML::Node& pod, std::int64_t count) {
        const std::string words = wordsOf(at(pod, {"spec", "containers"}));
        auto group = std::ranges::find(groups, words, &Alike::words);
        if (group == groups.end())
            group = groups.insert(groups.end(), {words, pod, 0});
        group->count += count;
    }

    /// The pods of one job run the same words: they are read once, as the instances of a job or as servers.
    bool alikePods(const YAML::Node& items) {
        std::vector<Alike> groups;
        std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, std::string>> hosts;
        for (const auto& each : items) {
            if (scalar(at(each, "kind")) != "Pod" || ++visited_ > mostDocuments)
                continue;
            addAlike(groups, each, 1);
            if (asksForGpus(each))
                hosts.emplace_back(rankOf(each), scalar(at(each, {"spec", "nodeName"})));
        }
        std::ranges::stable_sort(hosts, {}, [](const auto& each) { return each.first; });
        for (const auto& [rank, host] : hosts)
            reader_.addHost(host);
        for (const Alike& group : groups) {
            const YAML::Node labels = at(group.first, {"metadata", "labels"});
            const bool job = std::ranges::any_of(
                std::initializer_list<const char*>{"jobset.sigs.k8s.io/jobset-name",
                                                   "batch.kubernetes.io/job-name",
                                                   "training.kubeflow.org/job-name", "volcano.sh/job-name"},
                [&labels](const char* label) { return !scalar(at(labels, label)).empty(); });
            pods(group.first, job ? Pods{group.count, 1, ""} : Pods{1, group.count, ""});
        }
        return !groups.empty();
    }

    static bool asksForGpus(const YAML::Node& pod) {
        const YAML::Node containers = at(pod, {"spec", "containers"});
        if (containers.IsDefined() && containers.IsSequence())
            for (const auto& each : containers)
                if (whole(at(each, {"resources", "limits", "nvidia.com/gpu"})).value_or(0) > 0)
                    return true;
        return false;
    }

    /// The number of a pod in its job, and of the job in its set: ranks go by these. Kubernetes has them as
    /// labels and as annotations.
    static std::pair<std::int64_t, std::int64_t> rankOf(const YAML::Node& pod) {
        const auto index = [&pod](std::initializer_list<const char*> names) -> std::int64_t {
            for (const char* kind : {"labels", "annotations"})
                for (const char* name : names)
                    if (const auto number = whole(at(pod, {"metadata", kind, name})))
                        return *number;
            return 0;
        };
        return {index({"jobset.sigs.k8s.io/job-global-index", "jobset.sigs.k8s.io/job-index",
                       "leaderworkerset.sigs.k8s.io/group-index"}),
                index({"batch.kubernetes.io/job-completion-index", "training.kubeflow.org/replica-index",
                       "leaderworkerset.sigs.k8s.io/worker-index", "volcano.sh/task-index"})};
    }

    /// A script but for the line that says which instance runs it.
    static std::string withoutRank(std::string script) {
        const std::size_t rank = script.find("NODE_RANK=");
        if (rank != std::string::npos)
            script.erase(rank, script.find('\n', rank) - rank);
        return script;
    }

    static std::string wordsOf(const YAML::Node& containers) {
        std::string out;
        if (!containers.IsDefined() || !containers.IsSequence())
            return out;
        for (const auto& container : containers)
            for (const char* key : {"command", "args"}) {
                const YAML::Node list = at(container, key);
                if (list.IsDefined() && list.IsSequence())
                    for (const auto& word : list)
                        out += withoutRank(scalar(word)) + '\n';
            }
        return out;
    }

    void machine(const YAML::Node& podSpec) {
        const YAML::Node type = at(podSpec, {"nodeSelector", "node.kubernetes.io/instance-type"});
        if (!scalar(type).empty())
            reader_.readInstance(scalar(type), "nodeSelector", lineOf(type));
    }

    void trainJob(const YAML::Node& trainer) {
        YAML::Node container;
        Pods place{whole(at(trainer, "numNodes")).value_or(1), 1, ""};
        const YAML::Node resources = at(trainer, "resourcesPerNode");
        run(trainer, at(resources, "limits"), place);
    }

    void pods(const YAML::Node& podTemplate, const Pods& place) {
        const YAML::Node spec = at(podTemplate, "spec");
        machine(spec);
        const YAML::Node containers = at(spec, "containers");
        if (!containers.IsDefined() || !containers.IsSequence())
            return;
        for (const auto& each : containers)
            run(each, at(each, {"resources", "limits"}), place);
    }

    void run(const YAML::Node& container, const YAML::Node& limits, const Pods& place) {
        std::map<std::string, std::string> given;
        const YAML::Node environment = at(container, "env");
        if (environment.IsDefined() && environment.IsSequence())
            for (const auto& each : environment) {
                const std::string name = scalar(at(each, "name"));
                given[name] = scalar(at(each, "value"));
                if (const auto bad = unwantedVariables().find(name); bad != unwantedVariables().end())
                    reader_.warn(reader_.said(name, lineOf(each)),
                                 name + " should not be set: " + bad->second);
            }
        JobCommand command;
        for (const char* key : {"command", "args"}) {
            const YAML::Node list = at(container, key);
            if (list.IsDefined() && list.IsSequence())
                for (const auto& each : list)
                    command.arguments.push_back(
                        {substituted(scalar(each), given), lineOf(each), scalar(each).find("$(") == 0});
        }
        const auto gpus = whole(at(limits, "nvidia.com/gpu"));
        command.launch.nodes = place.count;
        command.launch.nodesFrom = reader_.said("the number of pods");
        command.launch.gpusPerNode = gpus;
        command.replicas = place.replicas;
        command.role = place.role;
        if (command.arguments.empty())
            return;
        reader_.out.tool = "kubernetes";
        const std::int64_t before = reader_.servers;
        reader_.readCommand(command);
        if (gpus && reader_.servers != before && place.count > 1 && reader_.roles.contains("")) {
            Launch launch = command.launch;
            reader_.noteLaunch(launch, place.replicas);
        }
        if (gpus && reader_.servers == before && !reader_.out.gpus && !reader_.out.spec.workload.isServing())
            reader_.noteLaunch(command.launch, 1);
    }

    /// $(NAME) of the kubelet.
    static std::string substituted(std::string text, const std::map<std::string, std::string>& given) {
        for (const auto& [name, value] : given) {
            const std::string pattern = "$(" + name + ")";
            if (const std::size_t found = text.find(pattern); found != std::string::npos && !name.empty())
                text.replace(found, pattern.size(), value);
        }
        return text;
    }

    void dynamo(const YAML::Node& spec) {
        const YAML::Node components = at(spec, "components");
        if (components.IsDefined() && components.IsSequence())
            for (const auto& each : components)
                component(each, scalar(at(each, "type")), at(each, {"podTemplate", "spec"}));
        const YAML::Node services = at(spec, "services"); // v1alpha1
        if (services.IsDefined() && services.IsMap())
            for (const auto& each : services) {
                const std::string sub = scalar(at(each.second, "subComponentType"));
                component(each.second, sub.empty() ? scalar(at(each.second, "componentType")) : sub,
                          at(each.second, "extraPodSpec"));
            }
    }

    void component(const YAML::Node& each, const std::string& type, const YAML::Node& podSpec) {
        if (type == "frontend" || type == "planner" || type == "epp")
            return;
        Pods place{whole(at(each, {"multinode", "nodeCount"})).value_or(1),
                   whole(at(each, "replicas")).value_or(1),
                   type == "prefill" || type == "decode" ? type : ""};
        machine(podSpec);
        const YAML::Node main = at(podSpec, "mainContainer");
        if (main.IsDefined()) {
            const YAML::Node limits = at(main, {"resources", "limits"});
            run(main, limits.IsDefined() ? limits : at(each, {"resources", "limits"}), place);
            return;
        }
        const YAML::Node containers = at(podSpec, "containers");
        if (containers.IsDefined() && containers.IsSequence())
            for (const auto& one : containers)
                run(one, at(one, {"resources", "limits"}), place);
    }

    static constexpr int mostDocuments = 1000;
    JobReader& reader_;
    int visited_ = 0;
};

bool readParallelCluster(JobReader& reader, const YAML::Node& document) {
    const YAML::Node queues = at(document, {"Scheduling", "SlurmQueues"});
    if (!queues.IsDefined() || !queues.IsSequence() || queues.size() == 0)
        return false;
    reader.out.tool = "parallelcluster";
    if (const YAML::Node region = at(document, "Region"); !scalar(region).empty())
        reader.set("cluster.region", scalar(region), "Region", lineOf(region));
    for (const auto& queue : queues) {
        const YAML::Node computes = at(queue, "ComputeResources");
        if (!computes.IsDefined() || !computes.IsSequence())
            continue;
        for (const auto& compute : computes) {
            const YAML::Node type = at(compute, "InstanceType");
            const Instance* machine = reader.catalog.instance(scalar(type));
            if (machine == nullptr || machine->gpus == 0 || reader.has("cluster.instance"))
                continue;
            reader.set("cluster.instance", scalar(type), "InstanceType", lineOf(type));
            const YAML::Node most = at(compute, "MaxCount");
            if (const auto count = whole(most)) {
                reader.set("cluster.instances", *count, "MaxCount", lineOf(most));
                reader.out.gpus = *count * machine->gpus;
            }
            const YAML::Node capacity = at(queue, "CapacityType");
            if (scalar(capacity) == "CAPACITY_BLOCK")
                reader.set("cluster.purchase", "capacity_block", "CapacityType", lineOf(capacity));
            else if (scalar(capacity) == "ONDEMAND")
                reader.set("cluster.purchase", "on_demand", "CapacityType", lineOf(capacity));
        }
    }
    return true;
}

/// GPUs in "gres:gpu:h100:8", which is there where the cluster does not account for GPUs.
std::optional<std::int64_t> gpusPerNodeOf(const std::string& text) {
    const std::size_t gpu = text.find("gpu:");
    const std::size_t colon = text.find_last_of(':', text.find_first_of(",(", gpu));
    if (gpu == std::string::npos || colon == std::string::npos)
        return {};
    const std::int64_t number = std::strtoll(text.c_str() + colon + 1, nullptr, 10);
    return number > 0 && number <= 1000 ? std::optional(number) : std::nullopt;
}

/// `squeue --json`: the first job.
bool readSqueue(JobReader& reader, const YAML::Node& document) {
    const YAML::Node jobs = at(document, "jobs");
    if (!jobs.IsDefined() || !jobs.IsSequence() || jobs.size() == 0)
        return false;
    const YAML::Node job = jobs[0];
    const YAML::Node nodes = at(job, "node_count");
    if (!nodes.IsDefined())
        return false;
    reader.out.tool = "slurm";
    Launch launch;
    launch.nodes = nodes.IsMap() ? whole(at(nodes, "number")) : whole(nodes);
    launch.nodesFrom = reader.said("node_count", lineOf(nodes));
    const std::string resources = scalar(at(job, "tres_alloc_str")).empty()
                                      ? scalar(at(job, "tres_req_str"))
                                      : scalar(at(job, "tres_alloc_str"));
    if (const std::size_t gpus = resources.find("gres/gpu="); gpus != std::string::npos)
        launch.gpus =
            std::clamp<std::int64_t>(std::strtoll(resources.c_str() + gpus + 9, nullptr, 10), 1, 10'000'000);
    launch.gpusPerNode = gpusPerNodeOf(scalar(at(job, "tres_per_node")));
    for (const char* key : {"features", "partition"})
        if (const std::string text = scalar(at(job, key)); !text.empty() && !reader.has("cluster.instance"))
            reader.readInstance(text, key, lineOf(at(job, key)));
    reader.noteLaunch(launch, 1);
    // "job_resources" has them as text, then as a list in a map (Slurm 24.05).
    for (const YAML::Node& list :
         {at(job, "nodes"), at(job, {"job_resources", "nodes"}), at(job, {"job_resources", "nodes", "list"})})
        if (reader.out.hosts.empty() && !scalar(list).empty())
            reader.noteHosts(scalar(list), reader.said("nodes", lineOf(list)));
    for (const char* key : {"script", "command"})
        if (const std::string text = scalar(at(job, key)); !text.empty())
            reader.readShellText(key == std::string_view("script") ? text : "bash " + text, 1, {}, "", 1);
    if (jobs.size() > 1)
        reader.warn(std::to_string(jobs.size()) + " jobs: the first one was read");
    return true;
}

/// The documents of a text, each with the lines that it has there. Not by YAML::LoadAll: yaml-cpp 0.7 makes
/// documents without end of a brace that closes nothing.
std::vector<YAML::Node> documentsOf(const std::string& text) {
    constexpr std::size_t most = 256; ///< manifests of one file
    std::vector<YAML::Node> out;
    std::size_t begin = 0, line = 0;
    while (begin < text.size() && out.size() < most) {
        std::size_t end = begin, next = line;
        do { // up to the next line that begins with ---
            end = std::min(text.find('\n', end), text.size() - 1) + 1;
            ++next;
        } while (end < text.size() && text.compare(end, 3, "---") != 0);
        const YAML::Node each = YAML::Load(std::string(line, '\n') + text.substr(begin, end - begin));
        if (each.IsDefined() && !each.IsNull())
            out.push_back(each);
        begin = end;
        line = next;
    }
    return out;
}

} // namespace

std::string flattenYaml(const std::string& text, const std::string& file, Settings& out) {
    try {
        flatten(YAML::Load(text), "", out, 0);
        return {};
    } catch (const YAML::Exception& error) {
        return file + ":" + std::to_string(std::max(0, error.mark.line + 1)) + ": " + error.msg;
    }
}

bool readYamlJob(JobReader& reader, const std::string& text, const std::string& file) {
    try {
        const std::vector<YAML::Node> documents = documentsOf(text);
        Manifests manifests(reader);
        for (const YAML::Node& each : documents)
            manifests.addFiles(each);
        bool any = false;
        for (const YAML::Node& each : documents)
            any = manifests.read(each) || any;
        if (any) {
            reader.out.tool = "kubernetes";
            return true;
        }
        if (documents.empty() || !documents.front().IsDefined() || !documents.front().IsMap())
            return false;
        const YAML::Node& first = documents.front();
        if (readParallelCluster(reader, first) || readSqueue(reader, first) || readLlmD(reader, first))
            return true;
        Settings keys;
        flatten(first, "", keys, 0);
        if (keys.has("compute_environment") || keys.has("distributed_type")) {
            reader.out.tool = "accelerate";
            readAccelerate(reader, keys);
            return true;
        }
        if (keys.has("zero_optimization.stage") || keys.has("train_micro_batch_size_per_gpu") ||
            keys.has("train_batch_size")) {
            reader.out.tool = "deepspeed";
            readDeepSpeed(reader, keys);
            return true;
        }
        if (keys.has("tensor-parallel-size") || keys.has("max-num-seqs") ||
            (keys.has("model") && keys.has("kv-cache-dtype"))) {
            reader.out.tool = "vllm";
            for (Setting& each : keys.all)
                each.name = "--" + each.name;
            readServer(reader, tool("vllm"), keys, {}, {});
            return true;
        }
        return false;
    } catch (const YAML::Exception& error) {
        reader.out.faults.push_back(file + ":" + std::to_string(std::max(0, error.mark.line + 1)) + ": " +
                                    error.msg + "; it would be YAML or JSON");
        return true;
    }
}

bool readScontrol(JobReader& reader, std::string_view text) {
    if (text.find("JobId=") == std::string_view::npos || text.find("NumNodes=") == std::string_view::npos)
        return false;
    reader.out.tool = "slurm";
    Launch launch;
    Setting hosts;
    std::string script;
    int line = 1;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        const std::string word(text.substr(at, end - at));
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
        if (key == "NumNodes") {
            launch.nodes = std::clamp<std::int64_t>(std::strtoll(value.c_str(), nullptr, 10), 1, 1'000'000);
            launch.nodesFrom = reader.said(key, line);
        } else if (key == "Features" || key == "Partition") {
            if (!reader.has("cluster.instance"))
                reader.readInstance(value, key, line);
        } else if ((key == "AllocTRES" || key == "ReqTRES" || key == "TRES") &&
                   value.find("gres/gpu=") != std::string::npos) {
            launch.gpus = std::clamp<std::int64_t>(
                std::strtoll(value.c_str() + value.find("gres/gpu=") + 9, nullptr, 10), 1, 10'000'000);
        } else if (key == "TresPerNode") {
            launch.gpusPerNode = gpusPerNodeOf(value);
        } else if (key == "Command" && value != "(null)") {
            script = value;
        } else if (key == "NodeList" && value != "(null)") {
            hosts = reader.said(key, line);
            hosts.values = {value};
        }
        for (at = end; at < text.size() &&
                       (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n');
             ++at)
            line += text[at] == '\n' ? 1 : 0;
    }
    reader.noteLaunch(launch, 1);
    if (!hosts.name.empty())
        reader.noteHosts(hosts.value(), hosts);
    if (!script.empty())
        reader.readScriptFile(script, {}, "", 1);
    reader.out.tool = "slurm";
    return true;
}

} // namespace alidade::data::handoff
