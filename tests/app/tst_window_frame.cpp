// SPDX-License-Identifier: GPL-3.0-or-later
// The window's frame: what comes back after a restart, and whether everything has room.
// ctest: slow serial
#include "tests/app/workspace_fixture.h"
#include "views/kit/band_label.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/text_label.h"
#include "views/scenario/field_row.h"
#include "views/serving/load_plot.h"

#include <QScreen>
#include <QScrollArea>
#include <QTabBar>
#include <QWindow>
#include <qcustomplot.h>

namespace tst_window_frame {

namespace {

const QString training = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");
const QString serving = QStringLiteral("serve-llama-3.1-70b-1xp5en.48xlarge");

/// Docks behind others are kept out of the page, not hidden.
bool isInFront(const ViewDock* dock) { return !dock->view()->visibleRegion().isEmpty(); }

/// What has no room in the window, in words; empty: nothing.
QString cramped(const MainWindow& window) {
    for (const ViewDock* dock : window.plan().docks()) {
        const views::View* view = dock->view();
        if (!isInFront(dock))
            continue;
        const QSize least = view->leastSize();
        if (view->width() < least.width() || view->height() < least.height())
            return QStringLiteral("%1: %2 x %3")
                .arg(dock->objectName())
                .arg(view->width())
                .arg(view->height());
    }
    for (const auto* figure : window.plan().summary()->findChildren<views::BandLabel*>())
        if (figure->isVisible() && (figure->height() < figure->sizeHint().height() ||
                                    figure->width() < figure->minimumSizeHint().width()))
            return figure->figure().label;
    for (const auto* label : window.plan().summary()->findChildren<views::TextLabel*>())
        if (label->isVisible() && !label->wordWrap() && label->height() < label->sizeHint().height())
            return label->text();
    return {};
}

/// A dock whose title is said twice, by its tab and by itself, or not at all.
QString wronglyTitled(const PlanPage& plan) {
    QStringList onTabs;
    for (const QTabBar* tabs : plan.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        if (tabs->isVisible() && tabs->count() > 1)
            for (int i = 0; i < tabs->count(); ++i)
                onTabs.append(tabs->tabText(i));
    for (const ViewDock* dock : plan.docks()) {
        if (!isInFront(dock))
            continue;
        bool says = false;
        for (const QLabel* label : dock->bar()->findChildren<QLabel*>())
            says = says || (label->isVisible() && label->text() == dock->windowTitle());
        if (says == onTabs.contains(dock->windowTitle()) || !dock->bar()->isVisible())
            return dock->objectName();
    }
    return {};
}

} // namespace

class TestWindowFrame : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanup();
    void whatWasOpenComesBack_data();
    void whatWasOpenComesBack();
    void fileThatIsGoneIsSaid();
    void nothingToComeBackTo();
    void askedForWinsOverRemembered();
    void docksComeBackWithTheirWidths();
    void defaultLayoutStillFollowsTheRoom();
    void everythingHasRoom_data();
    void everythingHasRoom();
    void tallerTextHasRoomToo();
    void docksStayUsableWhenDragged_data();
    void docksStayUsableWhenDragged();
    void oneTitleADock();
    void editLeavesTheFiguresWhole();
    void startsWithinTheScreen();
};

void TestWindowFrame::initTestCase() { beginWindowTest(); }

void TestWindowFrame::cleanup() {
    views::ThemeController::instance().setBodyPointSize(10);
    verifyNoWarnings();
}

void TestWindowFrame::whatWasOpenComesBack_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("page");
    QTest::newRow("sample on the plan") << "sample" << "plan";
    QTest::newRow("sample behind the catalog") << "sample" << "catalog";
    QTest::newRow("sample behind the start page") << "sample" << "start";
    QTest::newRow("service behind the topology") << "service" << "topology";
    QTest::newRow("edited sample behind the library") << "edited" << "library";
    QTest::newRow("file on the plan") << "file" << "plan";
    QTest::newRow("published run behind the validation") << "published" << "validation";
    QTest::newRow("empty scenario") << "blank" << "plan";
}

void TestWindowFrame::whatWasOpenComesBack() {
    QFETCH(QString, what);
    QFETCH(QString, page);
    WorkspaceFixture w;
    const QString file = w.writeSample(QStringLiteral("plan.json"));
    if (what == QLatin1String("file"))
        w.openFile(file);
    else if (what == QLatin1String("published"))
        w.f->files().openSpec(test::sampleSpec(), FileSession::Origin::shown);
    else if (what == QLatin1String("blank"))
        w.f->files().startNew();
    else if (what == QLatin1String("service"))
        w.f->files().openSample(serving);
    else
        w.f->files().openSample(training);
    if (what == QLatin1String("edited"))
        w.set("plan.micro_batch", QStringLiteral("2"));
    QVERIFY(w.window().showView(page));
    const ScenarioSpec before = w.document().spec();
    const QString fileName = w.document().fileName();

    w.restart();
    QTRY_COMPARE(w.window().page(), page);
    ScenarioSpec after = w.document().spec();
    if (what == QLatin1String("edited"))
        after.name = before.name; // it was given one
    QCOMPARE(data::writeScenario(after), data::writeScenario(before));
    QCOMPARE(w.document().fileName(), fileName);
    QCOMPARE(w.desk().keeper().scenario() != 0, what == QLatin1String("edited"));
    QVERIFY(!w.document().isModified());
}

void TestWindowFrame::fileThatIsGoneIsSaid() {
    WorkspaceFixture w;
    const QString file = w.writeSample(QStringLiteral("plan.json"));
    w.openFile(file);
    w.window().close();
    QTRY_VERIFY(!w.window().isVisible());
    QVERIFY(QFile::remove(file));
    w.f.reset();
    w.start();
    QTRY_VERIFY(w.window().notice().isVisible());
    QVERIFY(wordsOn(w.window().notice()).contains(QStringLiteral("plan.json")));
    QCOMPARE(w.window().page(), QStringLiteral("start")); // no empty plan
}

void TestWindowFrame::nothingToComeBackTo() {
    WorkspaceFixture w;
    w.window().showView(QStringLiteral("plan"));
    w.restart();
    QCOMPARE(w.window().page(), QStringLiteral("start"));
}

/// A scenario that was opened before the workspace could be read stays in front.
void TestWindowFrame::askedForWinsOverRemembered() {
    WorkspaceFixture w;
    w.f->files().openSample(training);
    w.window().showView(QStringLiteral("catalog"));
    w.window().close();
    QTRY_VERIFY(!w.window().isVisible());
    w.f = std::make_unique<Fixture>(w.settings);
    w.f->files().openSample(serving);
    w.session().open(w.file());
    QTRY_VERIFY_WITH_TIMEOUT(!w.session().isOpening(), 20'000);
    QCOMPARE(data::writeScenario(w.document().spec()),
             data::writeScenario(test::sampleSpec(serving.toUtf8().constData())));
    QCOMPARE(w.window().page(), QStringLiteral("plan"));
}

void TestWindowFrame::docksComeBackWithTheirWidths() {
    WorkspaceFixture w;
    w.f->files().openSample(training);
    w.f->settle();
    PlanPage& plan = w.window().plan();
    plan.raise(QStringLiteral("timeline"));
    plan.raise(QStringLiteral("cost"));
    plan.raise(QStringLiteral("history"));
    plan.resizeDocks({plan.dock(QStringLiteral("scenario"))}, {380}, Qt::Horizontal);
    settle();
    const int width = plan.dock(QStringLiteral("history"))->width();
    const int height = plan.dock(QStringLiteral("timeline"))->height();
    QCOMPARE(width, 380);
    for (const char* page : {"catalog", "plan"}) { // quit from either, twice over
        w.window().showView(QLatin1String(page));
        w.restart();
        QTRY_COMPARE(w.window().page(), QLatin1String(page));
        w.window().showView(QStringLiteral("plan"));
        w.f->settle();
        settle();
        const PlanPage& now = w.window().plan();
        for (const char* front : {"history", "timeline", "cost"})
            QVERIFY2(isInFront(now.dock(QLatin1String(front))), front);
        QCOMPARE(now.dock(QStringLiteral("history"))->width(), width);
        QCOMPARE(now.dock(QStringLiteral("timeline"))->height(), height);
    }
}

void TestWindowFrame::defaultLayoutStillFollowsTheRoom() {
    WorkspaceFixture w;
    w.f->files().openSample(training);
    w.restart();
    QTRY_COMPARE(w.window().page(), QStringLiteral("plan"));
    const auto areTabs = [&w] {
        const PlanPage& plan = w.window().plan();
        return plan.tabifiedDockWidgets(plan.dock(QStringLiteral("layers")))
            .contains(plan.dock(QStringLiteral("roofline")));
    };
    QVERIFY(!areTabs());
    w.window().resize(1280, 800);
    QTRY_VERIFY(areTabs());
    w.restart(); // and from a narrow window into a wide one
    QTRY_VERIFY(!areTabs());
}

void TestWindowFrame::everythingHasRoom_data() {
    QTest::addColumn<QString>("sample");
    QTest::newRow("training") << training;
    QTest::newRow("experts") << "deepseek-v3-256xp5en.48xlarge";
    QTest::newRow("serving") << serving;
    QTest::newRow("does not fit") << "llama-3.1-8b-1xp5.4xlarge";
}

void TestWindowFrame::everythingHasRoom() {
    QFETCH(QString, sample);
    Fixture f;
    f.files().openSample(sample);
    f.settle();
    for (const QSize size :
         {QSize(1280, 720), QSize(1280, 780), QSize(1280, 800), QSize(1320, 820), QSize(1366, 768),
          QSize(1440, 900), QSize(1600, 1000), QSize(1920, 1080), QSize(2560, 1440), QSize(1280, 720)}) {
        f.window->resize(size);
        settle();
        QTRY_COMPARE(f.window->size(), size);
        QTRY_COMPARE(cramped(*f.window), QString());
        QTRY_COMPARE(wronglyTitled(f.window->plan()), QString());
        for (const auto* plot : f.window->plan().findChildren<views::LoadPlot*>())
            if (!plot->visibleRegion().isEmpty())
                QTRY_COMPARE_GE(plot->plot()->axisRect()->height(), size.height() < 900 ? 60 : 120);
    }
}

void TestWindowFrame::tallerTextHasRoomToo() {
    views::ThemeController::instance().setBodyPointSize(12);
    Fixture f;
    f.files().openSample(serving);
    f.settle();
    for (const QSize size : {QSize(1536, 864), QSize(1920, 1080)}) {
        f.window->resize(size);
        settle();
        QTRY_COMPARE(f.window->size(), size);
        QTRY_COMPARE(cramped(*f.window), QString());
        QTRY_COMPARE(wronglyTitled(f.window->plan()), QString());
    }
}

void TestWindowFrame::docksStayUsableWhenDragged_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<int>("by");
    QTest::newRow("training, scenario narrow") << training << -500;
    QTest::newRow("training, scenario wide") << training << 850;
    QTest::newRow("serving, scenario narrow") << serving << -500;
}

/// The edge of the scenario, with the mouse.
void TestWindowFrame::docksStayUsableWhenDragged() {
    QFETCH(QString, sample);
    QFETCH(int, by);
    Fixture f;
    f.files().openSample(sample);
    f.settle();
    f.window->resize(1280, 800);
    settle();
    ViewDock* scenario = f.window->plan().dock(QStringLiteral("scenario"));
    const QWidget* window = f.window.get();
    const QPoint edge =
        scenario->mapTo(window, QPoint(scenario->width(), scenario->height() / 2)); // on the separator
    QWindow* handle = f.window->windowHandle();
    QTest::mouseMove(handle, edge);
    QTest::mousePress(handle, Qt::LeftButton, {}, edge);
    for (int i = 1; i <= 10; ++i)
        QTest::mouseMove(handle, edge + QPoint(by * i / 10, 0), 5);
    QTest::mouseRelease(handle, Qt::LeftButton, {}, edge + QPoint(by, 0));
    settle();
    QTRY_VERIFY(by < 0 ? scenario->width() < edge.x() : scenario->width() > 330);
    QCOMPARE(cramped(*f.window), QString());
    const auto* scroll = scenario->view()->findChild<QScrollArea*>();
    QVERIFY2(scroll->viewport()->width() >= scroll->widget()->width(),
             qPrintable(
                 QStringLiteral("%1 in %2").arg(scroll->widget()->width()).arg(scroll->viewport()->width())));
    for (const auto* row : scroll->findChildren<views::FieldRow*>())
        if (row->isVisible())
            QVERIFY2(row->width() >= row->minimumSizeHint().width() &&
                         row->mapTo(scroll->viewport(), QPoint(row->width(), 0)).x() <=
                             scroll->viewport()->width(),
                     qPrintable(row->objectName()));
}

void TestWindowFrame::oneTitleADock() {
    Fixture f;
    f.openSample();
    PlanPage& plan = f.window->plan();
    QTRY_COMPARE(wronglyTitled(plan), QString());
    ViewDock* cost = plan.dock(QStringLiteral("cost"));
    plan.raise(QStringLiteral("cost"));
    QTRY_COMPARE(wronglyTitled(plan), QString());
    cost->setFloating(true);
    QTRY_COMPARE(wronglyTitled(plan), QString());
    cost->setFloating(false);
    QTRY_COMPARE(wronglyTitled(plan), QString());
    plan.dock(QStringLiteral("suggestions"))->close(); // one is left of the stack
    QTRY_COMPARE(wronglyTitled(plan), QString());
    plan.dock(QStringLiteral("suggestions"))->show();
    QTRY_COMPARE(wronglyTitled(plan), QString());
}

void TestWindowFrame::editLeavesTheFiguresWhole() {
    Fixture f;
    f.files().openSample(serving);
    f.settle();
    for (const QSize size : {QSize(1280, 720), QSize(1600, 1000)}) {
        f.window->resize(size);
        settle();
        for (const char* rate : {"20", "2", "400", "15"}) {
            QCOMPARE(f.document().setField(*findField("workload.request_rate_per_s"), QLatin1String(rate)),
                     QString());
            f.settle();
            settle();
            QCOMPARE(cramped(*f.window), QString());
        }
    }
}

void TestWindowFrame::startsWithinTheScreen() {
    test::CountedModel model;
    const MainWindow window({test::shippedCatalog(), {}}, model.engine(), Fixture::validation(),
                            freshSettings(), {});
    const QSize room = window.screen()->availableSize();
    QVERIFY(window.width() <= std::max(room.width(), window.minimumSizeHint().width()));
    QVERIFY(window.height() <= std::max(room.height(), window.minimumSizeHint().height()));
    QVERIFY2(window.minimumSizeHint().width() <= 1280 && window.minimumSizeHint().height() <= 680,
             qPrintable(QStringLiteral("%1 x %2")
                            .arg(window.minimumSizeHint().width())
                            .arg(window.minimumSizeHint().height())));
}

QTEST_MAIN(TestWindowFrame)

} // namespace tst_window_frame

#include "tst_window_frame.moc"
