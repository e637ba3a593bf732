// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/report_options.h"
#include "views/theme/theme_controller.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace alidade::app {

/// What the window remembers between two starts; nothing of a scenario.
struct Settings {
    views::ThemeChoice theme = views::ThemeChoice::system;
    double bodyPointSize = 10;
    QByteArray geometry;     ///< of the window
    QByteArray planLayout;   ///< docks of the plan page, see PlanPage::saveLayout
    QString workspace;       ///< the last one; absolute path
    QStringList recentFiles; ///< absolute paths, newest first, at most `mostRecentFiles`
    QString folder;          ///< of the last file dialog
    QString liveConnection;  ///< name of the one that was shown last; no address, no secret
    QString healthPolicy;    ///< id of the one that judges
    QStringList
        handoffVersions;       ///< "vllm@0.11.0": tools that are handed off in another than the usual version
    ReportOptions report;      ///< of the last export, without its title
    bool openedBefore = false; ///< false: the first start, which shows the samples

    bool kept = true; ///< false: save() writes nothing, for pictures and tests

    static constexpr int mostRecentFiles = 10;

    static Settings load();
    /// On another thread, see SettingsDisk.
    void save() const;
    /// Puts a file on top of the recent ones.
    void addRecent(const QString& fileName);
};

} // namespace alidade::app
