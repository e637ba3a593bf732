// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings.h"

#include "app/window/settings_disk.h"
#include "app/window/small_file.h"
#include "data/json/file.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <array>
#include <optional>
#include <type_traits>

namespace alidade::app {

namespace {

using views::ThemeChoice;

const QString fileName = QStringLiteral("settings.json");
const QString themeKey = QStringLiteral("theme");

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
    member(QStringLiteral("handoffVersions"), settings.handoffVersions);
    member(QStringLiteral("reportFormat"), settings.report.suffix);
    member(QStringLiteral("reportPaper"), settings.report.paper);
    member(QStringLiteral("reportLocale"), settings.report.locale);
    member(QStringLiteral("reportOrganisation"), settings.report.organization);
    member(QStringLiteral("reportAuthor"), settings.report.author);
    member(QStringLiteral("reportConfidentiality"), settings.report.confidentiality);
    member(QStringLiteral("reportValidUntil"), settings.report.validUntil);
    member(QStringLiteral("reportLogo"), settings.report.logo);
    member(QStringLiteral("reportSections"), settings.report.sections);
    member(QStringLiteral("openedBefore"), settings.openedBefore);
}

QJsonValue jsonOf(const QByteArray& bytes) { return QString::fromLatin1(bytes.toBase64()); }
QJsonValue jsonOf(const QStringList& list) { return QJsonArray::fromStringList(list); }
QJsonValue jsonOf(const QString& text) { return text; }
QJsonValue jsonOf(double number) { return number; }
QJsonValue jsonOf(bool truth) { return truth; }

/// What an earlier start has left.
class Stored {
public:
    Stored() {
        const auto content = data::readFile(settingsFile(fileName).toStdString());
        if (content)
            json_ = QJsonDocument::fromJson(QByteArray::fromStdString(*content)).object();
        else
            former_.emplace(QStringLiteral("alidade"), QStringLiteral("alidade"));
    }

    template <class T>
    std::optional<T> value(const QString& key) const {
        if (former_)
            return former_->contains(key) ? std::optional(former_->value(key).template value<T>())
                                          : std::nullopt;
        const QJsonValue found = json_.value(key);
        if (found.isUndefined())
            return std::nullopt;
        if constexpr (std::is_same_v<T, QByteArray>)
            return QByteArray::fromBase64(found.toString().toLatin1());
        else
            return found.toVariant().value<T>();
    }

private:
    QJsonObject json_;
    std::optional<QSettings>
        former_; ///< alidade.conf, which earlier versions have written, where settings.json is not there
};

} // namespace

Settings Settings::load() {
    Settings settings;
    const Stored stored;
    visit(settings, [&]<class T>(const QString& key, T& value) {
        if (const auto found = stored.value<T>(key))
            value = *found;
    });
    settings.theme = themeFrom(stored.value<QString>(themeKey).value_or(QString()));
    if (!(settings.bodyPointSize >= 7 && settings.bodyPointSize <= 24))
        settings.bodyPointSize = 10;
    return settings;
}

void Settings::save() const {
    if (!kept)
        return;
    QJsonObject json;
    visit(*this, [&]<class T>(const QString& key, const T& value) { json.insert(key, jsonOf(value)); });
    json.insert(themeKey, themeWords[static_cast<std::size_t>(theme)]);
    const QString file = settingsFile(fileName);
    SettingsDisk::instance().write(file, QJsonDocument(json).toJson());
}

void Settings::addRecent(const QString& fileName) {
    const QString path = QFileInfo(fileName).absoluteFilePath();
    recentFiles.removeAll(path);
    recentFiles.prepend(path);
    while (recentFiles.size() > mostRecentFiles)
        recentFiles.removeLast();
}

} // namespace alidade::app
