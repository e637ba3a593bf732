// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/scenario/fields.h"
#include "tests/views/serving_document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/segmented_buttons.h"
#include "views/serving/load_plot.h"
#include "views/serving/load_view.h"
#include "views/serving/percentile_plot.h"
#include "views/serving/percentile_view.h"
#include "views/theme/theme_controller.h"
#include "views/timeline/timeline_view.h"

#include <QLabel>
#include <QPushButton>
#include <qcustomplot.h>

namespace tst_serving {

using namespace alidade;
using namespace alidade::views;
using test::ServingDocument;

namespace {

void shown(ServingDocument& document, LoadView& view, const QSize& size = {640, 460}) {
    present(view, size);
    document.open();
    QTRY_VERIFY(!view.isComputing());
    settle();
}

void shown(ServingDocument& document, PercentileView& view, const QSize& size = {520, 320}) {
    present(view, size);
    document.open();
    QTRY_VERIFY(!view.isSimulating());
    settle();
}

} // namespace

class TestServing : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void curveHasAPointForEachLoad();
    void presentPointFollowsTheScenario();
    void targetLineFollowsItsField();
    void groundEndsWhereTheTargetsDo();
    void measuresSwitchTheAxis();
    void concurrenciesOfManyDecadesAreLogarithmic();
    void clickSetsTheLoadAsOneStep();
    void keysWalkAndEnterUses();
    void closedLoopSetsTheConcurrency();
    void hoverTellsRateAndPrice();
    void wordsMeetNothing_data();
    void wordsMeetNothing();
    void tableHasTheSamePoints();
    void computedOnlyWhileSeen();
    void overloadHasNoMark();
    void trainingIsToldApart();
    void percentilesAreMarked();
    void namesOfPercentilesMeetNothing();
    void percentilesSayWhereTheyAreFrom();
    void percentileTargetsFollowTheirFields();
    void withoutSimulationTheClosedFormIsDrawn();
};

void TestServing::curveHasAPointForEachLoad() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    const std::vector<LoadPoint> curve = sample::servingEstimate().serving->loadCurve;
    for (const Latency latency : {Latency::ttft, Latency::itl}) {
        const LoadPlot& plot = *view.plot(latency);
        QCOMPARE(plot.data().points.size(), static_cast<qsizetype>(curve.size()));
        for (int i = 1; i < plot.data().points.size(); ++i) {
            QVERIFY(plot.placeOf(i).x() > plot.placeOf(i - 1).x());
            QVERIFY(plot.placeOf(i).y() <= plot.placeOf(i - 1).y()); // never faster with more load
        }
        // The strong curve is the percentile's: above the mean. Below both is that of a baseline.
        const QCPGraph* strong = plot.plot()->graph(2);
        const QCPGraph* mean = plot.plot()->graph(1);
        QCOMPARE(strong->dataCount(), static_cast<int>(curve.size()));
        QCOMPARE(mean->dataCount(), static_cast<int>(curve.size()));
        for (int i = 0; i < strong->dataCount(); ++i)
            QVERIFY(strong->dataMainValue(i) > mean->dataMainValue(i));
    }
}

void TestServing::presentPointFollowsTheScenario() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    const LoadPlot& plot = *view.plot(Latency::ttft);
    const QPointF before = plot.presentPlace();
    QVERIFY(plot.plot()->axisRect()->rect().contains(before.toPoint()));
    QVERIFY(view.sentence().contains(QStringLiteral("96 requests/s")));
    document->setField(*findField("workload.request_rate_per_s"), QStringLiteral("48"));
    document.settle();
    QTRY_VERIFY(!view.isComputing());
    QTRY_COMPARE(plot.data().present, 48.0);
    QVERIFY(plot.presentPlace().x() < before.x());
    QVERIFY(view.sentence().contains(QStringLiteral("48 requests/s")));
}

void TestServing::targetLineFollowsItsField() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    const LoadPlot& ttft = *view.plot(Latency::ttft);
    const double before = ttft.targetY();
    const double itlBefore = view.plot(Latency::itl)->targetY();
    QCOMPARE(before, ttft.plot()->yAxis->coordToPixel(0.5));
    document->setField(*findField("workload.ttft_slo_s"), QStringLiteral("400 ms"));
    document.settle();
    QTRY_VERIFY(!view.isComputing() && ttft.data().ttftTarget == 0.4);
    settle();
    QCOMPARE(ttft.targetY(), ttft.plot()->yAxis->coordToPixel(0.4));
    QVERIFY(ttft.targetY() > before); // lower latency is lower in the picture
    QCOMPARE(view.plot(Latency::itl)->targetY(), itlBefore);
    document->setField(*findField("workload.ttft_slo_s"), QString());
    document.settle();
    QTRY_VERIFY(std::isnan(ttft.targetY()));
}

void TestServing::groundEndsWhereTheTargetsDo() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    const LoadPlot& plot = *view.plot(Latency::itl);
    const double within = *sample::servingEstimate().serving->requestRateWithinTargets;
    QVERIFY(std::abs(plot.groundWithin().second - plot.plot()->xAxis->coordToPixel(within)) < 1);
    QVERIFY(view.sentence().contains(QStringLiteral("110 requests/s")));
    // Without targets there is nothing to hold.
    Estimate free = sample::servingEstimate();
    free.scenario.workload.ttftSloS.reset();
    free.scenario.workload.itlSloS.reset();
    free.serving->requestRateWithinTargets.reset();
    document.answer(free);
    QTRY_VERIFY(!view.isComputing() && !view.plot(Latency::itl)->data().itlTarget);
    QCOMPARE(plot.groundWithin().first, plot.groundWithin().second);
    QVERIFY2(!view.sentence().contains(QStringLiteral("targets")), qPrintable(view.sentence()));
}

void TestServing::measuresSwitchTheAxis() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    QCOMPARE(view.measures()->currentIndex(), 0); // a rate drives the scenario
    QTest::mouseClick(view.measures()->button(1), Qt::LeftButton);
    const LoadPlot& plot = *view.plot(Latency::ttft);
    QCOMPARE(plot.data().measure, LoadMeasure::concurrency);
    QCOMPARE(plot.data().present, sample::servingEstimate().serving->concurrency);
    const LoadPoint& last = plot.data().points.last();
    QVERIFY(std::abs(plot.placeOf(static_cast<int>(plot.data().points.size()) - 1).x() -
                     plot.plot()->xAxis->coordToPixel(last.concurrency)) < 1e-6);
    // The largest load within the targets lies on the same part of the curve.
    double below = 0;
    double above = 0;
    for (const LoadPoint& point : plot.data().points)
        if (point.requestsPerSecond <= 110)
            below = point.concurrency;
        else if (above == 0)
            above = point.concurrency;
    QVERIFY(*plot.data().within >= below && *plot.data().within <= above);
}

void TestServing::concurrenciesOfManyDecadesAreLogarithmic() {
    Estimate closed = sample::servingEstimate();
    closed.scenario.workload.requestRatePerS.reset();
    closed.scenario.workload.concurrency = 64;
    for (std::size_t i = 0; i < closed.serving->loadCurve.size(); ++i)
        closed.serving->loadCurve[i].concurrency = std::pow(2.0, static_cast<double>(i));
    ServingDocument document(closed);
    LoadView view(document.get());
    shown(document, view);
    const LoadPlot& plot = *view.plot(Latency::itl);
    // Equal factors are equal steps, and every point is inside.
    const double step = plot.placeOf(1).x() - plot.placeOf(0).x();
    for (int i = 1; i < plot.data().points.size(); ++i)
        QVERIFY(std::abs(plot.placeOf(i).x() - plot.placeOf(i - 1).x() - step) < 1e-6);
    QVERIFY(plot.placeOf(0).x() >= plot.plot()->axisRect()->left());
    QVERIFY(plot.groundWithin().second > plot.groundWithin().first);
}

void TestServing::clickSetsTheLoadAsOneStep() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    LoadPlot& plot = *view.plot(Latency::itl);
    QVERIFY(!view.useButton()->isVisible());
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.placeOf(3).toPoint());
    QCOMPARE(view.plot(Latency::ttft)->selected(), 3);
    QCOMPARE(plot.selected(), 3);
    QVERIFY(view.useButton()->isVisible());
    QCOMPARE(document->undoStack()->count(), 0); // so far it is only offered
    QTest::mouseClick(view.useButton(), Qt::LeftButton);
    QCOMPARE(document->undoStack()->count(), 1);
    const double wanted = sample::servingEstimate().serving->loadCurve[3].requestsPerSecond;
    QVERIFY(std::abs(*document->spec().workload.requestRatePerS / wanted - 1) < 5e-3); // three digits
    QVERIFY(view.useButton()->text().contains(loadNumber(wanted)));
    document->undoStack()->undo();
    QCOMPARE(*document->spec().workload.requestRatePerS, 96.0);
}

void TestServing::keysWalkAndEnterUses() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    LoadPlot& plot = *view.plot(Latency::ttft);
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(plot.selected(), 0);
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(plot.selected(), 1);
    QTest::keyClick(&plot, Qt::Key_Left);
    QTest::keyClick(&plot, Qt::Key_Left);
    QCOMPARE(plot.selected(), 0);
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(document->undoStack()->count(), 1);
    QVERIFY(*document->spec().workload.requestRatePerS < 96);
}

void TestServing::closedLoopSetsTheConcurrency() {
    Estimate closed = sample::servingEstimate();
    closed.scenario.workload.requestRatePerS.reset();
    closed.scenario.workload.concurrency = closed.serving->concurrency;
    ServingDocument document(closed);
    LoadView view(document.get());
    shown(document, view);
    QCOMPARE(view.plot(Latency::ttft)->data().measure, LoadMeasure::concurrency);
    // Also when the axis counts requests: the kind of loop stays.
    QTest::mouseClick(view.measures()->button(0), Qt::LeftButton);
    LoadPlot& plot = *view.plot(Latency::ttft);
    QTest::mouseClick(plot.plot(), Qt::LeftButton, {}, plot.placeOf(5).toPoint());
    QTest::mouseClick(view.useButton(), Qt::LeftButton);
    QVERIFY(!document->spec().workload.requestRatePerS);
    const double wanted = closed.serving->loadCurve[5].concurrency;
    QVERIFY(std::abs(*document->spec().workload.concurrency / wanted - 1) < 5e-3);
}

void TestServing::hoverTellsRateAndPrice() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    LoadPlot& plot = *view.plot(Latency::ttft);
    moveTo(plot.plot(), plot.placeOf(6).toPoint());
    QTRY_VERIFY(HoverCard::current() != nullptr);
    const LoadPoint& point = plot.data().points[6];
    const QString words = HoverCard::words(HoverCard::current()->content());
    QVERIFY2(words.contains(glance(point.outputTokensPerSecond, Dimension::tokensPerSecond)),
             qPrintable(words));
    QVERIFY2(words.contains(glance(point.dollarsPerMillionOutputTokens, Dimension::dollars)),
             qPrintable(words));
    QVERIFY2(words.contains(quantity(point.ttftPercentile, Dimension::seconds)), qPrintable(words));
    QVERIFY(HoverCard::current()->content().rows.size() <= 5);
    HoverCard::hideFor(plot.plot());
}

void TestServing::wordsMeetNothing_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("factor"); // of all latencies
    QTest::addColumn<double>("rate");
    QTest::addColumn<double>("stable");
    for (const double rate : {1.0, 24.0, 70.0, 118.0})
        for (const double factor : {0.1, 0.3, 1.0, 2.0})
            for (const double stable : {119.0, 180.0})
                for (const QSize size : {QSize(880, 240), QSize(640, 460)})
                    QTest::addRow("%g/s, latency x %g, stable to %g, %d px", rate, factor, stable,
                                  size.width())
                        << size << factor << rate << stable;
}

void TestServing::wordsMeetNothing() {
    QFETCH(QSize, size);
    QFETCH(double, factor);
    QFETCH(double, rate);
    QFETCH(double, stable);
    Estimate estimate = sample::servingEstimate();
    estimate.scenario.workload.requestRatePerS = rate;
    estimate.serving->maxRequestRate = stable;
    for (LoadPoint& point : estimate.serving->loadCurve)
        for (double* time : {&point.ttft, &point.ttftPercentile, &point.itl, &point.itlPercentile})
            *time *= factor;
    ServingDocument document(estimate);
    LoadView view(document.get());
    shown(document, view, size);
    for (const Latency latency : {Latency::ttft, Latency::itl}) {
        const LoadPlot& plot = *view.plot(latency);
        const PlacedLabels labels = plot.labels();
        QCOMPARE(clash(labels), QString());
        QStringList words;
        for (qsizetype i = 0; i < labels.size(); ++i) {
            const QRectF box = labels[i].second.boundingRect();
            words.append(labels[i].first);
            QVERIFY2(QRectF(plot.plot()->rect()).contains(box), qPrintable(labels[i].first));
            for (int point = 0; point < plot.data().points.size(); ++point)
                QVERIFY2(!plot.plot()->axisRect()->rect().contains(plot.placeOf(point).toPoint()) ||
                             !box.contains(plot.placeOf(point)),
                         qPrintable(labels[i].first));
            QVERIFY2(!(box.top() < plot.targetY() && plot.targetY() < box.bottom()),
                     qPrintable(labels[i].first));
        }
        // What matters is always said.
        QVERIFY2(words.contains(QStringLiteral("p90")), qPrintable(words.join(u'|')));
        QVERIFY2(!words.filter(QStringLiteral("target p90")).isEmpty(), qPrintable(words.join(u'|')));
        if (latency == Latency::ttft)
            QVERIFY2(words.contains(loadText(rate, LoadMeasure::requestRate)), qPrintable(words.join(u'|')));
    }
}

void TestServing::tableHasTheSamePoints() {
    ServingDocument document;
    LoadView view(document.get());
    shown(document, view);
    view.setDataShown(true);
    QCOMPARE(view.dataTable()->cells()->rowCount(), view.plot(Latency::ttft)->data().points.size());
    const QModelIndex rate = view.dataTable()->cells()->index(3, 0);
    QCOMPARE(rate.data(Qt::EditRole).toDouble(),
             view.plot(Latency::ttft)->data().points[3].requestsPerSecond);
}

void TestServing::computedOnlyWhileSeen() {
    ServingDocument document;
    LoadView load(document.get());
    PercentileView percentiles(document.get());
    document.open();
    QCOMPARE(document.curves.load(), 0);
    QCOMPARE(document.distributions.load(), 0);
    present(load, {640, 460});
    QTRY_VERIFY(!load.plot(Latency::ttft)->data().points.isEmpty());
    QCOMPARE(document.curves.load(), 1);
    QCOMPARE(document.distributions.load(), 0);
    document->setSelection({.layer = QStringLiteral("transformer")});
    settle();
    QCOMPARE(document.curves.load(), 1);
}

void TestServing::overloadHasNoMark() {
    ServingDocument document(sample::servingOverloaded());
    LoadView view(document.get());
    shown(document, view);
    QVERIFY(view.plot(Latency::ttft)->presentPlace().isNull());
    QVERIFY2(view.sentence().contains(QStringLiteral("more than can be served")),
             qPrintable(view.sentence()));
    PercentileView percentiles(document.get());
    shown(document, percentiles);
    QVERIFY(wordsOn(percentiles).contains(QStringLiteral("More requests arrive")));
}

void TestServing::trainingIsToldApart() {
    SampleDocument training;
    LoadView load(training.get());
    PercentileView percentiles(training.get());
    present(load, {400, 300});
    present(percentiles, {400, 300});
    training.estimateNow();
    QVERIFY(wordsOn(load).contains(QStringLiteral("A training run has no load")));
    QVERIFY(wordsOn(percentiles).contains(QStringLiteral("A training run answers no requests")));
    ServingDocument serving;
    TimelineView timeline(serving.get());
    present(timeline, {400, 300});
    serving.open();
    QVERIFY(wordsOn(timeline).contains(QStringLiteral("Serving has no schedule")));
}

void TestServing::percentilesAreMarked() {
    ServingDocument document;
    PercentileView view(document.get());
    shown(document, view);
    const PercentilePlot& plot = *view.plot();
    const int curves = requestLatencies;
    const int marks = static_cast<int>(markedPercentiles.size());
    QCOMPARE(plot.data().curves.size(), curves);
    QCOMPARE(plot.marks(), curves * marks);
    const QRect area = plot.plot()->axisRect()->rect();
    for (int curve = 0; curve < curves; ++curve)
        for (int mark = 0; mark < marks; ++mark) {
            const QPointF place = plot.markPlace(curve, mark);
            QVERIFY(area.contains(place.toPoint()));
            if (mark > 0) {
                QVERIFY(place.x() > plot.markPlace(curve, mark - 1).x());
                QVERIFY(place.y() < plot.markPlace(curve, mark - 1).y());
            }
        }
    // p50 of TTFT is the middle of what was simulated.
    const Serving serving = *sample::servingEstimate().serving;
    const std::vector<double> ttft = test::distribution(serving).ttft;
    const double middle = (ttft[ttft.size() / 2 - 1] + ttft[ttft.size() / 2]) / 2;
    QVERIFY(std::abs(plot.plot()->xAxis->pixelToCoord(plot.markPlace(0, 0).x()) / middle - 1) < 1e-6);
    moveTo(plot.plot(), plot.markPlace(0, 1).toPoint());
    QTRY_VERIFY(HoverCard::current() != nullptr);
    QVERIFY(HoverCard::current()->content().title.startsWith(QStringLiteral("TTFT")));
    HoverCard::hideFor(plot.plot());
}

void TestServing::namesOfPercentilesMeetNothing() {
    for (const QSize size : {QSize(880, 240), QSize(520, 320), QSize(900, 600)})
        for (const double itlTarget : {0.02, 0.03, 0.04, 0.06}) {
            Estimate estimate = sample::servingEstimate();
            estimate.scenario.workload.itlSloS = itlTarget;
            ServingDocument document(estimate);
            PercentileView view(document.get());
            shown(document, view, size);
            const PercentilePlot& plot = *view.plot();
            const PlacedLabels labels = plot.labels();
            QCOMPARE(clash(labels), QString());
            QStringList words;
            for (qsizetype i = 0; i < labels.size(); ++i) {
                const QRectF box = labels[i].second.boundingRect();
                words.append(labels[i].first);
                QVERIFY2(QRectF(plot.plot()->rect()).contains(box), qPrintable(labels[i].first));
                for (const LatencyCurve& curve : plot.data().curves) {
                    for (qsizetype point = 0; point < curve.times.size(); ++point)
                        QVERIFY2(!box.contains(plot.plot()->xAxis->coordToPixel(curve.times[point]),
                                               plot.plot()->yAxis->coordToPixel(curve.shares[point])),
                                 qPrintable(labels[i].first));
                    const double x = curve.target ? plot.plot()->xAxis->coordToPixel(*curve.target) : -1;
                    QVERIFY2(x <= box.left() || box.right() <= x ||
                                 box.bottom() <= plot.plot()->yAxis->coordToPixel(1),
                             qPrintable(labels[i].first));
                }
            }
            for (const char* name : {"TTFT", "ITL", "TPOT", "E2E", "ITL target", "TTFT target", "p50", "p90"})
                QVERIFY2(words.contains(QLatin1String(name)), qPrintable(words.join(u'|')));
        }
}

void TestServing::percentilesSayWhereTheyAreFrom() {
    ServingDocument document;
    PercentileView view(document.get());
    shown(document, view);
    QCOMPARE(view.note(), QStringLiteral("simulation of 20,000 requests, seed 7"));
    QVERIFY2(view.sentence().contains(QStringLiteral("TTFT p90")), qPrintable(view.sentence()));
    QCOMPARE(document.distributions.load(), 1);
    QCOMPARE(document.curves.load(), 0);
}

void TestServing::percentileTargetsFollowTheirFields() {
    ServingDocument document;
    PercentileView view(document.get());
    shown(document, view);
    QVERIFY(view.sentence().contains(QStringLiteral("meets 500")));
    document->setField(*findField("workload.ttft_slo_s"), QStringLiteral("100 ms"));
    document.settle();
    QTRY_VERIFY2(view.sentence().contains(QStringLiteral("misses 100")), qPrintable(view.sentence()));
    QCOMPARE(*view.plot()->data().curves[0].target, 0.1);
}

void TestServing::withoutSimulationTheClosedFormIsDrawn() {
    Estimate estimate = sample::servingEstimate();
    const PercentileData data = percentileData(estimate);
    QVERIFY(!data.simulated);
    QCOMPARE(data.curves.size(), 2);
    QCOMPARE(data.curves[0].at(90), estimate.serving->ttftPercentiles.p90);
    QVERIFY(percentileSource(data).contains(QStringLiteral("closed form")));
    // A deployment that only prefills has no gaps between tokens.
    estimate.serving->itlPercentiles = {};
    QCOMPARE(percentileData(estimate).curves.size(), 1);
}

QTEST_MAIN(TestServing)

} // namespace tst_serving

#include "tst_serving.moc"
