// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_document.h"
#include "topology_fixture.h"
#include "views/topology/topology_facts.h"
#include "views/topology/topology_live.h"

#include <QTest>

#include <cmath>

namespace tst_topology_live {

using namespace alidade;
using namespace alidade::views;

namespace {

constexpr double epoch = 1'767'225'600;

/// Two of the four hosts are measured; node1 is slow and hot, GPU 3 of node2 is to be replaced.
TopologyMeasured measured() {
    auto seen = std::make_shared<Observation>();
    seen->grid = {.start = epoch, .step = 60, .points = 10};
    seen->hosts = {"node1", "node2.cluster.example"};
    SignalTable power, heat, sent, compute;
    power.signal = Signal::gpuPower;
    heat.signal = Signal::gpuTemperature;
    sent.signal = Signal::efaTransmit;
    compute.signal = Signal::nodeComputeTime;
    for (std::size_t host = 0; host < 2; ++host) {
        for (int gpu = 0; gpu < 8; ++gpu)
            for (SignalTable* table : {&power, &heat}) {
                table->rows.push_back({seen->hosts[host], gpu, {}});
                for (std::size_t i = 0; i < 10; ++i)
                    table->values.push_back(table == &power ? 500 + 10.0 * gpu : host == 0 ? 87 : 60);
            }
        // Two network devices of 8 and 16 GB/s.
        for (int device = 0; device < 2; ++device) {
            sent.rows.push_back({seen->hosts[host], -1, "rdmap" + std::to_string(device)});
            for (std::size_t i = 0; i < 10; ++i)
                sent.values.push_back(i < 8 ? 8e9 * (device + 1) : std::nan(""));
        }
        compute.rows.push_back({seen->hosts[host], -1, {}});
        for (std::size_t i = 0; i < 10; ++i)
            compute.values.push_back(host == 0 ? 7.8 : 6.0);
    }
    seen->tables = {power, heat, sent, compute};
    TopologyMeasured out;
    out.observation = seen;
    Finding straggler, lost;
    straggler.kind = FaultKind::straggler;
    straggler.action = HealthAction::watch;
    straggler.where.host = "node1";
    straggler.start = epoch + 60;
    straggler.end = epoch + 300;
    straggler.title = "node1: straggler";
    lost.kind = FaultKind::xid;
    lost.action = HealthAction::replaceNode;
    lost.where = {"node2.cluster.example", 3, {}};
    lost.start = epoch + 120;
    lost.title = "node2, GPU 3: XID 79";
    out.findings = {straggler, lost};
    return out;
}

std::shared_ptr<const TopologyData> cluster() {
    return sample_cluster::data({.hosts = 4, .layers = 1, .degrees = {.tensor = 8, .data = 3}});
}

} // namespace

/// The cluster colored by what is measured on it.
class TestTopologyLive : public QObject {
    Q_OBJECT

private slots:
    void valuesGoToTheirGpus() {
        const auto data = cluster();
        const TopologyLive live = topologyLive(*data, measured());
        QCOMPARE(live.matched, 2);
        const auto& watts = live.figure(TopologyColor::power);
        QVERIFY(watts.missing.isEmpty());
        QCOMPARE(watts.values[8 + 3], 530.0F); // node1 is the second host
        QVERIFY(std::isnan(watts.values[0]));
        QCOMPARE(live.valueText(TopologyColor::power, 11), QStringLiteral("530 W"));
        QCOMPARE(live.valueText(TopologyColor::power, 0), QString());
        // 24 GB/s of a host are 3 GB/s of each of its GPUs; the last samples are absent and recent enough.
        QCOMPARE(live.figure(TopologyColor::efaRate).values[16], 3e9F);
        QCOMPARE(live.figure(TopologyColor::temperature).values[16], 60.0F);
    }

    void whatNobodyMeasuresSaysSo() {
        const auto data = cluster();
        QVERIFY(!topologyLive(*data, measured()).figure(TopologyColor::hbmActivity).missing.isEmpty());
        const TopologyLive nothing = topologyLive(*data, {});
        for (const TopologyColor each : topologyLiveColors)
            QVERIFY(!nothing.figure(each).missing.isEmpty());
        TopologyMeasured elsewhere = measured();
        auto other = std::make_shared<Observation>(*elsewhere.observation);
        other->hosts = {"gpu-0001"};
        elsewhere.observation = other;
        const TopologyLive strange = topologyLive(*data, elsewhere);
        QCOMPARE(strange.matched, 0);
        QVERIFY(strange.figure(TopologyColor::power).missing.contains(QStringLiteral("name")));
        QVERIFY(strange.figure(TopologyColor::power).missing != nothing.figure(TopologyColor::power).missing);
    }

    void healthIsThatOfTheInstant() {
        const auto data = cluster();
        TopologyMeasured at = measured();
        at.at = epoch + 180;
        const TopologyLive then = topologyLive(*data, at);
        const auto& health = then.figure(TopologyColor::health).values;
        QCOMPARE(health[8], static_cast<float>(HealthAction::watch));
        QCOMPARE(health[16 + 3], static_cast<float>(HealthAction::replaceNode));
        QCOMPARE(health[16], -1.0F);
        QVERIFY(std::isnan(health[0]));
        QVERIFY(then.ails[1].contains(QStringLiteral("straggler")));
        at.at = epoch + 500; // the straggler is over
        QCOMPARE(topologyLive(*data, at).figure(TopologyColor::health).values[8], -1.0F);
        at.at = epoch;
        QCOMPARE(topologyLive(*data, at).figure(TopologyColor::health).values[19], -1.0F);
    }

    void picturesDiffer() {
        const auto data = cluster();
        TopologyFocus focus;
        focus.live = std::make_shared<const TopologyLive>(topologyLive(*data, measured()));
        const Theme look = Theme::light();
        focus.color = TopologyColor::temperature;
        const TopologyLook heat = topologyLook(*data, focus, look);
        QVERIFY(heat.gpus[8] != heat.gpus[16]);
        QVERIFY(heat.marks[0] & TopologyLook::unmeasured);
        QVERIFY(!(heat.marks[8] & TopologyLook::unmeasured));
        focus.color = TopologyColor::health;
        QVERIFY(topologyLook(*data, focus, look).gpus[19] != topologyLook(*data, focus, look).gpus[16]);
        QVERIFY(topologyLegend(*data, focus, look).steps.size() >= 4); // and "not measured"
        // What is not measured falls back to a figure of the plan.
        focus.color = TopologyColor::hbmActivity;
        QCOMPARE(topologyLegend(*data, focus, look).title,
                 topologyLegend(*data, {.color = TopologyColor::load}, look).title);
        // A spare is measured too: the fourth host runs nothing.
        focus.color = TopologyColor::power;
        QVERIFY(topologyLook(*data, focus, look).marks[31] & TopologyLook::idle);
        const QString card = topologyWords(topologyFacts(*data, [&] {
            TopologyFocus chosen = focus;
            chosen.gpu = 11;
            return chosen;
        }()));
        QVERIFY2(card.contains(QStringLiteral("530 W")), qPrintable(card));
    }

    /// In a gap of the data no GPU has a color, neither an older one nor one of the plan.
    void inAGapNothingIsMeasured() {
        const auto data = cluster();
        TopologyMeasured at = measured();
        auto seen = std::make_shared<Observation>(*at.observation);
        for (SignalTable& table : seen->tables)
            for (std::size_t i = 0; i < table.values.size(); ++i)
                if (i % 10 >= 3 && i % 10 < 7)
                    table.values[i] = std::nan("");
        at.observation = seen;
        at.at = epoch + 240;
        TopologyFocus focus;
        focus.live = std::make_shared<const TopologyLive>(topologyLive(*data, at));
        const Theme look = Theme::light();
        for (const TopologyColor color : {TopologyColor::power, TopologyColor::health}) {
            focus.color = color;
            QVERIFY(focus.live->figure(color).missing.isEmpty());
            const TopologyLook made = topologyLook(*data, focus, look);
            for (std::size_t gpu = 0; gpu < made.marks.size(); ++gpu)
                QVERIFY(made.marks[gpu] & TopologyLook::unmeasured);
            QVERIFY(made.gpus[8] == made.gpus[16]);
            const TopologyLegend legend = topologyLegend(*data, focus, look);
            QCOMPARE(legend.title, topologyLiveName(color));
            QVERIFY(!legend.ramp); // there is nothing to measure by
            QCOMPARE(legend.steps.front().text, QStringLiteral("no data at this instant"));
            QCOMPARE(focus.live->valueText(color, 11), QString());
        }
        at.at = epoch + 60; // before it
        focus.live = std::make_shared<const TopologyLive>(topologyLive(*data, at));
        focus.color = TopologyColor::power;
        QVERIFY(!(topologyLook(*data, focus, look).marks[8] & TopologyLook::unmeasured));
    }

    void hostsAreFoundByTheirNames() {
        const auto data = cluster();
        QCOMPARE(measuredHost(*data, "node1"), 1);
        QCOMPARE(measuredHost(*data, "node2.cluster.example"), 2);
        QCOMPARE(measuredHost(*data, "gpu-0001"), -1);
        QCOMPARE(measuredHost(*data, ""), -1);
    }

    void anotherMachineIsNotIdle() {
        auto data = std::make_shared<TopologyData>(*cluster());
        data->map.unfit[3] = true;
        const Theme look = Theme::light();
        const TopologyLook made = topologyLook(*data, {}, look);
        QVERIFY(made.marks[31] & TopologyLook::unfit);
        QVERIFY(!(made.marks[30 - 8] & TopologyLook::unfit));
        bool told = false;
        for (const TopologySwatch& step : topologyLegend(*data, {}, look).steps) {
            QVERIFY(step.text != QStringLiteral("idle")); // no other host is
            told = told || step.crossed;
        }
        QVERIFY(told);
        TopologyFocus focus;
        focus.gpu = 31;
        QVERIFY(topologyWords(topologyFacts(*data, focus)).contains(QStringLiteral("not a p5.48xlarge")));
    }
};

QTEST_MAIN(TestTopologyLive)

} // namespace tst_topology_live

#include "tst_topology_live.moc"
