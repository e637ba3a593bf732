// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/fleet_desk.h"

#include "app/window/save_question.h"
#include "app/window/settings.h"
#include "app/window/workspace_session.h"
#include "data/file/write_file.h"
#include "data/workspace/entities.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/fleet/fleet_view.h"

#include <QDataStream>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QIODevice>
#include <QMessageBox>
#include <QScopedValueRollback>

namespace alidade::app {

using views::BadgeKind;
using views::FleetDocument;
using views::text;

namespace {

/// Raised when the record changes; an older one is then passed over.
constexpr qint32 recordFormat = 1;

/// What a workspace remembers of the Fleet page.
struct Record {
    QString fileName; ///< empty: none
    QString path;     ///< that names in the document are relative to
    QByteArray document;
    bool isModified = false;
};

QByteArray packed(const Record& record) {
    QByteArray out;
    QDataStream stream(&out, QIODevice::WriteOnly);
    stream << recordFormat << record.fileName << record.path << record.document << record.isModified;
    return out.toBase64();
}

/// Without a document if there is none.
Record unpacked(const QByteArray& bytes) {
    QDataStream stream(QByteArray::fromBase64(bytes));
    qint32 format = 0;
    Record out;
    stream >> format >> out.fileName >> out.path >> out.document >> out.isModified;
    return stream.status() == QDataStream::Ok && format == recordFormat ? out : Record();
}

QString fleetFilter() { return FleetDesk::tr("Fleets (*.json);;All files (*)"); }

} // namespace

FleetDesk::FleetDesk(views::FleetView& view, WorkspaceSession& session, Settings& settings, QWidget& window)
    : QObject(&window)
    , view_(view)
    , session_(session)
    , settings_(settings)
    , window_(window) {
    FleetDocument* fleet = view.fleet();
    connect(&view, &views::FleetView::openRequested, this, &FleetDesk::askOpen);
    connect(&view, &views::FleetView::sampleRequested, this, [this] { openSample({}); });
    connect(&view, &views::FleetView::saveRequested, this, [this] { save(); });
    connect(&view, &views::FleetView::fileRead, this, &FleetDesk::fileOpened);
    connect(&view, &views::FleetView::notRead, this, [this] { isAsked_ = false; });
    connect(fleet, &FleetDocument::opened, this, [this] { isAsked_ = false; });
    connect(fleet, &FleetDocument::changed, this, &FleetDesk::keep);
    connect(fleet, &FleetDocument::stateChanged, this, [this, fleet] {
        input_.name(fleet->fileName().toStdString(), tr("the open fleet").toStdString());
        keep();
    });
    connect(&session, &WorkspaceSession::opened, this, &FleetDesk::restore);
}

void FleetDesk::show() {
    isAsked_ = true;
    emit showPage(view_.objectName());
}

void FleetDesk::askOpen() {
    settle([this] {
        auto* dialog = new QFileDialog(&window_, tr("Open a fleet"), settings_.folder, fleetFilter());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, &FleetDesk::openFile);
        dialog->open();
    });
}

void FleetDesk::openFile(const QString& fileName) {
    settle([this, fileName] {
        const QFileInfo info(fileName);
        settings_.folder = info.absolutePath();
        show();
        view_.openFile(info.absoluteFilePath());
    });
}

void FleetDesk::openText(const QString& content) {
    settle([this, content] {
        show();
        view_.open({.name = tr("The pasted fleet"), .read = [utf8 = content.toStdString()] {
                        return data::readFleet(utf8, FleetDesk::tr("pasted text").toStdString());
                    }});
    });
}

void FleetDesk::openSample(const QString& id) {
    settle([this, id] {
        show();
        view_.openSample(id);
    });
}

void FleetDesk::save(const std::function<void()>& then) {
    if (!view_.commit())
        return;
    if (view_.fleet()->fileName().isEmpty())
        askSaveAs(then);
    else
        saveTo(view_.fleet()->fileName(), then);
}

void FleetDesk::askSaveAs(const std::function<void()>& then) {
    if (!view_.commit())
        return;
    QString proposal = view_.fleet()->fileName();
    if (proposal.isEmpty())
        proposal = QDir(settings_.folder).absoluteFilePath(tr("fleet") + QStringLiteral(".json"));
    auto* dialog = new QFileDialog(&window_, tr("Save the fleet as"), proposal, fleetFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(proposal);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, then](const QString& fileName) { saveTo(fileName, then); });
    dialog->open();
}

void FleetDesk::saveTo(const QString& fileName, const std::function<void()>& then) {
    FleetDocument* fleet = view_.fleet();
    const QString path = QFileInfo(fileName).absoluteFilePath();
    ++saving_;
    views::runFor(
        this, views::Work::waiting,
        [path, read = fleet->asRead(), edited = fleet->file(), own = input_.id(),
         pending = views::PendingWrite()] {
            const std::string document = data::writeFleet(read, edited, path.toStdString());
            return data::writeFile(path, QByteArray::fromStdString(document), {.own = own});
        },
        [this, fleet, path, document = fleet->document(), opening = fleet->opening(),
         then](const QString& fault) {
            --saving_;
            if (!fault.isEmpty()) {
                emit notice({BadgeKind::err,
                             tr("%1 was not saved").arg(QFileInfo(path).fileName()),
                             path + QStringLiteral(": ") + fault,
                             {}});
                return;
            }
            settings_.folder = QFileInfo(path).absolutePath();
            if (opening == fleet->opening())
                fleet->setSaved(path, document);
            emit saved(path);
            emit fileOpened(path);
            if (then)
                then();
        });
}

void FleetDesk::settle(const std::function<void()>& then) {
    FleetDocument* fleet = view_.fleet();
    view_.commit();
    if (!fleet->isModified()) {
        then();
        return;
    }
    if (question_ != nullptr)
        return; // it is being asked already
    question_ = openSaveQuestion(tr("Save the changes to the fleet %1?").arg(fleet->displayName()), window_);
    connect(question_, &QMessageBox::finished, this, [this, then](int answer) {
        question_ = nullptr;
        if (answer == QMessageBox::Save)
            save(then);
        else if (answer == QMessageBox::Discard)
            then();
    });
}

void FleetDesk::settleForClosing(const std::function<void()>& then) {
    view_.commit();
    if (isKept_)
        then();
    else
        settle(then);
}

bool FleetDesk::canKeep() const { return session_.isWritable() && !otherIsKept_; }

/// An unmodified file is named only, and read again.
void FleetDesk::keep() {
    if (restoring_)
        return;
    const FleetDocument& fleet = *view_.fleet();
    isKept_ = !fleet.isOpen() || canKeep();
    if (!canKeep())
        return;
    Record record;
    if (fleet.isOpen()) {
        record = {.fileName = fleet.fileName(),
                  .path = text(fleet.asRead().path),
                  .document = QByteArray::fromStdString(fleet.document()),
                  .isModified = fleet.isModified()};
        if (!record.isModified && !record.fileName.isEmpty())
            record.document.clear();
    }
    session_.keepSetting(data::setting::fleet, packed(record));
}

/// What was opened before the workspace was there stays.
void FleetDesk::restore() {
    if (isAsked_)
        return;
    const Record record = unpacked(session_.setting(data::setting::fleet));
    otherIsKept_ = false;
    if (!isKept_) {
        otherIsKept_ = record.isModified;
        keep();
        return;
    }
    {
        const QScopedValueRollback guard(restoring_, true);
        view_.close(); // the fleet of the workspace before, also where this one's cannot be read
    }
    if (record.document.isEmpty() && record.fileName.isEmpty())
        return;
    views::FleetSource source{.name = record.fileName.isEmpty() ? tr("The fleet of the workspace")
                                                                : QFileInfo(record.fileName).fileName(),
                              .fileName = record.fileName,
                              .read = {},
                              .isModified = record.isModified,
                              .isShown = false};
    if (record.document.isEmpty())
        source.read = views::readingOf(record.fileName);
    else
        source.read = [utf8 = record.document.toStdString(), path = record.path.toStdString()] {
            return data::readFleet(utf8, path);
        };
    view_.open(source);
}

} // namespace alidade::app
