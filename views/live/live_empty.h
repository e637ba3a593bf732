// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_session.h"

#include <QStackedWidget>

class QPushButton;

namespace alidade::views {

class Notice;

/// What the page shows in place of charts: no server yet, connecting, no answer, no data, nothing of the
/// mapping.
class LiveEmpty : public QStackedWidget {
    Q_OBJECT
public:
    enum class What { nothing, noSource, connecting, failed, noData, noMetrics };

    explicit LiveEmpty(LiveSession* session, QWidget* parent = nullptr);
    /// What there is instead of charts; `nothing`: there are charts.
    static What whatIs(const LiveSession& session);
    void renew();
    Notice* notice() const; ///< that is shown
    QPushButton* secondButton() const { return second_; }

signals:
    void connectRequested();
    void mappingRequested();
    void openSnapshotRequested();

private:
    void act();
    LiveSession* session_;
    What what_ = What::noSource;
    Notice *none_, *failed_;
    QPushButton* second_;
};

} // namespace alidade::views
