// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/notice_bar.h"
#include "data/file/open_input.h"
#include "data/workspace/workspace_writer.h"
#include "views/library/library.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

class QMessageBox;

namespace alidade::app {

struct Settings;

/// What a notice bar is to say.
struct WindowNotice {
    views::BadgeKind kind = views::BadgeKind::warn;
    QString sentence, detail;
    QList<NoticeBar::Action> actions;
    bool stays = false;    ///< see NoticeBar::setStays
    bool isDamage = false; ///< a file is damaged: nothing else takes the place of this
};

/// The workspace of the window: opens, makes and copies it, and says what is the matter when that fails.
/// Every edit is kept by itself; nothing here waits for a disk.
class WorkspaceSession : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this. Dialogs belong to `window`.
    WorkspaceSession(Settings& settings, QWidget& window);
    ~WorkspaceSession() override;

    data::WorkspaceWriter& writer() { return writer_; }
    views::Library& library() { return library_; }
    const data::WorkspaceContent& content() const { return writer_.content(); }

    bool isOpen() const { return writer_.isOpen(); }
    bool isOpening() const { return opening_; }
    bool isWritable() const { return writer_.isOpen() && !writer_.isReadOnly(); }
    QString file() const;
    QString name() const; ///< "Frontier 2027"; of the personal one "Personal"; empty: none is open

    /// The one that is there for everybody: made when there is no other. Empty (as in tests): there is none.
    void setPersonalFile(const QString& file) { personal_ = file; }
    /// The last one, else the personal one.
    void openUsual();
    /// One that is there; stays read-only where it is in use elsewhere, newer, or may not be written.
    void open(const QString& file);
    void openOrUsual(const QString& file); ///< the same; else openUsual()
    void openPersonal();
    void create(const QString& file); ///< a new one; a file that is there is not touched
    void askNew();
    void askOpen();
    void askSaveCopy();
    /// A copy with everything that this window has, which then is the open workspace.
    void saveCopy(const QString& file);
    /// What verifies of a damaged workspace, in its place; the damaged one is kept next to it.
    void repair(const QString& file);
    void retry() { writer_.retry(); }

    /// Runs `then` when every edit is on the disk; where that fails, after a question.
    void settle(std::function<void()> then);
    QMessageBox* question() const { return question_; } ///< the question now open; null: none
    void keepSetting(const char* key, const QByteArray& value);
    QByteArray setting(const char* key) const;

    /// "Saved", "Saving", "Not on the disk yet", "Read-only"; empty: none is open.
    QString stateText() const;
    views::BadgeKind stateKind() const;

signals:
    /// Before another one takes the place of this one, or before it is copied: what is under way is to be
    /// committed now.
    void aboutToLeave();
    /// \param isCopy of the one that was open before, with the same ids
    void opened(bool isCopy);
    void stateChanged();
    void notice(const alidade::app::WindowNotice& notice);
    void recentChanged();

private:
    void openAs(const QString& file, data::WorkspaceOptions::Access access,
                const std::function<void()>& otherwise);
    void hasOpened();
    void reopen();
    void tellFault(const QString& file, const data::WorkspaceFault& fault);
    void tellDamaged(const QString& file, const data::WorkspaceFault& fault);
    void tellFailed(const data::WorkspaceFault& fault);
    void hasSettled();
    void askAboutLoss();
    QString proposal(const QString& name) const;

    Settings& settings_;
    QWidget& window_;
    data::WorkspaceWriter writer_;
    data::OpenInput input_;
    views::Library library_;
    QString personal_;
    QTimer again_; ///< a full disk or a lost mount may come back
    std::function<void()> afterSettling_;
    QMessageBox* question_ = nullptr;
    bool opening_ = false;
    bool copying_ = false; ///< what is being opened is a copy of what is open
    bool wasTold_ = false; ///< that an edit could not be written
};

/// By its suffix alone.
bool hasWorkspaceName(const QString& file);
/// Has the file the name of a workspace, or the first bytes of its format? Reads 16 bytes: for worker
/// threads.
bool looksLikeWorkspace(const QString& file);

} // namespace alidade::app
