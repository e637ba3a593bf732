// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: serial
#include "tests/app/window_fixture.h"
#include "tests/data/sample_serving.h"

namespace tst_window_serving {

namespace {

bool isOpen(const PlanPage& plan, const char* name) { return !plan.dock(QLatin1String(name))->isHidden(); }

/// Docks that only one kind of workload has something to say in.
void compareDocks(const PlanPage& plan, bool serving) {
    QCOMPARE(isOpen(plan, "load"), serving);
    QCOMPARE(isOpen(plan, "percentiles"), serving);
    QCOMPARE(isOpen(plan, "questions"), serving);
    QCOMPARE(isOpen(plan, "timeline"), !serving);
    for (const char* both : {"scenario", "layers", "communication", "roofline", "memory", "cost"})
        QVERIFY2(isOpen(plan, both), both);
}

} // namespace

class TestWindowServing : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void docksFollowTheKind();
    void ownLayoutKeepsItsPlaces();
    void savedLayoutIsOfItsKind();
    void foreignDocksCanBeOpened();
};

void TestWindowServing::initTestCase() { beginWindowTest(); }

void TestWindowServing::cleanup() { verifyNoWarnings(); }

void TestWindowServing::docksFollowTheKind() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    compareDocks(plan, false);
    f.files().openSpec(sample::servingScenario(), FileSession::Origin::shown);
    f.settle();
    compareDocks(plan, true);
    // Latency and load stand in front, next to the percentiles.
    QVERIFY(plan.dock(QStringLiteral("load"))->isVisible());
    QVERIFY(plan.dock(QStringLiteral("percentiles"))->isVisible());
    QVERIFY(plan.tabifiedDockWidgets(plan.dock(QStringLiteral("load")))
                .contains(plan.dock(QStringLiteral("layers"))));
    // The kind is a field like others: an edit and its undo move the docks too.
    f.document().setField(*findField("workload.kind"), QStringLiteral("training"));
    compareDocks(plan, false);
    f.document().undoStack()->undo();
    compareDocks(plan, true);
    f.settle();
}

void TestWindowServing::ownLayoutKeepsItsPlaces() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    plan.addDockWidget(Qt::RightDockWidgetArea, plan.dock(QStringLiteral("memory")));
    f.files().openSpec(sample::servingScenario(), FileSession::Origin::shown);
    f.settle();
    compareDocks(plan, true);
    QCOMPARE(plan.dockWidgetArea(plan.dock(QStringLiteral("memory"))), Qt::RightDockWidgetArea);
}

void TestWindowServing::savedLayoutIsOfItsKind() {
    Settings settings = freshSettings();
    {
        Fixture f;
        f.files().openSpec(sample::servingScenario(), FileSession::Origin::shown);
        f.settle();
        f.window->plan().dock(QStringLiteral("cost"))->close();
        settings.planLayout = f.window->plan().saveLayout();
    }
    Fixture again(settings);
    again.openSample();
    const PlanPage& plan = again.window->plan();
    QVERIFY(!isOpen(plan, "load"));
    QVERIFY(!isOpen(plan, "percentiles"));
    QVERIFY(isOpen(plan, "timeline"));
    QVERIFY(!isOpen(plan, "cost")); // as it was left
}

void TestWindowServing::foreignDocksCanBeOpened() {
    Fixture f;
    f.openSample();
    QVERIFY(f.window->showView(QStringLiteral("load")));
    QVERIFY(f.window->plan().dock(QStringLiteral("load"))->isVisible());
}

QTEST_MAIN(TestWindowServing)

} // namespace tst_window_serving

#include "tst_window_serving.moc"
