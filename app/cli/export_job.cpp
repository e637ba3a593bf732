// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/export_job.h"

#include "app/cli/inputs.h"
#include "app/cli/messages.h"
#include "app/cli/version.h"
#include "data/handoff/handoff.h"
#include "data/handoff/tools.h"
#include "data/json/writer.h"
#include "model/engine/engine.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace alidade::cli {

namespace {

struct JobOptions {
    std::string scenario, out;
    std::vector<std::string> targets, settings;
};

data::Handoff handoffOf(Call& call, const JobOptions& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Result<Scenario> resolved = resolve(scenario.spec, *catalog, profile);
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    const Result<Estimate> answer = estimate(scenario.spec, *catalog, profile);
    if (!answer)
        throw Failure(Failure::request, scenario.file + ":" + answer.error());
    const data::handoff::Tools tools = openTools(call.common);
    auto out = data::handOff(
        {scenario.spec, *answer, *resolved, *catalog, "Alidade " + programVersion(), &profile, &tools},
        options.targets);
    if (!out)
        throw Failure(Failure::request, scenario.file + ": " + out.error());
    return *std::move(out);
}

/// The files that a job is made of; the README is not printed.
std::string filesText(const data::Handoff& handoff) {
    const auto isJob = [](const data::HandoffFile& file) { return file.name != "README.md"; };
    const bool one = std::ranges::count_if(handoff.files, isJob) == 1;
    std::string out;
    for (const data::HandoffFile& file : handoff.files)
        if (isJob(file))
            out += one ? file.text : (out.empty() ? "" : "\n") + ("==> " + file.name + " <==\n") + file.text;
    return out;
}

std::string jsonOf(const data::Handoff& handoff, const std::vector<std::string>& targets,
                   const std::string& folder) {
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.beginArray("targets");
    for (const std::string& each : targets)
        json.text({}, each);
    json.endArray();
    if (!folder.empty())
        json.text("folder", folder);
    json.beginArray("files");
    for (const data::HandoffFile& file : handoff.files) {
        json.beginObject({});
        json.text("name", file.name);
        json.flag("executable", file.executable);
        json.text("text", file.text);
        json.endObject();
    }
    json.endArray();
    json.beginArray("not_expressed");
    for (const data::LeftOut& each : handoff.leftOut) {
        json.beginObject({});
        json.text("path", each.path);
        json.text("value", each.value);
        json.text("why", each.why);
        json.endObject();
    }
    json.endArray();
    json.beginArray("warnings");
    for (const std::string& each : handoff.warnings)
        json.text({}, each);
    json.endArray();
    json.beginArray("placeholders");
    for (const std::string& each : handoff.placeholders)
        json.text({}, each);
    json.endArray();
    json.endObject();
    return json.take();
}

void writeFolder(const std::string& folder, const data::Handoff& handoff) {
    const QString path = QString::fromStdString(folder);
    const QFileInfo info(path);
    if (info.exists() && !info.isDir())
        throw Failure(Failure::request,
                      folder + ": a file; a hand-off is a folder of files, so name a folder");
    if (!QDir().mkpath(path))
        throw Failure(Failure::environment,
                      folder + ": the folder cannot be made; choose another place for it");
    for (const data::HandoffFile& file : handoff.files) {
        const std::string name = folder + "/" + file.name;
        writeFile(name, file.text);
        if (file.executable) {
            QFile written(QString::fromStdString(name));
            written.setPermissions(written.permissions() | QFileDevice::ExeOwner | QFileDevice::ExeUser |
                                   QFileDevice::ExeGroup | QFileDevice::ExeOther);
        }
    }
}

/// The targets that can hold a plan, then the others by the reason why they cannot.
std::vector<std::string> targetLines(const ScenarioSpec& spec) {
    std::string good;
    std::vector<std::pair<std::string, std::string>> others; // reason, ids
    for (const data::TargetChoice& each : data::handoffChoices(spec)) {
        const auto known = std::ranges::find(others, each.why, &std::pair<std::string, std::string>::first);
        if (each.why.empty())
            good += (good.empty() ? "" : ", ") + each.target->id;
        else if (known == others.end())
            others.emplace_back(each.why, each.target->id);
        else
            known->second += ", " + each.target->id;
    }
    std::vector<std::string> out{"targets: " + good};
    for (const auto& [why, ids] : others)
        out.push_back("not " + ids + ": " + why);
    return out;
}

void exportJob(Call& call, const JobOptions& options) {
    if (options.scenario.empty()) {
        std::string known;
        for (const data::TargetInfo& each : data::handoffTargets())
            known += (known.empty() ? "" : ", ") + each.id;
        throw Failure(Failure::request, {"export: a scenario and --to TARGET are needed, or one of search, "
                                         "topology, hosts, rankfile and ranks",
                                         "targets: " + known});
    }
    if (options.targets.empty()) {
        std::vector<std::string> lines = targetLines(openScenario(options.scenario, options.settings).spec);
        lines.insert(lines.begin(), "export: --to TARGET is needed");
        throw Failure(Failure::request, lines);
    }
    deliverHandoff(call, handoffOf(call, options), options.targets, options.out);
}

} // namespace

void deliverHandoff(Call& call, const data::Handoff& handoff, const std::vector<std::string>& targets,
                    const std::string& folder) {
    for (const data::LeftOut& each : handoff.leftOut)
        warn("not expressed: " + each.path + " = " + each.value + ": " + each.why);
    for (const std::string& each : handoff.warnings)
        warn(each);
    if (!folder.empty())
        writeFolder(folder, handoff);
    if (call.common.json) {
        call.out = jsonOf(handoff, targets, folder);
    } else if (folder.empty()) {
        call.out = filesText(handoff);
    } else {
        call.out = "Wrote " + folder + ":";
        for (const data::HandoffFile& file : handoff.files)
            call.out += " " + file.name;
        call.out += "\n";
        if (!handoff.placeholders.empty())
            call.out += "Replace what begins with CHANGE_ME before you run it; README.md lists it.\n";
    }
}

void addExportJob(CLI::App& command, Call& call) {
    const auto options = std::make_shared<JobOptions>();
    command.add_option("SCENARIO", options->scenario, "Scenario file, or the id of a shipped scenario");
    std::string targets;
    for (const data::TargetInfo& each : data::handoffTargets())
        targets += (targets.empty() ? "" : ", ") + each.id;
    command
        .add_option("--to", options->targets,
                    "Framework or engine, cluster, or one of each; TOOL@VERSION for another version than the "
                    "usual one: " +
                        targets)
        ->type_name("TARGET[,TARGET]")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("-o,--out", options->out, "Folder to write; standard output if absent")
        ->type_name("DIR");
    command.add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(command, call.common);
    command.callback([&command, &call, options] {
        if (command.get_subcommands().empty())
            call.action = [&call, options] { exportJob(call, *options); };
    });
}

} // namespace alidade::cli
