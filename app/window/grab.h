// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace alidade::app {

class MainWindow;

/// What `--grab` asks for.
struct GrabRequest {
    QString file; ///< .png
    QString theme;
    QString view;
    QString snapshot; ///< file of one, for the page Live; empty: none
    QSize size = {1600, 1000};
};

/// nullopt: no picture is asked for.
std::optional<GrabRequest> grabRequest(const QStringList& arguments);

/// Waits until the window is idle, saves its picture, and ends the application: status 0, or 1 if that
/// failed.
class Grabber : public QObject {
    Q_OBJECT

public:
    Grabber(MainWindow& window, const GrabRequest& request);

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    void save();

    MainWindow& window_;
    GrabRequest request_;
    QString page_;  ///< that the view is on
    int quiet_ = 0; ///< ticks in a row without work
    int ticks_ = 0;
};

} // namespace alidade::app
