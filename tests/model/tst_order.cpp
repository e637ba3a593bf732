// SPDX-License-Identifier: GPL-3.0-or-later
// Orders as they are sold, by hand.
#include "model/base/calendar.h"
#include "model/cost/order.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

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
            .rental = {.blockEndHours = 0.5}};
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
                             .rental = {.blockEndHours = 1, .blocksOfOne = true}};
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

    /// A percentage of nothing is not a line.
    void percentagesOfNothing() {
        const Order order = orderOf({onDemand(2, 337.5, 0)}, {}, {.support = 30'000, .tax = 200'000});
        QCOMPARE(order.lines.size(), std::size_t{1});
        QCOMPARE(order.total, Cents{0});
    }

    /// The rent alone is what the lines of the order add up to.
    void rentIsTheSumOfTheLines() {
        for (const int count : {1, 3, 20, 63, 64, 65, 200, 256}) {
            for (const double hours : {0.01, 23.4, 335.5, 1047.123, 5000.0, 9001.7}) {
                QCOMPARE(rentOf(count, hours, nanoDollars(41.528), {.blockEndHours = 0.5}),
                         orderOf({blocks(count, hours, 41.528)}, {}, {}).total);
                QCOMPARE(rentOf(count, hours, nanoDollars(55.04), {}),
                         orderOf({onDemand(count, hours, 55.04)}, {}, {}).total);
                for (const RentalTerms& terms :
                     {RentalTerms{.blockEndHours = 1, .blocksByDay = true}, RentalTerms{.termYears = 1}}) {
                    OrderedMachines machines = onDemand(count, hours, 41.528);
                    machines.rental = terms;
                    QCOMPARE(rentOf(count, hours, machines.price, terms), orderOf({machines}, {}, {}).total);
                }
            }
        }
    }

    /// AWS bills every hour of the term, used or not: what follows the 49 days is paid and idle.
    void aCommitmentIsPaidToTheEndOfItsTerm_data() {
        QTest::addColumn<Purchase>("purchase");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("Savings Plan") << Purchase::savingsPlan << QByteArray("Savings Plan");
        QTest::newRow("reservation") << Purchase::reserved << QByteArray("reserved");
    }
    void aCommitmentIsPaidToTheEndOfItsTerm() {
        QFETCH(Purchase, purchase);
        QFETCH(QByteArray, name);
        OrderedMachines two = onDemand(2, 49 * 24, 23.78);
        two.purchase = purchase;
        two.rental = {.termYears = 1};
        two.commitment = "1 year, no upfront";
        const OrderedService storage{.text = "FSx for Lustre",
                                     .unit = "GB-months",
                                     .quantity = thousandths(100),
                                     .price = nanoDollars(0.6)};
        const Order order = orderOf({two}, {storage}, {.start = dayNumber(2027, 1, 4)});
        QCOMPARE(order.lines.at(0).text, "2 x p5.48xlarge, " + name.toStdString() + ", 1 year, no upfront");
        QCOMPARE(thousandthsText(order.lines[0].quantity), std::string("17520")); // 2 x 8,760
        QCOMPARE(centsText(order.lines[0].amount), std::string("416625.60"));
        QCOMPARE(order.lines[0].to, std::string("2028-01-04"));
        QCOMPARE(order.months.size(), std::size_t{13});
        QCOMPARE(centsText(order.lines[0].months[0]), std::string("31960.32")); // 28 days of January
        QCOMPARE(centsText(order.lines[0].months[2]), std::string("35384.64")); // 31 days of March
        QCOMPARE(thousandthsText(order.idleHours), std::string("15168"));       // 2 x (8,760 - 1,176)
        QVERIFY2(order.remarks.back().find(
                     "needed until 2027-02-22. 15,168 of 17,520 instance-hours of the term, $360,695.04, are "
                     "paid and not used") != std::string::npos,
                 order.remarks.back().c_str());
        QCOMPARE(order.remarks.front().find("commits to $47.56 for every hour of 1 year") !=
                     std::string::npos,
                 purchase == Purchase::savingsPlan);
        // Storage goes when the run ends.
        QCOMPARE(order.lines.at(1).to, std::string("2027-02-22"));
        QCOMPARE(order.lines[1].months[2], Cents{0});
        QCOMPARE(paidIn(order), order.total);
    }

    void upfrontPaymentsOfACommitment() {
        OrderedMachines one = onDemand(1, 8760 * 3, 10);
        one.purchase = Purchase::savingsPlan;
        one.rental = {.termYears = 3, .upfrontShare = 1'000'000};
        Order order = orderOf({one}, {}, {});
        QCOMPARE(order.months.size(), std::size_t{36});
        QCOMPARE(centsText(order.months[0].paid), std::string("262800.00"));
        QCOMPARE(order.idleHours, Thousandths{0});
        one.rental.upfrontShare = 500'000;
        order = orderOf({one}, {}, {});
        QCOMPARE(centsText(order.months[0].paid),
                 std::string("135050.00")); // half, and 730 h x 5 of the rest
        QCOMPARE(centsText(order.months[35].paid), std::string("3650.00"));
        QCOMPARE(paidIn(order), order.total);
        const auto partly = [](const Order& of) {
            return std::ranges::any_of(of.remarks, [](const std::string& text) {
                return text.starts_with("Partial upfront: half");
            });
        };
        QVERIFY(partly(order));
        QCOMPARE(order.remarks.front(),
                 std::string("The Savings Plan commits to $10.00 for every hour of 3 years, used or not, and "
                             "cannot be canceled; it does not reserve capacity."));
        one.rental.upfrontShare = 1'000'000;
        QVERIFY(!partly(orderOf({one}, {}, {})));
        one.rental.upfrontShare = 0;
        QVERIFY(!partly(orderOf({one}, {}, {})));
        one.rental.upfrontShare = 500'000;
        one.hours += 1; // a second term
        QCOMPARE(centsText(orderOf({one}, {}, {}).total), std::string("525600.00"));
    }

    /// Any number of days, where a Capacity Block has whole weeks; the last hour is unusable.
    void aTrainingPlan() {
        OrderedMachines twenty = onDemand(20, 350, 40);
        twenty.purchase = Purchase::trainingPlan;
        twenty.rental = {.blockEndHours = 1, .blocksByDay = true};
        Order order = orderOf({twenty}, {}, {.start = dayNumber(2027, 1, 25)});
        QCOMPARE(order.lines.size(), std::size_t{2});
        QCOMPARE(order.lines[0].text, std::string("Training plan, 16 x p5.48xlarge, 15 days"));
        QCOMPARE(order.lines[1].text, std::string("Training plan, 4 x p5.48xlarge, 15 days"));
        QCOMPARE(centsText(order.total), std::string("288000.00"));
        QCOMPARE(order.months.at(0).paid, order.total); // the whole fee at once
        twenty.hours = 15 * 24 - 1;
        QCOMPARE(centsText(orderOf({twenty}, {}, {}).total), std::string("288000.00"));
        twenty.hours = 15 * 24 - 0.5;
        QCOMPARE(orderOf({twenty}, {}, {}).lines[0].text,
                 std::string("Training plan, 16 x p5.48xlarge, 16 days"));
    }

    /// Blocks and plans that follow each other are bought one by one.
    void blocksAfterEachOther() {
        const auto remarked = [](const OrderedMachines& machines, std::string_view begin) {
            return std::ranges::any_of(orderOf({machines}, {}, {}).remarks,
                                       [begin](const std::string& text) { return text.starts_with(begin); });
        };
        OrderedMachines lasting = blocks(1, 200 * 24, 40); // 182 days are the longest block
        QVERIFY(remarked(lasting, "Blocks that follow each other are bought one by one;"));
        QVERIFY(!remarked(lasting, "Plans"));
        lasting.purchase = Purchase::trainingPlan;
        lasting.rental = {.blockEndHours = 1, .blocksByDay = true};
        QVERIFY(remarked(lasting, "Plans that follow each other are bought one by one;"));
        QVERIFY(!remarked(blocks(1, 100 * 24, 40), "Blocks that follow"));
        OrderedMachines beside = blocks(20, 500, 40); // 16 and 4
        QVERIFY(remarked(beside, "Blocks bought together may be in different Availability Zones;"));
        beside.purchase = Purchase::trainingPlan;
        beside.rental = {.blockEndHours = 1, .blocksByDay = true};
        QVERIFY(remarked(beside, "Plans bought together may be in different Availability Zones;"));
    }

    /// A run that gains less than it loses has no time that could be billed.
    void timesThatAreBilled() {
        QVERIFY(isBillable(0) && isBillable(9.9e7));
        QVERIFY(!isBillable(-1) && !isBillable(1.1e8));
    }

    /// The tiers are those of a calendar month: a part of a month has a part of its volume.
    void dataSentToTheInternet() {
        const OrderedTransfer service{.gigabytes = thousandths(100'000),
                                      .monthly = true,
                                      .tiers = {{thousandths(10'240), nanoDollars(0.09)},
                                                {thousandths(51'200), nanoDollars(0.085)},
                                                {thousandths(153'600), nanoDollars(0.07)},
                                                {0, nanoDollars(0.05)}}};
        const OrderTerms terms{.start = dayNumber(2027, 1, 16)};
        Order order = orderOf({onDemand(1, 31 * 24, 1)}, {}, terms, service);
        QCOMPARE(order.lines.size(), std::size_t{4});
        QCOMPARE(order.lines[1].text,
                 std::string("Data transfer to the internet, first 10,240 GB of a month"));
        QCOMPARE(order.lines[2].text,
                 std::string("Data transfer to the internet, from 10,240 to 51,200 GB of a month"));
        QCOMPARE(centsText(order.lines[1].amount), std::string("1843.20")); // 2 x 10,240
        QCOMPARE(centsText(order.lines[2].amount), std::string("6963.20")); // 2 x 40,960
        // 16 of 31 days of January: 51,612.903; 15 of 28 of February: 53,571.429
        QCOMPARE(thousandthsText(order.lines[3].quantity), std::string("2784.332"));
        QCOMPARE(centsText(order.lines[3].amount), std::string("194.90"));
        QVERIFY(order.lines[3].months[0] < order.lines[3].months[1]);
        QCOMPARE(paidIn(order), order.total);

        OrderedTransfer run = service;
        run.gigabytes = thousandths(20'000);
        run.monthly = false;
        order = orderOf({onDemand(1, 31 * 24, 1)}, {}, terms, run);
        QCOMPARE(order.lines.size(), std::size_t{3});
        QCOMPARE(centsText(order.lines[1].amount), std::string("921.60")); // 10,240 x 0.09
        QCOMPARE(centsText(order.lines[2].amount), std::string("829.60")); // 9,760 x 0.085
        QCOMPARE(order.lines[1].months[0], Cents{0});                      // when it ends
        QCOMPARE(paidIn(order), order.total);
        run.gigabytes = thousandths(200'000);
        order = orderOf({onDemand(1, 31 * 24, 1)}, {}, terms, run);
        QCOMPARE(order.lines.back().text,
                 std::string("Data transfer to the internet, above 153,600 GB of a month"));
        QCOMPARE(centsText(order.lines.back().amount), std::string("2320.00")); // 46,400 x 0.05
    }

    /// Each line is converted and rounded once; totals and months are sums of those.
    void anotherCurrency() {
        const Conversion euro{.currency = "EUR", .rate = 921'300'000, .date = "2026-11-20"};
        Order order =
            orderOf({onDemand(2, 337.5, 55.04), onDemand(1, 1000, 0.01)}, {},
                    {.start = dayNumber(2027, 1, 25), .support = 30'000, .tax = 190'000, .conversion = euro});
        QCOMPARE(amountText(order.lines[0].converted, 2), std::string("34228.14")); // 37,152.00 x 0.9213
        QCOMPARE(amountText(order.lines[1].converted, 2), std::string("9.21"));     // 10.00
        std::int64_t lines = 0, months = 0;
        for (const OrderLine& line : order.lines) {
            lines += line.converted;
            QCOMPARE(
                std::accumulate(line.convertedMonths.begin(), line.convertedMonths.end(), std::int64_t{0}),
                line.converted);
        }
        for (const OrderMonth& month : order.months)
            months += month.converted;
        QCOMPARE(order.convertedTotal, lines);
        QCOMPARE(months, lines);
        QCOMPARE(order.convertedBeforeTax, lines - order.lines.back().converted);
        // Yen have no smaller coin, dinars three decimals.
        QCOMPARE(amountText(convertedAmount(3'715'200, 155'500'000'000, currencyDigits("JPY")), 0),
                 std::string("5777136"));
        QCOMPARE(amountText(convertedAmount(3'715'200, 307'150'000, currencyDigits("KWD")), 3),
                 std::string("11411.237")); // 37,152.00 x 0.30715 = 11,411.2368
        QCOMPARE(currencyDigits("CHF"), 2);
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
