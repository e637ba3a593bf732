// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/desktop_appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace alidade::views {
namespace {

// https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
const QString portalService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portalInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearanceGroup = QStringLiteral("org.freedesktop.appearance");
const QString colorSchemeKey = QStringLiteral("color-scheme");
constexpr unsigned darkScheme = 1;

} // namespace

DesktopAppearance::DesktopAppearance(QObject* parent)
    : QObject(parent) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(portalService, portalPath, portalInterface, QStringLiteral("SettingChanged"), this,
                SLOT(onSetting(QString, QString, QDBusVariant)));
    QDBusMessage ask =
        QDBusMessage::createMethodCall(portalService, portalPath, portalInterface, QStringLiteral("Read"));
    ask << appearanceGroup << colorSchemeKey;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
        const QDBusPendingReply<QDBusVariant> reply = *call;
        if (reply.isValid())
            onSetting(appearanceGroup, colorSchemeKey, reply.value());
        call->deleteLater();
    });
}

void DesktopAppearance::onSetting(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group != appearanceGroup || key != colorSchemeKey)
        return;
    QVariant plain = value.variant();
    if (plain.canConvert<QDBusVariant>()) // Read() wraps the value in a second variant
        plain = plain.value<QDBusVariant>().variant();
    emit darkPreferred(plain.toUInt() == darkScheme);
}

} // namespace alidade::views
