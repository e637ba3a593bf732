// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/histogram_quantile.h"
#include "tests/registered_test.h"

#include <QTest>

#include <cmath>

namespace tst_histogram_quantile {

using namespace alidade;

/// The cases of Prometheus' own promql/testdata/histograms.test, and those that its code tells apart.
class TestHistogramQuantile : public QObject {
    Q_OBJECT

private slots:
    void isInterpolatedWithinABucket() {
        const std::vector<HistogramBucket> buckets{{0.1, 5}, {0.2, 7}, {1, 10}, {HUGE_VAL, 12}};
        QCOMPARE(histogramQuantile(0.25, buckets), 0.1 * 3 / 5); // from zero in the first one
        QCOMPARE(histogramQuantile(0.5, buckets), 0.1 + (0.2 - 0.1) * 0.5);
        QCOMPARE(histogramQuantile(0.75, buckets), 0.2 + 0.8 * 2 / 3);
        QCOMPARE(histogramQuantile(0.99, buckets), 1.0); // beyond the last bound nothing is known
    }
    void orderDoesNotMatter() {
        QCOMPARE(histogramQuantile(0.5, {{HUGE_VAL, 12}, {1, 10}, {0.1, 5}, {0.2, 7}}),
                 0.1 + (0.2 - 0.1) * 0.5);
    }
    void sameBoundsAreOneBucket() {
        QCOMPARE(histogramQuantile(0.5, {{1, 2}, {1, 2}, {2, 8}, {HUGE_VAL, 8}}), 1.0);
    }
    void countsThatFallAreLeveled() {
        // 2 at 1 s and 1 at 2 s were scraped at different times.
        QCOMPARE(histogramQuantile(0.5, {{1, 2}, {2, 1}, {4, 4}, {HUGE_VAL, 4}}), 1.0);
    }
    void negativeBoundIsNotInterpolated() {
        QCOMPARE(histogramQuantile(0.1, {{-1, 5}, {1, 10}, {HUGE_VAL, 10}}), -1.0);
    }
    void nothingToTell() {
        QVERIFY(std::isnan(histogramQuantile(0.5, {})));
        QVERIFY(std::isnan(histogramQuantile(0.5, {{1, 5}, {2, 8}})));
        QVERIFY(std::isnan(histogramQuantile(0.5, {{HUGE_VAL, 8}})));
        QVERIFY(std::isnan(histogramQuantile(0.5, {{1, 0}, {HUGE_VAL, 0}})));
    }
};

QTEST_GUILESS_MAIN(TestHistogramQuantile)

} // namespace tst_histogram_quantile

#include "tst_histogram_quantile.moc"
