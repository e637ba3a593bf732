// SPDX-License-Identifier: GPL-3.0-or-later
// The page that sets scenarios side by side, driven by mouse and keyboard.
#include "tests/app/workspace_fixture.h"
#include "tests/views/gallery.h"
#include "views/compare/compare_bars.h"
#include "views/compare/compare_scatter.h"
#include "views/compare/compare_source.h"
#include "views/compare/compare_table.h"
#include "views/compare/compare_view.h"
#include "views/compare/machine_source.h"
#include "views/kit/rail.h"
#include "views/kit/segmented_buttons.h"
#include "views/start/samples.h"

#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <qcustomplot.h>

namespace tst_window_compare {

using data::ListedScenario;
using views::CompareView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

CompareView* pageOf(MainWindow& window) {
    for (QAction* action : window.findChild<views::Rail*>()->actions())
        if (action->data() == QLatin1String("compare"))
            action->trigger();
    return window.findChild<CompareView*>();
}

/// The window at the Compare page with a sample open.
struct CompareFixture : Fixture {
    CompareView* view = nullptr;

    explicit CompareFixture(const char* scenario = "llama-3.1-70b-64xp5.48xlarge") {
        files().openSample(QString::fromLatin1(scenario));
        settle();
        view = pageOf(*window);
        QTRY_VERIFY(view->isVisible());
        compared(1);
    }
    void compared(std::size_t scenarios) const {
        ::settle(); // what was changed is asked for in the next turn
        QTRY_VERIFY_WITH_TIMEOUT(!view->source()->busy() && view->source()->answer() &&
                                     view->source()->answer()->names.size() == scenarios,
                                 20'000);
        ::settle();
    }
    /// Chooses from the menu of the Add button, as a person does.
    void add(const QString& group, const QString& name) const {
        emit view->addMenu()->aboutToShow();
        QList<QAction*> actions = view->addMenu()->actions();
        for (QAction* each : std::as_const(actions))
            if (each->menu() != nullptr && each->text() == group)
                actions = each->menu()->actions();
        for (QAction* each : std::as_const(actions))
            if (each->text().startsWith(name))
                return each->trigger();
        QFAIL(qPrintable(name));
    }
    void addSamples(const QStringList& names) const {
        for (const QString& each : names)
            add(q("Samples"), each);
        compared(1 + static_cast<std::size_t>(names.size()));
    }
    QString cell(const char* key, int scenario) const {
        return view->table()->cells().find(q(key), scenario).data().toString();
    }
    void click(const char* key, int scenario) const {
        views::CompareTable* table = view->table();
        const QModelIndex index = table->cells().find(q(key), scenario);
        table->scrollTo(index);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
        table->setFocus();
    }
    QString name(int scenario) const {
        return QString::fromStdString(view->source()->answer()->names[static_cast<std::size_t>(scenario)]);
    }
};

} // namespace

class TestWindowCompare : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// The figures are those of the estimate, and the changes are against the baseline.
    void showsEstimatesSideBySide() {
        CompareFixture f;
        QVERIFY2(f.view->sentence().startsWith(q("One scenario")), qPrintable(f.view->sentence()));
        f.addSamples({sampleName("llama-3.1-70b-16xp6-b200.48xlarge")});
        const auto& answer = *f.view->source()->answer();
        QCOMPARE(answer.items[0]->estimate->training->stepTime, f.document().estimate()->training->stepTime);
        QCOMPARE(f.cell("cluster.instance", 0), q("p5.48xlarge"));
        QCOMPARE(f.cell("cluster.instance", 1), q("p6-b200.48xlarge"));
        QVERIFY(!f.view->table()->cells().find(q("workload.model"), 0).isValid()); // the same in both
        QVERIFY2(f.view->sentence().contains(q("different jobs")), qPrintable(f.view->sentence())); // tokens
        f.view->list().remove(1);
        ScenarioSpec fp8 = f.document().spec();
        fp8.plan.precision = "fp8";
        f.view->addScenario({.name = "FP8", .spec = fp8});
        f.compared(2);
        const QString words = f.view->sentence();
        QVERIFY2(words.contains(q("against")) || words.contains(q("all others")), qPrintable(words));
        // The open scenario is followed.
        QCOMPARE(f.document().setField(*findField("plan.micro_batch"), q("2")), QString());
        QTRY_COMPARE_WITH_TIMEOUT(f.cell("plan.micro_batch", 0).section(u' ', 0, 0), q("2"), 20'000);
        // All fields on request.
        for (auto* choice : f.view->findChildren<views::SegmentedButtons*>())
            if (choice->accessibleName() == q("Rows"))
                QTest::mouseClick(choice->button(1), Qt::LeftButton);
        QVERIFY(f.view->table()->cells().find(q("workload.model"), 0).isValid());
    }

    void everythingHasAKeyAndIsUndone() {
        CompareFixture f;
        f.addSamples(
            {sampleName("llama-3.1-70b-16xp6-b200.48xlarge"), sampleName("gpt-3-175b-128xp4d.24xlarge")});
        const QString first = f.name(0), second = f.name(1);
        f.click("verdict", 1);
        QTest::keyClick(f.view->table(), Qt::Key_B);
        f.compared(3);
        QCOMPARE(f.view->list().baseline(), 1);
        QCOMPARE(f.view->source()->answer()->comparison.baseline, 1U);
        QTest::keyClick(f.view->table(), Qt::Key_Left, Qt::AltModifier);
        f.compared(3);
        QCOMPARE(f.name(0), second);
        QCOMPARE(f.view->list().baseline(), 0); // it went along
        f.click("verdict", 2);
        QTest::keyClick(f.view->table(), Qt::Key_Delete);
        f.compared(2);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(f.window.get(), Qt::Key_Z, Qt::ControlModifier);
        f.compared(3);
        QCOMPARE(f.name(0), first);
        QCOMPARE(f.view->list().baseline(), 0);
        QCOMPARE(f.document().undoStack()->count(), 0); // undo of this page alone
    }

    void sortsByAFigure() {
        CompareFixture f;
        f.addSamples(
            {sampleName("llama-3.1-70b-16xp6-b200.48xlarge"), sampleName("llama-3.1-405b-2048xp5.48xlarge")});
        const auto steps = [&f] {
            std::vector<double> out;
            for (const auto& item : f.view->source()->answer()->items)
                out.push_back(item->estimate->training->stepTime);
            return out;
        };
        f.click("training.step_time_s", 0);
        QTest::keyClick(f.view->table(), Qt::Key_S);
        f.compared(3);
        QTRY_VERIFY(std::ranges::is_sorted(steps()));
        QTest::keyClick(f.view->table(), Qt::Key_S);
        f.compared(3);
        QTRY_VERIFY(std::ranges::is_sorted(steps(), std::ranges::greater{}));
    }

    void turnsAndCopies() {
        CompareFixture f;
        f.addSamples({sampleName("llama-3.1-70b-16xp6-b200.48xlarge")});
        f.view->copyAs(views::TableFormat::csv);
        const QString plain = QApplication::clipboard()->text();
        const double step = f.document().estimate()->training->stepTime;
        const QString line = QStringLiteral("training.step_time_s,%1,").arg(step, 0, 'g', 12);
        QVERIFY2(plain.contains(line), qPrintable(plain));
        f.view->copyAs(views::TableFormat::markdown);
        QVERIFY(QApplication::clipboard()->text().contains(q("| Instance |")) ||
                QApplication::clipboard()->text().contains(q("p6-b200.48xlarge |")));
        for (auto* choice : f.view->findChildren<views::SegmentedButtons*>())
            if (choice->accessibleName() == q("Scenarios as"))
                QTest::mouseClick(choice->button(1), Qt::LeftButton);
        QCOMPARE(f.view->table()->model()->rowCount(), 2);
        f.view->copyAs(views::TableFormat::csv);
        QCOMPARE(QApplication::clipboard()->text().count(u'\n'), 3);
        f.view->copyPicture();
        QVERIFY(!QApplication::clipboard()->pixmap().isNull());
    }

    /// A click in a picture chooses the scenario in the table and in the other pictures.
    void picturesChoose() {
        CompareFixture f;
        f.addSamples({sampleName("llama-3.1-70b-16xp6-b200.48xlarge")});
        QTest::mouseClick(f.view->steps()->plot(), Qt::LeftButton, {},
                          f.view->steps()->barRect(1).center().toPoint());
        QCOMPARE(f.view->table()->currentScenario(), 1);
        QTest::mouseClick(f.view->cost()->plot(), Qt::LeftButton, {}, f.view->cost()->placeOf(0).toPoint());
        QCOMPARE(f.view->table()->currentScenario(), 0);
        const double shown = f.view->steps()->textTable().rows.constFirst()[2].toDouble();
        QVERIFY(shown > 0);
    }

    /// Each machine gets a plan that runs and fits; the open scenario leads.
    void everyMachineInOneClick() {
        CompareFixture f("llama-3.1-8b-1xp5.4xlarge");
        QToolButton* go = nullptr;
        for (auto* each : f.view->findChildren<QToolButton*>())
            if (each->text().startsWith(q("Same Job")))
                go = each;
        QVERIFY(go != nullptr);
        QTest::mouseClick(go, Qt::LeftButton);
        QVERIFY(f.view->machines()->busy());
        QTRY_VERIFY_WITH_TIMEOUT(!f.view->machines()->busy(), 120'000);
        QTRY_VERIFY(f.view->list().size() > 2);
        f.compared(static_cast<std::size_t>(f.view->list().size()));
        const auto& items = f.view->source()->answer()->items;
        for (std::size_t i = 1; i < items.size(); ++i)
            QVERIFY2(items[i]->estimate && isUsable(*items[i]->estimate),
                     qPrintable(f.name(static_cast<int>(i))));
        QTest::keyClick(f.window.get(), Qt::Key_Z, Qt::ControlModifier);
        f.compared(1);
        // It can be given up.
        QTest::mouseClick(go, Qt::LeftButton);
        QTest::keyClick(f.view, Qt::Key_Escape);
        QVERIFY(!f.view->machines()->busy());
        QCOMPARE(f.view->list().size(), 1);
    }

    void twelveAreTheMost() {
        CompareFixture f;
        std::vector<ListedScenario> many(15, {.name = "x", .spec = f.document().spec()});
        QCOMPARE(f.view->list().add(many), 4);
        QCOMPARE(f.view->list().size(), 12);
        f.compared(12);
        f.view->addScenario(many.front());
        QVERIFY2(f.view->remark().contains(q("12")), qPrintable(f.view->remark()));
        for (int i = 0; i < 12; ++i)
            f.view->list().remove(0);
        QTRY_VERIFY(wordsOn(*f.view).contains(q("Nothing to compare")));
    }

    void scenariosWithoutAnEstimateSaySo() {
        CompareFixture f;
        ScenarioSpec wrong = f.document().spec();
        wrong.workload.model = "no-such-model";
        f.view->addScenario({.name = "wrong", .spec = wrong});
        f.compared(2);
        QCOMPARE(f.cell("verdict", 1), q("no estimate"));
        QVERIFY(f.view->table()
                    ->cells()
                    .find(q("verdict"), 1)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(q("no-such-model")));
    }

    void theWorkspaceKeepsIt() {
        WorkspaceFixture f;
        f.openAndEdit();
        CompareView* view = pageOf(f.window());
        ScenarioSpec spec = f.document().spec();
        spec.plan.precision = "fp8";
        view->addScenario({.name = "FP8", .spec = spec});
        view->addScenario({.kind = ListedScenario::Kind::stored,
                           .id = f.desk().keeper().scenario(),
                           .name = "s",
                           .spec = {}});
        view->list().setBaseline(1);
        f.settle();
        f.restart();
        view = pageOf(f.window());
        QTRY_COMPARE(view->list().size(), 3);
        QCOMPARE(view->list().baseline(), 1);
        QCOMPARE(view->list().scenarios()[1].name, std::string("FP8"));
        QTRY_VERIFY_WITH_TIMEOUT(view->source()->answer() && view->source()->answer()->items.size() == 3,
                                 20'000);
        QVERIFY(view->source()->answer()->items[2]->estimate != nullptr);
    }

    void nothingIsCutAtAnySize_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280x800") << QSize(1280, 800);
        QTest::newRow("1600x1000") << QSize(1600, 1000);
        QTest::newRow("2560x1440") << QSize(2560, 1440);
    }
    void nothingIsCutAtAnySize() {
        QFETCH(QSize, size);
        CompareFixture f;
        ScenarioSpec fp8 = f.document().spec();
        fp8.plan.precision = "fp8";
        f.view->addScenario({.name = "FP8", .spec = fp8});
        f.compared(2);
        f.add(q("Samples"), sampleName("llama-3.1-70b-16xp6-b200.48xlarge"));
        f.compared(3);
        f.click("verdict", 1);
        for (const auto choice : {views::ThemeChoice::light, views::ThemeChoice::dark}) {
            views::ThemeController::instance().setChoice(choice);
            f.window->resize(size);
            QTRY_COMPARE(f.window->size(), size);
            ::settle();
            for (const QWidget* part :
                 {static_cast<QWidget*>(f.view->table()), static_cast<QWidget*>(f.view->steps()),
                  static_cast<QWidget*>(f.view->memory()), static_cast<QWidget*>(f.view->cost())}) {
                QVERIFY(part->isVisible());
                const QRect place(part->mapTo(f.view, QPoint()), part->size());
                QVERIFY2(f.view->rect().contains(place), qPrintable(part->accessibleName()));
            }
            saveGrab(*f.window, q("compare-%1").arg(size.width()));
        }
        views::ThemeController::instance().setChoice(views::ThemeChoice::light);
    }

    void everyControlHasAName() {
        const CompareFixture f;
        for (const QWidget* widget : f.view->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
                widget->focusProxy() != nullptr)
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()),
                     widget->metaObject()->className());
        }
    }

private:
    static QString sampleName(const char* id) {
        for (const views::Sample& sample : views::samples())
            if (sample.id == QLatin1String(id))
                return sample.name;
        return {};
    }
};

QTEST_MAIN(TestWindowCompare)

} // namespace tst_window_compare

#include "tst_window_compare.moc"
