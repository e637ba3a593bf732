// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/node_detail.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_node_detail {

using namespace alidade;

namespace {

constexpr double epoch = 1'767'225'600;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

SignalTable table(Signal signal, std::vector<Entity> rows, std::vector<double> values) {
    SignalTable out;
    out.signal = signal;
    out.rows = std::move(rows);
    out.values = std::move(values);
    return out;
}

/// Two GPUs and two EFA devices of node "b", which stands between two others, over six minutes.
Observation observed() {
    Observation out;
    out.grid = {.start = epoch, .step = 60, .points = 6};
    out.hosts = {"a", "b", "c"};
    const Entity first{"b", 0, {}}, second{"b", 1, {}};
    out.tables = {
        table(Signal::smClock, {{"a", 0, {}}, first, second},
              {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1.2e9, 1.4e9, 1.6e9, 1.8e9, 1.7e9, 1.5e9, 1.8e9, none, none,
               none, none, none}),
        table(Signal::gpuPower, {first}, {500, 510, 520, 530, 540, none}),
        table(Signal::xid, {first, second}, {0, 0, 94, 94, 0, 79, 63, 63, 0, 0, 0, 0}),
        table(Signal::eccSingleBit, {first}, {0.585, 0.585, 0, 0, 0, 0}),
        table(Signal::eccDoubleBit, {first}, {0, 0, 0, 0, 0, 0}),
        table(Signal::nvlinkTransmit, {first}, {1e11, 1e11, 1e11, 2e11, 2e11, 2e11}),
        table(Signal::nvlinkErrors, {first}, {0, 3, 0, 0, 2, 0}),
        table(Signal::thermalViolation, {first}, {0, 0, 0.5, 0.5, 0, 0.2}),
        table(Signal::rowsRemappedCorrectable, {first}, {1, 1, 1, 1, 1, 1}),
        table(Signal::rowsRemappedUncorrectable, {first}, {0, 0, 0, 0, 2, 2}),
        table(Signal::efaTransmit, {{"b", -1, "rdmap0"}, {"b", -1, "rdmap1"}, {"c", -1, "rdmap0"}},
              {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 2e9, 2e9, 2e9, 2e9, 2e9, 4e9, 9, 9, 9, 9, 9, 9}),
        table(Signal::efaRetransmitted, {{"b", -1, "rdmap0"}}, {1e7, 1e7, 1e7, 1e7, 1e7, 1e7}),
        table(Signal::efaImpairedConnections, {{"b", -1, "rdmap1"}}, {0, 1, 0, 0, 0, 1}),
        table(Signal::targetUp, {{"b", -1, "dcgm"}, {"b", -1, "efa"}, {"b", -1, "node"}},
              {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, none, none, none, none, none, none}),
        table(Signal::bootTime, {{"b", -1, {}}}, {1, 1, 1, 1, 1, epoch - 60}),
    };
    return out;
}

} // namespace

/// What a person finds who looks into one node.
class TestNodeDetail : public QObject {
    Q_OBJECT

private slots:
    void devicesThatRetransmitComeFirst() {
        Observation seen = observed();
        std::erase_if(seen.tables, [](const SignalTable& each) {
            return each.signal == Signal::efaTransmit || each.signal == Signal::efaRetransmitted;
        });
        std::vector<Entity> rows;
        std::vector<double> sent, again;
        for (const auto& [name, share] : {std::pair("rdmap1", 1e-8), std::pair("rdmap2", 2e-8),
                                          std::pair("rdmap3", 0.001), std::pair("rdmap4", 0.01)}) {
            rows.push_back({"b", -1, name});
            sent.insert(sent.end(), 6, 1e9);
            again.insert(again.end(), 6, share * 1e9);
        }
        seen.tables.push_back(table(Signal::efaTransmit, rows, sent));
        seen.tables.push_back(table(Signal::efaRetransmitted, rows, again));
        QStringList names;
        for (const EfaDetail& device : nodeDetail(seen, "b", {}).devices)
            names.append(QString::fromStdString(device.device));
        QCOMPARE(names.join(QLatin1Char(' ')), QStringLiteral("rdmap4 rdmap3 rdmap1 rdmap2"));
    }

    /// Bytes of devices that the observation has of the whole node alone.
    void trafficOfDevicesIsAskedApart() {
        Observation seen = observed();
        std::erase_if(seen.tables,
                      [](const SignalTable& each) { return each.signal == Signal::efaTransmit; });
        seen.tables.push_back(table(Signal::efaTransmit, {{"b", -1, {}}}, {6e9, 6e9, 6e9, 6e9, 6e9, 6e9}));
        const std::vector<SignalTable> traffic{
            table(Signal::efaTransmit, {{"b", -1, "rdmap0"}, {"b", -1, "rdmap9"}}, {2e9, 4e9}),
            table(Signal::efaReceive, {{"b", -1, "rdmap0"}, {"c", -1, "rdmap7"}}, {1e9, 8e9})};
        const NodeDetail without = nodeDetail(seen, "b", {});
        QVERIFY(!without.devices.front().sent.mean);
        const NodeDetail node = nodeDetail(seen, "b", {}, traffic);
        QStringList names;
        for (const EfaDetail& device : node.devices)
            names.append(QString::fromStdString(device.device));
        QCOMPARE(names,
                 (QStringList{QStringLiteral("rdmap0"), QStringLiteral("rdmap1"), QStringLiteral("rdmap9")}));
        QCOMPARE(*node.devices[0].sent.mean, 2e9);
        QCOMPARE(*node.devices[0].received.mean, 1e9);
        QCOMPARE(*node.devices[0].retransmitShare, 1e7 / 2e9);
        QCOMPARE(*node.devices[2].sent.mean, 4e9);
    }

    void eachGpuHasItsOwn() {
        const NodeDetail node = nodeDetail(observed(), "b", {});
        QCOMPARE(node.gpus.size(), std::size_t{2});
        const GpuDetail& gpu = node.gpus[0];
        QCOMPARE(gpu.clock.now, std::optional(1.5e9));
        QCOMPARE(gpu.clock.least, std::optional(1.2e9));
        QCOMPARE(gpu.clock.most, std::optional(1.8e9));
        QCOMPARE(gpu.power.now, std::optional(540.0)); // the newest sample is on its way
        QCOMPARE(gpu.power.mean, std::optional(520.0));
        QVERIFY(!gpu.temperature.now && !gpu.temperature.mean); // not measured
        QCOMPARE(gpu.singleBit, std::optional(1.0));            // 1.17 by extrapolation
        QCOMPARE(gpu.doubleBit, std::optional(0.0));
        QCOMPARE(gpu.nvlinkSent.now, std::optional(2e11));
        QCOMPARE(gpu.nvlinkErrors, std::optional(5.0));
        QVERIFY(gpu.heatThrottled && std::abs(*gpu.heatThrottled - 0.2) < 1e-9);
        QVERIFY(!gpu.powerThrottled);
        QCOMPARE(gpu.rowsRemapped, std::optional(3.0));
        QVERIFY(!gpu.silent);
        // The other one has fallen silent.
        QVERIFY(node.gpus[1].silent && !node.gpus[1].clock.now);
        QVERIFY(!node.gpus[1].singleBit);
    }

    void codesHaveAHistory() {
        const NodeDetail node = nodeDetail(observed(), "b", {});
        const std::vector<XidEvent>& first = node.gpus[0].xids;
        QCOMPARE(first.size(), std::size_t{2});
        QCOMPARE(first[0].code, 94);
        QCOMPARE(first[0].time, epoch + 120);
        QVERIFY(!first[0].before);
        QCOMPARE(first[1].code, 79);
        QCOMPARE(first[1].time, epoch + 300);
        const std::vector<XidEvent>& second = node.gpus[1].xids;
        QCOMPARE(second.size(), std::size_t{1});
        QVERIFY(second[0].before); // it was there already
    }

    void eachNetworkDeviceHasItsOwn() {
        const NodeDetail node = nodeDetail(observed(), "b", {});
        QCOMPARE(node.devices.size(), std::size_t{2});
        QCOMPARE(node.devices[0].device, std::string("rdmap0"));
        QCOMPARE(node.devices[0].sent.now, std::optional(1e9));
        QCOMPARE(node.devices[0].retransmitShare, std::optional(0.01));
        QVERIFY(!node.devices[0].impaired && !node.devices[0].received.now);
        QCOMPARE(node.devices[1].sent.most, std::optional(4e9));
        QCOMPARE(node.devices[1].impaired, std::optional(2.0));
        QVERIFY(!node.devices[1].retransmitShare);
    }

    /// A value of two minutes ago is now, at least of the newest two points.
    void howOldNowMayBe() {
        const auto now = [](std::size_t missing, double step) {
            Observation seen;
            seen.grid = {.start = epoch, .step = step, .points = 8};
            std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
            std::fill(values.end() - static_cast<std::ptrdiff_t>(missing), values.end(), none);
            seen.tables = {table(Signal::gpuPower, {{"b", 0, {}}}, values)};
            return nodeDetail(seen, "b", {}).gpus.front().power.now;
        };
        QCOMPARE(now(1, 60), std::optional(7.0));
        QVERIFY(!now(2, 60));
        QCOMPARE(now(3, 30), std::optional(5.0));
        QVERIFY(!now(4, 30));
        QCOMPARE(now(1, 600), std::optional(7.0));
        QVERIFY(!now(2, 600));
    }

    /// Any of four values shows that a GPU answers.
    void gpusThatAnswer() {
        Observation seen;
        seen.grid = {.start = epoch, .step = 60, .points = 1};
        seen.tables = {
            table(Signal::smClock, {{"b", 0, {}}}, {1}), table(Signal::gpuPower, {{"b", 1, {}}}, {1}),
            table(Signal::gpuTemperature, {{"b", 2, {}}}, {1}),
            table(Signal::memoryUsed, {{"b", 3, {}}}, {1}), table(Signal::tensorActive, {{"b", 4, {}}}, {1})};
        for (const GpuDetail& gpu : nodeDetail(seen, "b", {}).gpus)
            QCOMPARE(gpu.silent, gpu.gpu == 4);
        seen.tables.erase(seen.tables.begin(), seen.tables.end() - 1);
        QVERIFY(!nodeDetail(seen, "b", {}).gpus.front().silent); // the whole node is
    }

    void rolesOfNodes() {
        Observation seen;
        seen.grid = {.start = epoch, .step = 60, .points = 2};
        seen.tables = {table(Signal::tensorActive, {{"a", 0, {}}, {"b", 0, {}}, {"c", 0, {}}},
                             {0.5, 0.5, 0, 0, 0.5, 0.5}),
                       table(Signal::requestsRunning, {{"c", -1, {}}}, {1, 1})};
        QCOMPARE(nodeDetail(seen, "a", {}).role, std::string("trains"));
        QCOMPARE(nodeDetail(seen, "b", {}).role, std::string("idle"));
        QCOMPARE(nodeDetail(seen, "c", {}).role, std::string("serves"));
    }

    /// Shares below a ten-thousandth are alike; counts leave out what fell.
    void smallShares() {
        Observation seen;
        seen.grid = {.start = epoch, .step = 60, .points = 2};
        seen.tables = {table(Signal::efaTransmit, {{"b", -1, "r1"}, {"b", -1, "r2"}, {"b", -1, "r3"}},
                             {1e9, 1e9, 1e9, 1e9, 0, 0}),
                       table(Signal::efaRetransmitted, {{"b", -1, "r1"}, {"b", -1, "r2"}, {"b", -1, "r3"}},
                             {0.9e5, 0.9e5, 1.1e5, 1.1e5, 5, 5}),
                       table(Signal::eccSingleBit, {{"b", 0, {}}}, {-3, 4}),
                       table(Signal::xid, {{"b", 0, {}}}, {none, 13})};
        const NodeDetail node = nodeDetail(seen, "b", {});
        QCOMPARE(node.devices[0].device, std::string("r2"));
        QCOMPARE(node.devices[1].device, std::string("r1"));
        QVERIFY(!node.devices[2].retransmitShare); // nothing was sent
        QCOMPARE(node.gpus.front().singleBit, std::optional(4.0));
        QVERIFY(node.gpus.front().xids.front().before && node.gpus.front().xids.front().time == epoch + 60);
        QVERIFY(!node.gpus.front().silent && !node.gpus.front().throttleIsSign);
        seen.tables.push_back(table(Signal::thermalViolation, {{"b", 0, {}}}, {0, 1e-9}));
        seen.tables.back().signOnly = true;
        QVERIFY(nodeDetail(seen, "b", {}).gpus.front().throttleIsSign);
    }

    void exportersAndFindingsAreOfTheNode() {
        Finding here, elsewhere;
        here.where = {"b", 1, {}};
        here.title = "b, GPU 1: XID 63";
        elsewhere.where.host = "c";
        const NodeDetail node = nodeDetail(observed(), "b", {elsewhere, here});
        QCOMPARE(node.findings.size(), std::size_t{1});
        QCOMPARE(node.findings.front().title, here.title);
        QCOMPARE(node.exporters.size(), std::size_t{3});
        QCOMPARE(node.exporters[0].second, std::optional(true));
        QCOMPARE(node.exporters[1].second, std::optional(false));
        QVERIFY(!node.exporters[2].second); // it is not queried
        QCOMPARE(node.bootTime, std::optional(epoch - 60));
        const NodeDetail stranger = nodeDetail(observed(), "nobody", {here});
        QVERIFY(stranger.gpus.empty() && stranger.devices.empty() && stranger.findings.empty());
    }
};

QTEST_APPLESS_MAIN(TestNodeDetail)

} // namespace tst_node_detail

#include "tst_node_detail.moc"
