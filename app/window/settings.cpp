// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings.h"

#include <QFileInfo>
#include <QSettings>

#include <array>

namespace alidade::app {

namespace {

using views::ThemeChoice;

/// Words of the theme choices in the settings file, in the order of the enum.
const std::array themeWords = {QStringLiteral("system"), QStringLiteral("light"), QStringLiteral("dark")};

ThemeChoice themeFrom(const QString& word) {
    for (std::size_t i = 0; i < themeWords.size(); ++i)
        if (themeWords[i] == word)
            return static_cast<ThemeChoice>(i);
    return ThemeChoice::system;
}

/// The one place that knows the keys: shows each member with its key to a function.
template <class S, class F>
void visit(S& settings, F&& member) {
    member(QStringLiteral("bodyPointSize"), settings.bodyPointSize);
    member(QStringLiteral("geometry"), settings.geometry);
    member(QStringLiteral("planLayout"), settings.planLayout);
    member(QStringLiteral("workspace"), settings.workspace);
    member(QStringLiteral("recentFiles"), settings.recentFiles);
    member(QStringLiteral("folder"), settings.folder);
    member(QStringLiteral("liveConnection"), settings.liveConnection);
    member(QStringLiteral("healthPolicy"), settings.healthPolicy);
    member(QStringLiteral("openedBefore"), settings.openedBefore);
}

} // namespace

Settings Settings::load() {
    const QSettings file(QStringLiteral("alidade"), QStringLiteral("alidade"));
    Settings settings;
    visit(settings, [&]<class T>(const QString& key, T& value) {
        value = file.value(key, QVariant::fromValue(value)).template value<T>();
    });
    settings.theme = themeFrom(file.value(QStringLiteral("theme")).toString());
    if (!(settings.bodyPointSize >= 7 && settings.bodyPointSize <= 24))
        settings.bodyPointSize = 10;
    return settings;
}

void Settings::save() const {
    if (!kept)
        return;
    QSettings file(QStringLiteral("alidade"), QStringLiteral("alidade"));
    visit(*this, [&]<class T>(const QString& key, const T& value) {
        file.setValue(key, QVariant::fromValue(value));
    });
    file.setValue(QStringLiteral("theme"), themeWords[static_cast<std::size_t>(theme)]);
}

void Settings::addRecent(const QString& fileName) {
    const QString path = QFileInfo(fileName).absoluteFilePath();
    recentFiles.removeAll(path);
    recentFiles.prepend(path);
    while (recentFiles.size() > mostRecentFiles)
        recentFiles.removeLast();
}

} // namespace alidade::app
