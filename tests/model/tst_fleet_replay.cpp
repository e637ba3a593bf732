// SPDX-License-Identifier: GPL-3.0-or-later
// Traces played on replicas whose number is given by hand: which replica gets a request, what its prefix
// cache holds, where copies are, and what is said of a replay that was cut.
#include "model/fleet/fleet_replay.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace tst_fleet_replay {

using namespace alidade;
using namespace alidade::test;

namespace {

/// A service with so many replicas in each hour of a period.
PlacedService placedOn(std::vector<int> serving, const char* edit = "") {
    PlacedService out;
    out.service = 3;
    out.option.spec = edited(smallServing(), editOf(edit));
    out.option.plan.step = 3600;
    out.option.plan.serving = std::move(serving);
    out.peakRate = 0.01;
    return out;
}

/// Requests of 500 + 20 tokens.
RequestTrace traceAt(const std::vector<double>& times) {
    RequestTrace out;
    for (const double time : times)
        out.requests.push_back({.time = time, .input = 500, .output = 20});
    return out;
}

/// The same with one prompt for each letter: 8 blocks of 50 tokens, so that 400 of 500 are spared by a cache.
RequestTrace promptsAt(const std::vector<double>& times, const char* prompts) {
    RequestTrace out = traceAt(times);
    out.blockTokens = 50;
    for (TraceRequest& each : out.requests) {
        each.firstBlock = static_cast<std::uint32_t>(out.blocks.size());
        each.blocks = 8;
        for (int i = 0; i < 8; ++i)
            out.blocks.push_back(static_cast<std::uint32_t>((*prompts - 'A') * 8 + i));
        ++prompts;
    }
    return out;
}

ServiceReplay played(const RequestTrace& trace, const PlacedService& placed,
                     const ReplayOptions& options = {}, const std::stop_token& stop = {},
                     const std::function<void(double)>& progress = {}) {
    const auto out =
        replayTrace(trace, placed, sharedCatalog(), sharedCatalog().defaultProfile, options, stop, progress);
    return out ? *out : ServiceReplay{};
}

} // namespace

class TestFleetReplay : public QObject {
    Q_OBJECT

private slots:
    void replicasOfTheHours_data() {
        QTest::addColumn<std::vector<double>>("times");
        QTest::addColumn<double>("hour"); // of a Monday; below 0: not known
        QTest::addColumn<int>("least");
        QTest::addColumn<int>("most");
        using Times = std::vector<double>;
        QTest::newRow("within the first hour") << Times{0, 3599} << -1.0 << 1 << 1;
        QTest::newRow("until the second") << Times{0, 3600} << -1.0 << 1 << 2;
        QTest::newRow("from 5:00 on") << Times{0, 7200} << 5.0 << 6 << 8;
        QTest::newRow("from 5:30 on") << Times{0, 1800} << 5.5 << 6 << 7;
        QTest::newRow("over midnight") << Times{0, 3600} << 23.0 << 1 << 24;
        QTest::newRow("a day on") << Times{0, 86'400} << 7.0 << 8 << 8;
    }
    void replicasOfTheHours() {
        QFETCH(std::vector<double>, times);
        QFETCH(double, hour);
        QFETCH(int, least);
        QFETCH(int, most);
        std::vector<int> serving;
        for (int i = 1; i <= 24; ++i)
            serving.push_back(i);
        RequestTrace trace = traceAt(times);
        if (hour >= 0)
            trace.start = 4 * 86'400 + hour * 3600;
        const ServiceReplay out = played(trace, placedOn(serving));
        QCOMPARE(out.leastReplicas, least);
        QCOMPARE(out.mostReplicas, most);
        QCOMPARE(out.service, std::size_t{3});
        QCOMPARE(out.seconds, times.back());
        QVERIFY(out.complete && out.requests == times.size());
    }

    void atLeastOneReplica() {
        const ServiceReplay out = played(traceAt({0, 10}), placedOn({0, 0}));
        QVERIFY(out.leastReplicas == 1 && out.mostReplicas == 1 && out.requests == 2);
    }

    /// How many of the prompts are in the cache of the replica that gets them.
    void hits_data() {
        QTest::addColumn<int>("routing");
        QTest::addColumn<std::vector<int>>("serving");
        QTest::addColumn<std::vector<double>>("times");
        QTest::addColumn<QByteArray>("prompts");
        QTest::addColumn<int>("hits");
        using Times = std::vector<double>;
        using Counts = std::vector<int>;
        const auto row = [](const char* name, Routing routing, Counts serving, Times times,
                            const char* prompts, int hits) {
            QTest::newRow(name) << static_cast<int>(routing) << serving << times << QByteArray(prompts)
                                << hits;
        };
        const Times apart{0, 100, 200, 300}, together{0, 0, 0, 0};
        // Of idle replicas the first is taken; in turns there is a second one to warm.
        row("the least loaded, apart", Routing::leastLoaded, {2}, apart, "AAAA", 3);
        row("in turns, apart", Routing::roundRobin, {2}, apart, "AAAA", 2);
        row("three in turns", Routing::roundRobin, {3}, apart, "AAAA", 1);
        row("in turns, two prompts", Routing::roundRobin, {2}, apart, "ABAB", 2);
        row("in turns, never the same", Routing::roundRobin, {2}, apart, "ABBA", 0);
        row("the least loaded, together", Routing::leastLoaded, {2}, together, "AAAA", 2);
        row("the least loaded of three", Routing::leastLoaded, {3}, together, "AAAA", 1);
        row("to the prefix, together", Routing::prefixAware, {2}, together, "AAAA", 3);
        // B goes to the second, idle replica; both prompts stay where they are.
        row("each to its prefix", Routing::prefixAware, {2}, together, "ABBA", 2);
        // Of 5 on one replica the mean is 2.5 and the most 1.5 x 2.5 + 1 = 4.75: the sixth goes elsewhere;
        // with 4 the most is 4. The seventh finds 5 and 1 open, at most 5.5, and stays with the least loaded,
        // which holds as much.
        row("five are not too many", Routing::prefixAware, {2}, {0, 0, 0, 0, 0}, "AAAAA", 4);
        row("the sixth is", Routing::prefixAware, {2}, {0, 0, 0, 0, 0, 0}, "AAAAAA", 4);
        row("and the seventh follows it", Routing::prefixAware, {2}, {0, 0, 0, 0, 0, 0, 0}, "AAAAAAA", 5);
        // Of three replicas: 1.5 x 3 / 3 + 1 = 2.5 for the fourth, which has 3 open on the first.
        row("the fourth of three replicas", Routing::prefixAware, {3}, together, "AAAA", 2);
        // In the third hour the second replica is started again: only the first holds the prompt.
        row("started again", Routing::roundRobin, {2, 1, 2}, {0, 100, 3700, 7300, 7400}, "AAAAA", 2);
        row("kept", Routing::roundRobin, {2, 2, 2}, {0, 100, 3700, 7300, 7400}, "AAAAA", 3);
    }
    void hits() {
        QFETCH(int, routing);
        QFETCH(std::vector<int>, serving);
        QFETCH(std::vector<double>, times);
        QFETCH(QByteArray, prompts);
        QFETCH(int, hits);
        ReplayOptions options;
        options.routing = static_cast<Routing>(routing);
        const ServiceReplay out =
            played(promptsAt(times, prompts.constData()), placedOn(std::move(serving)), options);
        QCOMPARE(out.prefixHit, hits * 400.0 / (500 * static_cast<double>(times.size())));
        QVERIFY(out.complete);
    }

    void aCacheOfOnePrompt() {
        ReplayOptions options;
        options.prefixCacheTokens = 400; // 8 blocks
        const RequestTrace trace = promptsAt({0, 100, 200, 300}, "AABA");
        QCOMPARE(played(trace, placedOn({1}), options).prefixHit, 400.0 / 2000);
        options.prefixCacheTokens = 800;
        QCOMPARE(played(trace, placedOn({1}), options).prefixHit, 800.0 / 2000);
    }

    /// Copies have prompts of their own, which they share as their originals do.
    void promptsOfCopies() {
        ReplayOptions options;
        options.scale = 2;
        const ServiceReplay two = played(promptsAt({0, 1000}, "AA"), placedOn({1}), options);
        QCOMPARE(two.requests, std::uint64_t{4});
        QCOMPARE(two.prefixHit, 2 * 400.0 / 2000);
        QCOMPARE(played(promptsAt({0, 1000}, "AB"), placedOn({1}), options).prefixHit, 0.0);
    }

    /// A copy is up to 60 s earlier or later. Of 400 copies of requests 30 s after an hour a quarter are
    /// before the hour, 100 with a standard deviation of sqrt(400 x 1/4 x 3/4) = 8.7.
    void timesOfCopies() {
        ReplayOptions options;
        options.scale = 2;
        const ServiceReplay out = played(traceAt(std::vector<double>(400, 3630)), placedOn({8}), options);
        QCOMPARE(out.requests, std::uint64_t{800});
        QCOMPARE(out.hours.size(), std::size_t{2});
        QVERIFY(out.hours[0].requests >= 70 && out.hours[0].requests <= 130);
        QCOMPARE(out.hours[0].requests + out.hours[1].requests, std::uint64_t{800});
        QVERIFY(out.seconds > 3685 && out.seconds <= 3690); // the last of 400
    }

    void partsOfATrace_data() {
        QTest::addColumn<double>("scale");
        QTest::addColumn<std::uint64_t>("most");
        QTest::addColumn<std::uint64_t>("requests");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<bool>("complete");
        const auto row = [](const char* name, double scale, std::uint64_t most, std::uint64_t requests,
                            double seconds, bool complete) {
            QTest::newRow(name) << scale << most << requests << seconds << complete;
        };
        // Of requests at 0, 100, 200, 300 and 400 s.
        row("all", 1, 5, 5, 400, true);
        row("cut", 1, 4, 4, 300, false);
        row("one", 1, 1, 1, 0, false);
        row("every other one", 0.5, 100, 2, 300, true); // the last one would be half a request
        row("every other one, cut", 0.5, 1, 1, 100, false);
        row("every fifth", 0.2, 1, 1, 400, true);
        row("four of five", 0.8, 100, 4, 400, true); // due at 1.6, 1.4, 1.2 and 1
        row("too few for one", 0.1, 100, 0, 0, true);
    }
    void partsOfATrace() {
        QFETCH(double, scale);
        QFETCH(std::uint64_t, most);
        QFETCH(std::uint64_t, requests);
        QFETCH(double, seconds);
        QFETCH(bool, complete);
        ReplayOptions options;
        options.scale = scale;
        options.requests = most;
        const ServiceReplay out = played(traceAt({0, 100, 200, 300, 400}), placedOn({1}), options);
        QCOMPARE(out.requests, requests);
        QCOMPARE(out.seconds, seconds);
        QCOMPARE(out.complete, complete);
        QCOMPARE(out.hours.size(), std::size_t{requests > 0 ? 1U : 0U});
    }

    /// The last to arrive may be a copy of an earlier request.
    void completeWithCopies() {
        ReplayOptions options;
        options.scale = 8;
        const ServiceReplay out = played(traceAt({0, 1, 2, 3, 4, 5}), placedOn({4}), options);
        QVERIFY(out.requests == 48 && out.complete);
        options.requests = 47;
        const ServiceReplay cut = played(traceAt({0, 1, 2, 3, 4, 5}), placedOn({4}), options);
        QVERIFY(cut.requests == 47 && !cut.complete);
    }

    void stoppedAtOnce() {
        std::stop_source stop;
        stop.request_stop();
        const ServiceReplay out =
            played(traceAt({5, 10}), placedOn({2}, "workload.ttft_slo_s=5"), {}, stop.get_token());
        QVERIFY(!out.complete && out.requests == 0 && out.hours.empty() && out.meetsTargets);
        QVERIFY(out.seconds == 0 && out.ttftAtTarget == 0 && out.itlAtTarget == 0 && out.prefixHit == 0);
        QVERIFY(out.leastReplicas == 0 && out.mostReplicas == 0 && out.onTime == 1);
    }

    void looksAtProgress() {
        std::vector<double> times, shown;
        for (int i = 0; i < 640; ++i)
            times.push_back(i);
        const ServiceReplay out =
            played(traceAt(times), placedOn({4}), {}, {}, [&](double share) { shown.push_back(share); });
        QCOMPARE(out.requests, std::uint64_t{640});
        QVERIFY((shown == std::vector<double>{0, 0.4, 0.8})); // 256 and 512 of 640
    }

    /// 100 requests that never meet, and three long prompts at once in the second hour: of 19 gaps each
    /// fewer than 3 % are slower than the usual ones.
    void slowMoments() {
        std::vector<double> times;
        for (int i = 0; i < 100; ++i)
            times.push_back(36.0 * i); // up to 3,564 s
        times.insert(times.end(), 3, 3700);
        RequestTrace trace = traceAt(times);
        for (std::size_t i = 100; i < 103; ++i)
            trace.requests[i].input = 8000;
        const ServiceReplay out = played(trace, placedOn({1}));
        QVERIFY(std::abs(out.itl.p90 / out.itl.p50 - 1) < 0.05);
        QVERIFY(std::abs(out.itl.p95 / out.itl.p50 - 1) < 0.05);
        QVERIFY(std::abs(out.ttft.p95 / out.ttft.p50 - 1) < 1e-6 && out.ttft.p99 > 1.5 * out.ttft.p50);
        QCOMPARE(out.hours.size(), std::size_t{2});
        QVERIFY(out.hours[1].ttft > out.hours[0].ttft && out.hours[1].itl > out.hours[0].itl);
        QVERIFY(out.hours[0].onTime == 1 && out.hours[1].onTime == 1); // without a target

        // With a target just above the usual time the 100 are on time, the three are not.
        const std::string target = "workload.ttft_slo_s=" + std::to_string(out.hours[0].ttft * 1.001);
        const ServiceReplay judged = played(trace, placedOn({1}, target.c_str()));
        QCOMPARE(judged.onTime, 100.0 / 103);
        QVERIFY(judged.hours[0].onTime == 1 && judged.hours[1].onTime == 0);
        QVERIFY(judged.meetsTargets); // at the 90th percentile
        const std::string tight = "workload.ttft_slo_s=" + std::to_string(out.hours[0].ttft * 0.999);
        const ServiceReplay late = played(trace, placedOn({1}, tight.c_str()));
        QVERIFY(!late.meetsTargets && late.onTime == 0);
    }

    void targetsOfGaps() {
        const RequestTrace trace = traceAt({0, 100, 200});
        const double gap = played(trace, placedOn({1})).itl.p90;
        QVERIFY(gap > 0);
        const auto meets = [&](double share) {
            const std::string target = "workload.itl_slo_s=" + std::to_string(share * gap);
            return played(trace, placedOn({1}, target.c_str())).meetsTargets;
        };
        QVERIFY(meets(1.05));
        QVERIFY(!meets(0.95));
    }

    void whatIsNotPlayed() {
        const auto plays = [](const RequestTrace& trace, const PlacedService& placed) {
            return replayTrace(trace, placed, sharedCatalog(), sharedCatalog().defaultProfile, {})
                .has_value();
        };
        const RequestTrace trace = traceAt({0});
        QVERIFY(plays(trace, placedOn({1})));
        QVERIFY(!plays({}, placedOn({1})));
        QVERIFY(!plays(trace, placedOn({1}, "workload.samples=2")));
        QVERIFY(!plays(trace, placedOn({1}, "workload.model=entirely-else")));
    }
};

QTEST_APPLESS_MAIN(TestFleetReplay)

} // namespace tst_fleet_replay

#include "tst_fleet_replay.moc"
