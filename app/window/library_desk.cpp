// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/library_desk.h"

#include "app/window/file_session.h"
#include "app/window/scenario_files.h"
#include "app/window/settings.h"
#include "app/window/version_bar.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/icons/icon.h"
#include "views/library/folder_tree.h"
#include "views/library/library_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QUndoStack>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace alidade::app {

using views::BadgeKind;
using views::text;

namespace {

/// Dropped text that is longer is not a configuration.
constexpr qsizetype longestText = 4 << 20;

// What precedes the colon of data::setting::openDocument.
const QByteArray scenarioRecord = QByteArrayLiteral("scenario:");
const QByteArray sampleRecord = QByteArrayLiteral("sample:");
const QByteArray fileRecord = QByteArrayLiteral("file:");
const QByteArray blankRecord = QByteArrayLiteral("blank:");
const QByteArray shownRecord = QByteArrayLiteral("shown:");

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    return files;
}

} // namespace

LibraryDesk::LibraryDesk(views::Document& document, FileSession& files, Settings& settings, QWidget& window)
    : document_(document)
    , files_(files)
    , settings_(settings)
    , window_(window)
    , session_(settings, window)
    , history_(session_.writer())
    , keeper_(document, session_.library(), history_)
    , imports_(session_, document, settings, window)
    , shelf_(document, session_.library())
    , page_(new views::LibraryView(&document, &session_.library()))
    , versions_(new VersionBar) {
    page_->setObjectName(QStringLiteral("library"));
    makePage();
    connectParts();
}

LibraryDesk::~LibraryDesk() { keeper_.flush(); }

void LibraryDesk::makePage() {
    connect(page_, &views::LibraryView::openScenario, this, &LibraryDesk::openScenario);
    connect(page_, &views::LibraryView::openSample, &files_, &FileSession::openSample);
    connect(page_, &views::LibraryView::startNew, &files_, &FileSession::startNew);
    connect(page_, &views::LibraryView::importFiles, &imports_, &ImportDesk::askFiles);
    connect(page_, &views::LibraryView::paste, this, &LibraryDesk::paste);
    connect(page_, &views::LibraryView::exportScenario, this, &LibraryDesk::exportAs);
    connect(page_, &views::LibraryView::useTopology, this, &LibraryDesk::useTopology);
    connect(page_, &views::LibraryView::removed, this, &LibraryDesk::tellRemoved);
    connect(page_->folders(), &views::FolderTree::placeChanged, this,
            [this] { imports_.setFolder(page_->targetFolder()); });
    connect(versions_, &VersionBar::named, this, [this](const QString& name) {
        if (keeper_.nameVersion(name))
            emit notice(
                {BadgeKind::ok, tr("Kept as “%1”").arg(name), tr("You can restore it from History."), {}});
    });
}

void LibraryDesk::connectParts() {
    connect(&session_, &WorkspaceSession::aboutToLeave, &keeper_, [this] {
        keeper_.flush();
        keepOpenDocument();
        wanted_ = keeper_.scenario();
    });
    connect(&session_, &WorkspaceSession::opened, this, &LibraryDesk::workspaceOpened);
    connect(&session_, &WorkspaceSession::notice, this, &LibraryDesk::notice);
    connect(&imports_, &ImportDesk::notice, this, &LibraryDesk::notice);
    connect(&imports_, &ImportDesk::modelImported, this, &LibraryDesk::modelImported);
    connect(&imports_, &ImportDesk::openWorkspace, this,
            [this](const QString& file) { files_.settle([this, file] { session_.open(file); }); });
    connect(&imports_, &ImportDesk::openAsFile, &files_, &FileSession::openFile);
    connect(&imports_, &ImportDesk::scenariosAdded, this, [this](const views::WorkspaceIds& ids) {
        page_->showScenarios(ids);
        if (ids.size() == 1)
            openScenario(ids.front());
        else
            emit showPage(QStringLiteral("library"));
    });
    connect(&imports_, &ImportDesk::useTopology, this, &LibraryDesk::useTopology);
    connect(&files_, &FileSession::opened, this, &LibraryDesk::fileOpened);
    connect(&files_, &FileSession::workspaceChosen, &session_, &WorkspaceSession::open);
    connect(&keeper_, &ScenarioKeeper::opened, this, &LibraryDesk::scenarioOpened);
    connect(&keeper_, &ScenarioKeeper::changed, this, [this] {
        page_->setOpenScenario(keeper_.scenario());
        if (keeper_.scenario() != 0)
            keepOpenDocument();
    });
    connect(&shelf_, &TopologyShelf::refused, this, [this](const QString& reason) {
        emit notice({BadgeKind::warn, tr("The topology of this scenario is missing"), reason, {}});
    });
    connect(&keeper_, &ScenarioKeeper::refused, this, [this](const QString& reason) {
        emit notice({BadgeKind::err, tr("The edit was not kept"), reason, {}});
    });
}

void LibraryDesk::workspaceOpened(bool isCopy) {
    ++workspaces_;
    awaited_.clear();
    hasArrived(arrive(isCopy));
}

void LibraryDesk::hasArrived(Arrival arrival) {
    arrival_ = arrival;
    if (arrival_ == Arrival::nothing && !isFirstWorkspace()) {
        files_.startNew();
        emit showPage(page_->objectName());
    }
}

/// What was open when the workspace was last used comes back, unless a person has opened something else.
LibraryDesk::Arrival LibraryDesk::arrive(bool isCopy) {
    const bool adrift = std::exchange(isAdrift_, false);
    if (isCopy && wanted_ != 0) {
        keeper_.resume(wanted_);
        return Arrival::kept;
    }
    if (!document_.fileName().isEmpty() || document_.isModified() || files_.isBusy())
        return Arrival::kept;
    if (adrift) {
        fileOpened();
        return Arrival::kept;
    }
    return restoreDocument();
}

/// "scenario:12", "sample:ID", "file:PATH", or the scenario itself where it is kept nowhere.
QByteArray LibraryDesk::documentRecord() const {
    if (keeper_.scenario() != 0)
        return scenarioRecord + QByteArray::number(static_cast<qlonglong>(keeper_.scenario()));
    if (!awaited_.isEmpty())
        return fileRecord + awaited_.toUtf8();
    if (!document_.fileName().isEmpty())
        return fileRecord + document_.fileName().toUtf8();
    if (files_.origin() == FileSession::Origin::none)
        return {};
    if (files_.origin() == FileSession::Origin::sample)
        return sampleRecord + files_.sample().toUtf8();
    const bool blank = files_.origin() == FileSession::Origin::blank;
    return (blank ? blankRecord : shownRecord) +
           QByteArray::fromStdString(data::writeScenario(document_.spec()));
}

void LibraryDesk::keepOpenDocument() {
    if (keeper_.scenario() != 0)
        session_.keepSetting(data::setting::openScenario,
                             QByteArray::number(static_cast<qlonglong>(keeper_.scenario())));
    session_.keepSetting(data::setting::openDocument, documentRecord());
}

/// Nothing: nothing was open, or it is not there any more.
LibraryDesk::Arrival LibraryDesk::restoreDocument() {
    const auto isThere = [](bool found) { return found ? Arrival::restored : Arrival::nothing; };
    QByteArray record = session_.setting(data::setting::openDocument);
    if (record.isEmpty())
        record = scenarioRecord + session_.setting(data::setting::openScenario);
    const auto rest = [&record](const QByteArray& kind) { return record.mid(kind.size()); };
    if (record.startsWith(scenarioRecord)) {
        const data::WorkspaceId id = rest(scenarioRecord).toLongLong();
        if (session_.library().scenario(id) != nullptr)
            openScenario(id);
        return isThere(keeper_.scenario() != 0 && keeper_.scenario() == id);
    }
    if (record.startsWith(sampleRecord)) {
        const QString id = QString::fromUtf8(rest(sampleRecord));
        if (!data::sampleScenarioText(id.toStdString()))
            return Arrival::nothing;
        files_.openSample(id);
        return isThere(files_.sample() == id);
    }
    if (record.startsWith(fileRecord)) {
        const QString name = QString::fromUtf8(rest(fileRecord));
        restoreFile(name);
        return Arrival::awaited;
    }
    for (const auto& [kind, origin] : {std::pair{blankRecord, FileSession::Origin::blank},
                                       std::pair{shownRecord, FileSession::Origin::shown}})
        if (record.startsWith(kind))
            if (const auto spec = data::readScenario(rest(kind).toStdString(), "workspace")) {
                files_.openSpec(*spec, origin);
                return Arrival::restored;
            }
    return Arrival::nothing;
}

void LibraryDesk::restoreFile(const QString& name) {
    awaited_ = name;
    files_.openFileOr(name, [this, name](const LoadedFile& file) {
        if (std::exchange(awaited_, {}) != name)
            return;
        emit notice({BadgeKind::warn,
                     file.isMissing ? tr("%1 is no longer there").arg(QFileInfo(name).fileName())
                                    : tr("%1 cannot be opened").arg(QFileInfo(name).fileName()),
                     file.isMissing ? tr("Last open scenario: %1").arg(name) : file.fault,
                     {}});
        hasArrived(Arrival::nothing);
        emit arrived();
    });
}

void LibraryDesk::openScenario(data::WorkspaceId scenario) {
    files_.settle([this, scenario] {
        const data::StoredScenario* stored = session_.library().scenario(scenario);
        const QString name = stored != nullptr ? text(stored->name) : tr("The scenario");
        if (const QString reason = keeper_.open(scenario); !reason.isEmpty())
            emit notice({BadgeKind::err, tr("%1 cannot be opened").arg(name), reason, {}});
    });
}

/// What comes from elsewhere and has no separate file goes into the library.
void LibraryDesk::fileOpened() {
    if (const QString name = std::exchange(awaited_, {}); !name.isEmpty()) {
        arrival_ = name == document_.fileName() ? Arrival::restored : Arrival::kept;
        QMetaObject::invokeMethod(this, &LibraryDesk::arrived,
                                  Qt::QueuedConnection); // after its page is shown
    }
    isAdrift_ = !session_.isOpen();
    switch (files_.origin()) {
    case FileSession::Origin::none:
        return;
    case FileSession::Origin::file:
        shelf_.attachToFile();
        break;
    case FileSession::Origin::sample:
        keeper_.adopt(tr("Copy of a sample"));
        break;
    case FileSession::Origin::blank:
        keeper_.adopt(tr("Begun"));
        break;
    case FileSession::Origin::shown:
        keeper_.adopt(tr("Copy of a published run"));
        break;
    case FileSession::Origin::planned:
        keeper_.adopt(tr("Planned"));
        keeper_.keepNow(page_->targetFolder(), tr("Planned"));
        break;
    }
    keepOpenDocument();
}

void LibraryDesk::save() {
    if (!keeper_.keeps()) {
        files_.save();
        return;
    }
    versions_->ask(history_.freeVersionName());
}

void LibraryDesk::addToLibrary() {
    if (!session_.isWritable() || keeper_.scenario() != 0)
        return;
    const QString from = QFileInfo(document_.fileName()).fileName();
    const QString name = document_.displayName();
    document_.setSaved({}); // it is no longer the file's
    document_.rename(name);
    const data::WorkspaceId id =
        keeper_.keepNow(page_->targetFolder(), from.isEmpty() ? tr("Added") : tr("Added from %1").arg(from));
    if (id != 0)
        emit notice({BadgeKind::ok,
                     tr("%1 is in the library").arg(document_.displayName()),
                     from.isEmpty() ? QString() : tr("%1 stays as it is.").arg(from),
                     {}});
}

QList<std::pair<QString, data::WorkspaceId>> LibraryDesk::latest(int count) const {
    std::vector<const data::StoredScenario*> all;
    for (const auto& [id, each] : session_.content().scenarios)
        if (each.deletedMs == 0 && id != keeper_.scenario())
            all.push_back(&each);
    std::ranges::sort(all, std::ranges::greater(), &data::StoredScenario::changedMs);
    QList<std::pair<QString, data::WorkspaceId>> names;
    for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(count); ++i)
        names.append({text(all[i]->name), all[i]->id});
    return names;
}

void LibraryDesk::addWorkspaceActions(QMenu* menu) {
    QMenu* workspace = menu->addMenu(views::icon(QLatin1StringView("library")), tr("&Workspace"));
    workspace->addAction(tr("&New Workspace…"), &session_, &WorkspaceSession::askNew);
    workspace->addAction(tr("&Open Workspace…"), this,
                         [this] { files_.settle([this] { session_.askOpen(); }); });
    workspace->addAction(tr("Open the &Personal Workspace"), this,
                         [this] { files_.settle([this] { session_.openPersonal(); }); });
    QAction* copy = workspace->addAction(tr("Save a &Copy…"), &session_, &WorkspaceSession::askSaveCopy);
    connect(workspace, &QMenu::aboutToShow, copy, [this, copy] { copy->setEnabled(session_.isOpen()); });
    QAction* import = menu->addAction(tr("&Import…"), &imports_, &ImportDesk::askFiles);
    import->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_I));
    QAction* add = menu->addAction(tr("Add to &Library"), this, &LibraryDesk::addToLibrary);
    const auto renew = [this, add] { add->setEnabled(session_.isWritable() && !keeper_.keeps()); };
    connect(&keeper_, &ScenarioKeeper::changed, add, renew);
    connect(&session_, &WorkspaceSession::stateChanged, add, renew);
    connect(&document_, &views::Document::fileNameChanged, add, renew);
    renew();
}

void LibraryDesk::paste() { take(QApplication::clipboard()->mimeData()); }

bool LibraryDesk::canTake(const QMimeData* data) {
    return !localFiles(data).isEmpty() ||
           (!data->hasUrls() && data->text().trimmed().startsWith(QLatin1Char('{')));
}

void LibraryDesk::take(const QMimeData* data) {
    if (data == nullptr)
        return;
    if (const QStringList files = localFiles(data); !files.isEmpty())
        imports_.takeFiles(files);
    else
        imports_.takeText(data->text().left(longestText));
}

void LibraryDesk::exportScenario() {
    exportAs(document_.displayName(), QByteArray::fromStdString(data::writeScenario(document_.spec())));
}

void LibraryDesk::exportAs(const QString& name, const QByteArray& json) {
    const QString proposal =
        QDir(settings_.folder)
            .filePath(QString(name).replace(QLatin1Char('/'), QLatin1Char('-')) + QStringLiteral(".json"));
    auto* dialog =
        new QFileDialog(&window_, tr("Write the scenario to a file"), proposal, tr("Scenarios (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this, [this, json](const QString& fileName) {
        settings_.folder = QFileInfo(fileName).absolutePath();
        const QString shown = QFileInfo(fileName).fileName();
        const Result<ScenarioSpec> spec = data::readScenario(json.toStdString(), fileName.toStdString());
        ScenarioFiles files = spec ? scenarioFiles(*spec, document_.catalog().get()) : ScenarioFiles();
        if (files.beside.empty())
            files.scenario = json; // as it is kept
        views::runFor(
            this, views::Work::waiting,
            [fileName, files, pending = views::PendingWrite()] {
                return writeScenarioFiles(fileName, files);
            },
            [this, shown](const QString& fault) {
                if (fault.isEmpty())
                    emit notice({BadgeKind::ok, tr("Wrote %1").arg(shown), {}, {}});
                else
                    emit notice({BadgeKind::err, tr("%1 was not written").arg(shown), fault, {}});
            });
    });
    dialog->open();
}

void LibraryDesk::tellRemoved(const QString& what, std::uint64_t change, bool isTopology) {
    emit notice({BadgeKind::neutral,
                 tr("Deleted %1").arg(what),
                 tr("It can be restored from the trash for 30 days."),
                 {{tr("Undo"), [this, change] { session_.library().takeBack(change); }}}});
    if (isTopology)
        emit topologyRemoved();
}

} // namespace alidade::app
