// SPDX-License-Identifier: GPL-3.0-or-later
// Exporters that are silent, nodes that start again, and nodes that vanish.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

namespace tst_node_faults {

using namespace alidade;
using namespace alidade::tests;

namespace {

QByteArray outages(const HandMade& cluster) { return told(Detection(cluster).found(findOutages)); }

/// Twenty points of hosts that have two exporters each; one value of their own keeps all points observed.
HandMade answering(const std::vector<std::string>& hosts, double step = 60) {
    HandMade out(20, step);
    for (const std::string& host : hosts) {
        out.flat(Signal::gpuTemperature, {host, 0, {}}, 60);
        out.flat(Signal::targetUp, {host, -1, "dcgm"}, 1).flat(Signal::targetUp, {host, -1, "node"}, 1);
    }
    return out;
}

/// Hosts with a temperature alone, of which each has values up to a point; the loss keeps all points
/// observed.
HandMade ending(const std::vector<std::size_t>& ends, double step = 60) {
    HandMade out(20, step);
    out.flat(Signal::loss, {}, 2);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::string host(1, static_cast<char>('a' + static_cast<char>(i)));
        out.observation.hosts.push_back(host);
        if (ends[i] > 0)
            out.row(Signal::gpuTemperature, {host, 0, {}}, std::vector<double>(ends[i], 60.0));
    }
    return out;
}

} // namespace

/// What is wrong with a node as a whole.
class TestNodeFaults : public QObject {
    Q_OBJECT

private slots:
    /// One scrape of one exporter that fails is none; of two at a time it is.
    void exportersAreSilent() {
        HandMade cluster = answering({"a", "b", "c"});
        const Entity dcgm{"a", -1, "dcgm"}, node{"a", -1, "node"};
        cluster.set(Signal::targetUp, dcgm, 5, 6, 0.49);
        QCOMPARE(outages(cluster), QByteArray());
        cluster.set(Signal::targetUp, node, 5, 6, 0);
        QCOMPARE(outages(cluster),
                 QByteArray("missing_target a [5,6)x1 300..300: all 2 exporters are silent\n"));
        cluster.set(Signal::targetUp, node, 5, 6, 0.5);
        cluster.set(Signal::targetUp, dcgm, 6, 7, 0);
        QCOMPARE(outages(cluster),
                 QByteArray("missing_target a [5,7)x2 300..360: 1 of 2 exporters are silent\n"));
        // Five minutes that nobody asks are part of it.
        for (const Entity& each : {dcgm, node})
            cluster.set(Signal::targetUp, each, 7, 12, none);
        cluster.set(Signal::targetUp, dcgm, 12, 13, 0);
        QVERIFY(outages(cluster).contains("[5,13)x3"));
        for (const Entity& each : {dcgm, node})
            cluster.set(Signal::targetUp, each, 7, 13, none);
        cluster.set(Signal::targetUp, dcgm, 13, 15, 0);
        QVERIFY(outages(cluster).contains("[5,7)x2") && outages(cluster).contains("[13,15)x2"));
    }

    void shortestOutageIsThreeQuartersOfAMinute() {
        HandMade cluster = answering({"a", "b", "c"}, 44);
        for (const char* part : {"dcgm", "node"})
            cluster.set(Signal::targetUp, {"a", -1, part}, 5, 6, 0);
        QCOMPARE(outages(cluster), QByteArray());
        cluster.observation.grid.step = 45;
        QCOMPARE(outages(cluster),
                 QByteArray("missing_target a [5,6)x1 225..225: all 2 exporters are silent\n"));
    }

    /// An exporter of half of the hosts is of the host, one of fewer tells of itself alone. Those of a job
    /// belong to its stops, those of engines to engines, of which a single scrape tells.
    void exportersOfOtherThings() {
        HandMade cluster = answering({"a", "b", "c", "d"});
        const auto add = [&](const char* host, const char* part, std::size_t points) {
            cluster.flat(Signal::targetUp, {host, -1, part}, 1);
            cluster.set(Signal::targetUp, {host, -1, part}, 5, 5 + points, 0);
        };
        add("a", "slurm", 2);
        QCOMPARE(outages(cluster),
                 QByteArray("missing_target a/slurm [5,7)x2 300..360: the exporter is silent\n"));
        add("b", "slurm", 0);
        QCOMPARE(outages(cluster),
                 QByteArray("missing_target a [5,7)x2 300..360: 1 of 3 exporters are silent\n"));
        for (const char* host : {"a", "b", "c"}) {
            add(host, "my-vLLM", host[0] == 'c' ? 1 : 0);
            add(host, "Megatron-metrics", 4);
        }
        QCOMPARE(outages(cluster),
                 QByteArray("engine_restart c/my-vLLM [5,6)x1 300..300: the exporter is silent\n"
                            "missing_target a [5,7)x2 300..360: 1 of 3 exporters are silent\n"));
        // Of a host that serves every other exporter is an engine's.
        add("d", "api", 1);
        QVERIFY(!outages(cluster).contains("api"));
        cluster.flat(Signal::requestsRunning, {"d", -1, "x"}, 3);
        QVERIFY(outages(cluster).contains("engine_restart d/api [5,6)x1 300..300: the exporter is silent"));
    }

    void namesOfExporters() {
        for (const char* name : {"train", "Megatron-LM", "nemo_job", "torchtitan", "DeepSpeed", "lightning"})
            QVERIFY2(isJobExporter(name) && !isEngineExporter(name), name);
        for (const char* name :
             {"vllm", "SGLang-0", "dynamo", "TRTLLM", "tensorrt", "triton", "engine", "model-serving"})
            QVERIFY2(isEngineExporter(name) && !isJobExporter(name), name);
        for (const char* name : {"", "dcgm-exporter", "node", "tra", "eng"})
            QVERIFY2(!isEngineExporter(name) && !isJobExporter(name), name);
        QVERIFY(isJobExporter("my-TRAINER-0") && isJobExporter("xTorchTitanx"));
    }

    /// A clock that is set by a minute is no reboot. It is of the moment that the new boot time tells, as far
    /// as that is in the observed time.
    void newBootTimeIsAReboot() {
        const double start = handMadeStart;
        HandMade cluster = answering({"a", "b", "c", "d"});
        cluster.row(Signal::bootTime, {"a", -1, "x"}, runs({{5, start - 1000}, {15, start - 940}}));
        cluster.row(Signal::bootTime, {"b", -1, "x"},
                    runs({{3, start - 1000}, {2, none}, {15, start + 200}}));
        cluster.row(Signal::bootTime, {"c", -1, "x"}, runs({{5, start - 1000}, {15, start - 939}}));
        cluster.row(Signal::bootTime, {"d", -1, "x"},
                    runs({{5, start - 1000}, {10, start + 900}, {5, start}}));
        QCOMPARE(outages(cluster), QByteArray("missing_target b [5,6)x1 200..300 <rebooted>\n"
                                              "missing_target c [5,6)x1 0..300 <rebooted>\n"
                                              "missing_target d [5,6)x1 300..300 <rebooted>\n"));
    }

    /// Ten minutes, of at least five points, while at least half of the hosts go on.
    void hostsVanish() {
        const QByteArray gone =
            "missing_target d [10,20)x10 600..1140 lasts: its series end while those of other "
            "nodes continue\n";
        QCOMPARE(outages(ending({20, 20, 20, 10})), gone);
        QCOMPARE(outages(ending({20, 20, 20, 11})), QByteArray());
        QCOMPARE(outages(ending({20, 20, 20, 16}, 200)), QByteArray());
        QVERIFY(
            outages(ending({20, 20, 20, 15}, 200)).startsWith("missing_target d [15,20)x5 3000..3800 lasts"));
        QCOMPARE(outages(ending({20, 20, 5, 10})).count('\n'), 2);
        QCOMPARE(outages(ending({20, 7, 5, 10})), QByteArray());
        // The newest two points may be on their way.
        QVERIFY(!outages(ending({18, 10})).isEmpty());
        QCOMPARE(outages(ending({17, 10})), QByteArray());
        QCOMPARE(outages(ending({20, 0})),
                 QByteArray("missing_target b [0,20)x20 0..1140 before lasts: no series at "
                            "all, while other nodes have series\n"));
        HandMade listed = ending({20, 20, 10});
        for (const char* host : {"a", "b", "c"})
            listed.flat(Signal::targetUp, {host, -1, "node"}, 1); // it says itself whether it answers
        QCOMPARE(outages(listed), QByteArray());
    }
};

QTEST_APPLESS_MAIN(TestNodeFaults)

} // namespace tst_node_faults

#include "tst_node_faults.moc"
