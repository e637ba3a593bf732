// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_snapshots.h"

#include "app/window/live_later.h"
#include "data/file/write_file.h"
#include "data/json/file.h"
#include "data/observation/snapshot.h"
#include "data/workspace/workspace_writer.h"
#include "model/observation/slice.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/icons/icon.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QMenu>
#include <QPointer>

#include <mutex>

namespace alidade::app {

using views::LiveRequest;
using views::LiveSource;
using views::text;

namespace {

constexpr char snapshotSuffix[] = "alidade-snapshot";

QString momentText(double unix) {
    return QDateTime::fromSecsSinceEpoch(static_cast<qint64>(unix))
        .toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString nameOf(const Observation& observation) {
    const QString when = momentText(observation.grid.end());
    return observation.job.empty() ? when : QStringLiteral("%1, %2").arg(text(observation.job), when);
}

QString sizeWords(std::size_t bytes) {
    return views::quantity(static_cast<double>(bytes), Dimension::bytes, {.significant = 2});
}

} // namespace

/// One snapshot: its body is read when it is first asked for.
struct LiveSnapshots::Kept {
    std::string id, name;
    data::WorkspaceId document = 0;
    TimeGrid grid;
    std::mutex mutex;
    std::shared_ptr<const Observation> observation; ///< once it is read
};

LiveSnapshots::LiveSnapshots(views::Library& library, QWidget& window)
    : QObject(&window)
    , library_(library)
    , window_(window) {
    connect(&library, &views::Library::changed, this, &LiveSnapshots::changed);
    connect(&library, &views::Library::opened, this, [this] { kept_.clear(); });
}

LiveSnapshots::~LiveSnapshots() = default;

void LiveSnapshots::keep(const std::shared_ptr<const Observation>& observation) {
    if (!observation || isBusy())
        return;
    if (!library_.isWritable()) {
        emit failed(tr("The snapshot was not kept"),
                    tr("No workspace is open for writing; write the snapshot to a file instead."));
        return;
    }
    ++busy_;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const data::PackedSnapshot>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, observation] {
        watcher->deleteLater();
        --busy_;
        const std::shared_ptr<const data::PackedSnapshot> packed = watcher->result();
        const QString name = nameOf(*observation);
        const auto ids =
            library_.add(std::vector<views::Library::NewDocument>{{data::DocumentKind::snapshot, name,
                                                                   packed->json, packed->body}},
                         tr("keep the snapshot %1").arg(name));
        if (ids.empty()) {
            emit failed(tr("The snapshot was not kept"), tr("The workspace could not store it."));
            return;
        }
        emit said(tr("Snapshot kept, %1").arg(sizeWords(packed->body.size())));
    });
    watcher->setFuture(views::runOn(views::Work::waiting, [observation] {
        return std::make_shared<const data::PackedSnapshot>(data::packSnapshot(*observation));
    }));
}

void LiveSnapshots::openFile(const QString& file) {
    using Read = Result<Observation>;
    ++busy_;
    auto* watcher = new QFutureWatcher<std::shared_ptr<const Read>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, file] {
        watcher->deleteLater();
        --busy_;
        const std::shared_ptr<const Read> read = watcher->result();
        if (!*read) {
            emit failed(tr("%1 was not opened").arg(QFileInfo(file).fileName()), text(read->error()));
            return;
        }
        auto kept = std::make_shared<Kept>();
        kept->id = "file:" + file.toStdString();
        kept->name = QFileInfo(file).completeBaseName().toStdString();
        kept->observation = std::shared_ptr<const Observation>(read, &**read);
        kept->grid = kept->observation->grid;
        std::erase_if(files_, [&](const std::shared_ptr<Kept>& each) { return each->id == kept->id; });
        files_.push_back(kept);
        emit changed();
        emit opened(text(kept->id));
    });
    watcher->setFuture(
        views::runOn(views::Work::waiting, [name = file.toStdString()]() -> std::shared_ptr<const Read> {
            const Result<std::string> content = data::readFile(name, data::mostSnapshotBytes);
            if (!content)
                return std::make_shared<const Read>(Error{content.error()});
            return std::make_shared<const Read>(data::unpackSnapshot(*content));
        }));
}

void LiveSnapshots::writeFile(const std::shared_ptr<const Observation>& observation, const QString& file) {
    ++busy_;
    using Written = std::pair<QString, std::size_t>; // why not, and the bytes
    views::runFor(
        this, views::Work::waiting,
        [observation, file, pending = views::PendingWrite()]() -> Written {
            const std::string body = data::packSnapshot(*observation).body;
            return {views::text(data::writeFile(file.toStdString(), body)), body.size()};
        },
        [this, file](const Written& written) {
            --busy_;
            const auto& [error, size] = written;
            if (!error.isEmpty())
                emit failed(tr("%1 was not written").arg(QFileInfo(file).fileName()), error);
            else
                emit said(tr("Wrote %1, %2").arg(QFileInfo(file).fileName(), sizeWords(size)));
        });
}

LiveSource LiveSnapshots::sourceOf(const std::shared_ptr<Kept>& kept) {
    LiveSource source;
    source.id = kept->id;
    source.name = tr("Snapshot: %1").arg(text(kept->name)).toStdString();
    source.recorded = kept->grid;
    source.observe = [kept, self = QPointer<LiveSnapshots>(this)](
                         const LiveRequest& request, const std::stop_token& stop) -> Result<Observation> {
        const std::lock_guard lock(kept->mutex);
        if (!kept->observation) {
            using Body = data::WorkspaceReply<std::string>;
            const auto later = std::make_shared<Later<Body>>();
            // The writer lives with the window, on its thread.
            QMetaObject::invokeMethod(
                qApp,
                [self, later, id = kept->document] {
                    if (!self)
                        return later->set({});
                    self->library_.writer().readBody(id, [later](const Body& body) { later->set(body); });
                },
                Qt::QueuedConnection);
            const auto body = later->wait(stop);
            if (!body)
                return Error{"superseded"};
            if (!*body)
                return Error{body->fault.message.empty() ? "The snapshot is gone from the workspace."
                                                         : body->fault.message};
            Result<Observation> read = data::unpackSnapshot(*body->value);
            if (!read)
                return read;
            kept->observation = std::make_shared<const Observation>(*std::move(read));
        }
        return sliceOf(*kept->observation, request.grid.start, request.grid.end());
    };
    return source;
}

std::vector<LiveSource> LiveSnapshots::sources() {
    std::vector<LiveSource> out;
    for (const std::shared_ptr<Kept>& each : files_)
        out.push_back(sourceOf(each));
    std::map<data::WorkspaceId, std::shared_ptr<Kept>> still;
    for (const data::StoredDocument* each :
         data::documentsOf(library_.content(), data::DocumentKind::snapshot)) {
        auto& kept = still[each->id];
        if (const auto before = kept_.find(each->id); before != kept_.end())
            kept = before->second;
        if (!kept) {
            const auto summary = data::readSnapshotSummary(each->json);
            if (!summary) {
                still.erase(each->id);
                continue;
            }
            kept = std::make_shared<Kept>();
            kept->document = each->id;
            kept->id = "snapshot:" + std::to_string(each->id);
            kept->grid = summary->grid;
        }
        kept->name = each->name;
        out.push_back(sourceOf(kept));
    }
    kept_ = std::move(still);
    return out;
}

void LiveSnapshots::showMenu(const QPoint& globalPosition,
                             const std::shared_ptr<const Observation>& present) {
    auto* menu = new QMenu(&window_);
    menu->setObjectName(QStringLiteral("snapshots"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [id, each] : kept_)
        connect(menu->addAction(text(each->name)), &QAction::triggered, this,
                [this, source = text(each->id)] { emit opened(source); });
    if (kept_.empty())
        menu->addAction(tr("No snapshot is kept in this workspace"))->setEnabled(false);
    menu->addSeparator();
    connect(menu->addAction(views::icon(QLatin1StringView("open")), tr("From a File…")), &QAction::triggered,
            this, &LiveSnapshots::askFile);
    QAction* write =
        menu->addAction(views::icon(QLatin1StringView("export")), tr("Save the Current View to a File…"));
    write->setEnabled(present != nullptr);
    connect(write, &QAction::triggered, this, [this, present] { askExport(present); });
    menu->popup(globalPosition);
}

void LiveSnapshots::askFile() {
    auto* dialog = new QFileDialog(&window_, tr("Open a snapshot"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Snapshots (*.%1)").arg(QLatin1String(snapshotSuffix)), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, &LiveSnapshots::openFile);
    dialog->open();
}

void LiveSnapshots::askExport(const std::shared_ptr<const Observation>& present) {
    auto* dialog = new QFileDialog(&window_, tr("Write the snapshot"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QLatin1String(snapshotSuffix));
    dialog->selectFile(QStringLiteral("cluster.") + QLatin1String(snapshotSuffix));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, present](const QString& file) { writeFile(present, file); });
    dialog->open();
}

} // namespace alidade::app
