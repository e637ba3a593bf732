// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/ec2_topology.h"

#include "data/json/json.h"

namespace alidade::data {

namespace {

using Json = nlohmann::json;

constexpr std::size_t mostLayers = 16; // EC2 has 3 or 4

/// The member under one of its two names: the command line's or the wire's. "item" is how lists look that
/// were XML.
std::string_view named(const ObjectReader& in, std::string_view name, std::string_view wire) {
    return in.has(name) || !in.has(wire) ? name : wire;
}

/// The list itself, or what its "item" holds; nullptr if it is absent.
const Json* listOf(ObjectReader& in, std::string_view key, std::string& pointer) {
    const Json* value = in.value(key);
    pointer = below(in.pointer(), key);
    if (value != nullptr && value->is_object() && value->contains("item")) {
        value = &(*value)["item"];
        pointer = below(pointer, std::string_view("item"));
    }
    if (value != nullptr && !value->is_array()) {
        in.faults().push_back({pointer, describe(*value) + " where a list is needed"});
        return nullptr;
    }
    return value;
}

std::vector<std::string> networkNodes(ObjectReader& in) {
    std::string pointer;
    const Json* nodes = listOf(in, named(in, "NetworkNodes", "networkNodeSet"), pointer);
    std::vector<std::string> out;
    if (nodes == nullptr)
        return out;
    if (nodes->size() > mostLayers) {
        in.faults().push_back(
            {pointer, std::to_string(nodes->size()) + " network nodes; an instance lies below 3 or 4"});
        return out;
    }
    for (std::size_t i = 0; i < nodes->size(); ++i) {
        const Json& node = (*nodes)[i];
        if (node.is_string() && !node.get_ref<const std::string&>().empty()) {
            out.push_back(node.get<std::string>());
        } else {
            in.faults().push_back(
                {below(pointer, i),
                 describe(node) + " is not a network node; an id such as \"nn-0123...\" is"});
        }
    }
    return out;
}

} // namespace

bool isEc2Page(const Json& object) {
    return object.is_object() && (object.contains("Instances") || object.contains("instanceSet"));
}

bool isEc2Instance(const Json& object) {
    return object.is_object() && (object.contains("InstanceId") || object.contains("instanceId"));
}

void readEc2Instance(const Json& instance, const std::string& file, const std::string& pointer,
                     TopologyReport& report, std::vector<JsonFault>& faults) {
    ObjectReader in(instance, pointer, faults);
    if (!in.isObject())
        return;
    const std::size_t before = faultCount(faults);
    const auto text = [&](std::string_view name, std::string_view wire) {
        return in.text(named(in, name, wire)).value_or(std::string());
    };
    ReportedHost host;
    host.host.id = text("InstanceId", "instanceId");
    if (host.host.id.empty() && faultCount(faults) == before)
        in.fault({}, "has no InstanceId; a page of describe-instance-topology names each instance");
    host.host.name = host.host.id;
    host.host.instanceType = text("InstanceType", "instanceType");
    host.host.zone = text("AvailabilityZone", "availabilityZone");
    host.host.domain = text("CapacityBlockId", "capacityBlockId");
    host.path = networkNodes(in);
    host.place = file + ":" + pointer;
    if (faultCount(faults) == before)
        report.hosts.push_back(std::move(host));
}

bool readEc2Page(const Json& page, const std::string& file, const std::string& pointer,
                 TopologyReport& report, std::vector<JsonFault>& faults) {
    ObjectReader in(page, pointer, faults);
    std::string listPointer;
    if (const Json* instances = listOf(in, named(in, "Instances", "instanceSet"), listPointer)) {
        report.hosts.reserve(report.hosts.size() + instances->size());
        for (std::size_t i = 0; i < instances->size(); ++i)
            readEc2Instance((*instances)[i], file, below(listPointer, i), report, faults);
    }
    const auto next = in.text(named(in, "NextToken", "nextToken"));
    return next && !next->empty();
}

} // namespace alidade::data
