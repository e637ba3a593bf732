// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/exporter.h"
#include "app/window/file_session.h"
#include "app/window/locator.h"
#include "app/window/main_window.h"
#include "app/window/notice_bar.h"
#include "app/window/plan_page.h"
#include "app/window/view_dock.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
#include "tests/views/drive.h"
#include "tests/views/sample_validation.h"
#include "views/document/text.h"
#include "views/help/guide_window.h"
#include "views/problems/problems_view.h"
#include "views/start/sample_card.h"
#include "views/start/start_page.h"
#include "views/summary/explain_dialog.h"
#include "views/summary/nearest_note.h"
#include "views/summary/summary_view.h"
#include "views/validation/run_panel.h"
#include "views/validation/run_plot.h"
#include "views/validation/validation_source.h"
#include "views/validation/validation_view.h"

#include <QAction>
#include <QDialog>
#include <QFile>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include <utility>

using namespace alidade;
using namespace alidade::app;
using views::text;

namespace {

QStringList warnings;
QtMessageHandler oldHandler = nullptr;

/// Collects qWarning and worse; what the offscreen platform cannot do is not our fault.
[[maybe_unused]] void collect(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (type != QtDebugMsg && type != QtInfoMsg &&
        !message.startsWith(QLatin1String("This plugin does not support")))
        warnings.append(message);
    oldHandler(type, context, message);
}

/// For initTestCase(): the program's name and look, no settings of a person, and warnings collected from now
/// on.
[[maybe_unused]] void beginWindowTest() {
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setApplicationName(QStringLiteral("alidade"));
    views::ThemeController::instance().install();
    oldHandler = qInstallMessageHandler(collect);
}

/// For cleanup(): Qt has warned of nothing since the last time.
[[maybe_unused]] void verifyNoWarnings() {
    const QStringList collected = std::exchange(warnings, {});
    QCOMPARE(collected, QStringList());
}

Settings freshSettings() {
    Settings settings;
    settings.kept = false;
    return settings;
}

struct Fixture {
    test::CountedModel model;
    std::unique_ptr<MainWindow> window;

    explicit Fixture(const Settings& settings = freshSettings()) {
        window =
            std::make_unique<MainWindow>(data::CatalogLoad{test::shippedCatalog(), {}}, model.engine(),
                                         validation(), settings, qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        present(*window, {1600, 1000});
    }
    /// Rows that are there at once; the first three are near to everything.
    static views::ValidationEngine validation() {
        return {.report = [](const Catalog&, const std::stop_token&) { return sample::validationReport(); },
                .nearest =
                    [](const ValidationReport& report, const ScenarioSpec&, const Catalog&) {
                        return std::vector<const ValidationRow*>{&report.rows[0], &report.rows[1],
                                                                 &report.rows[2]};
                    }};
    }
    views::Document& document() const { return window->document(); }
    FileSession& files() const { return window->files(); }
    void openSample() {
        files().openSample(QStringLiteral("llama-3.1-405b-2048xp5.48xlarge"));
        settle();
    }
    /// Nothing is being read, written or estimated.
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!files().isBusy() && !document().busy(), 20'000); }
    void edit() {
        QCOMPARE(document().setField(*findField("plan.micro_batch"), QStringLiteral("2")), QString());
    }
    /// Presses a button of the question about unsaved changes.
    void answer(QMessageBox::StandardButton button) {
        QTRY_VERIFY(files().question() != nullptr);
        QTest::mouseClick(files().question()->button(button), Qt::LeftButton);
        QTRY_VERIFY(files().question() == nullptr);
    }
};

[[maybe_unused]] QByteArray contentOf(const QString& fileName) {
    QFile file(fileName);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

[[maybe_unused]] void write(const QString& fileName, const QByteArray& content) {
    QFile file(fileName);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

} // namespace
