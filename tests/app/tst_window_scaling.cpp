// SPDX-License-Identifier: GPL-3.0-or-later
// The page of scaling laws, driven by mouse and keyboard.
#include "model/scaling/scaled_model.h"
#include "tests/app/window_fixture.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/scaling/budget_form.h"
#include "views/scaling/scaling_plot.h"
#include "views/scaling/scaling_view.h"

#include <QLineEdit>
#include <qcustomplot.h>

namespace tst_window_scaling {

using views::ScalingView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

struct ScalingFixture : Fixture {
    ScalingView* view = nullptr;

    explicit ScalingFixture(const char* scenario = "llama-3.1-8b-8xp5.48xlarge") {
        files().openSample(q(scenario));
        settle();
        go();
    }
    void go() {
        for (QAction* action : window->findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("scaling"))
                action->trigger();
        view = window->findChild<ScalingView*>();
        QTRY_VERIFY(view->isVisible());
    }
    void type(const char* field, const char* words) const {
        QLineEdit* edit = view->form()->field(q(field));
        QTest::mouseClick(edit, Qt::LeftButton);
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, q(words));
    }
    void ask() const {
        QTest::mouseClick(view->form()->button(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view->isBusy(), 120'000);
        ::settle();
    }
    void askSmall() const {
        type("dollars", "$200 k");
        type("from", "2 B");
        type("to", "20 B");
        ask();
    }
};

} // namespace

class TestWindowScaling : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { beginWindowTest(); }
    void cleanup() { verifyNoWarnings(); }

    void theAnswerIsShownAndAdopted() {
        ScalingFixture f;
        f.askSmall();
        QVERIFY(f.view->answer());
        const BudgetModel* best = f.view->answer()->best();
        QVERIFY(best);
        QVERIFY2(f.view->sentence().startsWith(text(parameterText(best->parameters))),
                 qPrintable(f.view->sentence()));
        QCOMPARE(f.view->table()->cells()->rowCount(),
                 static_cast<int>(f.view->answer()->curves.front().models.size()));
        const int steps = f.document().undoStack()->count();
        QTest::mouseClick(f.view->adoptButton(), Qt::LeftButton);
        f.settle();
        QCOMPARE(f.document().undoStack()->count(), steps + 1);
        QVERIFY(f.document().spec().workload.architecture);
        QCOMPARE(f.document().spec().workload.architecture->layers, best->model.layers);
        QCOMPARE(*f.document().spec().workload.tokens, best->tokens);
        QVERIFY(f.document().estimate()->runs && f.document().estimate()->fits);
        const double dollars = *f.document().estimate()->cost->dollarsPerRun;
        QVERIFY(std::abs(dollars / best->dollars - 1) < 1e-9);
        f.document().undoStack()->undo();
        QVERIFY(!f.document().spec().workload.architecture);
        QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-8b"));
    }

    /// A size chosen in the table is the one that is adopted, and the plot rings it.
    void anotherSizeIsChosen() {
        ScalingFixture f;
        f.askSmall();
        const auto& models = f.view->answer()->curves.front().models;
        const BudgetModel* best = f.view->answer()->best();
        const int other = best == &models.front() ? 1 : 0;
        QVERIFY(models[static_cast<std::size_t>(other)].trains());
        const QModelIndex row = f.view->table()->model()->index(other, 1);
        f.view->table()->scrollTo(row);
        QTest::mouseClick(f.view->table()->viewport(), Qt::LeftButton, {},
                          f.view->table()->visualRect(row).center());
        const QString size = text(parameterText(models[static_cast<std::size_t>(other)].parameters));
        QCOMPARE(f.view->adoptButton()->text(), q("Adopt ") + size);
        // And by a click into the picture.
        QCustomPlot* plot = f.view->plot()->plot();
        const QPointF at(plot->xAxis->coordToPixel(best->parameters), plot->yAxis->coordToPixel(best->loss));
        QTest::mouseClick(plot, Qt::LeftButton, {}, at.toPoint());
        QCOMPARE(f.view->adoptButton()->text(), q("Adopt ") + text(parameterText(best->parameters)));
    }

    void aWrongQuestionSaysSo_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("says");
        QTest::newRow("budget") << q("dollars") << q("much") << q("Budget");
        QTest::newRow("no budget") << q("dollars") << q("") << q("greater than 0");
        QTest::newRow("time") << q("atMost") << q("5 GB") << q("Run at most");
        QTest::newRow("sizes") << q("to") << q("1 M") << q("range");
        QTest::newRow("machine") << q("machines") << q("p99.huge") << q("p99.huge");
        QTest::newRow("counts") << q("counts") << q("4, many") << q("many");
    }
    void aWrongQuestionSaysSo() {
        QFETCH(QString, field);
        QFETCH(QString, words);
        QFETCH(QString, says);
        ScalingFixture f;
        f.type(qPrintable(field), qPrintable(words));
        f.ask();
        QVERIFY2(f.view->form()->error().contains(says), qPrintable(f.view->form()->error()));
        QVERIFY(!f.view->answer());
    }

    void itCanBeStopped() {
        ScalingFixture f("llama-3.1-405b-2048xp5.48xlarge");
        QTest::mouseClick(f.view->form()->button(), Qt::LeftButton);
        QVERIFY(f.view->isBusy());
        QTest::mouseClick(f.view->form()->button(), Qt::LeftButton); // now: Stop
        QTRY_VERIFY_WITH_TIMEOUT(!f.view->isBusy(), 30'000);
        QVERIFY(f.view->answer() && !f.view->answer()->complete);
    }

    /// An answer is about the scenario that was asked about, and is not adopted into another one.
    void anotherScenarioHasNoAnswer() {
        ScalingFixture f;
        f.askSmall();
        QVERIFY(f.view->answer() && f.view->adoptButton()->isEnabled());
        QVERIFY(!f.view->plot()->accessibleDescription().isEmpty());
        f.files().openSample(q("llama-3.1-70b-64xp5.48xlarge"));
        QVERIFY(!f.view->answer());
        f.settle();
        f.go();
        QVERIFY(!f.view->adoptButton()->isEnabled());
        QCOMPARE(f.view->adoptButton()->text(), q("Adopt"));
        QCOMPARE(f.view->table()->cells()->rowCount(), 0);
        QVERIFY2(f.view->plot()->accessibleDescription().isEmpty(),
                 qPrintable(f.view->plot()->accessibleDescription()));
        QTest::keyClick(f.view->plot(), Qt::Key_Right);
        QTest::keyClick(f.view->plot(), Qt::Key_Return);
        QCOMPARE(f.document().undoStack()->count(), 0);
        QCOMPARE(*f.document().spec().workload.model, std::string("llama-3.1-70b"));
    }

    void anotherScenarioEndsTheSearch() {
        ScalingFixture f("llama-3.1-405b-2048xp5.48xlarge");
        QTest::mouseClick(f.view->form()->button(), Qt::LeftButton);
        QVERIFY(f.view->isBusy());
        const QSignalSpy finished(f.view, &ScalingView::finished);
        f.files().openSample(q("llama-3.1-8b-8xp5.48xlarge"));
        QVERIFY(!f.view->isBusy());
        QCOMPARE(f.view->form()->button()->text(), q("Find Best Size"));
        f.settle();
        f.go();
        f.askSmall(); // on the same thread, so that the former search has ended by then
        QCOMPARE(finished.count(), 1);
        QVERIFY(f.view->answer() && f.view->answer()->complete);
    }

    void aServiceHasNoScalingLaw() {
        ScalingFixture f("serve-llama-3.1-8b-1xp5.4xlarge");
        QVERIFY(!f.view->form()->isVisible());
    }
};

QTEST_MAIN(TestWindowScaling)

} // namespace tst_window_scaling

#include "tst_window_scaling.moc"
