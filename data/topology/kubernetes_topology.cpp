// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/kubernetes_topology.h"

#include "data/json/json.h"
#include "data/json/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>

namespace alidade::data {

namespace {

using Json = nlohmann::json;

constexpr int mostGpus = 1024; // of a node

constexpr std::string_view awsLayer = "topology.k8s.aws/network-node-layer-";
constexpr std::string_view topographTier = "fabric.topograph.run/tier-";

std::optional<int> wholeNumber(std::string_view text) {
    int value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return good ? std::optional(value) : std::nullopt;
}

/// The switches of labels that end in a number, by rising number; a gap is a fault.
std::vector<std::string> numbered(ObjectReader& labels, std::string_view prefix, int first) {
    std::map<int, std::string> found;
    for (const std::string& key : labels.keys()) {
        if (!key.starts_with(prefix))
            continue;
        const auto number = wholeNumber(std::string_view(key).substr(prefix.size()));
        const auto value = labels.text(key);
        if (number && value && !value->empty())
            found[*number] = *value;
    }
    std::vector<std::string> out;
    for (const auto& [number, value] : found) {
        if (number != first + static_cast<int>(out.size())) {
            labels.fault(std::string(prefix) + std::to_string(number),
                         "layer " + std::to_string(number) + " without layer " +
                             std::to_string(first + static_cast<int>(out.size())) + "; label every layer");
            return {};
        }
        out.push_back(value);
    }
    return out;
}

std::vector<std::string> switchesOf(ObjectReader& labels) {
    std::vector<std::string> out = numbered(labels, awsLayer, 1);
    if (out.empty()) {
        out = numbered(labels, topographTier, 0); // counted from the node
        std::ranges::reverse(out);
    }
    return out;
}

/// GPUs of a node: what it offers to pods, else what feature discovery found.
int gpusOf(ObjectReader& node, ObjectReader& labels) {
    const auto count = [](ObjectReader& in, std::string_view key) -> int {
        const Json* value = in.value(key);
        if (value == nullptr)
            return 0;
        const std::optional<int> number =
            value->is_string() ? wholeNumber(value->get_ref<const std::string&>())
            : value->is_number_unsigned() && value->get<std::uint64_t>() <= mostGpus
                ? std::optional(value->get<int>())
                : std::nullopt;
        if (!number || *number < 0 || *number > mostGpus) {
            in.fault(key, describe(*value) + " is not a number of GPUs; expected 0 to " +
                              std::to_string(mostGpus));
            return 0;
        }
        return *number;
    };
    int gpus = 0;
    if (auto status = node.object("status")) {
        if (auto capacity = status->object("capacity"))
            gpus = count(*capacity, "nvidia.com/gpu");
    }
    return gpus > 0 ? gpus : count(labels, "nvidia.com/gpu.count");
}

/// "aws:///us-east-2b/i-0a10000000000001a" -> "i-0a10000000000001a"; empty if it names no instance.
std::string instanceOf(const std::string& providerId) {
    const std::string last = providerId.substr(providerId.find_last_of('/') + 1);
    return providerId.starts_with("aws:") && last.starts_with("i-") ? last : std::string();
}

} // namespace

void KubernetesReader::node(const Json& json, const std::string& file, const std::string& pointer,
                            std::vector<JsonFault>& faults) {
    ObjectReader in(json, pointer, faults);
    auto metadata = in.object("metadata");
    if (!metadata)
        return in.fault("metadata", "missing; each node has a name and labels there");
    const std::size_t before = faultCount(faults);
    const Json none = Json::object();
    ObjectReader labels = metadata->object("labels").value_or(
        ObjectReader(none, below(metadata->pointer(), std::string_view("labels")), faults));
    Node out;
    Host& host = out.host.host;
    host.name = metadata->text("name").value_or(std::string());
    if (host.name.empty())
        metadata->fault("name", "missing; each node has a name");
    host.id = host.name;
    if (auto spec = in.object("spec")) {
        const std::string instance = instanceOf(spec->text("providerID").value_or(std::string()));
        host.id = instance.empty() ? host.name : instance;
        unschedulable_ += spec->boolean("unschedulable").value_or(false) ? 1 : 0;
    }
    const auto label = [&](std::string_view key) { return labels.text(key).value_or(std::string()); };
    host.instanceType = label("node.kubernetes.io/instance-type");
    if (host.instanceType.starts_with("ml.")) // as HyperPod calls them
        host.instanceType.erase(0, 3);
    host.zone = label("topology.kubernetes.io/zone");
    host.gpus = gpusOf(in, labels);
    for (std::size_t i = 0; i < labelsOfDomains.size(); ++i)
        out.domains[i] = label(labelsOfDomains[i]);
    out.host.path = switchesOf(labels);
    out.host.place = file + ":" + pointer;
    if (faultCount(faults) != before)
        return;
    if (host.gpus == 0 && out.host.path.empty())
        ++leftOut_;
    else
        nodes_.push_back(std::move(out));
}

TopologyReport KubernetesReader::finish(std::vector<std::string>& faults) {
    TopologyReport report;
    report.origin = TopologyOrigin::kubernetes;
    // One label for all: values of different labels cannot be compared.
    std::array<std::size_t, labelsOfDomains.size()> named{};
    for (const Node& node : nodes_)
        for (std::size_t i = 0; i < labelsOfDomains.size(); ++i)
            named[i] += node.domains[i].empty() ? 0 : 1;
    const auto best = static_cast<std::size_t>(std::ranges::max_element(named) - named.begin());
    std::unordered_map<std::string, const Node*> wider; // a part of two UltraServers cannot be
    for (Node& node : nodes_) {
        node.host.host.domain = node.domains[best];
        const std::string& outer = node.domains[2];
        if (best < 2 && !node.domains[best].empty() && !outer.empty()) {
            const auto [found, added] = wider.try_emplace(node.domains[best], &node);
            if (!added && found->second->domains[2] != outer) {
                addFault(faults, node.host.place + ": NVLink domain '" + node.domains[best] +
                                     "' lies in UltraServer '" + outer + "' here and in '" +
                                     found->second->domains[2] + "' at " + found->second->host.place +
                                     "; a domain lies in one");
                break;
            }
        }
    }
    if (named[best] > 0) {
        report.notes.push_back("NVLink domains are those of the label " + std::string(labelsOfDomains[best]) +
                               ".");
        if (named[best] < nodes_.size()) {
            report.notes.push_back(std::to_string(nodes_.size() - named[best]) +
                                   " nodes without it are NVLink domains by themselves.");
        }
    }
    if (leftOut_ > 0) {
        report.notes.push_back(std::to_string(leftOut_) +
                               " nodes with neither GPUs nor network labels are left out.");
    }
    if (unschedulable_ > 0)
        report.notes.push_back(std::to_string(unschedulable_) + " nodes take no new pods (unschedulable).");
    for (Node& node : nodes_)
        report.hosts.push_back(std::move(node.host));
    return report;
}

} // namespace alidade::data
