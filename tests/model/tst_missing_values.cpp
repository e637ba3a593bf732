// SPDX-License-Identifier: GPL-3.0-or-later
// GPUs that no longer answer, nodes with too few of them, and values that are blank.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

namespace tst_missing_values {

using namespace alidade;
using namespace alidade::tests;

namespace {

/// Hosts of some GPUs, each with a temperature at twenty points.
HandMade counted(const std::vector<int>& gpus, double step = 60) {
    HandMade out(20, step);
    for (std::size_t host = 0; host < gpus.size(); ++host)
        for (int gpu = 0; gpu < gpus[host]; ++gpu)
            out.flat(Signal::gpuTemperature,
                     {std::string(1, static_cast<char>('a' + static_cast<char>(host))), gpu, {}}, 60);
    return out;
}

QByteArray missing(const HandMade& cluster, int limit = 0, std::optional<int> plan = {}) {
    Detection detection(cluster);
    detection.limits.gpusPerNode = limit;
    detection.gpusPerNode = plan;
    return told(detection.found(findMissingGpus));
}

/// The second of four GPUs is away in [begin, end).
QByteArray away(std::size_t begin, std::size_t end, double step = 60, std::size_t once = 99) {
    HandMade cluster = counted({4}, step);
    cluster.set(Signal::gpuTemperature, {"a", 1, {}}, begin, end, none);
    if (once < 20)
        cluster.set(Signal::gpuTemperature, {"a", 1, {}}, once, once + 1, none);
    return missing(cluster);
}

/// Three hosts with clocks and two profiling metrics.
HandMade profiled() {
    HandMade out(20);
    for (const char* host : {"a", "b", "c"}) {
        out.flat(Signal::smClock, {host, 0, {}}, 1e9);
        out.flat(Signal::tensorActive, {host, 0, {}}, 0.5).flat(Signal::pcieReceive, {host, 0, {}}, 1e9);
    }
    return out;
}
void blank(HandMade& cluster, const char* host, std::size_t begin, std::size_t end) {
    for (const Signal signal : {Signal::tensorActive, Signal::pcieReceive})
        cluster.set(signal, {host, 0, {}}, begin, end, none);
}
QByteArray blanks(const HandMade& cluster) { return told(Detection(cluster).found(findBlankValues)); }

} // namespace

/// What should be measured and is not.
class TestMissingValues : public QObject {
    Q_OBJECT

private slots:
    void aGpuThatIsAway() {
        QCOMPARE(away(10, 20),
                 QByteArray("missing_gpu a 1 [10,20)x10 600..1140 lasts: 3 of 4 GPUs answer\n"));
        QCOMPARE(away(10, 16), QByteArray("missing_gpu a 1 [10,16)x6 600..900: 3 of 4 GPUs answer\n"));
        QCOMPARE(away(0, 20), QByteArray()); // never there
    }

    /// At least three points, two of a coarse grid, that make a minute and a half.
    void shortAbsencesAreAccidents() {
        QCOMPARE(away(10, 12), QByteArray());
        QVERIFY(!away(10, 13).isEmpty());
        QCOMPARE(away(10, 12, 119), QByteArray());
        QVERIFY(!away(10, 12, 120).isEmpty());
        QCOMPARE(away(10, 11, 120), QByteArray());
        QCOMPARE(away(10, 13, 29.9), QByteArray());
        QVERIFY(!away(10, 13, 30).isEmpty());
    }

    /// One of the other 16 points is away too: ln(0.001 / 80) / ln(1/16) = 4.07, so five points tell, in a
    /// row.
    void absencesAmongGapsAreLonger() {
        QCOMPARE(away(10, 14, 60, 3), QByteArray());
        QVERIFY(away(10, 15, 60, 3).startsWith("missing_gpu a 1 [10,15)x5"));
    }

    /// While most of the others are away too, nobody knows; it lasts if it never comes back.
    void othersTellThatItIsAway() {
        HandMade cluster = counted({4});
        for (int gpu : {0, 1, 2, 3})
            cluster.set(Signal::gpuTemperature, {"a", gpu, {}}, 16, 20, none);
        cluster.flat(Signal::hostMemoryAvailable, {"a", -1, {}}, 1e12);
        cluster.set(Signal::gpuTemperature, {"a", 1, {}}, 10, 16, none);
        QCOMPARE(missing(cluster),
                 QByteArray("missing_gpu a 1 [10,16)x6 600..900 lasts: 3 of 4 GPUs answer\n"));
        cluster.set(Signal::gpuTemperature, {"a", 0, {}}, 10, 16, none); // two of the other three are enough
        QCOMPARE(missing(cluster),
                 QByteArray("missing_gpu a 0 [10,16)x6 600..900 lasts: 2 of 4 GPUs answer\n"
                            "missing_gpu a 1 [10,16)x6 600..900 lasts: 2 of 4 GPUs answer\n"));
        cluster.set(Signal::gpuTemperature, {"a", 2, {}}, 10, 16, none); // one is not
        QCOMPARE(missing(cluster), QByteArray());
        HandMade pair = counted({2});
        pair.set(Signal::gpuTemperature, {"a", 0, {}}, 10, 20, none);
        QCOMPARE(missing(pair),
                 QByteArray("missing_gpu a 0 [10,20)x10 600..1140 lasts: 1 of 2 GPUs answer\n"));
    }

    /// Any value shows that it answers.
    void oneSignalIsEnough() {
        HandMade cluster = counted({4});
        cluster.set(Signal::gpuTemperature, {"a", 1, {}}, 10, 20, none);
        cluster.flat(Signal::xid, {"a", 1, {}}, 0);
        QCOMPARE(missing(cluster), QByteArray());
    }

    /// As many as on most nodes, the smaller number where two are as frequent; the plan may ask for more, and
    /// the policy goes before both.
    void tooFewGpus() {
        QCOMPARE(missing(counted({8, 8, 7})),
                 QByteArray("missing_gpu c 7 [0,20)x0 0..1140 before lasts: 7 of 8 GPUs answer\n"));
        QCOMPARE(missing(counted({8, 8, 6})),
                 QByteArray("missing_gpu c [0,20)x0 0..1140 before lasts: 6 of 8 GPUs answer\n"));
        QCOMPARE(missing(counted({8, 6})), QByteArray());
        QCOMPARE(missing(counted({8, 6}), 0, 7),
                 QByteArray("missing_gpu b 6 [0,20)x0 0..1140 before lasts: 6 of 7 GPUs answer\n"));
        QCOMPARE(missing(counted({8, 8, 6}), 0, 4).count("of 8"), 1);
        QCOMPARE(missing(counted({8, 8, 6}), 4), QByteArray());
        QCOMPARE(missing(counted({8, 8, 6}), 1), QByteArray());
        HandMade hole = counted({4, 4, 2});
        hole.flat(Signal::gpuTemperature, {"c", 3, {}}, 60); // 0, 1, 3
        QCOMPARE(missing(hole),
                 QByteArray("missing_gpu c 2 [0,20)x0 0..1140 before lasts: 3 of 4 GPUs answer\n"));
    }

    /// Where most nodes have fewer, the expectation is what is wrong; half of them are not most.
    void theExpectationMayBeWrong() {
        QCOMPARE(missing(counted({4, 4, 8}), 8),
                 QByteArray("missing_gpu job [0,20)x0 0..1140 before lasts: 2 of 3 "
                            "nodes show fewer GPUs than the 8 expected\n"));
        QCOMPARE(missing(counted({4, 8}), 8).count("4 of 8"), 1);
        HandMade more = counted({4, 4, 8});
        more.flat(Signal::hostMemoryAvailable, {"d", -1, {}}, 1e12); // a node without any is not known
        QCOMPARE(missing(more, 8).count("2 of 3 nodes"), 1);
    }

    void sentinelsAreToldByHost() {
        HandMade cluster = counted({1, 1});
        const double start = handMadeStart;
        cluster.observation.blanks = {{Signal::tensorActive, {"b", 0, {}}, start + 240, start + 300},
                                      {Signal::tensorActive, {"b", 1, {}}, start + 180, start + 240},
                                      {Signal::smActive, {"b", 0, {}}, start + 290, start + 391},
                                      {Signal::smActive, {"a", 0, {}}, start - 500, start + 29},
                                      {Signal::smActive, {"c", 0, {}}, start + 1110, start + 9000}};
        QCOMPARE(blanks(cluster),
                 QByteArray(
                     "blank_values a [0,1)x0 0..0 before: sentinels instead of values in 1 metric\n"
                     "blank_values b [3,8)x0 180..420: sentinels instead of values in 2 metrics\n"
                     "blank_values c [19,20)x0 1140..1140 lasts: sentinels instead of values in 1 metric\n"));
    }

    void profilersThatHoldTheCounters() {
        HandMade cluster = profiled();
        blank(cluster, "b", 8, 14);
        QCOMPARE(blanks(cluster),
                 QByteArray("blank_values b [8,14)x6 480..780: clocks and temperatures are there, "
                            "none of 2 profiling metrics is\n"));
        blank(cluster, "b", 14, 20);
        QVERIFY(blanks(cluster).startsWith("blank_values b [8,20)x12 480..1140 lasts"));
        cluster.observation.blanks = {{Signal::smActive, {"b", 0, {}}, handMadeStart, handMadeStart}};
        QVERIFY(!blanks(cluster).contains("clocks")); // told already
    }

    void oneMetricAloneIsNoProfiler() {
        HandMade cluster = profiled();
        blank(cluster, "b", 8, 14);
        cluster.set(Signal::pcieReceive, {"b", 0, {}}, 8, 14, 1e9); // one of two has values
        QCOMPARE(blanks(cluster), QByteArray());
        HandMade one(20);
        for (const char* host : {"a", "b"})
            one.flat(Signal::smClock, {host, 0, {}}, 1e9).flat(Signal::tensorActive, {host, 0, {}}, 0.5);
        one.set(Signal::tensorActive, {"b", 0, {}}, 8, 14, none);
        QCOMPARE(blanks(one), QByteArray());
    }

    /// If it is blank on most of the others, it is of the server.
    void blankEverywhereIsNoFaultOfAHost() {
        HandMade cluster = profiled();
        blank(cluster, "a", 8, 14);
        blank(cluster, "b", 8, 14);
        QCOMPARE(blanks(cluster).count('\n'), 2); // half of the others have values
        blank(cluster, "c", 8, 14);
        QCOMPARE(blanks(cluster), QByteArray());
        HandMade single(20); // one host has no others
        single.flat(Signal::smClock, {"a", 0, {}}, 1e9).flat(Signal::tensorActive, {"a", 0, {}}, 0.5);
        single.flat(Signal::dramActive, {"a", 0, {}}, 0.5);
        for (const Signal signal : {Signal::tensorActive, Signal::dramActive})
            single.set(signal, {"a", 0, {}}, 8, 14, none);
        QVERIFY(blanks(single).startsWith("blank_values a [8,14)x6"));
        single.set(Signal::smClock, {"a", 0, {}}, 8, 14, none); // nor clocks: the host is silent
        single.flat(Signal::loss, {}, 2);
        QCOMPARE(blanks(single), QByteArray());
    }
};

QTEST_APPLESS_MAIN(TestMissingValues)

} // namespace tst_missing_values

#include "tst_missing_values.moc"
