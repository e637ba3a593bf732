// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "app/window/exporter.h"
#include "app/window/file_session.h"
#include "app/window/locator.h"
#include "app/window/main_window.h"
#include "app/window/notice_bar.h"
#include "app/window/plan_page.h"
#include "app/window/view_dock.h"
#include "model/scenario/fields.h"
#include "tests/views/counting_engine.h"
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

using namespace alidade;
using namespace alidade::app;
using views::text;

namespace {

QStringList warnings;
QtMessageHandler oldHandler = nullptr;

/// Counts qWarning and worse; what the offscreen platform cannot do is no fault of ours.
void collect(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (type != QtDebugMsg && type != QtInfoMsg &&
        !message.startsWith(QLatin1String("This plugin does not support")))
        warnings.append(message);
    oldHandler(type, context, message);
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
        window = std::make_unique<MainWindow>(data::CatalogLoad{test::shippedCatalog(), {}}, model.engine(),
                                              validation(), settings,
                                              qEnvironmentVariable("ALIDADE_EXECUTABLE"));
        window->resize(1600, 1000);
        window->show();
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
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(!document().busy(), 20'000); }
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

QByteArray contentOf(const QString& fileName) {
    QFile file(fileName);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString& fileName, const QByteArray& content) {
    QFile file(fileName);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

} // namespace

class TestWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void firstStartShowsTheSamplesWithTheirEstimates();
    void sampleOpensOnThePlanPage();
    void saveAndOpenAgain();
    void saveKeepsTheOldFileWhenItFails();
    void badFileKeepsTheDocument_data();
    void badFileKeepsTheDocument();
    void closeQuestion();
    void cancelledQuestionKeepsTheWindow();
    void discardedChangesAreGone();
    void modifiedMarkIsInTheTitle();
    void fileChangedOnDiskIsNoticed();
    void droppedFileIsOpened();
    void modelConfigLeadsToThePlanDialog();
    void recentFilesAreRemembered();
    void layoutIsSavedAndRestored();
    void layoutOfAnotherVersionIsRefused();
    void narrowWindowStacksDocks();
    void everyActionCanBeTriggered();
    void locatorFindsActionsAndFields();
    void nextProblemGoesToItsField();
    void fixButtonMakesItFit();
    void previewEndsWithEscape();
    void guideOpensAtTheView();
    void exportWritesTheReport();
    void exportSaysWhyItFailed();
    void figureIsExplained();
    void nearestRunsLeadToTheValidation();
    void publishedRunOpensAsScenario();
    void everyFocusableWidgetHasAName();
};

void TestWindow::initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QApplication::setApplicationName(QStringLiteral("alidade"));
    views::ThemeController::instance().install();
    oldHandler = qInstallMessageHandler(collect);
}

void TestWindow::cleanup() {
    QCOMPARE(warnings, QStringList());
    warnings.clear();
}

void TestWindow::firstStartShowsTheSamplesWithTheirEstimates() {
    Fixture f;
    QCOMPARE(f.window->page(), QStringLiteral("start"));
    const auto* start = f.window->findChild<views::StartPage*>();
    QVERIFY(start->cards().size() >= 6);
    for (const views::SampleCard* card : start->cards())
        QTRY_VERIFY_WITH_TIMEOUT(card->verdict().startsWith(QStringLiteral("fits")) ||
                                     card->verdict().startsWith(QStringLiteral("needs")),
                                 20'000);
}

void TestWindow::sampleOpensOnThePlanPage() {
    Fixture f;
    auto* start = f.window->findChild<views::StartPage*>();
    QTest::mouseClick(start->cards().first(), Qt::LeftButton);
    f.settle();
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QVERIFY(f.window->plan().summary()->sentence().startsWith(QStringLiteral("It fits")));
    QVERIFY(!f.document().isModified());
    QVERIFY(f.document().fileName().isEmpty());
}

void TestWindow::saveAndOpenAgain() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.edit();
    QVERIFY(f.document().isModified());
    f.files().saveTo(file);
    QVERIFY(!f.document().isModified());
    QCOMPARE(f.document().fileName(), file);
    const std::string saved = data::writeScenario(f.document().spec());
    QCOMPARE(contentOf(file).toStdString(), saved);

    f.files().startNew();
    QVERIFY(f.document().fileName().isEmpty());
    f.files().openFile(file);
    QCOMPARE(data::writeScenario(f.document().spec()), saved);
    f.edit(); // the same value again: nothing changes
    QVERIFY(!f.document().isModified());
}

void TestWindow::saveKeepsTheOldFileWhenItFails() {
    QTemporaryDir folder;
    Fixture f;
    f.openSample();
    f.edit();
    bool then = false;
    f.files().saveTo(folder.filePath(QStringLiteral("no/such/folder/plan.json")), [&] { then = true; });
    QVERIFY(!then);
    QVERIFY(f.document().isModified());
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("was not saved")));
}

void TestWindow::badFileKeepsTheDocument_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("place");
    QTest::newRow("no JSON") << QByteArray("{ \"alidade\": 1, ") << QStringLiteral("bad.json");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("bad.json");
    QTest::newRow("wrong kind") << QByteArray(R"({"alidade":1,"plan":{"tensor_parallel":"eight"}})")
                                << QStringLiteral("/plan/tensor_parallel");
    QTest::newRow("unknown field") << QByteArray(R"({"alidade":1,"plan":{"tensor_paralel":8}})")
                                   << QStringLiteral("/plan/tensor_paralel");
    QTest::newRow("another version") << QByteArray(R"({"alidade":99})") << QStringLiteral("/alidade");
}

void TestWindow::badFileKeepsTheDocument() {
    QFETCH(QByteArray, content);
    QFETCH(QString, place);
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bad.json"));
    write(file, content);
    Fixture f;
    f.openSample();
    const std::string before = data::writeScenario(f.document().spec());
    f.files().openFile(file);
    QCOMPARE(data::writeScenario(f.document().spec()), before);
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("bad.json cannot be opened")));
    QVERIFY2(f.window->notice().detail().contains(place), qPrintable(f.window->notice().detail()));
    f.files().openFile(folder.filePath(QStringLiteral("missing.json")));
    QCOMPARE(data::writeScenario(f.document().spec()), before);
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("missing.json")));
}

void TestWindow::closeQuestion() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.files().saveTo(file);
    const QByteArray before = contentOf(file);
    f.edit();
    f.window->close();
    QVERIFY(f.window->isVisible());
    f.answer(QMessageBox::Save);
    QVERIFY(!f.window->isVisible());
    QVERIFY(contentOf(file) != before);
}

void TestWindow::cancelledQuestionKeepsTheWindow() {
    Fixture f;
    f.openSample();
    f.edit();
    f.window->close();
    f.answer(QMessageBox::Cancel);
    QVERIFY(f.window->isVisible());
    QVERIFY(f.document().isModified());
    f.window->close(); // it asks again
    f.answer(QMessageBox::Discard);
    QVERIFY(!f.window->isVisible());
}

void TestWindow::discardedChangesAreGone() {
    Fixture f;
    f.openSample();
    f.edit();
    f.files().openSample(QStringLiteral("llama-3.1-70b-64xp5.48xlarge"));
    QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-405b"));
    f.answer(QMessageBox::Discard);
    QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-70b"));
    QVERIFY(!f.document().isModified());
}

void TestWindow::modifiedMarkIsInTheTitle() {
    Fixture f;
    f.openSample();
    QVERIFY(!f.window->isWindowModified());
    QVERIFY(f.window->windowTitle().contains(QStringLiteral("[*]")));
    f.edit();
    QVERIFY(f.window->isWindowModified());
    f.document().undoStack()->undo();
    QVERIFY(!f.window->isWindowModified());
}

void TestWindow::fileChangedOnDiskIsNoticed() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    Fixture f;
    f.openSample();
    f.files().saveTo(file);
    QSignalSpy changed(&f.files(), &FileSession::changedOnDisk);
    ScenarioSpec other = f.document().spec();
    other.plan.tensorParallel = 2;
    write(file, QByteArray::fromStdString(data::writeScenario(other)));
    QTRY_VERIFY_WITH_TIMEOUT(changed.count() >= 1, 10'000);
    QVERIFY(f.document().isModified()); // what is on the screen is no longer what is on disk
    QCOMPARE(*f.document().spec().plan.tensorParallel, 8);
    QVERIFY(f.window->notice().sentence().contains(QStringLiteral("changed by another program")));
    f.files().reload();
    QCOMPARE(*f.document().spec().plan.tensorParallel, 2);
    QVERIFY(!f.document().isModified());

    QSignalSpy removed(&f.files(), &FileSession::removedOnDisk);
    QVERIFY(QFile::remove(file));
    QTRY_VERIFY_WITH_TIMEOUT(removed.count() >= 1, 10'000);
    QVERIFY(f.document().isModified());
}

void TestWindow::droppedFileIsOpened() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    write(file,
          QByteArray::fromStdString(data::writeScenario(test::sampleSpec("llama-3.1-8b-1xp5.4xlarge"))));
    Fixture f;
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(f.window.get(), &drop);
    QCOMPARE(f.document().fileName(), file);
    f.settle();
    QVERIFY2(f.window->plan().summary()->sentence().startsWith(QStringLiteral("Does not fit")),
             qPrintable(f.window->plan().summary()->sentence()));
}

void TestWindow::modelConfigLeadsToThePlanDialog() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("config.json"));
    write(file, R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4096,
        "intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,
        "vocab_size":128256,"rms_norm_eps":1e-05,"max_position_embeddings":131072,"hidden_act":"silu",
        "tie_word_embeddings":false,"rope_theta":500000.0})");
    Fixture f;
    f.files().openFile(file);
    auto* dialog = f.window->findChild<QDialog*>();
    QVERIFY2(dialog != nullptr, qPrintable(f.window->notice().detail()));
    for (QPushButton* button : dialog->findChildren<QPushButton*>())
        if (button->isDefault())
            QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(f.document().spec().workload.architecture.has_value(), 60'000);
    QCOMPARE(f.document().spec().workload.architecture->hiddenSize, 4096);
    f.settle();
    QVERIFY(f.document().estimate()->fits);
}

void TestWindow::recentFilesAreRemembered() {
    QTemporaryDir folder;
    Settings settings;
    for (int i = 0; i < 12; ++i)
        settings.addRecent(folder.filePath(QStringLiteral("%1.json").arg(i)));
    settings.addRecent(folder.filePath(QStringLiteral("5.json")));
    QCOMPARE(settings.recentFiles.size(), Settings::mostRecentFiles);
    QCOMPARE(settings.recentFiles.first(), folder.filePath(QStringLiteral("5.json")));
    QCOMPARE(settings.recentFiles.count(folder.filePath(QStringLiteral("5.json"))), 1);
    settings.theme = views::ThemeChoice::dark;
    settings.bodyPointSize = 12;
    settings.planLayout = QByteArray("layout\0with a zero", 18);
    settings.openedBefore = true;
    settings.save();
    const Settings again = Settings::load();
    QCOMPARE(again.recentFiles, settings.recentFiles);
    QCOMPARE(again.theme, settings.theme);
    QCOMPARE(again.bodyPointSize, settings.bodyPointSize);
    QCOMPARE(again.planLayout, settings.planLayout);
    QCOMPARE(again.openedBefore, true);
}

void TestWindow::layoutIsSavedAndRestored() {
    QByteArray layout;
    {
        Fixture f;
        f.openSample();
        f.window->plan().dock(QStringLiteral("cost"))->close();
        f.window->plan().dock(QStringLiteral("problems"))->show();
        f.window->plan().addDockWidget(Qt::RightDockWidgetArea,
                                       f.window->plan().dock(QStringLiteral("problems")));
        layout = f.window->plan().saveLayout();
    }
    Settings settings = freshSettings();
    settings.planLayout = layout;
    Fixture f(settings);
    f.openSample();
    PlanPage& plan = f.window->plan();
    QVERIFY(!plan.dock(QStringLiteral("cost"))->isVisible());
    QVERIFY(plan.dock(QStringLiteral("problems"))->isVisible());
    QCOMPARE(plan.dockWidgetArea(plan.dock(QStringLiteral("problems"))), Qt::RightDockWidgetArea);
    plan.restoreDefaultLayout();
    QVERIFY(plan.dock(QStringLiteral("cost"))->toggleViewAction()->isChecked());
    QVERIFY(!plan.dock(QStringLiteral("problems"))->isVisible());
}

void TestWindow::layoutOfAnotherVersionIsRefused() {
    Fixture f;
    const QByteArray alien = f.window->plan().saveState(12345);
    QVERIFY(!f.window->plan().restoreLayout(alien));
    QVERIFY(!f.window->plan().restoreLayout({}));
    QVERIFY(!f.window->plan().restoreLayout("nonsense"));
    f.openSample();
    QVERIFY(f.window->plan().dock(QStringLiteral("scenario"))->isVisible());
}

void TestWindow::narrowWindowStacksDocks() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    ViewDock* layers = plan.dock(QStringLiteral("layers"));
    ViewDock* roofline = plan.dock(QStringLiteral("roofline"));
    QVERIFY(!plan.tabifiedDockWidgets(layers).contains(roofline));
    // What needs the width is behind the layers in any window.
    QVERIFY(plan.tabifiedDockWidgets(layers).contains(plan.dock(QStringLiteral("timeline"))));
    f.window->resize(1280, 800);
    QTRY_VERIFY(plan.tabifiedDockWidgets(layers).contains(roofline));
    QCOMPARE(f.window->size(), QSize(1280, 800)); // nothing forces the window to be larger
    f.window->resize(1600, 1000);
    QTRY_VERIFY(!plan.tabifiedDockWidgets(layers).contains(roofline));
}

/// Each action of the menus, from a fresh scenario; dialogs that open are closed. Nothing may warn or crash.
void TestWindow::everyActionCanBeTriggered() {
    Fixture probe;
    const auto collectActions = [](QWidget& window) {
        QList<QAction*> all;
        for (QAction* action : window.findChildren<QAction*>())
            if (!action->isSeparator() && action->menu() == nullptr && !action->text().isEmpty())
                all.append(action);
        return all;
    };
    const qsizetype count = collectActions(*probe.window).size();
    QVERIFY(count > 40);
    Fixture f;
    f.openSample();
    for (qsizetype i = 0;; ++i) {
        const QList<QAction*> actions = collectActions(*f.window);
        if (i >= actions.size())
            break;
        QAction* action = actions[i];
        if (!action->isEnabled() || action->objectName() == QLatin1String("quit"))
            continue;
        action->trigger();
        QCoreApplication::sendPostedEvents();
        QTest::qWait(1);
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top != f.window.get() && top->isVisible())
                top->close();
        if (f.files().question() != nullptr)
            f.answer(QMessageBox::Discard);
        QVERIFY(f.window->isVisible());
    }
    f.settle();
}

void TestWindow::locatorFindsActionsAndFields() {
    QVERIFY(matchScore(QStringLiteral("tp"), QStringLiteral("Tensor parallel")) > 0);
    QCOMPARE(matchScore(QStringLiteral("zz"), QStringLiteral("Tensor")), 0);
    QVERIFY(matchScore(QStringLiteral("exp"), QStringLiteral("Export")) >
            matchScore(QStringLiteral("exp"), QStringLiteral("Recompute experts at p")));
    Fixture f;
    f.openSample();
    Locator& locator = f.window->locator();
    locator.setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(&locator, QStringLiteral("micro"));
    QCOMPARE(locator.shown().value(0), QStringLiteral("Micro-batch"));
    QTest::keyClick(&locator, Qt::Key_Return);
    QVERIFY(f.window->focusWidget() != nullptr);
    const QWidget* focused = f.window->focusWidget();
    bool inRow = false;
    for (const QWidget* w = focused; w != nullptr; w = w->parentWidget())
        inRow = inRow || w->objectName() == QLatin1String("plan.micro_batch");
    QVERIFY(inRow);
    locator.setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(&locator, QStringLiteral("catalog"));
    QTest::keyClick(&locator, Qt::Key_Return);
    QCOMPARE(f.window->page(), QStringLiteral("catalog"));
}

void TestWindow::nextProblemGoesToItsField() {
    Fixture f;
    ScenarioSpec spec = test::sampleSpec();
    spec.plan.tensorParallel = 24;
    f.files().openSpec(spec);
    f.settle();
    auto* problems = f.window->findChild<views::ProblemsView*>();
    f.window->showView(QStringLiteral("problems"));
    QVERIFY(problems->count() > 0);
    problems->step(1);
    QCOMPARE(f.document().selection().problem, QStringLiteral("/plan/tensor_parallel"));
}

void TestWindow::fixButtonMakesItFit() {
    Fixture f;
    f.files().openSample(QStringLiteral("llama-3.1-8b-1xp5.4xlarge"));
    f.settle();
    QVERIFY(!f.document().estimate()->fits);
    QPushButton* fix = nullptr;
    for (QPushButton* button : f.window->plan().summary()->findChildren<QPushButton*>())
        if (button->isVisible())
            fix = button;
    QVERIFY(fix != nullptr);
    QTest::mouseClick(fix, Qt::LeftButton);
    f.settle();
    QVERIFY(f.document().estimate()->fits);
    QCOMPARE(f.document().undoStack()->count(), 1);
}

void TestWindow::previewEndsWithEscape() {
    Fixture f;
    f.openSample();
    f.document().preview({"Set tensor parallel to 4", {{"plan.tensor_parallel", "4"}}});
    f.settle();
    QTest::keyClick(f.window.get(), Qt::Key_Escape);
    QVERIFY(f.document().previewed() == nullptr);
    f.document().setSelection({.layer = QStringLiteral("transformer")});
    QTest::keyClick(f.window.get(), Qt::Key_Escape);
    QVERIFY(f.document().selection().empty());
}

void TestWindow::guideOpensAtTheView() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("catalog"));
    f.window->showView(QStringLiteral("guide"));
    auto* guide = f.window->findChild<views::GuideWindow*>();
    QVERIFY(guide != nullptr && guide->isVisible());
    QCOMPARE(guide->chapter(), QStringLiteral("catalog"));
    f.window->showView(QStringLiteral("validation"));
    f.window->showView(QStringLiteral("guide"));
    QCOMPARE(guide->chapter(), QStringLiteral("validation"));
    for (const ViewDock* dock : f.window->plan().docks()) {
        guide->showChapter(dock->view()->helpTopic());
        QCOMPARE(guide->chapter(), dock->view()->helpTopic()); // each view has its place in the guide
    }
}

void TestWindow::exportWritesTheReport() {
    QTemporaryDir folder;
    Fixture f;
    f.openSample();
    Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
    QSignalSpy finished(&exporter, &Exporter::finished);
    QSignalSpy failed(&exporter, &Exporter::failed);
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    exporter.start(f.document().spec(), file);
    QVERIFY(exporter.running());
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() + failed.count() == 1, 60'000);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.first().at(1).toString()));
    QVERIFY(contentOf(file).contains("Llama 3.1 405B"));
}

void TestWindow::exportSaysWhyItFailed() {
    QTemporaryDir folder;
    Exporter exporter(QStringLiteral("/no/such/program"));
    QSignalSpy failed(&exporter, &Exporter::failed);
    exporter.start(test::sampleSpec(), folder.filePath(QStringLiteral("plan.pdf")));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(!failed.first().at(1).toString().isEmpty());
    QVERIFY(!exporter.running());

    Exporter real(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
    QSignalSpy refused(&real, &Exporter::failed);
    real.start(ScenarioSpec(), folder.filePath(QStringLiteral("plan.csv"))); // a scenario without a model
    QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, 30'000);
    QVERIFY2(refused.first().at(1).toString().contains(QStringLiteral("model")),
             qPrintable(refused.first().at(1).toString()));
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("plan.csv"))));
}

void TestWindow::figureIsExplained() {
    Fixture f;
    f.openSample();
    f.window->showView(QStringLiteral("explain"));
    auto* dialog = f.window->findChild<views::ExplainDialog*>();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(dialog->shownText().contains(QStringLiteral("Inputs")), 20'000);
    const QString step =
        views::quantity(f.document().estimate()->training->stepTime, Dimension::seconds, {.significant = 4});
    QVERIFY2(dialog->shownText().contains(step), qPrintable(dialog->shownText()));
}

void TestWindow::nearestRunsLeadToTheValidation() {
    Fixture f;
    f.openSample();
    auto* note = f.window->plan().summary()->nearest();
    QTRY_VERIFY_WITH_TIMEOUT(note->isVisible(), 10'000);
    QTest::mouseClick(note, Qt::LeftButton);
    QCOMPARE(f.window->page(), QStringLiteral("validation"));
    auto* view = f.window->findChild<views::ValidationView*>();
    QCOMPARE(view->scatter()->picture().points.size(), 3);
    QCOMPARE(view->filter().ids.size(), 3);
}

void TestWindow::publishedRunOpensAsScenario() {
    Fixture f;
    f.window->showView(QStringLiteral("validation"));
    auto* view = f.window->findChild<views::ValidationView*>();
    QTRY_VERIFY_WITH_TIMEOUT(view->scatter()->picture().points.size() > 3, 10'000);
    view->choose(views::runKey(*view->scatter()->picture().points[3].row));
    QTRY_VERIFY(view->runPanel()->openButton()->isVisible());
    QTest::mouseClick(view->runPanel()->openButton(), Qt::LeftButton);
    QCOMPARE(f.window->page(), QStringLiteral("plan"));
    QCOMPARE(f.document().spec().name, std::string("A published run"));
    f.settle();
    QVERIFY(f.document().estimate() != nullptr);
}

void TestWindow::everyFocusableWidgetHasAName() {
    Fixture f;
    f.openSample();
    for (ViewDock* dock : f.window->plan().docks())
        dock->show();
    for (const char* page : {"start", "catalog", "validation", "plan"}) {
        f.window->showView(QLatin1String(page));
        for (const QWidget* widget : f.window->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy() != nullptr)
                continue;
            QStringList place;
            for (const QWidget* w = widget; w != nullptr; w = w->parentWidget())
                place.append(QLatin1String(w->metaObject()->className()) + QLatin1Char('#') +
                             w->objectName());
            QVERIFY2(!widget->accessibleName().isEmpty(), qPrintable(place.join(QStringLiteral(" in "))));
        }
    }
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
