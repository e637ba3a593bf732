// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_policy.h"
#include "synthetic_cluster.h"
#include "tests/sanitized.h"

#include <QStringList>
#include <QTest>

#include <algorithm>
#include <array>
#include <random>

namespace tst_health_quiet {

using namespace alidade;
using namespace alidade::tests;

namespace {

template <std::size_t n>
double oneOf(std::mt19937_64& random, const std::array<double, n>& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, n - 1)(random)];
}

/// A healthy cluster of some size, with some noise, gaps, checkpoints and exporters.
SyntheticCluster healthy(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    SyntheticCluster out;
    out.seed = seed;
    out.nodes = std::uniform_int_distribution(1, 10)(random);
    out.spares = out.nodes > 4 ? std::uniform_int_distribution(0, 2)(random) : 0;
    out.gpus = static_cast<int>(oneOf(random, std::array{1.0, 4.0, 8.0}));
    out.devices = 2;
    out.step = oneOf(random, std::array{15.0, 30.0, 60.0, 300.0});
    out.hours = out.step < 30 ? 0.5 : out.step > 100 ? 6 : oneOf(random, std::array{0.5, 1.0, 2.0});
    out.rateWindow = std::max(out.step, oneOf(random, std::array{60.0, 120.0, 300.0}));
    out.gaps = oneOf(random, std::array{0.0, 0.0, 0.02, 0.1, 0.3});
    out.stepTime = oneOf(random, std::array{0.8, 6.1, 20.0});
    const double kind = oneOf(random, std::array{0.0, 1.0, 2.0, 3.0});
    out.checkpointEvery = kind == 0 ? 0 : kind == 1 ? 250 : kind == 2 ? 1200 : 1800;
    out.checkpointLength = kind == 1 ? 12 : kind == 2 ? 60 : 180;
    out.warmUp = oneOf(random, std::array{0.0, 0.0, 240.0});
    out.ownTimes = oneOf(random, std::array{0.0, 1.0}) > 0;
    out.jobMetrics = oneOf(random, std::array{0.0, 1.0, 1.0}) > 0;
    out.checkpointMetric = oneOf(random, std::array{0.0, 1.0}) > 0;
    if (oneOf(random, std::array{0.0, 1.0}) > 0) { // corrected errors come at a steady rate on real GPUs
        Trouble steady;
        steady.kind = Trouble::Kind::steadyErrors;
        steady.amount = oneOf(random, std::array{5.0, 30.0, 200.0});
        steady.start = -1e9;
        out.troubles.push_back(steady);
    }
    return out;
}

} // namespace

/// Nothing is invented where nothing is wrong.
class TestHealthQuiet : public QObject {
    Q_OBJECT

private slots:
    void healthyClustersHaveNoFindings() {
        for (std::uint64_t seed = 1; seed <= test::draws(200); ++seed) {
            const SyntheticCluster cluster = healthy(seed);
            for (const Finding& each : judgeHealth(cluster.observe(), {})) {
                const QString said =
                    QStringLiteral("seed %1 (%2 nodes, %3 s, gaps %4, checkpoints %5/%6, step %7): %8 [%9]")
                        .arg(seed)
                        .arg(cluster.nodes)
                        .arg(cluster.step)
                        .arg(cluster.gaps)
                        .arg(cluster.checkpointLength)
                        .arg(cluster.checkpointEvery)
                        .arg(cluster.stepTime)
                        .arg(QString::fromStdString(each.title + ": " + each.evidence))
                        .arg(each.start - cluster.start);
                QFAIL(qPrintable(said));
            }
        }
    }

    /// Two faults at random places, times, steps and gaps: both are found, once each, and nothing else.
    void twoFaultsAreTwoFindings() {
        using Kind = Trouble::Kind;
        const std::array kinds{std::pair(Kind::straggler, FaultKind::straggler),
                               std::pair(Kind::lostGpu, FaultKind::missingGpu),
                               std::pair(Kind::retransmits, FaultKind::efaRetransmits),
                               std::pair(Kind::down, FaultKind::missingTarget),
                               std::pair(Kind::blank, FaultKind::blankValues),
                               std::pair(Kind::hang, FaultKind::stall),
                               std::pair(Kind::xid, FaultKind::xid)};
        for (std::uint64_t seed = 1; seed <= 42; ++seed) {
            std::mt19937_64 random(seed);
            SyntheticCluster cluster;
            cluster.seed = seed;
            cluster.nodes = std::uniform_int_distribution(4, 7)(random);
            cluster.devices = 2;
            cluster.step = oneOf(random, std::array{20.0, 30.0, 60.0});
            cluster.gaps = oneOf(random, std::array{0.0, 0.05});
            cluster.ownTimes = oneOf(random, std::array{0.0, 1.0}) > 0;
            const std::size_t first = seed % kinds.size(),
                              second = (first + 1 + seed / kinds.size() % 6) % kinds.size();
            if (kinds[first].first == Kind::xid || kinds[second].first == Kind::xid) {
                cluster.step = 20; // the code persists for half a minute before the reboot clears it
                cluster.gaps = 0;
            }
            int host = 0;
            for (const std::size_t which : {first, second}) {
                Trouble trouble;
                trouble.kind = kinds[which].first;
                trouble.host = trouble.kind == Kind::hang ? 0 : ++host;
                trouble.gpu = std::uniform_int_distribution(0, 7)(random);
                trouble.start = 10 * std::uniform_int_distribution(90, 450)(random);
                trouble.end = trouble.start + 10 * std::uniform_int_distribution(60, 120)(random);
                trouble.amount = trouble.kind == Kind::straggler ? 1.25 : 0.08;
                trouble.code = 94;
                trouble.crash = trouble.kind == Kind::xid;
                if (trouble.crash || trouble.kind == Kind::lostGpu)
                    trouble.end = 1e9;
                cluster.troubles.push_back(trouble);
            }
            const std::vector<Finding> findings = judgeHealth(cluster.observe(), {});
            QStringList said{QStringLiteral("seed %1, step %2:").arg(seed).arg(cluster.step)};
            for (const Trouble& each : cluster.troubles)
                said += QStringLiteral("truth: kind %1 on host %2 from %3 to %4")
                            .arg(static_cast<int>(each.kind))
                            .arg(each.host + 1)
                            .arg(each.start)
                            .arg(each.end);
            for (const Finding& each : findings)
                said += QString::fromStdString(each.title + ": " + each.evidence) +
                        QStringLiteral(" [%1]").arg(each.start - cluster.start);
            bool both = findings.size() == 2;
            for (std::size_t i = 0; i < 2; ++i) {
                const std::size_t which = i == 0 ? first : second;
                both = both && std::ranges::any_of(findings, [&](const Finding& each) {
                           const bool job = kinds[which].second == FaultKind::stall;
                           return each.kind == kinds[which].second &&
                                  each.where.host ==
                                      (job ? "" : SyntheticCluster::host(cluster.troubles[i].host));
                       });
            }
            QVERIFY2(both, qPrintable(said.join(u'\n')));
        }
    }

    void anEmptyObservationHasNone() {
        QVERIFY(judgeHealth({}, {}).empty());
        Observation hosts;
        hosts.hosts = {"a", "b"};
        hosts.grid = {0, 30, 10};
        QVERIFY(judgeHealth(hosts, {}).empty());
    }

    /// A whole exporter, or a whole host, without samples for a while is a gap and no fault.
    void gapsAreNoFaults() {
        SyntheticCluster cluster;
        Observation observation = cluster.observe();
        for (SignalTable& table : observation.tables) {
            for (std::size_t row = 0; row < table.rows.size(); ++row) {
                const bool mine = table.rows[row].host.empty() || table.rows[row].host == "gpu-0003";
                for (std::size_t i = 100; mine && i < 130; ++i)
                    table.values[row * observation.grid.points + i] = std::nan("");
            }
        }
        QVERIFY(judgeHealth(observation, {}).empty());
    }
};

QTEST_APPLESS_MAIN(TestHealthQuiet)

} // namespace tst_health_quiet

#include "tst_health_quiet.moc"
