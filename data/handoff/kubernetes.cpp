// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"

#include <algorithm>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* topologyName = "aws-network";

/// Topology-aware scheduling by Kueue: all pods under one switch of the layer that can hold them.
Json topologyAnnotations(const HandoffSource& source) {
    const bool ultraservers = source.estimate.scenario.cluster.ultraserver.has_value();
    return {{"kueue.x-k8s.io/podset-preferred-topology", topologyLabels().at(ultraservers ? 0 : 1)}};
}

Json templateOf(const Pod& pod, const std::string& slug) {
    Json out = Json::object();
    if (pod.program.nodes > 1 && pod.kind != "volcano" && pod.kind != "kai")
        out["metadata"] = {{"annotations", topologyAnnotations(pod.source)}};
    out["spec"] = podSpecOf(pod, slug);
    keepTogether(pod, slug, out);
    return out;
}

/// The name of the pods of an UltraServer: "worker", or "worker0" of several.
std::string groupName(const std::vector<Share>& groups, const Share& group) {
    return groups.size() > 1 ? "worker" + std::to_string(group.domain) : std::string("worker");
}

/// The same for a separate object: "llama", or "llama-0".
std::string partName(const std::vector<Share>& parts, const Share& part, const std::string& name) {
    return parts.size() > 1 ? name + "-" + std::to_string(part.domain) : name;
}

/// A program whose jobs, one an UltraServer, meet as one: each knows the ranks of its own instances.
Program joined(const Program& program, const std::vector<Share>& parts) {
    Program out = program;
    out.ordered = parts.size() > 1;
    return out;
}

/// The number of an instance in the job, of its number in the group.
std::string rankIn(const Share& group, const std::string& number) {
    return group.first == 0 ? number : "$(( " + std::to_string(group.first) + " + " + number + " ))";
}

Json jobSet(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
            const std::string& slug, const std::string& kind) {
    const std::vector<Share> groups = sharesOf(source, job, program);
    const std::string head = name + "-" + groupName(groups, groups.front()) + "-0-0." + name;
    Json all = Json::array();
    for (const Share& group : groups) {
        const Pod pod{source,      job, program, kind, head, rankIn(group, "${JOB_COMPLETION_INDEX:-0}"),
                      group.domain};
        Json batch = {{"parallelism", group.nodes}, {"completions", group.nodes}, {"backoffLimit", 0}};
        batch["template"] = templateOf(pod, slug);
        all.push_back({{"name", groupName(groups, group)},
                       {"replicas", program.replicas},
                       {"template", {{"spec", batch}}}});
    }
    Json out = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}};
    out["metadata"] = metadataOf(source, job, name, kind);
    if (kind == "kai" && program.nodes > 1) { // which reads them from the object that owns the pods
        Json& annotations = out["metadata"]["annotations"];
        annotations["kai.scheduler/topology"] = topologyName;
        annotations["kai.scheduler/topology-preferred-placement"] = topologyLabels().at(1);
    }
    out["spec"] = {{"failurePolicy", {{"maxRestarts", 3}}}, {"replicatedJobs", all}};
    return out;
}

/// The layers of the network for KAI, which places no job that names a topology that is not there.
Json kaiTopology() {
    Json levels = Json::array();
    for (const std::string& label : topologyLabels())
        levels.push_back({{"nodeLabel", label}});
    return {{"apiVersion", "kai.scheduler/v1alpha1"},
            {"kind", "Topology"},
            {"metadata", {{"name", topologyName}}},
            {"spec", {{"levels", levels}}}};
}

/// A separate job for each UltraServer: a runtime has one template of pods.
Json trainJob(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
              const std::vector<Share>& parts, const Share& part) {
    const std::string first = partName(parts, parts.front(), name);
    const Program own = joined(program, parts);
    const Pod pod{source,
                  job,
                  own,
                  "trainjob",
                  parts.size() > 1 ? first + "-node-0-0." + first : "${PET_MASTER_ADDR:?}",
                  rankIn(part, "${PET_NODE_RANK:?}"),
                  part.domain};
    const Json container = containerOf(pod);
    Json trainer = {
        {"image", container["image"]}, {"numNodes", part.nodes}, {"numProcPerNode", program.gpusPerNode}};
    trainer["command"] = container["command"];
    if (container.contains("args"))
        trainer["args"] = container["args"];
    if (container.contains("env"))
        trainer["env"] = container["env"];
    trainer["resourcesPerNode"] = container["resources"];
    if (domainsOf(source, job).count > 0) // the runtime has the claim itself
        trainer["resourcesPerNode"]["claims"] = Json::array({{{"name", "imex"}}});
    Json out = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainJob"}};
    const std::string title = partName(parts, part, name);
    out["metadata"] = metadataOf(source, job, title, "trainjob");
    // Without a kind it would be a ClusterTrainingRuntime.
    const Json runtime = {
        {"apiGroup", "trainer.kubeflow.org"}, {"kind", "TrainingRuntime"}, {"name", title + "-runtime"}};
    out["spec"] = {{"runtimeRef", runtime}, {"trainer", trainer}};
    return out;
}

/// The runtime that a TrainJob refers to: where its pods run and what they mount.
Json trainingRuntime(const HandoffSource& source, const Job& job, const Program& program,
                     const std::string& name, const std::string& slug, const Share& part) {
    const Pod pod{source, job, program, "trainjob", "", "0", part.domain};
    Json podTemplate = templateOf(pod, slug);
    Json& podSpec = podTemplate["spec"];
    podSpec["restartPolicy"] = "Never";
    Json& container = podSpec["containers"][0];
    container["name"] = "node";
    for (const char* key : {"command", "args", "env", "resources"})
        container.erase(key);
    Json replicated = {{"name", "node"}};
    replicated["template"] = {
        {"metadata", {{"labels", {{"trainer.kubeflow.org/trainjob-ancestor-step", "trainer"}}}}},
        {"spec", {{"backoffLimit", 0}, {"template", podTemplate}}}};
    Json out = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainingRuntime"}};
    out["metadata"] = {{"name", name + "-runtime"}};
    out["spec"] = {
        {"mlPolicy", {{"numNodes", part.nodes}, {"torch", Json::object()}}},
        {"template",
         {{"spec",
           {{"failurePolicy", {{"maxRestarts", 3}}}, {"replicatedJobs", Json::array({replicated})}}}}}};
    return out;
}

/// A separate job for each UltraServer: all workers have one template of pods.
Json pyTorchJob(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
                const std::string& slug, const std::vector<Share>& parts, const Share& part) {
    const Program own = joined(program, parts);
    const Pod pod{source,
                  job,
                  own,
                  "pytorchjob",
                  partName(parts, parts.front(), name) + "-worker-0",
                  rankIn(part, "${NODE_RANK:?}"),
                  part.domain};
    Json podTemplate = templateOf(pod, slug);
    Json& container = podTemplate["spec"]["containers"][0];
    container["name"] = "pytorch"; // the operator looks for it
    // An elastic job gets a rendezvous, but RANK only with a master. A label has the number of each pod.
    if (program.nodes > 1 && (own.ordered || program.launcher != Launcher::torchrun))
        container["env"] = Json::array(
            {{{"name", "NODE_RANK"},
              {"valueFrom",
               {{"fieldRef", {{"fieldPath", "metadata.labels['training.kubeflow.org/replica-index']"}}}}}}});
    Json out = {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}};
    out["metadata"] = metadataOf(source, job, partName(parts, part, name), "pytorchjob");
    out["spec"] = {{"nprocPerNode", std::to_string(program.gpusPerNode)}};
    if (parts.size() == 1) // an elastic job would not wait for the others
        out["spec"]["elasticPolicy"] = {{"rdzvBackend", "c10d"},
                                        {"minReplicas", program.nodes},
                                        {"maxReplicas", program.nodes},
                                        {"maxRestarts", 3}};
    out["spec"]["pytorchReplicaSpecs"] = {
        {"Worker", {{"replicas", part.nodes}, {"restartPolicy", "OnFailure"}, {"template", podTemplate}}}};
    return out;
}

/// The Service sends requests to a server that has its weights, and to none that has stopped answering. The
/// further instances of a server answer no requests.
void addProbes(const Program& program, Json& container) {
    const Json health = {{"path", "/health"}, {"port", program.port()}};
    // An hour for the weights.
    container["startupProbe"] = {{"httpGet", health}, {"periodSeconds", 10}, {"failureThreshold", 360}};
    container["readinessProbe"] = {
        {"httpGet", health}, {"periodSeconds", 10}, {"timeoutSeconds", 5}, {"failureThreshold", 3}};
}

Json leaderWorkerSet(const HandoffSource& source, const Job& job, const Program& program,
                     const std::string& name, const std::string& slug, const std::vector<Share>& parts,
                     const Share& part) {
    const Pod pod{
        source,     job, program, "leaderworkerset", "$LWS_LEADER_ADDRESS", "${LWS_WORKER_INDEX:-0}",
        part.domain};
    Json out = {{"apiVersion", "leaderworkerset.x-k8s.io/v1"}, {"kind", "LeaderWorkerSet"}};
    out["metadata"] = metadataOf(source, job, partName(parts, part, name), "leaderworkerset");
    const Json podTemplate = templateOf(pod, slug);
    Json leader = podTemplate;
    leader["metadata"]["labels"]["alidade.invalid/leader"] = name;
    addProbes(program, leader["spec"]["containers"][0]);
    Json workers = {{"size", program.nodes}, {"restartPolicy", "RecreateGroupOnPodRestart"}};
    if (program.nodes > 1)
        workers["leaderTemplate"] = leader;
    workers["workerTemplate"] = program.nodes > 1 ? podTemplate : leader;
    out["spec"] = {{"replicas", part.replicas}, {"leaderWorkerTemplate", workers}};
    return out;
}

Json serviceOf(const Program& program, const std::string& name) {
    return {{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata", {{"name", name}}},
            {"spec",
             {{"selector", {{"alidade.invalid/leader", name}}},
              {"ports", Json::array({{{"port", program.port()}, {"targetPort", program.port()}}})}}}};
}

Json volcanoJob(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
                const std::string& slug) {
    const std::vector<Share> groups = sharesOf(source, job, program);
    const std::string head = name + "-" + groupName(groups, groups.front()) + "-0." + name;
    Json tasks = Json::array();
    for (const Share& group : groups) {
        const Pod pod{source,      job, program, "volcano", head, rankIn(group, "${VC_TASK_INDEX:-0}"),
                      group.domain};
        Json podTemplate = templateOf(pod, slug);
        podTemplate["spec"]["restartPolicy"] = "Never";
        tasks.push_back(
            {{"name", groupName(groups, group)}, {"replicas", group.nodes}, {"template", podTemplate}});
    }
    Json out = {{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}};
    out["metadata"] = metadataOf(source, job, name, "volcano");
    out["spec"] = {{"minAvailable", program.nodes},
                   {"schedulerName", "volcano"},
                   {"queue", "CHANGE_ME_QUEUE"},
                   {"networkTopology", {{"mode", "soft"}, {"highestTierAllowed", 2}}},
                   {"plugins", {{"svc", Json::array()}, {"env", Json::array()}}},
                   // The ranks of a collective begin anew together.
                   {"maxRetry", 3},
                   {"policies", Json::array({{{"events", Json::array({"PodFailed", "PodEvicted"})},
                                              {"action", "RestartJob"}}})},
                   {"tasks", tasks}};
    return out;
}

/// HyperPod's names: its own instance types, and a namespace, a queue and priorities for each team.
void moveToHyperPod(std::vector<Json>& documents) {
    const std::string space = "hyperpod-ns-CHANGE_ME_TEAM";
    for (Json& document : documents) {
        if (document["kind"] == "StorageClass" || document["kind"] == "PersistentVolume")
            continue;
        document["metadata"]["namespace"] = space;
        if (document["kind"] != "PyTorchJob")
            continue;
        Json& labels = document["metadata"]["labels"];
        labels["kueue.x-k8s.io/queue-name"] = space + "-localqueue";
        labels["kueue.x-k8s.io/priority-class"] = "CHANGE_ME_PRIORITY-priority";
        Json& selector =
            document["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["nodeSelector"];
        Json& type = selector["node.kubernetes.io/instance-type"];
        type = "ml." + type.get<std::string>();
        selector["sagemaker.amazonaws.com/node-health-status"] = "Schedulable";
    }
}

} // namespace

void writeKubernetes(const HandoffSource& source, Job& job, const std::string& target, Handoff& out) {
    const bool hyperPod = target == "hyperpod-eks";
    const std::string kind = hyperPod ? "pytorchjob" : target;
    const std::string slug = slugOf(source);
    const bool split = isSplit(source, job, kind);
    tellDomains(source, job, split);
    std::vector<Json> documents = podObjects(source, job, slug, split);
    if (kind == "kai")
        documents.push_back(kaiTopology());
    for (const Program& program : job.programs) {
        const std::string name = job.programs.size() > 1 ? slug + "-" + program.role : slug;
        std::vector<Share> parts = sharesOf(source, job, program);
        if (!split)
            parts.resize(1);
        if (kind == "trainjob" || kind == "pytorchjob") {
            for (const Share& part : parts) {
                const std::string own = partName(parts, part, name);
                if (kind == "trainjob")
                    documents.push_back(trainingRuntime(source, job, program, own, slug, part));
                documents.push_back(kind == "trainjob"
                                        ? trainJob(source, job, program, name, parts, part)
                                        : pyTorchJob(source, job, program, name, slug, parts, part));
            }
            if (parts.size() > 1)
                job.warnings.push_back("each of the " + std::to_string(parts.size()) +
                                       " UltraServers is a separate job, and the training begins when all of "
                                       "them run: a queue has to admit them together");
        } else if (kind == "leaderworkerset") {
            for (const Share& part : parts)
                documents.push_back(leaderWorkerSet(source, job, program, name, slug, parts, part));
            documents.push_back(serviceOf(program, name));
        } else if (kind == "volcano") {
            documents.push_back(volcanoJob(source, job, program, name, slug));
        } else {
            documents.push_back(jobSet(source, job, program, name, slug, kind));
        }
    }
    if (hyperPod)
        moveToHyperPod(documents);
    out.files.insert(
        out.files.begin(),
        {kind + ".yaml", commentOf(headerLines(source, job, kind)) + yamlText(documents), false});
}

} // namespace alidade::data::handoff
