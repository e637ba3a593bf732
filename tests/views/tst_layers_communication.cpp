// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/kit/states.h"
#include "views/layers/communication_plot.h"
#include "views/layers/communication_view.h"
#include "views/layers/layers_view.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <qcustomplot.h>

namespace tst_layers_communication {

using namespace alidade;
using namespace alidade::views;

namespace {

Communication collective(const char* op, const char* group, Bound fabric, Phase phase, double seconds,
                         double exposed) {
    return {.op = op,
            .group = group,
            .fabric = fabric,
            .phase = phase,
            .bytes = seconds * 4e11,
            .wireBytes = seconds * 3e11,
            .seconds = seconds,
            .exposed = exposed};
}

/// A model of several kinds of layers, some of which have no name in the views, with traffic of all
/// groups.
Estimate manyKinds() {
    Estimate estimate = sample::estimate();
    auto& layers = estimate.training->layers;
    const std::vector<Operation> ops = sample::transformerOperations();
    const auto tensor = [](Phase phase) {
        return collective("all_gather", "tp", Bound::nvlink, phase, 0.002, 0.0006);
    };
    const Layer embedding = layers.front(), head = layers.back();
    layers = {
        embedding,
        sample::layer("dense", 3, 0, ops, {tensor(Phase::forward), tensor(Phase::backwardInput)}),
        sample::layer("moe", 58, std::nullopt, ops,
                      {collective("all_to_all", "ep", Bound::efa, Phase::forward, 0.006, 0.0045),
                       collective("all_to_all", "ep", Bound::efa, Phase::backwardInput, 0.006, 0.002),
                       tensor(Phase::forward), tensor(Phase::backwardInput),
                       collective("send_recv", "cp", Bound::nvlink, Phase::forward, 0.001, 0),
                       collective("reduce_scatter", "etp", Bound::nvlink, Phase::backwardInput, 0.001, 0.001),
                       collective("all_gather", "dp", Bound::efa, Phase::forward, 0.003, 0.0001)}),
        sample::layer("mamba-2", 4, std::nullopt, {ops.begin(), ops.begin() + 4}, {}),
        sample::layer("mtp", 1, 15, ops, {tensor(Phase::forward)}),
        head};
    return estimate;
}

const LayerLanes& layerOf(const CommunicationData& data, const char* kind) {
    return *std::ranges::find(data.layers, QLatin1String(kind), &LayerLanes::kind);
}

LanePlace placeOf(const CommunicationPlot& plot, const char* kind, const char* group, bool hidden) {
    for (int layer = 0; layer < plot.data().layers.size(); ++layer)
        for (int lane = 0; lane < plot.data().layers[layer].lanes.size(); ++lane)
            for (int i = 0; i < plot.data().layers[layer].lanes[lane].segments.size(); ++i)
                if (plot.data().layers[layer].kind == QLatin1String(kind) &&
                    plot.data().layers[layer].lanes[lane].group == QLatin1String(group) &&
                    plot.data().layers[layer].lanes[lane].segments[i].hidden == hidden)
                    return {layer, lane, i};
    return {};
}

void shown(SampleDocument& document, CommunicationView& view, const QSize& size = {900, 620}) {
    present(view, size);
    document.estimateNow();
    settle();
}

} // namespace

class TestLayersCommunication : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void lanesAddUpToTheLayer();
    void exposedWorkNeverLiesUnderCompute();
    void groupsHaveLanesInOrder();
    void anyKindIsShown();
    void moreHiddenThanRoom();
    void clickSelectsTheCollective();
    void selectionFromElsewhere();
    void keysWalkLanesAndSegments();
    void hoverTellsBytesAndFabric();
    void wheelZoomsOnlyWithControl();
    void tableTwinHasEveryCollective();
    void exportHoldsNames();
    void saidInWords();
    void planThatDoesNotRun();
    void layersViewOpensTheHeaviestKind();
    void pictures();
};

void TestLayersCommunication::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestLayersCommunication::lanesAddUpToTheLayer() {
    const Estimate estimate = manyKinds();
    const CommunicationData data = communicationData(stepLayers(estimate, ServingStep::decode), {});
    QCOMPARE(data.layers.size(), 6);
    for (qsizetype i = 0; i < data.layers.size(); ++i) {
        const Layer& layer = estimate.training->layers[static_cast<std::size_t>(i)];
        const LayerLanes& lanes = data.layers[i];
        double compute = 0, exposed = 0, hidden = 0, end = 0;
        for (const LayerLane& lane : lanes.lanes)
            for (const LaneSegment& segment : lane.segments) {
                QVERIFY(segment.to > segment.from && segment.from >= 0);
                (lane.group.isEmpty() ? compute
                 : segment.hidden     ? hidden
                                      : exposed) += segment.to - segment.from;
                end = std::max(end, segment.to);
            }
        QVERIFY(std::abs(compute + exposed - layer.seconds) < 1e-12);
        QVERIFY(std::abs(end - layer.seconds) < 1e-12);
        double all = 0;
        for (const Communication& c : layer.communication)
            all += c.seconds;
        QVERIFY(std::abs(hidden + exposed - all) < 1e-12);
        QCOMPARE(lanes.communication, all);
    }
}

void TestLayersCommunication::exposedWorkNeverLiesUnderCompute() {
    const CommunicationData data = communicationData(stepLayers(manyKinds(), ServingStep::decode), {});
    for (const LayerLanes& layer : data.layers)
        for (const LaneSegment& work : layer.lanes[0].segments)
            for (qsizetype lane = 1; lane < layer.lanes.size(); ++lane)
                for (const LaneSegment& c : layer.lanes[lane].segments) {
                    const bool meets = c.from < work.to - 1e-12 && work.from < c.to - 1e-12;
                    QVERIFY(!meets || c.hidden);
                }
    // And each hidden part does.
    const LayerLanes& moe = layerOf(data, "moe");
    const double forwardEnd = moe.lanes[0].segments[7].to;
    for (const LaneSegment& c : moe.lanes[1].segments)
        if (c.hidden && c.pass == Pass::forward)
            QVERIFY(c.to <= forwardEnd + 1e-12);
}

void TestLayersCommunication::groupsHaveLanesInOrder() {
    const CommunicationData data = communicationData(stepLayers(manyKinds(), ServingStep::decode), {});
    QStringList groups;
    for (const LayerLane& lane : layerOf(data, "moe").lanes)
        groups.append(lane.group);
    QCOMPARE(groups, QStringList({QString(), QStringLiteral("tp"), QStringLiteral("etp"),
                                  QStringLiteral("cp"), QStringLiteral("ep"), QStringLiteral("dp")}));
    QCOMPARE(layerOf(data, "mamba-2").lanes.size(), 1);
    QCOMPARE(data.lanes(), 2 + 2 + 6 + 1 + 2 + 2);
}

void TestLayersCommunication::anyKindIsShown() {
    const CommunicationData data = communicationData(stepLayers(manyKinds(), ServingStep::decode), 3);
    QCOMPARE(layerOf(data, "moe").title, QStringLiteral("MoE layer"));
    QCOMPARE(layerOf(data, "mamba-2").title, QStringLiteral("Mamba-2"));
    QCOMPARE(layerOf(data, "dense").count, QStringLiteral("× 3, stage 0"));
    // Which of several kinds a stage holds is not known.
    QCOMPARE(layerOf(data, "moe").count, QStringLiteral("× 58"));
    QCOMPARE(layerOf(communicationData(stepLayers(sample::estimate(), ServingStep::decode), 3), "transformer")
                 .count,
             QStringLiteral("× 126, 8 on stage 3"));
}

void TestLayersCommunication::moreHiddenThanRoom() {
    Estimate estimate = sample::estimate();
    estimate.training->layers = {
        sample::layer("short", 1, 0, {sample::transformerOperations().front()},
                      {collective("all_gather", "dp", Bound::efa, Phase::forward, 1, 0.1)})};
    const LayerLanes lanes = communicationData(stepLayers(estimate, ServingStep::decode), {}).layers.first();
    const double compute = lanes.lanes[0].segments.first().to;
    QCOMPARE(lanes.lanes[1].segments[0].from, 0.0);
    QVERIFY(std::abs(lanes.lanes[1].segments[0].to - compute) < 1e-12);
    QVERIFY(std::abs(lanes.lanes[1].segments[1].to - compute - 0.1) < 1e-12);
}

void TestLayersCommunication::clickSelectsTheCollective() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    document->setSelection({.stage = 4});
    const LanePlace place = placeOf(*view.plot(), "moe", "ep", false);
    QVERIFY(place.valid());
    QTest::mouseClick(view.plot()->plot(), Qt::LeftButton, {},
                      view.plot()->segmentRect(place).center().toPoint());
    QCOMPARE(document->selection().layer, QStringLiteral("moe"));
    QCOMPARE(document->selection().operation, QStringLiteral("all_to_all"));
    QCOMPARE(document->selection().group, QStringLiteral("ep"));
    QCOMPARE(document->selection().stage, std::optional(4));
    QCOMPARE(view.plot()->selected(), place);
    // An operation of the compute lane.
    const LanePlace work{place.layer, 0, 5};
    QTest::mouseClick(view.plot()->plot(), Qt::LeftButton, {},
                      view.plot()->segmentRect(work).center().toPoint());
    QCOMPARE(document->selection().operation, QStringLiteral("mlp up and gate"));
    QCOMPARE(document->selection().group, QString());
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_Escape);
    QVERIFY(document->selection().empty());
    QVERIFY(!view.plot()->selected().valid());
}

void TestLayersCommunication::selectionFromElsewhere() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    QSignalSpy changed(document.get(), &Document::selectionChanged);
    document->setSelection({.layer = QStringLiteral("dense"),
                            .operation = QStringLiteral("all_gather"),
                            .group = QStringLiteral("tp")});
    const LanePlace place = view.plot()->selected();
    QVERIFY(place.valid());
    QCOMPARE(view.plot()->data().layers[place.layer].kind, QStringLiteral("dense"));
    QCOMPARE(view.plot()->data().layers[place.layer].lanes[place.lane].group, QStringLiteral("tp"));
    document->setSelection({.layer = QStringLiteral("dense")});
    QVERIFY(!view.plot()->selected().valid());
    QCOMPARE(changed.count(), 2);
}

void TestLayersCommunication::keysWalkLanesAndSegments() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    CommunicationPlot& plot = *view.plot();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(document->selection().layer, QStringLiteral("embedding"));
    QTRY_VERIFY(HoverCard::current());
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(document->selection().group, QStringLiteral("tp"));
    QTest::keyClick(&plot, Qt::Key_Down);
    QCOMPARE(document->selection().layer, QStringLiteral("dense"));
    const LanePlace first = plot.selected();
    QTest::keyClick(&plot, Qt::Key_Right);
    QCOMPARE(plot.selected(), (LanePlace{first.layer, first.lane, first.segment + 1}));
    QTest::keyClick(&plot, Qt::Key_Left);
    QCOMPARE(plot.selected(), first);
    QTest::keyClick(&plot, Qt::Key_Up);
    QCOMPARE(document->selection().layer, QStringLiteral("embedding"));
}

void TestLayersCommunication::hoverTellsBytesAndFabric() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    const LanePlace place = placeOf(*view.plot(), "moe", "ep", false);
    moveTo(view.plot()->plot(), view.plot()->segmentRect(place).center().toPoint());
    QTRY_VERIFY(HoverCard::current());
    const CardContent card = HoverCard::current()->content();
    QCOMPARE(card.title, QStringLiteral("All-to-all, expert parallel"));
    QCOMPARE(card.tag, std::optional(Bound::efa));
    QCOMPARE(card.rows[0].second, QStringLiteral("Forward"));
    QCOMPARE(card.rows[1].second, QStringLiteral("2.40 GB"));
    QCOMPARE(card.rows[2].second, QStringLiteral("1.80 GB over EFA"));
    QCOMPARE(card.rows[3].second, QStringLiteral("6.00 ms"));
    QCOMPARE(card.rows[4].second, QStringLiteral("4.50 ms, 75 %"));
    QVERIFY(document->selection().empty());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(view.plot()->plot(), &leave);
    QTRY_VERIFY(!HoverCard::current());
}

void TestLayersCommunication::wheelZoomsOnlyWithControl() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view, {700, 260});
    const QCPRange before = view.plot()->plot()->xAxis->range();
    auto* bar = view.findChild<QScrollArea*>()->verticalScrollBar();
    QVERIFY(bar->maximum() > 0); // more lanes than there is room for
    wheelAt(view.plot()->plot(), {300, 60}, -2);
    QCOMPARE(view.plot()->plot()->xAxis->range(), before);
    wheelAt(view.plot()->plot(), {300, 60}, 2, Qt::ControlModifier);
    QVERIFY(view.plot()->plot()->xAxis->range().size() < before.size());
}

void TestLayersCommunication::tableTwinHasEveryCollective() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    view.plot()->setFocus();
    QTest::keyClick(view.plot(), Qt::Key_D, Qt::ControlModifier);
    QVERIFY(view.isDataShown());
    std::size_t collectives = 0;
    for (const Layer& layer : document->estimate()->training->layers)
        collectives += layer.communication.size();
    QCOMPARE(view.dataTable()->model()->rowCount(), static_cast<int>(collectives));
    const TextTable table = view.dataTable()->textTable();
    for (const QStringList& row : table.rows) // time = hidden + exposed
        QVERIFY(std::abs(row[7].toDouble() - row[8].toDouble() - row[9].toDouble()) < 1e-6);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QTest::keyClick(view.dataTable(), Qt::Key_Down);
    QVERIFY(!document->selection().group.isEmpty());
}

void TestLayersCommunication::exportHoldsNames() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    const QTemporaryDir folder;
    QCOMPARE(view.plot()->exportTo(folder.filePath(QStringLiteral("lanes.svg"))), QString());
    QFile file(folder.filePath(QStringLiteral("lanes.svg")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString svg = QString::fromUtf8(file.readAll());
    for (const char* words : {"MoE layer", "expert parallel", "compute", "backward", "ms per GPU"})
        QVERIFY2(svg.contains(QLatin1StringView(words)), words);
}

void TestLayersCommunication::saidInWords() {
    SampleDocument document(manyKinds());
    CommunicationView view(document.get());
    shown(document, view);
    const LayerLanes& moe = layerOf(view.plot()->data(), "moe");
    QVERIFY(view.sentence().startsWith(quantity(moe.exposed, Dimension::seconds) + QStringLiteral(" of ")));
    QVERIFY(view.sentence().contains(QStringLiteral("most of it expert parallel")));
    QCOMPARE(view.plot()->accessibleDescription(), QString(QStringLiteral("MoE layer: ") + view.sentence()));
    Estimate alone = sample::estimate();
    alone.training->layers[1].communication.clear();
    document.answer(alone);
    QVERIFY(view.sentence().endsWith(QStringLiteral("and no communication.")));
    alone = sample::estimate();
    for (Communication& c : alone.training->layers[1].communication)
        c.exposed = 0;
    document.answer(alone);
    QVERIFY(view.sentence().contains(QStringLiteral("compute hides all of")));
}

void TestLayersCommunication::planThatDoesNotRun() {
    SampleDocument document(sample::estimateThatDoesNotRun());
    CommunicationView view(document.get());
    shown(document, view);
    const auto* notice = view.findChild<EmptyState*>();
    QVERIFY(notice->isVisible());
    QCOMPARE(notice->accessibleName(), QStringLiteral("This plan does not run"));
}

void TestLayersCommunication::layersViewOpensTheHeaviestKind() {
    SampleDocument document(manyKinds());
    LayersView view(document.get());
    present(view, {720, 500});
    document.estimateNow();
    const QAbstractItemModel& rows = *view.tree()->model();
    QCOMPARE(rows.rowCount(), 6);
    for (int i = 0; i < rows.rowCount(); ++i)
        QCOMPARE(view.tree()->isExpanded(rows.index(i, 0)),
                 rows.index(i, 0).data().toString() == QLatin1String("MoE layer"));
    saveGrab(view, QStringLiteral("layers-many-kinds"));
}

void TestLayersCommunication::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        SampleDocument document(manyKinds());
        CommunicationView view(document.get());
        shown(document, view, {1000, 620});
        document->setSelection({.layer = QStringLiteral("moe"),
                                .operation = QStringLiteral("all_to_all"),
                                .group = QStringLiteral("ep")});
        settle();
        saveGrab(view, QStringLiteral("communication"));
        view.resize(620, 280);
        settle();
        saveGrab(view, QStringLiteral("communication-low"));
        view.setDataShown(true);
        saveGrab(view, QStringLiteral("communication-data"));
    }
    ThemeController::instance().setChoice(ThemeChoice::light);
}

QTEST_MAIN(TestLayersCommunication)

} // namespace tst_layers_communication

#include "tst_layers_communication.moc"
