// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/jobs/read_container.h"
#include "data/jobs/yaml_nodes.h"
#include "data/topology/domain_labels.h"

#include <algorithm>
#include <array>
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

    /// What the nodes of the text say of the hosts of the job: which instance type they have, and which of
    /// them share an NVLink domain. Without nodes the selectors of the pods say it, or their ComputeDomains.
    void describeHosts() {
        for (const std::string& host : reader_.out.hosts)
            if (const auto node = nodes_.find(host); node != nodes_.end() && !reader_.has("cluster.instance"))
                reader_.readInstance(node->second.type, "label node.kubernetes.io/instance-type",
                                     node->second.line);
        // One label for all: values of different labels cannot be compared.
        std::array<std::size_t, domainKinds> named{};
        for (const std::string& host : reader_.out.hosts)
            for (std::size_t i = 0; i < domainKinds; ++i)
                named[i] += nodes_[host].domains[i].empty() ? 0 : 1;
        const auto best = static_cast<std::size_t>(std::ranges::max_element(named) - named.begin());
        if (named[best] == 0)
            return;
        for (const std::string& host : reader_.out.hosts)
            if (const std::string& domain = nodes_[host].domains[best]; !domain.empty())
                reader_.out.domains[host] = domain;
        reader_.out.domainsFrom =
            best < labelsOfDomains.size() ? "label " + std::string(labelsOfDomains[best]) : "ComputeDomain";
    }

    /// Jobs of several documents that run the same words, as one for each UltraServer, are one.
    void countAlike(const YAML::Node& document) {
        if (const auto [words, count] = partOf(document); !words.empty())
            parts_[words].count += count;
    }

    /// \returns whether it was a kind that runs something
    bool read(const YAML::Node& document) {
        if (++visited_ > mostDocuments) // aliases can make a list that holds itself
            return false;
        const std::string kind = scalar(at(document, "kind"));
        const YAML::Node spec = at(document, "spec");
        reader_.object = scalar(at(document, {"metadata", "name"}));
        std::int64_t alike = 0; // 0: as the document says
        if (const auto part = parts_.find(partOf(document).first); part != parts_.end()) {
            if (part->second.read)
                return true;
            part->second.read = true;
            alike = part->second.count;
        }
        if (kind == "List") {
            bool any = false;
            const YAML::Node items = at(document, "items");
            if (items.IsDefined() && items.IsSequence()) {
                for (const auto& each : items)
                    if (const std::string what = scalar(at(each, "kind")); what == "Node")
                        node(each);
                    else if (what != "Pod")
                        any = read(each) || any;
                any = alikePods(items) || any;
            }
            return any;
        }
        int left = 10'000;
        if (const YAML::Node count = templatedCount(spec, left); count.IsDefined()) {
            isOpen_ = true;
            reader_.warn(reader_.said("replicas", lineOf(count)),
                         scalar(count) + " is for a template to fill in: how many instances is not known");
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
                all = std::max(all, alike);
                const YAML::Node worker = at(roles, "Worker");
                pods(at(worker.IsDefined() ? worker : roles.begin()->second, "template"), {all, 1, ""});
            }
        } else if (kind == "TrainJob") {
            trainJob(at(spec, "trainer"), alike);
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
                 {whole(at(group, "size")).value_or(1),
                  std::max(alike, whole(at(spec, "replicas")).value_or(1)), ""});
        } else if (kind == "Deployment" || kind == "StatefulSet") {
            pods(at(spec, "template"), {1, whole(at(spec, "replicas")).value_or(1), ""});
        } else if (kind == "Pod") {
            if (asksForGpus(document)) {
                reader_.addHost(scalar(at(spec, "nodeName")));
                domainOf(document);
            }
            pods(document, {1, 1, ""});
        } else if (kind == "Node") {
            node(document);
            return false;
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
    /// A part of a job: what it runs, but for its number, and its instances or servers. No words: none, or a
    /// job that stands alone.
    static std::pair<std::string, std::int64_t> partOf(const YAML::Node& document) {
        const std::string kind = scalar(at(document, "kind"));
        const YAML::Node spec = at(document, "spec");
        std::string words;
        YAML::Node count;
        if (kind == "TrainJob") {
            words = wordsIn(at(spec, "trainer"));
            count = at(spec, {"trainer", "numNodes"});
        } else if (kind == "PyTorchJob") {
            const YAML::Node roles = at(spec, "pytorchReplicaSpecs");
            if (roles.IsDefined() && roles.IsMap() && roles.size() == 1)
                words = wordsOf(at(roles, {"Worker", "template", "spec", "containers"}));
            count = at(roles, {"Worker", "replicas"});
        } else if (kind == "LeaderWorkerSet") {
            const YAML::Node group = at(spec, "leaderWorkerTemplate");
            words = wordsOf(at(group, {"workerTemplate", "spec", "containers"}));
            if (!words.empty())
                words += scalar(at(group, "size"));
            count = at(spec, "replicas");
        }
        return {words.empty() ? words : kind + ' ' + words, whole(count).value_or(1)};
    }

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
            if (asksForGpus(each)) {
                hosts.emplace_back(rankOf(each), scalar(at(each, {"spec", "nodeName"})));
                domainOf(each);
            }
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

    void node(const YAML::Node& document) {
        const YAML::Node labels = at(document, {"metadata", "labels"});
        HostFacts& facts = nodes_[scalar(at(document, {"metadata", "name"}))];
        const YAML::Node type = at(labels, "node.kubernetes.io/instance-type");
        facts.type = scalar(type);
        facts.line = lineOf(type);
        for (std::size_t i = 0; i < labelsOfDomains.size(); ++i)
            if (const std::string domain = scalar(at(labels, labelsOfDomains[i].data())); !domain.empty())
                facts.domains[i] = domain;
    }

    /// What a pod that runs says of the domain of its host.
    void domainOf(const YAML::Node& pod) {
        const YAML::Node spec = at(pod, "spec");
        HostFacts& facts = nodes_[scalar(at(spec, "nodeName"))];
        for (std::size_t i = 0; i < labelsOfDomains.size(); ++i)
            if (facts.domains[i].empty())
                facts.domains[i] = scalar(at(at(spec, "nodeSelector"), labelsOfDomains[i].data()));
        const YAML::Node claims = at(spec, "resourceClaims");
        if (claims.IsDefined() && claims.IsSequence() && claims.size() == 1) // of IMEX channels, as a rule
            facts.domains.back() = scalar(at(claims[0], "resourceClaimTemplateName"));
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
            out += wordsIn(container);
        return out;
    }

    static std::string wordsIn(const YAML::Node& container) {
        std::string out;
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

    void trainJob(const YAML::Node& trainer, std::int64_t nodes) {
        const Pods place{std::max(nodes, whole(at(trainer, "numNodes")).value_or(1)), 1, ""};
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
        if (const YAML::Node image = at(container, "image"); !at(container, "command").IsDefined())
            command.arguments = entrypointOf(scalar(image), lineOf(image));
        for (const char* key : {"command", "args"}) {
            const YAML::Node list = at(container, key);
            if (list.IsDefined() && list.IsSequence())
                for (const auto& each : list) {
                    ShellWord word = wordOf(each, reader_.yaml);
                    word.open = word.text.starts_with("$(") || isTemplated(word.text);
                    word.text = substituted(word.text, given);
                    command.arguments.push_back(std::move(word));
                }
        }
        const auto gpus = whole(at(limits, "nvidia.com/gpu"));
        if (!isOpen_)
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
        if (components.IsDefined() && components.IsSequence()) {
            // One for each UltraServer is one worker with the replicas of all.
            const auto wordsAt = [&components](std::size_t i) {
                const YAML::Node each = components[i];
                return scalar(at(each, "type")) + ' ' + scalar(at(each, {"multinode", "nodeCount"})) + ' ' +
                       wordsOf(at(each, {"podTemplate", "spec", "containers"}));
            };
            std::map<std::string, std::int64_t> replicas;
            for (std::size_t i = 0; i < components.size(); ++i)
                replicas[wordsAt(i)] += whole(at(components[i], "replicas")).value_or(1);
            for (std::size_t i = 0; i < components.size(); ++i)
                if (const auto found = replicas.extract(wordsAt(i)); !found.empty())
                    component(components[i], scalar(at(components[i], "type")),
                              at(components[i], {"podTemplate", "spec"}), found.mapped());
        }
        const YAML::Node services = at(spec, "services"); // v1alpha1
        if (services.IsDefined() && services.IsMap())
            for (const auto& each : services) {
                const std::string sub = scalar(at(each.second, "subComponentType"));
                component(each.second, sub.empty() ? scalar(at(each.second, "componentType")) : sub,
                          at(each.second, "extraPodSpec"), whole(at(each.second, "replicas")).value_or(1));
            }
    }

    void component(const YAML::Node& each, const std::string& type, const YAML::Node& podSpec,
                   std::int64_t replicas) {
        if (type == "frontend" || type == "planner" || type == "epp")
            return;
        Pods place{whole(at(each, {"multinode", "nodeCount"})).value_or(1), replicas,
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

    struct Parts {
        std::int64_t count = 0;
        bool read = false;
    };
    static constexpr int mostDocuments = 1000;
    static constexpr std::size_t domainKinds = labelsOfDomains.size() + 1; ///< the last: a ComputeDomain
    struct HostFacts {
        std::string type; ///< of its instance
        int line = 0;
        std::array<std::string, domainKinds> domains;
    };
    JobReader& reader_;
    std::map<std::string, HostFacts> nodes_; ///< by name
    std::map<std::string, Parts> parts_;     ///< by their words
    int visited_ = 0;
    bool isOpen_ = false; ///< a template fills in how many instances there are
};

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
        return file + ":" + std::to_string(std::max(1, error.mark.line + 1)) + ": " + error.msg;
    }
}

bool readYamlJob(JobReader& reader, const std::string& text, const std::string& file) {
    try {
        reader.yaml.clear();
        for (std::string_view rest = text; !rest.empty();) {
            reader.yaml.push_back(rest.substr(0, rest.find('\n')));
            rest.remove_prefix(std::min(rest.size(), reader.yaml.back().size() + 1));
        }
        const std::vector<YAML::Node> documents = documentsOf(text);
        Manifests manifests(reader);
        for (const YAML::Node& each : documents) {
            manifests.addFiles(each);
            manifests.countAlike(each);
        }
        bool any = false;
        for (const YAML::Node& each : documents)
            any = manifests.read(each) || any;
        if (any) {
            manifests.describeHosts();
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
        if (keys.has("context_servers.num_instances") && keys.has("generation_servers.num_instances")) {
            readDisaggregated(reader, keys);
            return true;
        }
        if (isNemo(keys)) {
            readNemo(reader, keys);
            return true;
        }
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
            readServer(reader, reader.toolFor("vllm", keys), keys, {}, {});
            return true;
        }
        return false;
    } catch (const YAML::Exception& error) {
        reader.out.faults.push_back(file + ":" + std::to_string(std::max(1, error.mark.line + 1)) + ": " +
                                    error.msg + "; expected YAML or JSON");
        return true;
    }
}

} // namespace alidade::data::handoff
