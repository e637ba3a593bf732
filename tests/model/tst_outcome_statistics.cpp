// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/explore/outcome_statistics.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace tst_outcome_statistics {

using namespace alidade;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// count values, step apart, the last one first.
std::vector<double> descending(int count, double step = 1) {
    std::vector<double> out;
    for (int i = count; i > 0; --i)
        out.push_back(step * i);
    return out;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

} // namespace

/// What is told of many draws.
class TestOutcomeStatistics : public QObject {
    Q_OBJECT

private slots:
    /// The quantile p of n values is the one at place ceil(p n).
    void quantilesAndMean() {
        const OutcomeFigure ten = statisticsOf(descending(10));
        QCOMPARE(ten.p10, 1.0);
        QCOMPARE(ten.p50, 5.0);
        QCOMPARE(ten.p90, 9.0);
        QCOMPARE(ten.mean, 5.5);
        const OutcomeFigure eleven = statisticsOf(descending(11)); // places 2, 6 and 10
        QCOMPARE(eleven.p10, 2.0);
        QCOMPARE(eleven.p50, 6.0);
        QCOMPARE(eleven.p90, 10.0);
        const OutcomeFigure one = statisticsOf({7});
        QCOMPARE(one.p10, 7.0);
        QCOMPARE(one.p90, 7.0);
        QCOMPARE(one.mean, 7.0);
        QCOMPARE(one.histogram, std::vector<std::size_t>{1});
        QCOMPARE(one.histogramLow, 7.0);
        QCOMPARE(one.histogramWidth, 0.0);
        QVERIFY(statisticsOf({}).histogram.empty());
        QCOMPARE(statisticsOf({3, 3, 3}).histogram, std::vector<std::size_t>{3});
    }

    /// Draws without an outcome count in the quantiles and not in the mean.
    void drawsWithoutAnOutcome() {
        const OutcomeFigure some = statisticsOf({1, 2, 3, unbounded});
        QCOMPARE(some.p50, 2.0);
        QCOMPARE(some.p90, unbounded);
        QCOMPARE(some.mean, 2.0);
        const OutcomeFigure worst = statisticsOf({-unbounded, 2, 4, 6});
        QCOMPARE(worst.p10, -unbounded);
        QCOMPARE(worst.mean, 4.0);
        const OutcomeFigure none = statisticsOf({unbounded, unbounded});
        QCOMPARE(none.p50, unbounded);
        QCOMPARE(none.mean, 0.0);
        QVERIFY(none.histogram.empty());
    }

    /// 1 to 2,000: half a percent is 10 draws at either end, which the outer bins hold besides their own. The
    /// 40 bins reach from the 10th to the 1,990th.
    void histogramWithItsTails() {
        const OutcomeFigure some = statisticsOf(descending(2000));
        QCOMPARE(some.histogram.size(), std::size_t{40});
        QCOMPARE(some.histogramLow, 10.0);
        QVERIFY(near(some.histogramWidth, 1980.0 / 40)); // 49.5
        QCOMPARE(std::accumulate(some.histogram.begin(), some.histogram.end(), std::size_t{0}),
                 std::size_t{2000});
        QCOMPARE(some.histogram[0], std::size_t{59});  // 1 to 59
        QCOMPARE(some.histogram[1], std::size_t{49});  // 60 to 108
        QCOMPARE(some.histogram[2], std::size_t{50});  // 109 to 158
        QCOMPARE(some.histogram[39], std::size_t{60}); // 1,941 to 2,000: the bin begins at 1,940.5
    }

    /// Of two inputs of which one is the value itself, and the other says nothing of it.
    void driversOfAFigure() {
        constexpr std::size_t n = 1000;
        std::vector<double> values, first, reverse, nothing, constant(n, 1.0);
        for (std::size_t i = 0; i < n; ++i) {
            const double score = normalQuantile((static_cast<double>(i) + 0.5) / n);
            first.push_back(score);
            reverse.push_back(-score);
            values.push_back(100 * std::exp(score)); // any rising function
            nothing.push_back(i % 2 == 0 ? 1 : -1);
        }
        const auto alone =
            driversOf(values, {{"n", "Nothing", &nothing}, {"a", "A", &first}, {"c", "Constant", &constant}});
        QCOMPARE(alone.size(), std::size_t{1}); // below a thousandth is left out
        QCOMPARE(alone[0].path, std::string("a"));
        QCOMPARE(alone[0].label, std::string("A"));
        QCOMPARE(alone[0].share, 1.0);
        QVERIFY(near(alone[0].correlation, 1));
        const auto both = driversOf(values, {{"a", "A", &first}, {"r", "R", &reverse}});
        QCOMPARE(both.size(), std::size_t{2});
        QVERIFY(near(both[1].correlation, -1));
        QVERIFY(near(both[0].share, 0.5) && near(both[1].share, 0.5));
        QVERIFY(driversOf({1}, {{"a", "A", &first}}).empty());
        QVERIFY(driversOf(std::vector<double>(n, 5.0), {{"a", "A", &first}}).empty());
    }

    /// Two values are enough: scores 0 and 1 around their mean against ranks at a quarter and three quarters.
    void driversOfTwoDraws() {
        const std::vector<double> scores{3, 4};
        const auto up = driversOf({10, 20}, {{"a", "A", &scores}});
        QCOMPARE(up.size(), std::size_t{1});
        QVERIFY(near(up[0].correlation, 1));
        QVERIFY(near(driversOf({20, 10}, {{"a", "A", &scores}})[0].correlation, -1));
    }

    /// Equal values share the mean of their places: four draws at the quantiles 1/4 (twice), 5/8 and 7/8.
    void equalValuesShareARank() {
        const std::vector<double> values{5, 9, 5, 7}, scores{-2, 3, 1, 0.5};
        const double low = normalQuantile(0.25), middle = normalQuantile(0.625), high = normalQuantile(0.875);
        const double norm = 2 * low * low + middle * middle + high * high;
        const double mean = (-2 + 3 + 1 + 0.5) / 4;
        const double product =
            (-2 - mean) * low + (3 - mean) * high + (1 - mean) * low + (0.5 - mean) * middle;
        const double square =
            std::pow(-2 - mean, 2) + std::pow(3 - mean, 2) + std::pow(1 - mean, 2) + std::pow(0.5 - mean, 2);
        const auto found = driversOf(values, {{"a", "A", &scores}});
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(near(found[0].correlation, product / std::sqrt(norm * square)));
    }

    /// Shares follow the squares of the correlations, each less the 1 / n that n draws of nothing show.
    void sharesOfTheVariance() {
        const std::vector<double> values{1, 2, 3, 4}, steady{1, 2, 3, 4.5}, mixed{1, 3, 2, 4};
        const auto found = driversOf(values, {{"m", "M", &mixed}, {"s", "S", &steady}});
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].path, std::string("s")); // the larger one first
        const double s = std::pow(found[0].correlation, 2) - 0.25,
                     m = std::pow(found[1].correlation, 2) - 0.25;
        QVERIFY(s > m && m > 0);
        QVERIFY(near(found[0].share, s / (s + m)));
        QVERIFY(near(found[1].share, m / (s + m)));
    }
};

QTEST_GUILESS_MAIN(TestOutcomeStatistics)

} // namespace tst_outcome_statistics

#include "tst_outcome_statistics.moc"
