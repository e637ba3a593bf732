// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/pods.h"
#include "data/handoff/storage.h"
#include "data/handoff/text_writers.h"
#include "data/json/json.h"

#include <algorithm>
#include <cctype>
#include <map>

// Objects of the cluster rather than of the job: queues, node pools, clusters.

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* partitionName = "gpu";

struct Machine {
    std::string instance;
    int count = 1, gpus = 8, efa = 0;
    int cards = 0;            ///< network cards
    bool firstCardEfa = true; ///< whether the card with number 0 has EFA
    bool arm = false;
    bool block = false, reserved = false, trainingPlan = false;
    std::string version;      ///< of ParallelCluster, the first that supports it; empty: any
    std::string region, zone; ///< the zone is empty if the plan names none
    std::string zoneOr(const char* placeholder) const { return zone.empty() ? placeholder : zone; }
};

Machine machineOf(const HandoffSource& source) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Machine out;
    out.instance = source.scenario.hostType;
    out.count = std::max(1, source.scenario.hosts);
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
    out.block = spec.cluster.purchase == "capacity_block";
    out.reserved = spec.cluster.purchase == "reserved";
    out.trainingPlan = spec.cluster.purchase == "training_plan";
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

std::vector<Json> karpenter(const Machine& machine, const std::string& slug) {
    Json nodes = objectOf("karpenter.k8s.aws/v1", "EC2NodeClass", slug);
    nodes["spec"] = {
        {"role", "CHANGE_ME_NODE_ROLE"},
        {"amiSelectorTerms", Json::array({{{"alias", "al2023@latest"}}})},
        {"subnetSelectorTerms", Json::array({{{"tags", {{"karpenter.sh/discovery", "CHANGE_ME_CLUSTER"}}}}})},
        {"securityGroupSelectorTerms",
         Json::array({{{"tags", {{"karpenter.sh/discovery", "CHANGE_ME_CLUSTER"}}}}})},
        {"instanceStorePolicy", "RAID0"}};
    if (machine.block || machine.reserved)
        nodes["spec"]["capacityReservationSelectorTerms"] = Json::array({{{"id", "CHANGE_ME_RESERVATION"}}});
    Json pool = objectOf("karpenter.sh/v1", "NodePool", slug);
    Json requirements = Json::array(
        {{{"key", "node.kubernetes.io/instance-type"},
          {"operator", "In"},
          {"values", Json::array({machine.instance})}},
         {{"key", "karpenter.sh/capacity-type"},
          {"operator", "In"},
          {"values", Json::array({machine.block || machine.reserved ? "reserved" : "on-demand"})}}});
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
        {"limits", {{"nvidia.com/gpu", machine.count * machine.gpus}}},
        {"disruption", {{"consolidationPolicy", "WhenEmpty"}, {"consolidateAfter", "10m"}}}};
    return {nodes, pool};
}

Json eksctl(const Machine& machine, const std::string& slug) {
    Json group = {{"name", slug},
                  {"instanceType", machine.instance},
                  {"minSize", machine.count},
                  {"maxSize", machine.count},
                  {"desiredCapacity", machine.count},
                  {"availabilityZones", Json::array({machine.zoneOr("CHANGE_ME_ZONE")})},
                  {"privateNetworking", true}};
    if (machine.efa > 0)
        group["efaEnabled"] = true;
    if (machine.block)
        group["instanceMarketOptions"] = {{"marketType", "capacity-block"}};
    if (machine.block || machine.reserved)
        group["capacityReservation"] = {
            {"capacityReservationTarget", {{"capacityReservationID", "CHANGE_ME_RESERVATION"}}}};
    return {{"apiVersion", "eksctl.io/v1alpha5"},
            {"kind", "ClusterConfig"},
            {"metadata", {{"name", "CHANGE_ME_CLUSTER"}, {"region", machine.region}}},
            {"managedNodeGroups", Json::array({group})}};
}

Json parallelCluster(const Machine& machine, const Storage& storage) {
    Json compute = {{"Name", "gpu"},
                    {"InstanceType", machine.instance},
                    {"MinCount", machine.count},
                    {"MaxCount", machine.count}};
    if (machine.efa > 0)
        compute["Efa"] = {{"Enabled", true}};
    Json queue = {{"Name", partitionName}};
    queue["CapacityType"] = machine.block ? "CAPACITY_BLOCK" : "ONDEMAND";
    queue["Networking"] = {{"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})}};
    if (machine.block || machine.reserved)
        compute["CapacityReservationTarget"] = {{"CapacityReservationId", "CHANGE_ME_RESERVATION"}};
    if (!machine.block)
        queue["Networking"]["PlacementGroup"] = {{"Enabled", machine.efa > 0}};
    queue["JobExclusiveAllocation"] = true;
    if (storage.localBytes > 0)
        queue["ComputeSettings"] = {
            {"LocalStorage", {{"EphemeralVolume", {{"MountDir", storage.localFolder}}}}}};
    if (storage.shared != nullptr && storage.shared->service == "s3")
        queue["Iam"] = {
            {"S3Access", Json::array({{{"BucketName", "CHANGE_ME_BUCKET"}, {"EnableWriteAccess", true}}})}};
    queue["ComputeResources"] = Json::array({compute});
    Json out = {{"Region", machine.region}, {"Image", {{"Os", "ubuntu2204"}}}};
    // All instances of a cluster have the processors of its head node.
    out["HeadNode"] = {{"InstanceType", machine.arm ? "m7g.8xlarge" : "m6i.8xlarge"},
                       {"Networking", {{"SubnetId", "CHANGE_ME_PUBLIC_SUBNET"}}},
                       {"Ssh", {{"KeyName", "CHANGE_ME_KEY"}}}};
    out["Scheduling"] = {{"Scheduler", "slurm"}, {"SlurmQueues", Json::array({queue})}};
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

Json nodeGroup(const std::string& instance, int count, const char* launchTemplate) {
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

Json pcs(const Machine& machine, const Storage& storage) {
    const char* size = machine.count <= 32 ? "SMALL" : machine.count <= 512 ? "MEDIUM" : "LARGE";
    Json data = {{"InstanceType", machine.instance}};
    Json resources = Json::object();
    if (machine.efa > 0)
        data["NetworkInterfaces"] = networkInterfaces(machine);
    else
        data["SecurityGroupIds"] = Json::array({"CHANGE_ME_SECURITY_GROUP"});
    if (machine.efa > 0 && !machine.block && !machine.reserved) { // a reservation has a place of its own
        resources["Placement"] = {{"Type", "AWS::EC2::PlacementGroup"},
                                  {"Properties", {{"Strategy", "cluster"}}}};
        data["Placement"] = {{"GroupName", {{"Ref", "Placement"}}}};
    }
    if (machine.block)
        data["InstanceMarketOptions"] = {{"MarketType", "capacity-block"}};
    if (machine.block || machine.reserved)
        data["CapacityReservationSpecification"] = {
            {"CapacityReservationTarget", {{"CapacityReservationId", "CHANGE_ME_RESERVATION"}}}};
    Json login = {{"KeyName", "CHANGE_ME_KEY"},
                  {"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})}};
    if (storage.isProvisioned()) {
        resources["FileSystem"] = lustreResource(storage);
        data["UserData"] = login["UserData"] = mountingUserData(storage.folder);
    }
    resources["Template"] = {{"Type", "AWS::EC2::LaunchTemplate"},
                             {"Properties", {{"LaunchTemplateData", data}}}};
    resources["Cluster"] = {{"Type", "AWS::PCS::Cluster"},
                            {"Properties",
                             {{"Size", size},
                              {"Scheduler", {{"Type", "SLURM"}, {"Version", "25.05"}}},
                              {"Networking",
                               {{"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})},
                                {"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})}}}}}};
    resources["Nodes"] = nodeGroup(machine.instance, machine.count, "Template");
    resources["Nodes"]["Properties"]["PurchaseOption"] = machine.block ? "CAPACITY_BLOCK" : "ONDEMAND";
    // A person submits jobs from a node that runs none. It has the image of the others, so their processors.
    resources["LoginTemplate"] = {{"Type", "AWS::EC2::LaunchTemplate"},
                                  {"Properties", {{"LaunchTemplateData", login}}}};
    resources["Login"] = nodeGroup(machine.arm ? "m7g.2xlarge" : "m6i.2xlarge", 1, "LoginTemplate");
    resources["Login"]["Properties"]["SubnetIds"] = Json::array({"CHANGE_ME_PUBLIC_SUBNET"});
    resources["Queue"] = {
        {"Type", "AWS::PCS::Queue"},
        {"Properties",
         {{"ClusterId", {{"Fn::GetAtt", Json::array({"Cluster", "Id"})}}},
          {"Name", partitionName},
          {"ComputeNodeGroupConfigurations",
           Json::array({{{"ComputeNodeGroupId", {{"Fn::GetAtt", Json::array({"Nodes", "Id"})}}}}})}}}};
    return {{"AWSTemplateFormatVersion", "2010-09-09"}, {"Resources", resources}};
}

/// Names of HyperPod have letters, digits and dashes.
std::string groupNameOf(const Machine& machine) {
    std::string out = "workers-" + machine.instance;
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
    Json workers = group(groupNameOf(machine), machine.instance, machine.count);
    if (machine.block || machine.reserved || machine.trainingPlan)
        workers["TrainingPlanArn"] = "CHANGE_ME_TRAINING_PLAN";
    return {{"ClusterName", "CHANGE_ME_CLUSTER"},
            {"InstanceGroups", Json::array({group("controller", "m5.12xlarge", 1), workers})},
            {"VpcConfig",
             {{"SecurityGroupIds", Json::array({"CHANGE_ME_SECURITY_GROUP"})},
              {"Subnets", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})}}}};
}

Json provisioningParameters(const Machine& machine, const Storage& storage) {
    Json out = {{"version", "1.0.0"},
                {"workload_manager", "slurm"},
                {"controller_group", "controller"},
                {"worker_groups", Json::array({{{"instance_group_name", groupNameOf(machine)},
                                                {"partition_name", partitionName}}})}};
    if (storage.isLustre()) {
        out["fsx_dns_name"] = "CHANGE_ME_FSX_DNS_NAME";
        out["fsx_mountname"] = "CHANGE_ME_FSX_MOUNT_NAME";
    }
    return out;
}

} // namespace

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
