// SPDX-License-Identifier: GPL-3.0-or-later
// Baselines: pinned, chosen and hidden by key, and the differences that the views show.
#include "app/window/baseline_desk.h"
#include "tests/app/workspace_fixture.h"
#include "tests/views/gallery.h"
#include "views/cost/cost_view.h"
#include "views/document/baselines.h"
#include "views/kit/band_label.h"
#include "views/kit/data_table_view.h"
#include "views/kit/step_bar.h"
#include "views/layers/layers_model.h"
#include "views/layers/layers_view.h"
#include "views/library/history_view.h"
#include "views/memory/memory_plot.h"
#include "views/memory/memory_view.h"
#include "views/serving/load_plot.h"
#include "views/serving/load_view.h"
#include "views/serving/percentile_plot.h"
#include "views/serving/percentile_view.h"
#include "views/timeline/timeline_plot.h"
#include "views/timeline/timeline_view.h"

#include <QMenu>
#include <QPointer>

#include <initializer_list>

namespace tst_window_baseline {

using views::Figure;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

struct BaselineFixture : Fixture {
    explicit BaselineFixture(const char* scenario = "llama-3.1-70b-64xp5.48xlarge") {
        files().openSample(QString::fromLatin1(scenario));
        settle();
    }
    views::Baselines& baselines() const { return document().baselines(); }
    void key(int key, Qt::KeyboardModifiers with = {}) const {
        QTest::keyClick(window.get(), static_cast<Qt::Key>(key), with);
    }
    void set(const char* path, const char* value) {
        QCOMPARE(document().setField(*findField(path), q(value)), QString());
        settle();
    }
    /// The difference of what is shown now is known.
    void known() const {
        QTRY_VERIFY_WITH_TIMEOUT(!document().busy() && baselines().difference() != nullptr &&
                                     baselines().difference()->after == document().estimate(),
                                 20'000);
        ::settle();
    }
    Figure figure(const char* label) const {
        for (const auto* each : window->plan().summary()->findChildren<views::BandLabel*>())
            if (each->figure().label.startsWith(q(label)))
                return each->figure();
        return {};
    }
    views::StepBar* bar() const { return window->plan().summary()->findChild<views::StepBar*>(); }
    bool differenceColumn() const {
        const auto* tree = window->findChild<views::LayersView*>()->findChild<views::DataTreeView*>();
        return !tree->isColumnHidden(static_cast<int>(views::LayerColumn::difference));
    }
};

} // namespace

class TestWindowBaseline : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void everyViewShowsTheDifference() {
        BaselineFixture f;
        const double before = f.document().estimate()->training->stepTime;
        QVERIFY(f.figure("Step time").difference.isEmpty());
        QVERIFY(!f.bar()->hasBaseline());
        f.key(Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(f.baselines().list().size(), 1U);
        f.known();
        QCOMPARE(f.figure("Step time").difference, q("as the baseline"));
        f.set("plan.recompute", "full");
        f.known();
        const double after = f.document().estimate()->training->stepTime;
        QVERIFY(after > before);
        const Figure step = f.figure("Step time");
        QVERIFY2(step.difference.startsWith(u'+') && step.difference.contains(q(" %")),
                 qPrintable(step.difference));
        // The bars share a scale: the longer one fills the width.
        QVERIFY(std::abs(f.bar()->baselineRect().width() / f.bar()->width() - before / after) < 1e-6);
        QVERIFY(f.differenceColumn());
        const auto& memory =
            f.window->findChild<views::MemoryView*>()->findChild<views::MemoryPlot*>()->data();
        QCOMPARE(memory.baseline.size(), memory.stages.size());
        QVERIFY(memory.baseline[memory.worst] >
                memory.stages[memory.worst].total); // recomputed: less is kept
        f.window->showView(q("cost"));
        ::settle();
        const auto* cost = f.window->findChild<views::CostView*>();
        bool found = false;
        for (const auto* table : cost->findChildren<views::DataTableView*>())
            if (table->accessibleName() == q("Lines of the cost")) {
                found = true;
                QVERIFY(!table->isColumnHidden(4));
                QVERIFY(table->model()->index(0, 4).data().toString().startsWith(u'+'));
            }
        QVERIFY(found);
        // One key hides all of it, and brings it back.
        f.key(Qt::Key_B);
        ::settle();
        QVERIFY(f.figure("Step time").difference.isEmpty());
        QVERIFY(!f.bar()->hasBaseline() && !f.differenceColumn());
        f.key(Qt::Key_B);
        f.known();
        QVERIFY(!f.figure("Step time").difference.isEmpty());
    }

    /// What both plans share cancels: another price alone is certain, a small change of plan is not.
    void grayWithinTheError() {
        BaselineFixture f;
        f.key(Qt::Key_B); // with none yet, it pins
        QCOMPARE(f.baselines().list().size(), 1U);
        f.set("cluster.purchase", "custom");
        f.set("cluster.dollars_per_instance_hour", "50");
        f.known();
        const Figure cost = f.figure("Cost of the run");
        QVERIFY2(!cost.difference.contains(q("within")), qPrintable(cost.difference));
        QCOMPARE(cost.trend, f.baselines().difference()->change("cost.dollars_per_run")->difference() < 0
                                 ? Figure::Trend::better
                                 : Figure::Trend::worse);
        QCOMPARE(f.figure("Step time").difference, q("as the baseline"));
        f.set("plan.micro_batch", "2");
        f.known();
        const FigureChange& step = *f.baselines().difference()->change("training.step_time_s");
        QVERIFY(step.before != step.after);
        QCOMPARE(f.figure("Step time").difference.contains(q("within the error")), !step.certain);
        QCOMPARE(f.figure("Step time").trend == Figure::Trend::uncertain, !step.certain);
    }

    void pinningIsUndone() {
        BaselineFixture f;
        f.set("plan.micro_batch", "2");
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.set("plan.recompute", "full");
        f.key(Qt::Key_B, Qt::ShiftModifier);
        QCOMPARE(f.baselines().list().size(), 2U);
        QVERIFY(f.baselines().list()[0].name != f.baselines().list()[1].name);
        f.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(f.baselines().list().size(), 1U);
        // The older pin was made before the last edit, but belongs to the same stack.
        f.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(f.baselines().list().size(), 0U);
        f.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!f.document().spec().plan.recompute ||
                f.document().spec().plan.recompute != std::vector<std::string>{"full"});
    }

    void severalAreChosenFromTheMenu() {
        BaselineFixture f;
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.set("plan.micro_batch", "2");
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.known();
        QCOMPARE(f.baselines().current(), 1);
        QAction* first = nullptr;
        for (QAction* action : f.window->baselines().menu()->actions())
            if (action->text() == text(f.baselines().list()[0].name))
                first = action;
        QVERIFY(first != nullptr && !first->icon().isNull());
        first->trigger();
        f.known();
        QCOMPARE(f.baselines().current(), 0);
        QCOMPARE(f.baselines().difference()->name, text(f.baselines().list()[0].name));
        f.baselines().rename(0, q("as planned"));
        f.known();
        QCOMPARE(f.baselines().difference()->name, q("as planned"));
        f.baselines().remove(0);
        QCOMPARE(f.baselines().list().size(), 1U);
        f.known();
    }

    /// Triggering an item renews the items, among them the one whose signal it is.
    void theChosenOneKeepsItsTick() {
        BaselineFixture f;
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.set("plan.micro_batch", "2");
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.known();
        QMenu* menu = f.window->baselines().menu();
        const auto name = [&f](std::size_t place) { return text(f.baselines().list()[place].name); };
        const auto itemOf = [menu](const QString& words) -> QAction* {
            for (QAction* each : menu->actions())
                if (each->text() == words)
                    return each;
            return nullptr;
        };
        const auto ticked = [&] {
            QStringList out;
            for (const QAction* each : menu->actions())
                if (each->isChecked() && each != f.window->baselines().showAction())
                    out.append(each->text());
            return out;
        };
        const auto choose = [&](const QPointer<QAction>& item) {
            menu->popup(f.window->mapToGlobal(QPoint(200, 200)));
            QTRY_VERIFY(menu->isVisible());
            menu->setActiveAction(item);
            QTest::keyClick(menu, Qt::Key_Return);
            QTRY_VERIFY(!menu->isVisible());
            QVERIFY(item != nullptr);
            ::settle();
        };
        QCOMPARE(ticked(), QStringList{name(1)});
        choose(itemOf(name(1))); // which is shown already
        QCOMPARE(ticked(), QStringList{name(1)});
        QCOMPARE(f.baselines().current(), 1);
        choose(itemOf(name(0)));
        QCOMPARE(ticked(), QStringList{name(0)});
        QCOMPARE(f.baselines().current(), 0);
        f.window->activateWindow(); // the menu had the keys
        QTRY_VERIFY(f.window->isActiveWindow());
        f.key(Qt::Key_B);
        QTRY_VERIFY(!f.baselines().isShown());
        choose(itemOf(name(0)));
        QVERIFY(f.baselines().isShown());
        QCOMPARE(ticked(), QStringList{name(0)});
        const QString gone = name(0), rest = name(1);
        f.baselines().remove(0);
        QVERIFY(itemOf(gone) == nullptr);
        QCOMPARE(ticked(), QStringList{rest});
        f.baselines().undoStack()->undo();
        QCOMPARE(ticked(), QStringList{gone});
        f.known();
    }

    /// Parts that are computed only for the views that need them.
    void schedulesAndCurves() {
        views::Document document(test::shippedCatalog(), views::modelEngine());
        views::TimelineView timeline(&document);
        views::LoadView load(&document);
        views::PercentileView percentiles(&document);
        for (QWidget* view : std::initializer_list<QWidget*>{&timeline, &load, &percentiles})
            present(*view, {900, 600});
        const auto pinAndChange = [&document](const char* sample, const char* path, const char* value) {
            document.open(test::sampleSpec(sample), {});
            QTRY_VERIFY_WITH_TIMEOUT(document.estimate() && !document.busy(), 20'000);
            document.baselines().pin(document.spec(), q("as planned"));
            QCOMPARE(document.setField(*findField(path), q(value)), QString());
        };
        pinAndChange("llama-3.1-70b-64xp5.48xlarge", "plan.recompute", "full");
        QTRY_VERIFY_WITH_TIMEOUT(timeline.plot()->baselineEnd() > 0, 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(timeline.plot()->data() != nullptr && !timeline.isPlaying(), 60'000);
        QVERIFY(timeline.plot()->baselineEnd() < timeline.plot()->data()->makespan());
        document.baselines().setShown(false);
        QTRY_COMPARE(timeline.plot()->baselineEnd(), 0.0);
        pinAndChange("serve-llama-3.1-70b-1xp5en.48xlarge", "plan.tensor_parallel", "4");
        QTRY_VERIFY_WITH_TIMEOUT(load.plot(views::Latency::ttft)->hasBaseline(), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(percentiles.plot()->hasBaseline(), 60'000);
        document.baselines().setShown(false);
        QTRY_VERIFY(!percentiles.plot()->hasBaseline() && !load.plot(views::Latency::itl)->hasBaseline());
    }

    /// History pins a state that it kept; the workspace keeps the pins.
    void historyPinsAndTheWorkspaceKeeps() {
        WorkspaceFixture f;
        f.openAndEdit();
        f.window().showView(q("history"));
        auto* history = f.window().plan().history();
        QTRY_VERIFY(history->table()->model()->rowCount() > 1);
        history->choose(1);
        history->pinAction()->trigger();
        QCOMPARE(f.document().baselines().list().size(), 1U);
        QVERIFY(f.document().baselines().list()[0].spec.plan.microBatch != 2);
        f.settle();
        f.restart();
        QTRY_COMPARE(f.document().baselines().list().size(), 1U);
        QTRY_VERIFY_WITH_TIMEOUT(f.document().baselines().difference() != nullptr, 20'000);
    }

    void allSizesAndThemes_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280x800") << QSize(1280, 800);
        QTest::newRow("1600x1000") << QSize(1600, 1000);
        QTest::newRow("2560x1440") << QSize(2560, 1440);
    }
    void allSizesAndThemes() {
        QFETCH(QSize, size);
        BaselineFixture f;
        f.key(Qt::Key_B, Qt::ShiftModifier);
        f.set("plan.recompute", "full");
        f.set("plan.tensor_parallel", "8");
        f.known();
        for (const auto choice : {views::ThemeChoice::light, views::ThemeChoice::dark}) {
            views::ThemeController::instance().setChoice(choice);
            f.window->resize(size);
            QTRY_COMPARE(f.window->size(), size);
            ::settle();
            QVERIFY(f.bar()->baselineRect().height() > 0);
            QVERIFY(f.bar()->rect().contains(f.bar()->baselineRect().toAlignedRect().adjusted(0, 0, -1, 0)));
            saveGrab(*f.window, q("baseline-%1").arg(size.width()));
        }
        views::ThemeController::instance().setChoice(views::ThemeChoice::light);
    }
};

QTEST_MAIN(TestWindowBaseline)

} // namespace tst_window_baseline

#include "tst_window_baseline.moc"
