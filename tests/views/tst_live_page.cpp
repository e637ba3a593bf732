// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "live_fixture.h"
#include "views/kit/hover_card.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/live/answer_panel.h"
#include "views/live/calibration_card.h"
#include "views/live/health_panel.h"
#include "views/live/live_bar.h"
#include "views/live/live_body.h"
#include "views/live/live_charts.h"
#include "views/live/live_empty.h"
#include "views/live/live_page.h"
#include "views/live/node_map_view.h"
#include "views/live/source_combo.h"
#include "views/live/stale_bar.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <qcustomplot.h>

#include <numeric>

namespace tst_live_page {

using namespace alidade;
using namespace alidade::views;

namespace {

/// The page over a server of two hours with faults, shown in a window.
struct Shown {
    sample::LiveServer server;
    double now = sample::liveNow;
    LiveSession session;
    LivePage page;

    explicit Shown(const sample::LiveShape& shape = {}, const QSize& size = {1210, 720})
        : Shown(shape, size, sample::liveJudge(shape)) {}
    Shown(const sample::LiveShape& shape, const QSize& size, LiveJudge judge)
        : session(
              nullptr, [this] { return now; }, std::move(judge))
        , page(&session) {
        server.shape = shape;
        server.ownGrid = true;
        session.setPolicies(sample::livePolicies());
        LivePlan plan;
        plan.id = "70b";
        plan.name = "70B on 56 × p5.48xlarge";
        session.setPlans({plan});
        session.setSources({server.source()});
        present(page, size);
    }
    void settle() {
        QTRY_VERIFY(!session.isAsking());
        // Layouts and plots are renewed in the next turns of the event loop.
        QList<int> painted;
        for (int turn = 0; turn < 40 && painted != replots(); ++turn) {
            painted = replots();
            ::settle();
        }
    }
    void open() {
        session.chooseSource("a");
        settle();
    }
    LiveCharts* charts() { return page.body()->charts(); }
    LiveChart* headline() { return charts()->headline(); }
    NodeMapView* nodes() { return page.body()->nodes(); }
    QList<int> replots() {
        QList<int> counts{headline()->replots()};
        for (const QString& id : charts()->shownIds())
            counts.append(charts()->small(id)->replots());
        counts.append(nodes()->imageBuilds());
        return counts;
    }
};

} // namespace

class TestLivePage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void emptyStates();
    void errorSaysWhatAndTriesAgain();
    void chartsShowWhatArrives();
    void modelsJudgmentIsShown();
    void unchangedAnswersPaintNothing();
    void changedAnswersPaintOnlyWhatChanged();
    void staleIsMarkedAndKept();
    void rangeButtonsAndPause();
    void crosshairIsShared();
    void dragZoomsAllChartsAndDoubleClickResets();
    void keysMoveTheCrosshairAndZoom();
    void chartsAndMapStandInLine();
    void faultNamesDoNotMeet();
    void clickOnACellSelectsTheHost();
    void keysWalkTheMap();
    void cellSaysWhatIsKnown();
    void noDataIsHatched();
    void standingStillIsNoLackOfData();
    void stragglerIsSeenAmongAThousand();
    void healthGoesThere();
    void cardsStayBetweenPolls();
    void excludedNodesAreOffered();
    void quietWindowIsOffered();
    void leftOutWindowsAreHatched();
    void servingShowsItsOwnFigures();
    void nothingIsCutOff();
    void everythingHasAName();
    void pictures();
};

void TestLivePage::emptyStates() {
    Shown shown;
    QVERIFY(shown.page.empty()->isVisible());
    QSignalSpy connected(&shown.page, &LivePage::connectRequested);
    QSignalSpy opened(&shown.page, &LivePage::openSnapshotRequested);
    QTest::mouseClick(shown.page.empty()->notice()->button(), Qt::LeftButton);
    QTest::mouseClick(shown.page.empty()->secondButton(), Qt::LeftButton);
    QCOMPARE(connected.count(), 1);
    QCOMPARE(opened.count(), 1);
    saveGrab(shown.page, QStringLiteral("live-none"));

    shown.server.held = true;
    shown.session.chooseSource("a");
    QCOMPARE(shown.page.empty()->notice()->accessibleName(), QStringLiteral("Asking prometheus-a"));
    QVERIFY(!shown.page.empty()->secondButton()->isVisible());
    shown.server.empty = true;
    shown.server.held = false;
    shown.settle();
    QVERIFY(shown.page.empty()->notice()->accessibleName().contains(QStringLiteral("No mapped metric")));
    QSignalSpy mapping(&shown.page, &LivePage::mappingRequested);
    QTest::mouseClick(shown.page.empty()->notice()->button(), Qt::LeftButton);
    QCOMPARE(mapping.count(), 1);

    shown.server.empty = false;
    shown.server.blank = true;
    shown.session.ask();
    shown.settle();
    QVERIFY(shown.page.empty()->notice()->accessibleName().startsWith(QStringLiteral("No data between")));
    saveGrab(shown.page, QStringLiteral("live-nodata"));
    shown.server.blank = false;
    shown.session.ask();
    shown.settle();
    QVERIFY(!shown.page.empty()->isVisible());
    QVERIFY(shown.page.body()->isVisible());
}

void TestLivePage::errorSaysWhatAndTriesAgain() {
    Shown shown;
    shown.server.fail("http://prometheus-a.example:9090 refused the connection; is the server running?");
    shown.open();
    QVERIFY(shown.page.empty()->isVisible());
    QVERIFY(shown.page.empty()->notice()->accessibleDescription().contains(QStringLiteral("refused")));
    QCOMPARE(shown.page.bar()->jobs()->currentIndex(), 0);
    QCOMPARE(shown.page.bar()->sources()->condition(), QStringLiteral("failed"));
    saveGrab(shown.page, QStringLiteral("live-failed"));
    shown.server.fail({});
    QTest::mouseClick(shown.page.empty()->notice()->button(), Qt::LeftButton);
    shown.settle();
    QVERIFY(shown.page.body()->isVisible());
}

void TestLivePage::chartsShowWhatArrives() {
    Shown shown;
    shown.open();
    QCOMPARE(shown.headline()->id(), std::string("step_time"));
    QCOMPARE(shown.headline()->accessibleName(), QStringLiteral("Step time"));
    QVERIFY(std::abs(shown.headline()->valueAt(sample::liveStart + 2400) - 7.74) < 0.4);
    QVERIFY(std::isnan(shown.headline()->valueAt(sample::liveStart + 4350))); // a gap is a gap
    QCOMPARE(shown.charts()->shownIds().first(), QStringLiteral("mfu"));
    QCOMPARE(shown.page.body()->answer()->verdict(),
             QStringLiteral("14 % behind plan over two hours; on plan now."));
    QCOMPARE(shown.page.body()->answer()->rows().first().second, QStringLiteral("1,031 of 1,196"));
    QCOMPARE(shown.page.body()->health()->cards().size(), 8);
    QVERIFY(shown.nodes()->namedHosts().contains(QStringLiteral("gpu-0007")));
    QCOMPARE(shown.page.bar()->sources()->condition(), QStringLiteral("0 s ago"));
    QVERIFY(shown.page.bar()->saveButton()->isEnabled());
    const auto y = shown.headline()->axis(PlotAxis::y)->range();
    QVERIFY(y.lower < 5.58 && y.upper > 7.74);
}

/// Not a judge of the test's own but the one that the program has.
void TestLivePage::modelsJudgmentIsShown() {
    Shown shown({}, {1530, 950}, judgeLive);
    shown.open();
    QVERIFY(shown.page.body()->isVisible());
    QCOMPARE(shown.headline()->id(), std::string("step_time"));
    QVERIFY(!shown.page.body()->answer()->verdict().isEmpty());
    saveGrab(shown.page, QStringLiteral("live-model"));
    const QList<HealthCard*> cards = shown.page.body()->health()->cards();
    QVERIFY(std::ranges::any_of(cards, [](const HealthCard* card) {
        return card->finding().kind == FaultKind::straggler && card->finding().where.host == "gpu-0007";
    }));
}

void TestLivePage::unchangedAnswersPaintNothing() {
    Shown shown;
    shown.open();
    const QList<int> before = shown.replots();
    for (int i = 0; i < 3; ++i) {
        shown.session.ask();
        shown.settle();
    }
    QCOMPARE(shown.server.asked.load(), 4);
    QList<int> after = shown.replots();
    after.removeLast(); // the map has a new answer, the charts have not
    QCOMPARE(after, before.mid(0, before.size() - 1));
}

void TestLivePage::changedAnswersPaintOnlyWhatChanged() {
    Shown shown;
    shown.open();
    const QWidget* chart = shown.charts()->small(QStringLiteral("mfu"));
    const QList<int> before = shown.replots();
    shown.server.ownGrid = false; // the next answer is of the hours asked for: another grid
    shown.now += 60;
    shown.session.ask();
    for (int i = 0; i < before.size(); ++i)
        QTRY_VERIFY(shown.replots()[i] > before[i]);
    shown.settle();
    const QList<int> after = shown.replots();
    for (int i = 0; i < after.size(); ++i)
        QVERIFY2(after[i] <= before[i] + 2, qPrintable(QString::number(after[i] - before[i])));
    QCOMPARE(shown.charts()->small(QStringLiteral("mfu")), chart);
}

void TestLivePage::staleIsMarkedAndKept() {
    Shown shown;
    shown.open();
    shown.server.fail("Connection refused.");
    shown.now += 150;
    shown.session.ask();
    shown.settle();
    QVERIFY(shown.page.body()->isVisible());
    QCOMPARE(shown.page.bar()->sources()->condition(), QStringLiteral("stale, 3 min"));
    const auto* bar = shown.page.findChild<StaleBar*>();
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->words().startsWith(QStringLiteral("Data is 3 min old: Connection refused.")),
             qPrintable(bar->words()));
    QCOMPARE(shown.headline()->plot()->graph(0)->pen().style(), Qt::CustomDashLine);
    saveGrab(shown.page, QStringLiteral("live-stale"));
    shown.server.fail({});
    shown.session.ask();
    shown.settle();
    QVERIFY(!bar->isVisible());
    QCOMPARE(shown.headline()->plot()->graph(0)->pen().style(), Qt::SolidLine);
}

void TestLivePage::rangeButtonsAndPause() {
    Shown shown;
    shown.server.ownGrid = false;
    shown.open();
    QCOMPARE(shown.page.bar()->ranges()->currentIndex(), 1);
    QTest::mouseClick(shown.page.bar()->ranges()->button(0), Qt::LeftButton);
    shown.settle();
    QCOMPARE(shown.session.state()->result->request.grid.step, 15.0);
    QVERIFY(shown.page.time()->end() - shown.page.time()->start() <= 1800);
    shown.page.time()->zoomTo(sample::liveNow - 600, sample::liveNow - 300);
    QTest::mouseClick(shown.page.bar()->ranges()->button(3), Qt::LeftButton); // seen whole, zoomed or not
    shown.settle();
    QVERIFY(!shown.page.time()->isZoomed());
    QVERIFY(shown.page.time()->end() - shown.page.time()->start() > 6.5 * 86400);
    saveGrab(shown.page, QStringLiteral("live-week"));
    QTest::mouseClick(shown.page.bar()->following()->button(1), Qt::LeftButton);
    QVERIFY(!shown.session.isFollowing());
    QVERIFY(!shown.session.nextAsk());
    QVERIFY(shown.page.bar()->sources()->condition().startsWith(QStringLiteral("paused")));
}

void TestLivePage::crosshairIsShared() {
    Shown shown;
    shown.open();
    LiveChart* small = shown.charts()->small(QStringLiteral("mfu"));
    const QPoint middle = small->plot()->axisRect()->rect().center();
    const QList<int> before = shown.replots();
    moveTo(small->plot(), middle);
    QVERIFY(shown.page.time()->cursor());
    const double at = *shown.page.time()->cursor();
    QVERIFY(std::abs(at - (sample::liveStart + 3600)) < 60);
    for (LiveChart* chart : {shown.headline(), small})
        QVERIFY(std::abs(chart->axis(PlotAxis::x)->coordToPixel(at) - chart->crosshairX()) < 1);
    moveTo(shown.nodes(), shown.nodes()->area().center());
    QVERIFY(std::isfinite(shown.headline()->crosshairX()));
    // The crosshair is painted without the rest.
    QCOMPARE(shown.replots(), before);
}

void TestLivePage::dragZoomsAllChartsAndDoubleClickResets() {
    Shown shown;
    shown.open();
    const QRect area = shown.headline()->plot()->axisRect()->rect();
    drag(shown.headline()->plot(), {area.left() + area.width() / 4, area.center().y()},
         {area.left() + area.width() / 2, area.center().y()});
    QVERIFY(shown.page.time()->isZoomed());
    QVERIFY(std::abs(shown.page.time()->start() - (sample::liveStart + 1800)) < 60);
    QVERIFY(std::abs(shown.page.time()->end() - (sample::liveStart + 3600)) < 60);
    const QCPRange small = shown.charts()->small(QStringLiteral("mfu"))->axis(PlotAxis::x)->range();
    QCOMPARE(small.lower, shown.page.time()->start());
    // New data keeps what a person zoomed to.
    shown.session.ask();
    shown.settle();
    QVERIFY(shown.page.time()->isZoomed());
    QTest::mouseDClick(shown.headline()->plot(), Qt::LeftButton, {}, area.center());
    QVERIFY(!shown.page.time()->isZoomed());
    drag(shown.nodes(), shown.nodes()->area().center() - QPoint(100, 0), shown.nodes()->area().center());
    QVERIFY(shown.page.time()->isZoomed());
    QTest::mouseDClick(shown.nodes(), Qt::LeftButton, {}, shown.nodes()->area().center());
    QVERIFY(!shown.page.time()->isZoomed());
    wheelAt(shown.headline()->plot(), area.center(), 1);
    QVERIFY(shown.page.time()->isZoomed());
}

void TestLivePage::keysMoveTheCrosshairAndZoom() {
    Shown shown;
    shown.open();
    shown.headline()->setFocus();
    QTest::keyClick(shown.headline(), Qt::Key_Right);
    const double first = *shown.page.time()->cursor();
    QTest::keyClick(shown.headline(), Qt::Key_Right);
    QCOMPARE(*shown.page.time()->cursor(), first + 30);
    QTest::keyClick(shown.headline(), Qt::Key_Plus);
    QVERIFY(shown.page.time()->isZoomed());
    QTest::keyClick(shown.headline(), Qt::Key_Escape);
    QVERIFY(!shown.page.time()->isZoomed());
    QVERIFY(!shown.page.time()->cursor());
}

void TestLivePage::chartsAndMapStandInLine() {
    Shown shown;
    shown.open();
    const QRect chart = shown.headline()->plot()->axisRect()->rect();
    const QPoint left = shown.headline()->plot()->mapTo(&shown.page, chart.topLeft());
    const QPoint right = shown.headline()->plot()->mapTo(&shown.page, chart.topRight());
    const QRect cells = shown.nodes()->area();
    QVERIFY(std::abs(shown.nodes()->mapTo(&shown.page, cells.topLeft()).x() - left.x()) <= 2);
    QVERIFY(std::abs(shown.nodes()->mapTo(&shown.page, cells.topRight()).x() - right.x()) <= 2);
}

void TestLivePage::faultNamesDoNotMeet() {
    for (const int width : {700, 1000, 1900}) {
        Shown shown({}, {width, 700});
        shown.open();
        const auto names = shown.headline()->faultLabels();
        QVERIFY(names.size() >= 3);
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!names[i].second.intersects(names[j].second), qPrintable(names[i].first));
        QVERIFY(std::ranges::any_of(
            names, [](const auto& n) { return n.first == QStringLiteral("hang, restart"); }));
    }
}

void TestLivePage::clickOnACellSelectsTheHost() {
    Shown shown;
    shown.open();
    QSignalSpy selected(&shown.page, &LivePage::hostSelected);
    const QPointF place = shown.nodes()->placeOf(QStringLiteral("gpu-0020"), sample::liveStart + 3600);
    QTest::mouseClick(shown.nodes(), Qt::LeftButton, {}, place.toPoint());
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected.first().first().toString(), QStringLiteral("gpu-0020"));
    QCOMPARE(shown.page.selectedHost(), QStringLiteral("gpu-0020"));
    QVERIFY(!shown.page.time()->isZoomed());
}

void TestLivePage::keysWalkTheMap() {
    Shown shown;
    shown.open();
    QSignalSpy selected(&shown.page, &LivePage::hostSelected);
    shown.nodes()->setFocus();
    QTest::keyClick(shown.nodes(), Qt::Key_Down); // to the first node
    for (int i = 0; i < 7; ++i)
        QTest::keyClick(shown.nodes(), Qt::Key_Down);
    QTest::keyClick(shown.nodes(), Qt::Key_Return);
    QCOMPARE(selected.last().first().toString(), QStringLiteral("gpu-0007"));
    QVERIFY(shown.nodes()->accessibleDescription().contains(QStringLiteral("gpu-0007")));
    QTest::keyClick(shown.nodes(), Qt::Key_Escape);
    QCOMPARE(shown.page.selectedHost(), QString());
}

void TestLivePage::cellSaysWhatIsKnown() {
    Shown shown;
    shown.open();
    moveTo(shown.nodes(),
           shown.nodes()->placeOf(QStringLiteral("gpu-0007"), sample::liveStart + 2340).toPoint());
    QTRY_VERIFY(HoverCard::current());
    const QString words = HoverCard::words(HoverCard::current()->content());
    QVERIFY2(words.contains(QStringLiteral("Slowest GPU: 3, at 1,290 MHz")), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("87 °C")), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("plan 6.02 s")), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("straggler")), qPrintable(words));
    saveGrab(shown.page, QStringLiteral("live-card"));
}

void TestLivePage::noDataIsHatched() {
    const sample::LiveShape shape{.hosts = 8};
    const NodeMap map = sample::liveNodes(shape);
    std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
    const QImage image = nodeImage(map, {order, shape.grid, sample::liveStart, sample::liveNow, {240, 80}, 1},
                                   DeviationColors(Theme::light()));
    QCOMPARE(qAlpha(image.pixel(145, 5)), 0); // the job hangs
    QCOMPARE(qAlpha(image.pixel(100, 5)), 255);
    QCOMPARE(qAlpha(image.pixel(100, 9)), 0); // the gap between two rows
}

/// A host that is measured and does nothing has its own color; one that is not measured has none.
void TestLivePage::standingStillIsNoLackOfData() {
    const sample::LiveShape shape{.hosts = 2};
    NodeMap map = sample::liveNodes(shape);
    map.noData.assign(map.values.size(), 0);
    for (std::size_t i = 0; i < shape.grid.points; ++i) // the job hangs, and the exporters of one host too
        map.noData[shape.grid.points + i] = std::isfinite(map.values[shape.grid.points + i]) ? 0 : 1;
    constexpr QRgb stood = qRgb(1, 2, 3);
    const std::vector<int> order{0, 1};
    NodeImageSpec spec{order, shape.grid, sample::liveStart, sample::liveNow, {240, 80}, 1};
    spec.stoodColor = stood;
    const QImage image = nodeImage(map, spec, DeviationColors(Theme::light()));
    QCOMPARE(image.pixel(145, 5), stood);
    QCOMPARE(qAlpha(image.pixel(145, 60)), 0);
    QVERIFY(image.pixel(100, 5) != stood);
    QCOMPARE(qAlpha(image.pixel(100, 60)), 255);
}

void TestLivePage::stragglerIsSeenAmongAThousand() {
    const sample::LiveShape shape{.hosts = 1000, .grid = {sample::liveStart, 7.5, 960}};
    const Theme look = Theme::light();
    const NodeMap map = sample::liveNodes(shape);
    std::vector<int> order(1000);
    std::iota(order.begin(), order.end(), 0);
    const QImage image = nodeImage(
        map, {order, shape.grid, sample::liveStart, sample::liveNow, {600, 300}, 1}, DeviationColors(look));
    int loud = 0;
    const QColor full = look.diverging(0.3, 0.3);
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
            loud += std::abs(qRed(image.pixel(x, y)) - full.red()) < 12 &&
                    std::abs(qGreen(image.pixel(x, y)) - full.green()) < 24;
    // Its one row of pixels, 1,200 of 7,200 s wide.
    QVERIFY2(loud >= 90 && loud <= 120, qPrintable(QString::number(loud)));

    Shown shown(shape, {1400, 800});
    shown.open();
    QVERIFY(shown.nodes()->namedHosts().contains(QStringLiteral("gpu-0007")));
    QVERIFY(shown.nodes()->namedHosts().size() < 80);
    saveGrab(shown.page, QStringLiteral("live-1000"));
}

void TestLivePage::healthGoesThere() {
    Shown shown;
    shown.open();
    QSignalSpy selected(&shown.page, &LivePage::hostSelected);
    HealthCard* card = shown.page.body()->health()->cards()[4];
    QCOMPARE(card->finding().kind, FaultKind::straggler);
    QTest::mouseClick(card, Qt::LeftButton);
    QCOMPARE(selected.last().first().toString(), QStringLiteral("gpu-0007"));
    QCOMPARE(shown.page.time()->start(), sample::liveStart + 1200);
    QCOMPARE(shown.page.time()->end(), sample::liveStart + 3600);
    shown.settle();
    saveGrab(shown.page, QStringLiteral("live-zoomed"));
    card->setFocus();
    shown.page.time()->reset();
    QTest::keyClick(card, Qt::Key_Return);
    QVERIFY(shown.page.time()->isZoomed());
}

void TestLivePage::cardsStayBetweenPolls() {
    Shown shown;
    shown.open();
    const QList<HealthCard*> before = shown.page.body()->health()->cards();
    shown.session.ask();
    shown.settle();
    QCOMPARE(shown.page.body()->health()->cards(), before);
}

void TestLivePage::excludedNodesAreOffered() {
    Shown shown;
    shown.open();
    QSignalSpy excluded(&shown.page, &LivePage::excludeRequested);
    QPushButton* button = shown.page.body()->health()->excludeButton();
    QCOMPARE(button->text(), QStringLiteral("Exclude 2 nodes from plan"));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(excluded.first().first().toStringList(),
             QStringList({QStringLiteral("gpu-0031"), QStringLiteral("gpu-0061")}));
    QSignalSpy topology(&shown.page, &LivePage::topologyRequested);
    QTest::mouseClick(shown.page.body()->health()->topologyButton(), Qt::LeftButton);
    QCOMPARE(topology.first().first().toStringList().size(), 6);
    Shown healthy({.faults = false});
    healthy.open();
    QVERIFY(!healthy.page.body()->health()->excludeButton()->isVisible());
    QCOMPARE(healthy.page.body()->health()->cards().size(), 0);
    saveGrab(healthy.page, QStringLiteral("live-healthy"));
}

void TestLivePage::quietWindowIsOffered() {
    Shown shown;
    shown.open();
    QSignalSpy fit(&shown.page, &LivePage::fitRequested);
    QTest::mouseClick(shown.page.body()->calibration()->fitButton(), Qt::LeftButton);
    QCOMPARE(fit.first()[0].toDouble(), sample::liveStart);
    QCOMPARE(fit.first()[1].toDouble(), sample::liveStart + 1740);
}

void TestLivePage::leftOutWindowsAreHatched() {
    Shown shown;
    shown.open();
    const QList<int> before = shown.replots();
    shown.session.setExcluded({{sample::liveStart + 4200, sample::liveStart + 4650, "hang and restart"}});
    QTRY_VERIFY(shown.replots().first() > before.first());
    const LiveChart* chart = shown.headline();
    int hatched = 0;
    for (int i = 0; i < chart->plot()->itemCount(); ++i)
        if (const auto* column = qobject_cast<QCPItemRect*>(chart->plot()->item(i)))
            hatched += column->visible() && column->brush().style() == Qt::BDiagPattern;
    QCOMPARE(hatched, 1);
}

void TestLivePage::servingShowsItsOwnFigures() {
    Shown shown({.serving = true});
    shown.open();
    QCOMPARE(shown.headline()->id(), std::string("itl_p90"));
    QVERIFY(shown.charts()->shownIds().contains(QStringLiteral("ttft_p90")));
    saveGrab(shown.page, QStringLiteral("live-serving"));
}

void TestLivePage::nothingIsCutOff() {
    for (const QSize& size : {QSize(1210, 720), QSize(1530, 920), QSize(2490, 1360)}) {
        Shown shown({}, size);
        shown.open();
        for (const auto* label : shown.page.findChildren<TextLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty())
                continue;
            const bool wraps = label->wordWrap();
            const int needed = wraps ? label->heightForWidth(label->width()) : label->sizeHint().height();
            QVERIFY2(label->height() >= needed - 1, qPrintable(label->text()));
            if (!wraps && label->minimumSizeHint().width() >= label->sizeHint().width())
                QVERIFY2(label->width() >= label->sizeHint().width() - 1, qPrintable(label->text()));
        }
        for (const auto* button : shown.page.findChildren<QPushButton*>())
            if (button->isVisible())
                QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        QVERIFY2(shown.page.minimumSizeHint().width() <= 1210,
                 qPrintable(QString::number(shown.page.minimumSizeHint().width())));
        QVERIFY2(shown.page.minimumSizeHint().height() <= 720,
                 qPrintable(QString::number(shown.page.minimumSizeHint().height())));
    }
}

void TestLivePage::everythingHasAName() {
    Shown shown;
    shown.open();
    for (const auto* widget : shown.page.findChildren<QWidget*>()) {
        if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0)
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button && !button->text().isEmpty());
        QVERIFY2(named, widget->metaObject()->className());
    }
}

void TestLivePage::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        for (const auto& [name, size] : {std::pair{"live-1280", QSize(1210, 750)},
                                         {"live-1600", QSize(1530, 950)},
                                         {"live-2560", QSize(2490, 1390)}}) {
            Shown shown({}, size);
            shown.open();
            shown.session.setExcluded(
                {{sample::liveStart + 4200, sample::liveStart + 4650, "hang and restart"}});
            shown.settle();
            QTRY_COMPARE(shown.page.size(), size); // nothing asks for more room
            saveGrab(shown.page, QString::fromLatin1(name));
        }
    }
    ThemeController::instance().setChoice(ThemeChoice::system);
}

QTEST_MAIN(TestLivePage)

} // namespace tst_live_page

#include "tst_live_page.moc"
