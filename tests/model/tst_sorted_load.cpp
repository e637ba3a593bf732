// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/collectives/expert_dispatch.h"
#include "model/explain/normal.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <vector>

namespace tst_sorted_load {

using namespace alidade;

class TestSortedLoad : public QObject {
    Q_OBJECT

private slots:
    void keepsTheMeanAndTheOrder();
    void largestIsTheFactorOfTheEstimate();
    void agreesWithDrawnLoads();
    void smallMeansStayPositive();
};

void TestSortedLoad::keepsTheMeanAndTheOrder() {
    for (const int n : {1, 2, 8, 64, 257}) {
        double sum = 0;
        double last = 0;
        for (int i = 1; i <= n; ++i) {
            const double load = expectedSortedLoad(4096, i, n);
            QVERIFY(load > last);
            last = load;
            sum += load;
        }
        QVERIFY(std::abs(sum / n - 4096) < 1e-6);
    }
}

void TestSortedLoad::largestIsTheFactorOfTheEstimate() {
    for (const int n : {2, 8, 64, 256})
        for (const double mean : {100.0, 8192.0})
            QVERIFY(std::abs(expectedSortedLoad(mean, n, n) / mean - maxLoadFactor(mean, n)) < 1e-12);
}

/// Against 4,000 draws of 16 Poisson loads.
void TestSortedLoad::agreesWithDrawnLoads() {
    constexpr int n = 16;
    constexpr int draws = 4000;
    const double mean = 400;
    std::mt19937 random(7);
    std::poisson_distribution<int> load(mean);
    std::vector<double> sums(n);
    for (int draw = 0; draw < draws; ++draw) {
        std::vector<int> loads(n);
        std::ranges::generate(loads, [&] { return load(random); });
        std::ranges::sort(loads);
        for (std::size_t i = 0; i < n; ++i)
            sums[i] += loads[i];
    }
    for (int i = 1; i <= n; ++i)
        QVERIFY(std::abs(sums[static_cast<std::size_t>(i) - 1] / draws / expectedSortedLoad(mean, i, n) - 1) <
                0.005);
}

void TestSortedLoad::smallMeansStayPositive() {
    QCOMPARE(expectedSortedLoad(1, 1, 64), 0.0);
    QCOMPARE(expectedSortedLoad(0, 3, 8), 0.0);
}

QTEST_APPLESS_MAIN(TestSortedLoad)

} // namespace tst_sorted_load

#include "tst_sorted_load.moc"
