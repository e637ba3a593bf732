// SPDX-License-Identifier: GPL-3.0-or-later
// The page of fleets, driven by mouse and keyboard.
#include "app/window/fleet_desk.h"
#include "tests/app/workspace_fixture.h"
#include "views/fleet/fleet_form.h"
#include "views/fleet/fleet_plot.h"
#include "views/fleet/fleet_tables.h"
#include "views/fleet/fleet_view.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/kit/states.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <qcustomplot.h>

namespace tst_window_fleet {

using views::FleetView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

struct FleetFixture : Fixture {
    FleetView* view = nullptr;

    explicit FleetFixture(bool shown = true) {
        view = window->findChild<FleetView*>();
        if (shown)
            show();
    }
    void show() const {
        for (QAction* action : window->findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("fleet"))
                action->trigger();
        QTRY_VERIFY(view->isVisible());
    }
    void wait() const {
        QTRY_VERIFY_WITH_TIMEOUT(!view->isBusy(), 120'000);
        ::settle();
    }
    void openSample() const {
        QTest::mouseClick(view->empty()->button(), Qt::LeftButton);
        QTRY_VERIFY(view->isBusy() || view->answer());
        wait();
    }
    void type(const char* field, const char* words) const {
        QLineEdit* edit = view->form()->field(q(field));
        QVERIFY2(edit, field);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, q(words));
    }
    void ask() const {
        QTest::mouseClick(view->form()->button(), Qt::LeftButton);
        wait();
    }
    Cents total() const { return view->answer()->best->total; }
    QString shown(const char* name) const { return view->form()->field(q(name))->text(); }
    views::FleetDocument& fleet() const { return *view->fleet(); }
    void press(const QKeySequence& keys) const { QTest::keySequence(window.get(), keys); }
    void answer(QMessageBox::StandardButton button) const {
        QTRY_VERIFY(window->fleets().question() != nullptr);
        QTest::mouseClick(window->fleets().question()->button(button), Qt::LeftButton);
        QTRY_VERIFY(window->fleets().question() == nullptr);
    }
};

/// One service on one pool, which is planned in a moment.
QByteArray
smallFleet(const QByteArray& traffic = R"({"peak_requests_per_s": 60, "trough_requests_per_s": 6})") {
    return R"({"alidade": 1, "fleet": {"name": "Small",
        "services": [{"name": "chat", "scenario": "serve-llama-3.1-8b-1xp5.4xlarge",
                      "traffic": )" +
           traffic + R"(, "targets": {"ttft_slo_s": 0.5, "itl_slo_s": 0.03}}],
        "pools": [{"name": "small", "instance": "p5.4xlarge", "instances": 30, "region": "us-east-1"}]}})";
}

/// Ten minutes of two requests a second.
QByteArray smallTrace() {
    QByteArray out = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
    for (int i = 0; i < 1200; ++i)
        out += QStringLiteral("2023-11-16 08:%1:%2.%3,500,60\n")
                   .arg(i / 120, 2, 10, QLatin1Char('0'))
                   .arg(i / 2 % 60, 2, 10, QLatin1Char('0'))
                   .arg(i % 2 * 5)
                   .toUtf8();
    return out;
}

} // namespace

class TestWindowFleet : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void theSampleIsPlannedAndShown() {
        FleetFixture f;
        QVERIFY(f.view->empty()->isVisible());
        f.openSample();
        QVERIFY(!f.view->empty()->isVisible());
        QVERIFY(f.view->answer() && f.view->answer()->best);
        QVERIFY2(f.view->sentence().contains(q("all targets met")), qPrintable(f.view->sentence()));
        const FleetPlan& plan = *f.view->answer()->best;
        QCOMPARE(f.view->services()->cells()->rowCount(), static_cast<int>(plan.services.size()));
        int lines = 1; // and the total
        for (const PlannedPool& pool : plan.pools)
            lines += static_cast<int>(pool.lines.size());
        QCOMPARE(f.view->bill()->cells()->rowCount(), lines);
        // The picture reaches as high as the most instances, over seven days.
        const QCPRange days = f.view->plot()->axis(views::PlotAxis::x)->range();
        QCOMPARE(days.upper, 7.0);
        int most = 0;
        for (const PlannedPool& pool : plan.pools)
            most += pool.most;
        QVERIFY(f.view->plot()->axis(views::PlotAxis::y)->range().upper >= most);
    }

    void whatIsTypedIsPlanned() {
        FleetFixture f;
        f.openSample();
        const Cents before = f.total();
        f.type("rate-0", "2");
        f.ask();
        QVERIFY(f.total() > before);
        f.type("rate-0", "1");
        f.ask();
        QCOMPARE(f.total(), before);
        // Without the base everything is bought by the hour.
        QComboBox* base = f.view->form()->base(0);
        base->setFocus();
        QTest::keyClick(base, Qt::Key_Home);
        QCOMPARE(base->currentData().toString(), QString());
        f.ask();
        QVERIFY(f.total() > before);
    }

    void whatIsWrongIsSaidAndKeepsTheAnswer() {
        FleetFixture f;
        f.openSample();
        const auto before = f.view->answer();
        f.type("ttft-0", "soon");
        f.ask();
        QVERIFY2(f.view->form()->error().startsWith(q("chat, TTFT at most: ")),
                 qPrintable(f.view->form()->error()));
        QCOMPARE(f.view->answer(), before);
        f.type("ttft-0", "0.1 ms");
        f.ask();
        QCOMPARE(f.view->form()->error(), QString());
        QVERIFY(f.view->answer() && !f.view->answer()->best);
        QCOMPARE(f.view->sentence(), q("No plan"));
        QCOMPARE(f.view->services()->cells()->rowCount(), 0);
    }

    void aFileThatCannotBeReadLeavesTheOpenOne() {
        FleetFixture f;
        f.openSample();
        const auto before = f.view->answer();
        const QString name = folder_.filePath(q("broken.json"));
        write(name, "{\"alidade\": 1, \"fleet\": {\"services\": []}}");
        f.view->openFile(name);
        f.wait();
        QVERIFY2(f.view->sentence().contains(q("broken.json cannot be read")),
                 qPrintable(f.view->sentence()));
        QCOMPARE(f.view->answer(), before);
    }

    void aTraceBecomesTheTrafficOfAService() {
        FleetFixture f;
        f.openSample();
        QByteArray content = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
        for (int i = 0; i < 3600; ++i)
            content += QStringLiteral("2023-11-16 08:%1:%2,500,60\n")
                           .arg(i / 60, 2, 10, QLatin1Char('0'))
                           .arg(i % 60, 2, 10, QLatin1Char('0'))
                           .toUtf8();
        const QString name = folder_.filePath(q("trace.csv"));
        write(name, content);
        const Cents before = f.total();
        f.view->importTrace(0, name);
        f.wait();
        QVERIFY(f.view->answer()->best);
        QVERIFY(f.total() < before);
        QCOMPARE(*f.view->answer()->best->services[0].option.spec.workload.inputTokens, 500.0);
        // It is a step to undo.
        QVERIFY(f.fleet().isModified());
        f.press(QKeySequence::Undo);
        QVERIFY(!f.fleet().isModified());
        f.ask();
        QCOMPARE(f.total(), before);
    }

    void editsAreUndone() {
        FleetFixture f;
        const QString name = folder_.filePath(q("undone.json"));
        write(name, smallFleet());
        f.view->openFile(name);
        f.wait();
        const Cents before = f.total();
        f.type("rate-0", "3");
        f.type("itl-0", "40 ms"); // leaves the rate, which commits it
        QCOMPARE(f.fleet().undoStack()->count(), 1);
        QCOMPARE(f.fleet().undoStack()->undoText(), q("change chat, Rate, ×"));
        f.ask();
        QCOMPARE(f.fleet().undoStack()->count(), 2);
        QVERIFY(f.total() > before);
        QComboBox* base = f.view->form()->base(0);
        base->setFocus();
        QTest::keyClick(base, Qt::Key_Down);
        QCOMPARE(f.fleet().undoStack()->count(), 3);
        QVERIFY(f.fleet().isModified());
        f.press(QKeySequence::Undo);
        QCOMPARE(base->currentIndex(), 0);
        f.press(QKeySequence::Undo);
        QCOMPARE(f.shown("itl-0"), q("30 ms"));
        QCOMPARE(f.shown("rate-0"), q("3"));
        f.press(QKeySequence::Undo);
        QCOMPARE(f.shown("rate-0"), q("1"));
        QVERIFY(!f.fleet().isModified());
        f.press(QKeySequence::Redo);
        QCOMPARE(f.shown("rate-0"), q("3"));
        f.press(QKeySequence::Undo);
        f.ask();
        QCOMPARE(f.total(), before);
        // The scenario has its own steps.
        f.openSample();
        QVERIFY(!f.document().undoStack()->canUndo());
    }

    void aFleetFileIsOpenedOnItsPage() {
        FleetFixture f(false);
        const QString name = folder_.filePath(q("opened.json"));
        write(name, smallFleet());
        f.files().openFile(name);
        QTRY_COMPARE_WITH_TIMEOUT(f.window->page(), q("fleet"), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(f.view->answer(), 60'000);
        f.wait();
        QVERIFY(f.view->answer()->best);
        QCOMPARE(f.fleet().fileName(), name);
        QVERIFY(f.window->settings().recentFiles.contains(name));
        // No scenario is open: that it has no model is not an error.
        const auto* problems = f.window->findChild<QToolButton*>(q("problemCount"));
        QVERIFY(problems && !problems->isVisible());
        f.window->showView(q("plan"));
        QVERIFY(problems->isVisible());
    }

    void theSampleIsInMenuStartPageAndPalette() {
        FleetFixture f(false);
        f.window->showView(q("start"));
        bool isListed = false;
        for (QMenu* menu : f.window->findChildren<QMenu*>())
            for (QAction* action : menu->actions())
                isListed = isListed || action->text().startsWith(q("Fleet: "));
        QVERIFY(isListed);
        f.press(Qt::CTRL | Qt::Key_K);
        QTRY_VERIFY(f.window->locator().hasFocus());
        QTest::keyClicks(&f.window->locator(), q("fleet: chat"));
        const QStringList found = f.window->locator().shown();
        QVERIFY2(found.value(0).startsWith(q("Fleet: Chat")), qPrintable(found.join(u'\n')));
        QTest::keyClick(&f.window->locator(), Qt::Key_Escape);
        emit f.window->findChild<views::StartPage*>()->openFleet(q("chat-reasoning-batch"));
        QCOMPARE(f.window->page(), q("fleet"));
        f.wait();
        QVERIFY(f.view->answer() && f.view->answer()->best);
    }

    void theFleetIsSavedByTheKeyOfItsPage() {
        FleetFixture f;
        const QString name = folder_.filePath(q("saved.json"));
        write(name, smallFleet());
        f.view->openFile(name);
        f.wait();
        f.type("instances-0", "20");
        f.press(QKeySequence::Save); // with the field still in hand
        QTRY_VERIFY_WITH_TIMEOUT(!f.window->fleets().isSaving(), 20'000);
        QVERIFY(!f.fleet().isModified());
        const data::FleetReading again = data::readFleet(contentOf(name).toStdString(), name.toStdString());
        QVERIFY(again.file);
        QCOMPARE(again.file->fleet.pools[0].maxInstances, 20);
        f.press(QKeySequence::Undo);
        QVERIFY(f.fleet().isModified()); // the file has the edit
        const QString other = folder_.filePath(q("other.json"));
        f.window->fleets().saveTo(other);
        QTRY_VERIFY_WITH_TIMEOUT(!f.window->fleets().isSaving(), 20'000);
        QCOMPARE(f.fleet().fileName(), other);
        QVERIFY(!f.fleet().isModified());
        QCOMPARE(data::readFleet(contentOf(other).toStdString(), "other").file->fleet.pools[0].maxInstances,
                 30);
    }

    void unsavedEditsAreAskedFor() {
        FleetFixture f;
        const QString name = folder_.filePath(q("asked.json"));
        write(name, smallFleet());
        f.view->openFile(name);
        f.wait();
        f.type("spares-0", "2");
        f.window->fleets().openSample({});
        f.answer(QMessageBox::Cancel);
        QCOMPARE(f.fleet().fileName(), name);
        QCOMPARE(f.shown("spares-0"), q("2"));
        f.window->close(); // no workspace keeps them
        f.answer(QMessageBox::Save);
        QTRY_VERIFY_WITH_TIMEOUT(!f.window->isVisible(), 20'000);
        QCOMPARE(data::readFleet(contentOf(name).toStdString(), "asked").file->fleet.pools[0].spares, 2);
    }

    void aWorkspaceKeepsTheFleetWithItsEdits() {
        WorkspaceFixture w;
        const auto view = [&w] { return w.window().findChild<FleetView*>(); };
        const QString name = w.file(q("kept.json"));
        write(name, smallFleet());
        w.drop({name});
        QTRY_VERIFY_WITH_TIMEOUT(view()->answer(), 60'000);
        QCOMPARE(w.window().page(), q("fleet"));
        QLineEdit* spares = view()->form()->field(q("spares-0"));
        spares->setFocus();
        spares->selectAll();
        QTest::keyClicks(spares, q("3"));
        w.restart(); // without a question
        QTRY_VERIFY_WITH_TIMEOUT(view()->fleet()->isOpen(), 20'000);
        QCOMPARE(view()->form()->field(q("spares-0"))->text(), q("3"));
        QCOMPARE(view()->fleet()->fileName(), name);
        QVERIFY(view()->fleet()->isModified());
        QCOMPARE(contentOf(name), smallFleet());
        w.window().fleets().save();
        QTRY_VERIFY_WITH_TIMEOUT(!view()->fleet()->isModified(), 20'000);
        // Another workspace has none of it.
        w.session().create(w.file(q("Second.alidade")));
        QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), q("Second"), 20'000);
        QTRY_VERIFY(!view()->fleet()->isOpen());
        w.session().open(w.file());
        QTRY_COMPARE_WITH_TIMEOUT(w.session().name(), q("Plans"), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(view()->fleet()->isOpen(), 20'000);
        QVERIFY(!view()->fleet()->isModified());
    }

    void tracesArePlayed() {
        FleetFixture f;
        write(folder_.filePath(q("small.csv")), smallTrace());
        const QString name = folder_.filePath(q("played.json"));
        write(name, smallFleet(R"({"trace": "small.csv"})"));
        f.view->openFile(name);
        f.wait();
        views::FleetTables* tables = f.view->tables();
        tables->setCurrentIndex(2);
        ::settle();
        QVERIFY(tables->playButton()->isEnabled());
        QTest::mouseClick(tables->playButton(), Qt::LeftButton);
        f.wait();
        QCOMPARE(f.view->replays().size(), std::size_t{1});
        QCOMPARE(f.view->replays()[0].requests, std::uint64_t{1200});
        QVERIFY(f.view->replays()[0].meetsTargets);
        QCOMPARE(tables->replays()->cells()->rowCount(), 1);
        // A new plan has not been played.
        f.type("rate-0", "2");
        f.ask();
        QVERIFY(f.view->replays().empty());
        QCOMPARE(tables->replays()->cells()->rowCount(), 0);
    }

    void withoutATraceNothingIsPlayed() {
        FleetFixture f;
        const QString name = folder_.filePath(q("typed.json"));
        write(name, smallFleet());
        f.view->openFile(name);
        f.wait();
        QVERIFY(!f.view->tables()->playButton()->isEnabled());
    }
};

QTEST_MAIN(TestWindowFleet)

} // namespace tst_window_fleet

#include "tst_window_fleet.moc"
