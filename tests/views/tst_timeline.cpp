// SPDX-License-Identifier: GPL-3.0-or-later
#include "counting_engine.h"
#include "drive.h"
#include "gallery.h"
#include "played_timeline.h"
#include "sample_document.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/states.h"
#include "views/theme/theme_controller.h"
#include "views/timeline/timeline_blocks.h"
#include "views/timeline/timeline_foot.h"
#include "views/timeline/timeline_overview.h"
#include "views/timeline/timeline_plot.h"
#include "views/timeline/timeline_text.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_timeline {

using namespace alidade;
using namespace alidade::sample_timeline;
using namespace alidade::views;

namespace {

void shown(SampleDocument& document, TimelineView& view, const QSize& size = {900, 520}) {
    present(view, size);
    document.estimateNow();
    QTRY_VERIFY(!view.isPlaying());
    settle();
}

double width(const TimelinePlot& plot) { return plot.timeRange().second - plot.timeRange().first; }

} // namespace

class TestTimeline : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void drawsOnlyWhatIsSeen();
    void largeScheduleStaysSmall();
    void perfettoKeys();
    void wheelZoomsAtThePointer();
    void dragPansAndStaysInside();
    void overviewMovesTheFrame();
    void clickChoosesBlockAndStage();
    void keysWalkBlocksAndStages();
    void fitShowsTheBlockAndThenAll();
    void stageFromElsewhere();
    void hoverTellsAboutBlocksAndWaiting();
    void differenceIsSaid();
    void scheduleIsPlayedOnlyWhileSeen();
    void olderScheduleIsDropped();
    void onePlanHasNoPipeline();
    void scheduleThatCannotBeDrawn();
    void planThatDoesNotRun();
    void modelPlaysEverySchedule_data();
    void modelPlaysEverySchedule();
    void dataTwinHoldsWhatIsSeen();
    void exportsEverything();
    void wordsForThoseWhoDoNotSee();
    void pictures();
};

void TestTimeline::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestTimeline::drawsOnlyWhatIsSeen() {
    SampleDocument document(played({8, 1, 32}));
    TimelineView view(document.get());
    shown(document, view);
    QCOMPARE(view.plot()->data()->events().size(), std::size_t{8 * 32 * 2});
    view.plot()->setTimeRange(20e-3, 24e-3);
    settle();
    int seen = 0;
    for (const TimelineEvent& e : view.plot()->data()->events())
        seen += e.end > 20e-3 && e.start < 24e-3 ? 1 : 0;
    QCOMPARE(view.plot()->drawnBlocks(), seen);
    QVERIFY(seen < 8 * 8);
}

void TestTimeline::largeScheduleStaysSmall() {
    SampleDocument document(played(large));
    TimelineView view(document.get());
    shown(document, view, {1280, 800});
    const TimelineData& data = *view.plot()->data();
    QCOMPARE(data.events().size(), std::size_t{16 * 8 * 512 * 2});
    // On each lane one block a pixel at most, and between these the events that are wide enough.
    const double pixels = view.plot()->lane(0).width();
    const int most = static_cast<int>(16 * (pixels + pixels / leastBlock + 2));
    QVERIFY(view.plot()->drawnBlocks() > 0);
    QVERIFY(view.plot()->drawnBlocks() <= 16 * pixels); // nothing is wide enough
    for (int i = 0; i < 40; ++i) {
        QTest::keyClick(view.plot(), Qt::Key_W);
        settle();
        QVERIFY2(view.plot()->drawnBlocks() <= most, qPrintable(QString::number(view.plot()->drawnBlocks())));
    }
    // Closest: some of the shortest events fill the width.
    QVERIFY(width(*view.plot()) <= 4.01 * data.shortest());
    QVERIFY(view.plot()->drawnBlocks() <= 16 * 6);
    QVERIFY(view.plot()->drawnBlocks() >= 1);
}

void TestTimeline::perfettoKeys() {
    SampleDocument document(played({8, 1, 32}));
    TimelineView view(document.get());
    shown(document, view);
    TimelinePlot& plot = *view.plot();
    plot.setFocus();
    const double whole = width(plot);
    QVERIFY(std::abs(whole - plot.data()->makespan()) < 1e-12);
    QTest::keyClick(&plot, Qt::Key_W);
    QTest::keyClick(&plot, Qt::Key_W);
    QVERIFY(width(plot) < 0.6 * whole);
    const double zoomed = width(plot);
    const double from = plot.timeRange().first;
    QTest::keyClick(&plot, Qt::Key_D);
    QVERIFY(plot.timeRange().first > from);
    QVERIFY(std::abs(width(plot) - zoomed) < 1e-9 * whole);
    QTest::keyClick(&plot, Qt::Key_A);
    QVERIFY(std::abs(plot.timeRange().first - from) < 1e-9 * whole);
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(&plot, Qt::Key_A);
    QCOMPARE(plot.timeRange().first, 0.0); // the step has no time before its start
    QTest::keyClick(&plot, Qt::Key_S);
    QVERIFY(width(plot) > zoomed);
    for (const int key : {Qt::Key_0, Qt::Key_F, Qt::Key_Home}) {
        QTest::keyClick(&plot, Qt::Key_W);
        QVERIFY(plot.isZoomed());
        QTest::keyClick(&plot, static_cast<Qt::Key>(key));
        QVERIFY(std::abs(width(plot) - whole) < 1e-12);
        QVERIFY(!plot.isZoomed());
    }
}

void TestTimeline::wheelZoomsAtThePointer() {
    SampleDocument document(played({8, 1, 32}));
    TimelineView view(document.get());
    shown(document, view);
    TimelinePlot& plot = *view.plot();
    const double x = plot.lane(0).left() + plot.lane(0).width() / 4;
    for (const Qt::KeyboardModifiers held :
         {Qt::KeyboardModifiers(Qt::NoModifier), Qt::KeyboardModifiers(Qt::ControlModifier)}) {
        plot.fit();
        const double whole = width(plot);
        const double time = plot.plot()->xAxis->pixelToCoord(x);
        wheelAt(plot.plot(), {x, 60}, 3, held);
        QVERIFY(width(plot) < 0.7 * whole);
        QVERIFY(std::abs(plot.plot()->xAxis->pixelToCoord(x) - time) < 1e-9);
        QCOMPARE(plot.plot()->yAxis->range().size(), 8.0);
        wheelAt(plot.plot(), {x, 60}, -30, held);
        QVERIFY(std::abs(width(plot) - plot.data()->makespan()) < 1e-12); // never more than the step
    }
    wheelAt(plot.plot(), {x, 60}, 3, Qt::ShiftModifier);
    QVERIFY(plot.plot()->yAxis->range().size() < 8);
}

void TestTimeline::dragPansAndStaysInside() {
    SampleDocument document(played({8, 1, 32}));
    TimelineView view(document.get());
    shown(document, view);
    TimelinePlot& plot = *view.plot();
    plot.zoomTime(0.25, plot.data()->makespan() / 2);
    const auto before = plot.timeRange();
    const QPoint middle = plot.plot()->axisRect()->rect().center();
    drag(plot.plot(), middle, middle - QPoint(80, 0));
    QVERIFY(plot.timeRange().first > before.first);
    QVERIFY(document->selection().empty()); // a drag is not a click
    drag(plot.plot(), middle, middle + QPoint(5000, 0));
    QCOMPARE(plot.timeRange().first, 0.0);
    QVERIFY(std::abs(width(plot) - (before.second - before.first)) < 1e-9);
}

void TestTimeline::overviewMovesTheFrame() {
    SampleDocument document(played({8, 1, 32}));
    TimelineView view(document.get());
    shown(document, view);
    TimelineOverview& overview = *view.overview();
    TimelinePlot& plot = *view.plot();
    // The step lies over the lanes.
    const QPoint left = plot.plot()->mapTo(&view, plot.lane(0).topLeft().toPoint());
    QVERIFY(std::abs(overview.mapTo(&view, overview.frame().topLeft().toPoint()).x() - left.x()) <= 2);
    plot.zoomTime(0.2, 0);
    QVERIFY(overview.frame().width() < overview.width() / 4.0);
    const QPoint to(overview.width() / 2, overview.height() / 2);
    QTest::mouseClick(&overview, Qt::LeftButton, {}, to);
    QVERIFY(std::abs(overview.frame().center().x() - to.x()) <= 2);
    drag(&overview, to, to + QPoint(60, 0));
    QVERIFY(std::abs(overview.frame().center().x() - to.x() - 60) <= 2);
    const double before = overview.frame().width();
    wheelAt(&overview, QPointF(to), 2);
    QVERIFY(overview.frame().width() < before);
}

void TestTimeline::clickChoosesBlockAndStage() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view, {900, 620});
    TimelinePlot& plot = *view.plot();
    document->setSelection({.layer = QStringLiteral("transformer")});
    const int event = indexOf(*plot.data(), 2, 3, 'B');
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.blockRect(event).center().toPoint());
    QCOMPARE(plot.selectedEvent(), event);
    QCOMPARE(document->selection().stage, std::optional(2));
    QCOMPARE(document->selection().layer, QStringLiteral("transformer"));
    QVERIFY(view.foot()->text(0).startsWith(QStringLiteral("Backward, stage 2, micro-batch 3")));
    // Where the stage waits it is the stage as a whole.
    const QRectF lane = plot.lane(3);
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {},
                      QPoint(static_cast<int>(lane.left()) + 4, lane.center().toPoint().y()));
    QCOMPARE(document->selection().stage, std::optional(3));
    QCOMPARE(plot.selectedEvent(), -1);
    QVERIFY(view.foot()->text(2).startsWith(QStringLiteral("Stage 3 over the whole step")));
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Escape);
    QVERIFY(document->selection().empty());
    QCOMPARE(plot.selectedStage(), -1);
}

void TestTimeline::keysWalkBlocksAndStages() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    TimelinePlot& plot = *view.plot();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(document->selection().stage, std::optional(0));
    QCOMPARE(plot.selectedEvent(), -1);
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(plot.selectedEvent(), plot.data()->first(0));
    QTest::keyClick(&plot, Qt::Key_Period);
    QCOMPARE(plot.selectedEvent(), plot.data()->first(0) + 1);
    QTRY_VERIFY(HoverCard::current());
    QTest::keyClick(&plot, Qt::Key_Comma);
    QTest::keyClick(&plot, Qt::Key_Left);
    QCOMPARE(plot.selectedEvent(), plot.data()->first(0)); // nothing is before the first
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(document->selection().stage, std::optional(1));
    QCOMPARE(at(*plot.data(), plot.selectedEvent()).stage, 1);
    // Return goes to what the block waited for.
    const int backward = indexOf(*plot.data(), 0, 0, 'B');
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.blockRect(backward).center().toPoint());
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(plot.selectedEvent(), indexOf(*plot.data(), 1, 0, 'B'));
    QCOMPARE(document->selection().stage, std::optional(1));
}

void TestTimeline::fitShowsTheBlockAndThenAll() {
    SampleDocument document(played({8, 1, 64}));
    TimelineView view(document.get());
    shown(document, view);
    TimelinePlot& plot = *view.plot();
    plot.setFocus();
    const int event = indexOf(*plot.data(), 4, 20, 'F');
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.blockRect(event).center().toPoint());
    const int chosen = plot.selectedEvent();
    QVERIFY(chosen >= 0);
    QTest::keyClick(&plot, Qt::Key_F);
    const TimelineEvent& e = at(*plot.data(), chosen);
    QVERIFY(plot.timeRange().first < e.start && e.end < plot.timeRange().second);
    QVERIFY(width(plot) < 15 * (e.end - e.start));
    QTest::keyClick(&plot, Qt::Key_F);
    QVERIFY(std::abs(width(plot) - plot.data()->makespan()) < 1e-12);
    // A block beyond what is to be seen is brought there.
    plot.setTimeRange(0, 10e-3);
    for (int i = 0; i < 40; ++i)
        QTest::keyClick(&plot, Qt::Key_Right);
    const TimelineEvent& late = at(*plot.data(), plot.selectedEvent());
    QVERIFY(plot.timeRange().first <= late.start && late.end <= plot.timeRange().second);
}

void TestTimeline::stageFromElsewhere() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    QSignalSpy changed(document.get(), &Document::selectionChanged);
    document->setSelection({.stage = 2});
    QCOMPARE(view.plot()->selectedStage(), 2);
    document->setSelection({.stage = 99});
    QCOMPARE(view.plot()->selectedStage(), -1);
    QCOMPARE(changed.count(), 2);
    // A block goes with its stage.
    const int event = indexOf(*view.plot()->data(), 1, 3, 'F');
    QTest::mouseClick(view.plot()->plot(), Qt::LeftButton, {},
                      view.plot()->blockRect(event).center().toPoint());
    QCOMPARE(view.plot()->selectedEvent(), event);
    document->setSelection({.stage = 3});
    QCOMPARE(view.plot()->selectedEvent(), -1);
}

void TestTimeline::hoverTellsAboutBlocksAndWaiting() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view, {900, 620});
    TimelinePlot& plot = *view.plot();
    const TimelineData& data = *plot.data();
    const int event = indexOf(data, 0, 0, 'B');
    moveTo(plot.plot(), plot.blockRect(event).center().toPoint());
    QTRY_VERIFY(HoverCard::current());
    const CardContent card = HoverCard::current()->content();
    QCOMPARE(card, eventCard(data, event));
    QCOMPARE(card.title, QStringLiteral("Backward, stage 0, micro-batch 0"));
    QCOMPARE(card.rows[0], std::pair(QStringLiteral("Start, length"), QStringLiteral("10.00 ms, 2.000 ms")));
    QCOMPARE(card.rows[1], std::pair(QStringLiteral("Waited"), QStringLiteral("6.000 ms")));
    QCOMPARE(card.rows[2],
             std::pair(QStringLiteral("Waited for"), QStringLiteral("backward on stage 1, until 10.00 ms")));
    QVERIFY(document->selection().empty());
    const QRectF lane = plot.lane(3);
    moveTo(plot.plot(), QPoint(static_cast<int>(lane.left()) + 6, lane.center().toPoint().y()));
    QTRY_VERIFY(HoverCard::current() && HoverCard::current()->content().tag == Bound::bubble);
    const CardContent waits = HoverCard::current()->content();
    QCOMPARE(waits.title, QStringLiteral("Stage 3 waits"));
    QCOMPARE(waits.rows[0].second, QStringLiteral("0.00 ms, 3.000 ms"));
    QCOMPARE(waits.rows[1].second, QStringLiteral("Forward, stage 3, micro-batch 0"));
    QCOMPARE(waits.rows[2].second, QStringLiteral("forward on stage 2, until 3.00 ms"));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(plot.plot(), &leave);
    QTRY_VERIFY(!HoverCard::current());
    // At the end a stage waits for the others.
    QCOMPARE(waitingCard(data, 3, data.makespan() * 0.999).rows[1].second,
             QStringLiteral("the other stages to finish"));
    // What is too narrow to be told apart is told about together.
    const CardContent merged = mergedCard(data, 1, 10e-3, 20e-3);
    QVERIFY(merged.title.startsWith(QStringLiteral("Stage 1, ")));
    QCOMPARE(merged.rows.last().first, QStringLiteral("Waiting"));
}

void TestTimeline::differenceIsSaid() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    QCOMPARE(view.sentence(),
             QStringLiteral("The drawn pipeline takes 33.00 ms, that of the estimate 33.03 ms (+0.10 %)."));
    Estimate same = played({4, 1, 8});
    same.training->timelineClosedForm = 33e-3;
    document.answer(same);
    QTRY_COMPARE(view.sentence(), QStringLiteral("The pipeline takes 33.00 ms."));
    same.training->stepTime = 35e-3; // the rest of a step is not part of the pipeline
    document.answer(same);
    QTRY_COMPARE(view.sentence(),
                 QStringLiteral("The pipeline takes 33.00 ms; stragglers, the last gradients "
                                "and the optimizer add 2.00 ms to the step."));
    same.training->stepTime = 0;
    same.training->timelineClosedForm = 32.9e-3;
    document.answer(same);
    QTRY_COMPARE(
        view.sentence(),
        QStringLiteral("The drawn pipeline takes 33.00 ms, that of the estimate 32.90 ms (−0.30 %)."));
    QCOMPARE(view.note(), QStringLiteral("1F1B, 4 stages, 8 micro-batches"));
}

void TestTimeline::scheduleIsPlayedOnlyWhileSeen() {
    std::atomic<int> plays = 0;
    Engine engine{
        .estimate = [](const ScenarioSpec&, const Catalog&) -> Result<Estimate> {
            return sample::estimate();
        },
        .suggest = {},
        .explain = {},
        .detail = [&](const ScenarioSpec&, const Catalog&, const EstimateOptions&) -> Result<Estimate> {
            ++plays;
            return played({4, 1, 8});
        }};
    Document document(std::make_shared<const Catalog>(), engine);
    TimelineView view(&document);
    document.open(sample::scenario(), QStringLiteral("sample.json"));
    QTRY_VERIFY(!document.busy());
    settle();
    QCOMPARE(plays.load(), 0);
    present(view, {700, 400});
    QTRY_VERIFY(view.plot()->data() && !view.isPlaying());
    QCOMPARE(plays.load(), 1);
    document.setSelection({.stage = 1});
    settle();
    QCOMPARE(plays.load(), 1);
    view.hide();
    document.recompute();
    QTRY_VERIFY(!document.busy());
    settle();
    QCOMPARE(plays.load(), 1);
    present(view);
    QTRY_VERIFY(plays.load() == 2 && !view.isPlaying());
}

void TestTimeline::olderScheduleIsDropped() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    document.answer(played({4, 1, 16}));
    document.answer(played({2, 1, 4}));
    QTRY_VERIFY(!view.isPlaying());
    QCOMPARE(view.plot()->data()->stages(), 2);
    QCOMPARE(view.plot()->data()->microbatches(), 4);
    QVERIFY(std::abs(width(*view.plot()) - view.plot()->data()->makespan()) < 1e-12);
}

void TestTimeline::onePlanHasNoPipeline() {
    SampleDocument document(played({1, 1, 4}));
    TimelineView view(document.get());
    present(view, {700, 400});
    auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice);
    document.estimateNow();
    const QList<EmptyState*> notices = view.findChildren<EmptyState*>();
    const auto seen = std::ranges::find_if(notices, [](const EmptyState* each) { return each->isVisible(); });
    QVERIFY(seen != notices.end());
    QCOMPARE((*seen)->accessibleName(), QStringLiteral("This plan has no pipeline"));
    QVERIFY((*seen)->accessibleDescription().contains(QStringLiteral("one stage")));
    saveGrab(view, QStringLiteral("timeline-no-pipeline"));
}

void TestTimeline::scheduleThatCannotBeDrawn() {
    Estimate estimate = played({4, 1, 8});
    estimate.training->timeline.clear();
    SampleDocument document(estimate);
    TimelineView view(document.get());
    shown(document, view);
    const QList<EmptyState*> notices = view.findChildren<EmptyState*>();
    const auto seen = std::ranges::find_if(notices, [](const EmptyState* each) { return each->isVisible(); });
    QVERIFY(seen != notices.end());
    QCOMPARE((*seen)->accessibleName(), QStringLiteral("This schedule cannot be drawn"));
    QVERIFY(!view.plot()->isVisible());
    document.answer(played({4, 1, 8}));
    QTRY_VERIFY(view.plot()->isVisible());
}

void TestTimeline::planThatDoesNotRun() {
    SampleDocument document(sample::estimateThatDoesNotRun());
    TimelineView view(document.get());
    present(view, {700, 400});
    document.estimateNow();
    const QList<EmptyState*> notices = view.findChildren<EmptyState*>();
    const auto seen = std::ranges::find_if(notices, [](const EmptyState* each) { return each->isVisible(); });
    QVERIFY(seen != notices.end());
    QCOMPARE((*seen)->accessibleName(), QStringLiteral("This plan does not run"));
}

void TestTimeline::modelPlaysEverySchedule_data() {
    QTest::addColumn<QString>("schedule");
    QTest::addColumn<int>("chunks");
    for (const auto& [schedule, chunks] : {std::pair{"gpipe", 1},
                                           {"1f1b", 1},
                                           {"interleaved", 5},
                                           {"zb-h1", 1},
                                           {"zb-v", 1},
                                           {"dualpipe", 1},
                                           {"dualpipe-v", 1}})
        QTest::newRow(schedule) << QString::fromLatin1(schedule) << chunks;
}

/// What the engine of the program hands to this view: as many backwards as forwards, weight gradients next to
/// them or not, and a closed form that is within 1 % of the drawing.
void TestTimeline::modelPlaysEverySchedule() {
    QFETCH(QString, schedule);
    QFETCH(int, chunks);
    ScenarioSpec spec = test::sampleSpec("llama-3.1-70b-64xp5.48xlarge");
    spec.plan.schedule = schedule.toStdString();
    spec.plan.virtualPipeline.reset();
    if (chunks > 1)
        spec.plan.virtualPipeline = chunks;
    const Result<Estimate> estimate =
        modelEngine().detail(spec, *test::shippedCatalog(), {.timeline = true, .fixes = false});
    QVERIFY2(bool(estimate), estimate.error().c_str());
    const TimelineData data(*estimate);
    QVERIFY(!data.empty());
    QCOMPARE(data.stages(), 4);
    const auto count = [&](char kind) {
        return std::ranges::count(data.events(), kind, &TimelineEvent::kind);
    };
    QCOMPARE(count('F'), count('B'));
    QVERIFY(count('W') <= count('B'));
    QVERIFY(std::abs(data.closedForm() / data.makespan() - 1) < 0.01);
}

void TestTimeline::dataTwinHoldsWhatIsSeen() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    QCOMPARE(view.dataTable()->model()->rowCount(), 4 * 8 * 2);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QVERIFY(document->selection().stage.has_value());
    QVERIFY(view.plot()->selectedEvent() >= 0);
    saveGrab(view, QStringLiteral("timeline-data"));
    view.setDataShown(false);
    view.plot()->setTimeRange(0, 3.5e-3);
    view.setDataShown(true);
    // Forward work of the first micro-batches on the first stages, and nothing else.
    QCOMPARE(view.dataTable()->model()->rowCount(), 4 + 3 + 2 + 1);
    QCOMPARE(view.dataTable()->textTable().headers.first(), QStringLiteral("Stage"));
    // Of a very long one the table has a part, and says so.
    document.answer(played(large));
    QTRY_VERIFY(!view.isPlaying());
    QCOMPARE(view.dataTable()->model()->rowCount(), 20'000);
    QVERIFY(view.aside().startsWith(QStringLiteral("111072 more blocks")));
}

void TestTimeline::exportsEverything() {
    SampleDocument document(played({4, 2, 8, PipelineSchedule::interleaved}));
    TimelineView view(document.get());
    shown(document, view);
    const QTemporaryDir folder;
    for (const char* suffix : {"svg", "png", "csv", "pdf"})
        QCOMPARE(view.plot()->exportTo(folder.filePath(QStringLiteral("timeline.") + QLatin1String(suffix))),
                 QString());
    QFile svg(folder.filePath(QStringLiteral("timeline.svg")));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QString drawing = QString::fromUtf8(svg.readAll());
    for (const char* words : {"forward, chunk 0", "waiting", "ms from the start of the step", "stage"})
        QVERIFY2(drawing.contains(QLatin1StringView(words)), words);
    QFile csv(folder.filePath(QStringLiteral("timeline.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = csv.readAll().trimmed().split('\n');
    QCOMPARE(lines.size(), 1 + 4 * 2 * 8 * 2);
    QVERIFY(lines[0].startsWith("Stage,Micro-batch,Chunk,Work,"));
    QVERIFY(QImage(folder.filePath(QStringLiteral("timeline.png"))).width() > 0);
    QMenu* menu = askForMenu(view.plot());
    QVERIFY(menu);
    menu->close();
}

void TestTimeline::wordsForThoseWhoDoNotSee() {
    SampleDocument document(played({4, 1, 8}));
    TimelineView view(document.get());
    shown(document, view);
    QCOMPARE(view.plot()->accessibleName(), QStringLiteral("Pipeline timeline"));
    QCOMPARE(view.plot()->accessibleDescription(),
             QStringLiteral(
                 "1F1B of 8 micro-batches over 4 stages. The drawn pipeline takes 33.00 ms, that of the "
                 "estimate 33.03 ms (+0.10 %). Stages wait 27 % of it (bubble, transfers). Each stage waits "
                 "9.000 ms."));
    document->setSelection({.stage = 2});
    QVERIFY(view.plot()->accessibleDescription().startsWith(QStringLiteral("Stage 2 over the whole step")));
    QVERIFY(!view.overview()->accessibleName().isEmpty());
}

void TestTimeline::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document(played({16, 8, 16, PipelineSchedule::interleaved}));
        TimelineView view(document.get());
        shown(document, view, {1280, 800});
        saveGrab(view, QStringLiteral("timeline"));
        view.plot()->setTimeRange(0.028, 0.048);
        const int event = view.plot()->data()->at(6, 0.0335);
        if (event >= 0)
            emit view.plot()->chosen(6, event);
        settle();
        saveGrab(view, QStringLiteral("timeline-zoomed"));
        view.resize(700, 280);
        settle();
        saveGrab(view, QStringLiteral("timeline-low"));
        view.resize(1280, 800);
        document.answer(played(large));
        QTRY_VERIFY(!view.isPlaying());
        settle();
        saveGrab(view, QStringLiteral("timeline-large"));
        document.answer(played({8, 1, 20, PipelineSchedule::zeroBubbleH1}));
        QTRY_VERIFY(!view.isPlaying());
        settle();
        saveGrab(view, QStringLiteral("timeline-zero-bubble"));
        document.answer(played({8, 1, 20, PipelineSchedule::dualPipe}));
        QTRY_VERIFY(!view.isPlaying());
        settle();
        saveGrab(view, QStringLiteral("timeline-dualpipe"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
}

QTEST_MAIN(TestTimeline)

} // namespace tst_timeline

#include "tst_timeline.moc"
