// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding_marks.h"
#include "views/live/live_session.h"

#include <QStringList>
#include <QWidget>

class QStackedWidget;

namespace alidade::views {

class LiveBar;
class LiveBody;
class LiveEmpty;
class LiveTime;
class StaleBar;

/// The plan against the running cluster: bar, charts, map of the nodes, answer, health, calibration. Shows
/// the session and changes what is chosen in it; the rest of the window hears by signals.
class LivePage : public QWidget {
    Q_OBJECT
public:
    explicit LivePage(LiveSession* session, QWidget* parent = nullptr);
    ~LivePage() override;

    LiveSession* session() const { return session_; }
    /// Time that all charts show, and their common crosshair.
    LiveTime* time() const { return time_; }
    LiveBar* bar() const { return bar_; }
    LiveBody* body() const { return body_; }
    LiveEmpty* empty() const { return empty_; }
    /// Empty: none.
    QString selectedHost() const { return host_; }
    /// Shows a host as chosen, as a view elsewhere did. Emits nothing.
    void selectHost(const QString& host);
    /// What is in the head of the calibration card, "not applied" or "profile a3, used by this scenario",
    /// and what a fit of the quiet window would tell; empty: the card's own words.
    void setCalibrationNote(const QString& aside, const QString& detail = {});
    /// Whether there is anything to save: "Snapshot" is enabled.
    bool canSaveSnapshot() const;

signals:
    void connectRequested();
    void mappingRequested();
    void saveSnapshotRequested();
    void openSnapshotRequested();
    void editPolicyRequested();
    void fitRequested(double start, double end); ///< Unix s, of the quiet or the visible window
    void excludeRequested(const QStringList& hosts);
    void topologyRequested(const QStringList& hosts);
    void prometheusRequested(const QString& expression, double start, double end);
    void grafanaRequested(double start, double end);
    void markRequested(const QString& key, const alidade::FindingMark& mark);
    void hostSelected(const QString& host); ///< by the person; empty: none

private:
    void connectParts();
    void showState();

    LiveSession* session_;
    LiveTime* time_;
    LiveBar* bar_;
    StaleBar* stale_;
    QStackedWidget* pages_;
    LiveBody* body_;
    LiveEmpty* empty_;
    QString host_;
};

} // namespace alidade::views
