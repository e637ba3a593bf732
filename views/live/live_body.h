// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_session.h"

#include <QPointer>
#include <QWidget>

class QMenu;
class QToolButton;

namespace alidade::views {

class AnswerPanel;
class CalibrationCard;
class DockTitleBar;
class HealthPanel;
class LiveCharts;
class LiveTime;
class NodeDialog;
class NodeMapView;
class SegmentedButtons;
class TextLabel;

/// Charts over the map of nodes at the left; answer, health and calibration at the right.
class LiveBody : public QWidget {
    Q_OBJECT
public:
    LiveBody(LiveSession* session, LiveTime* time, QWidget* parent = nullptr);

    void show(const LiveState& state);
    void setSelectedHost(const QString& host);

    LiveCharts* charts() const { return charts_; }
    NodeMapView* nodes() const { return nodes_; }
    AnswerPanel* answer() const { return answer_; }
    HealthPanel* health() const { return health_; }
    CalibrationCard* calibration() const { return calibration_; }
    QToolButton* pinButton() const { return pinButton_; }
    NodeDialog* nodeDialog() const; ///< null while it is not open
    /// What could not be compared or read, in the notes of the title.
    QStringList notes() const { return notes_; }

signals:
    void hostChosen(const QString& host);
    void prometheusRequested(const QString& expression, double start, double end);
    void grafanaRequested(double start, double end);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeCharts();
    QWidget* makeNodes();
    QWidget* makeSide();
    void showNotes(const LiveState& state);
    void goTo(const Finding& finding);
    void leaveOut(double start, double end);
    void showExcluded();
    void comparePinned();
    void showNode(const QString& host);
    void renewNode();

    LiveSession* session_;
    LiveTime* time_;
    LiveCharts* charts_;
    NodeMapView* nodes_;
    AnswerPanel* answer_;
    HealthPanel* health_;
    CalibrationCard* calibration_;
    DockTitleBar *chartsTitle_ = nullptr, *nodesTitle_ = nullptr;
    QToolButton* notesButton_ = nullptr;
    QMenu* notesMenu_ = nullptr;
    QWidget* side_ = nullptr;
    QStringList notes_;
    QToolButton* pinButton_ = nullptr;
    QPointer<NodeDialog> node_;
    std::shared_ptr<const LiveResult> shown_;
    LiveSpan span_; ///< that was asked for when it was shown
};

} // namespace alidade::views
