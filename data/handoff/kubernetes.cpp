// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/text_writers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

/// Topology-aware scheduling: all pods under one switch of the layer that can hold them.
Json topologyAnnotations(const HandoffSource& source, const std::string& kind) {
    Json out = Json::object();
    if (kind == "kai") {
        out["kai.scheduler/topology"] = "aws-network";
        out["kai.scheduler/topology-preferred-placement"] = topologyLabels().at(1);
    } else if (source.estimate.scenario.cluster.ultraserver) {
        out["kueue.x-k8s.io/podset-preferred-topology"] = topologyLabels().at(0);
    } else {
        out["kueue.x-k8s.io/podset-preferred-topology"] = topologyLabels().at(1);
    }
    return out;
}

Json templateOf(const Pod& pod, const std::string& slug) {
    Json annotations = topologyAnnotations(pod.source, pod.kind);
    Json out = Json::object();
    if (pod.program.nodes > 1 && pod.kind != "volcano")
        out["metadata"] = {{"annotations", annotations}};
    out["spec"] = podSpecOf(pod, slug);
    return out;
}

Json jobSet(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
            const std::string& slug, const std::string& kind) {
    const Pod pod{source, job, program, kind, name + "-worker-0-0." + name, "${JOB_COMPLETION_INDEX:-0}"};
    Json out = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}};
    out["metadata"] = metadataOf(source, name, kind);
    Json batch = {{"parallelism", program.nodes}, {"completions", program.nodes}, {"backoffLimit", 0}};
    batch["template"] = templateOf(pod, slug);
    Json replicated = {{"name", "worker"}, {"replicas", program.replicas}, {"template", {{"spec", batch}}}};
    out["spec"] = {{"failurePolicy", {{"maxRestarts", 3}}}, {"replicatedJobs", Json::array({replicated})}};
    return out;
}

Json trainJob(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
              const std::string& slug) {
    const Pod pod{source, job, program, "trainjob", "${PET_MASTER_ADDR:?}", "${PET_NODE_RANK:?}"};
    const Json container = containerOf(pod);
    Json trainer = {
        {"image", container["image"]}, {"numNodes", program.nodes}, {"numProcPerNode", program.gpusPerNode}};
    trainer["command"] = container["command"];
    if (container.contains("args"))
        trainer["args"] = container["args"];
    if (container.contains("env"))
        trainer["env"] = container["env"];
    trainer["resourcesPerNode"] = container["resources"];
    trainer["resourcesPerNode"].erase("claims");
    Json out = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainJob"}};
    out["metadata"] = metadataOf(source, name, "trainjob");
    Json spec = {{"runtimeRef", {{"name", slug + "-runtime"}}}, {"trainer", trainer}};
    out["spec"] = spec;
    return out;
}

/// The runtime that a TrainJob refers to: where its pods run and what they mount.
Json trainingRuntime(const HandoffSource& source, const Job& job, const Program& program,
                     const std::string& slug) {
    Pod pod{source, job, program, "jobset", "", "0"};
    Json podSpec = podSpecOf(pod, slug);
    Json& container = podSpec["containers"][0];
    container["name"] = "node";
    for (const char* key : {"command", "args", "env", "resources"})
        container.erase(key);
    Json replicated = {{"name", "node"}};
    replicated["template"] = {
        {"metadata", {{"labels", {{"trainer.kubeflow.org/trainjob-ancestor-step", "trainer"}}}}},
        {"spec", {{"template", {{"spec", podSpec}}}}}};
    Json out = {{"apiVersion", "trainer.kubeflow.org/v1alpha1"}, {"kind", "TrainingRuntime"}};
    out["metadata"] = {{"name", slug + "-runtime"}};
    out["spec"] = {{"mlPolicy", {{"numNodes", program.nodes}, {"torch", Json::object()}}},
                   {"template", {{"spec", {{"replicatedJobs", Json::array({replicated})}}}}}};
    return out;
}

Json pyTorchJob(const HandoffSource& source, const Job& job, const Program& program, const std::string& name,
                const std::string& slug) {
    const Pod pod{source, job, program, "pytorchjob", name + "-worker-0", "${NODE_RANK:?}"};
    Json podTemplate = templateOf(pod, slug);
    Json& container = podTemplate["spec"]["containers"][0];
    container["name"] = "pytorch"; // the operator looks for it
    // An elastic job gets a rendezvous, but RANK only beside a master. A label has the number of each pod.
    if (program.nodes > 1 && program.launcher != Launcher::torchrun)
        container["env"] = Json::array(
            {{{"name", "NODE_RANK"},
              {"valueFrom",
               {{"fieldRef", {{"fieldPath", "metadata.labels['training.kubeflow.org/replica-index']"}}}}}}});
    Json out = {{"apiVersion", "kubeflow.org/v1"}, {"kind", "PyTorchJob"}};
    out["metadata"] = metadataOf(source, name, "pytorchjob");
    out["spec"] = {
        {"nprocPerNode", std::to_string(program.gpusPerNode)},
        {"elasticPolicy",
         {{"rdzvBackend", "c10d"},
          {"minReplicas", program.nodes},
          {"maxReplicas", program.nodes},
          {"maxRestarts", 3}}},
        {"pytorchReplicaSpecs",
         {{"Worker",
           {{"replicas", program.nodes}, {"restartPolicy", "OnFailure"}, {"template", podTemplate}}}}}};
    return out;
}

Json leaderWorkerSet(const HandoffSource& source, const Job& job, const Program& program,
                     const std::string& name, const std::string& slug) {
    const Pod pod{source, job, program, "leaderworkerset", "$LWS_LEADER_ADDRESS", "${LWS_WORKER_INDEX:-0}"};
    Json out = {{"apiVersion", "leaderworkerset.x-k8s.io/v1"}, {"kind", "LeaderWorkerSet"}};
    out["metadata"] = metadataOf(source, name, "leaderworkerset");
    const Json podTemplate = templateOf(pod, slug);
    Json leader = podTemplate;
    leader["metadata"]["labels"] = {{"alidade.invalid/leader", name}};
    Json workers = {{"size", program.nodes}, {"restartPolicy", "RecreateGroupOnPodRestart"}};
    if (program.nodes > 1)
        workers["leaderTemplate"] = leader;
    workers["workerTemplate"] = program.nodes > 1 ? podTemplate : leader;
    out["spec"] = {{"replicas", program.replicas}, {"leaderWorkerTemplate", workers}};
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
    const Pod pod{source, job, program, "volcano", name + "-worker-0." + name, "${VC_TASK_INDEX:-0}"};
    Json podTemplate = templateOf(pod, slug);
    podTemplate["spec"]["restartPolicy"] = "OnFailure";
    Json out = {{"apiVersion", "batch.volcano.sh/v1alpha1"}, {"kind", "Job"}};
    out["metadata"] = metadataOf(source, name, "volcano");
    out["spec"] = {
        {"minAvailable", program.nodes},
        {"schedulerName", "volcano"},
        {"queue", "CHANGE_ME_QUEUE"},
        {"networkTopology", {{"mode", "soft"}, {"highestTierAllowed", 2}}},
        {"plugins", {{"svc", Json::array()}, {"env", Json::array()}}},
        {"tasks",
         Json::array({{{"name", "worker"}, {"replicas", program.nodes}, {"template", podTemplate}}})}};
    return out;
}

} // namespace

void writeKubernetes(const HandoffSource& source, const Job& job, const std::string& kind, Handoff& out) {
    const std::string slug = slugOf(source);
    std::vector<Json> documents = podObjects(source, job, slug);
    for (const Program& program : job.programs) {
        const std::string name = job.programs.size() > 1 ? slug + "-" + program.role : slug;
        if (kind == "trainjob") {
            documents.push_back(trainingRuntime(source, job, program, slug));
            documents.push_back(trainJob(source, job, program, name, slug));
        } else if (kind == "pytorchjob") {
            documents.push_back(pyTorchJob(source, job, program, name, slug));
        } else if (kind == "leaderworkerset") {
            documents.push_back(leaderWorkerSet(source, job, program, name, slug));
            documents.push_back(serviceOf(program, name));
        } else if (kind == "volcano") {
            documents.push_back(volcanoJob(source, job, program, name, slug));
        } else {
            documents.push_back(jobSet(source, job, program, name, slug, kind));
        }
    }
    out.files.insert(
        out.files.begin(),
        {kind + ".yaml", commentOf(headerLines(source, job, kind)) + yamlText(documents), false});
}

} // namespace alidade::data::handoff
