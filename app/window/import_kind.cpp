// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_kind.h"

#include "app/window/workspace_session.h"
#include "data/fleet/fleet_file.h"
#include "data/handoff/tools.h"
#include "data/import/file_nature.h"
#include "data/import/huggingface.h"
#include "data/import/nccl_log.h"
#include "data/jobs/import_job.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/hostlist.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace alidade::app {

using views::text;

namespace {

/// Topologies and logs of large clusters; a scenario is a few kilobytes.
constexpr std::size_t largestImport = data::topologyBytes;
/// In so many bytes a format shows itself.
constexpr std::size_t headBytes = 64u << 10;

QString tr(const char* words) { return QCoreApplication::translate("alidade::app::ImportDesk", words); }

bool hasAny(std::string_view head, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view word) { return head.find(word) != std::string_view::npos; });
}

RefusedImport refusedBy(const std::string& error) { return {text(error).section(QLatin1Char('\n'), 0, 0)}; }

QString firstOf(const std::vector<std::string>& faults) {
    return faults.empty() ? QString() : text(faults.front());
}

/// A log that nothing else prints: the header of its table.
bool looksLikeNcclLog(std::string_view content) {
    return content.find("algbw") != std::string_view::npos && content.find("busbw") != std::string_view::npos;
}

void importTopologyText(const std::string& content, const std::string& place, Imported& imported) {
    auto read = data::importTopology({{place, content}});
    if (!read.topology) {
        imported.what = RefusedImport{firstOf(read.faults)};
        return;
    }
    const Topology& topology = *read.topology;
    imported.what = ImportedDocument{
        true, data::writeTopology(topology), content,
        views::counted(static_cast<int>(topology.hosts.size()), tr("host"), tr("hosts")),
        topology.incomplete ? tr("%1 is incomplete: it ends with a NextToken, so there are more instances "
                                 "on further pages. Import a file with all pages.")
                                  .arg(text(topology.name))
                            : QString()};
}

void importNcclLogText(const std::string& content, const std::string& place, Imported& imported) {
    auto read = data::readNcclLog(content, place);
    if (!read.faults.empty() || read.tables.empty()) {
        imported.what = RefusedImport{firstOf(read.faults)};
        return;
    }
    std::size_t points = 0;
    for (const data::NcclTable& table : read.tables)
        points += table.points.size();
    imported.what =
        ImportedDocument{false, data::writeNcclRows({{place, read.tables}}), content,
                         views::counted(static_cast<int>(points), tr("measurement"), tr("measurements"))};
}

/// What a person should know of a job.
QString noteOf(const data::JobReading& reading) {
    QStringList note;
    for (const std::string& each : reading.contradictions)
        note.append(tr("Contradiction: %1").arg(text(each)));
    QStringList asks;
    for (const std::string& each : reading.asks)
        asks.append(text(each));
    if (!asks.isEmpty())
        note.append(tr("Still needed for an estimate: %1").arg(asks.join(QStringLiteral(", "))));
    if (!reading.hosts.empty()) {
        const QString hosts = text(data::compressHostlist(reading.hosts));
        note.append(reading.spec.cluster.placement
                        ? tr("Runs on %1 in %2").arg(hosts, text(reading.spec.cluster.topology.value_or("")))
                        : tr("Runs on %1").arg(hosts));
        for (const data::ReadField& each : reading.assumed)
            if (each.path == "cluster.topology")
                note.append(tr("Assumed: %1").arg(text(each.from)));
    }
    return note.join(QLatin1Char('\n'));
}

void importJobText(const std::string& content, const QString& fileName, const ImportContext& context,
                   Imported& imported) {
    // Files that the job names are looked for next to it; a pasted text has none.
    const QFileInfo job(fileName);
    const QString folder = job.absolutePath();
    const bool isFile = job.exists();
    const auto beside = [folder, isFile](const std::string& name) -> std::optional<std::string> {
        const QString last = QFileInfo(QString::fromStdString(name)).fileName();
        if (!isFile || last.isEmpty() || last == QLatin1String("..") || last == QLatin1String("."))
            return {};
        auto text = data::readFile(folder.toStdString() + "/" + last.toStdString(), 4u << 20);
        return text ? std::optional(*std::move(text)) : std::nullopt;
    };
    std::vector<std::string> faults; // the window of the hand-off says them
    const data::handoff::Tools tools = data::handoff::toolsOf(context.userCatalog, faults);
    auto reading = std::make_shared<data::JobReading>(
        data::readJob(content, job.fileName().toStdString(), *context.catalog, beside, &tools));
    if (!reading->faults.empty()) {
        imported.what = refusedBy(reading->faults.front());
        return;
    }
    imported.what = ImportedScenario{reading->spec, noteOf(*reading), reading};
}

/// The topologies in which a job may run.
class JobTopologies {
public:
    JobTopologies(const std::vector<Imported>& all, const ImportContext& context) {
        for (const Imported& each : all) // those that come with the job first
            if (const auto* document = std::get_if<ImportedDocument>(&each.what);
                document != nullptr && document->isTopology)
                add(each.name.toStdString(), document->json);
        for (const auto& [name, json] : context.topologies)
            add(name, json);
    }

    std::vector<data::NamedTopology> named() const {
        std::vector<data::NamedTopology> out;
        for (const auto& [name, topology] : all_)
            out.push_back({name, &topology});
        return out;
    }
    void add(const std::string& name, Topology topology) { all_.emplace_back(name, std::move(topology)); }
    /// "train hosts", "train hosts 2", ...
    std::string freeName(const std::string& base) const {
        const auto taken = [this](const std::string& name) {
            return std::ranges::any_of(all_, [&](const auto& each) { return each.first == name; });
        };
        std::string name = base;
        for (int number = 2; taken(name); ++number)
            name = base + " " + std::to_string(number);
        return name;
    }

private:
    void add(const std::string& name, const std::string& json) {
        if (auto read = data::importTopology({{name, json}}); read.topology) {
            read.topology->name = name;
            all_.emplace_back(name, *std::move(read.topology));
        }
    }

    std::vector<std::pair<std::string, Topology>> all_;
};

} // namespace

QString importableKinds() {
    return tr("a workspace (.alidade), a scenario or a fleet (.json), a Hugging Face config.json, a topology "
              "of EC2, Slurm "
              "or Kubernetes, an nccl-tests log, or a job (script, command line, TOML, YAML or JSON)");
}

void placeJobs(std::vector<Imported>& all, const ImportContext& context) {
    const auto jobOf = [](const Imported& each) -> data::JobReading* {
        const auto* scenario = std::get_if<ImportedScenario>(&each.what);
        return scenario != nullptr && scenario->job != nullptr && !scenario->job->hosts.empty()
                   ? scenario->job.get()
                   : nullptr;
    };
    if (std::ranges::none_of(all, jobOf))
        return; // topologies may be large
    JobTopologies topologies(all, context);
    std::vector<Imported> made;
    for (Imported& each : all) {
        data::JobReading* job = jobOf(each);
        if (job == nullptr)
            continue;
        const std::string name = topologies.freeName(tr("%1 hosts").arg(each.name).toStdString());
        auto own = data::placeRunningJob(*job, topologies.named(), name, *context.catalog);
        auto& scenario = std::get<ImportedScenario>(each.what);
        scenario.spec = job->spec;
        scenario.note = noteOf(*job);
        if (!own)
            continue;
        made.push_back({text(name), text(name),
                        ImportedDocument{.json = data::writeTopology(*own),
                                         .body = {},
                                         .summary = views::counted(static_cast<int>(own->hosts.size()),
                                                                   tr("host"), tr("hosts")),
                                         .ofJob = true}});
        topologies.add(name, *std::move(own));
    }
    std::ranges::move(made, std::back_inserter(all));
}

Imported importText(const std::string& content, const QString& fileName, const ImportContext& context) {
    const QFileInfo info(fileName);
    Imported imported{info.completeBaseName(), info.fileName(), RefusedImport{}};
    const std::string_view head = std::string_view(content).substr(0, headBytes);
    const std::string place = fileName.toStdString();
    const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool json = first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
    if (data::looksLikeTopology(content) && !data::looksLikeRunningJob(content)) {
        importTopologyText(content, place, imported);
    } else if (!json && looksLikeNcclLog(content)) {
        importNcclLogText(content, place, imported);
    } else if (json && hasAny(head, {"\"alidade\""})) {
        if (data::isFleet(content))
            imported.what = ImportedFleet{{}, content};
        else if (const std::string other = data::notScenario(content, place); !other.empty())
            imported.what = refusedBy(other);
        else if (auto spec = data::readScenario(content, place))
            imported.what = ImportedScenario{*std::move(spec)};
        else
            imported.what = refusedBy(spec.error());
    } else if (json && hasAny(head, {"\"model_type\""})) {
        if (auto model = data::importHuggingFaceConfig(content, place))
            imported.what = ImportedModel{*std::move(model)};
        else
            imported.what = refusedBy(model.error());
    } else if (data::looksLikeJob(content)) {
        importJobText(content, fileName, context, imported);
    } else if (const std::string other = data::notScenario(content, place); !other.empty()) {
        imported.what = refusedBy(other);
    } else {
        imported.what =
            RefusedImport{tr("%1 cannot be imported; expected %2").arg(fileName, importableKinds())};
    }
    return imported;
}

Imported importFile(const QString& file, const ImportContext& context, const std::stop_token& stop) {
    const QFileInfo info(file);
    if (looksLikeWorkspace(file))
        return {info.completeBaseName(), info.fileName(), ImportedWorkspace{info.absoluteFilePath()}};
    auto content = data::readFile(file.toStdString(), largestImport, stop);
    if (!content)
        return {info.completeBaseName(), info.fileName(),
                RefusedImport{file + QStringLiteral(": ") + text(content.error())}};
    Imported imported = importText(*content, file, context);
    if (auto* fleet = std::get_if<ImportedFleet>(&imported.what))
        fleet->file = info.absoluteFilePath();
    return imported;
}

} // namespace alidade::app
