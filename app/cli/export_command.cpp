// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/export_job.h"
#include "data/json/writer.h"
#include "data/topology/host_lists.h"
#include "model/base/text.h"
#include "model/scenario/scenario.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct ExportOptions {
    std::string what; ///< "hosts", "rankfile" or "ranks"
    std::string scenario, out, format = "slurm";
    std::vector<std::string> settings;
};

/// The cluster of the scenario with its ranks placed; a Failure if the plan cannot be placed.
ClusterMap placedMap(Call& call, const ExportOptions& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Result<Scenario> resolved = resolve(scenario.spec, *catalog, profile);
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    ClusterMap map = clusterMap(*resolved, *catalog);
    if (map.placement.ranks() == 0) {
        throw Failure(
            Failure::request,
            scenario.file +
                ": its ranks cannot be placed in the cluster; see 'alidade estimate' for the reason");
    }
    return map;
}

std::string exportedText(const ExportOptions& options, const ClusterMap& map) {
    if (options.what == "ranks")
        return data::rankTable(map);
    if (const std::string fault = data::hostNameFault(map); !fault.empty())
        throw Failure(Failure::request, options.scenario + ": " + fault);
    if (options.what == "rankfile")
        return data::rankFile(map);
    if (options.format == "mpi" && !data::hostsInRankOrder(map)) {
        throw Failure(Failure::request,
                      "--format mpi: the ranks of this placement are not in the order of hosts, "
                      "which a host file cannot express; use 'alidade export rankfile'");
    }
    return options.format == "mpi" ? data::mpiHostFile(map) : data::slurmHostFile(map);
}

std::string exportedSummary(const Call& call, const ExportOptions& options, const ClusterMap& map) {
    const auto ranks = static_cast<std::int64_t>(map.placement.ranks());
    const auto hosts = static_cast<std::int64_t>(map.placement.hosts.size());
    if (!call.common.json) {
        std::string text = "Wrote " + options.out + ": " + formatCount(ranks) + " ranks on " +
                           formatCount(hosts) + (hosts == 1 ? " host" : " hosts") + "\n";
        return map.fabric.assumed ? text + "Host names are placeholders; import a topology "
                                           "(cluster.topology) to use the real ones.\n"
                                  : text;
    }
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("file", options.out);
    json.integer("ranks", ranks);
    json.integer("hosts", hosts);
    json.flag("placeholder_names", map.fabric.assumed);
    json.endObject();
    return json.take();
}

void exportPlacement(Call& call, const ExportOptions& options) {
    const ClusterMap map = placedMap(call, options);
    if (options.out.empty()) {
        call.out = call.common.json ? data::rankJson(map) : exportedText(options, map);
        return;
    }
    writeFile(options.out, exportedText(options, map));
    call.out = exportedSummary(call, options, map);
}

void addExport(CLI::App& command, Call& call, const std::string& what, const std::string& help) {
    const auto options = std::make_shared<ExportOptions>();
    options->what = what;
    CLI::App* each = command.add_subcommand(what, help);
    each->add_option("SCENARIO", options->scenario, "Scenario file, or the id of a shipped scenario")
        ->required();
    each->add_option("-o,--out", options->out, "File to write; standard output if absent")->type_name("OUT");
    if (what == "hosts") {
        each->add_option(
                "--format", options->format,
                "slurm (one line per rank, for SLURM_HOSTFILE) or mpi (slots, for mpirun --hostfile)")
            ->type_name("FORMAT")
            ->check(CLI::IsMember({"slurm", "mpi"}));
    }
    each->add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*each, call.common);
    each->footer("Example:\n  alidade export " + what + " llama-3.1-70b-64xp5.48xlarge");
    each->callback([&call, options] { call.action = [&call, options] { exportPlacement(call, *options); }; });
}

} // namespace

void addExportCommand(CLI::App& program, Call& call) {
    CLI::App* command =
        program.add_subcommand("export", "The files that run a plan, and which rank runs where");
    command->require_subcommand(0, 1);
    addExportJob(*command, call);
    addExportSearch(*command, call);
    addExportTopology(*command, call);
    addExport(*command, call, "hosts", "Hosts in the order of ranks, for Slurm or MPI");
    addExport(*command, call, "rankfile", "Rank file of Open MPI: host and slot of each rank");
    addExport(*command, call, "ranks", "CSV of ranks: host, GPU, NVLink domain, leaf and coordinates");
    command->footer("Examples:\n  alidade export llama-3.1-70b-64xp5.48xlarge --to slurm -o job\n"
                    "  alidade export search llama-3.1-70b-64xp5.48xlarge --to slurm-array -o search\n"
                    "  alidade export topology cluster.json --to slurm-topology-conf -o topology.conf\n"
                    "  alidade export ranks llama-3.1-70b-64xp5.48xlarge -o ranks.csv");
}

} // namespace alidade::cli
