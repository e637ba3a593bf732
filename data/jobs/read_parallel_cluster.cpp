// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/jobs/yaml_nodes.h"

#include <vector>
#include <yaml-cpp/yaml.h>

namespace alidade::data::handoff {

namespace {

/// Instances of one kind of capacity.
struct Compute {
    YAML::Node queue, resource;
    /// Of the queue or within it: see scheduling() in cluster_objects.cpp.
    bool isNamed(const std::string& part) const {
        return scalar(at(queue, "Name")) == part || scalar(at(resource, "Name")) == part;
    }
};

void setPurchase(JobReader& reader, const std::string& path, const Compute& compute) {
    const YAML::Node capacity = at(compute.queue, "CapacityType");
    if (scalar(capacity) == "CAPACITY_BLOCK")
        reader.set(path, "capacity_block", "CapacityType", lineOf(capacity));
    else if (scalar(capacity) == "ONDEMAND")
        reader.set(path, "on_demand", "CapacityType", lineOf(capacity));
}

/// The compute resources of the first instance type with GPUs.
std::vector<Compute> computesOf(const Catalog& catalog, const YAML::Node& queues) {
    std::vector<Compute> out;
    for (const auto& queue : queues) {
        const YAML::Node resources = at(queue, "ComputeResources");
        if (!resources.IsDefined() || !resources.IsSequence())
            continue;
        for (const auto& resource : resources) {
            const std::string type = scalar(at(resource, "InstanceType"));
            const Instance* machine = catalog.instance(type);
            if (machine != nullptr && machine->gpus > 0 &&
                (out.empty() || scalar(at(out.front().resource, "InstanceType")) == type))
                out.push_back({queue, resource});
        }
    }
    return out;
}

} // namespace

bool readParallelCluster(JobReader& reader, const YAML::Node& document) {
    const YAML::Node queues = at(document, {"Scheduling", "SlurmQueues"});
    if (!queues.IsDefined() || !queues.IsSequence() || queues.size() == 0)
        return false;
    reader.out.tool = "parallelcluster";
    if (const YAML::Node region = at(document, "Region"); !scalar(region).empty())
        reader.set("cluster.region", scalar(region), "Region", lineOf(region));
    const std::vector<Compute> computes = computesOf(reader.catalog, queues);
    if (computes.empty() || reader.has("cluster.instance"))
        return true;
    const YAML::Node type = at(computes.front().resource, "InstanceType");
    reader.set("cluster.instance", scalar(type), "InstanceType", lineOf(type));
    // Other clusters with several compute resources of a type are taken by the first.
    const bool hasBase = computes.size() == 2 && computes[0].isNamed("base") && computes[1].isNamed("rest");
    const Compute& main = computes[hasBase ? 1 : 0];
    const YAML::Node most = at(main.resource, "MaxCount");
    auto count = whole(most);
    if (hasBase) {
        const YAML::Node ofBase = at(computes[0].resource, "MaxCount");
        if (const auto base = whole(ofBase); base && count) {
            reader.set("order.base.instances", *base, "MaxCount", lineOf(ofBase));
            setPurchase(reader, "order.base.purchase", computes[0]);
            *count += *base;
        }
    }
    if (count) {
        reader.set("cluster.instances", *count, "MaxCount", lineOf(most));
        reader.out.gpus = *count * reader.catalog.instance(scalar(type))->gpus;
    }
    setPurchase(reader, "cluster.purchase", main);
    return true;
}

} // namespace alidade::data::handoff
