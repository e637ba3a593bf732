// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic of a service as its server has measured it: which hours a rate belongs to, what was not
// measured, and where tokens per request are from.
#include "model/fleet/observed_traffic.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tst_observed_traffic {

using namespace alidade;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double monday = 4 * 86'400; // 1970-01-05

struct Measured {
    Observation observation;

    Measured(double start, double step, std::size_t points) {
        observation.grid = {.start = start, .step = step, .points = points};
    }
    Measured& with(Signal signal, std::vector<double> values, Statistic statistic = Statistic::value) {
        SignalTable table;
        table.signal = signal;
        table.statistic = statistic;
        table.rows.resize(values.size() / observation.grid.points);
        table.values = std::move(values);
        observation.tables.push_back(table);
        return *this;
    }
    ObservedTraffic traffic() const {
        const auto found = trafficOf(observation);
        return found ? *found : ObservedTraffic{};
    }
};

/// The hours with another rate than `usual`: "6: 2, 18: 4".
QByteArray unusual(const TrafficProfile& profile, double usual) {
    QByteArray out;
    for (std::size_t hour = 0; hour < profile.rates.size(); ++hour)
        if (profile.rates[hour] != usual)
            out += (out.isEmpty() ? "" : ", ") + QByteArray::number(static_cast<qulonglong>(hour)) + ": " +
                   QByteArray::number(profile.rates[hour]);
    return out;
}

} // namespace

class TestObservedTraffic : public QObject {
    Q_OBJECT

private slots:
    /// A rate is of the middle of the step before its instant; hours without one have the mean.
    void hoursOfRates_data() {
        QTest::addColumn<double>("start");
        QTest::addColumn<double>("step");
        QTest::addColumn<std::vector<double>>("rates");
        QTest::addColumn<std::size_t>("hours");
        QTest::addColumn<std::size_t>("measured");
        QTest::addColumn<double>("mean");
        QTest::addColumn<QByteArray>("others");
        using Rates = std::vector<double>;
        const auto row = [](const char* name, double start, double step, Rates rates, std::size_t hours,
                            std::size_t measured, double mean, const char* others) {
            QTest::newRow(name) << start << step << rates << hours << measured << mean << QByteArray(others);
        };
        // 3:00 and 6:00 stand for 1:30 and 4:30.
        row("three hours", monday + 10'800, 10'800, Rates{2, 6}, 24, 2, 4, "1: 2, 4: 6");
        row("the first one not measured", monday + 10'800, 10'800, Rates{none, 6, 2}, 24, 2, 4, "4: 6, 7: 2");
        // From noon to midnight of the day after: 6:00 and 18:00, twice.
        row("a day and a half", monday + 43'200, 43'200, Rates{1, 2, 3, 6}, 24, 2, 3, "6: 2, 18: 4");
        row("one missing", monday + 43'200, 43'200, Rates{1, 2, none, 6}, 24, 2, 3, "6: 1, 18: 4");
        // A minute more each: hours of a week. Before 1970-01-01, a Thursday, 0:00 it was Wednesday 17:59:30;
        // then Thursday 6:00:30 and 18:01:30, Friday 6:02:30.
        row("more than that", 0, 43'260, Rates{1, 2, 4, 5}, 168, 4, 3, "65: 1, 78: 2, 90: 4, 102: 5");
        row("from a Sunday on", monday, 43'260, Rates{1, 2, 4, 5}, 168, 4, 3, "6: 2, 18: 4, 30: 5, 161: 1");
        row("a week on", monday + 7 * 86'400, 43'260, Rates{1, 2, 4, 5}, 168, 4, 3,
            "6: 2, 18: 4, 30: 5, 161: 1");
        row("one rate above 0", monday + 10'800, 10'800, Rates{0, 0.5}, 24, 2, 0.25, "1: 0, 4: 0.5");
    }
    void hoursOfRates() {
        QFETCH(double, start);
        QFETCH(double, step);
        QFETCH(std::vector<double>, rates);
        QFETCH(std::size_t, hours);
        QFETCH(std::size_t, measured);
        QFETCH(double, mean);
        QFETCH(QByteArray, others);
        const ObservedTraffic found =
            Measured(start, step, rates.size()).with(Signal::requestsPerSecond, rates).traffic();
        QCOMPARE(found.rates.rates.size(), hours);
        QCOMPARE(found.measuredHours, measured);
        QCOMPARE(unusual(found.rates, mean), others);
        QVERIFY(!found.inputTokens && !found.outputTokens && !found.inputTokensCv && !found.outputTokensCv &&
                !found.prefixCacheHit);
    }

    void withoutRequests() {
        const std::string nothing =
            "no requests per second were measured in this time range; a serving engine must report "
            "the signal requests_per_second";
        const auto refusal = [](const Measured& measured) {
            const auto found = trafficOf(measured.observation);
            return found ? std::string() : found.error();
        };
        QCOMPARE(refusal(Measured(monday, 60, 2)), nothing);
        QCOMPARE(refusal(Measured(monday, 60, 2).with(Signal::requestsPerSecond, {0, 0})), nothing);
        QCOMPARE(refusal(Measured(monday, 60, 2).with(Signal::requestsPerSecond, {none, none})), nothing);
        QCOMPARE(refusal(Measured(monday, 60, 2).with(Signal::requestsPerSecond, {})), nothing);
        QCOMPARE(refusal(Measured(monday, 60, 2).with(Signal::requestsPerSecond, {none, 1})), std::string());
    }

    /// Engines add up at each instant; one that was not measured there counts as nothing.
    void severalEngines() {
        const ObservedTraffic found =
            Measured(monday + 10'800, 10'800, 3)
                .with(Signal::requestsPerSecond, {1, none, none, 2, 5, none})
                .with(Signal::promptTokensPerSecond, {100, none, 70, 200, 900, 90})
                .with(Signal::generationTokensPerSecond, {none, 40, 10, none, 60, 10})
                .traffic();
        QCOMPARE(unusual(found.rates, 4), QByteArray("1: 3, 4: 5"));
        QCOMPARE(found.inputTokens.value(), 150.0); // (300 + 900) / (3 + 5): the third has no requests
        QCOMPARE(found.outputTokens.value(), 20.0); // (40 + 60) / 5: the first has no tokens
    }

    void lengthsOfEngines() {
        Measured measured(monday, 60, 2);
        measured.with(Signal::requestsPerSecond, {4, 4})
            .with(Signal::promptTokensPerSecond, {0, 0})
            .with(Signal::generationTokensPerSecond, {none, none})
            .with(Signal::promptTokens, {30, none, 60, 90}, Statistic::mean);
        QCOMPARE(measured.traffic().inputTokens.value(),
                 60.0); // no token a second: the mean of three lengths
        QVERIFY(!measured.traffic().outputTokens);
        measured.with(Signal::outputTokens, {7, 9}, Statistic::mean);
        QCOMPARE(measured.traffic().outputTokens.value(), 8.0);
        QCOMPARE(measured.traffic().inputTokens.value(), 60.0);
    }

    /// With sigma = ln(p90 / p50) / 1.2815515655446004 the coefficient of variation is sqrt(exp(sigma^2) -
    /// 1).
    void spreads_data() {
        QTest::addColumn<double>("p50");
        QTest::addColumn<double>("p90");
        QTest::addColumn<double>("cv"); // below 0: none
        QTest::newRow("sigma 1/2") << 100.0 << 100 * std::exp(0.6407757827723002)
                                   << std::sqrt(std::exp(0.25) - 1);
        QTest::newRow("sigma 2") << 10.0 << 10 * std::exp(2.5631031310892008) << std::sqrt(std::exp(4.0) - 1);
        QTest::newRow("at most 10") << 10.0 << 10 * std::exp(3 * 1.2815515655446004) << 10.0;
        QTest::newRow("all alike") << 100.0 << 100.0 << 0.0;
        QTest::newRow("a median above it") << 100.0 << 99.9 << -1.0;
        QTest::newRow("a median of 0") << 0.0 << 100.0 << -1.0;
        QTest::newRow("no median") << none << 100.0 << -1.0;
        QTest::newRow("only a median") << 100.0 << none << -1.0;
    }
    void spreads() {
        QFETCH(double, p50);
        QFETCH(double, p90);
        QFETCH(double, cv);
        for (const Signal signal : {Signal::promptTokens, Signal::outputTokens}) {
            const ObservedTraffic found = Measured(monday, 60, 1)
                                              .with(Signal::requestsPerSecond, {1})
                                              .with(signal, {p50}, Statistic::p50)
                                              .with(signal, {p90}, Statistic::p90)
                                              .traffic();
            const bool input = signal == Signal::promptTokens;
            QVERIFY(!(input ? found.outputTokensCv : found.inputTokensCv));
            const std::optional<double> spread = input ? found.inputTokensCv : found.outputTokensCv;
            QCOMPARE(spread.has_value(), cv >= 0);
            QVERIFY(!spread || std::abs(*spread - cv) < 1e-9);
        }
    }

    void hitsOfThePrefixCache() {
        const auto hit = [](std::vector<double> values) {
            return Measured(monday, 60, 2)
                .with(Signal::requestsPerSecond, {1, 1})
                .with(Signal::prefixHitShare, std::move(values))
                .traffic()
                .prefixCacheHit;
        };
        QCOMPARE(hit({0.2, 0.6}).value(), 0.4);
        QCOMPARE(hit({0.2, none}).value(), 0.2);
        QCOMPARE(hit({1.5, 0.9}).value(), 1.0); // not more than all
        QCOMPARE(hit({-0.5, 0.1}).value(), 0.0);
        QVERIFY(!hit({none, none}));
    }
};

QTEST_APPLESS_MAIN(TestObservedTraffic)

} // namespace tst_observed_traffic

#include "tst_observed_traffic.moc"
