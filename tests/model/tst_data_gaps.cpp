// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_windows.h"
#include "model/observation/data_gaps.h"
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"
#include "synthetic_cluster.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

namespace tst_data_gaps {

using namespace alidade;
using namespace alidade::tests;

namespace {

SyntheticCluster withBlackout(double start, double end, bool silent = false) {
    SyntheticCluster out;
    out.blackouts.push_back({start, end, silent});
    return out;
}

QByteArray told(const std::vector<Finding>& findings) {
    std::string out;
    for (const Finding& each : findings)
        out += each.title + ": " + each.evidence + '\n';
    return QByteArray::fromStdString(out);
}

const ChartLine& chart(const PlanActual& comparison, std::string_view id) {
    const auto found = std::ranges::find(comparison.charts, id, &ChartLine::id);
    if (found == comparison.charts.end())
        qFatal("no chart");
    return *found;
}

} // namespace

/// A time of which nothing is known is not a fault of anything, and no figure.
class TestDataGaps : public QObject {
    Q_OBJECT

private slots:
    void isFoundWithItsReason_data() {
        QTest::addColumn<bool>("silent");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("nobody asks") << false
                                     << QByteArray("No data for 20 min: the server has no samples of it.");
        QTest::newRow("nobody answers") << true << QByteArray("No data for 20 min: no exporter answered.");
    }
    void isFoundWithItsReason() {
        QFETCH(bool, silent);
        QFETCH(QByteArray, sentence);
        const SyntheticCluster cluster = withBlackout(3000, 4200, silent);
        const DataGaps found = dataGaps(cluster.observe());
        QCOMPARE(found.gaps.size(), std::size_t{1});
        const DataGap& gap = found.gaps.front();
        QCOMPARE(gap.span.begin, std::size_t{100});
        QCOMPARE(gap.span.end, std::size_t{140});
        QCOMPARE(gap.start, cluster.start + 2970);
        QCOMPARE(gap.end, cluster.start + 4200);
        QCOMPARE(gap.silent, silent);
        QVERIFY(!gap.lasts && !gap.before);
        QCOMPARE(found.observedIn(90, 150), std::size_t{20});
        QCOMPARE(QByteArray::fromStdString(gapSentence(found, cluster.observe().grid)), sentence);
    }

    void newestSamplesMayBeLate() {
        QVERIFY(dataGaps(withBlackout(7140, 7200).observe()).gaps.empty());
        QVERIFY(dataGaps(withBlackout(7000, 7200).observe()).gaps.back().lasts);
    }

    void singleTargetThatIsDownIsNoGap() {
        Observation observation;
        observation.grid = {1767225600, 30, 40};
        SignalTable up{.signal = Signal::targetUp, .rows = {{"gpu-0001", -1, "vllm"}}};
        SignalTable running{.signal = Signal::requestsRunning, .rows = {{"gpu-0001", -1, "gpu-0001:8000"}}};
        for (std::size_t i = 0; i < 40; ++i) {
            const bool down = i >= 20 && i < 30;
            up.values.push_back(down ? 0 : 1);
            running.values.push_back(down ? std::nan("") : 12);
        }
        observation.tables = {up, running};
        QVERIFY(dataGaps(observation).gaps.empty());
    }

    void isNoFault() {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            std::mt19937_64 random(seed);
            SyntheticCluster cluster;
            cluster.seed = seed;
            cluster.nodes = std::uniform_int_distribution(2, 8)(random);
            cluster.gpus = 4;
            cluster.devices = 2;
            cluster.spares = cluster.nodes > 4 ? 1 : 0;
            cluster.step = seed % 3 == 0 ? 60 : 30;
            cluster.rateWindow = seed % 2 == 0 ? 120 : 60;
            cluster.ownTimes = seed % 4 < 2;
            cluster.jobMetrics = seed % 5 != 0;
            for (int i = 0; i < 2; ++i) {
                const double start = std::uniform_real_distribution<double>(0, 6500)(random);
                const double length = std::uniform_real_distribution<double>(90, 1800)(random);
                cluster.blackouts.push_back(
                    {start, start + length, (seed + static_cast<std::uint64_t>(i)) % 2 == 0});
            }
            const std::vector<Finding> findings = judgeHealth(cluster.observe(), {});
            const QByteArray said =
                "seed " + QByteArray::number(static_cast<qulonglong>(seed)) + '\n' + told(findings);
            QVERIFY2(findings.empty(), said);
        }
    }

    void faultsBesideItAreFound() {
        SyntheticCluster cluster = withBlackout(3000, 4200);
        Trouble slow;
        slow.host = 2;
        slow.gpu = 3;
        slow.amount = 1.3;
        slow.start = 2000;
        slow.end = 5000;
        cluster.troubles.push_back(slow);
        const std::vector<Finding> findings = judgeHealth(cluster.observe(), {});
        QVERIFY2(!findings.empty(), told(findings));
        for (const Finding& each : findings) {
            QCOMPARE(each.kind, FaultKind::straggler);
            QCOMPARE(each.where.host, std::string("gpu-0003"));
        }
        // Its cost is of the time that was seen: 0.27 of the pace in 1,000 s + 800 s; never of the blackout.
        double seconds = 0;
        for (const Finding& each : findings)
            seconds += each.cost ? each.cost->seconds : 0;
        QVERIFY2(seconds > 250 && seconds < 0.22 * 3000, QByteArray::number(seconds));
    }

    void jobThatStandsWhereTheDataEndStandsAsFarAsIsKnown() {
        SyntheticCluster cluster = withBlackout(5000, 7200);
        Trouble hang;
        hang.kind = Trouble::Kind::hang;
        hang.start = 4400;
        hang.end = 1e9;
        cluster.troubles.push_back(hang);
        const std::vector<Finding> findings = judgeHealth(cluster.observe(), {});
        QCOMPARE(findings.size(), std::size_t{1});
        QCOMPARE(findings.front().kind, FaultKind::stall);
        QVERIFY(!findings.front().end);
        // Nobody knows what it cost after the last sample.
        QVERIFY2(findings.front().cost && findings.front().cost->seconds < 660, told(findings));
    }

    void nowIsNotBeforeIt() {
        const Observation lasting = withBlackout(6000, 7200).observe();
        for (const ChartLine& line : comparePlan(lasting, {}, nullptr).charts)
            QVERIFY2(!line.now, line.id.c_str());
        const Observation over = withBlackout(3000, 4200).observe();
        QVERIFY(chart(comparePlan(over, {}, nullptr), "step_time").now);
        // A separate signal that is no longer reported.
        Observation partly = SyntheticCluster().observe();
        for (SignalTable& table : partly.tables) {
            if (table.signal == Signal::gpuPower)
                for (std::size_t i = 0; i < table.values.size(); ++i)
                    table.values[i] = i % partly.grid.points >= 200 ? std::nan("") : table.values[i];
        }
        const PlanActual comparison = comparePlan(partly, {}, nullptr);
        QVERIFY(!chart(comparison, "power_per_gpu").now);
        QVERIFY(chart(comparison, "step_time").now);
    }

    void isTold() {
        const PlanActual comparison = comparePlan(withBlackout(3000, 4200).observe(), {}, nullptr);
        QVERIFY2(comparison.because.find("No data for 20 min") != std::string::npos,
                 comparison.because.c_str());
    }

    void isLeftOutOfFits() {
        const SyntheticCluster cluster = withBlackout(3000, 4200);
        const Observation observation = cluster.observe();
        const UsableTime time = usableTime(observation, {}, {}, true);
        const auto gap = std::ranges::find(time.excluded, std::string("no data"), &ExcludedWindow::why);
        QVERIFY(gap != time.excluded.end());
        // What looks back at it is left out as well.
        for (std::size_t i = 100; i < 140 + static_cast<std::size_t>(time.lookback / 30); ++i)
            QVERIFY2(!time.used[i], QByteArray::number(static_cast<qulonglong>(i)));
    }

    void nodesTellSilenceFromStandstill() {
        SyntheticCluster cluster = withBlackout(3000, 4200);
        Trouble hang;
        hang.kind = Trouble::Kind::hang;
        hang.start = 5000;
        hang.end = 5600;
        cluster.troubles.push_back(hang);
        const NodeMap map = relativeNodeTimes(cluster.observe());
        const std::size_t points = 240;
        QCOMPARE(map.noData.size(), map.values.size());
        for (std::size_t host = 0; host < map.hosts.size(); ++host) {
            QCOMPARE(map.noData[host * points + 120], std::uint8_t{1});
            QVERIFY(std::isnan(map.values[host * points + 180]));
            QCOMPARE(map.noData[host * points + 180], std::uint8_t{0});
        }
    }
};

QTEST_APPLESS_MAIN(TestDataGaps)

} // namespace tst_data_gaps

#include "tst_data_gaps.moc"
