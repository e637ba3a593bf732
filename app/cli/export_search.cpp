// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/export_job.h"
#include "app/cli/search_question.h"
#include "app/cli/version.h"
#include "data/handoff/search_job.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/topology_json.h"
#include "model/search/search.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct SearchExport {
    SearchArguments arguments;
    std::string target, out;
    std::uint64_t shards = 16;
    int threads = 4;
};

[[noreturn]] void refuseExport(const std::string& what, const std::string& why) {
    throw Failure(Failure::request, what + ": " + why);
}

/// The words that ask the same search again.
std::vector<std::string> searchWords(const SearchArguments& asked) {
    std::vector<std::string> out{asked.scenario};
    const auto add = [&out](const char* option, const std::vector<std::string>& values) {
        for (const std::string& each : values)
            out.insert(out.end(), {option, each});
    };
    add("--free", asked.free);
    add("--fix", asked.fixed);
    if (!asked.machines.empty())
        add("--machine", {asked.machines});
    add("--objective", asked.objectives);
    add("--at-most", asked.atMost);
    add("--at-least", asked.atLeast);
    if (asked.robust)
        out.emplace_back("--robust");
    if (asked.top != SearchArguments{}.top)
        add("--top", {std::to_string(asked.top)});
    return out;
}

/// The file of the profile that the option or the scenario names; a workspace's cannot leave it.
std::string profileFileOf(const CommonOptions& common, const OpenedScenario& scenario) {
    if (!common.calibration.empty())
        return common.calibration;
    const QString name = QString::fromStdString(*scenario.spec.calibration);
    const QString beside = QFileInfo(QString::fromStdString(scenario.file)).absolutePath();
    return (QFileInfo(name).isAbsolute() ? name : beside + u'/' + name).toStdString();
}

/// Puts the files that the search reads next to the jobs, under names that do not depend on this machine.
void packInputs(const Call& call, AskedSearch& asked, SearchArguments& arguments, data::SearchJob& job) {
    const CommonOptions& common = call.common;
    ScenarioSpec& spec = asked.scenario.spec;
    const bool workspace = asked.scenario.workspace != nullptr;
    if (workspace && !customValuesOf(common, *asked.catalog, &asked.scenario).empty()) {
        refuseExport(arguments.scenario,
                     "its workspace has custom catalog values, which other machines do not see; save the "
                     "scenario as a file and name the values with --catalog FILE, or leave them out with "
                     "--shipped-catalog");
    }
    bool changed = workspace || QFileInfo::exists(QString::fromStdString(arguments.scenario));
    if (!common.catalog.empty()) {
        if (QFileInfo(QString::fromStdString(common.catalog)).isDir()) {
            refuseExport("--catalog",
                         "'" + common.catalog + "' is a folder; name one file, which goes with the jobs");
        }
        job.files.push_back({"catalog.json", contentOf(common.catalog), false});
        job.common.insert(job.common.end(), {"--catalog", "catalog.json"});
    }
    if (spec.calibration.value_or("default") != "default") {
        const std::string file = profileFileOf(common, asked.scenario);
        if (workspace && !QFileInfo::exists(QString::fromStdString(file))) {
            refuseExport(arguments.scenario, "its workspace keeps the profile '" + *spec.calibration +
                                                 "', which other machines do not see; name its file with "
                                                 "--calibration FILE");
        }
        job.files.push_back({"profile.json", contentOf(file), false});
        spec.calibration = "profile.json";
        changed = true;
    }
    if (auto& name = spec.cluster.topology) {
        job.files.push_back({"topology.json", data::writeTopology(*asked.catalog->topology(*name)), false});
        name = "topology.json";
        changed = true;
    }
    if (changed) {
        job.files.insert(job.files.begin(), {"scenario.json", data::writeScenario(spec), false});
        arguments.scenario = "scenario.json";
        std::erase_if(arguments.fixed, [](const std::string& each) {
            return each.starts_with("cluster.topology=") || each.starts_with("calibration=");
        });
    }
}

void exportSearch(Call& call, const SearchExport& options) {
    if (options.arguments.scenario.empty() || options.target.empty())
        refuseExport("export search", "a SCENARIO and --to slurm-array or --to kubernetes-job are needed");
    AskedSearch asked = askedSearch(call, options.arguments);
    data::SearchJob job;
    job.title = asked.scenario.spec.name.value_or(asked.scenario.name);
    job.name = asked.scenario.name;
    job.plans = asked.question.plans();
    job.shards = options.shards;
    job.threads = options.threads;
    job.program = "Alidade " + programVersion();
    SearchArguments arguments = options.arguments;
    packInputs(call, asked, arguments, job);
    job.arguments = searchWords(arguments);
    const Result<data::Handoff> written = data::writeSearchJob(job, options.target);
    if (!written)
        refuseExport("--to", written.error());
    deliverHandoff(call, *written, {options.target}, options.out);
}

} // namespace

void addExportSearch(CLI::App& command, Call& call) {
    const auto options = std::make_shared<SearchExport>();
    CLI::App* each = command.add_subcommand(
        "search", "Jobs that divide a search over the nodes of a cluster and merge it");
    addSearchArguments(*each, options->arguments);
    each->add_option(
            "--to", options->target,
            "slurm-array (a job array and a job that waits for it) or kubernetes-job (an indexed Job and a "
            "Job that merges)")
        ->type_name("TARGET");
    each->add_option("--shards", options->shards,
                     "Parts of the search, each run as a separate task; 16 if absent")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, mostShards));
    each->add_option("--threads", options->threads, "Threads, and cores, of each part; 4 if absent")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    each->add_option("-o,--out", options->out, "Folder to write; standard output if absent")
        ->type_name("DIR");
    addCommonOptions(*each, call.common);
    each->footer(
        "The files that the search reads go with the jobs; the answer is that of alidade search on one "
        "machine.\n"
        "Examples:\n"
        "  alidade export search llama-3.1-70b-64xp5.48xlarge --machine all --to slurm-array -o search\n"
        "  alidade export search plan.json --shards 64 --to kubernetes-job -o search");
    each->callback([&call, options] { call.action = [&call, options] { exportSearch(call, *options); }; });
}

} // namespace alidade::cli
