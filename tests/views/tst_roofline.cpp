// SPDX-License-Identifier: GPL-3.0-or-later
#include "counting_engine.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/roofline/roofline_plot.h"
#include "views/roofline/roofline_view.h"
#include "views/theme/theme_controller.h"

#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_roofline {

using namespace alidade;
using namespace alidade::views;

namespace {

const QString transformer = QStringLiteral("transformer");
const QString upAndGate = QStringLiteral("mlp up and gate");

std::shared_ptr<const Catalog> catalogWithH100() {
    auto catalog = std::make_shared<Catalog>();
    Gpu gpu;
    gpu.id = "h100-sxm";
    gpu.bf16 = FlopPerSecond::si(989.5e12);
    gpu.fp8 = FlopPerSecond::si(1979e12);
    catalog->gpus.push_back(gpu);
    Instance instance;
    instance.id = "p5.48xlarge";
    instance.gpu = "h100-sxm";
    instance.efaGeneration = 2;
    catalog->instances.push_back(instance);
    return catalog;
}

Operation& forwardOf(Estimate& estimate, const QString& name) {
    for (Layer& layer : estimate.training->layers)
        for (Operation& op : layer.ops)
            if (op.name == name.toStdString() && op.phase == Phase::forward)
                return op;
    qFatal("no such operation");
}

int pointNamed(const RooflineView& view, const QString& name) {
    return pointOf(view.plot()->data(), {.layer = transformer, .operation = name});
}

void click(RooflinePlot* plot, int point) {
    QTest::mouseClick(plot->plot(), Qt::LeftButton, {}, plot->placeOf(point).toPoint());
}

bool isDecade(double value) { return std::abs(std::log10(value) - std::round(std::log10(value))) < 1e-9; }

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void pointsStandWhereTheyReach();
    void whatHasNoArithmeticHangsInTheStrip();
    void roofsComeFromTheEstimateAndTheCatalog();
    void servingHasARoofAndPoints_data();
    void servingHasARoofAndPoints();
    void axesAreWholeDecadesAndHoldEverything();
    void hoverTellsAll();
    void clickSelectsEverywhere();
    void selectionFromElsewhereRings();
    void keysWalkThePoints();
    void wheelZoomsAndDoubleClickFits();
    void oneReplotForAnEstimate();
    void axesStayWhileTheDataDoes();
    void resizeLeavesTheIntensities();
    void phasesAreChosen();
    void labelsDoNotMeet();
    void labelsOfPlansDoNotMeet_data();
    void labelsOfPlansDoNotMeet();
    void roofsTellAboutThemselves();
    void dataTwin();
    void emptyAndDoesNotRun();
    void wordsForThoseWhoDoNotSee();
    void pictures();
};

void TestRoofline::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestRoofline::pointsStandWhereTheyReach() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    Estimate estimate = *document->estimate();
    const Operation& op = forwardOf(estimate, upAndGate);
    const QPointF place = view.plot()->placeOf(pointNamed(view, upAndGate));
    const QCustomPlot* plot = view.plot()->plot();
    QCOMPARE(plot->xAxis->pixelToCoord(place.x()), op.flops / op.bytes);
    QCOMPARE(plot->yAxis->pixelToCoord(place.y()), op.flops / op.seconds);
    // Forward only: eight operations of a layer, embedding, output projection, cross entropy.
    QCOMPARE(view.plot()->data().points.size(), 11);
}

void TestRoofline::whatHasNoArithmeticHangsInTheStrip() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    const RooflineData& data = view.plot()->data();
    const QRect rect = view.plot()->plot()->axisRect()->rect();
    double last = rect.left();
    int found = 0;
    for (int i = 0; i < data.points.size(); ++i) {
        if (data.points[i].intensity > 0)
            continue;
        ++found;
        const QPointF place = view.plot()->placeOf(i);
        QVERIFY(rect.contains(place.toPoint()));
        QVERIFY(place.x() > last); // side by side
        last = place.x();
        // As far below the roof at the end of the strip as its share of HBM says.
        const double end = view.plot()->plot()->xAxis->pixelToCoord(
            rect.left() + rect.width() * std::min(0.24, 0.1 + 0.018 * data.withoutArithmetic()));
        const double reached = view.plot()->plot()->yAxis->pixelToCoord(place.y());
        QVERIFY(std::abs(reached / (data.hbm() * end) - data.points[i].hbmShare) < 1e-9);
    }
    QCOMPARE(found, 5);
    QVERIFY(last < view.plot()->plot()->xAxis->coordToPixel(data.intensities.low));
}

void TestRoofline::roofsComeFromTheEstimateAndTheCatalog() {
    const Estimate estimate = sample::estimate();
    const auto catalog = catalogWithH100();
    const RooflineData data = rooflineData(estimate, *catalog, RooflinePhase::forward);
    QCOMPARE(data.precisions.size(), 2);
    QCOMPARE(data.precisions[0].name, QStringLiteral("BF16"));
    QVERIFY(data.precisions[0].present);
    QCOMPARE(data.precisions[1].name, QStringLiteral("FP8"));
    QCOMPARE(data.precisions[1].flopsPerSecond, 1979e12);
    QCOMPARE(data.fabrics.size(), 3);
    QCOMPARE(data.fabrics[1].bound, Bound::nvlink);
    QCOMPARE(data.fabrics[2].bound, Bound::efa);
    QCOMPARE(data.fabrics[2].bytesPerSecond, 50e9);
    QCOMPARE(data.sustained, 0.74 * 989.5e12);
    QVERIFY(std::abs(data.ridge() - 295.37) < 0.01);

    // An FP8 plan: FP8 is present, BF16 still there. One GPU: no fabric next to HBM.
    Estimate alone = estimate;
    alone.scenario.plan.precision = "fp8";
    for (AssumptionT<double>& each : alone.assumptions) {
        if (each.name == "peak")
            each.value = 1979e12;
        if (each.name == "nvlink_bandwidth" || each.name == "network_bandwidth")
            each.value = 0;
    }
    const RooflineData single = rooflineData(alone, *catalog, RooflinePhase::forward);
    QCOMPARE(single.present()->name, QStringLiteral("FP8"));
    QCOMPARE(single.precisions[0].name, QStringLiteral("BF16"));
    QCOMPARE(single.fabrics.size(), 1);
    // What one GPU could send if there were another is not a roof.
    Estimate one = estimate;
    one.gpus = 1;
    QCOMPARE(rooflineData(one, *catalog, RooflinePhase::forward).fabrics.size(), 1);
    // Without the GPU in the catalog, the estimate's own peak remains.
    QCOMPARE(rooflineData(estimate, Catalog(), RooflinePhase::forward).precisions.size(), 1);
}

void TestRoofline::servingHasARoofAndPoints_data() {
    QTest::addColumn<double>("roof");                                // of the matrices, FLOP/s
    QTest::newRow("serve-llama-3.1-8b-1xp5.4xlarge") << 989.5e12;    // 16 bits
    QTest::newRow("serve-llama-3.1-70b-1xp5en.48xlarge") << 1979e12; // FP8
    QTest::newRow("serve-deepseek-r1-1xu-p6e-gb200x72") << 2500e12;  // FP4, in the experts alone
}

void TestRoofline::servingHasARoofAndPoints() {
    QFETCH(double, roof);
    const auto text = data::shippedScenario(QTest::currentDataTag());
    const auto spec = data::readScenario(*text, "sample.json");
    const auto catalog = test::shippedCatalog();
    const auto estimate = modelEngine().estimate(*spec, *catalog);
    QVERIFY(estimate && estimate->serving);
    for (const RooflinePhase phase : {RooflinePhase::decode, RooflinePhase::prefill, RooflinePhase::all}) {
        const RooflineData data = rooflineData(*estimate, *catalog, phase);
        QVERIFY(data.present());
        QVERIFY(std::abs(data.present()->flopsPerSecond - roof) < 1e-3 * roof);
        QVERIFY(!data.points.isEmpty());
        QVERIFY(data.ridge() > 1 && std::isfinite(data.ridge()));
        QVERIFY(data.rates.high >= roof);
        for (const RooflinePoint& point : data.points) {
            const bool inside =
                point.intensity >= data.intensities.low && point.intensity <= data.intensities.high &&
                point.flopsPerSecond >= data.rates.low && point.flopsPerSecond <= data.rates.high;
            QVERIFY2(point.intensity == 0 || inside, qPrintable(point.selection.operation));
        }
    }
}

void TestRoofline::axesAreWholeDecadesAndHoldEverything() {
    Estimate estimate = sample::estimate();
    Operation& intense = forwardOf(estimate, upAndGate);
    intense.bytes = intense.flops / 4.2e6;
    intense.intensity = 4.2e6;
    Operation& slow = forwardOf(estimate, QStringLiteral("core attention"));
    slow.bytes = slow.flops / 0.02;
    slow.intensity = 0.02;
    slow.seconds = slow.bytes / 3e12;
    SampleDocument document(estimate, catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    const RooflineData& data = view.plot()->data();
    QVERIFY(isDecade(data.intensities.low));
    QVERIFY(isDecade(data.intensities.high));
    QVERIFY(isDecade(data.rates.low));
    const QRect rect = view.plot()->plot()->axisRect()->rect();
    for (int i = 0; i < data.points.size(); ++i)
        QVERIFY2(rect.contains(view.plot()->placeOf(i).toPoint()), qPrintable(data.points[i].card.title));
    // The highest roof is on the plot too.
    QVERIFY(data.rates.high > data.precisions.last().flopsPerSecond);
    settle();
    saveGrab(view, QStringLiteral("roofline-wide"));
}

void TestRoofline::hoverTellsAll() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    Estimate estimate = *document->estimate();
    const Operation& op = forwardOf(estimate, upAndGate);
    const QPoint place = view.plot()->placeOf(pointNamed(view, upAndGate)).toPoint();
    moveTo(view.plot()->plot(), place);
    QTRY_VERIFY(HoverCard::current());
    const CardContent card = HoverCard::current()->content();
    QCOMPARE(card.title, upAndGate);
    QCOMPARE(card.tag, std::optional(Bound::compute));
    QCOMPARE(card.rows[0].second, quantity(op.flops, Dimension::flop) + QStringLiteral(", ") +
                                      quantity(op.bytes, Dimension::bytes));
    QCOMPARE(card.rows[1].second, quantity(op.intensity, Dimension::flopPerByte));
    QCOMPARE(card.rows[2].second,
             quantity(op.flops / op.seconds, Dimension::flopPerSecond) + QStringLiteral(", 74 % of BF16"));
    QCOMPARE(card.rows[3].second, QStringLiteral("Compute, 74 % of the peak sustained"));
    QCOMPARE(card.rows[4].second, quantity(op.seconds, Dimension::seconds));
    QVERIFY(document->selection().empty()); // hovering changes nothing elsewhere

    const Operation& norm = forwardOf(estimate, QStringLiteral("input norm"));
    moveTo(view.plot()->plot(),
           view.plot()->placeOf(pointNamed(view, QStringLiteral("input norm"))).toPoint());
    QTRY_COMPARE(HoverCard::current() ? HoverCard::current()->content().title : QString(),
                 QStringLiteral("input norm"));
    const CardContent streaming = HoverCard::current()->content();
    QCOMPARE(streaming.rows[1].second, QStringLiteral("no arithmetic"));
    QCOMPARE(streaming.rows[2].second, quantity(norm.bytes / norm.seconds, Dimension::bytesPerSecond) +
                                           QStringLiteral(", 82 % of HBM"));
    moveTo(view.plot()->plot(), {250, 30});
    QTRY_VERIFY(!HoverCard::current()); // a real window hears of the mouse a moment later
}

void TestRoofline::clickSelectsEverywhere() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    document->setSelection({.group = QStringLiteral("tp"), .stage = 7});
    click(view.plot(), pointNamed(view, upAndGate));
    const Selection& selection = document->selection();
    QCOMPARE(selection.layer, transformer);
    QCOMPARE(selection.operation, upAndGate);
    QCOMPARE(selection.phase, QStringLiteral("forward"));
    QCOMPARE(selection.group, QString());
    QCOMPARE(selection.stage, std::optional(7));
    QCOMPARE(view.plot()->selected(), pointNamed(view, upAndGate));
    // A drag is not a click.
    document->clearSelection();
    const QPoint place = view.plot()->placeOf(pointNamed(view, upAndGate)).toPoint();
    drag(view.plot()->plot(), place, place + QPoint(40, 0));
    QVERIFY(document->selection().empty());
}

void TestRoofline::selectionFromElsewhereRings() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    QSignalSpy changed(document.get(), &Document::selectionChanged);
    document->setSelection({.layer = transformer, .operation = QStringLiteral("glu product")});
    QCOMPARE(view.plot()->selected(), pointNamed(view, QStringLiteral("glu product")));
    document->setSelection({.layer = transformer, .operation = QStringLiteral("all_gather")});
    QCOMPARE(view.plot()->selected(), -1);
    QCOMPARE(changed.count(), 2);
}

void TestRoofline::keysWalkThePoints() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    RooflinePlot* plot = view.plot();
    plot->setFocus();
    double last = 0;
    for (int i = 0; i < plot->data().points.size(); ++i) {
        QTest::keyClick(plot, Qt::Key_Right);
        QVERIFY(plot->selected() >= 0);
        QVERIFY(plot->placeOf(plot->selected()).x() >= last);
        last = plot->placeOf(plot->selected()).x();
    }
    QCOMPARE(document->selection().operation, upAndGate); // the most intense one
    QTRY_VERIFY(HoverCard::current());
    QCOMPARE(HoverCard::current()->content().title, upAndGate);
    QTest::keyClick(plot, Qt::Key_Left);
    QCOMPARE(document->selection().operation, QStringLiteral("output projection"));
    const double lower = plot->plot()->xAxis->range().lower;
    QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(plot->plot()->xAxis->range().lower > lower);
    QTest::keyClick(plot, Qt::Key_Escape);
    QVERIFY(document->selection().empty());
}

void TestRoofline::wheelZoomsAndDoubleClickFits() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    QCustomPlot* plot = view.plot()->plot();
    const QCPRange before = plot->xAxis->range();
    const QPointF at = view.plot()->placeOf(pointNamed(view, upAndGate));
    wheelAt(plot, at, 1);
    QVERIFY(plot->xAxis->range().upper / plot->xAxis->range().lower < before.upper / before.lower);
    // The point under the pointer stays there.
    QVERIFY(QLineF(at, view.plot()->placeOf(pointNamed(view, upAndGate))).length() < 0.5);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, plot->axisRect()->rect().center());
    QCOMPARE(plot->xAxis->range(), before);
}

void TestRoofline::oneReplotForAnEstimate() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    document->setSelection({.layer = transformer, .operation = upAndGate});
    settle();
    QSignalSpy replots(view.plot()->plot(), &QCustomPlot::afterReplot);
    Estimate other = sample::estimate();
    forwardOf(other, upAndGate).seconds *= 1.2;
    document.answer(other);
    settle();
    QCOMPARE(replots.count(), 1);
}

void TestRoofline::axesStayWhileTheDataDoes() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    const QCPRange x = view.plot()->plot()->xAxis->range();
    const QCPRange y = view.plot()->plot()->yAxis->range();
    Estimate other = sample::estimate();
    forwardOf(other, upAndGate).seconds *= 1.7;
    document.answer(other);
    QCOMPARE(view.plot()->plot()->xAxis->range(), x);
    QCOMPARE(view.plot()->plot()->yAxis->range(), y);
    Operation& fast = forwardOf(other, upAndGate);
    fast.bytes = fast.flops / 2e4;
    fast.intensity = 2e4;
    document.answer(other);
    QVERIFY(view.plot()->plot()->xAxis->range().upper > x.upper);
}

/// A dock that is resized gives words above the roofs their room; intensities stay where they were.
void TestRoofline::resizeLeavesTheIntensities() {
    QWidget window;
    RooflinePlot plot(&window);
    present(window, {800, 600});
    RooflineData data = rooflineData(sample::estimate(), *catalogWithH100(), RooflinePhase::forward);
    plot.resize(700, 500);
    plot.setData(data);
    settle();
    const QCPRange x = plot.plot()->xAxis->range(), y = plot.plot()->yAxis->range();
    data.intensities.high *= 0.8; // of another plan: the axis stays, as it is still filled
    plot.setData(data);
    QCOMPARE(plot.plot()->xAxis->range(), x);
    QSignalSpy zoomed(&plot, &PlotBase::zoomChanged);
    plot.resize(700, 160);
    settle();
    QCOMPARE(plot.plot()->xAxis->range(), x);
    QVERIFY(plot.plot()->yAxis->range().upper > y.upper);
    plot.resize(700, 500);
    settle();
    QCOMPARE(plot.plot()->xAxis->range(), x);
    QCOMPARE(plot.plot()->yAxis->range(), y);
    QCOMPARE(zoomed.count(), 0);
}

void TestRoofline::phasesAreChosen() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    QCOMPARE(view.note(), QStringLiteral("one point per operation, forward"));
    QTest::mouseClick(view.phases()->button(2), Qt::LeftButton);
    settle();
    QCOMPARE(view.plot()->data().points.size(), 3); // two norms and the GLU product
    for (const RooflinePoint& point : view.plot()->data().points)
        QCOMPARE(point.selection.phase, QStringLiteral("recompute"));
    QTest::mouseClick(view.phases()->button(3), Qt::LeftButton);
    std::size_t all = 0;
    for (const Layer& layer : document->estimate()->training->layers)
        all += layer.ops.size();
    QCOMPARE(view.plot()->data().points.size(), static_cast<qsizetype>(all));
    document->setSelection(
        {.layer = transformer, .operation = upAndGate, .phase = QStringLiteral("backward_weight")});
    QCOMPARE(view.plot()->data().points[view.plot()->selected()].card.title,
             QStringLiteral("mlp up and gate, backward, weight"));
    settle();
    saveGrab(view, QStringLiteral("roofline-all"));
    // A plan that recomputes nothing cannot show it.
    QTest::mouseClick(view.phases()->button(2), Qt::LeftButton);
    Estimate other = sample::estimate();
    for (Layer& layer : other.training->layers)
        std::erase_if(layer.ops, [](const Operation& op) { return op.phase == Phase::recompute; });
    document.answer(other);
    QCOMPARE(view.phases()->currentIndex(), 0);
    QVERIFY(!view.phases()->button(2)->isEnabled());
}

void TestRoofline::labelsDoNotMeet() {
    const QRectF inside(0, 0, 300, 200);
    const LabelPlacer::Look look{theme().font(FontRole::small), Qt::black};
    LabelPlacer labels(inside);
    labels.keepFree(QRectF(100, 60, 60, 60));
    const QLineF line(20, 180, 280, 20);
    labels.addAlong(line, QStringLiteral("HBM 3.35 TB/s"), look, {0.5, 0, 1});
    labels.addAlong(line, QStringLiteral("HBM 4.80 TB/s"), look, {0.5, 0, 1});
    labels.addAlong(line, QStringLiteral("HBM 8.00 TB/s"), look, {0.5, 0, 1});
    labels.addAlong({0, 100, 20, 100}, QStringLiteral("no room"), look, {0});
    labels.addAbove({200, 198}, QStringLiteral("ridge 295"), look);
    labels.addAbove({210, 198}, QStringLiteral("FP8 591"), look);
    const auto placed = labels.placed();
    QCOMPARE(placed.size(), 5); // all but the one on a short line
    for (qsizetype i = 0; i < placed.size(); ++i) {
        QVERIFY(inside.contains(placed[i].second.boundingRect()));
        QVERIFY(!placed[i].second.intersects(QPolygonF(QRectF(100, 60, 60, 60))));
        for (qsizetype k = 0; k < i; ++k)
            QVERIFY(!placed[i].second.intersects(placed[k].second));
    }
}

void TestRoofline::labelsOfPlansDoNotMeet_data() {
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<QSize>("size");
    for (const char* scenario : {"serve-llama-3.1-70b-1xp5en.48xlarge", "serve-deepseek-r1-1xu-p6e-gb200x72",
                                 "serve-gpt-oss-120b-1xp5.48xlarge", "llama-3.1-405b-2048xp5.48xlarge"})
        for (const QSize size : {QSize(880, 240), QSize(490, 320), QSize(1000, 600)})
            QTest::addRow("%s in %d", scenario, size.width()) << QString::fromLatin1(scenario) << size;
}

void TestRoofline::labelsOfPlansDoNotMeet() {
    QFETCH(QString, scenario);
    QFETCH(QSize, size);
    const auto text = data::shippedScenario(scenario.toStdString());
    const auto catalog = test::shippedCatalog();
    const auto estimate = modelEngine().estimate(*data::readScenario(*text, "sample.json"), *catalog);
    QVERIFY(estimate);
    SampleDocument document(*estimate, catalog);
    RooflineView view(document.get());
    present(view, size);
    document.estimateNow();
    settle();
    const RooflinePlot& plot = *view.plot();
    const PlacedLabels labels = plot.labels();
    QCOMPARE(clash(labels), QString());
    QStringList words;
    for (qsizetype i = 0; i < labels.size(); ++i) {
        const QPolygonF& shape = labels[i].second;
        words.append(labels[i].first);
        for (int point = 0; point < plot.data().points.size(); ++point)
            QVERIFY2(!shape.containsPoint(plot.placeOf(point), Qt::OddEvenFill), qPrintable(labels[i].first));
    }
    // The roof of the present precision and that of HBM are always named.
    const auto isNamed = [&](const QString& name) { return !words.filter(name).isEmpty(); };
    for (const PrecisionRoof& roof : plot.data().precisions)
        QVERIFY2(!roof.present || isNamed(roof.name), qPrintable(words.join(u'|')));
    QVERIFY2(isNamed(QStringLiteral("HBM")), qPrintable(words.join(u'|')));
}

void TestRoofline::roofsTellAboutThemselves() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    settle();
    const QCustomPlot* plot = view.plot()->plot();
    const double end = plot->xAxis->range().upper;
    const QPointF roof(plot->xAxis->coordToPixel(end) - 6, plot->yAxis->coordToPixel(1979e12));
    moveTo(view.plot()->plot(), roof.toPoint());
    QTRY_VERIFY(HoverCard::current());
    const QString words = HoverCard::words(HoverCard::current()->content());
    QVERIFY2(words.contains(QStringLiteral("FP8")), qPrintable(words));
    QVERIFY2(words.contains(quantity(1979e12, Dimension::flopPerSecond)), qPrintable(words));
    QVERIFY2(words.contains(QStringLiteral("does not use it")), qPrintable(words));
    HoverCard::hideFor(view.plot()->plot());
}

void TestRoofline::dataTwin() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {700, 320});
    document.estimateNow();
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    QCOMPARE(view.dataTable()->model()->rowCount(), 11);
    document->setSelection({.layer = transformer, .operation = upAndGate});
    QCOMPARE(view.dataTable()->currentIndex().siblingAtColumn(0).data().toString(), upAndGate);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QCOMPARE(document->selection().operation, QStringLiteral("glu product"));
    settle();
    saveGrab(view, QStringLiteral("roofline-data"));
    QTest::keyClick(view.dataTable(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.plot()->isVisible());

    const QTemporaryDir folder;
    QCOMPARE(view.plot()->exportTo(folder.filePath(QStringLiteral("r.csv"))), QString());
    QFile file(folder.filePath(QStringLiteral("r.csv")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()).count(QLatin1Char('\n')), 12);
}

void TestRoofline::emptyAndDoesNotRun() {
    SampleDocument document(sample::estimateThatDoesNotRun(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    const auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("No operation to draw yet"));
    settle();
    saveGrab(view, QStringLiteral("roofline-empty"));
    document.estimateNow();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("This plan does not run"));
    document.answer(sample::estimate());
    QVERIFY(view.plot()->isVisible());
}

void TestRoofline::wordsForThoseWhoDoNotSee() {
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    QCOMPARE(view.plot()->accessibleName(), QStringLiteral("Roofline"));
    QCOMPARE(view.plot()->accessibleDescription(),
             QStringLiteral("11 operations are bound: 6 by Compute, 5 by HBM. The fastest, mlp up and gate, "
                            "reaches 732 TFLOP/s of the peak of 990 TFLOP/s in BF16. The ridge is at 295 "
                            "FLOP/byte."));
    document->setSelection({.layer = transformer, .operation = upAndGate});
    QVERIFY(
        view.plot()->accessibleDescription().startsWith(QStringLiteral("mlp up and gate; Compute; Work: ")));
}

void TestRoofline::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document(sample::estimate(), catalogWithH100());
        RooflineView view(document.get());
        present(view, {490, 320});
        document.estimateNow();
        document->setSelection({.layer = transformer, .operation = upAndGate});
        settle();
        saveGrab(view, QStringLiteral("roofline"));
        view.resize(1000, 600);
        settle();
        saveGrab(view, QStringLiteral("roofline-large"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().setBodyPointSize(12);
    SampleDocument document(sample::estimate(), catalogWithH100());
    RooflineView view(document.get());
    present(view, {490, 320});
    document.estimateNow();
    settle();
    saveGrab(view, QStringLiteral("roofline-12pt"));
    ThemeController::instance().setBodyPointSize(10);
}

QTEST_MAIN(TestRoofline)

} // namespace tst_roofline

#include "tst_roofline.moc"
