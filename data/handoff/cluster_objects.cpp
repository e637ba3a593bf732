// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/storage.h"
#include "data/handoff/text_writers.h"

#include <nlohmann/json.hpp>

#include <algorithm>

// Objects of the cluster rather than of the job: queues, node pools, clusters.

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

struct Machine {
    std::string instance;
    int count = 1, gpus = 8, efa = 0;
    bool block = false, reserved = false;
    std::string region;
};

Machine machineOf(const HandoffSource& source) {
    const ScenarioSpec& spec = source.estimate.scenario;
    Machine out;
    out.instance = source.scenario.hostType;
    out.count = std::max(1, source.scenario.hosts);
    out.gpus = std::max(1, source.scenario.gpusPerNode);
    if (const auto known = resourcesOf(out.instance))
        out.efa = known->efaDevices;
    out.block = spec.cluster.purchase == "capacity_block";
    out.reserved = spec.cluster.purchase == "reserved";
    out.region = spec.cluster.region.value_or("us-east-2");
    return out;
}

Json objectOf(const char* version, const char* kind, const std::string& name) {
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

std::vector<Json> kueue(const Machine& machine, const std::string& slug) {
    Json topology = objectOf("kueue.x-k8s.io/v1beta2", "Topology", "aws-network");
    Json levels = Json::array();
    for (const std::string& label : topologyLabels())
        levels.push_back({{"nodeLabel", label}});
    topology["spec"] = {{"levels", levels}};
    Json flavor = objectOf("kueue.x-k8s.io/v1beta2", "ResourceFlavor", slug);
    flavor["spec"] = {{"nodeLabels", {{"node.kubernetes.io/instance-type", machine.instance}}},
                      {"topologyName", "aws-network"}};
    Json covered = Json::array({"nvidia.com/gpu"});
    Json quotas = Json::array({{{"name", "nvidia.com/gpu"}, {"nominalQuota", machine.count * machine.gpus}}});
    if (machine.efa > 0) {
        covered.push_back("vpc.amazonaws.com/efa");
        quotas.push_back({{"name", "vpc.amazonaws.com/efa"}, {"nominalQuota", machine.count * machine.efa}});
    }
    Json queue = objectOf("kueue.x-k8s.io/v1beta2", "ClusterQueue", slug);
    queue["spec"] = {{"namespaceSelector", Json::object()},
                     {"resourceGroups",
                      Json::array({{{"coveredResources", covered},
                                    {"flavors", Json::array({{{"name", slug}, {"resources", quotas}}})}}})}};
    Json local = objectOf("kueue.x-k8s.io/v1beta2", "LocalQueue", slug);
    local["metadata"]["namespace"] = "CHANGE_ME_NAMESPACE";
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
    pool["spec"] = {
        {"template",
         {{"spec",
           {{"nodeClassRef", {{"group", "karpenter.k8s.aws"}, {"kind", "EC2NodeClass"}, {"name", slug}}},
            {"taints", Json::array({{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}})},
            {"requirements",
             Json::array({{{"key", "node.kubernetes.io/instance-type"},
                           {"operator", "In"},
                           {"values", Json::array({machine.instance})}},
                          {{"key", "karpenter.sh/capacity-type"},
                           {"operator", "In"},
                           {"values", Json::array({machine.block || machine.reserved ? "reserved"
                                                                                     : "on-demand"})}}})}}}}},
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
                  {"availabilityZones", Json::array({"CHANGE_ME_ZONE"})},
                  {"privateNetworking", true}};
    if (machine.efa > 0)
        group["efaEnabled"] = true;
    if (machine.block) {
        group["instanceMarketOptions"] = {{"marketType", "capacity-block"}};
        group["capacityReservation"] = {
            {"capacityReservationTarget", {{"capacityReservationID", "CHANGE_ME_RESERVATION"}}}};
    }
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
    Json queue = {{"Name", "gpu"}};
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
    out["HeadNode"] = {{"InstanceType", "m6i.8xlarge"},
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

Json pcs(const Machine& machine, const Storage& storage) {
    const char* size = machine.count <= 32 ? "SMALL" : machine.count <= 512 ? "MEDIUM" : "LARGE";
    Json data = {{"InstanceType", machine.instance}};
    if (machine.efa > 0) {
        Json interfaces = Json::array();
        for (int card = 0; card < machine.efa; ++card)
            interfaces.push_back({{"NetworkCardIndex", card},
                                  {"DeviceIndex", card == 0 ? 0 : 1},
                                  {"InterfaceType", card == 0 ? "efa" : "efa-only"},
                                  {"SubnetId", "CHANGE_ME_PRIVATE_SUBNET"},
                                  {"Groups", Json::array({"CHANGE_ME_SECURITY_GROUP"})}});
        data["NetworkInterfaces"] = interfaces;
    }
    if (machine.block) {
        data["InstanceMarketOptions"] = {{"MarketType", "capacity-block"}};
        data["CapacityReservationSpecification"] = {
            {"CapacityReservationTarget", {{"CapacityReservationId", "CHANGE_ME_RESERVATION"}}}};
    }
    Json resources = Json::object();
    if (storage.isProvisioned()) {
        resources["FileSystem"] = lustreResource(storage);
        data["UserData"] = mountingUserData(storage.folder);
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
    resources["Nodes"] = {
        {"Type", "AWS::PCS::ComputeNodeGroup"},
        {"Properties",
         {{"ClusterId", {{"Fn::GetAtt", Json::array({"Cluster", "Id"})}}},
          {"SubnetIds", Json::array({"CHANGE_ME_PRIVATE_SUBNET"})},
          {"IamInstanceProfileArn", "CHANGE_ME_INSTANCE_PROFILE"},
          {"PurchaseOption", machine.block ? "CAPACITY_BLOCK" : "ONDEMAND"},
          {"CustomLaunchTemplate",
           {{"TemplateId", {{"Ref", "Template"}}},
            {"Version", {{"Fn::GetAtt", Json::array({"Template", "LatestVersionNumber"})}}}}},
          {"InstanceConfigs", Json::array({{{"InstanceType", machine.instance}}})},
          {"ScalingConfiguration",
           {{"MinInstanceCount", machine.count}, {"MaxInstanceCount", machine.count}}}}}};
    resources["Queue"] = {
        {"Type", "AWS::PCS::Queue"},
        {"Properties",
         {{"ClusterId", {{"Fn::GetAtt", Json::array({"Cluster", "Id"})}}},
          {"ComputeNodeGroupConfigurations",
           Json::array({{{"ComputeNodeGroupId", {{"Fn::GetAtt", Json::array({"Nodes", "Id"})}}}}})}}}};
    return {{"AWSTemplateFormatVersion", "2010-09-09"}, {"Resources", resources}};
}

Json provisioningParameters(const Machine& machine, const Storage& storage) {
    Json out = {{"version", "1.0.0"},
                {"workload_manager", "slurm"},
                {"controller_group", "controller"},
                {"worker_groups", Json::array({{{"instance_group_name", "workers-" + machine.instance},
                                                {"partition_name", "gpu"}}})}};
    if (storage.isLustre()) {
        out["fsx_dns_name"] = "CHANGE_ME_FSX_DNS_NAME";
        out["fsx_mountname"] = "CHANGE_ME_FSX_MOUNT_NAME";
    }
    return out;
}

} // namespace

void writeClusterObjects(const HandoffSource& source, const std::string& kind, Handoff& out) {
    const Machine machine = machineOf(source);
    const Storage storage = storageOf(source);
    const std::string slug = slugOf(source);
    const auto comment = [&](const std::string& what) {
        return commentOf({what, source.estimate.clusterName,
                          "Written by " + source.program + ". Replace what begins with CHANGE_ME."});
    };
    if (kind == "kueue")
        out.files.push_back(
            {"kueue.yaml", comment("Queue and topology for Kueue 0.19.2") + yamlText(kueue(machine, slug))});
    else if (kind == "karpenter")
        out.files.push_back({"karpenter.yaml",
                             comment("Node pool for Karpenter 1.14.1") + yamlText(karpenter(machine, slug))});
    else if (kind == "eksctl")
        out.files.push_back(
            {"nodegroup.yaml", comment("Node group for eksctl 0.230.0") + yamlText(eksctl(machine, slug))});
    else if (kind == "parallelcluster")
        out.files.push_back({"cluster.yaml", comment("Cluster for AWS ParallelCluster 3.11.1 and later") +
                                                 yamlText(parallelCluster(machine, storage))});
    else if (kind == "pcs")
        out.files.push_back({"pcs.yaml", comment("AWS PCS cluster, node group and queue for CloudFormation") +
                                             yamlText(pcs(machine, storage))});
    else if (kind == "hyperpod-slurm")
        out.files.push_back(
            {"provisioning_parameters.json", jsonText(provisioningParameters(machine, storage))});
}

} // namespace alidade::data::handoff
