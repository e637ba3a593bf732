// SPDX-License-Identifier: GPL-3.0-or-later
// The page of what-ifs, driven by mouse and keyboard.
#include "tests/app/window_fixture.h"
#include "tests/views/gallery.h"
#include "views/explore/explore_panel.h"
#include "views/explore/explore_source.h"
#include "views/explore/explore_view.h"
#include "views/explore/goal_bar.h"
#include "views/explore/heat_plot.h"
#include "views/explore/outcome_plot.h"
#include "views/explore/pick_combo.h"
#include "views/explore/sweep_plot.h"
#include "views/explore/tornado_plot.h"
#include "views/explore/uncertain_dialog.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/kit/segmented_buttons.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <qcustomplot.h>

namespace tst_window_explore {

using views::ExploreView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

struct ExploreFixture : Fixture {
    ExploreView* view = nullptr;

    explicit ExploreFixture(const char* scenario = "llama-3.1-70b-64xp5.48xlarge") {
        files().openSample(q(scenario));
        settle();
        go();
    }
    void go() {
        for (QAction* action : window->findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("explore"))
                action->trigger();
        view = window->findChild<ExploreView*>();
        QTRY_VERIFY(view->isVisible());
        answered();
    }
    void answered() const {
        QTRY_VERIFY_WITH_TIMEOUT(!view->source()->anyBusy() && view->source()->line() &&
                                     view->source()->grid() && view->source()->sensitivity() &&
                                     view->source()->outcomes(),
                                 60'000);
        ::settle();
    }
    static void type(QLineEdit* field, const char* words) {
        QTest::mouseClick(field, Qt::LeftButton);
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete); // typing nothing deletes nothing
        QTest::keyClicks(field, q(words));
        QTest::keyClick(field, Qt::Key_Return);
    }
    void click(views::PlotBase* plot, const QPointF& at) const {
        QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, at.toPoint());
    }
    const Sweep& line() const { return view->source()->line()->sweep; }
    std::size_t pointWith(double value) const {
        for (std::size_t i = 0; i < line().points.size(); ++i)
            if (numberOf(line().points[i].values.back()) == value)
                return i;
        qFatal("no such point");
    }
};

} // namespace

class TestWindowExplore : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    /// A point is a full estimate; a click previews it in all views, Enter makes it the scenario.
    void aPointIsPreviewedAndAdopted() {
        ExploreFixture f;
        QVERIFY(f.line().points.size() > 8);
        QVERIFY2(!f.view->sentence().isEmpty(), qPrintable(f.view->sentence()));
        f.type(f.view->valuesField(), "256,512,1024,2048");
        f.answered();
        QCOMPARE(f.line().points.size(), std::size_t{4});
        const std::size_t at = f.pointWith(512); // 1024 is what the scenario has
        QVERIFY(f.line().points[at].runs);
        const double value = f.line().points[at].figure(*findPlanFigure("training.tokens_per_s"))->value;
        const int before = f.document().undoStack()->count();
        f.click(f.view->linePlot(), f.view->linePlot()->placeOf(static_cast<int>(at)));
        QVERIFY(f.document().previewed() != nullptr);
        f.settle();
        QCOMPARE(f.document().estimate()->training->tokensPerSecond, value);
        QCOMPARE(f.view->previewButton()->text(), q("End Preview"));
        QCOMPARE(f.line().points.size(), std::size_t{4}); // a preview starts nothing
        QTest::keyClick(f.view->linePlot(), Qt::Key_Return);
        f.settle();
        f.answered();
        QCOMPARE(*f.document().spec().workload.globalBatch, 512);
        QCOMPARE(f.document().undoStack()->count(), before + 1);
        QTest::keyClick(f.window.get(), Qt::Key_Z, Qt::ControlModifier);
        f.settle();
        QVERIFY(f.document().spec().workload.globalBatch == 1024);
    }

    void keysWalkAlongTheCurve() {
        ExploreFixture f;
        f.view->linePlot()->setFocus();
        QTest::keyClick(f.view->linePlot(), Qt::Key_Left);
        QVERIFY(f.document().previewed() != nullptr);
        QTest::keyClick(f.window.get(), Qt::Key_Escape);
        QVERIFY(f.document().previewed() == nullptr);
        f.view->gridPlot()->setFocus();
        QTest::keyClick(f.view->gridPlot(), Qt::Key_Down);
        QVERIFY(f.document().previewed() != nullptr);
    }

    void wrongValuesAreExplained() {
        ExploreFixture f;
        f.type(f.view->valuesField(), "8..4");
        f.answered();
        QVERIFY(f.view->linePanel()->hasError());
        QVERIFY(wordsOn(*f.view->linePanel()).contains(q("must ascend")));
        f.type(f.view->valuesField(), "");
        f.answered();
        QVERIFY(!f.view->linePanel()->hasError());
    }

    /// Cells follow the axes, and each is a full estimate.
    void cellsAreEstimates() {
        ExploreFixture f;
        const Sweep& grid = f.view->source()->grid()->sweep;
        QCOMPARE(grid.axes.size(), std::size_t{2});
        QVERIFY(grid.points.size() >= 36);
        std::size_t at = 0;
        while (!grid.points[at].runs || grid.points[at].values == f.view->source()->grid()->present.values)
            ++at;
        const SweepPoint point = grid.points[at];
        f.click(f.view->gridPlot(), f.view->gridPlot()->placeOf(static_cast<int>(at)));
        QVERIFY(f.document().previewed() != nullptr);
        f.settle();
        QCOMPARE(f.document().estimate()->training->mfu,
                 point.figure(*findPlanFigure("training.mfu"))->value);
    }

    void severalFiguresShareTheirPoints() {
        ExploreFixture f;
        QTest::mouseClick(f.view->severalBox(), Qt::LeftButton);
        ::settle();
        QSet<QString> figures;
        for (views::SweepPlot* each : f.view->multiples()) {
            QVERIFY(each->isVisible());
            figures.insert(text(each->figure()->path));
        }
        QCOMPARE(figures.size(), 4);
        f.click(f.view->multiples().last(), f.view->multiples().last()->placeOf(0));
        QVERIFY(f.document().previewed() != nullptr);
    }

    /// The best plan at each point is never slower than the present one there.
    void pointsAreMadeTheBest() {
        ExploreFixture f;
        f.view->acrossBox()->setPath(q("hbm_bandwidth"));
        f.type(f.view->valuesField(), "2 TB/s,3.35 TB/s");
        f.answered();
        const PlanFigure& figure = *findPlanFigure("training.tokens_per_s");
        const double before = f.line().points[1].figure(figure)->value;
        QTest::mouseClick(f.view->optimizeBox(), Qt::LeftButton);
        f.answered();
        QVERIFY(f.line().points[1].figure(figure)->value >= before);
        QVERIFY(!f.line().points[1].plan.empty());
        // A number of the catalog has no field: it is shown here only.
        f.click(f.view->linePlot(), f.view->linePlot()->placeOf(0));
        QVERIFY(f.document().previewed() == nullptr);
        QVERIFY(!f.view->adoptButton()->isEnabled());
        QVERIFY(f.view->adoptButton()->toolTip().contains(q("no field sets")));
    }

    void goalsAreSought() {
        ExploreFixture f;
        const double cost = *f.document().estimate()->cost->dollarsPerRun;
        views::GoalBar* goal = f.view->goal();
        QCOMPARE(goal->variable(), q("price"));
        QCOMPARE(goal->figure(), q("cost.dollars_per_run"));
        f.type(goal->valueField(), qPrintable(QStringLiteral("$%1").arg(cost / 2, 0, 'f', 0)));
        f.answered();
        QVERIFY2(goal->answerText().startsWith(u'→'), qPrintable(goal->answerText()));
        const auto& found = f.view->source()->solution()->solution;
        QVERIFY(found && found->value);
        QVERIFY(std::abs(*found->figure / cost - 0.5) < 0.001);
        // The price agreed on is a field, so that the answer can be adopted.
        QVERIFY(f.view->adoptButton()->isEnabled());
        QTest::mouseClick(f.view->adoptButton(), Qt::LeftButton);
        f.settle();
        f.answered();
        QVERIFY(std::abs(*f.document().estimate()->cost->dollarsPerRun / cost - 0.5) < 0.01);
        QCOMPARE(f.document().undoStack()->count(), 1);
        f.type(goal->valueField(), "soon");
        QVERIFY(wordsOn(*goal).contains(q("not a value of it")));
    }

    void aBarSweepsItsInput() {
        ExploreFixture f;
        QVERIFY(f.view->tornado()->barCount() >= 3);
        const QString path =
            text(f.view->source()->sensitivity()->sensitivity->inputs.front().variable.path());
        f.click(f.view->tornado(), f.view->tornado()->placeOf(0));
        f.answered();
        QCOMPARE(f.view->acrossBox()->path(), path);
        QCOMPARE(text(f.line().axes.front().variable.path()), path);
        // By their own error only constants of the calibration vary.
        QTest::mouseClick(f.view->rangeSwitch()->button(1), Qt::LeftButton);
        f.answered();
        for (const SensitivityBar& each : f.view->source()->sensitivity()->sensitivity->inputs)
            QVERIFY(each.variable.kind() == Variable::Kind::constant);
        QVERIFY(f.view->ignorance()->model()->rowCount() > 1);
    }

    /// A drag moves along the figure; the rows stay above their axis.
    void aDragKeepsTheRowsOfTheTornado() {
        ExploreFixture f;
        auto* plot = f.view->tornado()->findChild<QCustomPlot*>();
        const QCPRange rows = plot->yAxis->range(), figure = plot->xAxis->range();
        const QPoint middle = plot->axisRect()->rect().center();
        drag(plot, middle, middle + QPoint(60, -50));
        QCOMPARE(plot->yAxis->range(), rows);
        QVERIFY(plot->xAxis->range() != figure);
    }

    void outcomesFollowWhatIsUncertain() {
        ExploreFixture f;
        QTest::mouseClick(f.view->doubtSwitch()->button(1), Qt::LeftButton);
        ::settle();
        QVERIFY(f.view->outcomePlot()->isVisible());
        const auto spread = [&] {
            const OutcomeFigure& figure = f.view->source()->outcomes()->outcomes->figures.front();
            return figure.p90 / figure.p10;
        };
        const double before = spread();
        QTest::mouseClick(f.view->uncertainButton(), Qt::LeftButton);
        auto* dialog = f.window->findChild<views::UncertainDialog*>();
        QVERIFY(dialog != nullptr);
        QTest::mouseClick(dialog->addButton(), Qt::LeftButton);
        QCOMPARE(dialog->lineCount(), 1);
        dialog->variableBox(0)->setPath(q("price"));
        emit dialog->variableBox(0)->picked(q("price"));
        QVERIFY2(dialog->okButton()->isEnabled(), qPrintable(dialog->error()));
        f.type(dialog->field(0, 0), "$500/h");
        QVERIFY(!dialog->okButton()->isEnabled());
        QVERIFY2(dialog->error().contains(q("must ascend")), qPrintable(dialog->error()));
        dialog->field(0, 0)->selectAll();
        QTest::keyClicks(dialog->field(0, 0), q("$20/h"));
        QVERIFY2(dialog->okButton()->isEnabled(), qPrintable(dialog->error()));
        QTest::mouseClick(dialog->okButton(), Qt::LeftButton);
        f.answered();
        QVERIFY(spread() > before * 1.05);
        QVERIFY(f.view->drivers()->model()->rowCount() >= 2);
        f.type(f.view->limitField(), "$1");
        f.answered();
        QVERIFY2(f.view->oddsText().contains(q("probability of 100 %")), qPrintable(f.view->oddsText()));
    }

    void servicesAreExplored() {
        ExploreFixture f("serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(f.line().points.size() > 8);
        QCOMPARE(text(f.line().axes.front().variable.path()), q("workload.request_rate_per_s"));
        QVERIFY(!f.view->gridPanel()->hasError());
    }

    /// What is asked comes back with the workspace.
    void questionsAreKept() {
        ExploreFixture f;
        f.view->acrossBox()->setPath(q("plan.tensor_parallel"));
        emit f.view->acrossBox()->picked(q("plan.tensor_parallel"));
        QTest::mouseClick(f.view->severalBox(), Qt::LeftButton);
        f.view->setUncertain({q("price=uniform($20/h..$60/h)")});
        f.answered();
        const QByteArray state = f.view->saveState();
        ExploreFixture other;
        other.view->restoreState(state);
        other.answered();
        QTRY_COMPARE(text(other.line().axes.front().variable.path()), q("plan.tensor_parallel"));
        QVERIFY(other.view->severalBox()->isChecked());
        QCOMPARE(other.view->saveState(), state);
        other.view->restoreState(q("nonsense").toUtf8());
        QCOMPARE(other.view->saveState(), state);
    }

    /// While the page is hidden, nothing is computed anew: an answer on its way has no scenario to be shown
    /// in.
    void answersOnTheirWayAreDropped_data() {
        QTest::addColumn<bool>("opens");
        QTest::newRow("another scenario opens") << true;
        QTest::newRow("other questions are restored") << false;
    }
    void answersOnTheirWayAreDropped() {
        QFETCH(bool, opens);
        ExploreFixture f;
        const double cost = *f.document().estimate()->cost->dollarsPerRun;
        views::ExploreSource* source = f.view->source();
        f.type(f.view->goal()->valueField(), qPrintable(QStringLiteral("$%1").arg(cost / 2, 0, 'f', 0)));
        QVERIFY(source->busy(views::ExploreSource::Part::solve));
        f.window->showView(q("plan"));
        QVERIFY(!f.view->isSeen());
        if (opens)
            f.files().openSample(q("llama-3.1-8b-8xp5.48xlarge"));
        else
            f.view->restoreState(f.view->saveState());
        QTRY_VERIFY_WITH_TIMEOUT(!source->anyBusy(), 60'000);
        f.settle();
        ::settle();
        QVERIFY(!source->solution() && !source->line() && !source->grid());
        QVERIFY(!f.view->adoptButton()->isEnabled());
        // It is asked again as soon as somebody looks.
        f.go();
        QVERIFY(source->solution());
    }

    void nothingToExploreIsSaid() {
        Fixture f;
        f.files().openSpec({}, FileSession::Origin::planned);
        f.settle();
        f.window->showView(q("explore"));
        auto* view = f.window->findChild<ExploreView*>();
        QTRY_VERIFY(wordsOn(*view).contains(q("Nothing to explore yet")));
    }
};

QTEST_MAIN(TestWindowExplore)

} // namespace tst_window_explore

#include "tst_window_explore.moc"
