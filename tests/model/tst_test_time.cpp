// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/accuracy_curve.h"
#include "model/posttraining/test_time.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tst_test_time {

using namespace alidade;

namespace {

bool near(double a, double b, double relative = 1e-12) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Longest of n log-normal lengths, drawn many times and ascending.
std::vector<double> drawnLongest(double mean, double cv, double budget, int n, int draws) {
    std::mt19937_64 random(7);
    const double sigma = std::sqrt(std::log1p(cv * cv));
    std::lognormal_distribution<double> length(std::log(mean) - sigma * sigma / 2, sigma);
    std::vector<double> out;
    for (int i = 0; i < draws; ++i) {
        double longest = 0;
        for (int k = 0; k < n; ++k)
            longest = std::max(longest, std::min(budget, length(random)));
        out.push_back(longest);
    }
    std::ranges::sort(out);
    return out;
}

double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double each : values)
        sum += each;
    return sum / static_cast<double>(values.size());
}

} // namespace

class TestTestTime : public QObject {
    Q_OBJECT

private slots:
    void passAtKByHand() {
        QVERIFY(near(passAtK(4, 1, 2), 1 - 3.0 / 6)); // C(3,2) / C(4,2)
        QVERIFY(near(passAtK(10, 3, 1), 0.3));
        QCOMPARE(passAtK(8, 0, 8), 0.0);
        QCOMPARE(passAtK(8, 1, 8), 1.0);
    }

    void majorityByHand() {
        // Of 5 samples 3 are right; 3 are drawn: C(3,2) C(2,1) + C(3,3) of C(5,3) = 7 of 10.
        QVERIFY(near(majorityAtK(5, 3, 3), 0.7));
        // 2 are drawn: both are right in 3 of 10, one is in 6 of 10, and then a coin decides.
        QVERIFY(near(majorityAtK(5, 3, 2), 0.6));
        QVERIFY(near(majorityAtK(10, 3, 1), 0.3));
        QCOMPARE(majorityAtK(9, 0, 5), 0.0);
        QVERIFY(near(majorityAtK(9, 9, 5), 1.0));
        for (int c = 0; c <= 12; ++c)
            for (int k = 1; k <= 12; ++k)
                QVERIFY(majorityAtK(12, c, k) <= passAtK(12, c, k) + 1e-12);
    }

    void theLongestIsThatOfDraws_data() {
        QTest::addColumn<double>("cv");
        QTest::addColumn<double>("budget");
        QTest::addColumn<int>("n");
        for (const double cv : {0.3, 0.7, 1.5}) {
            for (const double budget : {1e12, 12'000.0})
                for (const int n : {1, 2, 4, 16, 64})
                    QTest::addRow("cv %g, budget %g, %d samples", cv, budget, n) << cv << budget << n;
        }
    }
    void theLongestIsThatOfDraws() {
        QFETCH(double, cv);
        QFETCH(double, budget);
        QFETCH(int, n);
        const ResponseLengths lengths = sampleLengths(6000, cv, budget);
        const std::vector<double> drawn = drawnLongest(6000, cv, budget, n, 20'000);
        const auto at = [&](double p) { return drawn[static_cast<std::size_t>(p * 20'000)]; };
        const double expected = meanOf(drawn);
        QVERIFY2(near(lengths.meanOfLongest(n), expected, 0.03),
                 qPrintable(QStringLiteral("%1 against %2").arg(lengths.meanOfLongest(n)).arg(expected)));
        for (const double p : {0.5, 0.9}) {
            QVERIFY2(
                near(lengths.longestQuantile(n, p), at(p), 0.03),
                qPrintable(QStringLiteral("%1 against %2").arg(lengths.longestQuantile(n, p)).arg(at(p))));
        }
    }

    void oneSampleIsItsMean() {
        QCOMPARE(sampleLengths(6000, 0.7, 0).meanOfLongest(1), sampleLengths(6000, 0.7, 0).mean());
        QCOMPARE(sampleLengths(6000, 0, 0).meanOfLongest(64), 6000.0);
    }

    void moreSamplesTakeLonger() {
        const ResponseLengths lengths = sampleLengths(6000, 0.7, 16'384);
        double before = 0;
        for (int n = 1; n <= 64; n *= 2) {
            const double now = lengths.meanOfLongest(n);
            QVERIFY(now > before && now <= 16'384);
            before = now;
        }
    }

    void budgetsCut() {
        QVERIFY(near(sampleLengths(6000, 0.7, 0).mean(), 6000, 1e-6));
        QCOMPARE(sampleLengths(6000, 0, 4000).mean(), 4000.0);
        QCOMPARE(sampleLengths(6000, 0.7, 1).limit(), 1.0);
        QCOMPARE(sampleLengths(6000, 0, 8000).mean(), 6000.0);
        double before = 0;
        for (const double budget : {500.0, 2000.0, 6000.0, 24'000.0}) {
            const double mean = sampleLengths(6000, 0.7, budget).mean();
            QVERIFY(mean > before && mean < std::min(budget, 6000.0));
            QVERIFY(near(mean, meanOf(drawnLongest(6000, 0.7, budget, 1, 20'000)), 0.02));
            before = mean;
        }
    }

    void curvesAreLinearInTheLogarithm() {
        const std::vector<AccuracyPoint> points{{1, 0.4}, {16, 0.8}, {64, 0.9}};
        QVERIFY(near(*accuracyAt(points, 4), 0.6));
        QCOMPARE(*accuracyAt(points, 16), 0.8);
        QVERIFY(near(*accuracyAt(points, 32), 0.85));
        QVERIFY(near(*whereReached(points, 0.7), 8)); // 16^(3/4)
        QCOMPARE(*whereReached(points, 0.3), 1.0);
        QCOMPARE(*whereReached(points, 0.9), 64.0);
    }

    void nothingIsSaidOutside() {
        const std::vector<AccuracyPoint> points{{2, 0.4}, {16, 0.8}};
        QVERIFY(!accuracyAt(points, 1));
        QVERIFY(!accuracyAt(points, 17));
        QVERIFY(!accuracyAt({}, 1));
        QVERIFY(!whereReached(points, 0.81));
    }

    /// The first crossing counts where a curve falls again.
    void fallingCurves() {
        const std::vector<AccuracyPoint> points{{1, 0.4}, {4, 0.6}, {16, 0.5}};
        QVERIFY(near(*whereReached(points, 0.5), 2));
        QVERIFY(near(*accuracyAt(points, 8), 0.55));
    }

    void countsOfTwoProblems() {
        const AccuracyCurve curve = curveOfCounts({{4, 1}, {4, 4}});
        const std::vector<AccuracyPoint> wanted{
            {1, (0.25 + 1) / 2}, {2, (0.5 + 1) / 2}, {3, (0.75 + 1) / 2}, {4, 1}};
        QCOMPARE(curve.points.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QCOMPARE(curve.points[i].at, wanted[i].at);
            QVERIFY(near(curve.points[i].accuracy, wanted[i].accuracy));
        }
        // Two of four: the first problem has one right in half of the draws, and then a coin decides.
        QVERIFY(near(*accuracyAt(curve.majorityAtLeast, 2), (0.25 + 1) / 2));
        QCOMPARE(curveOfCounts({{4, 1}, {2, 1}}).last(), 2.0); // the fewest samples of a problem
        // Five samples are not enough for six of them.
        QCOMPARE(curveOfCounts({{5, 2}}).points.size(), std::size_t(5));
        QCOMPARE(curveOfCounts({{5, 2}}).last(), 5.0);
        QCOMPARE(AccuracyPoint().at, 1.0);
    }

    void selectionIsBoundByPassAtK() {
        const AccuracyCurve curve = curveOfCounts({{8, 5}, {8, 2}});
        const SelectedAccuracy none = selectedAccuracy(curve, AnswerSelection::none, 4);
        QVERIFY(!none.isBound && !none.atLeast);
        const SelectedAccuracy best = selectedAccuracy(curve, AnswerSelection::bestOfN, 4);
        QVERIFY(best.isBound);
        QCOMPARE(*best.value, *none.value);
        QCOMPARE(*best.atLeast, *accuracyAt(curve.points, 1));
        const SelectedAccuracy vote = selectedAccuracy(curve, AnswerSelection::majority, 4);
        QVERIFY(*vote.atLeast < *vote.value);
        QVERIFY(!selectedAccuracy(curve, AnswerSelection::majority, 1).isBound);
        QVERIFY(!selectedAccuracy(curve, AnswerSelection::none, 9).value);
        const AccuracyCurve measured{AccuracyMeasure::majority, {{1, 0.4}, {4, 0.5}}, {}};
        QVERIFY(!selectedAccuracy(measured, AnswerSelection::majority, 4).isBound);
        QVERIFY(isOfOtherSelection(measured, AnswerSelection::bestOfN));
        QVERIFY(!isOfOtherSelection(measured, AnswerSelection::majority));
        QVERIFY(!isOfOtherSelection(curve, AnswerSelection::bestOfN));
    }
};

QTEST_GUILESS_MAIN(TestTestTime)

} // namespace tst_test_time

#include "tst_test_time.moc"
