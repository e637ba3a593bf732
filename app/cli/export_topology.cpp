// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/export_job.h"
#include "app/cli/import_parts.h"
#include "app/cli/messages.h"
#include "data/handoff/slurm_topology_file.h"
#include "data/json/writer.h"
#include "data/topology/import.h"
#include "model/base/text.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

constexpr const char *slurmConf = "slurm-topology-conf", *slurmYaml = "slurm-topology-yaml";

struct TopologyExport {
    std::vector<std::string> files;
    std::string target, plugin, out;
};

std::string jsonOf(const data::SlurmTopologyFile& file, const TopologyExport& options,
                   data::SlurmPlugin plugin) {
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("target", options.target);
    json.text("plugin", data::slurmPluginName(plugin));
    json.integer("hosts", static_cast<std::int64_t>(file.hosts));
    json.integer("switches", static_cast<std::int64_t>(file.switches));
    if (options.out.empty())
        json.text("text", file.text);
    else
        json.text("file", options.out);
    json.beginArray("notes");
    for (const std::string& note : file.notes)
        json.text({}, note);
    json.endArray();
    json.endObject();
    return json.take();
}

void exportTopology(Call& call, const TopologyExport& options) {
    const data::TopologyImport import = openTopologies(options.files);
    const data::SlurmPlugin plugin = options.plugin.empty()     ? data::slurmPluginOf(*import.topology)
                                     : options.plugin == "tree" ? data::SlurmPlugin::tree
                                                                : data::SlurmPlugin::block;
    const auto format =
        options.target == slurmYaml ? data::SlurmTopologyFormat::yaml : data::SlurmTopologyFormat::conf;
    const Result<data::SlurmTopologyFile> written =
        data::writeSlurmTopology(*import.topology, format, plugin);
    if (!written)
        throw Failure(Failure::request, options.files.front() + ": " + written.error());
    for (const std::string& note : import.notes)
        warn(note);
    for (const std::string& note : written->notes)
        warn(note);
    if (!options.out.empty())
        writeFile(options.out, written->text);
    if (call.common.json) {
        call.out = jsonOf(*written, options, plugin);
    } else if (options.out.empty()) {
        call.out = written->text;
    } else {
        call.out = "Wrote " + options.out + " for topology/" + data::slurmPluginName(plugin) + ": " +
                   formatCount(static_cast<std::int64_t>(written->hosts)) +
                   (written->hosts == 1 ? " host, " : " hosts, ") +
                   formatCount(static_cast<std::int64_t>(written->switches)) +
                   (plugin == data::SlurmPlugin::tree ? " switches\n" : " blocks\n");
    }
}

} // namespace

void addExportTopology(CLI::App& command, Call& call) {
    const auto options = std::make_shared<TopologyExport>();
    CLI::App* each = command.add_subcommand("topology", "Hosts and switches in the formats of Slurm");
    each->add_option("FILE", options->files,
                     "Topology, or what alidade import topology reads; several files are merged")
        ->required();
    each->add_option(
            "--to", options->target,
            "slurm-topology-conf (topology.conf) or slurm-topology-yaml (topology.yaml of Slurm 25.05)")
        ->type_name("TARGET")
        ->required()
        ->check(CLI::IsMember({slurmConf, slurmYaml}));
    each->add_option(
            "--plugin", options->plugin,
            "tree (switches) or block (NVLink domains); if absent, tree where network layers are known")
        ->type_name("PLUGIN")
        ->check(CLI::IsMember({"tree", "block"}));
    each->add_option("-o,--out", options->out, "File to write; standard output if absent")->type_name("OUT");
    addCommonOptions(*each, call.common);
    each->footer(
        "Example:\n  alidade export topology cluster.json --to slurm-topology-conf -o topology.conf");
    each->callback([&call, options] { call.action = [&call, options] { exportTopology(call, *options); }; });
}

} // namespace alidade::cli
