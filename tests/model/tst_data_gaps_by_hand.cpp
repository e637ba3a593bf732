// SPDX-License-Identifier: GPL-3.0-or-later
// Times of which nothing is known, windows of a grid, and parts of an observation, value by value.
#include "model/observation/query_windows.h"
#include "model/observation/slice.h"
#include "tests/model/hand_made_cluster.h"

#include <QTest>

#include <cmath>

namespace tst_data_gaps_by_hand {

using namespace alidade;
using namespace alidade::tests;

namespace {

/// Points 10 to 14 of twenty have values of `some` of `all` rows.
DataGaps partly(int some, int all, int targets = 0, double up = 1) {
    HandMade of(20);
    for (int gpu = 0; gpu < all; ++gpu) {
        of.flat(Signal::gpuPower, {"a", gpu, {}}, 1);
        if (gpu >= some)
            of.set(Signal::gpuPower, {"a", gpu, {}}, 10, 15, none);
    }
    for (int i = 0; i < targets; ++i) {
        const Entity where{i % 2 == 0 ? "a" : "b", -1, "t" + std::to_string(i)};
        of.flat(Signal::targetUp, where, 1).set(Signal::targetUp, where, 10, 15, up);
    }
    return dataGaps(of.observation);
}

/// The last `missing` points of twenty have no values, `step` seconds each.
std::size_t gapsAtTheEnd(std::size_t missing, double step) {
    HandMade of(20, step);
    of.flat(Signal::gpuPower, {"a", 0, {}}, 1).set(Signal::gpuPower, {"a", 0, {}}, 20 - missing, 20, none);
    return dataGaps(of.observation).gaps.size();
}

} // namespace

/// What is known of the time that was observed.
class TestDataGapsByHand : public QObject {
    Q_OBJECT

private slots:
    /// A twentieth of the usual rows is next to none.
    void nextToNothing() {
        QVERIFY(partly(2, 20).gaps.empty());
        const DataGaps found = partly(1, 20);
        QCOMPARE(found.gaps.size(), std::size_t{1});
        QCOMPARE(found.gaps.front().span, (PointSpan{10, 15, 5}));
        QCOMPARE(found.gaps.front().start, handMadeStart + 540);
        QCOMPARE(found.gaps.front().end, handMadeStart + 900);
        QVERIFY(!found.gaps.front().silent && !found.gaps.front().before && !found.gaps.front().lasts);
        QVERIFY(!found.at(9) && found.at(10) && found.at(14) && !found.at(15) && !found.at(99));
        QCOMPARE(found.observedIn(8, 12), std::size_t{2});
        QCOMPARE(found.observedIn(0, 99), std::size_t{15});
        QCOMPARE(found.observedIn(12, 12), std::size_t{0});
    }

    /// Exporters that are asked and answer are seen; three or more, of two hosts, that do not are a gap.
    void exportersThatAreAsked() {
        QVERIFY(partly(0, 20, 4).gaps.empty());
        QVERIFY(partly(0, 20, 2, 0).gaps.empty());
        QVERIFY(partly(0, 20, 3, 0).gaps.front().silent);
        QVERIFY(partly(20, 20, 3, 0).gaps.front().silent); // whatever else has values
        QVERIFY(partly(0, 20, 3, 0.5).gaps.empty() && !partly(0, 20, 3, 0.49).gaps.empty());
        QVERIFY(!partly(0, 20, 3, none).gaps.front().silent);
        HandMade one(20); // of one host
        for (const char* part : {"x", "y", "z"})
            one.flat(Signal::targetUp, {"a", -1, part}, 1).set(Signal::targetUp, {"a", -1, part}, 10, 15, 0);
        one.flat(Signal::gpuPower, {"a", 0, {}}, 1);
        QVERIFY(dataGaps(one.observation).gaps.empty());
    }

    /// One of twenty that answers is next to none, two are not.
    void fewExportersAnswer() {
        const auto answering = [](int up) {
            HandMade of(20);
            of.flat(Signal::gpuPower, {"a", 0, {}}, 1);
            for (int i = 0; i < 20; ++i) {
                const Entity where{i % 2 == 0 ? "a" : "b", -1, "t" + std::to_string(i)};
                of.flat(Signal::targetUp, where, 1);
                if (i >= up)
                    of.set(Signal::targetUp, where, 10, 15, 0);
            }
            return dataGaps(of.observation).gaps.size();
        };
        QCOMPARE(answering(1), std::size_t{1});
        QCOMPARE(answering(2), std::size_t{0});
    }

    /// The newest samples of less than two minutes are on their way, unless exporters say that they are
    /// silent.
    void newestSamples() {
        QCOMPARE(gapsAtTheEnd(1, 119), std::size_t{0});
        QCOMPARE(gapsAtTheEnd(1, 120), std::size_t{1});
        QCOMPARE(gapsAtTheEnd(3, 39), std::size_t{0});
        QCOMPARE(gapsAtTheEnd(3, 40), std::size_t{1});
        HandMade of(20, 30);
        of.flat(Signal::gpuPower, {"a", 0, {}}, 1).set(Signal::gpuPower, {"a", 0, {}}, 18, 20, none);
        for (const char* host : {"a", "b", "c"})
            of.flat(Signal::targetUp, {host, -1, "x"}, 1).set(Signal::targetUp, {host, -1, "x"}, 18, 20, 0);
        const DataGaps found = dataGaps(of.observation);
        QVERIFY(found.gaps.size() == 1 && found.gaps.front().lasts && found.gaps.front().silent);
        QCOMPARE(found.gaps.front().end, handMadeStart + 19 * 30);
    }

    void nothingAtAll() {
        HandMade of(20);
        const DataGaps found = dataGaps(of.observation);
        QCOMPARE(found.gaps.size(), std::size_t{1});
        QVERIFY(found.gaps.front().before && found.gaps.front().lasts);
        QCOMPARE(found.gaps.front().start, handMadeStart);
        QCOMPARE(found.gaps.front().end, handMadeStart + 1140);
        QVERIFY(dataGaps(Observation()).gaps.empty());
    }

    void sentences() {
        const TimeGrid grid{0, 60, 100};
        DataGaps gaps;
        QCOMPARE(gapSentence(gaps, grid), std::string());
        DataGap gap;
        gap.span = {10, 30, 20};
        gaps.gaps = {gap};
        QCOMPARE(gapSentence(gaps, grid),
                 std::string("No data for 20 min: the server has no samples of it."));
        gaps.gaps.front().lasts = true;
        QCOMPARE(gapSentence(gaps, grid),
                 std::string("No data for 20 min: the server has no samples of it; it lasts."));
        gaps.gaps.front().silent = true;
        QCOMPARE(gapSentence(gaps, grid), std::string("No data for 20 min: no exporter answered; it lasts."));
        gap.span = {50, 60, 10};
        gaps.gaps.push_back(gap);
        QCOMPARE(
            gapSentence(gaps, grid),
            std::string("No data for 30 min in 2 gaps: no samples, for 20 min of it no exporter answered."));
        gaps.gaps.back().silent = true;
        QCOMPARE(gapSentence(gaps, grid), std::string("No data for 30 min in 2 gaps: no exporter answered."));
    }

    /// A few percent around the usual intervals are one of them: n samples in a window are n - 1 or n
    /// intervals.
    void usualScrapeIntervals() {
        for (const double interval : {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 180.0, 300.0}) {
            QCOMPARE(scrapeIntervalOf(40, 40 * interval), interval);
            QCOMPARE(scrapeIntervalOf(40, 39 * interval), interval);
            QCOMPARE(scrapeIntervalOf(40, 40 * interval * 1.019), interval);
            QCOMPARE(scrapeIntervalOf(40, 39 * interval / 1.019), interval);
        }
        // Between them: the middle of what it can be.
        QCOMPARE(scrapeIntervalOf(41, 41 * 15 * 1.03), 41 * 15 * 1.03 / 40.5);
        QCOMPARE(scrapeIntervalOf(41, 40 * 15 / 1.03), 40 * 15 / 1.03 / 40.5);
        QCOMPARE(scrapeIntervalOf(2, 40), 20.0); // 20 to 40 s: the shortest that fits
        QCOMPARE(scrapeIntervalOf(1.9, 40), 0.0);
    }

    void windowsOfQueries() {
        const auto are = [](const QueryWindows& each, double rate, double job, double gauge, double step) {
            return each.rate == rate && each.job == job && each.gauge == gauge && each.step == step;
        };
        QVERIFY(are(queryWindows(15, 30), 60, 120, 37.5, 30));
        QVERIFY(are(queryWindows(1, 2), 4, 120, 5, 2)); // a gauge is seen for five seconds at least
        QVERIFY(are(queryWindows(2.1, 2), 8.4, 120, 5.25, 2));
        QVERIFY(are(queryWindows(60, 100), 240, 240, 150, 100));
        QVERIFY(are(queryWindows(15, 15, 37.4), 60, 598, 37.5, 15));
        QVERIFY(are(queryWindows(15, 15, 38), 60, 600, 37.5, 15));
        QVERIFY(are(queryWindows(15, 15, 4), 60, 64, 37.5, 15));
    }

    void partsOfAnObservation() {
        HandMade of(10);
        of.row(Signal::gpuPower, {"a", 0, {}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        of.row(Signal::gpuPower, {"b", 0, {}}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
        of.observation.server = "s";
        Observation part = sliceOf(of.observation, handMadeStart + 120, handMadeStart + 240);
        QCOMPARE(part.grid, (TimeGrid{handMadeStart + 120, 60, 3}));
        QCOMPARE(part.tables.front().values, (std::vector<double>{2, 3, 4, 12, 13, 14}));
        QCOMPARE(part.server, of.observation.server);
        part = sliceOf(of.observation, handMadeStart + 121, handMadeStart + 239);
        QCOMPARE(part.tables.front().values, (std::vector<double>{3, 13}));
        part = sliceOf(of.observation, handMadeStart + 121, handMadeStart + 179);
        QCOMPARE(part.grid, (TimeGrid{handMadeStart + 121, 60, 0}));
        QVERIFY(part.tables.front().values.empty());
        part = sliceOf(of.observation, handMadeStart, handMadeStart + 540);
        QCOMPARE(part.tables.front().values, of.observation.tables.front().values);
    }

    void spansOfPoints() {
        const auto spans = [](const char* text, std::size_t no, std::size_t unknown) {
            const std::string_view signs(text);
            QByteArray out;
            for (const PointSpan& each : spansWhere(
                     signs.size(),
                     [&](std::size_t i) {
                         return signs[i] == 'y' ? Sign::yes : signs[i] == 'n' ? Sign::no : Sign::unknown;
                     },
                     no, unknown)) {
                out += '[' + QByteArray::number(static_cast<qulonglong>(each.begin)) + ',' +
                       QByteArray::number(static_cast<qulonglong>(each.end)) + ")x" +
                       QByteArray::number(static_cast<qulonglong>(each.hits)) + ' ';
            }
            return out.trimmed();
        };
        QCOMPARE(spans("nyynny?y", 1, 1), QByteArray("[1,3)x2 [5,8)x2"));
        QCOMPARE(spans("nyynny??y", 2, 1), QByteArray("[1,6)x3 [8,9)x1"));
        QCOMPARE(spans("y?n?ny", 2, 2), QByteArray("[0,6)x2")); // both are counted since the last yes
        QCOMPARE(spans("y?n?n?y", 2, 2), QByteArray("[0,1)x1 [6,7)x1"));
        QCOMPARE(spans("ynyny", 1, 0), QByteArray("[0,5)x3"));
        QCOMPARE(spans("ynny", 1, 5), QByteArray("[0,1)x1 [3,4)x1"));
        QCOMPARE(spans("", 1, 1), QByteArray());
        QVERIFY((PointSpan{2, 4, 2}.contains(2) && PointSpan{2, 4, 2}.contains(3)));
        QVERIFY(!(PointSpan{2, 4, 2}.contains(1) || PointSpan{2, 4, 2}.contains(4)));
    }

    /// Quantiles are the nearest of the finite values; the median of two is the lower one.
    void quantilesOfValues() {
        QCOMPARE(quantileOf({none, 5, 1, 3, HUGE_VAL, 2, 4}, 0.5), 3.0);
        QCOMPARE(quantileOf({1, 2, 3, 4}, 0.5), 3.0); // 1.5 is rounded up
        QCOMPARE(quantileOf({1, 2, 3, 4, 5}, 0.1), 1.0);
        QCOMPARE(quantileOf({1, 2, 3, 4, 5}, 0.2), 2.0);
        QCOMPARE(quantileOf({4, 9}, 1), 9.0);
        QVERIFY(std::isnan(quantileOf({none}, 0.5)));
        std::vector<double> values{4, none, 1, 3, 2};
        QCOMPARE(lowerMedian(values), 2.0);
        values = {3, 1, 2};
        QCOMPARE(lowerMedian(values), 2.0);
        values = {none};
        QVERIFY(std::isnan(lowerMedian(values)));
    }

    void rowsOfAHost() {
        HandMade of(4);
        of.row(Signal::gpuPower, {"a", 0, {}}, {1, 2, none, none});
        of.row(Signal::gpuPower, {"b", 0, {}}, {1, 2, none, none})
            .row(Signal::gpuPower, {"b", 1, {}}, {5, none, 3, none});
        of.row(Signal::gpuPower, {"b", 2, {}}, {3, 8, none, none});
        const ClusterDigest cluster(of.observation);
        const SignalTable& table = *cluster.table(Signal::gpuPower);
        QVERIFY(rowsOf(table, "b").begin == 1 && rowsOf(table, "b").size() == 3 &&
                rowsOf(table, "x").size() == 0);
        const auto folded = [&](Fold fold) {
            QByteArray out;
            for (const double value : cluster.folded(table, "b", fold))
                out += QByteArray::number(value) + ' ';
            return out.trimmed();
        };
        QCOMPARE(folded(Fold::sum), QByteArray("9 10 3 nan"));
        QCOMPARE(folded(Fold::mean), QByteArray("3 5 3 nan"));
        QCOMPARE(folded(Fold::least), QByteArray("1 2 3 nan"));
        QCOMPARE(folded(Fold::most), QByteArray("5 8 3 nan"));
        QVERIFY(cluster.folded(table, "x", Fold::sum).empty());
        QCOMPARE(cluster.pointsIn(10), std::size_t{1});
        QCOMPARE(cluster.pointsIn(89), std::size_t{1});
        QCOMPARE(cluster.pointsIn(90), std::size_t{2});
        SignalTable empty, mean;
        empty.signal = mean.signal = Signal::queueTime;
        mean.statistic = Statistic::mean;
        mean.rows = {{"b", -1, {}}};
        mean.values.assign(4, 1);
        of.observation.tables.push_back(empty);
        of.observation.tables.push_back(mean);
        QCOMPARE(ClusterDigest(of.observation).table(Signal::queueTime)->values.size(), std::size_t{4});
        of.observation.tables.back().statistic = Statistic::p50;
        QVERIFY(ClusterDigest(of.observation).table(Signal::queueTime) == nullptr);
        QVERIFY(cluster.table(Signal::xid) == nullptr);
    }

    /// At least half of the hosts that have rows; `upper` takes the higher of two.
    void mediansOfTheJob() {
        HandMade of(4);
        of.row(Signal::gpuTemperature, {"a", 0, {}}, {1, 1, none, none})
            .row(Signal::gpuTemperature, {"b", 0, {}}, {2, none, none, none});
        of.row(Signal::gpuTemperature, {"c", 0, {}}, {3, 3, 3, none})
            .row(Signal::gpuTemperature, {"d", 0, {}}, {4, none, none, none});
        const ClusterDigest cluster(of.observation);
        const auto median = [&](bool upper) {
            QByteArray out;
            for (const double value : cluster.jobMedian(Signal::gpuTemperature, Fold::mean, upper))
                out += QByteArray::number(value) + ' ';
            return out.trimmed();
        };
        QCOMPARE(cluster.training().size(), std::size_t{4});
        QCOMPARE(median(false), QByteArray("2 1 nan nan"));
        QCOMPARE(median(true), QByteArray("3 3 nan nan"));
        QVERIFY(cluster.jobMedian(Signal::xid, Fold::mean).empty());
    }

    /// Engines name those that serve, the job's own times those that train, else activity does: a fifth of
    /// the most, or half of it where only power is known.
    void rolesOfHosts() {
        const auto roles = [](const HandMade& of) {
            const ClusterDigest cluster(of.observation);
            QByteArray out;
            for (std::size_t i = 0; i < cluster.hosts().size(); ++i)
                out += cluster.role(i) == HostRole::training  ? 't'
                       : cluster.role(i) == HostRole::serving ? 's'
                                                              : 'i';
            return out;
        };
        const auto active = [](Signal signal, std::vector<double> means) {
            HandMade of(4);
            for (std::size_t i = 0; i < means.size(); ++i)
                of.flat(signal, {std::string(1, static_cast<char>('a' + static_cast<char>(i))), 0, {}},
                        means[i]);
            return of;
        };
        QCOMPARE(roles(active(Signal::tensorActive, {0.5, 0.101, 0.099, none})), QByteArray("ttit"));
        QCOMPARE(roles(active(Signal::gpuUtilization, {0.5, 0.101, 0.099})), QByteArray("tti"));
        QCOMPARE(roles(active(Signal::gpuPower, {600, 301, 299})), QByteArray("tti"));
        HandMade both = active(Signal::gpuPower, {600, 600, 600});
        both.flat(Signal::tensorActive, {"a", 0, {}}, 0.5).flat(Signal::tensorActive, {"b", 0, {}}, 0);
        QCOMPARE(roles(both), QByteArray("tit"));
        HandMade own = active(Signal::tensorActive, {0.5, 0.5, 0.5, 0.5});
        own.flat(Signal::nodeComputeTime, {"a", -1, {}}, 1).flat(Signal::nodeComputeTime, {"b", -1, {}}, 1);
        own.flat(Signal::requestsRunning, {"b", -1, {}}, 1).flat(Signal::requestsRunning, {"c", -1, {}}, 1);
        QCOMPARE(roles(own), QByteArray("ttsi"));
        HandMade elsewhere = active(Signal::tensorActive, {0.5, 0.5, 0.01});
        elsewhere.flat(Signal::nodeComputeTime, {}, 1); // of no host
        QCOMPARE(roles(elsewhere), QByteArray("tti"));
        for (const Signal signal :
             {Signal::requestsRunning, Signal::requestsPerSecond, Signal::generationTokensPerSecond,
              Signal::timeToFirstToken, Signal::interTokenLatency, Signal::kvCacheUse}) {
            HandMade serving = active(Signal::tensorActive, {0.5, 0.5});
            serving.flat(signal, {"b", -1, {}}, 1);
            QCOMPARE(roles(serving), QByteArray("ts"));
        }
        HandMade loud = active(Signal::tensorActive, {0.1, 0.1, 0.9}); // engines are busy in another way
        loud.flat(Signal::requestsRunning, {"c", -1, {}}, 1);
        QCOMPARE(roles(loud), QByteArray("tts"));
        loud.observation.hosts = {"z"};
        const ClusterDigest cluster(loud.observation);
        QCOMPARE(cluster.hosts(), (std::vector<std::string>{"a", "b", "c", "z"}));
        QVERIFY(cluster.role("b") == HostRole::training && cluster.role("aa") == HostRole::idle);
        QVERIFY(cluster.role("zz") == HostRole::idle && cluster.trains("a") && !cluster.trains("c"));
    }
};

QTEST_APPLESS_MAIN(TestDataGapsByHand)

} // namespace tst_data_gaps_by_hand

#include "tst_data_gaps_by_hand.moc"
