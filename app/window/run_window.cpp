// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_window.h"

#include "app/window/file_session.h"
#include "app/window/fleet_desk.h"
#include "app/window/grab.h"
#include "app/window/library_desk.h"
#include "app/window/main_window.h"
#include "app/window/settings_disk.h"
#include "data/base/abandonable_thread.h"
#include "data/catalog/catalog_reader.h"
#include "data/fleet/fleet_file.h"
#include "data/scenario/samples.h"
#include "views/document/engine.h"
#include "views/document/workers.h"
#include "views/icons/icon.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_engine.h"

#include <QApplication>
#include <QDate>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

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

/// The file that was named, else the last workspace, else the personal one.
/// \param apart folder for a copy in place of all of these; empty: none
void openWorkspace(WorkspaceSession& session, const QString& file, const QString& apart) {
    if (!apart.isEmpty()) {
        const QString copy = QDir(apart).filePath(file.isEmpty() ? QStringLiteral("Plans.alidade")
                                                                 : QFileInfo(file).fileName());
        if (!file.isEmpty() && QFile::copy(file, copy))
            session.open(copy);
        else
            session.create(copy);
        return;
    }
    session.setPersonalFile(QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
                                .filePath(QStringLiteral("personal.alidade")));
    if (file.isEmpty())
        session.openUsual();
    else
        session.openOrUsual(file);
}

/// Once the workspace is there, with the scenario that it had open, which would else cover what is opened.
void whenOpen(MainWindow& window, const std::function<void()>& then) {
    WorkspaceSession& session = window.library().session();
    const auto isTaken = std::make_shared<bool>(false);
    const auto take = [&window, &session, then, isTaken] {
        const bool awaits = window.library().arrival() == LibraryDesk::Arrival::awaited;
        if (!session.isOpening() && !awaits && !std::exchange(*isTaken, true))
            then();
    };
    QObject::connect(&window.library(), &LibraryDesk::arrived, &window, take, Qt::QueuedConnection);
    QObject::connect(&session, &WorkspaceSession::opened, &window, take, Qt::QueuedConnection);
    QObject::connect(&session, &WorkspaceSession::stateChanged, &window, take, Qt::QueuedConnection);
}

/// A scenario before the workspace, so that it is not opened over what was open last.
void openNamed(MainWindow& window, const QString& file, const QString& apart) {
    WorkspaceSession& session = window.library().session();
    window.files().openFileOr(file, [&window, file](const LoadedFile&) {
        whenOpen(window, [&window, file] { window.library().imports().takeFiles({file}); });
    });
    if (!window.files().reading().isGoingOn()) {
        openWorkspace(session, {}, apart);
        return;
    }
    QObject::connect(
        &window.files().reading(), &SlowWork::ended, &session,
        [&session, apart] {
            if (!session.isOpening())
                openWorkspace(session, {}, apart);
        },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
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

    const std::string today = QDate::currentDate().toString(Qt::ISODate).toStdString();
    MainWindow window(openCatalog(), views::modelEngine(today), views::modelValidation(), settings,
                      QApplication::applicationFilePath());
    window.show();
    // What is not a sample is a file, which may be on a disk that does not answer.
    const bool isSample =
        data::sampleScenarioText(file.toStdString()).has_value() && !QFileInfo(file).isFile();
    const bool isFleet =
        !isSample && bool(data::sampleFleet(file.toStdString())) && !QFileInfo(file).isFile();
    const bool isWorkspace = !isSample && hasWorkspaceName(file);
    // A picture is of a separate workspace, so that no other is touched.
    const QTemporaryDir ofPicture;
    const QString apart = grab ? ofPicture.path() : QString();
    if (isFleet)
        whenOpen(window, [&window, file] { window.fleets().openSample(file); });
    if (file.isEmpty() || isWorkspace || isSample || isFleet)
        openWorkspace(window.library().session(), isWorkspace ? file : QString(), apart);
    else
        openNamed(window, file, apart);
    if (isSample)
        window.files().openSample(file);
    if (grab)
        new Grabber(window, *grab);
    return QApplication::exec();
}

void leaveProcess(int status) {
    using namespace std::chrono_literals;
    constexpr auto patience = 10s;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (views::PendingWrite::count() > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(10ms);
    SettingsDisk::instance().finish(2s);
    if (views::runningWorkers() == 0 && data::AbandonableThread::abandoned() == 0)
        std::exit(status);
    std::fflush(nullptr);
    std::_Exit(status); // their values live on until the very end
}

} // namespace alidade::app
