// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_window.h"

#include "app/window/file_session.h"
#include "app/window/grab.h"
#include "app/window/main_window.h"
#include "data/catalog/catalog_reader.h"
#include "views/document/engine.h"
#include "views/icons/icon.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_engine.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace alidade::app {

namespace {

/// The shipped catalog, with the person's own over it where there is one.
data::CatalogLoad openCatalog() {
    data::CatalogLoad shipped = data::loadShippedCatalog();
    const QString own = QStandardPaths::locate(QStandardPaths::AppDataLocation, QStringLiteral("catalog"),
                                               QStandardPaths::LocateDirectory);
    if (own.isEmpty())
        return shipped;
    return data::loadCatalog(shipped.catalog, QDir::toNativeSeparators(own).toStdString());
}

} // namespace

int runWindow(int& argc, char** argv, const QString& file) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("alidade"));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setApplicationVersion(QStringLiteral(ALIDADE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("alidade"));
    QApplication::setWindowIcon(views::applicationIcon());

    const auto grab = grabRequest(QApplication::arguments());
    // A picture shows the program as it is delivered, not as the person before has left it.
    Settings settings = grab ? Settings() : Settings::load();
    settings.kept = !grab;
    if (grab && grab->theme == QLatin1String("dark"))
        settings.theme = views::ThemeChoice::dark;
    else if (grab)
        settings.theme = views::ThemeChoice::light;
    auto& themes = views::ThemeController::instance();
    themes.setChoice(settings.theme);
    themes.setBodyPointSize(settings.bodyPointSize);
    themes.install();

    MainWindow window(openCatalog(), views::modelEngine(), views::modelValidation(), settings,
                      QApplication::applicationFilePath());
    window.show();
    if (!file.isEmpty() && QFileInfo(file).isFile())
        window.files().openFile(file);
    else if (!file.isEmpty())
        window.files().openSample(file);
    if (grab)
        new Grabber(window, *grab);
    return QApplication::exec();
}

} // namespace alidade::app
