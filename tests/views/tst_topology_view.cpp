// SPDX-License-Identifier: GPL-3.0-or-later
#include "counting_engine.h"
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "topology_fixture.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/layers/layers_view.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_crumbs.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_inspector.h"
#include "views/topology/topology_legend_bar.h"
#include "views/topology/topology_lines.h"
#include "views/topology/topology_overview.h"
#include "views/topology/topology_view.h"
#include "views/topology/topology_what_if_list.h"

#include <QComboBox>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

namespace tst_topology_view {

using namespace alidade;
using namespace alidade::views;

namespace {

const std::string ultraservers = "llama-3.1-405b-4xu-p6e-gb200x72";

/// The explorer of a real scenario.
struct Explorer {
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    TopologyView view{&document};

    explicit Explorer(const ScenarioSpec& spec, const QSize& size = {1280, 760}) {
        document.open(spec, QStringLiteral("sample.json"));
        present(view, size);
        settle();
    }
    explicit Explorer(const std::string& id)
        : Explorer(test::sampleSpec(id)) {}

    void settle() {
        QTRY_VERIFY_WITH_TIMEOUT(!document.busy() && !view.isLayingOut() && document.estimate(), 20'000);
        ::settle();
    }
    TopologyCanvas& canvas() { return *view.canvas(); }
    const TopologyData& data() { return *canvas().data(); }
    QString words() { return canvas().accessibleDescription(); }
    void chooseGpu(int gpu) { view.choose({.gpu = gpu, .link = {}}); }
    void setColor(TopologyColor color) {
        const int index = view.colorBy()->findData(static_cast<int>(color));
        QVERIFY(index >= 0);
        view.colorBy()->setCurrentIndex(index);
        emit view.colorBy()->activated(index);
    }
};

} // namespace

class TestTopologyView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void samplesAreDrawn_data();
    void samplesAreDrawn();
    void chosenGpuIsSharedWithOtherViews();
    void groupFollowsTheLayers();
    void widenedBoxIsChosenAsDrawn();
    void groupChosenHereIsChosenThere();
    void tabCyclesGroupsAndEscClears();
    void searchGoesThere();
    void breadcrumbGoesOut();
    void colorsHaveLegends();
    void pathToAPeer();
    void tableOfHosts();
    void nothingYetAndDoesNotFit();
    void changedClusterIsLaidOutAgain();
    void layoutIsNotComputedOnTheGuiThread();
    void whatIfIsTriedAndAdopted();
    void twiceTheSize();
};

void TestTopologyView::samplesAreDrawn_data() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"llama-3.1-405b-2048xp5.48xlarge", "llama-3.1-405b-4xu-p6e-gb200x72",
                           "deepseek-v3-256xp5en.48xlarge", "serve-llama-3.1-70b-1xp5en.48xlarge",
                           "serve-llama-3.1-8b-1xp5.4xlarge", "llama-3.1-8b-1xp5.4xlarge"})
        QTest::newRow(id) << QString::fromLatin1(id);
}

void TestTopologyView::samplesAreDrawn() {
    QFETCH(const QString, id);
    Explorer explorer(id.toStdString());
    QVERIFY(explorer.canvas().data() != nullptr);
    explorer.canvas().grab();
    QCOMPARE(explorer.canvas().counts().gpus(), explorer.data().gpus());
    QVERIFY(explorer.data().gpus() >= explorer.document.estimate()->gpus);
    QVERIFY(!explorer.words().isEmpty());
    QVERIFY(!explorer.view.legend()->legend().steps.empty());
    saveGrab(explorer.view, QStringLiteral("topology-") + id);
    // Each level of detail.
    explorer.chooseGpu(explorer.data().gpuOf(0));
    saveGrab(explorer.view, QStringLiteral("topology-chosen-") + id);
    for (const TopologyLevel level : {TopologyLevel::card, TopologyLevel::host, TopologyLevel::gpu}) {
        explorer.canvas().goTo(level, explorer.data().map.fabric.hostOf(explorer.data().gpuOf(0)));
        explorer.canvas().grab();
        QVERIFY(explorer.canvas().counts().gpus() > 0);
        saveGrab(explorer.view, QStringLiteral("topology-%1-").arg(static_cast<int>(level)) + id);
    }
}

void TestTopologyView::chosenGpuIsSharedWithOtherViews() {
    Explorer explorer(ultraservers);
    const TopologyScene& scene = explorer.data().scene;
    const auto place = [&](int gpu) {
        return explorer.canvas()
            .camera()
            .toView(scene.gpuRect(gpu, explorer.canvas().camera().detail(scene)).center())
            .toPoint();
    };
    QTest::mouseClick(&explorer.canvas(), Qt::LeftButton, {}, place(36));
    QCOMPARE(explorer.document.selection().gpu, 36);
    QVERIFY2(explorer.words().contains(QStringLiteral("TP 4, PP 0, DP 4")), qPrintable(explorer.words()));
    QVERIFY(!explorer.view.inspector()->groups()->lines().isEmpty());
    Selection selection = explorer.document.selection();
    selection.gpu = 100;
    explorer.document.setSelection(selection);
    QCOMPARE(explorer.canvas().marks().gpu, 100);
    selection.gpu = 100'000; // of another cluster
    explorer.document.setSelection(selection);
    QCOMPARE(explorer.canvas().marks().gpu, -1);
}

void TestTopologyView::groupFollowsTheLayers() {
    Explorer explorer(ultraservers);
    LayersView layers(&explorer.document);
    QVERIFY(!explorer.canvas().marks().selected);
    explorer.document.setSelection({.layer = QStringLiteral("transformer"),
                                    .operation = QStringLiteral("all_gather"),
                                    .group = QStringLiteral("tp")});
    QVERIFY(explorer.canvas().picture().group == GroupKind::tensor);
    // Without a chosen GPU the group of rank 0 is shown.
    for (const int gpu : explorer.data().members(GroupKind::tensor, explorer.data().gpuOf(0)))
        QVERIFY(explorer.canvas().marks().marks[static_cast<std::size_t>(gpu)] & TopologyLook::peer);
    explorer.document.setSelection({.layer = QStringLiteral("transformer")});
    QVERIFY(!explorer.canvas().picture().group);
}

void TestTopologyView::groupChosenHereIsChosenThere() {
    Explorer explorer(ultraservers);
    explorer.chooseGpu(40);
    TopologyLines* groups = explorer.view.inspector()->groups();
    QVERIFY(groups->lines().first().group == GroupKind::tensor);
    QTest::mouseClick(groups, Qt::LeftButton, {}, groups->lineRect(0).center());
    const Selection& selection = explorer.document.selection();
    QCOMPARE(selection.group, QStringLiteral("tp"));
    QCOMPARE(selection.gpu, 40);
    // The layers find a row of it.
    const auto& layers = explorer.document.estimate()->training->layers;
    bool found = false;
    for (const Layer& layer : layers)
        for (const Communication& each : layer.communication)
            found = found || (QString::fromStdString(layer.kind) == selection.layer &&
                              QString::fromStdString(each.op) == selection.operation && each.group == "tp");
    QVERIFY(found);
    QTest::mouseClick(groups, Qt::LeftButton, {}, groups->lineRect(0).center());
    QVERIFY(explorer.document.selection().group.isEmpty());
}

void TestTopologyView::tabCyclesGroupsAndEscClears() {
    Explorer explorer(ultraservers);
    explorer.chooseGpu(40);
    explorer.canvas().setFocus();
    const auto kinds = explorer.data().kinds;
    for (const GroupKind kind : kinds) {
        QTest::keyClick(&explorer.canvas(), Qt::Key_Tab);
        QVERIFY(explorer.canvas().picture().group == kind);
    }
    QTest::keyClick(&explorer.canvas(), Qt::Key_Tab);
    QVERIFY(!explorer.canvas().picture().group);
    QTest::keyClick(&explorer.canvas(), Qt::Key_Backtab);
    QVERIFY(explorer.canvas().picture().group == kinds.back());
    QTest::keyClick(&explorer.canvas(), Qt::Key_Escape);
    QVERIFY(explorer.document.selection().empty());
    QVERIFY(!explorer.canvas().marks().selected);
}

void TestTopologyView::searchGoesThere() {
    Explorer explorer(ultraservers);
    explorer.canvas().setFocus();
    QTest::keyClick(&explorer.canvas(), Qt::Key_Slash);
    QTRY_VERIFY(explorer.view.search()->hasFocus());
    QTest::keyClicks(explorer.view.search(), QStringLiteral("rank 36"));
    QTest::keyClick(explorer.view.search(), Qt::Key_Return);
    QCOMPARE(explorer.document.selection().gpu, explorer.data().gpuOf(36));
    QCOMPARE(explorer.canvas().level(), TopologyLevel::host);
    QVERIFY(!explorer.view.goToWords(QStringLiteral("no such thing")));
    QVERIFY(explorer.view.goToWords(explorer.data().hostName(50)));
    QCOMPARE(explorer.document.selection().node, 50);
    QVERIFY(!explorer.document.selection().gpu);
}

void TestTopologyView::breadcrumbGoesOut() {
    Explorer explorer(ultraservers);
    QCOMPARE(explorer.view.crumbs()->path().size(), 1);
    QVERIFY(explorer.view.goToWords(QStringLiteral("rank 36")));
    QCOMPARE(explorer.view.crumbs()->path().size(), 3);
    const auto buttons = explorer.view.crumbs()->findChildren<QToolButton*>();
    QVERIFY(buttons.size() >= 2);
    buttons.at(buttons.size() - 1)->click();
    QCOMPARE(explorer.canvas().level(), TopologyLevel::card);
    QCOMPARE(explorer.view.crumbs()->path().size(), 2);
}

void TestTopologyView::colorsHaveLegends() {
    Explorer explorer("deepseek-v3-256xp5en.48xlarge");
    explorer.chooseGpu(3);
    QComboBox* colors = explorer.view.colorBy();
    int i = 0;
    for (; colors->itemData(i).isValid(); ++i) {
        const auto before = explorer.canvas().marks().gpus;
        explorer.setColor(static_cast<TopologyColor>(colors->itemData(i).toInt()));
        QVERIFY(explorer.view.legend()->legend().steps.size() >= 2);
        QVERIFY(i == 0 || explorer.canvas().marks().gpus != before);
    }
    // Behind a separator: what would be measured, and why it cannot be shown.
    QVERIFY(i < colors->count() - 1);
    for (++i; i < colors->count(); ++i) {
        QVERIFY(isLive(static_cast<TopologyColor>(colors->itemData(i).toInt())));
        QVERIFY(!(colors->model()->flags(colors->model()->index(i, 0)) & Qt::ItemIsEnabled));
        QVERIFY(!colors->itemData(i, Qt::ToolTipRole).toString().isEmpty());
    }
    QVERIFY2(explorer.view.colorBy()->findData(static_cast<int>(TopologyColor::context)) < 0,
             "this plan has no context parallelism");
    explorer.setColor(TopologyColor::expert);
    QVERIFY(explorer.view.legend()->accessibleDescription().contains(QStringLiteral("Expert")));
}

void TestTopologyView::pathToAPeer() {
    Explorer explorer(ultraservers);
    explorer.chooseGpu(0);
    QVERIFY(explorer.view.inspector()->path()->lines().isEmpty());
    explorer.view.showPathTo(100); // in another UltraServer
    const auto far = explorer.view.inspector()->path()->lines();
    QCOMPARE(static_cast<std::size_t>(far.size()), alidade::path(explorer.data().map.fabric, 0, 100).size());
    int lit = 0;
    for (const char host : explorer.canvas().marks().litHosts)
        lit += host;
    QCOMPARE(lit, 2);
    explorer.view.showPathTo(5); // in its own
    QVERIFY(explorer.view.inspector()->path()->lines().size() < far.size());
    explorer.chooseGpu(1);
    QVERIFY(explorer.view.inspector()->path()->lines().isEmpty());
}

void TestTopologyView::tableOfHosts() {
    Explorer explorer(ultraservers);
    explorer.view.setDataShown(true);
    QCOMPARE(explorer.view.dataTable()->cells()->rowCount(), explorer.data().hosts());
    explorer.view.dataTable()->setFocus();
    explorer.view.dataTable()->setCurrentIndex(explorer.view.dataTable()->model()->index(9, 0));
    QCOMPARE(explorer.document.selection().node, 9);
    explorer.view.setDataShown(false);
    QCOMPARE(explorer.canvas().marks().host, 9);
}

void TestTopologyView::nothingYetAndDoesNotFit() {
    test::CountedModel model;
    Document empty(test::shippedCatalog(), model.engine());
    TopologyView view(&empty);
    present(view, {900, 600});
    QVERIFY(view.canvas()->data() == nullptr);
    view.canvas()->grab(); // nothing to draw is no reason to fall over
    ScenarioSpec tight = test::sampleSpec("llama-3.1-70b-64xp5.48xlarge");
    tight.plan.tensorParallel = 1;
    tight.plan.pipelineParallel = 1;
    tight.plan.virtualPipeline.reset();
    Explorer explorer(tight);
    QVERIFY(!explorer.document.estimate()->fits);
    QVERIFY(explorer.canvas().data() != nullptr);
    explorer.canvas().grab();
    QCOMPARE(explorer.canvas().counts().gpus(), 512);
}

void TestTopologyView::changedClusterIsLaidOutAgain() {
    Explorer explorer("llama-3.1-70b-64xp5.48xlarge");
    const int before = explorer.data().hosts();
    explorer.chooseGpu(500);
    explorer.document.setFields({{"cluster.instances", "32"}}, QStringLiteral("set instances to 32"));
    explorer.settle();
    QCOMPARE(explorer.data().hosts(), before / 2);
    QCOMPARE(explorer.canvas().marks().gpu, -1); // it is gone
}

void TestTopologyView::layoutIsNotComputedOnTheGuiThread() {
    Explorer explorer("llama-3.1-70b-64xp5.48xlarge");
    QVERIFY(!explorer.view.isLayingOut());
    int hosts = 0;
    bool layingOut = false;
    connect(&explorer.document, &Document::estimateChanged, &explorer.view, [&] {
        // The estimate is there; the cluster comes later, from the worker.
        hosts = explorer.data().hosts();
        layingOut = explorer.view.isLayingOut();
    });
    explorer.document.setFields({{"cluster.instances", "32"}}, QStringLiteral("set instances to 32"));
    QTRY_COMPARE(explorer.data().hosts(), 32);
    QCOMPARE(hosts, 64);
    QVERIFY(layingOut);
}

void TestTopologyView::whatIfIsTriedAndAdopted() {
    Explorer explorer(ultraservers);
    TopologyWhatIfList* changes = explorer.view.whatIf();
    explorer.chooseGpu(40);
    QTRY_VERIFY_WITH_TIMEOUT(!changes->isPricing(), 20'000);
    QVERIFY(changes->count() >= 1);
    for (int i = 0; i < changes->count(); ++i)
        QVERIFY2(changes->words(i).size() > changes->button(i)->text().size() + 3,
                 "each has a price or a reason");
    int able = -1;
    for (int i = 0; i < changes->count() && able < 0; ++i)
        able = changes->button(i)->isEnabled() ? i : -1;
    QVERIFY(able >= 0);
    const double before = explorer.document.estimate()->training->stepTime;
    changes->button(able)->click();
    explorer.settle();
    QVERIFY(explorer.document.previewed() != nullptr);
    QVERIFY(explorer.document.estimate()->training->stepTime != before);
    QCOMPARE(explorer.document.undoStack()->count(), 0);
    changes->button(able)->click();
    explorer.settle();
    QVERIFY(explorer.document.previewed() == nullptr);
    QCOMPARE(explorer.document.undoStack()->count(), 1);
    explorer.document.undoStack()->undo();
    explorer.settle();
    QCOMPARE(explorer.document.estimate()->training->stepTime, before);
}

void TestTopologyView::twiceTheSize() {
    // Two of the tests in a separate process: the ratio is fixed when an application starts.
    QProcess again;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QStringLiteral("2"));
    again.setProcessEnvironment(environment);
    again.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("tst_topology_view"),
                 QStringLiteral("samplesAreDrawn:llama-3.1-405b-4xu-p6e-gb200x72"),
                 QStringLiteral("chosenGpuIsSharedWithOtherViews")});
    QVERIFY(again.waitForFinished(100'000));
    QVERIFY2(again.exitCode() == 0, again.readAllStandardOutput().constData());
}

/// A box that is wider than the scene has it, so that it holds its name, is chosen and ringed as it is drawn.
void TestTopologyView::widenedBoxIsChosenAsDrawn() {
    TopologyCanvas canvas;
    TopologyData data = *sample_cluster::data({.hosts = 18, .gpusPerHost = 4, .nvlinkDomain = 8});
    for (std::string& id : data.map.nodeIds)
        id += "0123456789abcdef"; // as long as those of AWS
    canvas.setData(std::make_shared<const TopologyData>(std::move(data)));
    present(canvas, {1000, 640});
    const QFontMetricsF small(theme().font(FontRole::small));
    const auto boxOf = [&](int node) {
        return topologyNodeBox(*canvas.data(), canvas.camera(), node, small);
    };
    const auto narrowOf = [&](int node) {
        return canvas.camera().toView(canvas.data()->scene.nodeRect(node));
    };
    int node = -1;
    for (int each = 0; each < canvas.data()->scene.nodes() && node < 0; ++each)
        if (boxOf(each).width() > narrowOf(each).width() + 12)
            node = each;
    QVERIFY(node >= 0);
    const QPointF edge(boxOf(node).left() + 3, boxOf(node).center().y());
    QVERIFY(edge.x() < narrowOf(node).left() - 2);
    QSignalSpy chosen(&canvas, &TopologyCanvas::chosen);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, edge.toPoint());
    QCOMPARE(chosen.last().first().value<TopologyThing>().node, node);
    TopologyFocus focus;
    focus.node = node;
    canvas.setPicture(focus);
    const QImage picture = canvas.grab().toImage();
    const auto inkNear = [&](double x) { // of the ring, which is 2.2 pixels wide
        int darkest = 255;
        for (int dx = -1; dx <= 1; ++dx)
            darkest = std::min(
                darkest,
                qGray(picture.pixel(
                    ((QPointF(x, edge.y()) + QPointF(dx, 0)) * picture.devicePixelRatio()).toPoint())));
        return darkest;
    };
    QVERIFY(inkNear(boxOf(node).left() - 2) < 80);
}

QTEST_MAIN(TestTopologyView)

} // namespace tst_topology_view

#include "tst_topology_view.moc"
