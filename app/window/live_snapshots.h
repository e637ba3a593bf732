// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/library/library.h"
#include "views/live/live_state.h"

#include <QObject>
#include <QPoint>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace alidade::app {

/// What was measured, kept: in the workspace, or in a separate file. Each is a source of the live page, as
/// a server is, and needs none.
class LiveSnapshots : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this; dialogs and menus belong to `window`.
    LiveSnapshots(views::Library& library, QWidget& window);
    ~LiveSnapshots() override;

    /// Into the workspace, as one undo step.
    void keep(const std::shared_ptr<const Observation>& observation);
    /// Opens a file without a workspace's help; opened() or failed() when it is read.
    void openFile(const QString& file);
    void writeFile(const std::shared_ptr<const Observation>& observation, const QString& file);
    /// What there is to open. \param present may be written to a file; null: nothing
    void showMenu(const QPoint& globalPosition, const std::shared_ptr<const Observation>& present);
    std::vector<views::LiveSource> sources();
    bool isBusy() const { return busy_ > 0; }

signals:
    void changed(); ///< sources()
    void opened(const QString& source);
    void said(const QString& words); ///< for the status line
    void failed(const QString& sentence, const QString& reason);

private:
    struct Kept;
    views::LiveSource sourceOf(const std::shared_ptr<Kept>& kept);
    void askFile();
    void askExport(const std::shared_ptr<const Observation>& present);

    views::Library& library_;
    QWidget& window_;
    std::map<data::WorkspaceId, std::shared_ptr<Kept>> kept_;
    std::vector<std::shared_ptr<Kept>> files_;
    int busy_ = 0;
};

} // namespace alidade::app
