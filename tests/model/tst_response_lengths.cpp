// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/normal.h"
#include "model/posttraining/response_lengths.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tst_response_lengths {

using namespace alidade;

namespace {

bool within(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

/// Equally likely uncut lengths of a log-normal distribution with this median and deviation of the logarithm.
std::vector<double> lengthsOf(double median, double sigma) {
    constexpr int n = 100'000;
    std::vector<double> out;
    for (int i = 0; i < n; ++i)
        out.push_back(median * std::exp(sigma * normalQuantile((i + 0.5) / n)));
    return out;
}

} // namespace

/// Moments of log-normal lengths that a limit cuts, against the same by counting many lengths.
class TestResponseLengths : public QObject {
    Q_OBJECT

private slots:
    /// A mean of 800 after the cut at 1,500, a coefficient of variation of 0.9 before it, one in fifty
    /// running away.
    void momentsByCounting_data() {
        QTest::addColumn<double>("runaway");
        QTest::newRow("cut") << 0.0;
        QTest::newRow("with runaways") << 0.02;
    }
    void momentsByCounting() {
        QFETCH(double, runaway);
        const double limit = 1500;
        const ResponseLengths lengths(800, 0.9, limit, runaway);
        QVERIFY(within(lengths.sigma(), std::sqrt(std::log(1.81)), 1e-12));
        // The median of the uncut lengths: the length that half of those which end by themselves are below.
        const double median = lengths.quantile(0.5 * (1 - runaway));
        double mean = 0, square = 0, cut = 0, below = 0, belowMean = 0, belowSquare = 0, short1 = 0;
        const std::vector<double> drawn = lengthsOf(median, lengths.sigma());
        const auto n = static_cast<double>(drawn.size());
        for (const double uncut : drawn) {
            const double length = std::min(uncut, limit);
            mean += length / n;
            square += length * length / n;
            cut += uncut > limit ? 1 / n : 0;
            short1 += std::min(length, 600.0) / n;
            if (length <= 600) {
                below += 1 / n;
                belowMean += length / n;
                belowSquare += length * length / n;
            }
        }
        const auto with = [&](double ended, double ran) { return (1 - runaway) * ended + runaway * ran; };
        QVERIFY(within(with(mean, limit), 800, 1e-4));
        QVERIFY(within(lengths.mean(), 800, 1e-12));
        QVERIFY(within(lengths.meanBelow(limit), 800, 1e-6));
        QVERIFY(within(lengths.meanBelow(2 * limit), 800, 1e-6));
        QVERIFY(within(lengths.secondMoment(), with(square, limit * limit), 1e-4));
        QVERIFY(within(lengths.cutShare(), with(cut, 1), 1e-3));
        QVERIFY(within(lengths.meanBelow(600), with(short1, 600), 1e-4));
        QVERIFY(within(lengths.residualAbove(600), 1 - with(short1, 600) / 800, 1e-3));
        QVERIFY(within(lengths.above(600), 1 - below, 1e-3));
        QCOMPARE(lengths.above(limit), 0.0);
        QCOMPARE(lengths.above(0), 1.0);
        QCOMPARE(lengths.meanBelow(0), 0.0);
        const ResponseLengths::Moments some = lengths.momentsBelow(600);
        const double some1 = belowMean / below;
        QVERIFY(within(some.mean, some1, 1e-3));
        QVERIFY(within(some.variance, belowSquare / below - some1 * some1, 2e-3));
        const ResponseLengths::Moments all = lengths.momentsBelow(limit);
        QVERIFY(within(all.mean, 800, 1e-9));
        QVERIFY(within(all.variance, with(square, limit * limit) - 800.0 * 800, 1e-3));
        QCOMPARE(lengths.momentsBelow(1e-3).variance, 0.0);
        QCOMPARE(lengths.quantile(1 - runaway / 2), limit);
        QVERIFY(within(lengths.longestQuantile(10, 0.3), lengths.quantile(std::pow(0.3, 0.1)), 1e-12));
    }

    /// The longest of n: of few by integration over its distribution, of many the limit.
    void longestOfSome() {
        const ResponseLengths free(800, 0.9, 1e9);
        const double sigma = free.sigma(), median = 800 / std::sqrt(1.81);
        for (const double n : {2.0, 5.0, 40.0}) {
            double expected = 0;
            constexpr int levels = 200'000;
            for (int i = 0; i < levels; ++i) { // quantiles of the longest: those of one at p^(1/n)
                const double p = std::pow((i + 0.5) / levels, 1 / n);
                expected += median * std::exp(sigma * normalQuantile(p)) / levels;
            }
            QVERIFY(within(free.meanOfLongest(n), expected, 2e-3));
            // Blom 1958: at the quantile (n - 0.375) / (n + 0.25), here in the logarithm.
            QVERIFY(within(free.longestOf(n),
                           median * std::exp(sigma * normalQuantile((n - 0.375) / (n + 0.25))), 1e-9));
        }
        QCOMPARE(free.meanOfLongest(1), 800.0);
        // One in ten runs to the limit of 5,000: of 8 none does in 0.9^8 of the cases.
        const ResponseLengths some(800, 0.9, 5000, 0.05), none(800, 0.9, 5000);
        QVERIFY(some.longestOf(8) > none.longestOf(8));
        const double ended = some.quantile(normalBelow(blomMaximum(8)) * 0.95);
        QVERIFY(within(some.longestOf(8), 5000 - std::pow(0.95, 8) * (5000 - ended), 1e-9));
        QVERIFY(within(some.longestOf(10'000), 5000, 1e-6));
        QVERIFY(within(some.meanOfLongest(10'000), 5000, 1e-6));
    }

    /// Equal lengths, and a mean that is the limit.
    void noSpread() {
        const ResponseLengths equal(700, 0, 1500, 0.02); // nothing runs away where all are equal
        QCOMPARE(equal.above(699), 1.0);
        QCOMPARE(equal.above(701), 0.0);
        QCOMPARE(equal.meanBelow(600), 600.0);
        QCOMPARE(equal.meanBelow(800), 700.0);
        QCOMPARE(equal.quantile(0.99), 700.0);
        QCOMPARE(equal.longestOf(50), 700.0);
        QCOMPARE(equal.meanOfLongest(50), 700.0);
        QCOMPARE(equal.secondMoment(), 490'000.0);
        QCOMPARE(equal.cutShare(), 0.0);
        QCOMPARE(equal.momentsBelow(800).mean, 700.0);
        QCOMPARE(equal.momentsBelow(800).variance, 0.0);
        const ResponseLengths whole(2000, 0.5, 1500);
        QCOMPARE(whole.mean(), 1500.0);
        QCOMPARE(whole.meanOfLongest(9), 1500.0);
    }
};

QTEST_APPLESS_MAIN(TestResponseLengths)

} // namespace tst_response_lengths

#include "tst_response_lengths.moc"
