// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "app/window/handoff_window.h"
#include "app/window/line_difference.h"
#include "app/window/plan_tabs.h"
#include "model/scenario/fields.h"
#include "tests/app/window_fixture.h"
#include "views/document/workers.h"
#include "views/run/run_view.h"
#include "views/scenario/field_row.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSemaphore>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QUndoStack>

#include <memory>

namespace tst_window_plan {

class TestWindowPlan : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void locatorFindsActionsAndFields();
    void nextProblemGoesToItsField();
    void fixButtonMakesItFit();
    void previewEndsWithEscape();
    void guideOpensAtTheView();
    void wholeRunIsATab();
    void onlyTrainingHasTheTab();
    void exportWritesTheReport();
    void exportSaysWhyItFailed();
    void filesToHandOffAreOfTheOpenScenario();
    void linesOfTwoTexts();
    void changesOfThePlanAreMarked();
    void targetsThatCannotHoldThePlanAreGrayed();
    void filesAreForTheChosenVersion();
    void figureIsExplained();
    void nearestRunsLeadToTheValidation();
    void publishedRunOpensAsScenario();
};

void TestWindowPlan::initTestCase() { beginWindowTest(); }

void TestWindowPlan::cleanup() { verifyNoWarnings(); }

void TestWindowPlan::locatorFindsActionsAndFields() {
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

void TestWindowPlan::nextProblemGoesToItsField() {
    Fixture f;
    ScenarioSpec spec = test::sampleSpec();
    spec.plan.tensorParallel = 24;
    f.files().openSpec(spec, FileSession::Origin::shown);
    f.settle();
    auto* problems = f.window->findChild<views::ProblemsView*>();
    f.window->showView(QStringLiteral("problems"));
    QVERIFY(problems->count() > 0);
    problems->step(1);
    QCOMPARE(f.document().selection().problem, QStringLiteral("/plan/tensor_parallel"));
}

void TestWindowPlan::fixButtonMakesItFit() {
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

void TestWindowPlan::previewEndsWithEscape() {
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

void TestWindowPlan::guideOpensAtTheView() {
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

/// Reached by its tab, by its keys and by its name; what belongs to the docks goes back to the step.
void TestWindowPlan::wholeRunIsATab() {
    Fixture f;
    f.openSample();
    PlanTabs& tabs = f.window->planTabs();
    QVERIFY(tabs.tabs()->isVisible() && !tabs.showsRun());
    QTest::mouseClick(tabs.tabs(), Qt::LeftButton, {}, tabs.tabs()->tabRect(1).center());
    QVERIFY(tabs.showsRun());
    QTRY_VERIFY_WITH_TIMEOUT(tabs.run()->isVisible() && !tabs.run()->isBusy() && !tabs.run()->isEmpty(),
                             30'000);
    f.window->showView(QStringLiteral("guide"));
    auto* guide = f.window->findChild<views::GuideWindow*>();
    QCOMPARE(guide->chapter(), QStringLiteral("run"));
    guide->close();
    f.window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&*f.window));

    f.window->showView(QStringLiteral("memory"));
    QVERIFY(!tabs.showsRun() && f.window->plan().isVisible());
    tabs.goAction()->trigger();
    QVERIFY(tabs.showsRun());
    // Of the fields that the answer lacks the dates are on the page, the others in the editor next to the
    // step.
    const auto click = [&](const QString& word) {
        for (auto* button : tabs.run()->findChildren<QPushButton*>())
            if (button->isVisible() && button->text().contains(word))
                return QTest::mouseClick(button, Qt::LeftButton);
        QFAIL("no such button");
    };
    click(QStringLiteral("Start"));
    QVERIFY(tabs.showsRun());
    QVERIFY(f.window->focusWidget() != nullptr &&
            tabs.run()->dates().first()->isAncestorOf(f.window->focusWidget()));
    QCOMPARE(f.document().setField(*findField("workload.tokens"), QString()), QString());
    QTRY_VERIFY_WITH_TIMEOUT(!f.document().busy() && !tabs.run()->isBusy(), 30'000);
    click(QStringLiteral("Tokens"));
    QVERIFY(!tabs.showsRun());
    QVERIFY(f.window->focusWidget() != nullptr && f.window->plan().isAncestorOf(f.window->focusWidget()));
    f.document().undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(!f.document().busy() && !f.document().suggestionsPending(), 30'000);

    Locator& locator = f.window->locator();
    locator.setFocus(Qt::ShortcutFocusReason);
    QTest::keyClicks(&locator, QStringLiteral("whole run"));
    QCOMPARE(locator.shown().value(0), QStringLiteral("Whole run"));
    QTest::keyClick(&locator, Qt::Key_Return);
    QVERIFY(tabs.showsRun());
}

void TestWindowPlan::onlyTrainingHasTheTab() {
    Fixture f;
    f.files().openSample(QStringLiteral("serve-llama-3.1-8b-1xp5.4xlarge"));
    f.settle();
    QVERIFY(!f.window->planTabs().tabs()->isVisible());
    QVERIFY(f.window->showView(QStringLiteral("run"))); // asked for by name, it says why it is empty
    QVERIFY(f.window->planTabs().tabs()->isVisible() && f.window->planTabs().run()->isEmpty());
    f.window->planTabs().showRun(false);
    QVERIFY(!f.window->planTabs().tabs()->isVisible());
}

void TestWindowPlan::exportWritesTheReport() {
    QTemporaryDir folder;
    Fixture f;
    f.openSample();
    Exporter exporter(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
    QSignalSpy finished(&exporter, &Exporter::finished);
    QSignalSpy failed(&exporter, &Exporter::failed);
    const QString file = folder.filePath(QStringLiteral("plan.json"));
    exporter.start({.spec = f.document().spec()}, file);
    QVERIFY(exporter.running());
    QTRY_VERIFY_WITH_TIMEOUT(finished.count() + failed.count() == 1, 60'000);
    QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.first().at(1).toString()));
    QVERIFY(contentOf(file).contains("Llama 3.1 405B"));
}

void TestWindowPlan::exportSaysWhyItFailed() {
    QTemporaryDir folder;
    Exporter exporter(QStringLiteral("/no/such/program"));
    QSignalSpy failed(&exporter, &Exporter::failed);
    exporter.start({.spec = test::sampleSpec()}, folder.filePath(QStringLiteral("plan.pdf")));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(!failed.first().at(1).toString().isEmpty());
    QVERIFY(!exporter.running());

    Exporter real(qEnvironmentVariable("ALIDADE_EXECUTABLE"));
    QSignalSpy refused(&real, &Exporter::failed);
    real.start({.spec = ScenarioSpec()},
               folder.filePath(QStringLiteral("plan.csv"))); // a scenario without a model
    QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, 30'000);
    QVERIFY2(refused.first().at(1).toString().contains(QStringLiteral("model")),
             qPrintable(refused.first().at(1).toString()));
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("plan.csv"))));
}

/// Files that are being written when another scenario opens come too late, also while that has no estimate
/// yet.
void TestWindowPlan::filesToHandOffAreOfTheOpenScenario() {
    const auto estimatesLeft = std::make_shared<QSemaphore>(1);
    const views::Engine real = views::modelEngine();
    views::Document document(test::shippedCatalog(),
                             {.estimate =
                                  [estimatesLeft, real](const ScenarioSpec& spec, const Catalog& catalog) {
                                      estimatesLeft->acquire();
                                      return real.estimate(spec, catalog);
                                  },
                              .suggest = {},
                              .explain = {}});
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(document.estimate() != nullptr && !document.busy(), 20'000);
    Settings settings = freshSettings();
    HandoffWindow window(document, settings, {}, nullptr);
    window.open();
    const auto* files = window.findChild<QListWidget*>(QStringLiteral("handoffFiles"));
    QTRY_VERIFY_WITH_TIMEOUT(files->count() > 0, 20'000);
    auto* cluster = window.findChild<QComboBox*>(QStringLiteral("handoffCluster"));
    QVERIFY(cluster->count() > 1);
    cluster->setCurrentIndex(cluster->currentIndex() == 0 ? 1 : 0);
    document.open(test::sampleSpec("llama-3.1-8b-8xp5.48xlarge"), {});
    QCOMPARE(files->count(), 0);
    QVERIFY(views::workers(views::Work::computing).waitForDone(20'000));
    settle();
    const int late = files->count();
    estimatesLeft->release(); // before anything fails: the document waits for its estimate when it ends
    QCOMPARE(late, 0);
    QTRY_VERIFY_WITH_TIMEOUT(files->count() > 0, 20'000);
}

void TestWindowPlan::linesOfTwoTexts() {
    const auto difference = [](const char* before, const char* after) {
        const auto lines = [](const char* words) {
            return QString::fromLatin1(words).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        };
        return differenceOf(lines(before), lines(after));
    };
    QCOMPARE(difference("a b c", "a b c"), LineDifference());
    QCOMPARE(difference("a b c", "a x c"), (LineDifference{{1}, {}}));
    QCOMPARE(difference("a b c", "a b b c"), (LineDifference{{2}, {}}));
    QCOMPARE(difference("a b c d", "a d"), (LineDifference{{}, {0}}));
    QCOMPARE(difference("a b", "b"), (LineDifference{{}, {-1}}));
    // A value that another line has, too, is a change where it was another one.
    QCOMPARE(difference("tp 4 mb 8", "tp 8 mb 8"), (LineDifference{{1}, {}}));
    QCOMPARE(difference("", "a b"), (LineDifference{{0, 1}, {}}));
    QCOMPARE(difference("a b", ""), (LineDifference{{}, {-1}}));
}

/// The window stays open during the work: what an edit of the plan changes in a file is marked, and the file
/// in the list.
void TestWindowPlan::changesOfThePlanAreMarked() {
    views::Document document(test::shippedCatalog(), views::modelEngine());
    document.open(test::sampleSpec("llama-3.1-8b-8xp5.48xlarge"), {});
    QTRY_VERIFY_WITH_TIMEOUT(document.estimate() != nullptr && !document.busy(), 20'000);
    Settings settings = freshSettings();
    HandoffWindow window(document, settings, {}, nullptr);
    window.open();
    QVERIFY(!window.isModal());
    auto* cluster = window.findChild<QComboBox*>(QStringLiteral("handoffCluster"));
    cluster->setCurrentIndex(cluster->findData(QStringLiteral("jobset")));
    auto* files = window.findChild<QListWidget*>(QStringLiteral("handoffFiles"));
    auto* preview = window.findChild<QPlainTextEdit*>(QStringLiteral("handoffPreview"));
    QTRY_VERIFY_WITH_TIMEOUT(files->count() > 0 && files->item(0)->text() == QStringLiteral("jobset.yaml"),
                             20'000);
    QVERIFY(preview->extraSelections().isEmpty());
    const auto marked = [preview] {
        QStringList lines;
        for (const QTextEdit::ExtraSelection& each : preview->extraSelections())
            lines.append(each.cursor.block().text().trimmed());
        return lines;
    };
    preview->verticalScrollBar()->setValue(40);
    QCOMPARE(document.setField(*findField("cluster.instances"), QStringLiteral("4")), QString());
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && !marked().isEmpty(), 20'000);
    QVERIFY2(marked().contains(QStringLiteral("- --nnodes=4")) &&
                 marked().contains(QStringLiteral("parallelism: 4")),
             qPrintable(marked().join(QLatin1Char('|'))));
    QVERIFY(!marked().contains(QStringLiteral("kind: JobSet")));
    QCOMPARE(preview->verticalScrollBar()->value(), 40);
    QVERIFY(files->item(0)->font().bold());
    // The same files again keep their marks.
    const QStringList before = marked();
    emit document.estimateChanged();
    QVERIFY(views::workers(views::Work::computing).waitForDone(20'000));
    settle();
    QCOMPARE(marked(), before);
    // The marks are those of the last change: here of a field that the files only name.
    QCOMPARE(document.setField(*findField("run.start"), QStringLiteral("2027-01-04")), QString());
    QTRY_VERIFY_WITH_TIMEOUT(marked().size() == 1 && marked().first().contains(QStringLiteral("run.start")),
                             20'000);
    // Undo is a change as well.
    document.undoStack()->undo();
    document.undoStack()->undo();
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && marked().contains(QStringLiteral("- --nnodes=8")), 20'000);
    // The marks are in the colors of the theme, also of one that is chosen meanwhile.
    const QColor light = preview->extraSelections().first().format.background().color();
    views::ThemeController::instance().setChoice(views::ThemeChoice::dark);
    QVERIFY(preview->extraSelections().first().format.background().color() != light);
    views::ThemeController::instance().setChoice(views::ThemeChoice::light);
    QCOMPARE(preview->extraSelections().first().format.background().color(), light);
    // Another target is not a change of the plan.
    cluster->setCurrentIndex(cluster->findData(QStringLiteral("slurm")));
    QTRY_VERIFY_WITH_TIMEOUT(files->count() > 0 && files->item(0)->text() == QStringLiteral("job.sbatch"),
                             20'000);
    QVERIFY(marked().isEmpty() && !files->item(0)->font().bold());
}

/// Of a plan for reinforcement learning the targets that hold it are offered; the others are grayed, and say
/// why.
void TestWindowPlan::targetsThatCannotHoldThePlanAreGrayed() {
    views::Document document(test::shippedCatalog(), views::modelEngine());
    document.open(test::sampleSpec("grpo-qwen3-32b-8xp5en.48xlarge"), {});
    QTRY_VERIFY_WITH_TIMEOUT(document.estimate() != nullptr && !document.busy(), 20'000);
    Settings settings = freshSettings();
    HandoffWindow window(document, settings, {}, nullptr);
    window.open();
    auto* tool = window.findChild<QComboBox*>(QStringLiteral("handoffTool"));
    auto* cluster = window.findChild<QComboBox*>(QStringLiteral("handoffCluster"));
    const auto* files = window.findChild<QListWidget*>(QStringLiteral("handoffFiles"));
    const auto isEnabled = [](const QComboBox* box, const char* id) {
        const QModelIndex index = box->model()->index(box->findData(QString::fromLatin1(id)), 0);
        return index.isValid() && index.flags().testFlag(Qt::ItemIsEnabled);
    };
    QTRY_COMPARE_WITH_TIMEOUT(files->count(), 3, 20'000);
    QCOMPARE(tool->currentData().toString(), QStringLiteral("verl"));
    QCOMPARE(cluster->currentData().toString(), QStringLiteral("slurm"));
    for (const char* id : {"megatron-lm", "fsdp2", "vllm"})
        QVERIFY2(!isEnabled(tool, id), id);
    for (const char* id : {"jobset", "llm-d", "kueue"})
        QVERIFY2(!isEnabled(cluster, id), id);
    QVERIFY(isEnabled(cluster, "parallelcluster") && isEnabled(tool, "nccl-tests"));
    QVERIFY(tool->itemText(tool->findData(QStringLiteral("vllm")))
                .contains(QStringLiteral("does not alternate rollout and training")));
    // The arrow keys reach every target that holds the plan, and no other: each choice has files.
    tool->setFocus();
    for (int i = 0; i < tool->count(); ++i) {
        QVERIFY(isEnabled(tool, tool->currentData().toString().toLatin1().constData()));
        QTRY_VERIFY_WITH_TIMEOUT(files->count() > 0, 20'000);
        QTest::keyClick(tool, Qt::Key_Down);
    }
    QCOMPARE(tool->currentData().toString(), QStringLiteral("nccl-tests"));
    // Separate pools are another trainer of verl. A critic next to them is more than any of those has:
    // what it watches is left.
    QCOMPARE(document.setField(*findField("plan.placement"), QStringLiteral("one_step_off")), QString());
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && isEnabled(tool, "verl"), 20'000);
    QCOMPARE(document.setField(*findField("workload.algorithm"), QStringLiteral("ppo")), QString());
    QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && !isEnabled(tool, "verl"), 20'000);
    QVERIFY(!isEnabled(cluster, "slurm"));
    QCOMPARE(tool->currentData().toString(), QStringLiteral("nccl-tests"));
    // A plan that trains has another list.
    document.open(test::sampleSpec(), {});
    QTRY_VERIFY_WITH_TIMEOUT(isEnabled(tool, "megatron-lm") && !isEnabled(tool, "verl"), 20'000);
    QVERIFY(isEnabled(cluster, "jobset"));
}

/// A person's own version of a tool is offered, written for, and chosen again the next time.
void TestWindowPlan::filesAreForTheChosenVersion() {
    QTemporaryDir user;
    QVERIFY(QDir(user.path()).mkdir(QStringLiteral("handoff")));
    const QString table = user.filePath(QStringLiteral("handoff/vllm-0.11.0.json"));
    const auto put = [&table](const QByteArray& words) {
        QFile file(table);
        return file.open(QIODevice::WriteOnly) && file.write(words) == words.size();
    };
    QVERIFY(put("{\"id\": \"vllm\", \"version\": \"0.11.0\", \"of\": \"0.24.0\", \"without\": "
                "[\"--max-num-seqs\"], \"options\": {\"one\": [\"--most-requests\"]}, \"fields\": "
                "[{\"path\": \"plan.max_batch\", \"option\": \"--most-requests\"}]}"));
    views::Document document(test::shippedCatalog(), views::modelEngine());
    document.open(test::sampleSpec("serve-llama-3.1-70b-1xp5en.48xlarge"), {});
    QCOMPARE(document.setField(*findField("plan.max_batch"), QStringLiteral("128")), QString());
    QTRY_VERIFY_WITH_TIMEOUT(document.estimate() != nullptr && !document.busy(), 20'000);
    Settings settings = freshSettings();
    const auto shown = [](const HandoffWindow& window, const char* words) {
        const auto* preview = window.findChild<QPlainTextEdit*>(QStringLiteral("handoffPreview"));
        return preview->toPlainText().contains(QString::fromLatin1(words));
    };
    const auto chooseFile = [](const HandoffWindow& window, const QString& name) {
        auto* files = window.findChild<QListWidget*>(QStringLiteral("handoffFiles"));
        const auto found = files->findItems(name, Qt::MatchExactly);
        if (!found.isEmpty())
            files->setCurrentItem(found.front());
        return !found.isEmpty();
    };
    {
        HandoffWindow window(document, settings, user.path().toStdString(), nullptr);
        window.open();
        auto* tool = window.findChild<QComboBox*>(QStringLiteral("handoffTool"));
        auto* version = window.findChild<QComboBox*>(QStringLiteral("handoffVersion"));
        QTRY_VERIFY_WITH_TIMEOUT(tool->currentText() == QStringLiteral("vLLM"), 20'000);
        QVERIFY(version->isVisible());
        QCOMPARE(version->currentText(), QStringLiteral("0.24.0"));
        QTRY_VERIFY_WITH_TIMEOUT(chooseFile(window, QStringLiteral("serve.sh")), 20'000);
        QVERIFY(shown(window, "--max-num-seqs 128"));
        version->setFocus();
        QTest::keyClick(version, Qt::Key_Down);
        QCOMPARE(version->currentText(), QStringLiteral("0.11.0"));
        QTRY_VERIFY_WITH_TIMEOUT(
            chooseFile(window, QStringLiteral("serve.sh")) && shown(window, "--most-requests 128"), 20'000);
        QVERIFY(shown(window, "vLLM 0.11.0"));
        // A tool with one version has no list of them.
        tool->setCurrentIndex(tool->findData(QStringLiteral("sglang")));
        QVERIFY(!version->isVisible());
        tool->setCurrentIndex(tool->findData(QStringLiteral("vllm")));
        QCOMPARE(version->currentText(), QStringLiteral("0.11.0"));
    }
    QCOMPARE(settings.handoffVersions, QStringList{QStringLiteral("vllm@0.11.0")});
    {
        HandoffWindow window(document, settings, user.path().toStdString(), nullptr);
        window.open();
        const auto* version = window.findChild<QComboBox*>(QStringLiteral("handoffVersion"));
        QTRY_COMPARE_WITH_TIMEOUT(version->currentText(), QStringLiteral("0.11.0"), 20'000);
    }
    // A version that is wrong is said, and the shipped ones are there.
    QVERIFY(put("{\"id\": \"vllm\", \"version\": \"0.11.0\", \"of\": \"0.24\"}"));
    HandoffWindow window(document, settings, user.path().toStdString(), nullptr);
    window.open();
    const auto* note = window.findChild<QLabel*>(QStringLiteral("handoffNote"));
    QTRY_VERIFY_WITH_TIMEOUT(note->text().contains(QStringLiteral("vllm-0.11.0.json:/of")), 20'000);
    QTRY_VERIFY_WITH_TIMEOUT(chooseFile(window, QStringLiteral("serve.sh")), 20'000);
    QVERIFY(shown(window, "--max-num-seqs 128"));
}

void TestWindowPlan::figureIsExplained() {
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

void TestWindowPlan::nearestRunsLeadToTheValidation() {
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

void TestWindowPlan::publishedRunOpensAsScenario() {
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

QTEST_MAIN(TestWindowPlan)

} // namespace tst_window_plan

#include "tst_window_plan.moc"
