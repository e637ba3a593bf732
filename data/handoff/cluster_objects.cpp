// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/storage.h"
#include "data/handoff/tables.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>

// Objects of the cluster rather than of the job: queues, node pools, clusters.

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *partitionName = "gpu", *computeName = "gpu";

/// Instances that are bought in one way.
struct Group {
    std::string part; ///< "base" or "rest"; empty: there is one group
    int count = 1;
    bool block = false, reserved = false, trainingPlan = false;
    bool hasReservation() const { return block || reserved; }
    /// The name of one of several objects: "NAME-base".
    std::string named(const std::string& name) const { return part.empty() ? name : name + "-" + part; }
    /// The placeholder of what only this group has: "CHANGE_ME_BASE_RESERVATION".
    std::string placeholder(const std::string& what) const {
        std::string out = "CHANGE_ME_" + (part.empty() ? part : part + "_") + what;
        std::ranges::transform(out, out.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return out;
    }
};

struct Machine {
    std::string instance;
    int count = 1, gpus = 8, efa = 0; ///< the instances are those of all groups
    std::vector<Group> groups;        ///< one, or base and rest
    int cards = 0;                    ///< network cards
    bool firstCardEfa = true;         ///< whether the card with number 0 has EFA
    bool arm = false;
    std::string version;      ///< of ParallelCluster, the first that supports it; empty: any
    std::string region, zone; ///< the zone is empty if the plan names none
    std::string zoneOr(const char* placeholder) const { return zone.empty() ? placeholder : zone; }
};

Group groupOf(const std::string& part, int count, const std::string& purchase) {
    return {.part = part,
            .count = count,
            .block = purchase == "capacity_block",
            .reserved = purchase == "reserved",
            .trainingPlan = purchase == "training_plan"};
}

/// The rented instances by how they are bought, as they are ordered.
std::vector<Group> groupsOf(const Scenario& scenario) {
    const double items = std::max(1.0, scenario.inputs[Input::paidItems]);
    // Spare instances are rented in addition to those of the plan; of UltraServers they are among them.
    const bool ultraserver = scenario.spec.cluster.ultraserver.has_value();
    const double each = ultraserver ? std::max(1.0, std::round(scenario.hosts / items)) : 1;
    const int all = std::max(1, ultraserver ? scenario.hosts : static_cast<int>(std::lround(items)));
    const int base = std::min(all, static_cast<int>(std::lround(scenario.inputs[Input::baseItems] * each)));
    if (base == 0 || base == all)
        return {groupOf("", all, scenario.mainPurchase())};
    return {groupOf("base", base, scenario.spec.order.base.purchase.value_or("")),
            groupOf("rest", all - base, scenario.spec.cluster.purchase.value_or(""))};
}

Machine machineOf(const HandoffSource& source) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Machine out;
    out.instance = source.scenario.hostType;
    out.groups = groupsOf(source.scenario);
    out.count = 0;
    for (const Group& group : out.groups)
        out.count += group.count;
    out.gpus = std::max(1, source.scenario.gpusPerNode);
    if (const auto known = resourcesOf(out.instance)) {
        out.efa = known->efaDevices;
        out.version = known->parallelCluster;
    }
    if (const Instance* known = source.catalog.instance(out.instance)) {
        out.arm = known->cpuArchitecture == "arm64";
        out.cards = known->networkCards.value_or(out.efa);
        // As ParallelCluster infers it: P6-B300 and P6e-GB200 have a first card without EFA.
        out.firstCardEfa = known->efaInterfaces.value_or(out.cards) >= out.cards;
    }
    const std::string place = spec.cluster.region.value_or("us-east-2");
    out.region = regionOf(place);
    if (place.starts_with(out.region) && place != out.region)
        out.zone = place;
    return out;
}

Json objectOf(const char* version, const char* kind, const std::string& name) {
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

/// All that the pods of the job ask for, since Kueue admits no pod that asks for a resource without a quota;
/// of GPUs and EFA devices what the instances have.
std::map<std::string, Json> quotasOf(const HandoffSource& source, const Job& job, const Machine& machine) {
    std::map<std::string, Json> out{{"nvidia.com/gpu", machine.count * machine.gpus}};
    if (machine.efa > 0)
        out["vpc.amazonaws.com/efa"] = machine.count * machine.efa;
    std::map<std::string, std::int64_t> gib;
    for (const Program& program : job.programs) {
        const Json all = podResources(program, source.catalog.instance(program.instance))["requests"];
        const std::int64_t pods = static_cast<std::int64_t>(program.nodes) * program.replicas;
        for (const auto& [resource, quantity] : all.items())
            if (quantity.is_string()) // "1843Gi"
                gib[resource] += pods * std::stoll(quantity.get<std::string>());
    }
    for (const auto& [resource, number] : gib)
        out[resource] = std::to_string(number) + "Gi";
    return out;
}

std::vector<Json> kueue(const HandoffSource& source, const Job& job, const Machine& machine,
                        const std::string& slug) {
    Json topology = objectOf("kueue.x-k8s.io/v1beta2", "Topology", "aws-network");
    Json levels = Json::array();
    for (const std::string& label : topologyLabels())
        levels.push_back({{"nodeLabel", label}});
    topology["spec"] = {{"levels", levels}};
    Json flavor = objectOf("kueue.x-k8s.io/v1beta2", "ResourceFlavor", slug);
    flavor["spec"] = {{"nodeLabels", {{"node.kubernetes.io/instance-type", machine.instance}}},
                      {"topologyName", "aws-network"}};
    Json covered = Json::array(), quotas = Json::array();
    for (const auto& [resource, quantity] : quotasOf(source, job, machine)) {
        covered.push_back(resource);
        quotas.push_back({{"name", resource}, {"nominalQuota", quantity}});
    }
    Json queue = objectOf("kueue.x-k8s.io/v1beta2", "ClusterQueue", slug);
    queue["spec"] = {{"namespaceSelector", Json::object()},
                     {"resourceGroups",
                      Json::array({{{"coveredResources", covered},
                                    {"flavors", Json::array({{{"name", slug}, {"resources", quotas}}})}}})}};
    // In the namespace of the job, as that is in the one of the context.
    Json local = objectOf("kueue.x-k8s.io/v1beta2", "LocalQueue", job.queue);
    local["spec"] = {{"clusterQueue", slug}};
    return {topology, flavor, queue, local};
}

/// The nodes of a group and the pool that makes them.
std::array<Json, 2> karpenterPool(const Machine& machine, const Group& group, const std::string& slug) {
    Json nodes = objectOf("karpenter.k8s.aws/v1", "EC2NodeClass", slug);
    nodes["spec"] = {
        {"role", "CHANGE_ME_NODE_ROLE"},
        {"amiSelectorTerms", Json::array({{{"alias", "al2023@latest"}}})},
        {"subnetSelectorTerms", Json::array({{{"tags", {{"karpenter.sh/discovery", "CHANGE_ME_CLUSTER"}}}}})},
        {"securityGroupSelectorTerms",
         Json::array({{{"tags", {{"karpenter.sh/discovery", "CHANGE_ME_CLUSTER"}}}}})},
        {"instanceStorePolicy", "RAID0"}};
    if (group.hasReservation())
        nodes["spec"]["capacityReservationSelectorTerms"] =
            Json::array({{{"id", group.placeholder("RESERVATION")}}});
    Json pool = objectOf("karpenter.sh/v1", "NodePool", slug);
    Json requirements =
        Json::array({{{"key", "node.kubernetes.io/instance-type"},
                      {"operator", "In"},
                      {"values", Json::array({machine.instance})}},
                     {{"key", "karpenter.sh/capacity-type"},
                      {"operator", "In"},
                      {"values", Json::array({group.hasReservation() ? "reserved" : "on-demand"})}}});
    if (!machine.zone.empty())
        requirements.push_back({{"key", "topology.kubernetes.io/zone"},
                                {"operator", "In"},
                                {"values", Json::array({machine.zone})}});
    pool["spec"] = {
        {"template",
         {{"spec",
           {{"nodeClassRef", {{"group", "karpenter.k8s.aws"}, {"kind", "EC2NodeClass"}, {"name", slug}}},
            {"taints", Json::array({{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}})},
            {"requirements", requirements}}}}},
        {"limits", {{"nvidia.com/gpu", group.count * machine.gpus}}},
        {"disruption", {{"consolidationPolicy", "WhenEmpty"}, {"consolidateAfter", "10m"}}}};
    return {nodes, pool};
}

std::vector<Json> karpenter(const Machine& machine, const std::string& slug) {
    std::vector<Json> out;
    for (const Group& group : machine.groups)
        std::ranges::move(karpenterPool(machine, group, group.named(slug)), std::back_inserter(out));
    return out;
}

Json eksctlGroup(const Machine& machine, const Group& group, const std::string& name) {
    Json out = {{"name", name},
                {"instanceType", machine.instance},
                {"minSize", group.count},
                {"maxSize", group.count},
                {"desiredCapacity", group.count},
                {"availabilityZones", Json::array({machine.zoneOr("CHANGE_ME_ZONE")})},
                {"privateNetworking", true}};
    if (machine.efa > 0)
        out["efaEnabled"] = true;
    if (group.block)
        out["instanceMarketOptions"] = {{"marketType", "capacity-block"}};
    if (group.hasReservation())
        out["capacityReservation"] = {
            {"capacityReservationTarget", {{"capacityReservationID", group.placeholder("RESERVATION")}}}};
    return out;
}

Json eksctl(const Machine& machine, const std::string& slug) {
    Json groups = Json::array();
    for (const Group& group : machine.groups)
        groups.push_back(eksctlGroup(machine, group, group.named(slug)));
    return {{"apiVersion", "eksctl.io/v1alpha5"},
            {"kind", "ClusterConfig"},
            {"metadata", {{"name", "CHANGE_ME_CLUSTER"}, {"region", machine.region}}},
            {"managedNodeGroups", groups}};
}

Json computeResource(const Machine& machine, const Group& group, const std::string& name) {
    Json out = {{"Name", name},
                {"InstanceType", machine.instance},
                {"MinCount", group.count},
                {"MaxCount", group.count}};
    if (machine.efa > 0)
        out["Efa"] = {{"Enabled", true}};
    if (group.hasReservation())
        out["CapacityReservationTarget"] = {{"CapacityReservationId", group.placeholder("RESERVATION")}};
    return out;
}

Json slurmQueue(const Machine& machine, const Storage& storage, bool block, const std::string& name,
                const Json& computes) {
    Json queue = {{"Name", name}};
    queue["CapacityType"] = block ? "CAPACITY_BLOCK" : "ONDEMAND";
    queue["Networking"] = {{"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})}};
    if (!block)
        queue["Networking"]["PlacementGroup"] = {{"Enabled", machine.efa > 0}};
    queue["JobExclusiveAllocation"] = true;
    if (storage.localBytes > 0)
        queue["ComputeSettings"] = {
            {"LocalStorage", {{"EphemeralVolume", {{"MountDir", storage.localFolder}}}}}};
    if (storage.shared != nullptr && storage.shared->service == "s3")
        queue["Iam"] = {
            {"S3Access", Json::array({{{"BucketName", "CHANGE_ME_BUCKET"}, {"EnableWriteAccess", true}}})}};
    queue["ComputeResources"] = computes;
    return queue;
}

/// The queues of all groups. A queue has one type of capacity, and a job runs in one partition: groups whose
/// types differ get their own queues and a partition over both, whose nodes are named as ParallelCluster
/// names static ones.
Json scheduling(const Machine& machine, const Storage& storage) {
    Json out = {{"Scheduler", "slurm"}};
    const bool oneType = std::ranges::all_of(
        machine.groups, [&](const Group& each) { return each.block == machine.groups.front().block; });
    Json queues = Json::array(), computes = Json::array();
    std::string nodes;
    for (const Group& group : machine.groups) {
        const Json compute =
            computeResource(machine, group, oneType && !group.part.empty() ? group.part : computeName);
        computes.push_back(compute);
        if (oneType)
            continue;
        queues.push_back(slurmQueue(machine, storage, group.block, group.part, Json::array({compute})));
        nodes += (nodes.empty() ? "" : ",") + group.part + "-st-" + computeName + "-[1-" +
                 std::to_string(group.count) + "]";
    }
    if (oneType)
        queues.push_back(slurmQueue(machine, storage, machine.groups.front().block, partitionName, computes));
    else
        out["SlurmSettings"] = {{"CustomSlurmSettings", Json::array({{{"PartitionName", partitionName},
                                                                      {"Nodes", nodes},
                                                                      {"OverSubscribe", "EXCLUSIVE"}}})}};
    out["SlurmQueues"] = queues;
    return out;
}

Json parallelCluster(const Machine& machine, const Storage& storage) {
    Json out = {{"Region", machine.region}, {"Image", {{"Os", "ubuntu2204"}}}};
    // All instances of a cluster have the processors of its head node.
    out["HeadNode"] = {{"InstanceType", machine.arm ? "m7g.8xlarge" : "m6i.8xlarge"},
                       {"Networking", {{"SubnetId", "CHANGE_ME_PUBLIC_SUBNET"}}},
                       {"Ssh", {{"KeyName", "CHANGE_ME_KEY"}}}};
    out["Scheduling"] = scheduling(machine, storage);
    if (storage.isLustre()) {
        // An existing file system, unless the plan says what to make.
        Json settings = {{"FileSystemId", "CHANGE_ME_FILE_SYSTEM"}};
        if (storage.isProvisioned()) {
            settings = {{"StorageCapacity", storage.gib()},
                        {"DeploymentType", storage.shared->deployment},
                        {"StorageType", storage.shared->medium}};
            if (storage.shared->deployment.starts_with("PERSISTENT"))
                settings["PerUnitStorageThroughput"] = storage.megabytesPerTib();
        }
        out["SharedStorage"] = Json::array({{{"MountDir", storage.folder},
                                             {"Name", "fsx"},
                                             {"StorageType", "FsxLustre"},
                                             {"FsxLustreSettings", settings}}});
    }
    return out;
}

/// Mounts the file system when an instance starts, as the service reads user data.
Json mountingUserData(const std::string& folder) {
    const std::string boundary = "==ALIDADE==";
    const std::string text =
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"" + boundary + "\"\n\n--" + boundary +
        "\nContent-Type: text/cloud-config; charset=\"us-ascii\"\n\nruncmd:\n- mkdir -p " + folder +
        "\n- mount -t lustre -o relatime,flock "
        "${FileSystem.DNSName}@tcp:/${FileSystem.LustreMountName} " +
        folder + "\n\n--" + boundary + "--\n";
    return {{"Fn::Base64", {{"Fn::Sub", text}}}};
}

Json lustreResource(const Storage& storage) {
    Json settings = {{"DeploymentType", storage.shared->deployment}};
    if (storage.shared->deployment.starts_with("PERSISTENT"))
        settings["PerUnitStorageThroughput"] = storage.megabytesPerTib();
    if (storage.efa) {
        settings["EfaEnabled"] = true;
        settings["MetadataConfiguration"] = {{"Mode", "AUTOMATIC"}}; // EFA requires one
    }
    return {{"Type", "AWS::FSx::FileSystem"},
            {"Properties",
             {{"FileSystemType", "LUSTRE"},
              {"FileSystemTypeVersion", "2.15"},
              {"StorageCapacity", storage.gib()},
              {"StorageType", storage.shared->medium},
              {"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})},
              {"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})},
              {"LustreConfiguration", settings}}}};
}

Json nodeGroup(const std::string& instance, int count, const std::string& launchTemplate) {
    return {{"Type", "AWS::PCS::ComputeNodeGroup"},
            {"Properties",
             {{"ClusterId", {{"Fn::GetAtt", Json::array({"Cluster", "Id"})}}},
              {"AmiId", "CHANGE_ME_AMI"}, // with the PCS agent and Slurm
              {"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})},
              {"IamInstanceProfileArn", "CHANGE_ME_INSTANCE_PROFILE"},
              {"CustomLaunchTemplate",
               {{"TemplateId", {{"Ref", launchTemplate}}},
                {"Version", {{"Fn::GetAtt", Json::array({launchTemplate, "LatestVersionNumber"})}}}}},
              {"InstanceConfigs", Json::array({{{"InstanceType", instance}}})},
              {"ScalingConfiguration", {{"MinInstanceCount", count}, {"MaxInstanceCount", count}}}}}};
}

/// The network interfaces of an instance as the EC2 User Guide recommends them: one address, and EFA on the
/// cards that have it. The EFA devices of P6e-GB200 are on every fourth of its cards: one a GPU.
Json networkInterfaces(const Machine& machine) {
    Json out = Json::array();
    const auto add = [&out](int card, int device, const char* type) {
        out.push_back({{"NetworkCardIndex", card},
                       {"DeviceIndex", device},
                       {"InterfaceType", type},
                       {"SubnetId", "CHANGE_ME_PRIVATE_SUBNET"},
                       {"Groups", Json::array({"CHANGE_ME_SECURITY_GROUP"})}});
    };
    add(0, 0, "interface");
    if (machine.firstCardEfa)
        add(0, 1, "efa-only");
    const int first = machine.firstCardEfa ? 0 : 1;
    const int step = std::max(1, (machine.cards - first) / std::max(1, machine.efa));
    for (int device = machine.firstCardEfa ? 1 : 0; device < machine.efa; ++device)
        add(first + device * step, 0, "efa-only");
    return out;
}

/// What the instances of a group are started with.
Json launchTemplateData(const Machine& machine, const Group& group) {
    Json out = {{"InstanceType", machine.instance}};
    if (machine.efa > 0)
        out["NetworkInterfaces"] = networkInterfaces(machine);
    else
        out["SecurityGroupIds"] = Json::array({"CHANGE_ME_SECURITY_GROUP"});
    if (machine.efa > 0 && !group.hasReservation()) // a reservation has its own place
        out["Placement"] = {{"GroupName", {{"Ref", "Placement"}}}};
    if (group.block)
        out["InstanceMarketOptions"] = {{"MarketType", "capacity-block"}};
    if (group.hasReservation())
        out["CapacityReservationSpecification"] = {
            {"CapacityReservationTarget", {{"CapacityReservationId", group.placeholder("RESERVATION")}}}};
    return out;
}

/// "BaseNodes" of "Nodes": names of resources have letters and digits.
std::string resourceName(const Group& group, const char* name) {
    return (group.part.empty() ? "" : group.part == "base" ? "Base" : "Rest") + std::string(name);
}

Json pcs(const Machine& machine, const Storage& storage) {
    const char* size = machine.count <= 32 ? "SMALL" : machine.count <= 512 ? "MEDIUM" : "LARGE";
    Json resources = Json::object(), queued = Json::array();
    const bool placed = std::ranges::any_of(machine.groups, [&](const Group& group) {
        return launchTemplateData(machine, group).contains("Placement");
    });
    if (placed)
        resources["Placement"] = {{"Type", "AWS::EC2::PlacementGroup"},
                                  {"Properties", {{"Strategy", "cluster"}}}};
    Json login = {{"KeyName", "CHANGE_ME_KEY"},
                  {"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})}};
    if (storage.isProvisioned()) {
        resources["FileSystem"] = lustreResource(storage);
        login["UserData"] = mountingUserData(storage.folder);
    }
    resources["Cluster"] = {{"Type", "AWS::PCS::Cluster"},
                            {"Properties",
                             {{"Size", size},
                              {"Scheduler", {{"Type", "SLURM"}, {"Version", "25.05"}}},
                              {"Networking",
                               {{"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})},
                                {"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})}}}}}};
    for (const Group& group : machine.groups) {
        Json data = launchTemplateData(machine, group);
        if (storage.isProvisioned())
            data["UserData"] = login["UserData"];
        const std::string nodes = resourceName(group, "Nodes"), start = resourceName(group, "Template");
        resources[start] = {{"Type", "AWS::EC2::LaunchTemplate"},
                            {"Properties", {{"LaunchTemplateData", data}}}};
        resources[nodes] = nodeGroup(machine.instance, group.count, start);
        resources[nodes]["Properties"]["PurchaseOption"] = group.block ? "CAPACITY_BLOCK" : "ONDEMAND";
        queued.push_back({{"ComputeNodeGroupId", {{"Fn::GetAtt", Json::array({nodes, "Id"})}}}});
    }
    // A person submits jobs from a node that runs none. It has the image of the others, so their processors.
    resources["LoginTemplate"] = {{"Type", "AWS::EC2::LaunchTemplate"},
                                  {"Properties", {{"LaunchTemplateData", login}}}};
    resources["Login"] = nodeGroup(machine.arm ? "m7g.2xlarge" : "m6i.2xlarge", 1, "LoginTemplate");
    resources["Login"]["Properties"]["SubnetIds"] = Json::array({"CHANGE_ME_PUBLIC_SUBNET"});
    resources["Queue"] = {{"Type", "AWS::PCS::Queue"},
                          {"Properties",
                           {{"ClusterId", {{"Fn::GetAtt", Json::array({"Cluster", "Id"})}}},
                            {"Name", partitionName},
                            {"ComputeNodeGroupConfigurations", queued}}}};
    return {{"AWSTemplateFormatVersion", "2010-09-09"}, {"Resources", resources}};
}

/// Names of HyperPod have letters, digits and dashes.
std::string groupNameOf(const Machine& machine, const Group& group) {
    std::string out = group.named("workers") + "-" + machine.instance;
    std::ranges::replace_if(out, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    return out.substr(0, 63);
}

/// What `aws sagemaker create-cluster` takes: the instances whose roles the provisioning parameters name.
Json hyperPodCluster(const Machine& machine) {
    const auto group = [](const std::string& name, const std::string& instance, int count) {
        return Json{{"InstanceGroupName", name},
                    {"InstanceType", "ml." + instance},
                    {"InstanceCount", count},
                    {"LifeCycleConfig",
                     {{"SourceS3Uri", "s3://CHANGE_ME_BUCKET/lifecycle"}, {"OnCreate", "on_create.sh"}}},
                    {"ExecutionRole", "CHANGE_ME_ROLE"},
                    {"ThreadsPerCore", 1}};
    };
    Json groups = Json::array({group("controller", "m5.12xlarge", 1)});
    for (const Group& each : machine.groups) {
        Json workers = group(groupNameOf(machine, each), machine.instance, each.count);
        if (each.hasReservation() || each.trainingPlan)
            workers["TrainingPlanArn"] = each.placeholder("TRAINING_PLAN");
        groups.push_back(workers);
    }
    return {{"ClusterName", "CHANGE_ME_CLUSTER"},
            {"InstanceGroups", groups},
            {"VpcConfig",
             {{"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})},
              {"Subnets", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})}}}};
}

Json provisioningParameters(const Machine& machine, const Storage& storage) {
    Json workers = Json::array();
    for (const Group& group : machine.groups)
        workers.push_back(
            {{"instance_group_name", groupNameOf(machine, group)}, {"partition_name", partitionName}});
    Json out = {{"version", "1.0.0"},
                {"workload_manager", "slurm"},
                {"controller_group", "controller"},
                {"worker_groups", workers}};
    if (storage.isLustre()) {
        out["fsx_dns_name"] = "CHANGE_ME_FSX_DNS_NAME";
        out["fsx_mountname"] = "CHANGE_ME_FSX_MOUNT_NAME";
    }
    return out;
}

} // namespace

bool makesInstances(const Job& job, const std::string& cluster) {
    return expressesField(cluster, "order.base.instances") ||
           expressesField(job.extra, "order.base.instances");
}

void writeClusterObjects(const HandoffSource& source, const Job& job, const std::string& kind, Handoff& out) {
    const Machine machine = machineOf(source);
    const Storage storage = storageOf(source);
    const std::string slug = slugOf(source);
    const auto comment = [&](const std::string& what) {
        std::vector<std::string> lines{what, source.estimate.clusterName,
                                       "Written by " + source.program +
                                           ". Replace what begins with CHANGE_ME."};
        if (!machine.zone.empty())
            lines.push_back("The instances are in " + machine.zone + ": so are their subnets.");
        return commentOf(lines);
    };
    if (kind == "kueue")
        out.files.push_back({"kueue.yaml", comment("Queue and topology for Kueue 0.19.2") +
                                               yamlText(kueue(source, job, machine, slug))});
    else if (kind == "karpenter")
        out.files.push_back({"karpenter.yaml",
                             comment("Node pool for Karpenter 1.14.1") + yamlText(karpenter(machine, slug))});
    else if (kind == "eksctl")
        out.files.push_back(
            {"nodegroup.yaml", comment("Node group for eksctl 0.230.0") + yamlText(eksctl(machine, slug))});
    else if (kind == "parallelcluster")
        out.files.push_back(
            {"cluster.yaml", comment("Cluster for AWS ParallelCluster " +
                                     (machine.version.empty() ? "3.11.1" : machine.version) + " and later") +
                                 yamlText(parallelCluster(machine, storage))});
    else if (kind == "pcs")
        out.files.push_back({"pcs.yaml", comment("AWS PCS cluster, node group and queue for CloudFormation") +
                                             yamlText(pcs(machine, storage))});
    else if (kind == "hyperpod-slurm") {
        out.files.push_back(
            {"provisioning_parameters.json", jsonText(provisioningParameters(machine, storage))});
        out.files.push_back({"create-cluster.json", jsonText(hyperPodCluster(machine))});
    }
}

} // namespace alidade::data::handoff
