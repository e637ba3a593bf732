// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace_session.h"

#include "app/window/settings.h"
#include "data/json/file.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include <utility>

namespace alidade::app {

using data::WorkspaceFault;
using views::BadgeKind;
using views::text;
using Access = data::WorkspaceOptions::Access;

namespace {

constexpr char workspaceSuffix[] = "alidade";
constexpr int againMilliseconds = 15'000;
/// What was deleted before that is taken away for good when the workspace is opened.
constexpr data::UtcMs deletedKeptMs = 30LL * 24 * 3600 * 1000;

QString workspaceFilter() {
    return WorkspaceSession::tr("Workspaces (*.%1)").arg(QLatin1String(workspaceSuffix));
}

QString shownName(const QString& file) { return QFileInfo(file).fileName(); }

} // namespace

bool hasWorkspaceName(const QString& file) {
    return QFileInfo(file).suffix().compare(QLatin1String(workspaceSuffix), Qt::CaseInsensitive) == 0;
}

bool looksLikeWorkspace(const QString& file) {
    if (hasWorkspaceName(file))
        return true;
    constexpr std::string_view magic = "SQLite format 3";
    const Result<std::string> start = data::readFileStart(file.toStdString(), magic.size());
    return start && *start == magic;
}

WorkspaceSession::WorkspaceSession(Settings& settings, QWidget& window)
    : settings_(settings)
    , window_(window)
    , library_(writer_) {
    again_.setInterval(againMilliseconds);
    connect(&again_, &QTimer::timeout, this, &WorkspaceSession::retry);
    connect(&writer_, &data::WorkspaceWriter::changed, this, &WorkspaceSession::stateChanged);
    connect(&writer_, &data::WorkspaceWriter::opened, this,
            [this] { input_.name(writer_.file(), tr("the open workspace").toStdString()); });
    connect(&writer_, &data::WorkspaceWriter::committed, this, &WorkspaceSession::stateChanged);
    connect(&writer_, &data::WorkspaceWriter::settled, this, &WorkspaceSession::hasSettled);
    connect(&writer_, &data::WorkspaceWriter::failed, this, &WorkspaceSession::tellFailed);
}

WorkspaceSession::~WorkspaceSession() = default;

QString WorkspaceSession::file() const { return isOpen() ? text(writer_.file()) : QString(); }

QString WorkspaceSession::name() const {
    if (!isOpen())
        return {};
    if (!personal_.isEmpty() && QFileInfo(file()) == QFileInfo(personal_))
        return tr("Personal");
    return QFileInfo(file()).completeBaseName();
}

void WorkspaceSession::openUsual() {
    if (!settings_.workspace.isEmpty() && settings_.workspace != personal_)
        openAs(settings_.workspace, Access::write, [this] { openPersonal(); });
    else
        openPersonal();
}

void WorkspaceSession::openOrUsual(const QString& file) {
    openAs(QFileInfo(file).absoluteFilePath(), Access::write, [this] { openUsual(); });
}

void WorkspaceSession::openPersonal() {
    if (personal_.isEmpty())
        return;
    QDir().mkpath(QFileInfo(personal_).absolutePath());
    openAs(personal_, Access::create, {});
}

void WorkspaceSession::open(const QString& file) {
    openAs(QFileInfo(file).absoluteFilePath(), Access::write, {});
}

void WorkspaceSession::create(const QString& file) {
    if (QFileInfo::exists(file)) {
        emit notice({BadgeKind::err,
                     tr("%1 was not made").arg(shownName(file)),
                     tr("%1 already exists; choose another name, or open it").arg(file),
                     {}});
        return;
    }
    openAs(QFileInfo(file).absoluteFilePath(), Access::create, {});
}

/// \param otherwise run after the fault was told
void WorkspaceSession::openAs(const QString& file, Access access, const std::function<void()>& otherwise) {
    emit aboutToLeave();
    opening_ = true;
    emit stateChanged();
    data::WorkspaceOptions options;
    options.access = access;
    writer_.open(file.toStdString(), options,
                 [this, file, otherwise](const std::optional<WorkspaceFault>& fault) {
                     opening_ = false;
                     if (!fault) {
                         hasOpened();
                         return;
                     }
                     copying_ = false;
                     emit stateChanged();
                     if (otherwise)
                         otherwise();
                     tellFault(file, *fault);
                 });
}

void WorkspaceSession::hasOpened() {
    wasTold_ = false;
    again_.stop();
    settings_.workspace = file();
    if (file() != personal_) {
        settings_.addRecent(file());
        emit recentChanged();
    }
    settings_.save();
    if (isWritable()) {
        const data::WorkspaceEdit old = data::purgeDeleted(content(), views::utcNow() - deletedKeptMs);
        if (!old.changes.empty())
            std::ignore = writer_.commit(old);
    }
    emit opened(std::exchange(copying_, false));
    emit stateChanged();
    const QString said = text(writer_.notice());
    if (said.isEmpty())
        return;
    if (writer_.isReadOnly())
        emit notice({BadgeKind::warn,
                     tr("%1 is open read-only").arg(name()),
                     said,
                     {{tr("Save a Copy…"), [this] { askSaveCopy(); }}}});
    else
        emit notice({BadgeKind::ok, name(), said, {}});
}

void WorkspaceSession::tellFault(const QString& file, const WorkspaceFault& fault) {
    if (fault.kind == WorkspaceFault::Kind::damaged) {
        tellDamaged(file, fault);
        return;
    }
    WindowNotice said{
        BadgeKind::err, tr("%1 cannot be opened").arg(shownName(file)), text(fault.message), {}, true};
    if (fault.kind == WorkspaceFault::Kind::busy || fault.kind == WorkspaceFault::Kind::io ||
        fault.kind == WorkspaceFault::Kind::full)
        said.actions.append({tr("Try Again"), [this, file] { open(file); }});
    emit notice(said);
}

/// Nothing is done to the file before a person has chosen.
void WorkspaceSession::tellDamaged(const QString& file, const WorkspaceFault& fault) {
    const auto tell = [this, file, fault](const std::vector<std::string>& backups) {
        WindowNotice said{BadgeKind::err,
                          tr("%1 is damaged").arg(shownName(file)),
                          text(fault.message),
                          {{tr("Open a Repaired Copy"), [this, file] { repair(file); }}},
                          true,
                          true};
        if (!backups.empty()) {
            const QString newest = text(backups.front());
            said.actions.append({tr("Open the Backup of %1")
                                     .arg(QFileInfo(newest).lastModified().date().toString(Qt::ISODate)),
                                 [this, newest] { open(newest); }});
        }
        emit notice(said);
    };
    views::runFor(
        this, views::Work::waiting, [name = file.toStdString()] { return data::backupsOf(name); }, tell);
}

void WorkspaceSession::repair(const QString& file) {
    const auto take = [this, file](const data::WorkspaceReply<data::Recovery>& reply) {
        if (!reply) {
            emit notice({BadgeKind::err,
                         tr("%1 could not be repaired").arg(shownName(file)),
                         text(reply.fault.message),
                         {}});
            return;
        }
        const data::Recovery& found = *reply.value;
        QStringList kept, lost;
        for (const std::string& each : found.kept)
            kept.append(text(each));
        for (const std::string& each : found.lost)
            lost.append(text(each));
        QString detail = tr("Found: %1. The damaged file is kept as %2.")
                             .arg(kept.isEmpty() ? tr("nothing") : kept.join(QStringLiteral(", ")),
                                  shownName(text(found.damagedFile)));
        if (!lost.isEmpty())
            detail += QLatin1Char(' ') + tr("Lost: %1.").arg(lost.join(QStringLiteral("; ")));
        open(text(found.file));
        emit notice({lost.isEmpty() ? BadgeKind::ok : BadgeKind::warn,
                     tr("%1 was repaired").arg(shownName(file)),
                     detail,
                     {}});
    };
    views::runFor(
        this, views::Work::waiting, [name = file.toStdString()] { return data::recover(name); }, take);
}

void WorkspaceSession::tellFailed(const WorkspaceFault& fault) {
    using Kind = WorkspaceFault::Kind;
    emit stateChanged();
    const bool mayPass = fault.kind == Kind::full || fault.kind == Kind::busy || fault.kind == Kind::io;
    if (mayPass)
        again_.start();
    if (!wasTold_ || !mayPass || afterSettling_) {
        WindowNotice said{
            BadgeKind::err,
            tr("%1 could not be written").arg(name()),
            text(fault.message) + QLatin1Char(' ') +
                tr("Nothing is lost: %1 not saved yet.")
                    .arg(views::counted(static_cast<int>(writer_.pending()), tr("edit is"), tr("edits are"))),
            {{tr("Try Again"), [this] { retry(); }}, {tr("Save a Copy…"), [this] { askSaveCopy(); }}},
            true};
        if (fault.kind == Kind::replaced)
            said.actions.append({tr("Reload from Disk"), [this] { reopen(); }});
        emit notice(said);
    }
    wasTold_ = true;
    if (afterSettling_)
        askAboutLoss();
}

/// Gives up what is not on the disk.
void WorkspaceSession::reopen() {
    const QString present = file();
    writer_.reopen([this, present](const std::optional<WorkspaceFault>& fault) {
        if (fault)
            tellFault(present, *fault);
        else
            hasOpened();
    });
}

void WorkspaceSession::hasSettled() {
    again_.stop();
    emit stateChanged();
    if (std::exchange(wasTold_, false))
        emit notice({BadgeKind::ok, tr("%1 is saved again").arg(name()), tr("Every edit was written."), {}});
    if (afterSettling_)
        std::exchange(afterSettling_, {})();
}

void WorkspaceSession::settle(std::function<void()> then) {
    emit aboutToLeave();
    if (writer_.pending() == 0) {
        then();
        return;
    }
    afterSettling_ = std::move(then);
    if (writer_.fault())
        askAboutLoss();
}

void WorkspaceSession::askAboutLoss() {
    if (question_ != nullptr)
        return;
    question_ = new QMessageBox(
        QMessageBox::Warning, tr("Edits are not saved"),
        tr("The last edits of %1 could not be written.").arg(name()),
        QMessageBox::Retry | QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
    question_->button(QMessageBox::Save)->setText(tr("Save a Copy…"));
    question_->setInformativeText(
        tr("%1\nWithout them the workspace stays as it was before.").arg(text(writer_.fault()->message)));
    question_->setDefaultButton(QMessageBox::Retry);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    connect(question_, &QMessageBox::finished, this, [this](int answer) {
        question_ = nullptr;
        if (answer == QMessageBox::Retry) {
            retry();
            return;
        }
        const auto then = std::exchange(afterSettling_, {});
        if (answer == QMessageBox::Save)
            askSaveCopy();
        else if (answer == QMessageBox::Discard && then)
            then();
    });
    question_->open();
}

QString WorkspaceSession::proposal(const QString& called) const {
    return QDir(settings_.folder.isEmpty() ? QDir::homePath() : settings_.folder)
        .filePath(called + QLatin1Char('.') + QLatin1String(workspaceSuffix));
}

void WorkspaceSession::askNew() {
    auto* dialog = new QFileDialog(&window_, tr("New workspace"), proposal(tr("Plans")), workspaceFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // nothing is ever overwritten
    dialog->setDefaultSuffix(QLatin1String(workspaceSuffix));
    connect(dialog, &QFileDialog::fileSelected, this, &WorkspaceSession::create);
    dialog->open();
}

void WorkspaceSession::askOpen() {
    auto* dialog = new QFileDialog(&window_, tr("Open a workspace"), settings_.folder, workspaceFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &WorkspaceSession::open);
    dialog->open();
}

void WorkspaceSession::askSaveCopy() {
    if (!isOpen())
        return;
    auto* dialog = new QFileDialog(&window_, tr("Save a copy of the workspace"),
                                   proposal(tr("%1 copy").arg(name())), workspaceFilter());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);
    dialog->setDefaultSuffix(QLatin1String(workspaceSuffix));
    connect(dialog, &QFileDialog::fileSelected, this, &WorkspaceSession::saveCopy);
    dialog->open();
}

void WorkspaceSession::saveCopy(const QString& file) {
    emit aboutToLeave();
    copying_ = true;
    writer_.moveTo(file.toStdString(), [this, file](const std::optional<WorkspaceFault>& fault) {
        if (!fault) {
            hasOpened();
            return;
        }
        copying_ = false;
        emit notice(
            {BadgeKind::err, tr("%1 was not written").arg(shownName(file)), text(fault->message), {}});
    });
}

void WorkspaceSession::keepSetting(const char* key, const QByteArray& value) {
    if (!isWritable() || setting(key) == value)
        return;
    std::ignore = writer_.commit({{data::PutSetting{key, value.toStdString()}}});
}

QByteArray WorkspaceSession::setting(const char* key) const {
    const auto found = content().settings.find(key);
    return found == content().settings.end() ? QByteArray() : QByteArray::fromStdString(found->second);
}

QString WorkspaceSession::stateText() const {
    if (opening_ && !isOpen())
        return tr("Opening the workspace");
    if (!isOpen())
        return {};
    if (writer_.isReadOnly())
        return tr("Read-only");
    if (writer_.fault())
        return tr("Not on the disk yet");
    return writer_.pending() > 0 ? tr("Saving") : tr("Saved");
}

BadgeKind WorkspaceSession::stateKind() const {
    if (writer_.fault())
        return BadgeKind::err;
    if (!isOpen() || writer_.isReadOnly() || writer_.pending() > 0)
        return BadgeKind::neutral;
    return BadgeKind::ok;
}

} // namespace alidade::app
