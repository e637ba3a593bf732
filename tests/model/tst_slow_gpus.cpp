// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes and GPUs that are slower than the others of a job: how much, for how long, and why.
#include "model/observation/plan_actual.h"
#include "tests/model/hand_made_cluster.h"

#include <QTest>

#include <cmath>

namespace tst_slow_gpus {

using namespace alidade;
using namespace alidade::tests;

namespace {

Entity node(const char* host) { return {host, -1, {}}; }

QByteArray stragglers(const HandMade& cluster, const HealthLimits& limits = {}) {
    Detection detection(cluster);
    detection.limits = limits;
    return told(detection.found(findStragglers));
}
QByteArray throttled(const HandMade& cluster, const HealthLimits& limits = {}) {
    Detection detection(cluster);
    detection.limits = limits;
    return told(detection.found(findThrottling));
}

/// Three nodes that tell the compute time of their steps, 1 s.
HandMade computing(double step = 60, std::size_t points = 30) {
    HandMade out(points, step);
    for (const char* host : {"a", "b", "c"})
        out.flat(Signal::nodeComputeTime, node(host), 1);
    return out;
}
HandMade slow(std::size_t begin, std::size_t end, double time, double step = 60) {
    return computing(step).set(Signal::nodeComputeTime, node("c"), begin, end, time);
}

/// Three nodes of three GPUs: 1,500 MHz, 60 degrees.
HandMade clocked(double step = 60) {
    HandMade out(30, step);
    for (const char* host : {"a", "b", "c"}) {
        for (int gpu = 0; gpu < 3; ++gpu) {
            out.flat(Signal::smClock, {host, gpu, {}}, 1500e6);
            out.flat(Signal::gpuTemperature, {host, gpu, {}}, 60);
        }
    }
    return out;
}
HandMade lowered(double clock, std::size_t begin = 10, std::size_t end = 20, double step = 60) {
    return clocked(step).set(Signal::smClock, {"c", 1, {}}, begin, end, clock);
}
void heat(HandMade& cluster, double share, std::size_t begin, std::size_t end,
          const Entity& where = {"c", 1, {}}) {
    for (const char* host : {"a", "b", "c"})
        for (int gpu = 0; gpu < 3 && cluster.table(Signal::thermalViolation).rows.size() < 9; ++gpu)
            cluster.flat(Signal::thermalViolation, {host, gpu, {}}, 0);
    cluster.set(Signal::thermalViolation, where, begin, end, share);
}

} // namespace

/// Stragglers, heat, power and low clocks.
class TestSlowGpus : public QObject {
    Q_OBJECT

private slots:
    void aNodeIsSlowerThanTheMedian() {
        QCOMPARE(stragglers(slow(10, 20, 1.3)),
                 QByteArray("straggler c [10,20)x10 600..1140: own compute 1.30 × the median\n"));
        QCOMPARE(stragglers(slow(10, 20, 1.05)), QByteArray()); // not more than the limit
        QVERIFY(!stragglers(slow(10, 20, 1.06)).isEmpty());
        HealthLimits limits;
        limits.stragglerTime = 1.4;
        QCOMPARE(stragglers(slow(10, 20, 1.3), limits), QByteArray());
        HandMade alone(30);
        alone.flat(Signal::nodeComputeTime, node("a"), 1).set(Signal::nodeComputeTime, node("a"), 10, 20, 2);
        QCOMPARE(stragglers(alone), QByteArray());
    }

    /// At least a minute, and three points, two of a coarse grid.
    void slownessLastsAMinute() {
        QCOMPARE(stragglers(slow(10, 12, 1.3)), QByteArray());
        QVERIFY(!stragglers(slow(10, 13, 1.3)).isEmpty());
        QCOMPARE(stragglers(slow(10, 12, 1.3, 119)), QByteArray());
        QVERIFY(!stragglers(slow(10, 12, 1.3, 120)).isEmpty());
        QCOMPARE(stragglers(slow(10, 11, 1.3, 120)), QByteArray());
        QCOMPARE(stragglers(slow(10, 15, 1.3, 10)), QByteArray());
        QVERIFY(!stragglers(slow(10, 16, 1.3, 10)).isEmpty());
    }

    /// Two points below the limit do not end it, three do; five minutes without values do not. On average it
    /// is above the limit.
    void shortDipsDoNotEndIt() {
        HandMade cluster = slow(10, 20, 1.3);
        cluster.set(Signal::nodeComputeTime, node("c"), 14, 16, 1);
        QVERIFY(stragglers(cluster).startsWith("straggler c [10,20)x8"));
        cluster.set(Signal::nodeComputeTime, node("c"), 14, 17, 1);
        QVERIFY(stragglers(cluster).contains("[10,14)x4") && stragglers(cluster).contains("[17,20)x3"));
        cluster.set(Signal::nodeComputeTime, node("c"), 11, 17, 1.3);
        cluster.set(Signal::nodeComputeTime, node("c"), 12, 17, none);
        QVERIFY(stragglers(cluster).startsWith("straggler c [10,20)x5"));
        cluster.set(Signal::nodeComputeTime, node("c"), 11, 17, none);
        QVERIFY(stragglers(cluster).startsWith("straggler c [17,20)x3"));
        HandMade coarse = slow(10, 20, 1.3, 120);
        coarse.set(Signal::nodeComputeTime, node("c"), 14, 15, 1);
        QVERIFY(stragglers(coarse).startsWith("straggler c [10,20)x9"));
        coarse.set(Signal::nodeComputeTime, node("c"), 14, 16, 1);
        QCOMPARE(stragglers(coarse).count('\n'), 2);
        HandMade hardly = slow(10, 15, 1.06); // 1.06 1.06 0.9 0.9 1.06: 0.996 in the mean
        hardly.set(Signal::nodeComputeTime, node("c"), 12, 14, 0.9);
        QCOMPARE(stragglers(hardly), QByteArray());
    }

    /// A GPU's clock gives it away by 3 % of the usual one, else its temperature by 10 degrees.
    void theGpuThatIsWhy() {
        const auto who = [](double clock, double temperature) {
            HandMade cluster = clocked();
            for (const char* host : {"a", "b", "c"})
                cluster.flat(Signal::nodeComputeTime, node(host), host[0] == 'c' ? 1.3 : 1);
            cluster.set(Signal::smClock, {"c", 1, {}}, 0, 30, clock);
            cluster.set(Signal::gpuTemperature, {"c", 2, {}}, 0, 30, temperature);
            return stragglers(cluster);
        };
        QCOMPARE(who(1454e6, 60),
                 QByteArray("straggler c 1 [0,30)x30 0..1740 before lasts: 1,454 MHz; 60 °C; own "
                            "compute 1.30 × the median\n"));
        QVERIFY(who(1456e6, 70.4).startsWith("straggler c 2 "));
        QVERIFY(who(1456e6, 70.4).contains(": 1,500 MHz; 70 °C; own"));
        QVERIFY(who(1456e6, 70).startsWith("straggler c [") &&
                who(1456e6, 70).contains(": 1,456 MHz; 70 °C; own"));
        QVERIFY(who(1454e6, 90).startsWith("straggler c 1 ")); // the clock goes first
        HandMade first = clocked();
        for (const char* host : {"a", "b", "c"})
            first.flat(Signal::nodeComputeTime, node(host), host[0] == 'c' ? 1.3 : 1);
        first.set(Signal::smClock, {"c", 0, {}}, 0, 30, 1400e6);
        QVERIFY(stragglers(first).startsWith("straggler c 0 "));
        first.set(Signal::smClock, {"c", 0, {}}, 0, 30, 1500e6)
            .set(Signal::gpuTemperature, {"c", 0, {}}, 0, 30, 80);
        QVERIFY(stragglers(first).startsWith("straggler c 0 "));
    }

    /// A mean violation of more than a thousandth of the time is no rounding; any, where only its sign is
    /// known.
    void violationsAreFacts() {
        const auto said = [](double share, bool sign) {
            HandMade cluster = slow(0, 30, 1.3);
            cluster.flat(Signal::thermalViolation, {"c", 0, {}}, share);
            cluster.table(Signal::thermalViolation).signOnly = sign;
            return stragglers(cluster).contains("thermal violation");
        };
        QVERIFY(!said(0.00099, false) && said(0.0011, false));
        QVERIFY(!said(0, true) && said(1e-9, true));
    }

    /// Without times of nodes: the time that the slowest GPU takes, at 1 / clock, or the work that is
    /// missing.
    void nodesByTheirClocks() {
        QCOMPARE(stragglers(lowered(1200e6)),
                 QByteArray(
                     "straggler c 1 [10,20)x10 600..1140: 1,200 MHz; 60 °C; work takes 1.25 × the median\n"));
        QCOMPARE(stragglers(lowered(1350.1e6)), QByteArray()); // nine tenths
        QVERIFY(!stragglers(lowered(1349e6)).isEmpty());
    }

    /// Heat is told of each GPU, with its share of the time.
    void heatOfAGpu() {
        HandMade cluster = clocked();
        heat(cluster, 0.62, 10, 20);
        QCOMPARE(throttled(cluster), QByteArray("thermal c 1 [10,20)x10 600..1140: 1,500 MHz; 60 °C; thermal "
                                                "violation; throttled 62 % of the time\n"));
        cluster.table(Signal::thermalViolation).signOnly = true;
        QVERIFY(throttled(cluster).endsWith("thermal violation\n"));
        HandMade little = clocked();
        heat(little, 0.001, 10, 20);
        QCOMPARE(throttled(little), QByteArray());
        heat(little, 0.0011, 10, 20);
        QVERIFY(throttled(little).endsWith("throttled 0.11 % of the time\n"));
        heat(little, 1.5, 10, 20);
        QVERIFY(throttled(little).endsWith("throttled 100 % of the time\n"));
    }

    /// More than a quarter of the GPUs, and more than two, are a matter of the room.
    void heatOfTheRoom() {
        HandMade cluster = clocked(); // nine GPUs
        heat(cluster, 0.5, 12, 20, {"a", 0, {}});
        heat(cluster, 0.5, 10, 15, {"b", 1, {}});
        QCOMPARE(throttled(cluster).count('\n'), 2);
        heat(cluster, 0.5, 11, 30, {"c", 2, {}});
        QCOMPARE(throttled(cluster),
                 QByteArray("thermal job [10,30)x8 600..1740 lasts: 3 GPUs of 9 lower their clocks\n"));
        // Three of twelve are a quarter.
        for (int gpu = 0; gpu < 3; ++gpu)
            cluster.flat(Signal::thermalViolation, {"d", gpu, {}}, 0)
                .flat(Signal::smClock, {"d", gpu, {}}, 1500e6);
        QCOMPARE(throttled(cluster).count('\n'), 3);
    }

    /// A clock below nine tenths of the job's is hot at 83 degrees, else limited by power, else slow.
    void lowClocks() {
        QCOMPARE(
            throttled(lowered(1200e6)),
            QByteArray(
                "straggler c 1 [10,20)x10 600..1140: 1,200 MHz; 60 °C; SM clock 80 % of the job's median\n"));
        QCOMPARE(throttled(lowered(1350.1e6)), QByteArray());
        QVERIFY(!throttled(lowered(1349e6)).isEmpty());
        HealthLimits limits;
        limits.stragglerClock = 0.8;
        QCOMPARE(throttled(lowered(1210e6), limits), QByteArray());
        HandMade warm = lowered(1200e6);
        warm.set(Signal::gpuTemperature, {"c", 1, {}}, 10, 20, 82.9);
        QVERIFY(throttled(warm).startsWith("straggler c 1"));
        warm.set(Signal::gpuTemperature, {"c", 1, {}}, 10, 20, 83);
        QVERIFY(throttled(warm).startsWith("thermal c 1 [10,20)x10 600..1140: 1,200 MHz; 83 °C; SM clock"));
    }

    /// A power limit that is reached at least twice as often as usual, by more than a thousandth.
    void clocksThatPowerLimits() {
        const auto kind = [](double usual, double mine) {
            HandMade cluster = lowered(1200e6);
            for (const char* host : {"a", "b", "c"})
                for (int gpu = 0; gpu < 3; ++gpu)
                    cluster.flat(Signal::powerViolation, {host, gpu, {}},
                                 host[0] == 'c' && gpu == 1 ? mine : usual);
            return throttled(cluster);
        };
        QCOMPARE(kind(0, 0.3),
                 QByteArray("power c 1 [10,20)x10 600..1140: 1,200 MHz; 60 °C; SM clock 80 % of the "
                            "job's median; power limit 30 % of the time\n"));
        QVERIFY(kind(0, 0.00101).startsWith("power"));
        QVERIFY(kind(0, 0.0009).startsWith("straggler"));
        QVERIFY(kind(0.1, 0.2).startsWith("straggler"));
        QVERIFY(kind(0.1, 0.202).startsWith("power"));
        QVERIFY(kind(0, 1.2).contains("power limit 100 % of the time"));
    }

    /// What a GPU's heat explains is not told twice: up to five minutes apart, of the same GPU, or of the
    /// room.
    void heatExplainsALowClock() {
        const auto told = [](std::size_t begin, std::size_t end, const Entity& where) {
            HandMade cluster = lowered(1200e6, 12, 18);
            heat(cluster, 0.5, begin, end, where);
            return throttled(cluster).count('\n');
        };
        QCOMPARE(told(3, 7, {"c", 1, {}}), 1);
        QCOMPARE(told(2, 6, {"c", 1, {}}), 2);
        QCOMPARE(told(23, 28, {"c", 1, {}}), 1);
        QCOMPARE(told(24, 28, {"c", 1, {}}), 2);
        QCOMPARE(told(12, 18, {"c", 2, {}}), 2);
        HandMade room = lowered(1200e6, 12, 18);
        for (int gpu = 0; gpu < 3; ++gpu)
            heat(room, 0.5, 12, 18, {"a", gpu, {}});
        QVERIFY2(throttled(room).startsWith("thermal job") && throttled(room).count('\n') == 1,
                 throttled(room));
    }

    /// While the job stands or idles clocks say nothing.
    void clocksOfAJobThatWorks() {
        HandMade cluster = lowered(1200e6);
        for (const char* host : {"a", "b", "c"})
            for (int gpu = 0; gpu < 3; ++gpu) {
                cluster.flat(Signal::tensorActive, {host, gpu, {}}, 0.5);
                cluster.set(Signal::tensorActive, {host, gpu, {}}, 10, 20, 0.16);
            }
        QVERIFY(!throttled(cluster).isEmpty());
        for (const char* host : {"a", "b", "c"})
            for (int gpu = 0; gpu < 3; ++gpu)
                cluster.set(Signal::tensorActive, {host, gpu, {}}, 10, 20,
                            0.149); // less than 0.3 of the usual
        QCOMPARE(throttled(cluster), QByteArray());
        const HandMade low = lowered(1200e6);
        Detection standing(low);
        std::fill(standing.job.stopped.begin() + 10, standing.job.stopped.begin() + 20, Sign::yes);
        QCOMPARE(told(standing.found(findThrottling)), QByteArray());
        QCOMPARE(told(standing.found(findStragglers)), QByteArray());
    }

    /// A stop of the job does not end a slowness that goes on after it: eight minutes are bridged with the
    /// stop.
    void aStopIsBridged() {
        HandMade cluster = slow(5, 25, 1.3);
        cluster.set(Signal::nodeComputeTime, node("c"), 10, 18, none);
        QCOMPARE(stragglers(cluster).count('\n'), 2);
        Detection detection(cluster);
        JobStop stop;
        stop.span = {12, 15, 3};
        detection.job.stops = {stop};
        QVERIFY(told(detection.found(findStragglers)).startsWith("straggler c [5,25)x12"));
        detection.job.stops.front().span = {12, 14, 2};
        QCOMPARE(told(detection.found(findStragglers)).count('\n'), 2);
    }

    /// Rows of the map: own times over the median, at most three times; else clocks and tensor work.
    void rowsOfTheMap() {
        HandMade cluster = slow(1, 2, 1.3);
        cluster.set(Signal::nodeComputeTime, node("a"), 2, 3, 0.5)
            .set(Signal::nodeComputeTime, node("c"), 3, 4, 7);
        cluster.set(Signal::nodeComputeTime, node("c"), 4, 5, none)
            .set(Signal::nodeComputeTime, node("c"), 5, 6, 0);
        cluster.set(Signal::nodeComputeTime, node("a"), 5, 6, 0); // no time is none of the median
        cluster.observation.hosts = {"a", "b", "c", "x"};
        const NodeMap map = relativeNodeTimes(cluster.observation);
        QCOMPARE(map.title, std::string("own compute time of each node, relative to the job's median"));
        QCOMPARE(map.hosts, cluster.observation.hosts);
        QCOMPARE(map.values.size(), std::size_t{4 * 30});
        const auto row = [](const NodeMap& of, std::size_t host) {
            QByteArray out;
            for (std::size_t i = 0; i < 6; ++i)
                out += QByteArray::number(of.values[host * 30 + i]) + (i < 5 ? " " : "");
            return out;
        };
        QCOMPARE(row(map, 0), QByteArray("1 1 0.5 1 1 nan"));
        QCOMPARE(row(map, 1), QByteArray("1 1 1 1 1 1"));
        QCOMPARE(row(map, 2), QByteArray("1 1.3 1 3 nan nan"));
        QCOMPARE(row(map, 3), QByteArray("nan nan nan nan nan nan"));
        const std::vector<std::uint8_t> silent(map.noData.begin() + 60, map.noData.begin() + 66);
        QCOMPARE(silent, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0}));
        QCOMPARE(map.noData[90], std::uint8_t{1}); // x has no data at all

        HandMade clocks = clocked();
        for (const char* host : {"a", "b", "c"})
            for (int gpu = 0; gpu < 3; ++gpu)
                clocks.flat(Signal::tensorActive, {host, gpu, {}}, 0.5);
        clocks.set(Signal::smClock, {"c", 1, {}}, 1, 2,
                   1200e6); // 1,500 / 1,200; the work is less by 1 / 0.93
        for (int gpu = 0; gpu < 3; ++gpu) {
            clocks.set(Signal::tensorActive, {"c", gpu, {}}, 2, 3, 0.25);
            clocks.set(Signal::tensorActive, {"b", gpu, {}}, 3, 4, 0.8); // more work is not slow
            clocks.set(Signal::tensorActive, {"a", gpu, {}}, 4, 5, 0.1);
        }
        for (int gpu = 0; gpu < 3;
             ++gpu) { // a higher clock does not help who works less: 0.25 x 2,000 of 0.5 x 1,500
            clocks.set(Signal::smClock, {"c", gpu, {}}, 5, 6, 2000e6);
            clocks.set(Signal::tensorActive, {"c", gpu, {}}, 5, 6, 0.25);
        }
        clocks.observation.hosts = {"a", "b", "c"};
        const NodeMap byClocks = relativeNodeTimes(clocks.observation);
        QVERIFY(byClocks.title.starts_with("time of each node for the same tensor work"));
        QCOMPARE(row(byClocks, 0), QByteArray("1 1 1 1 3 1"));
        QCOMPARE(row(byClocks, 1), QByteArray("1 1 1 1 1 1"));
        QCOMPARE(row(byClocks, 2), QByteArray("1 1.25 2 1 1 1.5"));
    }
};

QTEST_APPLESS_MAIN(TestSlowGpus)

} // namespace tst_slow_gpus

#include "tst_slow_gpus.moc"
