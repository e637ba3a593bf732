// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/error_figures.h"

#include <QTest>

#include <cmath>

namespace tst_error_figures {

using namespace alidade;

/// Figures over rows of which each sweep counts once.
class TestErrorFigures : public QObject {
    Q_OBJECT

    static ValidationRow row(const char* group, double weight, double predicted, double low = 0,
                             double high = 0) {
        ValidationRow r;
        r.group = group;
        r.weight = weight;
        r.measured = 1;
        r.predicted = predicted;
        r.error = predicted - 1;
        r.low = low;
        r.high = high;
        return r;
    }
    static ValidationSummary of(const std::vector<ValidationRow>& rows) {
        std::vector<const ValidationRow*> some;
        for (const ValidationRow& r : rows)
            some.push_back(&r);
        return errorFigures(some);
    }

private slots:
    void quantilesCountWeight() {
        QCOMPARE(weightedQuantile({{3, 1}, {1, 1}, {2, 1}}, 0.5), 2.0);
        QCOMPARE(weightedQuantile({{3, 5}, {1, 1}, {2, 1}}, 0.5), 3.0);
        QCOMPARE(weightedQuantile({{1, 1. / 3}, {2, 1. / 3}, {3, 1. / 3}}, 1), 3.0);
        QVERIFY(std::isnan(weightedQuantile({}, 0.5)));
    }

    void aSweepOfManyRowsCountsOnce() {
        // Four rows of one sweep are 40 % off, one other row is 4 % off.
        std::vector<ValidationRow> rows(4, row("sweep", 0.25, 1.4));
        rows.push_back(row("single", 1, 0.96));
        const ValidationSummary figures = of(rows);
        QCOMPARE(figures.n, 5);
        QCOMPARE(figures.groups, 2);
        QCOMPARE(figures.meanAbsError, (0.4 + 0.04) / 2);
        QCOMPARE(figures.medianAbsError, 1 - 0.96);
        QCOMPARE(figures.p90AbsError, 1.4 - 1);
        QCOMPARE(figures.within10, 0.5);
        QCOMPARE(figures.within20, 0.5);
        QCOMPARE(figures.bias, 0.96 - 1);
    }

    void onlyRowsWithABandCountForItsCoverage() {
        const ValidationSummary figures =
            of({row("a", 1, 1.1, 0.9, 1.3), row("b", 1, 1.5, 1.4, 1.6), row("c", 1, 1.2)});
        QCOMPARE(figures.bandCoverage, 0.5);
        QCOMPARE(figures.bandHalfWidth, (1.6 - 1.4) / (2 * 1.5));
        QVERIFY(std::isnan(of({row("c", 1, 1.2)}).bandCoverage));
    }

    void nothingIsKnownWithoutARow() {
        const ValidationSummary figures = of({});
        QCOMPARE(figures.n, 0);
        QVERIFY(std::isnan(figures.medianAbsError));
        QVERIFY(std::isnan(figures.within20));
    }
};

QTEST_APPLESS_MAIN(TestErrorFigures)

} // namespace tst_error_figures

#include "tst_error_figures.moc"
