// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "tests/views/contrast.h"
#include "topology_fixture.h"
#include "topology_sample.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_facts.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

namespace tst_topology_picture {

using namespace alidade;
using namespace alidade::views;

using sample_cluster::dataOf;
using sample_cluster::plain;

/// How a cluster is drawn at any size: wires, rows, ink, shades and words.
class TestTopologyPicture : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void everyFillHasReadableInk();
    void wiresThatCannotBeToldApartAreOne_data();
    void wiresThatCannotBeToldApartAreOne();
    void wiresLeaveCardsFree();
    void rowsAreNamed();
    void silentLinksAreSaid();
    void hopsGrowWithTheNetwork();
};

/// WCAG 2.1: 4.5 : 1 for each color that a GPU can have, dimmed or not, in each theme.
void TestTopologyPicture::everyFillHasReadableInk() {
    for (const Theme& look : {Theme::light(), Theme::dark(), Theme::paper()}) {
        std::vector<QRgb> fills;
        for (int i = 0; i <= 255; ++i)
            fills.push_back(look.sequential(i / 255.0).rgb());
        for (const Bound bound : {Bound::compute, Bound::hbm, Bound::nvlink, Bound::efa})
            fills.push_back(look.classStyle(bound).color.rgb());
        for (std::size_t i = 0, count = fills.size(); i < count; ++i)
            fills.push_back(topologyDimmed(fills[i], look));
        for (const QRgb fill : fills)
            for (const bool quiet : {false, true}) {
                const double reached = test::contrast(topologyInk(fill, look, quiet), QColor(fill));
                QVERIFY2(reached >= 4.5,
                         qPrintable(QString::number(fill, 16) + QLatin1Char(' ') + QString::number(reached)));
            }
    }
}

void TestTopologyPicture::wiresThatCannotBeToldApartAreOne_data() {
    QTest::addColumn<int>("hosts");
    QTest::addColumn<int>("hostsPerLeaf");
    QTest::newRow("16") << 16 << 4;
    QTest::newRow("256") << 256 << 4;
    QTest::newRow("2,048") << 2'048 << 4;
    QTest::newRow("10,000") << 10'000 << 4;
    QTest::newRow("10,000 leaves") << 10'000 << 1;
}

/// However large the cluster: some hundred strokes in the whole picture, and fewer close by.
void TestTopologyPicture::wiresThatCannotBeToldApartAreOne() {
    QFETCH(const int, hosts);
    QFETCH(const int, hostsPerLeaf);
    TopologyCanvas canvas;
    canvas.setData(sample_cluster::reported({.hosts = hosts, .hostsPerLeaf = hostsPerLeaf}));
    present(canvas, {960, 600});
    for (const double factor : {1.0, 3.0, 10.0, 100.0}) {
        canvas.fit();
        canvas.zoomBy(factor, {480, 300});
        canvas.grab();
        QVERIFY2(canvas.counts().wires <= 320, qPrintable(QString::number(canvas.counts().wires)));
        QVERIFY2(canvas.counts().labels <= 1'500, qPrintable(QString::number(canvas.counts().labels)));
    }
}

/// A wire to what lies below other cards goes around them.
void TestTopologyPicture::wiresLeaveCardsFree() {
    const auto data = sample_cluster::reported({.hosts = 10'000});
    const TopologyScene& scene = data->scene;
    bool around = false;
    for (const TopologyScene::Gap& gap : scene.gaps()) {
        QVERIFY(gap.top <= gap.bottom);
        around = around || gap.bus;
        for (const TopologyScene::Card& card : scene.cards()) {
            QVERIFY(card.rect.left() >= scene.gutter());
            if (!gap.bus)
                QVERIFY2(card.rect.bottom() <= gap.top || card.rect.top() >= gap.bottom ||
                             card.rect.right() < gap.left || card.rect.left() > gap.right,
                         "a card in the way of straight wires");
        }
    }
    QVERIFY(around);
}

void TestTopologyPicture::rowsAreNamed() {
    const auto data = sample_cluster::reported({.hosts = 10'000});
    const auto& rows = data->scene.rows();
    QVERIFY(rows.size() >= 3);
    for (std::size_t i = 1; i < rows.size(); ++i)
        QVERIFY(rows[i].y > rows[i - 1].y);
    std::set<int> layers;
    for (const TopologyScene::Row& row : rows)
        layers.insert(row.layer);
    QCOMPARE(layers, (std::set<int>{0, 1, 2}));
    const TopologyScene domains(
        sample_cluster::map({.hosts = 72, .gpusPerHost = 4, .nvlinkDomain = 72}).fabric);
    QCOMPARE(domains.rows().back().kind, TopologyScene::RowKind::domains);
}

/// Replicas of one GPU have no peers: the inspector says so instead of an empty list.
void TestTopologyPicture::silentLinksAreSaid() {
    const auto made = dataOf("serve-llama-3.1-70b-1xp5en.48xlarge");
    QVERIFY(made);
    const TopologyFacts facts = topologyFacts(*made, {});
    QVERIFY(!facts.pathTitle.isEmpty() && facts.path.isEmpty());
    QCOMPARE(facts.pathNote, QStringLiteral("No link carries traffic."));
}

void TestTopologyPicture::hopsGrowWithTheNetwork() {
    const auto data = sample_cluster::data(plain());
    TopologyFocus focus;
    focus.color = TopologyColor::hops;
    focus.gpu = 0;
    const TopologyLook look = topologyLook(*data, focus, theme());
    const auto darkness = [&](int gpu) { return 255 - qGray(look.gpus[static_cast<std::size_t>(gpu)]); };
    QCOMPARE(look.gpus[1], theme().sequential(0).rgb()); // in its NVLink domain
    QVERIFY(darkness(8) > darkness(1));                  // below its leaf
    QVERIFY(darkness(63 * 8) > darkness(8));             // below another
    const TopologyLegend legend = topologyLegend(*data, focus, theme());
    QVERIFY(legend.ramp && legend.steps.size() >= 3);
    QCOMPARE(legend.steps.front().text, QStringLiteral("0"));
}

QTEST_MAIN(TestTopologyPicture)

} // namespace tst_topology_picture

#include "tst_topology_picture.moc"
