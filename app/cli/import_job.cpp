// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/import_job.h"

#include "app/cli/import_parts.h"
#include "app/cli/messages.h"
#include "app/cli/observe.h"
#include "app/cli/time_text.h"
#include "data/handoff/tools.h"
#include "data/jobs/import_metrics.h"
#include "data/json/file.h"
#include "data/json/writer.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/hostlist.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace alidade::cli {

namespace {

constexpr std::size_t largestJob = 4U << 20;

struct JobArguments {
    std::string file, out;
    std::string topology;    ///< --topology; empty: none
    std::string topologyOut; ///< --topology-out; empty: none
    ObserveOptions observe;
    std::string at = "now"; ///< --at: the end of the half hour that is read of a server
};

std::string standardInput() {
    std::string out;
    char buffer[65536];
    for (std::size_t n = 0;
         (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0 && out.size() <= largestJob;)
        out.append(buffer, n);
    return out;
}

/// Files that the job names, where they lie in its own folder: never one from elsewhere.
data::JobFiles filesBeside(const std::string& job) {
    const QString folder = QFileInfo(QString::fromStdString(job)).absolutePath();
    return [folder](const std::string& name) -> std::optional<std::string> {
        const QString last = QFileInfo(QString::fromStdString(name)).fileName();
        if (last.isEmpty() || last == QStringLiteral("..") || last == QStringLiteral("."))
            return {};
        const auto text = data::readFile(folder.toStdString() + "/" + last.toStdString(), largestJob);
        return text ? std::optional(*text) : std::nullopt;
    };
}

std::string place(int line) { return line > 0 ? "line " + std::to_string(line) : std::string(); }

void section(std::string& out, const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty())
        return;
    out += title + "\n";
    for (const std::string& line : lines)
        out += "  " + line + "\n";
}

std::vector<std::string> namesOf(const std::vector<data::ReadName>& list) {
    std::vector<std::string> out;
    for (const data::ReadName& each : list)
        out.push_back(each.name + (each.value.empty() ? "" : " " + each.value) +
                      (each.why.empty() ? "" : " (" + each.why + ")") +
                      (each.line > 0 ? ", " + place(each.line) : ""));
    return out;
}

/// A placement has a name for each host; the scenario has them all.
std::string shortened(const std::string& value) {
    constexpr std::size_t longest = 100;
    return value.size() > longest ? value.substr(0, longest - 3) + "..." : value;
}

std::string personText(const data::JobReading& reading) {
    std::string out = "Read as " + (reading.tool.empty() ? std::string("an unknown program") : reading.tool);
    if (reading.gpus)
        out += ", " + std::to_string(*reading.gpus) + " GPUs";
    out += "\n";
    std::vector<std::string> understood, assumed;
    for (const data::ReadField& each : reading.understood)
        understood.push_back(each.path + " = " + shortened(each.value) + "  (" + each.from +
                             (each.line > 0 ? ", " + place(each.line) : "") + ")");
    for (const data::ReadField& each : reading.assumed)
        assumed.push_back(each.path + " = " + each.value + "  (" + each.from + ")");
    section(out, "Understood", understood);
    section(out, "Assumed", assumed);
    section(out, "Contradictions", reading.contradictions);
    if (!reading.hosts.empty())
        section(out, "Hosts", {data::compressHostlist(reading.hosts)});
    section(out, "Still needed for an estimate", reading.asks);
    if (reading.models.size() > 1) {
        std::string all;
        for (const std::string& each : reading.models)
            all += (all.empty() ? "" : ", ") + each;
        section(out, "Models of this shape", {all});
    }
    section(out, "Understood, without a field in a scenario", namesOf(reading.noField));
    section(out, "Options of other versions", namesOf(reading.otherVersions));
    section(out, "Unknown", namesOf(reading.unknown));
    if (!reading.unknownProgram.empty())
        section(out, "Program with unknown options", {reading.unknownProgram});
    section(out, "Files not found", reading.missingFiles);
    section(out, "Notes", reading.warnings);
    return out;
}

void texts(data::JsonWriter& json, const char* key, const std::vector<std::string>& list) {
    json.beginArray(key);
    for (const std::string& each : list)
        json.text({}, each);
    json.endArray();
}

void fields(data::JsonWriter& json, const char* key, const std::vector<data::ReadField>& list) {
    json.beginArray(key);
    for (const data::ReadField& each : list) {
        json.beginObject({});
        json.text("path", each.path);
        json.text("value", each.value);
        json.text("from", each.from);
        if (each.line > 0)
            json.integer("line", each.line);
        json.endObject();
    }
    json.endArray();
}

void names(data::JsonWriter& json, const char* key, const std::vector<data::ReadName>& list) {
    json.beginArray(key);
    for (const data::ReadName& each : list) {
        json.beginObject({});
        json.text("name", each.name);
        json.text("value", each.value);
        if (each.line > 0)
            json.integer("line", each.line);
        if (!each.why.empty())
            json.text("why", each.why);
        json.endObject();
    }
    json.endArray();
}

std::string jsonText(const data::JobReading& reading, const JobArguments& arguments) {
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("tool", reading.tool);
    if (!arguments.out.empty())
        json.text("file", arguments.out);
    json.document("scenario", data::writeScenario(reading.spec));
    if (reading.gpus)
        json.integer("gpus", *reading.gpus);
    else
        json.null("gpus");
    fields(json, "understood", reading.understood);
    fields(json, "assumed", reading.assumed);
    texts(json, "hosts", reading.hosts);
    texts(json, "contradictions", reading.contradictions);
    texts(json, "asks", reading.asks);
    texts(json, "models", reading.models);
    names(json, "no_field", reading.noField);
    names(json, "other_versions", reading.otherVersions);
    names(json, "unknown", reading.unknown);
    if (!reading.unknownProgram.empty())
        json.text("unknown_program", reading.unknownProgram);
    texts(json, "missing_files", reading.missingFiles);
    texts(json, "notes", reading.warnings);
    json.endObject();
    return json.take();
}

data::JobReading readFileJob(const JobArguments& arguments, const Catalog& catalog,
                             const data::handoff::Tools& tools) {
    const bool standard = arguments.file == "-";
    const std::string text = standard ? standardInput() : contentOf(arguments.file, largestJob);
    return data::readJob(text, standard ? "standard input" : arguments.file, catalog,
                         standard ? data::JobFiles() : filesBeside(arguments.file), &tools);
}

/// The half hour before --at: long enough for mean lengths, short enough to be one state of the cluster.
data::JobReading readRunningJob(JobArguments& arguments, const Catalog& catalog) {
    constexpr double span = 1800;
    const Result<double> end = timeOf(arguments.at, now());
    if (!end)
        refuse("--at", end.error());
    arguments.observe.range = {timeText(*end - span), timeText(*end), "60s"};
    Observer observer(arguments.observe);
    Observed seen = observer.read(JobDefault::trainingOrServing);
    if (seen.noData.everywhere)
        throw Failure(Failure::environment, noDataSentence(seen.noData, seen.observation.grid));
    const std::string& job = seen.observation.job;
    if (job.empty()) {
        std::string all;
        for (const data::JobChoice& each : seen.jobs)
            all += (all.empty() ? "" : ", ") + each.job;
        refuse("--job", all.empty() ? "the server has no metrics of a training job or an engine in this half "
                                      "hour; try an earlier or later --at"
                                    : "the server has several jobs: " + all + "; specify one");
    }
    const auto choice = std::ranges::find(seen.jobs, job, &data::JobChoice::job);
    const bool serving = choice != seen.jobs.end() && choice->kind == "serving";
    const auto metrics =
        data::collectJobMetrics(observer.api(), seen.mapping, std::move(seen.observation), serving);
    if (!metrics)
        throw Failure(Failure::environment, errorLines(metrics.error()));
    return data::readJobMetrics(*metrics, catalog);
}

/// A topology as the scenario names it: relative to the folder of the scenario's file.
std::string nameFor(const std::string& topology, const std::string& scenario) {
    const std::filesystem::path file(topology);
    const std::filesystem::path folder = std::filesystem::path(scenario).parent_path();
    return file.is_absolute() || folder.empty() ? topology
                                                : std::filesystem::proximate(file, folder).string();
}

/// With --topology-out, hosts that are in no topology get a separate one.
void placeJob(const JobArguments& arguments, data::JobReading& reading, const Catalog& catalog) {
    std::optional<Topology> given;
    std::vector<data::NamedTopology> known;
    if (!arguments.topology.empty()) {
        given = openTopologies({arguments.topology}).topology;
        known.push_back({nameFor(arguments.topology, arguments.out), &*given});
    }
    if (arguments.topologyOut.empty() || reading.hosts.empty()) {
        if (given)
            data::placeJob(reading, *given, known.front().name, catalog);
        if (!arguments.topologyOut.empty())
            reading.warnings.push_back(arguments.topologyOut +
                                       " was not written: the job does not say on which hosts it runs");
        return;
    }
    if (const auto made =
            data::placeRunningJob(reading, known, nameFor(arguments.topologyOut, arguments.out), catalog))
        writeFile(arguments.topologyOut, data::writeTopology(*made));
}

void importJob(Call& call, JobArguments& arguments) {
    if (arguments.file.empty() == !arguments.observe.connection.given())
        refuse("FILE", arguments.file.empty()
                           ? "required; or --prometheus URL or --connection NAME for a running job"
                           : "pass either a file or a server");
    const auto catalog = openCatalog(call.common);
    data::JobReading reading = arguments.file.empty()
                                   ? readRunningJob(arguments, *catalog)
                                   : readFileJob(arguments, *catalog, openTools(call.common));
    if (!reading.faults.empty())
        throw Failure(Failure::request, reading.faults);
    placeJob(arguments, reading, *catalog);
    for (const std::string& each : reading.contradictions)
        warn(each);
    const std::string scenario = data::writeScenario(reading.spec);
    if (!arguments.out.empty())
        writeFile(arguments.out, scenario);
    if (call.common.json)
        call.out = jsonText(reading, arguments);
    else
        call.out = personText(reading) +
                   (arguments.out.empty() ? "Scenario\n" + scenario : "Wrote " + arguments.out + "\n");
}

} // namespace

void addImportJob(CLI::App& command, Call& call) {
    const auto arguments = std::make_shared<JobArguments>();
    CLI::App* each = command.add_subcommand("job", "Job files and command lines to a scenario");
    each->add_option(
        "FILE", arguments->file,
        "Shell or batch script, command line, TOML, YAML or JSON of a training or serving job; - is "
        "standard input. Nothing in it is executed. Also what scontrol show job, squeue --json and "
        "kubectl get -o json print of a running job");
    each->add_option("-o,--out", arguments->out, "Scenario file to write")->type_name("SCENARIO.json");
    each->add_option("--topology", arguments->topology,
                     "Topology to put into the scenario, with the hosts of a running job as its placement; "
                     "any file that import topology reads")
        ->type_name("FILE");
    each->add_option("--topology-out", arguments->topologyOut,
                     "Topology file to write with the hosts of a running job, where --topology is not given "
                     "or does not have them; the scenario is placed in it")
        ->type_name("FILE");
    addConnectionOptions(*each, arguments->observe.connection);
    each->add_option("--job", arguments->observe.job, "Job on the server; needed where there are several")
        ->type_name("NAME");
    each->add_option("--at", arguments->at,
                     "When it ran: RFC 3339, Unix seconds, or before now: -2h (default now). The half hour "
                     "before is read")
        ->type_name("T");
    each->add_option("--mapping", arguments->observe.mapping, "Metric mapping as JSON, as of metrics")
        ->type_name("FILE");
    addCommonOptions(*each, call.common);
    each->footer("Example:\n  alidade import job train.sbatch -o plan.json\n"
                 "  scontrol show job 4711 | alidade import job - --topology cluster.json -o plan.json\n"
                 "  scontrol show job 4711 | alidade import job - --topology-out hosts.json -o plan.json\n"
                 "  alidade import job --prometheus http://localhost:9090 --job llama -o plan.json");
    each->callback([&call, arguments] { call.action = [&call, arguments] { importJob(call, *arguments); }; });
}

} // namespace alidade::cli
