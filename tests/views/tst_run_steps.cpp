// SPDX-License-Identifier: GPL-3.0-or-later
// What would change a run: single changes with their worth, and steps to its deadline.
#include "tests/views/run_page.h"
#include "views/kit/cell_table.h"

#include <QDate>
#include <QPushButton>
#include <QScrollArea>
#include <QTest>
#include <QUndoStack>

#include <cmath>

namespace tst_run_steps {

using namespace alidade;
using namespace alidade::views;

namespace {

struct Page : test::RunPage {
    Page()
        : RunPage({{"run.start", "2027-01-04"}, {"run.deadline", "2027-03-20"}},
                  "llama-3.1-70b-64xp5.48xlarge", QSize(1400, 900)) {}
    const Run& run() const { return *document->estimate()->run; }
};

} // namespace

class TestRunSteps : public QObject {
    Q_OBJECT

private slots:
    /// With and without a deadline: one more spare, and a faster recovery, as estimates say.
    void singleChangesHaveTheirWorth() {
        const Page p;
        CellTable* worths = p.view->worths();
        QVERIFY(worths->isVisible());
        QCOMPARE(worths->model()->rowCount(), 2);
        const auto change = [&](int row) {
            return worths->model()->index(row, 1).data(Qt::EditRole).toDouble();
        };
        const double spare = change(0), faster = change(1);
        // Half of the time without computation, less what follows from it: the restarts of the shorter run.
        double stopped = 0;
        for (const LostTime& each : p.run().lost)
            stopped += each.restart;
        QVERIFY2(faster < 0 && -faster * 86'400 < stopped && -faster * 86'400 > 0.2 * stopped,
                 qPrintable(QString::number(faster)));
        const int spares = p.run().bestSpares;
        p.set("run.spares", qPrintable(QString::number(spares)));
        const double few = p.run().days->p50;
        QVERIFY(std::abs(change(0) - spare) < 1e-6); // now of the same number, given
        p.set("run.spares", qPrintable(QString::number(spares + 1)));
        QVERIFY(std::abs(p.run().days->p50 - few - spare) < 1e-6);
    }

    /// Of a deadline that is kept too rarely: what would keep it. A click previews a step, Adopt keeps it.
    void stepsToTheDeadline() {
        const Page p;
        p.set("run.deadline", "2028-01-01");
        QVERIFY(!p.view->deadlineSteps()->isVisible());
        const int kept = static_cast<int>(p.run().days->p50) - 1; // too soon by a day
        const QString day = QDate(2027, 1, 4).addDays(kept).toString(Qt::ISODate);
        p.set("run.deadline", qPrintable(day));
        CellTable* steps = p.view->deadlineSteps();
        QVERIFY(steps->isVisible() && steps->model()->rowCount() > 0);
        const double days = p.run().days->p50;
        const int last = steps->model()->rowCount() - 1;
        const double gain = steps->model()->index(last, 1).data(Qt::EditRole).toDouble();
        p.view->scrollArea()->ensureWidgetVisible(steps);
        settle();
        QTest::mouseClick(steps->viewport(), Qt::LeftButton, {},
                          steps->visualRect(steps->model()->index(last, 0)).center());
        QVERIFY(p.document->previewed() != nullptr);
        p.answered();
        QVERIFY(std::abs(p.run().days->p50 - days - gain) < 1e-6);
        QVERIFY(p.view->adoptButton()->isVisible());
        QTest::mouseClick(p.view->adoptButton(), Qt::LeftButton);
        p.answered();
        QVERIFY(p.document->previewed() == nullptr);
        QVERIFY(std::abs(p.run().days->p50 - days - gain) < 1e-6);
        p.document->undoStack()->undo();
        p.answered();
        QCOMPARE(p.run().days->p50, days);
    }
};

QTEST_MAIN(TestRunSteps)

} // namespace tst_run_steps

#include "tst_run_steps.moc"
