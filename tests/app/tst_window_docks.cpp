// SPDX-License-Identifier: GPL-3.0-or-later
// Docks that fill the page or float for a while, and what is there when they go back.
// ctest: slow serial
#include "tests/app/window_fixture.h"
#include "views/kit/dock_title_bar.h"

#include <QApplication>
#include <QMap>
#include <QTabBar>
#include <QWindow>

#include <algorithm>

namespace tst_window_docks {

namespace {

const QString training = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
const QString serving = QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");
const QString learning = QStringLiteral("grpo-qwen3-32b-one-step-off-8xp5en.48xlarge");

/// Where each dock stands, and in front of which others; and the answer.
QMap<QString, QRect> placesOf(const PlanPage& plan) {
    QMap<QString, QRect> places;
    for (const ViewDock* dock : plan.docks())
        if (plan.isInFront(*dock))
            places.insert(dock->objectName(), dock->geometry());
    if (plan.summary()->isVisible())
        places.insert(QStringLiteral("answer"), plan.summary()->geometry());
    return places;
}

QMap<QString, QRect> only(const ViewDock& dock) { return {{dock.objectName(), dock.parentWidget()->rect()}}; }

/// On the tab if there is one, else on the title bar; with the mouse.
void doubleClickTitle(const ViewDock& dock) {
    QWidget* window = dock.isFloating() ? const_cast<ViewDock*>(&dock) : dock.window();
    QPoint place = dock.bar()->mapTo(window, QPoint(60, dock.bar()->height() / 2));
    for (const QTabBar* tabs :
         dock.parentWidget()->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        for (int i = 0; tabs->isVisible() && tabs->count() > 1 && !dock.isFloating() && i < tabs->count();
             ++i)
            if (tabs->tabText(i) == dock.windowTitle())
                place = tabs->mapTo(window, tabs->tabRect(i).center());
    QTest::mouseDClick(window->windowHandle(), Qt::LeftButton, {}, place);
    settle();
}

QAction* menuAction(const ViewDock& dock, const QString& words) {
    const QList<QAction*> actions = dock.bar()->actions();
    const auto found = std::ranges::find(actions, words, &QAction::text);
    return found == actions.end() ? nullptr : *found;
}

void openAt(Fixture& f, const QString& sample, QSize size) {
    f.files().openSample(sample);
    f.window->resize(size);
    f.settle();
    settle();
}

} // namespace

class TestWindowDocks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void doubleClickFillsThePageAndGoesBack_data();
    void doubleClickFillsThePageAndGoesBack();
    void keysAndButtonDoItToo();
    void floatedDockGoesBack_data();
    void floatedDockGoesBack();
    void whatWasMovedMeanwhileStays();
    void anotherViewEndsIt();
    void closedWhileItFillsThePage();
    void anotherKindEndsIt();
    void layoutIsSavedWithoutIt();
    void resizedMeanwhile();
};

void TestWindowDocks::initTestCase() { beginWindowTest(); }

void TestWindowDocks::cleanup() { verifyNoWarnings(); }

void TestWindowDocks::doubleClickFillsThePageAndGoesBack_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QSize>("size");
    for (const QString& sample : {training, serving, learning})
        for (const QSize size : {QSize(1280, 800), QSize(2560, 1440)})
            QTest::addRow("%s, %d x %d", qPrintable(sample.left(5)), size.width(), size.height())
                << sample << size;
}

void TestWindowDocks::doubleClickFillsThePageAndGoesBack() {
    QFETCH(QString, sample);
    QFETCH(QSize, size);
    Fixture f;
    openAt(f, sample, size);
    PlanPage& plan = f.window->plan();
    int tried = 0;
    for (const ViewDock* dock : plan.docks()) {
        if (!dock->isVisible())
            continue;
        plan.raise(dock->objectName());
        settle();
        const QMap<QString, QRect> before = placesOf(plan);
        QVERIFY(before.size() > 2);
        doubleClickTitle(*dock);
        QTRY_COMPARE(placesOf(plan), only(*dock));
        QVERIFY(dock->bar()->isVisible());
        doubleClickTitle(*dock);
        QTRY_COMPARE(placesOf(plan), before);
        ++tried;
    }
    QVERIFY(tried >= 5);
}

void TestWindowDocks::keysAndButtonDoItToo() {
    Fixture f;
    openAt(f, training, {1600, 1000});
    PlanPage& plan = f.window->plan();
    const ViewDock* memory = plan.dock(QStringLiteral("memory"));
    plan.raise(QStringLiteral("memory"));
    settle();
    const QMap<QString, QRect> before = placesOf(plan);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_M, Qt::ControlModifier);
    QTRY_COMPARE(placesOf(plan), only(*memory));
    QVERIFY(memory->isAncestorOf(QApplication::focusWidget()));
    plan.stepView(1); // there is no other
    QVERIFY(memory->isAncestorOf(QApplication::focusWidget()));
    QToolButton* restore = nullptr;
    for (QToolButton* button : memory->bar()->findChildren<QToolButton*>())
        if (button->text() == QLatin1String("Restore"))
            restore = button;
    QVERIFY(restore != nullptr && restore->isVisible());
    QTest::mouseClick(restore, Qt::LeftButton);
    QTRY_COMPARE(placesOf(plan), before);
    QVERIFY(!restore->isVisible());
    menuAction(*memory, QStringLiteral("Maximize"))->trigger();
    QTRY_COMPARE(placesOf(plan), only(*memory));
    menuAction(*memory, QStringLiteral("Restore"))->trigger();
    QTRY_COMPARE(placesOf(plan), before);
}

void TestWindowDocks::floatedDockGoesBack_data() { doubleClickFillsThePageAndGoesBack_data(); }

void TestWindowDocks::floatedDockGoesBack() {
    QFETCH(QString, sample);
    QFETCH(QSize, size);
    Fixture f;
    openAt(f, sample, size);
    PlanPage& plan = f.window->plan();
    for (const ViewDock* dock : plan.docks()) {
        if (!dock->isVisible())
            continue;
        plan.raise(dock->objectName());
        settle();
        const QMap<QString, QRect> before = placesOf(plan);
        menuAction(*dock, QStringLiteral("Float or dock"))->trigger();
        settle();
        QVERIFY(dock->isFloating());
        QVERIFY(!menuAction(*dock, QStringLiteral("Maximize"))->isEnabled());
        doubleClickTitle(*dock);
        QTRY_COMPARE(placesOf(plan), before);
    }
}

void TestWindowDocks::whatWasMovedMeanwhileStays() {
    Fixture f;
    openAt(f, training, {2560, 1440});
    PlanPage& plan = f.window->plan();
    const ViewDock* memory = plan.dock(QStringLiteral("memory"));
    menuAction(*memory, QStringLiteral("Float or dock"))->trigger();
    settle();
    ViewDock* cost = plan.dock(QStringLiteral("cost"));
    plan.addDockWidget(Qt::RightDockWidgetArea, cost);
    settle();
    menuAction(*memory, QStringLiteral("Float or dock"))->trigger();
    settle();
    QVERIFY(!memory->isFloating());
    QCOMPARE(plan.dockWidgetArea(cost), Qt::RightDockWidgetArea);
}

void TestWindowDocks::anotherViewEndsIt() {
    Fixture f;
    openAt(f, training, {1600, 1000});
    PlanPage& plan = f.window->plan();
    plan.raise(QStringLiteral("roofline"));
    settle();
    const QMap<QString, QRect> before = placesOf(plan);
    doubleClickTitle(*plan.dock(QStringLiteral("memory")));
    QTRY_COMPARE(placesOf(plan), only(*plan.dock(QStringLiteral("memory"))));
    f.window->showView(QStringLiteral("catalog"));
    f.window->showView(QStringLiteral("plan"));
    QTRY_COMPARE(placesOf(plan), only(*plan.dock(QStringLiteral("memory"))));
    f.window->showView(QStringLiteral("roofline"));
    QTRY_COMPARE(placesOf(plan), before);
}

void TestWindowDocks::closedWhileItFillsThePage() {
    Fixture f;
    openAt(f, training, {1600, 1000});
    PlanPage& plan = f.window->plan();
    plan.raise(QStringLiteral("memory"));
    settle();
    doubleClickTitle(*plan.dock(QStringLiteral("memory")));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_W, Qt::ControlModifier);
    settle();
    QVERIFY(!plan.dock(QStringLiteral("memory"))->isVisible());
    QVERIFY(plan.summary()->isVisible());
    QVERIFY(plan.isInFront(*plan.dock(QStringLiteral("scenario"))));
}

void TestWindowDocks::anotherKindEndsIt() {
    Fixture f;
    openAt(f, training, {1600, 1000});
    PlanPage& plan = f.window->plan();
    doubleClickTitle(*plan.dock(QStringLiteral("memory")));
    f.files().openSample(serving);
    f.settle();
    settle();
    QTRY_VERIFY(plan.summary()->isVisible());
    QVERIFY(plan.isInFront(*plan.dock(QStringLiteral("load"))));
    QVERIFY(plan.isInFront(*plan.dock(QStringLiteral("scenario"))));
}

void TestWindowDocks::layoutIsSavedWithoutIt() {
    Fixture f;
    openAt(f, training, {1600, 1000});
    const PlanPage& plan = f.window->plan();
    const QByteArray before = plan.saveLayout();
    QCOMPARE(plan.saveLayout(), before);
    doubleClickTitle(*plan.dock(QStringLiteral("memory")));
    QTRY_COMPARE(placesOf(plan), only(*plan.dock(QStringLiteral("memory"))));
    QCOMPARE(plan.saveLayout(), before);
}

/// To a size that has another default layout.
void TestWindowDocks::resizedMeanwhile() {
    Fixture f;
    openAt(f, training, {1280, 800});
    PlanPage& plan = f.window->plan();
    const QMap<QString, QRect> narrow = placesOf(plan);
    f.window->resize(2560, 1440);
    settle();
    const QMap<QString, QRect> wide = placesOf(plan);
    QVERIFY(wide.size() > narrow.size());
    f.window->resize(1280, 800);
    settle();
    QTRY_COMPARE(placesOf(plan), narrow);
    const ViewDock* memory = plan.dock(QStringLiteral("memory"));
    doubleClickTitle(*memory);
    QTRY_COMPARE(placesOf(plan), only(*memory));
    f.window->resize(2560, 1440);
    settle();
    QTRY_COMPARE(placesOf(plan), only(*memory));
    doubleClickTitle(*memory);
    QTRY_COMPARE(placesOf(plan), wide);
}

QTEST_MAIN(TestWindowDocks)

} // namespace tst_window_docks

#include "tst_window_docks.moc"
