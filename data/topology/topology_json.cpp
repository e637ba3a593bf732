// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/topology_json.h"

#include "data/json/json.h"

#include <algorithm>
#include <unordered_map>

namespace alidade::data {

namespace {

constexpr std::size_t mostParents = 32;
constexpr int mostGpusOfHost = 1024; // of a host

using Line = nlohmann::ordered_json;

void addWord(Line& line, const char* key, const std::string& word) {
    if (!word.empty())
        line[key] = word;
}

std::string lineText(const Line& line) {
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void addLines(std::string& out, const std::vector<std::string>& lines) {
    out += "[";
    for (std::size_t i = 0; i < lines.size(); ++i)
        out += (i == 0 ? "\n    " : ",\n    ") + lines[i];
    out += lines.empty() ? "]" : "\n  ]";
}

/// The network nodes of a document, and the way from the top to each.
class NodeTable {
public:
    void read(ObjectReader& document) {
        std::vector<ObjectReader> nodes = document.objects("nodes");
        std::vector<std::string> parents;
        for (ObjectReader& node : nodes) {
            node.require({"id"});
            const std::string id = node.text("id").value_or(std::string());
            parents.push_back(node.text("parent").value_or(std::string()));
            node.finish();
            if (!index_.try_emplace(id, static_cast<int>(ids_.size())).second)
                node.fault("id", "'" + id + "' occurs twice; give each node a unique id");
            ids_.push_back(id);
        }
        parents_.assign(ids_.size(), -1);
        for (std::size_t i = 0; i < parents.size(); ++i) {
            if (parents[i].empty())
                continue;
            const auto found = index_.find(parents[i]);
            if (found == index_.end()) {
                nodes[i].fault("parent",
                               "there is no node '" + parents[i] + "'" + suggestion(parents[i], known()));
            } else {
                parents_[i] = found->second;
            }
        }
    }

    /// Ids from the top down to a node; a fault at `in` if it is unknown, or in or below a cycle.
    std::vector<std::string> pathTo(ObjectReader& in, const std::string& id) {
        std::vector<std::string> out;
        const auto found = index_.find(id);
        if (found == index_.end()) {
            in.fault("node", "there is no node '" + id + "'" + suggestion(id, known()));
            return out;
        }
        int at = found->second;
        for (; at >= 0 && out.size() < mostParents; at = parents_[static_cast<std::size_t>(at)])
            out.push_back(ids_[static_cast<std::size_t>(at)]);
        if (at >= 0) {
            in.fault("node", "node '" + id + "' is above itself, or below more than " +
                                 std::to_string(mostParents) + " others; the nodes must form trees");
            out.clear();
        }
        std::ranges::reverse(out);
        return out;
    }

private:
    std::vector<std::string> known() const { return ids_.size() > 1000 ? std::vector<std::string>() : ids_; }

    std::vector<std::string> ids_;
    std::vector<int> parents_;
    std::unordered_map<std::string, int> index_;
};

ReportedHost hostFrom(ObjectReader& in, NodeTable& nodes, const std::string& file) {
    in.require({"id"});
    ReportedHost out;
    const auto word = [&](std::string_view key) { return in.text(key).value_or(std::string()); };
    out.host.id = word("id");
    out.host.name = word("name");
    if (out.host.name.empty())
        out.host.name = out.host.id;
    out.host.instanceType = word("instance_type");
    out.host.zone = word("zone");
    out.host.domain = word("domain");
    out.host.gpus = in.integer("gpus", 0, mostGpusOfHost).value_or(0);
    if (const std::string node = word("node"); !node.empty())
        out.path = nodes.pathTo(in, node);
    in.finish();
    out.place = file + ":" + in.pointer();
    return out;
}

} // namespace

std::string writeTopology(const Topology& topology) {
    std::vector<std::string> nodes, hosts;
    for (const NetworkNode& node : topology.nodes) {
        Line line{{"id", node.id}};
        if (node.parent >= 0)
            line["parent"] = topology.nodes[static_cast<std::size_t>(node.parent)].id;
        nodes.push_back(lineText(line));
    }
    for (const Host& host : topology.hosts) {
        Line line{{"id", host.id}};
        addWord(line, "name", host.name == host.id ? std::string() : host.name);
        addWord(line, "instance_type", host.instanceType);
        addWord(line, "zone", host.zone);
        addWord(line, "domain", host.domain);
        if (host.leaf >= 0)
            line["node"] = topology.nodes[static_cast<std::size_t>(host.leaf)].id;
        if (host.gpus > 0)
            line["gpus"] = host.gpus;
        hosts.push_back(lineText(line));
    }
    std::string out =
        "{\n  \"alidade\": 1,\n  \"kind\": \"topology\",\n  \"name\": " + lineText(topology.name) +
        ",\n  \"source\": " + lineText(topology.source) +
        (topology.incomplete ? ",\n  \"incomplete\": true" : "") + ",\n  \"nodes\": ";
    addLines(out, nodes);
    out += ",\n  \"hosts\": ";
    addLines(out, hosts);
    return out + "\n}\n";
}

std::optional<TopologyReport> readTopologyReport(const nlohmann::json& document, const std::string& file,
                                                 const std::string& pointer, std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(document, pointer, faults);
    in.require({"alidade", "kind", "hosts"});
    in.integer("alidade", 1, 1);
    if (const auto kind = in.text("kind"); kind && *kind != "topology")
        in.fault("kind", "'" + *kind + "' is not a topology; expected \"kind\": \"topology\"");
    if (faultCount(faults) != before)
        return std::nullopt;
    TopologyReport out;
    out.origin = TopologyOrigin::own;
    out.name = in.text("name").value_or(std::string());
    out.source = in.text("source").value_or(std::string());
    out.files = {file};
    out.incomplete = in.boolean("incomplete").value_or(false);
    NodeTable nodes;
    nodes.read(in);
    for (ObjectReader& host : in.objects("hosts"))
        out.hosts.push_back(hostFrom(host, nodes, file));
    in.finish();
    return faultCount(faults) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
