// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet_replay.h"

#include <QTabWidget>

#include <vector>

class QComboBox;
class QPushButton;

namespace alidade::views {

class CellTable;
class TextLabel;

/// The plan of a fleet as tables: services, bill, replayed traces and what was rejected.
class FleetTables : public QTabWidget {
    Q_OBJECT

public:
    explicit FleetTables(QWidget* parent = nullptr);

    /// \param answer null: there is none; replays are of the plan before and go
    void setPlan(const Fleet& fleet, const FleetAnswer* answer);
    void setReplays(const std::vector<ServiceReplay>& replays, const FleetPlan* plan);
    /// \param why next to the button, such as why nothing can be played
    void setReplayable(bool can, const QString& why);
    Routing routing() const;

    // For tests and pictures
    CellTable* services() const { return services_; }
    CellTable* bill() const { return bill_; }
    CellTable* replays() const { return replays_; }
    QPushButton* playButton() const { return play_; }
    TextLabel* reason() const { return reason_; }

signals:
    void replayRequested();

private:
    QWidget* makeReplay();
    void showServices(const FleetPlan* plan);
    void showBill(const FleetPlan* plan);
    void showRejected(const FleetAnswer* answer);

    Fleet fleet_; ///< as it was planned
    CellTable *services_, *bill_, *rejected_, *replays_;
    QComboBox* routing_;
    QPushButton* play_;
    TextLabel* reason_;
};

} // namespace alidade::views
