// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "topology_fixture.h"
#include "topology_sample.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_export.h"
#include "views/topology/topology_facts.h"
#include "views/topology/topology_overview.h"
#include "views/topology/topology_search.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

namespace tst_topology {

using namespace alidade;
using namespace alidade::views;

namespace {

using sample_cluster::dataOf;
using sample_cluster::plain;
using sample_cluster::Shape;

void shownCanvas(TopologyCanvas& canvas, const Shape& shape, const QSize& size = {1000, 640}) {
    canvas.setData(sample_cluster::data(shape));
    present(canvas, size);
}

QPoint middle(const TopologyCanvas& canvas, int gpu) {
    const TopologyScene& scene = canvas.data()->scene;
    return canvas.camera().toView(scene.gpuRect(gpu, canvas.camera().detail(scene)).center()).toPoint();
}

int differing(const QImage& a, const QImage& b) {
    int count = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
    return count;
}

} // namespace

class TestTopology : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void hostsAndGpusDoNotOverlap();
    void cardsAreLeavesOrNvlinkDomains();
    void everyGpuHasPixelsOfItsOwn();
    void changeOfOneGpuChangesThePicture();
    void framesTakeNoMemory();
    void onlyWhatIsSeenIsDrawn();
    void wheelZoomsAtThePointer();
    void dragPans();
    void overviewMovesThePicture();
    void doubleClickEnterAndBackspace();
    void clickChoosesByDetail();
    void arrowsWalkToNeighbors();
    void tabStepsThroughGroups();
    void resizeKeepsWhatIsSeen();
    void newFiguresKeepTheCamera();
    void selectionDimsTheRest();
    void zeroLooksLikeNothing();
    void replicasOfPoolsAreToldApart();
    void excludedAndIdleHostsDiffer();
    void singleGpu();
    void searchFindsHostsRanksAndSwitches();
    void factsOfGpuLinkAndCluster();
    void picturesAreWritten();
};

void TestTopology::hostsAndGpusDoNotOverlap() {
    for (const Shape& shape :
         {plain(), Shape{.hosts = 72, .gpusPerHost = 4, .nvlinkDomain = 72}, Shape{.hosts = 3000},
          Shape{.hosts = 1, .gpusPerHost = 1, .nvlinkDomain = 1}}) {
        const TopologyScene scene(sample_cluster::map(shape).fabric);
        QCOMPARE(scene.hosts(), shape.hosts);
        std::set<std::pair<double, double>> places;
        for (int host = 0; host < scene.hosts(); ++host) {
            const QRectF rect = scene.hostRect(host);
            QVERIFY(scene.bounds().contains(rect));
            QVERIFY(places.insert({rect.x(), rect.y()}).second);
            QCOMPARE(scene.hostAt(rect.center()), host);
            for (const TopologyDetail detail :
                 {TopologyDetail::tiles, TopologyDetail::hosts, TopologyDetail::machines})
                for (int slot = 0; slot < shape.gpusPerHost; ++slot) {
                    const int gpu = host * shape.gpusPerHost + slot;
                    QVERIFY(rect.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(scene.gpuRect(gpu, detail)));
                    QCOMPARE(scene.gpuAt(scene.gpuRect(gpu, detail).center(), detail), gpu);
                }
        }
    }
}

void TestTopology::cardsAreLeavesOrNvlinkDomains() {
    const auto fabric = sample_cluster::map(plain()).fabric;
    const TopologyScene leaves(fabric);
    QCOMPARE(static_cast<int>(leaves.cards().size()), 4);
    for (const auto& card : leaves.cards()) {
        QCOMPARE(card.count, assumedHostsPerLeaf);
        QVERIFY(card.node >= 0 && leaves.nodeRect(card.node).isNull());
    }
    const TopologyScene domains(
        sample_cluster::map({.hosts = 72, .gpusPerHost = 4, .nvlinkDomain = 72}).fabric);
    QCOMPARE(static_cast<int>(domains.cards().size()), 4);
    for (const auto& card : domains.cards()) {
        QCOMPARE(card.count, 18);
        QVERIFY(card.domain >= 0);
        for (const int leaf : card.leaves)
            QVERIFY(domains.nodeRect(leaf).bottom() < card.rect.top());
    }
}

void TestTopology::everyGpuHasPixelsOfItsOwn() {
    TopologyCanvas canvas;
    shownCanvas(canvas,
                {.hosts = 12500, .degrees = {.tensor = 8, .data = 1250, .pipeline = 10, .expertData = 10000}},
                {960, 640});
    const QImage picture = canvas.grab().toImage();
    QCOMPARE(canvas.counts().gpus(), 100'000);
    QCOMPARE(canvas.counts().gpuPixels, 100'000);
    // No two GPUs share a pixel: the middles of all are different pixels of the picture.
    std::set<std::pair<int, int>> pixels;
    const TopologyScene& scene = canvas.data()->scene;
    for (int gpu = 0; gpu < canvas.data()->gpus(); ++gpu) {
        const QPointF place = canvas.camera().toView(scene.gpuRect(gpu, TopologyDetail::tiles).topLeft()) *
                              picture.devicePixelRatio();
        pixels.insert({static_cast<int>(std::floor(place.x())), static_cast<int>(std::floor(place.y()))});
    }
    QCOMPARE(static_cast<int>(pixels.size()), 100'000);
}

void TestTopology::changeOfOneGpuChangesThePicture() {
    TopologyCanvas canvas;
    const Shape shape{.hosts = 12500,
                      .degrees = {.tensor = 8, .data = 1250, .pipeline = 10, .expertData = 10000}};
    const auto before = sample_cluster::data(shape);
    for (const int gpu : {0, 12'345, 99'999}) {
        canvas.setData(before);
        if (!canvas.isVisible())
            present(canvas, {960, 640});
        TopologyFocus focus;
        focus.color = TopologyColor::memory;
        canvas.setPicture(focus);
        const QImage first = canvas.grab().toImage();
        auto changed = std::make_shared<TopologyData>(*before);
        changed->memory[static_cast<std::size_t>(gpu)] = 0;
        canvas.setData(changed);
        const int pixels = differing(first, canvas.grab().toImage());
        QVERIFY2(pixels >= 1 && pixels <= 12, qPrintable(QString::number(pixels)));
    }
}

void TestTopology::framesTakeNoMemory() {
    TopologyCanvas canvas;
    shownCanvas(canvas, {.hosts = 2000, .degrees = {.tensor = 8, .data = 2000, .expertData = 16000}});
    canvas.grab();
    for (int i = 0; i < 40; ++i) {
        canvas.zoomBy(i < 20 ? 1.3 : 1 / 1.3, {300, 400});
        canvas.grab();
        QCOMPARE(canvas.counts().buffersGrown, 0);
    }
}

void TestTopology::onlyWhatIsSeenIsDrawn() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    canvas.grab();
    QCOMPARE(canvas.counts().hosts, 64);
    QCOMPARE(canvas.counts().cards, 4);
    canvas.goTo(TopologyLevel::host, 37);
    canvas.grab();
    QVERIFY(canvas.counts().hosts < 12);
    QVERIFY(canvas.counts().gpuCells >= 8 && canvas.counts().gpuCells < 64);
    QCOMPARE(canvas.counts().gpuPixels, 0);
}

void TestTopology::wheelZoomsAtThePointer() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    const QPointF place(420, 390);
    const QPointF before = canvas.camera().toWorld(place);
    const double scale = canvas.camera().scale;
    wheelAt(&canvas, place, 3);
    QVERIFY(canvas.camera().scale > scale * 1.5);
    const QPointF after = canvas.camera().toWorld(place);
    QVERIFY(std::abs(after.x() - before.x()) < 1e-6 && std::abs(after.y() - before.y()) < 1e-6);
    wheelAt(&canvas, place, -30);
    QVERIFY2(canvas.camera().scale > scale * 0.4, "it does not get lost in the distance");
}

void TestTopology::dragPans() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    canvas.goTo(TopologyLevel::host, 20);
    QSignalSpy chosen(&canvas, &TopologyCanvas::chosen);
    const QPointF world = canvas.camera().toWorld(QPointF(500, 300));
    drag(&canvas, {500, 300}, {620, 340});
    const QPointF now = canvas.camera().toView(world);
    QVERIFY(std::abs(now.x() - 620) < 1.5 && std::abs(now.y() - 340) < 1.5);
    QVERIFY2(chosen.isEmpty(), "a drag chooses nothing");
}

void TestTopology::overviewMovesThePicture() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    TopologyOverview* map = canvas.overview();
    QVERIFY2(!map->isVisible(), "it would hide a part of the picture");
    QWidget beside;
    map->setParent(&beside);
    map->resize(240, map->heightForWidth(240));
    beside.resize(240, 200);
    map->show();
    present(beside);
    canvas.goTo(TopologyLevel::card, 20); // not at the edge, where the frame is cut
    const QRectF frame = map->frame();
    QVERIFY(QRectF(map->rect()).contains(frame));
    drag(map, frame.center().toPoint(), frame.center().toPoint() + QPoint(40, 10));
    QVERIFY(map->frame().center().x() > frame.center().x() + 20);
    const double scale = canvas.camera().scale;
    wheel(map, 2);
    QVERIFY(canvas.camera().scale > scale);
}

void TestTopology::doubleClickEnterAndBackspace() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    QCOMPARE(canvas.level(), TopologyLevel::cluster);
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, middle(canvas, 100));
    QCOMPARE(canvas.level(), TopologyLevel::card);
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(canvas.level(), TopologyLevel::host);
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(canvas.level(), TopologyLevel::gpu);
    QTest::keyClick(&canvas, Qt::Key_Return);
    QCOMPARE(canvas.level(), TopologyLevel::gpu);
    for (const TopologyLevel level : {TopologyLevel::host, TopologyLevel::card, TopologyLevel::cluster}) {
        QTest::keyClick(&canvas, Qt::Key_Backspace);
        QCOMPARE(canvas.level(), level);
    }
    QTest::keyClick(&canvas, Qt::Key_Plus);
    QVERIFY(!canvas.isFitted());
    QTest::keyClick(&canvas, Qt::Key_F);
    QVERIFY(canvas.isFitted());
}

void TestTopology::clickChoosesByDetail() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    QSignalSpy chosen(&canvas, &TopologyCanvas::chosen);
    const auto last = [&] { return chosen.last().first().value<TopologyThing>(); };
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, middle(canvas, 77));
    QCOMPARE(last().gpu, 77);
    canvas.goTo(TopologyLevel::host, 9);
    const TopologyScene& scene = canvas.data()->scene;
    QTest::mouseClick(&canvas, Qt::LeftButton, {},
                      canvas.camera().toView(scene.nicRect(75).center()).toPoint());
    QCOMPARE(last().link, (LinkId{LinkKind::nic, 75}));
    QTest::mouseClick(&canvas, Qt::LeftButton, {},
                      canvas.camera().toView(scene.nvlinkRect(76).center()).toPoint());
    QCOMPARE(last().link, (LinkId{LinkKind::nvlink, 76}));
    canvas.fit();
    const int leaf = canvas.data()->map.fabric.leafOf(0), above = canvas.data()->map.fabric.parentOf(leaf);
    QVERIFY(above >= 0);
    QTest::mouseClick(&canvas, Qt::LeftButton, {},
                      canvas.camera().toView(scene.nodeRect(above).center()).toPoint());
    QCOMPARE(last().node, above);
    const QRectF box = scene.nodeRect(above);
    const QPointF card = QPointF(scene.cards()[0].rect.center().x(), scene.cards()[0].rect.top());
    const QPointF from(box.center().x(), box.bottom());
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.camera().toView((from + card) / 2).toPoint());
    QCOMPARE(last().link, (LinkId{LinkKind::trunk, leaf}));
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(3, canvas.height() - 3));
    QVERIFY(last().nothing());
}

void TestTopology::arrowsWalkToNeighbors() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    TopologyFocus focus;
    connect(&canvas, &TopologyCanvas::chosen, &canvas, [&](const TopologyThing& thing) {
        focus.gpu = thing.gpu;
        canvas.setPicture(focus);
    });
    focus.gpu = 3;
    canvas.setPicture(focus);
    QTest::keyClick(&canvas, Qt::Key_Right);
    QCOMPARE(focus.gpu, 4);
    QTest::keyClick(&canvas, Qt::Key_Left);
    QTest::keyClick(&canvas, Qt::Key_Left);
    QCOMPARE(focus.gpu, 2);
    QTest::keyClick(&canvas, Qt::Key_Down);
    QCOMPARE(focus.gpu % 8, 2);
    QVERIFY(focus.gpu / 8 != 0);
    const int below = focus.gpu;
    QTest::keyClick(&canvas, Qt::Key_Up);
    QCOMPARE(focus.gpu, 2);
    QVERIFY(below != 2);
    // Over the end of the host to the next one, and so on through the whole row.
    for (int i = 0; i < 8; ++i)
        QTest::keyClick(&canvas, Qt::Key_Right);
    QVERIFY(focus.gpu / 8 != 0);
    // What is chosen stays in the picture.
    canvas.goTo(TopologyLevel::host, focus.gpu / 8);
    for (int i = 0; i < 5; ++i)
        QTest::keyClick(&canvas, Qt::Key_Down);
    QVERIFY(canvas.rect().contains(middle(canvas, focus.gpu)));
}

void TestTopology::tabStepsThroughGroups() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    QSignalSpy stepped(&canvas, &TopologyCanvas::groupStepped);
    TopologyFocus focus;
    focus.gpu = 5;
    canvas.setPicture(focus);
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_Tab);
    QTest::keyClick(&canvas, Qt::Key_Backtab);
    QCOMPARE(stepped.size(), 2);
    QCOMPARE(stepped[0].first().toInt(), 1);
    QCOMPARE(stepped[1].first().toInt(), -1);
}

void TestTopology::resizeKeepsWhatIsSeen() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    canvas.resize(700, 500);
    QVERIFY(canvas.isFitted());
    QVERIFY(canvas.camera().visible(canvas.size()).contains(canvas.data()->scene.bounds()));
    canvas.goTo(TopologyLevel::host, 30);
    const QPointF seen = canvas.camera().visible(canvas.size()).center();
    canvas.resize(900, 600);
    const QPointF now = canvas.camera().visible(canvas.size()).center();
    QVERIFY(std::abs(seen.x() - now.x()) < 1e-6 && std::abs(seen.y() - now.y()) < 1e-6);
}

void TestTopology::newFiguresKeepTheCamera() {
    TopologyCanvas canvas;
    shownCanvas(canvas, plain());
    canvas.goTo(TopologyLevel::host, 30);
    const TopologyCamera before = canvas.camera();
    canvas.setData(sample_cluster::data(plain()));
    QCOMPARE(canvas.camera(), before);
    Shape smaller = plain();
    smaller.hosts = 32;
    smaller.degrees.data = 8;
    smaller.degrees.expertData = 64;
    canvas.setData(sample_cluster::data(smaller));
    QVERIFY(canvas.isFitted());
}

void TestTopology::selectionDimsTheRest() {
    const auto data = sample_cluster::data(plain());
    TopologyFocus focus;
    focus.color = TopologyColor::memory;
    const TopologyLook bright = topologyLook(*data, focus, theme());
    QVERIFY(!bright.selected);
    focus.gpu = 12;
    focus.group = GroupKind::tensor;
    const TopologyLook dimmed = topologyLook(*data, focus, theme());
    const auto peers = data->members(GroupKind::tensor, 12);
    QCOMPARE(static_cast<int>(peers.size()), 8);
    for (int gpu = 0; gpu < data->gpus(); ++gpu) {
        const auto i = static_cast<std::size_t>(gpu);
        const bool member = std::ranges::find(peers, gpu) != peers.end();
        QCOMPARE((dimmed.marks[i] & TopologyLook::quiet) == 0, member);
        QCOMPARE(dimmed.gpus[i] == bright.gpus[i], member);
        if (!member)
            QCOMPARE(dimmed.gpus[i], topologyDimmed(bright.gpus[i], theme()));
    }
    QVERIFY2(std::ranges::count(dimmed.litHosts, 1) == 0, "TP stays inside the host");
    focus.group = GroupKind::pipeline;
    const TopologyLook far = topologyLook(*data, focus, theme());
    QCOMPARE(static_cast<int>(std::ranges::count(far.litHosts, 1)),
             2); // its neighbor is below the next leaf
    QCOMPARE(static_cast<int>(std::ranges::count(far.litNodes, 1)), 2);
}

void TestTopology::zeroLooksLikeNothing() {
    const auto data = sample_cluster::data(plain());
    TopologyFocus focus;
    focus.color = TopologyColor::load;
    auto still = std::make_shared<TopologyData>(*data);
    for (auto& shares : still->active)
        std::ranges::fill(shares, 0.0F);
    const TopologyLook look = topologyLook(*still, focus, theme());
    for (const QRgb fill : look.gpus)
        QCOMPARE(fill, theme().sequential(0).rgb());
}

/// Prefill and decode apart: one number never represents two replicas, nor one color for two pools.
void TestTopology::replicasOfPoolsAreToldApart() {
    const auto made = dataOf("serve-deepseek-r1-1xu-p6e-gb200x72");
    QVERIFY(made);
    const TopologyData& data = *made;
    QCOMPARE(data.map.pools.size(), std::size_t(2));
    TopologyFocus focus;
    focus.color = TopologyColor::data;
    const TopologyLook look = topologyLook(data, focus, theme());
    std::map<QRgb, QString> nameOfColor;
    std::set<QString> names;
    for (int gpu = 0; gpu < data.gpus(); ++gpu) {
        const int rank = data.rankOf(gpu);
        const QString name = data.replicaName(data.replicaOf(rank));
        names.insert(name);
        QVERIFY2(name.startsWith(QString::fromStdString(data.map.poolOf(rank)->name)), qPrintable(name));
        const auto [known, isNew] = nameOfColor.insert({look.gpus[static_cast<std::size_t>(gpu)], name});
        QCOMPARE(known->second, name); // a color is of one replica
    }
    QCOMPARE(static_cast<int>(names.size()), data.replicas());
    QVERIFY(names.contains(QStringLiteral("prefill 0")) && names.contains(QStringLiteral("decode 0")));
    // The legend has both pools, in the colors that are drawn.
    const TopologyLegend legend = topologyLegend(data, focus, theme());
    int decoding = 0;
    for (const TopologySwatch& step : legend.steps) {
        QCOMPARE(nameOfColor.at(step.fill), step.text);
        decoding += step.text.startsWith(QStringLiteral("decode")) ? 1 : 0;
    }
    QVERIFY(decoding > 0 && decoding < static_cast<int>(legend.steps.size()));
    for (const auto& [replicas, shown] : {std::pair{4, 8}, {6, 8}, {7, 8}, {2, 4}}) {
        TopologyData other = data;
        for (PoolLayout& pool : other.map.pools)
            pool.layout = RankLayout({.data = replicas}, "tp-cp-ep-dp-pp");
        QCOMPARE(std::ranges::count_if(topologyLegend(other, focus, theme()).steps,
                                       [](const TopologySwatch& step) { return step.text.contains(u' '); }),
                 shown);
    }
    QVERIFY(topologyWords(topologyFacts(data, {.gpu = data.gpuOf(0)})).contains(QStringLiteral("prefill 0")));
}

void TestTopology::excludedAndIdleHostsDiffer() {
    Shape shape = plain();
    shape.excluded = {7};
    shape.degrees.data = 15;
    shape.degrees.expertData = 120;
    const auto data = sample_cluster::data(shape);
    const TopologyLook look = topologyLook(*data, {}, theme());
    QVERIFY(look.marks[7 * 8] & TopologyLook::excluded);
    int spare = -1;
    for (int host = 0; host < 64; ++host)
        if (host != 7 && data->rankOf(host * 8) < 0)
            spare = host;
    QVERIFY(spare >= 0);
    QVERIFY((look.marks[static_cast<std::size_t>(spare * 8)] & TopologyLook::idle) &&
            !(look.marks[static_cast<std::size_t>(spare * 8)] & TopologyLook::excluded));
    const TopologyLegend legend = topologyLegend(*data, {}, theme());
    QVERIFY(std::ranges::any_of(legend.steps, &TopologySwatch::hatched));
    TopologyCanvas canvas;
    canvas.setData(data);
    present(canvas, {1000, 640});
    for (const double scale : {10.0, 20.0, 80.0}) {
        canvas.setCamera({scale, data->scene.hostRect(7).topLeft() - QPointF(1, 1)});
        const QImage picture = canvas.grab().toImage();
        const QRect cell = canvas.camera()
                               .toView(data->scene.gpuRect(7 * 8, canvas.camera().detail(data->scene)))
                               .toAlignedRect();
        std::set<QRgb> colors;
        for (int y = cell.top(); y <= cell.bottom(); ++y)
            for (int x = cell.left(); x <= cell.right(); ++x)
                colors.insert(picture.pixel(x, y));
        QVERIFY2(colors.size() >= 2, "hatched at every scale");
    }
}

void TestTopology::singleGpu() {
    TopologyCanvas canvas;
    shownCanvas(canvas, {.hosts = 1, .gpusPerHost = 1, .nvlinkDomain = 1});
    canvas.grab();
    QCOMPARE(canvas.counts().gpus(), 1);
    for (const int key :
         {Qt::Key_Right, Qt::Key_Down, Qt::Key_Return, Qt::Key_Return, Qt::Key_Backspace, Qt::Key_Up})
        QTest::keyClick(&canvas, static_cast<Qt::Key>(key));
    const TopologyFacts facts = topologyFacts(*canvas.data(), {});
    QVERIFY(!facts.groupsNote.isEmpty());
}

void TestTopology::searchFindsHostsRanksAndSwitches() {
    const auto data = sample_cluster::data(plain());
    QCOMPARE(searchTopology(*data, QStringLiteral("rank 36")).first().thing.gpu, data->gpuOf(36));
    QCOMPARE(searchTopology(*data, QStringLiteral("36")).first().thing.gpu, data->gpuOf(36));
    QCOMPARE(searchTopology(*data, QStringLiteral("GPU 40")).first().thing.gpu, 40);
    QCOMPARE(searchTopology(*data, QStringLiteral("i-1007")).first().thing.host, 7);
    QCOMPARE(searchTopology(*data, QStringLiteral("node63")).first().thing.host, 63);
    QCOMPARE(searchTopology(*data, QStringLiteral("node6")).first().thing.host, 6); // before node60
    QCOMPARE(searchTopology(*data, QStringLiteral("nn-1")).first().thing.node, 1);
    QVERIFY(searchTopology(*data, QStringLiteral("rank 512")).isEmpty());
    QVERIFY(searchTopology(*data, QStringLiteral("nothing like it")).isEmpty());
    QVERIFY(searchTopology(*data, QStringLiteral("  ")).isEmpty());
    QCOMPARE(searchTopology(*data, QStringLiteral("i-10"), 5).size(), 5);
}

void TestTopology::factsOfGpuLinkAndCluster() {
    const auto data = sample_cluster::data(plain());
    TopologyFocus focus;
    const TopologyFacts cluster = topologyFacts(*data, focus);
    QVERIFY(topologyWords(cluster).contains(QStringLiteral("512")));
    focus.gpu = data->gpuOf(8 * 16 + 3); // the second stage
    const TopologyFacts gpu = topologyFacts(*data, focus);
    QVERIFY(topologyWords(gpu).contains(QStringLiteral("TP 3, PP 1, DP 0")));
    QVERIFY(topologyWords(gpu).contains(QStringLiteral("41.0 GB of 80.0 GB")));
    QVERIFY(gpu.path.isEmpty());
    focus.group = GroupKind::data;
    const TopologyFacts path = topologyFacts(*data, focus);
    QVERIFY(path.pathTitle.contains(QStringLiteral("rank")));
    QVERIFY(path.path.size() >= 4); // card, uplink, uplink, card
    focus = {};
    focus.link = LinkId{LinkKind::nic, 0};
    QVERIFY(topologyWords(topologyFacts(*data, focus)).contains(QStringLiteral("50.0 GB/s")));
}

void TestTopology::picturesAreWritten() {
    TopologyCanvas canvas;
    shownCanvas(canvas, {.hosts = 12500,
                         .degrees = {.tensor = 8, .data = 1250, .pipeline = 10, .expertData = 10000}});
    const TopologyPicture picture{canvas.data(), canvas.picture(), canvas.camera(), canvas.size()};
    QTemporaryDir folder;
    const auto size = [&](const QString& name) { return QFile(folder.filePath(name)).size(); };
    for (const bool whole : {false, true}) {
        QCOMPARE(exportTopology(picture, folder.filePath(QStringLiteral("a.svg")), whole), QString());
        QCOMPARE(exportTopology(picture, folder.filePath(QStringLiteral("a.png")), whole), QString());
        QFile svg(folder.filePath(QStringLiteral("a.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray content = svg.readAll();
        QVERIFY(content.contains("<path") && !content.contains("<image"));
        QVERIFY2(content.size() < 12'000'000, qPrintable(QString::number(content.size())));
        QVERIFY(size(QStringLiteral("a.png")) > 10'000);
        QVERIFY(!QImage(folder.filePath(QStringLiteral("a.png"))).isNull());
    }
    QCOMPARE(exportTopology(picture, folder.filePath(QStringLiteral("a.csv")), true), QString());
    QFile csv(folder.filePath(QStringLiteral("a.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), 12'501);
    for (const RankFile kind : {RankFile::table, RankFile::slurm, RankFile::mpi}) {
        QCOMPARE(exportRanks(*canvas.data(), kind, folder.filePath(QStringLiteral("ranks.txt"))), QString());
        QFile ranks(folder.filePath(QStringLiteral("ranks.txt")));
        QVERIFY(ranks.open(QIODevice::ReadOnly));
        QCOMPARE(ranks.readAll().count('\n'), kind == RankFile::table ? 100'001 : 100'000);
    }
    QVERIFY(!exportTopology(picture, folder.filePath(QStringLiteral("no/such/place.png")), true).isEmpty());
}

QTEST_MAIN(TestTopology)

} // namespace tst_topology

#include "tst_topology.moc"
