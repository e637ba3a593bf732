// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/spares.h"

#include <QtTest>
#include <queue>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tst_elastic_run {

using namespace alidade;

/// A run that shrinks and grows, by closed form and played event by event.
class TestElasticRun : public QObject {
    Q_OBJECT

private slots:
    /// Nodes fail at a constant rate and each comes back after a repair of one hour. Which nodes are missing
    /// at a time, and how often a replica comes back, is counted.
    void closedFormIsWhatHappens() {
        std::mt19937_64 random(11);
        for (const auto& [mean, spares, nodes, replicas] :
             {Case{0.5, 0, 32, 8}, Case{3, 2, 128, 16}, Case{6, 0, 512, 32}, Case{2, 1, 16, 64},
              Case{9, 4, 64, 4}}) {
            const ElasticLoss expected = elasticLoss(mean, spares, nodes, replicas);
            const double nodesOfReplica = nodes / replicas;
            const auto idle = [&](int inRepair) {
                const int missing = std::max(0, inRepair - spares);
                const double lost = std::ceil(missing / nodesOfReplica - 1e-9) * nodesOfReplica;
                return std::min(1.0, lost / nodes);
            };
            std::exponential_distribution<double> gap(mean);
            std::priority_queue<double, std::vector<double>, std::greater<>> back;
            double clock = 0, lost = 0, growths = 0, next = gap(random);
            constexpr double end = 400'000;
            int failures = 0;
            while (clock < end) {
                const bool returns = !back.empty() && back.top() < next;
                const double at = returns ? back.top() : next;
                const int before = static_cast<int>(back.size());
                lost += (at - clock) * idle(before);
                clock = at;
                if (returns) {
                    back.pop();
                    growths += idle(before - 1) < idle(before) ? 1 : 0;
                } else {
                    ++failures;
                    back.push(clock + 1);
                    next = clock + gap(random);
                }
            }
            const QByteArray which = QByteArray::number(mean) + " in repair, " + QByteArray::number(spares);
            QVERIFY2(std::abs(lost / clock - expected.idleShare) < 0.01 * expected.idleShare, which);
            QVERIFY2(std::abs(growths / failures - expected.growths) < 0.01 * expected.growths + 1e-4, which);
        }
    }

    /// Shrinking costs less than waiting, and never more than the whole run.
    void shrinkingBeatsWaiting() {
        for (const double mean : {0.1, 1.0, 5.0, 40.0}) {
            for (const int spares : {0, 1, 6, 45}) {
                const ElasticLoss loss = elasticLoss(mean, spares, 256, 32);
                QVERIFY(loss.idleShare <= outOfSpares(mean, spares) + 1e-12);
                QVERIFY(loss.idleShare >= 0 && loss.growths >= 0 && loss.growths <= 1 + 1e-9);
            }
        }
        QCOMPARE(elasticLoss(0, 0, 256, 32).idleShare, 0.0);
    }

    /// The number of spares that is called cheapest is that of the lowest rent x time of all numbers.
    void cheapestIsCheapest() {
        const NodeShortage run{.nodes = 256, .meanInRepair = 4, .elasticReplicas = 16, .growthShare = 0.02};
        const auto cost = [&](int spares) { return (run.nodes + spares) / (1 - shortageShare(run, spares)); };
        const int best = cheapestSpares(run);
        for (int spares = 0; spares < 40; ++spares)
            QVERIFY(cost(best) <= cost(spares));
        NodeShortage waits = run;
        waits.elasticReplicas = 0;
        QCOMPARE(cheapestSpares(waits), cheapestSpares(256, 4));
        QVERIFY(cheapestSpares(run) <= cheapestSpares(waits)); // shrinking needs fewer of them
    }

private:
    struct Case {
        double mean;
        int spares;
        double nodes, replicas;
    };
};

QTEST_APPLESS_MAIN(TestElasticRun)

} // namespace tst_elastic_run

#include "tst_elastic_run.moc"
