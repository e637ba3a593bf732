// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_parts.h"
#include "data/json/writer.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "model/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace alidade::cli {

namespace {

struct TopologyOptions {
    std::vector<std::string> files;
    std::string out;
};

/// "64 hosts", "1 host".
std::string counted(std::size_t count, const std::string& one, const std::string& many) {
    return formatCount(static_cast<std::int64_t>(count)) + " " + (count == 1 ? one : many);
}

/// What is in a topology, one line each.
std::string describedTopology(const Topology& topology) {
    std::map<std::string, std::size_t> types;
    std::set<std::string> zones, domains;
    for (const Host& host : topology.hosts) {
        ++types[host.instanceType];
        zones.insert(host.zone);
        domains.insert(host.domain);
    }
    zones.erase(std::string());
    domains.erase(std::string());
    std::string text =
        topology.name + ": " + topology.source + "\n  " + counted(topology.hosts.size(), "host", "hosts");
    for (const auto& [type, count] : types)
        text += type.empty() ? "" : ", " + formatCount(static_cast<std::int64_t>(count)) + " " + type;
    for (const std::string& zone : zones)
        text += ", " + zone;
    text += "\n";
    std::vector<std::size_t> layers(static_cast<std::size_t>(topology.layers()), 0);
    for (const NetworkNode& node : topology.nodes)
        ++layers[static_cast<std::size_t>(node.layer)];
    for (std::size_t i = 0; i < layers.size(); ++i) {
        text += "  layer " + std::to_string(i + 1) + (i == 0 ? " (top): " : ": ") +
                counted(layers[i], "network node", "network nodes") + "\n";
    }
    if (!domains.empty())
        text += "  " + counted(domains.size(), "NVLink domain", "NVLink domains") + " of several hosts\n";
    return text;
}

std::string importSummary(const data::TopologyImport& import, const std::string& out) {
    std::string text = describedTopology(*import.topology);
    for (const std::string& note : import.notes)
        text += "  " + note + "\n";
    return text + (out.empty() ? "Write it with -o OUT, for cluster.topology of a scenario.\n"
                               : "Wrote " + out + "\nUse it with --set cluster.topology=" + out + "\n");
}

std::string importJson(const data::TopologyImport& import, const std::string& out) {
    const Topology& topology = *import.topology;
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("file", out);
    json.text("name", topology.name);
    json.text("source", topology.source);
    json.integer("hosts", static_cast<std::int64_t>(topology.hosts.size()));
    json.integer("network_nodes", static_cast<std::int64_t>(topology.nodes.size()));
    json.integer("layers", topology.layers());
    json.beginArray("notes");
    for (const std::string& note : import.notes)
        json.text({}, note);
    json.endArray();
    json.endObject();
    return json.take();
}

void importTopologies(Call& call, const TopologyOptions& options) {
    const data::TopologyImport import = openTopologies(options.files);
    if (!options.out.empty()) {
        writeFile(options.out, data::writeTopology(*import.topology));
        call.out = call.common.json ? importJson(import, options.out) : importSummary(import, options.out);
    } else {
        call.out = call.common.json ? data::writeTopology(*import.topology) : importSummary(import, {});
    }
}

} // namespace

data::TopologyImport openTopologies(const std::vector<std::string>& files) {
    std::vector<data::TopologyFile> read;
    for (const std::string& file : files)
        read.push_back({file, contentOf(file, data::topologyBytes)});
    data::TopologyImport import = data::importTopology(read);
    if (!import.topology)
        throw Failure(Failure::request, std::move(import.faults));
    return import;
}

void addImportTopology(CLI::App& command, Call& call) {
    const auto options = std::make_shared<TopologyOptions>();
    CLI::App* topology =
        command.add_subcommand("topology", "Hosts and switches from EC2, Kubernetes or Slurm");
    topology
        ->add_option(
            "FILE", options->files,
            "Replies of aws ec2 describe-instance-topology, kubectl get nodes -o json, topology.conf or "
            "topology.yaml of Slurm; several are merged")
        ->required();
    topology->add_option("-o,--out", options->out, "Topology to write, for cluster.topology")
        ->type_name("OUT");
    addCommonOptions(*topology, call.common);
    topology->footer("Example:\n  alidade import topology reply.json topology.conf -o cluster.json");
    topology->callback(
        [&call, options] { call.action = [&call, options] { importTopologies(call, *options); }; });
}

} // namespace alidade::cli
