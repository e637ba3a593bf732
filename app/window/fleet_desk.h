// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/workspace_session.h"
#include "data/file/open_input.h"

#include <QObject>
#include <QString>

#include <functional>

class QMessageBox;

namespace alidade::views {
class FleetView;
}

namespace alidade::app {

class WorkspaceSession;
struct Settings;

/// The file of the Fleet page: open, save, the question before edits are lost. A workspace that can be
/// written keeps the open fleet with its edits, and brings it back. Nothing here waits for the disk.
class FleetDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this. Dialogs belong to `window`.
    FleetDesk(views::FleetView& view, WorkspaceSession& session, Settings& settings, QWidget& window);

    // Each asks first if the open fleet has edits that are not saved, and shows the page.
    void askOpen();
    void openFile(const QString& fileName);
    void openText(const QString& content); ///< such as a pasted one
    void openSample(const QString& id);    ///< empty: the first one

    /// \param then run after a successful save
    void save(const std::function<void()>& then = {});
    void askSaveAs(const std::function<void()>& then = {});
    void saveTo(const QString& fileName, const std::function<void()>& then = {});

    /// Runs `then` at once if nothing is unsaved, else after Save or Discard; not after Cancel.
    void settle(const std::function<void()>& then);
    /// Before the window closes: the same, but for edits that the workspace keeps.
    void settleForClosing(const std::function<void()>& then);
    bool isSaving() const { return saving_ > 0; }
    QMessageBox* question() const { return question_; } ///< null: none. For tests.

signals:
    void showPage(const QString& name);
    void notice(const alidade::app::WindowNotice& notice);
    void saved(const QString& fileName);
    void fileOpened(const QString& fileName); ///< for the list of recent files

private:
    bool canKeep() const;
    void keep();
    void restore();
    void show(); ///< the page, for what is opened now

    views::FleetView& view_;
    WorkspaceSession& session_;
    Settings& settings_;
    QWidget& window_;
    data::OpenInput input_;
    QMessageBox* question_ = nullptr;
    int saving_ = 0;
    bool restoring_ = false;
    bool isAsked_ = false; ///< a person opens one, which is being read
    bool isKept_ = true;   ///< what is open is in the workspace
    /// The workspace has unsaved edits of another fleet, which must not be overwritten.
    bool otherIsKept_ = false;
};

} // namespace alidade::app
