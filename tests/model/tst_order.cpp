// SPDX-License-Identifier: GPL-3.0-or-later
// Orders as they are sold, by hand.
#include "model/base/calendar.h"
#include "model/cost/order.h"

#include <QTest>

#include <numeric>

namespace tst_order {

using namespace alidade;

namespace {

OrderedMachines blocks(int count, double hours, double price) {
    return {.item = "p5.48xlarge",
            .label = {},
            .count = count,
            .hours = hours,
            .price = nanoDollars(price),
            .purchase = Purchase::capacityBlock,
            .blockEndHours = 0.5};
}

OrderedMachines onDemand(int count, double hours, double price) {
    return {.item = "p5.48xlarge", .label = {}, .count = count, .hours = hours, .price = nanoDollars(price)};
}

Cents paidIn(const Order& order) {
    return std::accumulate(order.months.begin(), order.months.end(), Cents{0},
                           [](Cents sum, const OrderMonth& month) { return sum + month.paid; });
}

} // namespace

class TestOrder : public QObject {
    Q_OBJECT

private slots:
    /// 21 days of 32 instances, 669,763.58 at 41.528: paid in the month in which the block starts.
    void aBlock() {
        const Order order = orderOf({blocks(32, 20.9 * 24, 41.528)}, {}, {.start = dayNumber(2027, 1, 20)});
        QCOMPARE(order.lines.size(), std::size_t{1});
        QCOMPARE(order.lines[0].text, std::string("Capacity Block, 32 x p5.48xlarge, 21 days"));
        QCOMPARE(thousandthsText(order.lines[0].quantity), std::string("16128"));
        QCOMPARE(centsText(order.total), std::string("669763.58"));
        QCOMPARE(order.lines[0].from, std::string("2027-01-20"));
        QCOMPARE(order.end, std::string("2027-02-10"));
        QCOMPARE(order.months.size(), std::size_t{2});
        QCOMPARE(order.months[0].name, std::string("2027-01"));
        QCOMPARE(order.months[0].paid, order.total);
        QCOMPARE(order.months[1].paid, Cents{0});
        // 20.9 days are 501.6 h: 32 x (504 - 501.6) instance-hours are paid and idle
        QCOMPARE(thousandthsText(order.idleHours), std::string("76.8"));
    }

    /// 20 instances are 16 + 4, not one of 32: 334,881.79 + 83,720.45.
    void blocksBesideEachOther() {
        const Order order = orderOf({blocks(20, 500, 41.528)}, {}, {});
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(centsText(order.lines[0].amount), std::string("334881.79"));
        QCOMPARE(centsText(order.lines[1].amount), std::string("83720.45"));
        QCOMPARE(centsText(order.total), std::string("418602.24"));
        QCOMPARE(order.remarks.size(), std::size_t{2});
    }

    /// 64 instances for 1,047.5 hours: more than 42 days less the last half hour, so 49 days are bought.
    void daysThatAreSold_data() {
        QTest::addColumn<double>("hours");
        QTest::addColumn<QList<int>>("days");
        QTest::newRow("a day less its last half hour") << 23.5 << QList<int>{1};
        QTest::newRow("a day") << 24.0 << QList<int>{2};
        QTest::newRow("two weeks") << 335.5 << QList<int>{14};
        QTest::newRow("then whole weeks") << 336.0 << QList<int>{21};
        QTest::newRow("six weeks and an hour") << 1008.5 << QList<int>{49};
        QTest::newRow("the longest") << 182 * 24 - 0.5 << QList<int>{182};
        QTest::newRow("one after the other") << 200.0 * 24 << QList<int>{182, 21};
    }
    void daysThatAreSold() {
        QFETCH(double, hours);
        QFETCH(QList<int>, days);
        const Order order = orderOf({blocks(64, hours, 40)}, {}, {.start = dayNumber(2027, 1, 1)});
        QCOMPARE(order.lines.size(), static_cast<std::size_t>(days.size()));
        int from = dayNumber(2027, 1, 1);
        for (qsizetype i = 0; i < days.size(); ++i) {
            const OrderLine& line = order.lines[static_cast<std::size_t>(i)];
            QCOMPARE(line.quantity, Thousandths{64} * 24 * days[i] * 1000);
            QCOMPARE(line.from, dateText(from));
            from += days[i];
            QCOMPARE(line.to, dateText(from));
        }
        QCOMPARE(paidIn(order), order.total);
    }

    void ultraservers() {
        OrderedMachines rack{.item = "u-p6e-gb200x72",
                             .label = {},
                             .ultraserver = true,
                             .count = 2,
                             .hours = 28 * 24 - 1,
                             .price = nanoDollars(761.904),
                             .purchase = Purchase::capacityBlock,
                             .blockEndHours = 1};
        const Order order = orderOf({rack}, {}, {});
        QCOMPARE(order.lines.size(), std::size_t{1});
        QCOMPARE(centsText(order.total), std::string("1023998.98")); // 2 x 511,999.488
        QCOMPARE(order.lines[0].text, std::string("2 Capacity Blocks of 1 x u-p6e-gb200x72, 28 days"));
    }

    /// Use is paid by the month, in proportion to its hours; percentages follow the lines.
    void useAndPercentages() {
        const OrderedService storage{.text = "FSx for Lustre",
                                     .unit = "GB-months",
                                     .quantity = thousandths(30'720),
                                     .price = nanoDollars(0.34)};
        const Order order = orderOf(
            {onDemand(2, 337.5, 55.04)}, {storage},
            {.start = dayNumber(2027, 1, 25), .support = 30'000, .contingency = 100'000, .tax = 200'000});
        QCOMPARE(order.lines.size(), std::size_t{5});
        QCOMPARE(centsText(order.lines[0].amount), std::string("37152.00"));
        QCOMPARE(centsText(order.lines[1].amount), std::string("10444.80"));
        QCOMPARE(centsText(order.lines[2].amount), std::string("1427.90"));  // 3 % of 47,596.80
        QCOMPARE(centsText(order.lines[3].amount), std::string("4902.47"));  // 10 % of 49,024.70
        QCOMPARE(centsText(order.lines[4].amount), std::string("10785.43")); // 20 % of 53,927.17
        QCOMPARE(thousandthsText(order.lines[2].quantity), std::string("3"));
        QCOMPARE(order.lines[2].unit, std::string("% of 47596.80"));
        QCOMPARE(thousandthsText(order.lines[4].quantity), std::string("20"));
        QCOMPARE(centsText(order.beforeTax), std::string("53927.17"));
        QCOMPARE(centsText(order.total), std::string("64712.60"));
        // 7 days of January, 7.0625 of February
        QCOMPARE(order.months.size(), std::size_t{2});
        QCOMPARE(order.lines[0].months[0], amountOf(thousandths(2.0 * 168), nanoDollars(55.04)));
        QCOMPARE(paidIn(order), order.total);
        QVERIFY(order.remarks.empty());
    }

    /// A percentage of nothing is no line.
    void percentagesOfNothing() {
        const Order order = orderOf({onDemand(2, 337.5, 0)}, {}, {.support = 30'000, .tax = 200'000});
        QCOMPARE(order.lines.size(), std::size_t{1});
        QCOMPARE(order.total, Cents{0});
    }

    /// The rent alone is what the lines of the order add up to.
    void rentIsTheSumOfTheLines() {
        for (const int count : {1, 3, 20, 63, 64, 65, 200, 256}) {
            for (const double hours : {0.01, 23.4, 335.5, 1047.123, 5000.0, 9001.7}) {
                QCOMPARE(rentOf(count, hours, nanoDollars(41.528), 0.5, false),
                         orderOf({blocks(count, hours, 41.528)}, {}, {}).total);
                QCOMPARE(rentOf(count, hours, nanoDollars(55.04), 0, false),
                         orderOf({onDemand(count, hours, 55.04)}, {}, {}).total);
            }
        }
    }

    void withoutAStartMonthsAreCounted() {
        const Order order = orderOf({onDemand(2048, 1697.0201, 55.04)}, {}, {});
        QCOMPARE(thousandthsText(order.lines[0].quantity), std::string("3475499.008")); // 2,048 x 1,697.021
        QCOMPARE(order.months.size(), std::size_t{3});
        QCOMPARE(order.months[2].name, std::string("3"));
        QCOMPARE(paidIn(order), order.total);
        QVERIFY(order.end.empty() && order.lines[0].from.empty());
    }
};

QTEST_APPLESS_MAIN(TestOrder)

} // namespace tst_order

#include "tst_order.moc"
