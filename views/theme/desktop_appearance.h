// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QtDBus/QDBusVariant>

namespace alidade::views {

/// Asks the desktop (the settings portal on the session bus) whether it is dark, and listens. Silent without
/// a bus.
class DesktopAppearance : public QObject {
    Q_OBJECT
public:
    explicit DesktopAppearance(QObject* parent);

signals:
    void darkPreferred(bool dark);

private slots:
    void onSetting(const QString& group, const QString& key, const QDBusVariant& value);
};

} // namespace alidade::views
