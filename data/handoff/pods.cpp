// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"

#include "data/handoff/script.h"
#include "data/handoff/storage.h"
#include "data/json/json.h"

#include <algorithm>
#include <map>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* filesFolder = "/etc/alidade";

/// Configuration files are in a ConfigMap; the arguments name their place.
void pointToFiles(const Job& job, std::vector<std::string>& arguments) {
    for (std::string& each : arguments)
        for (const HandoffFile& file : job.files)
            if (each == file.name)
                each = std::string(filesFolder) + "/" + file.name;
}

/// Storage that a pod mounts: the volume and its place.
struct Mount {
    Json volume;
    std::string name, folder;
};

std::vector<Mount> mountsOf(const Pod& pod, const std::string& slug) {
    std::vector<Mount> out;
    const Storage storage = storageOf(pod.source);
    if (storage.shared != nullptr)
        out.push_back({{{"name", "storage"}, {"persistentVolumeClaim", {{"claimName", slug + "-storage"}}}},
                       "storage",
                       storage.folder});
    // Node pools put the ephemeral storage of their pods on the local drives.
    if (pod.program.gpusPerNode == pod.program.instanceGpus && storage.localBytes > 0)
        out.push_back({{{"name", "scratch"}, {"emptyDir", Json::object()}}, "scratch", storage.localFolder});
    return out;
}

std::string claimName(const std::string& slug, const Domains& domains, int number) {
    return slug + "-imex" + (domains.areSeveral() ? "-" + std::to_string(number) : std::string());
}

Json computeDomain(const std::string& name, const std::string& claim, int nodes) {
    return {{"apiVersion", "resource.nvidia.com/v1beta1"},
            {"kind", "ComputeDomain"},
            {"metadata", {{"name", name}}},
            {"spec", {{"numNodes", nodes}, {"channel", {{"resourceClaimTemplate", {{"name", claim}}}}}}}};
}

} // namespace

Domains domainsOf(const HandoffSource& source, const Job& job) {
    const ClusterSpec& cluster = source.estimate.scenario.cluster;
    if (!cluster.ultraserver)
        return {};
    const UltraServer* ultra = source.catalog.ultraserver(*cluster.ultraserver);
    int instances = 0;
    for (const Program& program : job.programs)
        instances += program.nodes * program.groups();
    const int most = ultra == nullptr ? instances : std::max(1, ultra->instances);
    const int count =
        std::max(static_cast<int>(cluster.ultraservers.value_or(1)), (instances + most - 1) / most);
    Domains out;
    out.hosts = (instances + count - 1) / count;
    out.count = (instances + out.hosts - 1) / out.hosts;
    return out;
}

std::vector<Share> sharesOf(const HandoffSource& source, const Job& job, const Program& program) {
    const Domains domains = domainsOf(source, job);
    const Share whole{0, program.replicas, 0, program.nodes * program.groups()};
    if (!domains.areSeveral())
        return {whole};
    std::vector<Share> out;
    if (program.role == "train") {
        for (int first = 0; first < program.nodes; first += domains.hosts)
            out.push_back({static_cast<int>(out.size()), program.replicas, first,
                           std::min(domains.hosts, program.nodes - first)});
        return out;
    }
    const UltraServer& ultra = *source.catalog.ultraserver(*source.estimate.scenario.cluster.ultraserver);
    // The same in each where that is possible: pools that exchange caches over NVLink are then together.
    int mixed = 0;
    for (const Program& each : job.programs)
        mixed += each.groups() % domains.count == 0 && each.replicas % domains.count == 0
                     ? each.groups() / domains.count * each.nodes
                     : ultra.instances + 1;
    for (int domain = 0; mixed <= ultra.instances && domain < domains.count; ++domain)
        out.push_back({domain, program.replicas / domains.count, 0, whole.nodes / domains.count});
    if (!out.empty())
        return out;
    // Else servers fill one UltraServer after the other, the programs in their order.
    int domain = 0, room = ultra.instances;
    for (const Program& each : job.programs) {
        if (each.nodes > ultra.instances)
            return {whole};
        int left = each.groups(), servers = each.replicas;
        while (left > 0) {
            const int groups = std::min(left, room / each.nodes);
            if (groups > 0 && each.role == program.role) {
                const int replicas = left == groups ? servers : std::min(servers, groups * each.perNode());
                out.push_back({domain, replicas, 0, groups * each.nodes});
                servers -= replicas;
            }
            left -= groups;
            room -= groups * each.nodes;
            if (left > 0) {
                ++domain;
                room = ultra.instances;
            }
        }
    }
    return out;
}

bool isSplit(const HandoffSource& source, const Job& job, const std::string& kind) {
    if (!domainsOf(source, job).areSeveral() || kind == "llm-d")
        return false;
    const UltraServer& ultra = *source.catalog.ultraserver(*source.estimate.scenario.cluster.ultraserver);
    return std::ranges::all_of(job.programs, [&ultra](const Program& each) {
        return each.role == "train" || each.nodes <= ultra.instances;
    });
}

void keepTogether(const Pod& pod, const std::string& slug, Json& podTemplate) {
    if (!isSplit(pod.source, pod.job, pod.kind))
        return;
    const Json label = {{"alidade.invalid/domain", slug + "-" + std::to_string(pod.domain)}};
    podTemplate["metadata"]["labels"].update(label);
    podTemplate["spec"]["affinity"] = {{"podAffinity",
                                        {{"requiredDuringSchedulingIgnoredDuringExecution",
                                          Json::array({{{"labelSelector", {{"matchLabels", label}}},
                                                        {"topologyKey", "nvidia.com/gpu.clique"}}})}}}};
}

void tellDomains(const HandoffSource& source, Job& job, bool split) {
    const Domains domains = domainsOf(source, job);
    if (domains.areSeveral() && !split)
        job.warnings.push_back(
            "one ComputeDomain covers " + std::to_string(domains.count) +
            " UltraServers, since a server is larger than one of them: NVLink does not reach from one to "
            "the next");
}

Json podResources(const Program& program, const Instance* machine) {
    Json all = Json::object();
    all["nvidia.com/gpu"] = program.gpusPerNode;
    if (const auto known = resourcesOf(program.instance); known && known->efaDevices > 0) {
        const int devices = std::max(1, known->efaDevices * program.gpusPerNode / std::max(1, known->gpus));
        if (program.leavesInstance()) {
            all["vpc.amazonaws.com/efa"] = devices;
            all["hugepages-2Mi"] = "5Gi"; // as EFA asks for it
        }
    }
    if (machine != nullptr && machine->memoryGib) {
        const double share = static_cast<double>(program.gpusPerNode) / std::max(1, program.instanceGpus);
        // A tenth stays with the kubelet and the daemons.
        all["memory"] = std::to_string(static_cast<int>(*machine->memoryGib * share * 0.9)) + "Gi";
    }
    // Extended resources have to be the same in requests and limits.
    return {{"limits", all}, {"requests", all}};
}

Json podEnvironment(const Program& program) {
    Json out = Json::array();
    for (const EnvironmentVariable& each : program.environment)
        if (each.address)
            out.push_back(
                {{"name", each.name}, {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}});
        else
            out.push_back({{"name", each.name}, {"value", each.value}});
    return out;
}

std::vector<std::string> podArguments(const Job& job, const Program& program) {
    std::vector<std::string> out;
    for (const std::vector<std::string>& line : argumentLines(program))
        out.insert(out.end(), line.begin(), line.end());
    pointToFiles(job, out);
    return out;
}

Json containerOf(const Pod& pod) {
    const Program& program = pod.program;
    Json out = Json::object();
    // The operator of Dynamo looks for this name and connects the instances itself.
    const bool dynamo = pod.kind == "dynamo";
    out["name"] = dynamo ? "main" : program.role;
    out["image"] = "CHANGE_ME_IMAGE";
    const bool shell =
        program.nodes > 1 && (program.launcher != Launcher::torchrun || program.ordered) && !dynamo;
    if (shell) {
        std::string script = "set -euo pipefail\nHEAD=" + pod.head + "\nNODE_RANK=" + pod.rank + "\n";
        if (!pod.job.files.empty())
            script += "cd " + std::string(filesFolder) + "\n";
        out["command"] = Json::array({"bash", "-c", script + scriptBody(program)});
    } else {
        std::vector<std::string> arguments = program.command;
        Json command;
        if (program.launcher == Launcher::torchrun) {
            std::vector<std::string> launch{"--nnodes=" + std::to_string(program.nodes),
                                            "--nproc_per_node=" + std::to_string(program.gpusPerNode)};
            // The operators of PyTorchJob and TrainJob set the place of the rendezvous themselves.
            if (pod.kind != "pytorchjob" && pod.kind != "trainjob") {
                launch.emplace_back("--rdzv_backend=c10d");
                launch.push_back("--rdzv_endpoint=" + pod.head + ":29500");
            }
            command = "torchrun";
            arguments.insert(arguments.begin(), launch.begin(), launch.end());
        } else if (program.launcher == Launcher::accelerate) {
            command = "accelerate";
            const std::vector<std::string> launch{"launch", "--config_file", "accelerate.yaml"};
            arguments.insert(arguments.begin(), launch.begin(), launch.end());
        } else if (dynamo) {
            command = Json(arguments);
            arguments.clear();
        } else {
            command = arguments.front();
            arguments.erase(arguments.begin());
        }
        pointToFiles(pod.job, arguments);
        const std::vector<std::string> rest = podArguments(pod.job, program);
        arguments.insert(arguments.end(), rest.begin(), rest.end());
        out["command"] = command.is_array() ? command : Json::array({command});
        out["args"] = arguments;
    }
    if (const Json environment = podEnvironment(program); !shell && !environment.empty())
        out["env"] = environment;
    out["resources"] = podResources(program, pod.source.catalog.instance(program.instance));
    Json mounts = Json::array();
    if (!dynamo) // it mounts one of its own
        mounts.push_back({{"name", "shm"}, {"mountPath", "/dev/shm"}});
    if (!pod.job.files.empty())
        mounts.push_back({{"name", "files"}, {"mountPath", filesFolder}});
    for (const Mount& each : mountsOf(pod, {}))
        mounts.push_back({{"name", each.name}, {"mountPath", each.folder}});
    if (!mounts.empty())
        out["volumeMounts"] = mounts;
    if (program.role != "train" && !dynamo)
        out["ports"] = Json::array({{{"containerPort", program.port()}}});
    return out;
}

Json podSpecOf(const Pod& pod, const std::string& slug) {
    Json spec = Json::object();
    if (pod.kind == "jobset" || pod.kind == "kai")
        spec["restartPolicy"] = "Never";
    if (pod.kind == "kai")
        spec["schedulerName"] = "kai-scheduler";
    Json selector = Json::object();
    if (!pod.program.instance.empty())
        selector["node.kubernetes.io/instance-type"] = pod.program.instance;
    const Instance* machine = pod.source.catalog.instance(pod.program.instance);
    if (machine != nullptr && machine->cpuArchitecture == "arm64")
        selector["kubernetes.io/arch"] = "arm64";
    if (!selector.empty())
        spec["nodeSelector"] = selector;
    spec["tolerations"] =
        Json::array({{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}});
    Json container = containerOf(pod);
    if (const Domains domains = domainsOf(pod.source, pod.job); domains.count > 0) {
        spec["resourceClaims"] =
            Json::array({{{"name", "imex"},
                          {"resourceClaimTemplateName",
                           claimName(slug, isSplit(pod.source, pod.job, pod.kind) ? domains : Domains{1, 0},
                                     pod.domain)}}});
        container["resources"]["claims"] = Json::array({{{"name", "imex"}}});
    }
    spec["containers"] = Json::array({container});
    Json volumes = Json::array();
    if (pod.kind != "dynamo")
        volumes.push_back({{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}});
    if (!pod.job.files.empty())
        volumes.push_back({{"name", "files"}, {"configMap", {{"name", slug + "-files"}}}});
    for (const Mount& each : mountsOf(pod, slug))
        volumes.push_back(each.volume);
    if (!volumes.empty())
        spec["volumes"] = volumes;
    return spec;
}

Json metadataOf(const HandoffSource& source, const Job& job, const std::string& name,
                const std::string& kind) {
    Json labels = Json::object();
    if (kind == "kai")
        labels["kai.scheduler/queue"] = job.queue;
    else if (kind != "volcano" && kind != "dynamo")
        labels["kueue.x-k8s.io/queue-name"] = job.queue;
    Json out = {{"name", name}};
    if (!labels.empty())
        out["labels"] = labels;
    out["annotations"] = {{"alidade.invalid/scenario", source.estimate.scenario.name.value_or(name)}};
    return out;
}

std::vector<Json> podObjects(const HandoffSource& source, const Job& job, const std::string& slug,
                             bool split) {
    std::vector<Json> out;
    if (!job.files.empty()) {
        Json data = Json::object();
        for (const HandoffFile& file : job.files)
            data[file.name] = file.text;
        out.push_back({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", {{"name", slug + "-files"}}},
                       {"data", data}});
    }
    for (Json& each : storageObjects(storageOf(source), slug))
        out.push_back(std::move(each));
    Domains domains = domainsOf(source, job);
    if (domains.count == 0)
        return out;
    std::map<int, int> nodes; // of each domain
    for (const Program& program : job.programs)
        for (const Share& share : sharesOf(source, job, program))
            nodes[split ? share.domain : 0] += share.nodes;
    if (!split)
        domains.count = 1;
    for (const auto& [number, count] : nodes)
        out.push_back(computeDomain(domains.areSeveral() ? slug + "-" + std::to_string(number) : slug,
                                    claimName(slug, domains, number), count));
    return out;
}

} // namespace alidade::data::handoff
