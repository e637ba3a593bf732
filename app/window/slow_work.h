// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

namespace alidade::app {

/// Says that work on another thread takes longer than a person should wait without notice. One piece of work
/// at a time: a newer one takes the place of an older one.
class SlowWork : public QObject {
    Q_OBJECT

public:
    static constexpr int patienceMilliseconds = 300;

    explicit SlowWork(QObject* parent);

    /// \param sentence what is going on: "Reading plan.json"
    void begin(const QString& sentence);
    void end();
    bool isGoingOn() const { return !sentence_.isEmpty(); }
    /// A person gives it up.
    void cancel();

signals:
    void isSlow(const QString& sentence); ///< may be shown, with a way to cancel
    void canceled();
    void ended(const QString& sentence); ///< in whatever way

private:
    QString sentence_;
    QTimer patience_;
};

} // namespace alidade::app
