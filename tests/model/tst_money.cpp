// SPDX-License-Identifier: GPL-3.0-or-later
// Decimal money: the worked bill of a 32-instance Capacity Block, by hand.
#include "model/cost/money.h"

#include <QTest>

#include <array>
#include <numeric>
#include <random>

namespace tst_money {

using namespace alidade;

class TestMoney : public QObject {
    Q_OBJECT

private slots:
    void linesAreExact_data() {
        QTest::addColumn<double>("quantity");
        QTest::addColumn<double>("price");
        QTest::addColumn<QString>("amount");
        // 32 instances x 21 days x 24 h; 2 x 337.5 h; 38,400 GB for 24 of 30 days; 120,000 GB in two tiers
        QTest::newRow("block") << 16128.0 << 41.528 << "669763.58";
        QTest::newRow("on demand") << 675.0 << 55.04 << "37152.00";
        QTest::newRow("file system") << 30720.0 << 0.34 << "10444.80";
        QTest::newRow("first tier") << 51200.0 << 0.023 << "1177.60";
        QTest::newRow("second tier") << 68800.0 << 0.022 << "1513.60";
        QTest::newRow("half a cent") << 1.0 << 0.005 << "0.01";
        QTest::newRow("below half a cent") << 0.999 << 0.005 << "0.00";
        QTest::newRow("all of AWS") << 1e9 << 761.904 << "761904000000.00";
    }
    void linesAreExact() {
        QFETCH(double, quantity);
        QFETCH(double, price);
        QFETCH(QString, amount);
        QCOMPARE(QString::fromStdString(centsText(amountOf(thousandths(quantity), nanoDollars(price)))),
                 amount);
    }

    /// What is paid back is rounded as what is paid: half a cent away from zero.
    void negativeAmounts() {
        QCOMPARE(amountOf(thousandths(1), nanoDollars(-0.125)), Cents{-13});
        QCOMPARE(amountOf(thousandths(1), nanoDollars(-0.124)), Cents{-12});
        QCOMPARE(shareOf(-1'000, 2'500), Cents{-3}); // a quarter percent of $10: 2.5 cents
        QCOMPARE(shareOf(-1'000, 2'400), Cents{-2});
        QCOMPARE(convertedAmount(-100, 925'000'000, 2), std::int64_t{-93}); // 92.5
    }

    /// Percent lines are computed from printed amounts.
    void percentsOfPrintedAmounts() {
        const Cents lines = 72'006'358;
        const Cents discount = -shareOf(3'715'200, 120'000);
        QCOMPARE(discount, Cents{-445'824});
        const Cents contingency = shareOf(lines + discount, 100'000);
        QCOMPARE(contingency, Cents{7'156'053});
        const Cents tax = shareOf(lines + discount + contingency, 200'000);
        QCOMPARE(tax, Cents{15'743'317});
        QCOMPARE(centsText(lines + discount + contingency + tax), std::string("944599.04"));
    }

    /// Minutes of a block in January and February, by hand: the larger remainder gets the cent.
    void monthsAddUpToTheLine() {
        const std::array<std::int64_t, 2> minutes{16'590, 13'650};
        const std::vector<Cents> parts = splitCents(66'976'358, minutes);
        QCOMPARE(parts[0], Cents{36'743'974});
        QCOMPARE(parts[1], Cents{30'232'384});
        std::mt19937_64 random(7);
        for (int i = 0; i < 1000; ++i) {
            std::vector<std::int64_t> weights;
            for (std::size_t n = 1 + random() % 20; n > 0; --n)
                weights.push_back(static_cast<std::int64_t>(random() % 50'000));
            weights.back() += 1;
            const Cents amount = static_cast<Cents>(random() % 1'000'000'000'000) - 500'000'000'000;
            const std::vector<Cents> split = splitCents(amount, weights);
            QCOMPARE(std::accumulate(split.begin(), split.end(), Cents{0}), amount);
            for (std::size_t k = 0; k < split.size(); ++k)
                QVERIFY(weights[k] > 0 || split[k] == 0);
        }
    }

    void texts() {
        QCOMPARE(centsText(-5), std::string("-0.05"));
        QCOMPARE(thousandthsText(1'697'050), std::string("1697.05"));
        QCOMPARE(thousandthsText(7'000), std::string("7"));
        QCOMPARE(priceText(41'528'000'000), std::string("41.528"));
        QCOMPARE(priceText(55'000'000'000), std::string("55.00"));
        QCOMPARE(priceText(400'000), std::string("0.0004"));
    }
};

QTEST_APPLESS_MAIN(TestMoney)

} // namespace tst_money

#include "tst_money.moc"
