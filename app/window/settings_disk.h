// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>

#include <chrono>
#include <memory>

namespace alidade::app {

/// Writes the settings on a worker thread, so that a window never waits for a disk. What is written last
/// wins.
class SettingsDisk : public QObject {
    Q_OBJECT

public:
    static SettingsDisk& instance();

    void write(const QString& file, const QByteArray& content);
    /// Waits for what is on its way. \returns false: it is still not there after this time
    bool finish(std::chrono::milliseconds patience);

signals:
    /// \param fault "FILE: cannot be written: ..."; told once, until a write succeeds again
    void failed(const QString& fault);

private:
    SettingsDisk();
    struct State;
    void report(const QString& fault);
    static void run(const std::shared_ptr<State>& state);

    std::shared_ptr<State> state_;
    bool wasTold_ = false;
};

} // namespace alidade::app
