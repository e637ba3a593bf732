// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/policy_json.h"
#include "model/observation/data_gaps.h"
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"
#include "tests/data/calibrated.h"
#include "tests/data/health_rig.h"
#include "tests/data/observation_rig.h"

#include <map>

namespace tst_observation_gaps {

using namespace alidade;
using namespace alidade::tests;

namespace {

/// An hour of four nodes with nothing wrong but how it was collected.
ClusterOptions collected(const nlohmann::json& config) {
    ClusterOptions options;
    options.nodes = 4;
    options.hours = 1;
    options.step = config.value("scrape", 15.0);
    options.faults = false;
    options.config = config;
    options.config.erase("scrape");
    if (options.config.contains("faults"))
        options.faults = true;
    return options;
}

Observation hour(const Rig& rig, const std::string& job = {}, double step = 30) {
    return rig.read(job, {rig.cluster.start(), step, static_cast<std::size_t>(3600 / step)});
}

std::vector<Finding> judged(const Observation& observation) {
    const auto& policies = shippedHealthPolicies();
    return judgeHealth(observation, policies.front(), policies);
}

/// Largest distance of the values of a signal from their median, as a share of it.
double farthest(const Observation& observation, Signal signal) {
    const SignalTable* table = observation.table(signal);
    if (table == nullptr)
        return std::nan("");
    double most = 0;
    const std::size_t points = observation.grid.points;
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
        std::vector<double> values(table->row(row, points).begin(), table->row(row, points).end());
        std::erase_if(values, [](double value) { return !std::isfinite(value); });
        if (values.empty())
            continue;
        std::vector<double> sorted = values;
        std::ranges::sort(sorted);
        const double median = sorted[sorted.size() / 2];
        for (const double value : values)
            most = median > 0 ? std::max(most, std::abs(value / median - 1)) : most;
    }
    return most;
}

} // namespace

/// A gap in the data, another scrape interval, silent exporters and counters that begin anew, behind a real
/// server.
class TestObservationGaps : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& why : {PrometheusServer::missing(), SimulatedCluster::missing()})
            if (!why.isEmpty())
                QFAIL(qPrintable(why));
    }

    void gapIsNoDataAndNoFault() {
        const Rig whole(collected(nlohmann::json::object()));
        const Rig rig(collected({{"collection", {{"gaps", {{1200, 2400}}}}}}));
        QVERIFY2(rig.error().isEmpty() && whole.error().isEmpty(), qPrintable(rig.error() + whole.error()));
        const Observation seen = hour(rig);
        const DataGaps gaps = dataGaps(seen);
        QCOMPARE(gaps.gaps.size(), std::size_t{1});
        QVERIFY2(std::abs(gaps.gaps.front().start - rig.cluster.start() - 1200) <= 60,
                 QByteArray::number(gaps.gaps.front().start - rig.cluster.start()));
        QVERIFY2(std::abs(gaps.gaps.front().end - rig.cluster.start() - 2400) <= 60,
                 QByteArray::number(gaps.gaps.front().end - rig.cluster.start()));
        QVERIFY(!gaps.gaps.front().silent);
        const std::vector<Finding> findings = judged(seen);
        QVERIFY2(findings.empty(), told(findings, rig.cluster.start()));
        // Rates alongside the gap are those of the rest, or none: a server spreads a part of a window over
        // all of it.
        for (const Signal signal : {Signal::stepsPerSecond, Signal::generationTokensPerSecond}) {
            const double with = farthest(seen, signal), without = farthest(hour(whole), signal);
            QVERIFY2(with < without + 0.05,
                     QByteArray(QByteArray(signalInfo(signal).id.data()) + QByteArray::number(with) + ' ' +
                                QByteArray::number(without)));
        }
    }

    /// The end of the range has few samples: they are of a gap, not of a longer scrape interval, with which
    /// rates would be spread over minutes.
    void gapAtTheEndIsNoLongerInterval_data() {
        QTest::addColumn<int>("gapEnd");
        QTest::newRow("until now") << 3600;
        QTest::newRow("until a moment ago") << 3540;
    }
    void gapAtTheEndIsNoLongerInterval() {
        QFETCH(const int, gapEnd);
        const Rig rig(collected({{"scrape", 30}, {"collection", {{"gaps", {{3180, gapEnd}}}}}}));
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const Observation seen = hour(rig);
        QVERIFY(!seen.sources.empty());
        for (const ObservedSource& source : seen.sources)
            QVERIFY2(
                source.scrapeInterval == 30 || source.newest < rig.cluster.start() + 3000,
                QByteArray(QByteArray(source.id.c_str()) + ' ' + QByteArray::number(source.scrapeInterval)));
        QCOMPARE(seen.table(Signal::efaTransmit)->window, 120.0);
    }

    /// Half of two parts of the range that are looked at side by side.
    void gapInTheMiddleIsNoLongerInterval() {
        ClusterOptions options = collected({{"scrape", 30}, {"collection", {{"gaps", {{3870, 4470}}}}}});
        options.hours = 2;
        const Rig rig(options);
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const Observation seen = rig.read({}, {rig.cluster.start(), 30, 240});
        QVERIFY(!seen.sources.empty());
        for (const ObservedSource& source : seen.sources)
            QVERIFY2(source.scrapeInterval == 30, QByteArray(QByteArray(source.id.c_str()) + ' ' +
                                                             QByteArray::number(source.scrapeInterval)));
    }

    void gapMovesNoCalibration() {
        const Rig whole(collected(nlohmann::json::object()));
        const Rig rig(collected({{"collection", {{"gaps", {{1200, 2400}}}}}}));
        QVERIFY2(rig.error().isEmpty() && whole.error().isEmpty(), qPrintable(rig.error() + whole.error()));
        const auto efficiency = [](const Rig& of, const char* name) {
            const Observation seen = hour(of, serving);
            const Result<LiveCalibration> found = calibrateLive(
                test::servingOn("p5.48xlarge", of.cluster.truth().at("serving").at("parameters")),
                shippedCatalog(), shippedCatalog().defaultProfile, seen, judged(seen));
            if (!found)
                qFatal("%s", found.error().c_str());
            const CalibratedParameter& p = test::parameter(*found, name);
            return std::array{p.after, p.low, p.high};
        };
        const auto with = efficiency(rig, "decode_hbm_efficiency"),
                   without = efficiency(whole, "decode_hbm_efficiency");
        const double truth = rig.cluster.truth().at("serving").at("parameters").at("decode_hbm_eff");
        QVERIFY2(std::abs(with[0] / without[0] - 1) < 0.02,
                 QByteArray(QByteArray::number(with[0]) + ' ' + QByteArray::number(without[0])));
        QVERIFY2(std::abs(with[0] / truth - 1) < 0.03, QByteArray::number(with[0]));
    }

    void otherScrapeIntervalLosesNothing() {
        const Rig rig(collected({{"scrape", 30.0}, {"collection", {{"intervals", {{1800, 5}}}}}}));
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const Observation seen = hour(rig);
        QVERIFY2(dataGaps(seen).gaps.size() <= 1, "the first window is not filled"); // at the very beginning
        for (const Signal signal : {Signal::stepsPerSecond, Signal::gpuPower, Signal::efaTransmit}) {
            const SignalTable* table = seen.table(signal);
            QVERIFY(table != nullptr);
            std::size_t missing = 0;
            for (std::size_t i = 10; i < seen.grid.points; ++i)
                missing += std::isfinite(table->row(0, seen.grid.points)[i]) ? 0 : 1;
            QVERIFY2(missing <= 6, QByteArray(QByteArray(signalInfo(signal).id.data()) + ": " +
                                              QByteArray::number(static_cast<qulonglong>(missing))));
        }
        const std::vector<Finding> findings = judged(seen);
        QVERIFY2(findings.empty(), told(findings, rig.cluster.start()));
    }

    void silentExportersAreNoFaultOfAnyNode() {
        const Rig rig(collected({{"faults", {{{"kind", "silence"}, {"start", 1500}, {"end", 2100}}}}}));
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const Observation seen = hour(rig);
        const DataGaps gaps = dataGaps(seen);
        QCOMPARE(gaps.gaps.size(), std::size_t{1});
        QVERIFY(gaps.gaps.front().silent);
        const std::vector<Finding> findings = judged(seen);
        QVERIFY2(findings.empty(), told(findings, rig.cluster.start()));
    }

    void countersThatBeginAnewAreNoTraffic() {
        const Rig rig(collected(
            {{"faults",
              {{{"kind", "counter_reset"}, {"role", "train"}, {"start", 1800}, {"exporters", {"efa"}}}}}}));
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const Observation seen = hour(rig);
        const SignalTable* sent = seen.table(Signal::efaTransmit);
        QVERIFY(sent != nullptr);
        for (const double value : sent->values)
            QVERIFY2(!(value < 0) && !(value > 400e9), QByteArray::number(value));
        const std::vector<Finding> findings = judged(seen);
        QVERIFY2(findings.empty(), told(findings, rig.cluster.start()));
    }

    void rangeWithoutSamplesNamesTheLastOnes() {
        const Rig rig(collected(nlohmann::json::object()));
        QVERIFY2(rig.error().isEmpty(), qPrintable(rig.error()));
        const auto last = newestSample(*rig.api, metricPresets(), rig.cluster.end() + 3 * 86400);
        QVERIFY2(last, last.error().c_str());
        QVERIFY(last->has_value());
        QVERIFY2(std::abs(**last - rig.cluster.end()) <= 90, QByteArray::number(**last - rig.cluster.end()));
        // A server that was asked for the first time long after its cluster was given back.
        const auto old = newestSample(*rig.api, metricPresets(), rig.cluster.end() + 500 * 86400.0);
        QVERIFY2(old, old.error().c_str());
        QVERIFY(old->has_value());
        QVERIFY2(std::abs(**old - rig.cluster.end()) <= 90, QByteArray::number(**old - rig.cluster.end()));
        const auto before = newestSample(*rig.api, metricPresets(), rig.cluster.start() - 3600);
        QVERIFY2(before, before.error().c_str());
        QVERIFY(!before->has_value());
    }
};

QTEST_GUILESS_MAIN(TestObservationGaps)

} // namespace tst_observation_gaps

#include "tst_observation_gaps.moc"
