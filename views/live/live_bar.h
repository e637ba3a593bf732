// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_session.h"

#include <QWidget>

class QComboBox;
class QToolButton;

namespace alidade::views {

class SegmentedButtons;
class SourceCombo;
class TextLabel;

/// What is looked at: server, job, time, following or paused, the plan that it is held against.
class LiveBar : public QWidget {
    Q_OBJECT
public:
    explicit LiveBar(LiveSession* session, QWidget* parent = nullptr);

    /// Renews the age of the answer, each second.
    void renewAge();
    SourceCombo* sources() const { return sources_; }
    QComboBox* jobs() const { return jobs_; }
    QComboBox* plans() const { return plans_; }
    SegmentedButtons* ranges() const { return ranges_; }
    SegmentedButtons* following() const { return following_; }
    QComboBox* refresh() const { return refresh_; }
    QToolButton* saveButton() const { return save_; }

signals:
    void connectRequested();
    void mappingRequested();
    void saveSnapshotRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeParts();
    void fill();
    void askForRange();
    QToolButton* addButton(const char* iconName, const QString& text, const QString& hint);

    LiveSession* session_;
    SourceCombo* sources_;
    QComboBox *jobs_, *plans_, *refresh_;
    SegmentedButtons *ranges_, *following_;
    TextLabel* against_;
    QToolButton *connect_ = nullptr, *mapping_ = nullptr, *save_ = nullptr;
};

} // namespace alidade::views
