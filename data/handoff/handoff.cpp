// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/handoff.h"

#include "data/handoff/job.h"
#include "data/handoff/observation_targets.h"
#include "data/handoff/storage.h"
#include "data/handoff/tools.h"
#include "data/handoff/verl_pools.h"
#include "data/json/reader.h"
#include "model/estimate/cluster_map.h"
#include "model/scenario/field_conditions.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace alidade::data {

using namespace handoff;

namespace {

std::vector<TargetInfo> makeTargets() {
    std::vector<TargetInfo> out;
    const auto add = [&out](const char* id, const std::string& name, const std::string& version,
                            TargetKind kind, const char* writes, const char* apply = "") {
        out.push_back({id, name, version, kind, writes, apply});
    };
    const auto addTool = [&](const char* id, TargetKind kind, const char* writes) {
        add(id, tool(id).name, tool(id).version, kind, writes);
    };
    addTool("megatron-lm", TargetKind::training, "train.sh");
    addTool("megatron-bridge", TargetKind::training, "train.sh");
    addTool("torchtitan", TargetKind::training, "train.sh, job.toml");
    addTool("deepspeed", TargetKind::training, "train.sh, ds_config.json");
    addTool("accelerate", TargetKind::training, "train.sh, accelerate.yaml");
    add("fsdp2", "PyTorch FSDP2", "2.7 and later", TargetKind::training, "train.sh, plan.json");
    addTool("verl", TargetKind::training, "train.sh");
    addTool("vllm", TargetKind::serving, "serve.sh");
    addTool("sglang", TargetKind::serving, "serve.sh");
    addTool("tensorrt-llm", TargetKind::serving, "serve.sh, llm_args.yaml");
    add("slurm", "Slurm", "22.05 to 26.05", TargetKind::cluster, "job.sbatch", "sbatch ");
    add("jobset", "Kubernetes JobSet", "0.12.0", TargetKind::cluster, "jobset.yaml", "kubectl apply -f ");
    add("trainjob", "Kubeflow TrainJob", "Trainer 2.3.0", TargetKind::cluster, "trainjob.yaml",
        "kubectl apply -f ");
    add("pytorchjob", "Kubeflow PyTorchJob", "1.9.0", TargetKind::cluster, "pytorchjob.yaml",
        "kubectl apply -f ");
    add("leaderworkerset", "Kubernetes LeaderWorkerSet", "0.10.0", TargetKind::cluster,
        "leaderworkerset.yaml", "kubectl apply -f ");
    add("dynamo", "NVIDIA Dynamo", dynamoVersion(), TargetKind::cluster, "dynamo.yaml", "kubectl apply -f ");
    add("llm-d", "llm-d model service chart", "0.4.12", TargetKind::cluster, "values.yaml",
        "helm install NAME llm-d-modelservice --version v0.4.12 "
        "--repo https://llm-d-incubation.github.io/llm-d-modelservice/ -f ");
    add("volcano", "Volcano Job", "1.15.1", TargetKind::cluster, "volcano.yaml", "kubectl apply -f ");
    add("kai", "JobSet for the KAI scheduler", "0.13.0", TargetKind::cluster, "kai.yaml",
        "kubectl apply -f ");
    add("kueue", "Kueue queues", "0.19.2", TargetKind::cluster, "kueue.yaml", "kubectl apply -f ");
    add("karpenter", "Karpenter node pool", "1.14.1", TargetKind::cluster, "karpenter.yaml",
        "kubectl apply -f ");
    add("eksctl", "eksctl node group", "0.230.0", TargetKind::cluster, "nodegroup.yaml",
        "eksctl create nodegroup -f ");
    add("parallelcluster", "AWS ParallelCluster", "3.11.1", TargetKind::cluster, "cluster.yaml",
        "pcluster create-cluster --cluster-name NAME --cluster-configuration ");
    add("pcs", "AWS PCS", "CloudFormation", TargetKind::cluster, "pcs.yaml",
        "aws cloudformation deploy --stack-name NAME --template-file ");
    add("hyperpod-slurm", "SageMaker HyperPod with Slurm", "", TargetKind::cluster,
        "provisioning_parameters.json");
    add("hyperpod-eks", "SageMaker HyperPod with EKS", "", TargetKind::cluster, "pytorchjob.yaml",
        "kubectl apply -f ");
    add("prometheus-rules", "Prometheus rules", "2.42 and later", TargetKind::observation, "rules.yml");
    add("grafana-dashboard", "Grafana dashboard", "11 and 12", TargetKind::observation, "dashboard.json");
    add("nccl-tests", "nccl-tests", "", TargetKind::observation, "nccl-tests.sh");
    return out;
}

/// Another name of a target, or the name itself.
std::string canonical(const std::string& target, bool serving) {
    if (target == "kubernetes")
        return serving ? "leaderworkerset" : "jobset";
    if (target == "nemo")
        return "megatron-bridge";
    if (target == "pytorch" || target == "torchrun")
        return "fsdp2";
    return target;
}

bool isManifest(const std::string& id) {
    return id == "jobset" || id == "trainjob" || id == "pytorchjob" || id == "leaderworkerset" ||
           id == "volcano" || id == "kai" || id == "hyperpod-eks" || id == "dynamo" || id == "llm-d";
}

/// Whether a cluster target can run a job of the kind.
bool takes(const std::string& cluster, bool serving) {
    if (cluster == "leaderworkerset" || cluster == "dynamo" || cluster == "llm-d")
        return serving;
    if (cluster == "trainjob" || cluster == "pytorchjob" || cluster == "volcano" || cluster == "jobset" ||
        cluster == "kai" || cluster == "hyperpod-eks")
        return !serving;
    return true;
}

/// Objects of a cluster of Kubernetes that run nothing themselves: they are next to a job.
bool isExtra(const std::string& id) { return id == "kueue" || id == "karpenter" || id == "eksctl"; }

/// Why a target of the cluster and objects alongside it do not go together; empty: they do.
std::string extraFault(const std::string& cluster, const std::string& extra) {
    if (extra.empty() || (isManifest(cluster) && extra != "kueue"))
        return {};
    if (!isManifest(cluster))
        return "'" + extra + "' can only be added to a Kubernetes job, and '" + cluster + "' is not one";
    if (cluster == "volcano" || cluster == "kai" || cluster == "hyperpod-eks")
        return "'" + cluster + "' has its own queues; write it without kueue";
    if (cluster == "dynamo" || cluster == "llm-d")
        return "'" + cluster + "' makes its pods without a queue; write it without kueue";
    return {};
}

/// Whether a target of the cluster names an instance type of AWS.
bool needsInstance(const std::string& id) {
    return isExtra(id) || id == "parallelcluster" || id == "pcs" || id.starts_with("hyperpod");
}

/// Why a framework or engine cannot hold the plan; empty: it can.
std::string toolFault(const TargetInfo& tool, const ScenarioSpec& spec) {
    const bool serving = spec.workload.isServing();
    if (spec.workload.isReinforcement()) {
        if (tool.id != "verl")
            return "does not alternate rollout and training, which reinforcement learning does";
        return placementFault(spec);
    }
    if (tool.id == "verl")
        return std::string("is for reinforcement learning, and this plan ") + (serving ? "serves" : "trains");
    if (serving != (tool.kind == TargetKind::serving))
        return serving ? "trains, and this plan serves" : "serves, and this plan trains";
    const auto& tuned = spec.workload.finetune.kind;
    const bool noAdapters = tool.id == "megatron-lm" || tool.id == "torchtitan";
    if (tuned == "lora" && noAdapters)
        return "trains no LoRA adapters";
    if (tuned == "qlora" && (noAdapters || tool.id == "megatron-bridge"))
        return "trains no adapters over a base in 4 bits";
    return {};
}

/// Why a cluster target cannot hold the plan with a tool; empty: it can.
std::string clusterFault(const TargetInfo& cluster, const ScenarioSpec& spec, std::string_view tool) {
    const bool serving = spec.workload.isServing();
    if (!takes(cluster.id, serving))
        return serving ? "runs training, and this plan serves" : "runs servers, and this plan trains";
    if (needsInstance(cluster.id) && !spec.cluster.instance && !spec.cluster.ultraserver &&
        !spec.cluster.topology)
        return "requires an AWS instance type, and this plan uses a custom machine";
    if (tool == "verl" && (isManifest(cluster.id) || isExtra(cluster.id)))
        return "does not set up Ray, which verl runs on";
    return runsOn(tool, cluster.id) ? std::string() : "runs vLLM only";
}

std::string joinedIds(const ScenarioSpec& spec) {
    std::string out;
    for (const TargetChoice& each : handoffChoices(spec))
        if (each.why.empty())
            out += (out.empty() ? "" : ", ") + each.target->id;
    return out;
}

/// Names the written fields of the cluster, the price and the load that neither the programs nor the objects
/// of the cluster say.
void tellCluster(const HandoffSource& source, const std::string& cluster, Job& job) {
    std::map<std::string, std::string> why = outsideTheJob();
    // Hosts with names are written one by one.
    const bool placed = cluster == "slurm" && !clusterMap(source.scenario, source.catalog).fabric.assumed;
    std::erase_if(why, [&](const auto& each) {
        return (placed && (each.first == "cluster.topology" || each.first == "cluster.placement" ||
                           each.first == "cluster.excluded_hosts")) ||
               expressesField(cluster, each.first) || expressesField(job.extra, each.first) ||
               (each.first == "cluster.rank_order" && job.toolName.starts_with("Megatron"));
    });
    leaveOutFields(why, source.written, job.leftOut);
    std::erase_if(job.leftOut, [&](const LeftOut& each) { // of a group of fields some are expressed
        return each.path.starts_with("order.") &&
               (expressesField(cluster, each.path) || expressesField(job.extra, each.path));
    });
    int instances = 0, gpus = 0;
    for (const Program& program : job.programs) {
        instances += program.nodes * program.groups();
        gpus += program.nodes * program.gpusPerNode * program.replicas;
    }
    const ClusterSpec& written = source.written.cluster;
    if (written.instances && *written.instances != instances)
        leaveOut(job.leftOut, "cluster.instances", std::to_string(*written.instances),
                 "the files fill " + std::to_string(instances));
    if (written.ultraservers && !written.ultraserver)
        leaveOut(job.leftOut, "cluster.ultraservers", std::to_string(*written.ultraservers),
                 "the instances are not in an UltraServer");
    if (written.gpus && *written.gpus != gpus)
        leaveOut(job.leftOut, "cluster.gpus", std::to_string(*written.gpus),
                 "the files use " + std::to_string(gpus));
}

/// Why a field means nothing where its condition in the table of fields does not hold.
const std::map<FieldCondition, const char*>& reasons() {
    static const std::map<FieldCondition, const char*> all{
        {fields::hasStages, "there are no stages"},
        {fields::splitsSequences, "there are no context groups"},
        {fields::isSplitByTensor, "there are no tensor groups"},
        {fields::shardsInGroups, "there are no groups of shards"},
        {fields::computesInFp8, "nothing is in FP8"},
        {fields::trainsLora, "there are no adapters"},
        {fields::hasExamples, "the tokens of the run are given instead of examples"},
        {fields::isAsynchronous, "only responses that stream may be ahead of the weights"},
        {fields::takesTurns, "each pool has its GPUs to itself"},
        {fields::isOneFleet, "each pool has its own"}};
    return all;
}

/// Names what of the order's purchase options the files do not say.
void tellPurchase(const HandoffSource& source, Job& job) {
    const auto name = [&](const std::string& path, const char* why) {
        if (const std::string word = fieldWord(source.written, path); !word.empty())
            leaveOut(job.leftOut, path, word, why);
    };
    const auto tell = [&](const std::string& path) {
        const std::string word = fieldWord(source.written, path);
        if (word == "custom")
            name(path, "a custom price; written as on demand");
        else if (word == "training_plan")
            name(path, "only HyperPod takes a training plan; elsewhere written as on demand");
        else if (word == "savings_plan")
            name(path, "a lower price, without reserved capacity; written as on demand");
    };
    const Scenario& scenario = source.scenario;
    if (!scenario.hasBase()) {
        tell("cluster.purchase");
        name("order.base.purchase", "there is no base");
        return;
    }
    if (scenario.inputs[Input::baseItems] < scenario.inputs[Input::paidItems])
        tell("cluster.purchase");
    else
        name("cluster.purchase", "all instances are bought as the base");
    tell("order.base.purchase");
}

/// EFA does not leave an Availability Zone, and what is bought in two ways is not in one by itself.
void warnOfZones(const HandoffSource& source, bool makesInstances, Job& job) {
    const Scenario& scenario = source.scenario;
    const bool two =
        scenario.hasBase() && scenario.inputs[Input::baseItems] < scenario.inputs[Input::paidItems];
    if (two && makesInstances && std::ranges::any_of(job.programs, &Program::leavesInstance))
        job.warnings.emplace_back("the base and the rest are two groups of instances, and EFA does not cross "
                                  "Availability Zones: request both in the zone of the subnet");
}

/// Names written fields that no file of the plan depends on, since another field leaves them without meaning,
/// and shares where a program knows on and off.
void tellMeaningless(const HandoffSource& source, Job& job) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const auto name = [&](std::string_view path, const std::string& why) {
        if (const std::string word = fieldWord(source.written, path); !word.empty())
            leaveOut(job.leftOut, std::string(path), word, why);
    };
    for (const Field& field : fieldTable()) {
        // A dense model has no experts in any fleet; that is for the tool to say.
        const FieldCondition when =
            field.when == fields::isOneFleetWithExperts ? fields::isOneFleet : field.when;
        if (const auto at = reasons().find(when); at != reasons().end() && !when(spec, source.catalog))
            name(field.path, at->second);
    }
    if (spec.plan.expertParallel.value_or(1) < 2)
        for (const char* path : {"plan.overlap.expert", "plan.expert_exchange", "plan.dispatcher"})
            name(path, "each GPU has all experts");
    if (fields::isOneFleet(spec, source.catalog))
        for (const char* path : {"plan.disaggregated.transfer", "plan.disaggregated.overlap"})
            name(path, "there are no pools");
    if (source.estimate.reinforcement)
        for (const char* path : {"run.storage", "run.storage_bytes"})
            name(path, "mount it where the job writes its checkpoints");
    else if (storageOf(source).shared == nullptr)
        name("run.storage_bytes", "the plan names no storage");
    for (const char* path :
         {"plan.overlap.tensor", "plan.overlap.gradient", "plan.overlap.expert", "plan.overlap.pipeline"})
        if (const std::string word = fieldWord(source.written, path);
            !word.empty() && word != "0" && word != "1" && job.tool != nullptr)
            name(path, "only on or off");
}

void writeTool(const std::string& id, const Tool* tool, const std::string& cluster,
               const HandoffSource& source, Job& job) {
    using Writer = void (*)(const HandoffSource&, Job&);
    static const std::map<std::string, Writer> writers{{"megatron-lm", writeMegatronLm},
                                                       {"megatron-bridge", writeMegatronBridge},
                                                       {"torchtitan", writeTorchtitan},
                                                       {"deepspeed", writeDeepSpeed},
                                                       {"accelerate", writeAccelerate},
                                                       {"fsdp2", writePyTorch},
                                                       {"verl", writeVerl},
                                                       {"vllm", writeVllm},
                                                       {"sglang", writeSglang},
                                                       {"tensorrt-llm", writeTensorRtLlm}};
    const TargetInfo& target = *handoffTarget(id);
    job.toolName = target.name;
    job.toolVersion = tool != nullptr ? tool->version : target.version;
    if (tool != nullptr) {
        job.tool = tool;
        // Said first, so that it is in the heading of each file.
        leaveOutFields(job.tool->inexpressible, source.written, job.leftOut);
    }
    writers.at(id)(source, job);
    tellRun(source, cluster, job);
    tellCluster(source, cluster, job);
    if (tool != nullptr) // plan.json of fsdp2 has all of the plan
        tellMeaningless(source, job);
    tellPurchase(source, job);
    warnOfZones(source, makesInstances(job, cluster), job);
}

void collectPlaceholders(Handoff& out) {
    std::set<std::string> found;
    for (const HandoffFile& file : out.files) {
        for (std::size_t at = file.text.find("CHANGE_ME"); at != std::string::npos;
             at = file.text.find("CHANGE_ME", at + 1)) {
            std::size_t end = at;
            while (end < file.text.size() &&
                   (std::isupper(static_cast<unsigned char>(file.text[end])) != 0 || file.text[end] == '_'))
                ++end;
            if (end - at > std::string_view("CHANGE_ME_").size())
                found.insert(file.text.substr(at, end - at));
        }
    }
    out.placeholders.assign(found.begin(), found.end());
}

void warnOfProblems(const Estimate& estimate, Job& job) {
    if (!estimate.fits)
        job.warnings.emplace_back("the plan does not fit in the memory of the GPUs");
}

/// Manifests have a ComputeDomain. With Slurm the cluster has to see to it: see the sources in clusters.json.
void warnOfImex(const HandoffSource& source, const std::string& cluster, Job& job) {
    const bool several =
        std::ranges::any_of(job.programs, [](const Program& program) { return program.nodes > 1; });
    if (isManifest(cluster) || !several ||
        source.catalog.ultraserver(source.estimate.scenario.cluster.ultraserver.value_or("")) == nullptr)
        return;
    job.warnings.push_back(
        "NVLink between the instances of an UltraServer needs the service nvidia-imex with the "
        "addresses of the instances of the job" +
        std::string(cluster.empty() ? "" : ", which a prolog of Slurm gives it"));
}

/// ParallelCluster with the drivers and network interfaces of the instance.
void warnOfVersion(const HandoffSource& source, const std::string& cluster, Job& job) {
    const auto resources = resourcesOf(source.scenario.hostType);
    if (cluster == "parallelcluster" && resources && !resources->parallelCluster.empty())
        job.warnings.push_back("ParallelCluster supports " + source.scenario.hostType + " from " +
                               resources->parallelCluster);
}

/// TensorRT-LLM starts the ranks of several instances by MPI, which only Slurm and Dynamo's operator set up.
void warnOfLauncher(const std::string& cluster, Job& job) {
    const bool several = std::ranges::any_of(job.programs, [](const Program& each) {
        return each.launcher == Launcher::trtllm && each.nodes > 1;
    });
    if (several && cluster == "leaderworkerset")
        job.warnings.emplace_back(
            "the servers of several instances do not start as they are: "
            "trtllm-llmapi-launch needs MPI, which a LeaderWorkerSet does not have; use "
            "--to tensorrt-llm,slurm or --to tensorrt-llm,dynamo");
}

Error unknownTarget(const std::string& name, const ScenarioSpec& spec) {
    std::vector<std::string> known;
    for (const TargetInfo& each : handoffTargets())
        known.push_back(each.id);
    const std::string near = nearestName(name, known);
    return Error{"no target '" + name + "'; " +
                 (near.empty() ? "for this scenario there are " + joinedIds(spec) +
                                     "; 'alidade export --help' lists them all"
                               : "did you mean '" + near + "'?")};
}

Error unknownVersion(const Tools& tools, const std::string& id, const std::string& version) {
    std::string all;
    for (const std::string& each : tools.versions(id))
        all += (all.empty() ? "" : ", ") + each;
    return Error{all.empty()
                     ? "'" + id + "' has no versions to choose from; write it without '@" + version + "'"
                     : "no version '" + version + "' of " + id + "; there are " + all +
                           ", and a table in the folder handoff of a user catalog adds one"};
}

} // namespace

const std::vector<TargetInfo>& handoffTargets() {
    static const std::vector<TargetInfo> all = makeTargets();
    return all;
}

const TargetInfo* handoffTarget(std::string_view id) {
    const auto at = std::ranges::find(handoffTargets(), id, &TargetInfo::id);
    return at == handoffTargets().end() ? nullptr : &*at;
}

bool runsOn(std::string_view tool, std::string_view cluster) {
    if (tool == "verl")
        return !isManifest(std::string(cluster)) && !isExtra(std::string(cluster));
    return cluster != "llm-d" || tool == "vllm";
}

std::vector<TargetChoice> handoffChoices(const ScenarioSpec& spec, std::string_view tool) {
    const std::string usual = toolOf(spec);
    if (tool.empty())
        tool = usual;
    const bool nothing = spec.workload.isReinforcement() && !toolFault(*handoffTarget(usual), spec).empty();
    std::vector<TargetChoice> out;
    for (const TargetInfo& each : handoffTargets()) {
        std::string why;
        if (each.kind == TargetKind::cluster)
            why =
                nothing ? "has nothing to run: no framework takes this plan" : clusterFault(each, spec, tool);
        else if (each.kind != TargetKind::observation)
            why = toolFault(each, spec);
        out.push_back({&each, std::move(why)});
    }
    std::ranges::stable_partition(out, [](const TargetChoice& each) { return each.why.empty(); });
    return out;
}

std::vector<std::string> handoffTargetsFor(const ScenarioSpec& spec) {
    const bool any = !spec.workload.isReinforcement(); // another tool of the same kind may run it
    std::vector<std::string> out;
    for (const TargetInfo& each : handoffTargets()) {
        if (each.kind == TargetKind::observation)
            continue;
        const bool right =
            each.kind != TargetKind::cluster ? toolFault(each, spec).empty()
            : any                            ? takes(each.id, spec.workload.isServing())
                  : toolFault(*handoffTarget(toolOf(spec)), spec).empty() && runsOn(toolOf(spec), each.id);
        if (right)
            out.push_back(each.id);
    }
    return out;
}

std::string toolOf(const ScenarioSpec& spec) {
    if (spec.workload.isReinforcement())
        return "verl";
    if (spec.workload.isServing()) {
        const std::string engine = spec.plan.engine.value_or("vllm");
        return engine.starts_with("tensorrt")                                   ? "tensorrt-llm"
               : engine.starts_with("sglang") || engine == "deepseek-inference" ? "sglang"
                                                                                : "vllm";
    }
    const std::string framework = spec.plan.framework.value_or("megatron-core");
    if (framework == "transformers" ||
        (spec.workload.finetune.kind == "qlora" && !framework.starts_with("deepspeed")))
        return "accelerate";
    if (spec.workload.finetune.kind == "lora" && !framework.starts_with("deepspeed"))
        return "megatron-bridge";
    if (framework.starts_with("megatron-bridge") || framework.starts_with("nemo-24") ||
        framework.starts_with("nemo-mlperf"))
        return "megatron-bridge";
    if (framework.starts_with("torchtitan"))
        return "torchtitan";
    if (framework == "deepspeed")
        return "deepspeed";
    if (framework == "nemo-automodel" || framework == "mosaicml" || framework == "maxtext")
        return "fsdp2";
    return "megatron-lm";
}

Result<Handoff> handOff(const HandoffSource& source, const std::vector<std::string>& targets) {
    const ScenarioSpec& spec = source.estimate.scenario;
    const bool serving = spec.workload.isServing();
    if (!source.scenario.legal)
        return Error{"the plan is not legal; see 'alidade estimate' for the reason"};
    const Tools& tools = source.tools != nullptr ? *source.tools : Tools::shipped();
    std::string framework, cluster, extra, version;
    for (const std::string& each : targets) {
        const std::string id = canonical(each.substr(0, each.find('@')), serving);
        const TargetInfo* target = handoffTarget(id);
        if (target == nullptr)
            return unknownTarget(each.substr(0, each.find('@')), spec);
        if (each.find('@') != std::string::npos) {
            version = each.substr(each.find('@') + 1);
            if (tools.tool(id, version) == nullptr)
                return unknownVersion(tools, id, version);
        }
        if (target->kind == TargetKind::observation) {
            if (targets.size() > 1)
                return Error{"'" + id + "' is a separate target; write it alone"};
            Handoff out;
            writeObservation(source, id, out);
            return out;
        }
        std::string& slot = isExtra(id) ? extra : target->kind == TargetKind::cluster ? cluster : framework;
        if (!slot.empty())
            return Error{"'" + slot + "' and '" + id +
                         "' cannot be combined; use one framework or engine, one cluster and, with a "
                         "Kubernetes job, one of kueue, karpenter and eksctl"};
        slot = id;
    }
    if (!extra.empty() && cluster.empty())
        cluster = canonical("kubernetes", serving);
    if (const std::string fault = extraFault(cluster, extra); !fault.empty())
        return Error{fault};
    for (const std::string& id : {cluster, extra})
        if (needsInstance(id) && source.scenario.hostType.empty())
            return Error{"'" + id +
                         "' requires an AWS instance type, and this plan uses a custom machine; choose an "
                         "instance, or write " +
                         (serving ? "slurm or leaderworkerset" : "slurm or jobset")};
    if (!cluster.empty() && !takes(cluster, serving))
        return Error{"'" + cluster + "' does not run " + (serving ? "serving" : "training") + "; there are " +
                     joinedIds(spec)};
    if (framework.empty())
        framework = toolOf(spec);
    if (const std::string fault = toolFault(*handoffTarget(framework), spec); !fault.empty())
        return Error{"'" + framework + "' " + fault + "; for this scenario there are " + joinedIds(spec)};
    if (const std::string fault = packingFault(source); !fault.empty())
        return Error{"'" + framework + "' " + fault};
    if (!cluster.empty() && !runsOn(framework, cluster))
        return Error{"'" + cluster + "' " + clusterFault(*handoffTarget(cluster), spec, framework) +
                     (framework == "verl" ? "; use --to verl,slurm" : "; use --to vllm," + cluster)};

    Job job;
    job.extra = extra;
    if (extra == "kueue")
        job.queue = slugOf(source);
    warnOfProblems(source.estimate, job);
    const Tool* tool = framework == "fsdp2" ? nullptr
                       : version.empty()    ? &tools.tool(framework)
                                            : tools.tool(framework, version);
    writeTool(framework, tool, cluster, source, job);
    warnOfLauncher(cluster, job);
    warnOfImex(source, cluster, job);
    warnOfVersion(source, cluster, job);
    if (isManifest(cluster))
        std::erase_if(job.files, [](const HandoffFile& file) { return file.name == disaggregatedFile; });
    else if (!job.files.empty() && job.files.back().name == disaggregatedFile)
        job.warnings.push_back(std::string("'trtllm-serve disaggregated -c ") + disaggregatedFile +
                               "' sends the requests to both pools, once it has the names of their hosts");
    Handoff out;
    if (cluster == "slurm") {
        writeSlurm(source, job, out);
    } else if (cluster == "dynamo") {
        writeDynamo(source, job, out);
    } else if (cluster == "llm-d") {
        writeLlmD(source, job, out);
    } else if (isManifest(cluster)) {
        writeKubernetes(source, job, cluster, out);
    } else {
        writeShell(source, job, out);
        if (!cluster.empty())
            writeClusterObjects(source, job, cluster, out);
    }
    if (!extra.empty())
        writeClusterObjects(source, job, extra, out);
    if (!isManifest(cluster))
        out.files.insert(out.files.end(), job.files.begin(), job.files.end());
    out.leftOut = job.leftOut;
    out.warnings = job.warnings;
    collectPlaceholders(out);
    writeReadme(source, job, cluster, out);
    return out;
}

} // namespace alidade::data
