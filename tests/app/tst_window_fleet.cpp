// SPDX-License-Identifier: GPL-3.0-or-later
// The page of fleets, driven by mouse and keyboard.
#include "tests/app/window_fixture.h"
#include "views/fleet/fleet_form.h"
#include "views/fleet/fleet_plot.h"
#include "views/fleet/fleet_view.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/kit/states.h"

#include <QComboBox>
#include <QLineEdit>
#include <qcustomplot.h>

namespace tst_window_fleet {

using views::FleetView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

struct FleetFixture : Fixture {
    FleetView* view = nullptr;

    FleetFixture() {
        for (QAction* action : window->findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("fleet"))
                action->trigger();
        view = window->findChild<FleetView*>();
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
};

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
    }
};

QTEST_MAIN(TestWindowFleet)

} // namespace tst_window_fleet

#include "tst_window_fleet.moc"
