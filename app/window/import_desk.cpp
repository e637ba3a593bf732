// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/import_desk.h"

#include "app/window/settings.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <QFileDialog>
#include <QFileInfo>

#include <cstdint>
#include <utility>

namespace alidade::app {

using views::BadgeKind;
using views::Library;
using views::text;

namespace {

/// So many refused files are told one by one.
constexpr int mostTold = 4;

} // namespace

ImportDesk::ImportDesk(WorkspaceSession& session, const views::Document& document, Settings& settings,
                       QWidget& window)
    : session_(session)
    , document_(document)
    , settings_(settings)
    , window_(window)
    , reading_(this) {
    connect(&reading_, &SlowWork::canceled, this, [this] {
        stopReading_.request_stop();
        stopReading_ = std::stop_source();
    });
}

ImportDesk::~ImportDesk() { stopReading_.request_stop(); }

void ImportDesk::askFiles() {
    auto* dialog = new QFileDialog(&window_, tr("Import"), settings_.folder,
                                   tr("All importable files (*.json *.conf *.txt *.log *.out *.alidade);;"
                                      "All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
        settings_.folder = QFileInfo(files.value(0)).absolutePath();
        takeFiles(files);
    });
    dialog->open();
}

void ImportDesk::takeFiles(const QStringList& files) {
    if (files.isEmpty())
        return;
    start(
        [files](const ImportContext& context, const std::stop_token& stop) {
            std::vector<Imported> all;
            for (const QString& file : files)
                if (!stop.stop_requested())
                    all.push_back(importFile(file, context, stop));
            return all;
        },
        files);
}

void ImportDesk::takeText(const QString& content) {
    if (content.trimmed().isEmpty()) {
        emit notice({BadgeKind::warn,
                     tr("There is no text to paste"),
                     tr("Copy %1 first.").arg(importableKinds()),
                     {}});
        return;
    }
    start(
        [utf8 = content.toStdString()](const ImportContext& context, const std::stop_token&) {
            return std::vector<Imported>{importText(utf8, ImportDesk::tr("pasted text"), context)};
        },
        {});
}

ImportContext ImportDesk::context() const {
    ImportContext out{document_.catalog(), userCatalog_, {}};
    const auto stored = data::documentsOf(session_.content(), data::DocumentKind::topology);
    // A scenario that is open is often the plan of what runs: its topology comes first.
    const auto& open = document_.spec().cluster.topology;
    for (const bool preferred : {true, false})
        for (const data::StoredDocument* each : stored)
            if ((open && each->name == *open) == preferred)
                out.topologies.emplace_back(each->name, each->json);
    return out;
}

void ImportDesk::start(Reader read, const QStringList& files) {
    ++running_;
    const std::stop_token stop = stopReading_.get_token();
    views::runFor(
        this, views::Work::waiting,
        [read = std::move(read), context = context(), stop] {
            std::vector<Imported> all = read(context, stop);
            placeJobs(all, context);
            return all;
        },
        [this, files, stop](const std::vector<Imported>& all) {
            --running_;
            if (stop.stop_requested())
                return;
            if (running_ == 0)
                reading_.end();
            take(all, files);
        });
    if (!files.isEmpty())
        reading_.begin(files.size() == 1 ? tr("Reading %1").arg(QFileInfo(files.first()).fileName())
                                         : tr("Reading %1 files").arg(files.size()));
}

void ImportDesk::take(const std::vector<Imported>& all, const QStringList& files) {
    if (!session_.isWritable() && files.size() == 1 &&
        !std::holds_alternative<ImportedWorkspace>(all.front().what) &&
        !std::holds_alternative<ImportedFleet>(all.front().what)) {
        emit openAsFile(files.first());
        return;
    }
    QStringList topologies;
    const QStringList added = add(all, topologies);
    const std::uint64_t change = session_.library().lastChange();
    QList<NoticeBar::Action> actions;
    if (topologies.size() == 1)
        actions.append(
            {tr("Use in the Open Scenario"), [this, name = topologies.first()] { emit useTopology(name); }});
    if (!added.isEmpty())
        actions.append({tr("Undo"), [this, change] { session_.library().takeBack(change); }});
    tell(all, added, actions);
    for (const Imported& each : all)
        if (const auto* model = std::get_if<ImportedModel>(&each.what))
            emit modelImported(model->model);
    for (const Imported& each : all) // one page for all: the last one would win
        if (const auto* fleet = std::get_if<ImportedFleet>(&each.what)) {
            emit openFleet(fleet->file, text(fleet->content));
            break;
        }
    // Last: it takes the place of the workspace that the rest went to.
    for (const Imported& each : all)
        if (const auto* workspace = std::get_if<ImportedWorkspace>(&each.what)) {
            emit openWorkspace(workspace->file);
            break;
        }
}

QStringList ImportDesk::add(const std::vector<Imported>& all, QStringList& topologies) {
    std::vector<Library::NewScenario> scenarios;
    std::vector<Library::NewDocument> documents;
    QStringList files, added;
    for (const Imported& each : all)
        if (const auto* scenario = std::get_if<ImportedScenario>(&each.what)) {
            scenarios.push_back({scenario->spec, each.name, tr("Imported from %1").arg(each.source)});
            files.append(each.source);
        } else if (const auto* document = std::get_if<ImportedDocument>(&each.what)) {
            const auto kind =
                document->isTopology ? data::DocumentKind::topology : data::DocumentKind::measurement;
            documents.push_back({kind, each.name, document->json, document->body});
            added.append(tr("%1 (%2)").arg(each.source, document->summary));
            if (!document->ofJob) // the hosts of a job come with its file
                files.append(each.source);
            if (document->isTopology && !document->ofJob)
                topologies.append(each.name);
        }
    if ((scenarios.empty() && documents.empty()) || !session_.isWritable()) {
        topologies.clear();
        return {};
    }
    const std::size_t count = scenarios.size();
    const QString words = files.size() == 1   ? (scenarios.empty() ? added.first() : files.first())
                          : documents.empty() ? tr("%1 scenarios").arg(count)
                                              : tr("%1 files").arg(files.size());
    views::WorkspaceIds ids = session_.library().add(
        std::move(scenarios), session_.library().folder(folder_) != nullptr ? folder_ : 0,
        std::move(documents), tr("import %1").arg(words));
    if (ids.empty()) {
        topologies.clear();
        return {};
    }
    ids.resize(count);
    if (ids.empty())
        return added;
    emit scenariosAdded(ids);
    added.prepend(count == 1 ? text(session_.library().scenario(ids.front())->name)
                             : tr("%1 scenarios").arg(count));
    return added;
}

void ImportDesk::tell(const std::vector<Imported>& all, const QStringList& added,
                      QList<NoticeBar::Action> actions) {
    QStringList refused, warnings;
    for (const Imported& each : all)
        if (const auto* document = std::get_if<ImportedDocument>(&each.what);
            document && !document->warning.isEmpty())
            warnings.append(document->warning);
        else if (const auto* scenario = std::get_if<ImportedScenario>(&each.what);
                 scenario && !scenario->note.isEmpty())
            warnings.append(scenario->note);
    for (const Imported& each : all)
        if (const auto* reason = std::get_if<RefusedImport>(&each.what))
            refused.append(reason->reason);
        else if (!session_.isWritable() && !std::holds_alternative<ImportedWorkspace>(each.what) &&
                 !std::holds_alternative<ImportedModel>(each.what) &&
                 !std::holds_alternative<ImportedFleet>(each.what))
            refused.append(tr("%1: the workspace is read-only; save a copy of it first").arg(each.source));
    if (refused.isEmpty() && added.isEmpty())
        return;
    WindowNotice said;
    said.kind = refused.isEmpty() ? BadgeKind::ok : added.isEmpty() ? BadgeKind::err : BadgeKind::warn;
    if (said.kind == BadgeKind::ok && !warnings.isEmpty())
        said.kind = BadgeKind::warn;
    said.sentence =
        added.isEmpty()
            ? tr("%1 not imported")
                  .arg(views::counted(static_cast<int>(refused.size()), tr("file was"), tr("files were")))
            : tr("Imported %1").arg(added.join(QStringLiteral(", ")));
    const qsizetype more = refused.size() - mostTold;
    said.detail = (warnings.mid(0, mostTold) + refused.mid(0, mostTold)).join(QLatin1Char('\n'));
    if (more > 0)
        said.detail += QLatin1Char('\n') + tr("and %1 more").arg(more);
    said.actions = std::move(actions);
    said.stays = said.kind == BadgeKind::err;
    emit notice(said);
}

} // namespace alidade::app
