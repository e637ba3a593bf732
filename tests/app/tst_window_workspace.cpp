// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "app/window/live_calibrations.h"
#include "app/window/live_desk.h"
#include "app/window/live_marks.h"
#include "app/window/profile_shelf.h"
#include "data/calibration/profile_writer.h"
#include "tests/app/program.h"
#include "tests/app/workspace_fixture.h"
#include "views/live/calibration_dialog.h"

#include <QComboBox>
#include <QStatusBar>

namespace tst_window_workspace {

class TestWindowWorkspace : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void sampleBecomesAScenarioWithItsFirstEdit();
    void everythingIsThereAfterARestart();
    void nothingCountsAsModified();
    void dragIsOneEdit();
    void dragThatEndsWhereItBeganIsNone();
    void undoAndRedoAreKeptToo();
    void closingKeepsTheLastEdit();
    void ctrlSNamesAVersion();
    void restoreIsUndoable();
    void historyShowsWhatDiffers();
    void renamingInTheLibraryRenamesTheDocument();
    void deletedScenarioComesBackWithItsHistory();
    void libraryHasAnUndoStackOfItsOwn();
    void secondWindowIsReadOnly();
    void copyOfAReadOnlyWorkspaceHasTheEdits();
    void unwrittenEditsAreNotLost();
    void otherFileIsRefused();
    void damagedWorkspaceIsLeftAlone();
    void unreadableMarksOfFindingsAreSaid();
    void switchingWorkspaces();
    void fileFromOutsideStaysAFile();
    void fileGoesIntoTheLibrary();
    void plannedScenarioIsKeptAtOnce();
    void titleNamesTheWorkspace();
    void fileOfAScenarioBringsItsCalibration();
    void profileOfAnotherScenarioIsNotUsed();

private:
    static void trigger(const MainWindow& window, const QString& name);
};

void TestWindowWorkspace::initTestCase() { beginWindowTest(); }

void TestWindowWorkspace::cleanup() { verifyNoWarnings(); }

/// An action of a menu, by its words without mnemonic.
void TestWindowWorkspace::trigger(const MainWindow& window, const QString& name) {
    for (QAction* action : window.findChildren<QAction*>())
        if (QString(action->text()).remove(QLatin1Char('&')) == name) {
            QVERIFY2(action->isEnabled(), qPrintable(name));
            action->trigger();
            return;
        }
    QFAIL(qPrintable(name));
}

void TestWindowWorkspace::sampleBecomesAScenarioWithItsFirstEdit() {
    WorkspaceFixture w;
    w.f->files().openSample(QStringLiteral("llama-3.1-70b-64xp5.48xlarge"));
    QCOMPARE(w.desk().keeper().scenario(), data::WorkspaceId(0));
    QVERIFY(w.names().isEmpty());
    const QString sample = w.document().displayName();
    w.set("plan.micro_batch", QStringLiteral("2"));
    w.settle();
    QCOMPARE(w.names(), QStringList{sample});
    QCOMPARE(w.historyTexts().size(), 2);
    QCOMPARE(w.historyTexts().first(), QStringLiteral("Copy of a sample"));
    QVERIFY2(w.historyTexts().last().contains(QStringLiteral("to 2")), qPrintable(w.historyTexts().last()));
    // The first entry is the sample as it was shipped.
    const auto first = data::readScenario(w.desk().history().versions().front().json, "");
    QVERIFY(first && first->plan.microBatch != 2);
}

void TestWindowWorkspace::everythingIsThereAfterARestart() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.window().plan().dock(QStringLiteral("cost"))->close();
    const data::WorkspaceId id = w.desk().keeper().scenario();
    w.settle();
    const std::string json = data::writeScenario(w.document().spec());
    const QStringList history = w.historyTexts();
    QCOMPARE(history.size(), 3);

    w.restart();
    QCOMPARE(w.desk().keeper().scenario(), id);
    QCOMPARE(data::writeScenario(w.document().spec()), json);
    QCOMPARE(w.window().page(), QStringLiteral("plan"));
    QTRY_COMPARE_WITH_TIMEOUT(w.historyTexts(), history, 20'000);
    QVERIFY(!w.window().plan().dock(QStringLiteral("cost"))->isVisible());
    // And it goes on from there.
    w.set("plan.micro_batch", QStringLiteral("4"));
    w.settle();
    QCOMPARE(w.historyTexts().size(), history.size() + 1);
}

void TestWindowWorkspace::nothingCountsAsModified() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    QVERIFY(!w.window().isWindowModified());
    w.f->files().openSample(QStringLiteral("llama-3.1-8b-8xp5.48xlarge"));
    QVERIFY(w.f->files().question() == nullptr);
    w.set("plan.micro_batch", QStringLiteral("2"));
    w.window().close();
    QVERIFY(w.f->files().question() == nullptr);
    QTRY_VERIFY(!w.window().isVisible());
}

void TestWindowWorkspace::dragIsOneEdit() {
    WorkspaceFixture w;
    w.openAndEdit();
    const qsizetype before = w.historyTexts().size();
    w.drag("workload.global_batch", {QStringLiteral("1200"), QStringLiteral("1300"), QStringLiteral("1400")});
    w.settle();
    QCOMPARE(w.historyTexts().size(), before + 1);
    QVERIFY2(w.historyTexts().last().contains(QStringLiteral("1400")), qPrintable(w.historyTexts().last()));
    // The next one is another, also without a pause.
    w.drag("workload.global_batch", {QStringLiteral("1500"), QStringLiteral("1600")});
    w.drag("plan.micro_batch", {QStringLiteral("1"), QStringLiteral("4")});
    w.settle();
    QCOMPARE(w.historyTexts().size(), before + 3);
    QVERIFY(w.historyTexts().at(before + 1).contains(QStringLiteral("1600")));
}

void TestWindowWorkspace::dragThatEndsWhereItBeganIsNone() {
    WorkspaceFixture w;
    w.openAndEdit();
    const QStringList before = w.historyTexts();
    w.drag("plan.micro_batch", {QStringLiteral("4"), QStringLiteral("2")});
    w.settle();
    QCOMPARE(w.historyTexts(), before);
}

void TestWindowWorkspace::undoAndRedoAreKeptToo() {
    WorkspaceFixture w;
    w.openAndEdit();
    const std::string edited = data::writeScenario(w.document().spec());
    trigger(w.window(),
            w.window().findChild<QAction*>(QStringLiteral("undo"))->text().remove(QLatin1Char('&')));
    w.settle();
    QVERIFY2(w.historyTexts().last().startsWith(QStringLiteral("Undo set ")),
             qPrintable(w.historyTexts().last()));
    w.document().undoStack()->redo();
    w.settle();
    QVERIFY2(w.historyTexts().last().startsWith(QStringLiteral("Redo set ")),
             qPrintable(w.historyTexts().last()));
    QCOMPARE(w.desk().history().versions().back().json, edited);
}

void TestWindowWorkspace::closingKeepsTheLastEdit() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.drag("plan.micro_batch", {QStringLiteral("4")}); // not committed yet
    w.restart();
    QCOMPARE(*w.document().spec().plan.microBatch, 4);
}

void TestWindowWorkspace::ctrlSNamesAVersion() {
    WorkspaceFixture w;
    w.openAndEdit();
    trigger(w.window(), QStringLiteral("Save"));
    VersionBar* bar = w.desk().versionBar();
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->field()->text(), QStringLiteral("Version 1"));
    QTest::keyClick(bar->field(), Qt::Key_Escape);
    QVERIFY(!bar->isVisible());
    QCOMPARE(w.desk().history().versions().back().name, std::string());

    w.desk().save();
    QTest::keyClicks(bar->field(), QStringLiteral("As offered"));
    QTest::keyClick(bar->field(), Qt::Key_Return);
    QVERIFY(!bar->isVisible());
    QCOMPARE(text(w.desk().history().versions().back().name), QStringLiteral("As offered"));
    w.desk().save();
    QTest::keyClick(bar->field(), Qt::Key_Return);
    w.restart();
    QTRY_VERIFY(!w.desk().history().versions().empty());
    QCOMPARE(text(w.desk().history().versions().back().name), QStringLiteral("Version 1"));
}

void TestWindowWorkspace::restoreIsUndoable() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.set("plan.pipeline_parallel", QStringLiteral("8"));
    w.settle();
    const std::string before = data::writeScenario(w.document().spec());
    views::HistoryView* view = w.window().plan().history();
    w.window().plan().raise(QStringLiteral("history"));
    view->choose(1); // the sample as it was
    QVERIFY(view->restoreAction()->isEnabled());
    view->restoreAction()->trigger();
    const ScenarioSpec sample = test::sampleSpec("llama-3.1-70b-64xp5.48xlarge");
    QVERIFY(views::differencesOf(w.document().spec(), sample).isEmpty());
    w.settle();
    QVERIFY2(w.historyTexts().last().startsWith(QStringLiteral("Restore ")),
             qPrintable(w.historyTexts().last()));
    w.document().undoStack()->undo();
    QCOMPARE(data::writeScenario(w.document().spec()), before);
}

void TestWindowWorkspace::historyShowsWhatDiffers() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.settle();
    views::HistoryView* view = w.window().plan().history();
    w.window().plan().raise(QStringLiteral("history"));
    view->choose(2); // before the tensor degree was set
    const QList<views::FieldDifference> differences = view->differences();
    QCOMPARE(differences.size(), 1);
    QCOMPARE(differences.first().path, QStringLiteral("plan.tensor_parallel"));
    QCOMPARE(differences.first().now, QStringLiteral("2"));
    view->choose(3);
    QVERIFY(view->differences().isEmpty());
    QVERIFY(!view->restoreAction()->isEnabled());
}

void TestWindowWorkspace::renamingInTheLibraryRenamesTheDocument() {
    WorkspaceFixture w;
    w.openAndEdit();
    const data::WorkspaceId id = w.desk().keeper().scenario();
    QCOMPARE(w.library().rename(id, QStringLiteral("Tender B")), QString());
    QCOMPARE(w.document().displayName(), QStringLiteral("Tender B"));
    QVERIFY(w.window().windowTitle().contains(QStringLiteral("Tender B")));
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.settle();
    QCOMPARE(w.scenarioName(), QStringLiteral("Tender B"));
    w.library().undoStack()->undo(); // the name only
    QVERIFY(w.document().displayName() != QStringLiteral("Tender B"));
    QCOMPARE(*w.document().spec().plan.tensorParallel, 2);
    w.restart();
    QCOMPARE(*w.document().spec().plan.tensorParallel, 2);
}

void TestWindowWorkspace::deletedScenarioComesBackWithItsHistory() {
    WorkspaceFixture w;
    w.openAndEdit();
    const data::WorkspaceId id = w.desk().keeper().scenario();
    const QStringList history = w.historyTexts();
    w.library().remove({id});
    QVERIFY(w.names().isEmpty());
    QCOMPARE(w.desk().keeper().scenario(), data::WorkspaceId(0));
    QVERIFY(!w.window().isWindowModified());
    w.library().undoStack()->undo();
    QCOMPARE(w.desk().keeper().scenario(), id);
    QTRY_COMPARE(w.historyTexts(), history);
    // Without undo the next edit makes its own scenario.
    w.library().remove({id});
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.settle();
    QVERIFY(w.desk().keeper().scenario() != 0);
    QVERIFY(w.desk().keeper().scenario() != id);
}

void TestWindowWorkspace::libraryHasAnUndoStackOfItsOwn() {
    WorkspaceFixture w;
    w.openAndEdit();
    QAction* undo = w.window().findChild<QAction*>(QStringLiteral("undo"));
    w.window().showView(QStringLiteral("library"));
    QCOMPARE(w.library().rename(w.desk().keeper().scenario(), QStringLiteral("Other")), QString());
    QVERIFY2(undo->text().contains(QStringLiteral("rename")), qPrintable(undo->text()));
    undo->trigger();
    QVERIFY(w.scenarioName() != QStringLiteral("Other"));
    QCOMPARE(*w.document().spec().plan.microBatch, 2);
    w.window().showView(QStringLiteral("plan"));
    QVERIFY2(undo->text().contains(QStringLiteral("set ")), qPrintable(undo->text()));
}

void TestWindowWorkspace::secondWindowIsReadOnly() {
    WorkspaceFixture w;
    w.openAndEdit();
    Fixture second;
    WorkspaceSession& session = second.window->library().session();
    session.open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(!session.isOpening(), 20'000);
    QVERIFY(session.isOpen());
    QVERIFY(!session.isWritable());
    QVERIFY2(second.window->notice().sentence().contains(QStringLiteral("read-only")),
             qPrintable(second.window->notice().sentence()));
    QVERIFY(noticeButton(*second.window, QStringLiteral("Save a Copy…")) != nullptr);
    QCOMPARE(second.document().displayName(), w.document().displayName());
    // Its library does not change anything.
    const auto before = session.content();
    session.library().remove({w.desk().keeper().scenario()});
    QVERIFY(session.content() == before);
    // The first one goes on.
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.settle();
    QVERIFY(!session.writer().fault());
}

void TestWindowWorkspace::copyOfAReadOnlyWorkspaceHasTheEdits() {
    WorkspaceFixture w;
    w.openAndEdit();
    Fixture second;
    WorkspaceSession& session = second.window->library().session();
    session.open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(session.isOpen(), 20'000);
    QCOMPARE(second.document().setField(*findField("plan.tensor_parallel"), QStringLiteral("2")), QString());
    QVERIFY(second.window->isWindowModified()); // it is kept nowhere
    session.saveCopy(w.file(QStringLiteral("Copy.alidade")));
    QTRY_VERIFY_WITH_TIMEOUT(session.isWritable(), 20'000);
    QCOMPARE(session.name(), QStringLiteral("Copy"));
    QVERIFY(!second.window->isWindowModified());
    QTRY_COMPARE_WITH_TIMEOUT(session.writer().pending(), std::size_t(0), 20'000);
    second.window.reset();
    w.start(QStringLiteral("Copy.alidade"));
    QCOMPARE(*w.document().spec().plan.tensorParallel, 2);
}

void TestWindowWorkspace::unwrittenEditsAreNotLost() {
    WorkspaceFixture w;
    w.openAndEdit();
    // The file is taken away behind the window's back.
    QVERIFY(QFile::rename(w.file(), w.file(QStringLiteral("Elsewhere.alidade"))));
    w.set("plan.tensor_parallel", QStringLiteral("2"));
    w.desk().keeper().flush();
    QTRY_VERIFY_WITH_TIMEOUT(w.session().writer().fault().has_value(), 20'000);
    QVERIFY2(w.window().notice().sentence().contains(QStringLiteral("could not be written")),
             qPrintable(w.window().notice().sentence()));
    QVERIFY(noticeButton(w.window(), QStringLiteral("Save a Copy…")) != nullptr);
    QVERIFY(w.session().stateText() == QStringLiteral("Not on the disk yet"));
    w.window().close();
    QVERIFY(w.window().isVisible()); // it asks first
    QVERIFY(w.session().question() != nullptr);
    w.session().question()->reject();
    // Once the file is there again, everything is written.
    QVERIFY(QFile::rename(w.file(QStringLiteral("Elsewhere.alidade")), w.file()));
    QPushButton* again = noticeButton(w.window(), QStringLiteral("Try Again"));
    QVERIFY(again != nullptr);
    QTest::mouseClick(again, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(w.session().writer().pending(), std::size_t(0), 20'000);
    w.restart();
    QCOMPARE(*w.document().spec().plan.tensorParallel, 2);
}

void TestWindowWorkspace::otherFileIsRefused() {
    WorkspaceFixture w;
    w.openAndEdit();
    write(w.file(QStringLiteral("Other.alidade")), "no workspace at all");
    w.session().open(w.file(QStringLiteral("Other.alidade")));
    QTRY_VERIFY_WITH_TIMEOUT(w.window().notice().sentence().contains(QStringLiteral("Other.alidade")),
                             20'000);
    QCOMPARE(w.session().name(), QStringLiteral("Plans"));
    w.set("plan.tensor_parallel", QStringLiteral("2")); // the present one goes on
    w.settle();
    QVERIFY(w.session().isWritable());
}

void TestWindowWorkspace::damagedWorkspaceIsLeftAlone() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.settle();
    w.f->window->close();
    QTRY_VERIFY(!w.f->window->isVisible());
    w.f.reset();
    QFile file(w.file());
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray whole = file.readAll();
    QVERIFY(file.resize(whole.size() / 2));
    file.close();
    const QByteArray damaged = contentOf(w.file());
    w.start();
    QTRY_VERIFY_WITH_TIMEOUT(w.window().damage().sentence().contains(QStringLiteral("is damaged")), 20'000);
    QVERIFY(noticeButton(w.window(), QStringLiteral("Open a Repaired Copy")) != nullptr);
    QVERIFY(!w.session().isOpen());
    QCOMPARE(contentOf(w.file()), damaged); // nothing was done to it
    // What is said of other things takes its own place.
    w.session().create(w.file(QStringLiteral("Second.alidade")));
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Second"), 20'000);
    w.session().open(w.file(QStringLiteral("None.alidade")));
    QTRY_VERIFY_WITH_TIMEOUT(w.window().notice().sentence().contains(QStringLiteral("None")), 20'000);
    QVERIFY(w.window().damage().sentence().contains(QStringLiteral("is damaged")));
    QVERIFY(w.window().damage().isVisible());
}

void TestWindowWorkspace::unreadableMarksOfFindingsAreSaid() {
    WorkspaceFixture w;
    w.session().keepSetting("health_marks", "no marks at all");
    w.settle();
    Fixture second;
    const QSignalSpy failed(&second.window->live().marks(), &LiveMarks::failed);
    WorkspaceSession& session = second.window->library().session();
    session.open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(!session.isOpening(), 20'000);
    QVERIFY(!failed.isEmpty());
    QCOMPARE(failed[0][0].toString(), QStringLiteral("Acknowledged and muted findings could not be read"));
    QVERIFY(!failed[0][1].toString().isEmpty());
}

void TestWindowWorkspace::switchingWorkspaces() {
    WorkspaceFixture w;
    w.openAndEdit();
    w.drag("plan.micro_batch", {QStringLiteral("4")});
    w.session().create(w.file(QStringLiteral("Second.alidade")));
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Second"), 20'000);
    QVERIFY(w.names().isEmpty());
    QCOMPARE(w.window().page(), QStringLiteral("library"));
    QVERIFY(!w.window().isWindowModified());
    w.f->files().openSample(QStringLiteral("llama-3.1-8b-8xp5.48xlarge"));
    w.set("plan.micro_batch", QStringLiteral("2"));
    w.settle();
    const QStringList second = w.names();
    QCOMPARE(second.size(), 1);
    w.session().open(w.file());
    QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), QStringLiteral("Plans"), 20'000);
    QVERIFY(w.names() != second);
    QCOMPARE(*w.document().spec().workload.model, std::string("llama-3.1-70b"));
    QCOMPARE(*w.document().spec().plan.microBatch, 4); // under way when it was left
}

void TestWindowWorkspace::fileFromOutsideStaysAFile() {
    WorkspaceFixture w;
    const QString file = w.writeSample(QStringLiteral("outside.json"));
    w.openFile(file);
    QCOMPARE(w.document().fileName(), file);
    QVERIFY(!w.desk().keeper().keeps());
    w.set("plan.micro_batch", QStringLiteral("2"));
    QVERIFY(w.window().isWindowModified());
    w.settle();
    QVERIFY(w.names().isEmpty());
    w.desk().save();
    QTRY_VERIFY(!w.window().isWindowModified());
    QVERIFY(contentOf(file).contains("\"micro_batch\": 2"));
}

void TestWindowWorkspace::fileGoesIntoTheLibrary() {
    WorkspaceFixture w;
    w.openAndEdit();
    const QString file = w.writeSample(QStringLiteral("outside.json"));
    const QByteArray before = contentOf(file);
    w.openFile(file);
    QPushButton* add = noticeButton(w.window(), QStringLiteral("Add to Library"));
    QVERIFY(add != nullptr);
    QTest::mouseClick(add, Qt::LeftButton);
    QVERIFY(w.names().contains(QStringLiteral("outside")));
    QVERIFY(w.document().fileName().isEmpty());
    w.set("plan.micro_batch", QStringLiteral("2"));
    QVERIFY(!w.window().isWindowModified());
    w.settle();
    QCOMPARE(w.scenarioName(), QStringLiteral("outside"));
    QCOMPARE(contentOf(file), before);
}

void TestWindowWorkspace::plannedScenarioIsKeptAtOnce() {
    WorkspaceFixture w;
    ScenarioSpec spec = test::sampleSpec("llama-3.1-8b-8xp5.48xlarge");
    spec.name = "My run";
    w.f->files().openSpec(spec, FileSession::Origin::planned);
    QCOMPARE(w.names(), QStringList{QStringLiteral("My run")});
    QVERIFY(w.desk().keeper().scenario() != 0);
}

void TestWindowWorkspace::titleNamesTheWorkspace() {
    WorkspaceFixture w;
    w.openAndEdit();
    QVERIFY2(w.window().windowTitle().contains(QStringLiteral("Plans")),
             qPrintable(w.window().windowTitle()));
    const auto lists = w.window().findChildren<QComboBox*>();
    const auto list = std::ranges::find(lists, QStringLiteral("Scenario"), &QComboBox::accessibleName);
    QVERIFY(list != lists.end());
    QCOMPARE((*list)->itemText(0), w.document().displayName());
}

/// The command line reads what was exported or saved, with the calibration that the workspace keeps.
void TestWindowWorkspace::fileOfAScenarioBringsItsCalibration() {
    WorkspaceFixture w;
    w.openAndEdit();
    Profile slow = w.document().catalog()->defaultProfile;
    slow.name = "Cluster of May";
    for (Parameter& each : slow.parameters)
        if (each.name.starts_with("gemm"))
            each.value *= 0.7;
    const QString name =
        ProfileShelf(w.library())
            .add(QStringLiteral("Cluster of May"), data::writeProfile(slow, data::ProfileOrigin{}));
    QTRY_VERIFY_WITH_TIMEOUT(w.document().catalog()->profile(name.toStdString()) != nullptr, 20'000);
    w.document().setFields({{"calibration", name.toStdString()}}, QStringLiteral("calibrate"));
    w.settle();

    const auto exported = [&w](const QString& file) {
        w.desk().exportScenario();
        auto* dialog = w.window().findChild<QFileDialog*>();
        emit dialog->fileSelected(file);
        delete dialog;
    };
    const auto estimated = [](const QString& file, const QStringList& more = {}) {
        return test::Program().run(QStringList{QStringLiteral("estimate"), file, QStringLiteral("--json")} +
                                   more);
    };
    const QDir folder(w.folder.path());
    folder.mkdir(QStringLiteral("exported"));
    folder.mkdir(QStringLiteral("saved"));
    folder.mkdir(QStringLiteral("taken"));
    const QString first = folder.filePath(QStringLiteral("exported/plan.json"));
    exported(first);
    QTRY_COMPARE_WITH_TIMEOUT(w.window().notice().sentence(), QStringLiteral("Wrote plan.json"), 20'000);
    const test::Outcome outcome = estimated(first);
    QVERIFY2(outcome.status == 0, outcome.err.constData());
    const test::Outcome uncalibrated =
        estimated(first, {QStringLiteral("--calibration"), QStringLiteral("default")});
    QCOMPARE(uncalibrated.status, 0);
    QVERIFY(outcome.out != uncalibrated.out);

    // A file of the calibration's name that is something else stays what it is.
    write(folder.filePath(QStringLiteral("taken/Cluster of May")), "minutes of the meeting");
    exported(folder.filePath(QStringLiteral("taken/plan.json")));
    QTRY_COMPARE_WITH_TIMEOUT(w.window().notice().sentence(), QStringLiteral("plan.json was not written"),
                              20'000);
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("taken/plan.json"))));

    const QString second = folder.filePath(QStringLiteral("saved/plan.json"));
    w.f->files().saveTo(second);
    QTRY_VERIFY_WITH_TIMEOUT(!w.f->files().isSaving(), 20'000);
    QVERIFY(!w.document().isModified());
    const test::Outcome saved = estimated(second);
    QVERIFY2(saved.status == 0, saved.err.constData());
}

/// The card of a kept profile says whether the open scenario uses it, whichever that is.
void TestWindowWorkspace::profileOfAnotherScenarioIsNotUsed() {
    WorkspaceFixture w;
    w.openAndEdit();
    ProfileShelf shelf(w.library());
    LiveCalibrations calibrations(w.document(), shelf, w.window());
    QString aside, detail;
    connect(&calibrations, &LiveCalibrations::noted, this, [&](const QString& first, const QString& second) {
        aside = first;
        detail = second;
    });
    calibrations.fitStepTime(12);
    QTRY_VERIFY_WITH_TIMEOUT(calibrations.dialog()->result().has_value(), 60'000);
    emit calibrations.dialog()->saveRequested(QStringLiteral("Cluster of May"));
    QCOMPARE(aside, QStringLiteral("not applied"));
    QVERIFY(detail.contains(QStringLiteral("Cluster of May")));
    QTRY_VERIFY_WITH_TIMEOUT(w.document().catalog()->profile("Cluster of May") != nullptr, 20'000);
    emit calibrations.dialog()->useRequested(QStringLiteral("Cluster of May"));
    QCOMPARE(aside, QStringLiteral("used by this scenario"));
    w.settle();
    // Another scenario has its own calibration.
    w.f->files().openSample(QStringLiteral("llama-3.1-8b-8xp5.48xlarge"));
    QTRY_COMPARE_WITH_TIMEOUT(aside, QStringLiteral("not applied"), 20'000);
    QVERIFY(detail.contains(QStringLiteral("does not use it")));
}

QTEST_MAIN(TestWindowWorkspace)

} // namespace tst_window_workspace

#include "tst_window_workspace.moc"
