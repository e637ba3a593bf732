// SPDX-License-Identifier: GPL-3.0-or-later
// Retransmits and connections of EFA devices, from values that are written out one by one.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

namespace tst_network_faults {

using namespace alidade;
using namespace alidade::tests;

namespace {

Entity device(const std::string& host, int index) { return {host, -1, "rdmap" + std::to_string(index)}; }

/// Twenty minutes in which each host sends 1,000 bytes/s. Nothing is lost unless a test says so.
HandMade sending(const std::vector<std::string>& hosts, int devices) {
    HandMade out(20);
    for (const std::string& host : hosts) {
        out.flat(Signal::efaTransmit, {host, -1, {}}, 1000);
        for (int i = 0; i < devices; ++i)
            out.flat(Signal::efaRetransmitted, device(host, i), 0);
    }
    return out;
}

QByteArray retransmits(const HandMade& cluster, double share = 1e-4) {
    Detection detection(cluster);
    detection.limits.retransmitShare = share;
    return told(detection.found(findRetransmits));
}

QByteArray connections(const HandMade& cluster) { return told(Detection(cluster).found(findBadConnections)); }

} // namespace

/// What the network devices report.
class TestNetworkFaults : public QObject {
    Q_OBJECT

private slots:
    /// 20 of 1,000 bytes are one in fifty, of which the only device is not named.
    void retransmitsHaveTheirShare() {
        HandMade cluster = sending({"a", "b"}, 1);
        cluster.set(Signal::efaRetransmitted, device("b", 0), 5, 9, 20);
        QCOMPARE(retransmits(cluster),
                 QByteArray("efa_retransmits b [5,9)x4 300..480: 1 in 50 bytes sent again\n"));
        QCOMPARE(retransmits(cluster, 0.02), QByteArray()); // not more than the limit
        QVERIFY(!retransmits(cluster, 0.0199).isEmpty());
    }

    /// Two points that add up to a minute; one point that is better does not end it, two do. Nor do up to
    /// five minutes without values.
    void retransmitsLastAMinute() {
        HandMade cluster = sending({"a"}, 1);
        const Entity one = device("a", 0);
        cluster.set(Signal::efaRetransmitted, one, 3, 4, 20);
        QCOMPARE(retransmits(cluster), QByteArray());
        cluster.set(Signal::efaRetransmitted, one, 5, 6, 20);
        QCOMPARE(retransmits(cluster),
                 QByteArray("efa_retransmits a [3,6)x2 180..300: 1 in 75 bytes sent again\n")); // 40 of 3,000
        cluster.set(Signal::efaRetransmitted, one, 5, 6, 0).set(Signal::efaRetransmitted, one, 6, 7, 20);
        QCOMPARE(retransmits(cluster), QByteArray());
        cluster.set(Signal::efaRetransmitted, one, 4, 6, 20).set(Signal::efaRetransmitted, one, 7, 12, none);
        cluster.set(Signal::efaRetransmitted, one, 12, 13, 20);
        QCOMPARE(retransmits(cluster), // 100 of 10,000; what is not known adds nothing
                 QByteArray("efa_retransmits a [3,13)x5 180..720: 1 in 100 bytes sent again\n"));
        cluster.set(Signal::efaRetransmitted, one, 12, 13, none)
            .set(Signal::efaRetransmitted, one, 13, 15, 20);
        QVERIFY(retransmits(cluster).contains("[3,7)x4") && retransmits(cluster).contains("[13,15)x2"));
        HandMade fine(20, 29.9); // two points are less than a minute
        fine.flat(Signal::efaTransmit, {"a", -1, {}}, 1000).flat(Signal::efaRetransmitted, one, 0);
        fine.set(Signal::efaRetransmitted, one, 3, 5, 20);
        QCOMPARE(retransmits(fine), QByteArray());
        fine.observation.grid.step = 30;
        QVERIFY(!retransmits(fine).isEmpty());
    }

    /// Shares of next to no traffic mean nothing: a twentieth of the usual is none.
    void idleNetworkHasNoShare() {
        HandMade cluster = sending({"a"}, 1);
        cluster.set(Signal::efaTransmit, {"a", -1, {}}, 4, 8, 50);
        cluster.set(Signal::efaRetransmitted, device("a", 0), 4, 8, 20);
        QCOMPARE(retransmits(cluster), QByteArray());
        cluster.set(Signal::efaTransmit, {"a", -1, {}}, 4, 8, 51);
        QCOMPARE(retransmits(cluster),
                 QByteArray("efa_retransmits a [4,8)x4 240..420: 1 in 3 bytes sent again\n"));
        cluster.set(Signal::efaTransmit, {"a", -1, {}}, 4, 8, none);
        QCOMPARE(retransmits(cluster), QByteArray());
    }

    /// Those that lose at least a fifth of what the worst one does.
    void guiltyDevicesAreNamed() {
        HandMade cluster = sending({"a"}, 7);
        const auto lose = [&](int index, double value) {
            cluster.set(Signal::efaRetransmitted, device("a", index), 5, 9, value);
        };
        const auto said = [&] { return retransmits(cluster).mid(sizeof("efa_retransmits a") - 1).trimmed(); };
        lose(2, 10);
        QCOMPARE(said(),
                 QByteArray("/rdmap2 [5,9)x4 300..480: 1 in 100 bytes sent again; 1 of 7 devices (rdmap2)"));
        lose(4, 2);
        lose(5, 1.9);
        QVERIFY2(said().endsWith("; 2 of 7 devices (rdmap2, rdmap4)") && said().startsWith("["), said());
        lose(0, 10);
        lose(1, 10);
        QVERIFY2(said().endsWith("; 4 of 7 devices (rdmap0, rdmap1, rdmap2, rdmap4)"), said());
        lose(5, 10);
        QVERIFY2(said().endsWith("; 5 of 7 devices (rdmap0, rdmap1, rdmap2, rdmap4, ...)"), said());
        lose(3, 10);
        lose(6, 10);
        QVERIFY2(said().endsWith("; all of 7 devices"), said());
    }

    void withoutBothThereIsNoShare() {
        HandMade cluster(20);
        cluster.flat(Signal::efaRetransmitted, device("a", 0), 20)
            .flat(Signal::gpuTemperature, {"a", 0, {}}, 60);
        QCOMPARE(retransmits(cluster), QByteArray());
        cluster.flat(Signal::efaTransmit, {"b", -1, {}}, 1000); // of another host
        QCOMPARE(retransmits(cluster), QByteArray());
    }

    /// An event by extrapolation is at least nine tenths of one; five minutes without one do not end it. What
    /// is counted a minute after it is of it, too.
    void connectionsAreCounted() {
        HandMade cluster(30);
        cluster.flat(Signal::gpuTemperature, {"a", 0, {}}, 60);
        cluster.flat(Signal::efaImpairedConnections, device("a", 0), 0);
        cluster.flat(Signal::efaImpairedConnections, device("a", 1), 0);
        cluster.flat(Signal::efaUnresponsiveRemotes, device("a", 0), 0);
        const auto impaired = [&](std::size_t at, double value) {
            cluster.set(Signal::efaImpairedConnections, device("a", 0), at, at + 1, value);
        };
        impaired(3, 0.3); // each alone is too little
        impaired(4, 0.3);
        impaired(5, 0.3);
        impaired(12, 0.42);
        impaired(13, 0.42);
        QCOMPARE(connections(cluster), QByteArray());
        impaired(14, 0.42);
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [12,15)x3 720..840: 1 connection impaired\n"));
        cluster.set(Signal::efaImpairedConnections, device("a", 1), 15, 16, 0.29); // 1.55 in all
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [12,15)x3 720..840: 2 connections impaired\n"));
        cluster.set(Signal::efaUnresponsiveRemotes, device("a", 0), 20, 21, 3);
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [12,21)x4 720..1200: 2 connections impaired; "
                            "3 remotes unresponsive\n"));
        cluster.set(Signal::efaUnresponsiveRemotes, device("a", 0), 20, 21, 0);
        cluster.set(Signal::efaUnresponsiveRemotes, device("a", 0), 21, 22, 1);
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [12,15)x3 720..840: 2 connections impaired\n"
                            "efa_connections a [21,22)x1 1260..1260: 1 remote unresponsive\n"));
    }

    /// Half of one is none.
    void smallCountsAreNotTold() {
        HandMade cluster(10);
        cluster.flat(Signal::gpuTemperature, {"a", 0, {}}, 60);
        cluster.flat(Signal::efaImpairedConnections, device("a", 0), 0)
            .flat(Signal::efaUnresponsiveRemotes, device("a", 0), 0);
        cluster.set(Signal::efaImpairedConnections, device("a", 0), 4, 5, 0.49);
        cluster.set(Signal::efaUnresponsiveRemotes, device("a", 0), 4, 5, 0.5);
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [4,5)x1 240..240: 1 remote unresponsive\n"));
        cluster.set(Signal::efaImpairedConnections, device("a", 0), 4, 5, 0.5);
        cluster.set(Signal::efaUnresponsiveRemotes, device("a", 0), 4, 5, 0.49);
        QCOMPARE(connections(cluster),
                 QByteArray("efa_connections a [4,5)x1 240..240: 1 connection impaired\n"));
    }

    /// Four complaints within ten minutes, of more than a quarter of the nodes, are of all.
    void complaintsOfManyNodesAreOne() {
        const auto complaining = [](int nodes, int hosts, std::size_t last) {
            HandMade out(30);
            for (int i = 0; i < hosts; ++i) {
                const std::string host = "h" + std::to_string(10 + i);
                out.flat(Signal::gpuTemperature, {host, 0, {}}, 60);
                out.flat(Signal::efaImpairedConnections, device(host, 0), 0);
                const std::size_t at = i == 0 ? last : 3;
                if (i < nodes)
                    out.set(Signal::efaImpairedConnections, device(host, 0), at, at + 1, 2);
            }
            return connections(out);
        };
        QCOMPARE(complaining(4, 15, 5),
                 QByteArray("efa_connections job [3,4)x1 180..180: on 4 nodes at the same time\n"));
        QCOMPARE(complaining(4, 16, 5).count('\n'), 4);
        QCOMPARE(complaining(3, 8, 5).count('\n'), 3);
        QCOMPARE(complaining(4, 8, 12).count('\n'), 1); // nine minutes later
        QCOMPARE(complaining(4, 8, 13).count('\n'), 4); // ten
    }
};

QTEST_APPLESS_MAIN(TestNetworkFaults)

} // namespace tst_network_faults

#include "tst_network_faults.moc"
