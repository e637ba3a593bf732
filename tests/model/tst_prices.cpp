// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"
#include "model/cost/price_age.h"
#include "model/cost/run_cost.h"
#include "model/cost/storage_price.h"

#include <QTest>

#include <cmath>

namespace tst_prices {

using namespace alidade;

/// Ages of prices, billed capacities, rents and Capacity Blocks.
class TestPrices : public QObject {
    Q_OBJECT

private slots:
    /// Days by the calendar; a month counts from its last day, a year from 31 December.
    void agesOfPrices() {
        QCOMPARE(priceAgeDays("2026-11-20", "2026-11-22"), std::optional(2));
        QCOMPARE(priceAgeDays("2026-11-22", "2026-11-20"), std::optional(-2));
        QCOMPARE(priceAgeDays("2026-11", "2026-12-01"), std::optional(1));
        QCOMPARE(priceAgeDays("2028-02", "2028-03-02"), std::optional(2)); // 29 February
        QCOMPARE(priceAgeDays("2026", "2027-01-02"), std::optional(2));
        QCOMPARE(priceAgeDays("2026-01-01", "2027-01-01"), std::optional(365));
        QCOMPARE(priceAgeDays("2026-12-31", "2027-01-01"), std::optional(1));
        QVERIFY(!isOldPrice("2026-01-01", "2026-04-01")); // 90 days
        QVERIFY(isOldPrice("2026-01-01", "2026-04-02"));
        QVERIFY(!isOldPrice("soon", "2026-04-02"));
    }

    void noDates_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"",           "202",         "20x6",       "2026-13",    "2026-00",    "2026-1",
              "2026/11",    "2026-11-",    "2026-11-0",  "2026-11-31", "2026-11-00", "2026-02-29",
              "2026-11/20", "2026-11-20x", "2026-1x",    "2026-11-2x", "0000",       "2026-00-10",
              "2026-13-10", "2026-x1-20",  "2026/11-20", "-026"}) {
            QTest::newRow(*text ? text : "empty") << QString::fromLatin1(text);
        }
    }
    void noDates() {
        QFETCH(QString, text);
        QVERIFY(!priceAgeDays(text.toStdString(), "2026-11-20"));
        QVERIFY(!priceAgeDays("2026-11-20", text.toStdString()));
    }

    /// Whole GiB; rounding errors of a conversion do not count.
    void billedStorage() {
        const double gib = std::pow(2, 30);
        QCOMPARE(billedGigabytes(gib), 1.0);
        QCOMPARE(billedGigabytes(1200 * gib), 1200.0);
        QCOMPARE(billedGigabytes(1200 * gib * (1 + 1e-12)), 1200.0);
        QCOMPARE(billedGigabytes(1200.01 * gib), 1201.0);
        QCOMPARE(billedGigabytes(0.5 * gib), 1.0);
    }

    /// 7.2e9 tokens at 1,000 a second, half of the time counts: 4,000 hours of 3 instances at $2.
    void rentOfARun() {
        const RunCost<double> cost = runCost<double>(7.2e9, 1000, 0.5, 3, 2);
        QCOMPARE(cost.hours, 4000.0);
        QCOMPARE(cost.dollars, 24'000.0);
        QCOMPARE(asBilled(3.14159, 314), 3.14);
    }

    /// $1,000 of rent, $20 and $30 of storage, $5 of energy, $50 of support; neither the rent of the lines
    /// nor the tax is added again.
    void rentAndWhatElseIsOrdered() {
        Order order;
        const auto add = [&order](OrderLineKind kind, Cents amount) {
            OrderLine& line = order.lines.emplace_back();
            line.kind = kind;
            line.amount = amount;
        };
        Trace trace;
        const Traced rent =
            Traced::leaf(trace, 1000, "rent", Dimension::dollars, "a test", SourceKind::catalog);
        QCOMPARE(orderTotal(rent, order).value(), 1000.0);
        add(OrderLineKind::machines, 1'000'00);
        add(OrderLineKind::storage, 20'00);
        add(OrderLineKind::storage, 30'00);
        add(OrderLineKind::energy, 5'00);
        add(OrderLineKind::support, 50'00);
        add(OrderLineKind::tax, 200'00);
        QCOMPARE(orderTotal(rent, order).value(), 1105.0);
        add(OrderLineKind::transfer, 1'00);
        add(OrderLineKind::contingency, 10'00);
        QCOMPARE(orderTotal(rent, order).value(), 1116.0);
    }

    /// Whole days up to 14, then whole weeks up to 26 (Amazon EC2 User Guide, Capacity Blocks for ML).
    void daysOfABlock() {
        const auto days = [](double hours) { return *capacityBlockDays(hours); };
        QCOMPARE(days(1), 1);
        QCOMPARE(days(24), 1);
        QCOMPARE(days(24.1), 2);
        QCOMPARE(days(14 * 24), 14);
        QCOMPARE(days(14 * 24 + 1), 21);
        QCOMPARE(days(21 * 24), 21);
        QCOMPARE(days(21 * 24 + 1), 28);
        QCOMPARE(days(182 * 24), 182);
        QVERIFY(!capacityBlockDays(182 * 24 + 1));
        QVERIFY(!capacityBlockDays(HUGE_VAL));
    }

    /// Instances end half an hour before their block. A run that is longer than 182 days takes several.
    void hoursToPay() {
        QCOMPARE(capacityBlockPaidHours(23.5), 24.0);
        QCOMPARE(capacityBlockPaidHours(23.6), 48.0);
        QCOMPARE(capacityBlockPaidHours(23.5, 1), 48.0);
        const double usable = 182 * 24 - 0.5;
        QCOMPARE(capacityBlockPaidHours(usable), 182 * 24.0);
        QCOMPARE(capacityBlockPaidHours(usable + 10), 183 * 24.0);
        QCOMPARE(capacityBlockPaidHours(2 * usable), 364 * 24.0);
        QVERIFY(std::isinf(capacityBlockPaidHours(HUGE_VAL)));
    }

    /// Sizes are powers of two up to 64; an account holds 256 instances.
    void sizesOfBlocks() {
        const CapacityBlockPlan plan = *planCapacityBlocks(77, 100);
        QVERIFY(plan.sizes == (std::vector<int>{64, 8, 4, 1}));
        QCOMPARE(plan.days, 5);
        QCOMPARE(plan.bookedHours, 77 * 120.0);
        QCOMPARE(plan.usedHours, 7700.0);
        QCOMPARE(plan.idleHours(), 77 * 20.0);
        QVERIFY((*planCapacityBlocks(256, 100)).sizes == (std::vector<int>{64, 64, 64, 64}));
        QVERIFY(!planCapacityBlocks(257, 100));
        QVERIFY((*planCapacityBlocks(0, 100)).sizes == (std::vector<int>{1}));
        QCOMPARE((*planCapacityBlocks(1, 23.5, 1)).days, 2);
    }
};

QTEST_APPLESS_MAIN(TestPrices)

} // namespace tst_prices

#include "tst_prices.moc"
