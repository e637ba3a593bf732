// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"

#include <QObject>

namespace alidade::views {
class CompareView;
class Document;
} // namespace alidade::views

namespace alidade::app {

class FileSession;
class LibraryDesk;

/// The Compare page as the window's parts see it: gives it the scenarios of the workspace, keeps what is
/// compared in the workspace, and opens what a person chooses.
class CompareDesk : public QObject {
    Q_OBJECT

public:
    /// All must outlive this.
    CompareDesk(views::CompareView& view, const views::Document& document, LibraryDesk& library,
                FileSession& files, QObject* parent);

signals:
    void showPlan(); ///< the open scenario was chosen

private:
    void open(const data::ListedScenario& scenario);

    views::CompareView& view_;
    const views::Document& document_;
    LibraryDesk& library_;
    FileSession& files_;
    bool restoring_ = false;
};

} // namespace alidade::app
