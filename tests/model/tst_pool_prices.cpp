// SPDX-License-Identifier: GPL-3.0-or-later
// What the instances of a pool cost at least: which of its prices is that of the base, of Capacity Blocks and
// of use on demand.
#include "model/fleet/fleet_bill.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <optional>
#include <string>
#include <vector>

namespace tst_pool_prices {

using namespace alidade;
using namespace alidade::test;

namespace {

/// "reserved 24, on_demand 40": prices of an instance-hour in dollars.
std::vector<PoolPrice> pricesIn(const QByteArray& text) {
    std::vector<PoolPrice> out;
    for (const QByteArray& each : text.split(',')) {
        const QList<QByteArray> parts = each.trimmed().split(' ');
        PoolPrice price;
        price.terms.purchase = parts.front().toStdString();
        price.price = nanoDollars(parts.back().toDouble());
        out.push_back(price);
    }
    return out;
}

FleetPool poolWith(const QByteArray& base) {
    FleetPool out;
    out.name = "main";
    out.machine = "h8";
    out.maxInstances = 10;
    if (!base.isEmpty())
        out.base = PurchaseTerms{.purchase = base.toStdString()};
    return out;
}

QByteArray dollars(const std::optional<NanoDollars>& price) {
    return price ? QByteArray::number(static_cast<double>(*price) / 1e9) : QByteArray("-");
}

} // namespace

class TestPoolPrices : public QObject {
    Q_OBJECT

private slots:
    void leastPrices_data() {
        QTest::addColumn<QByteArray>("base");
        QTest::addColumn<QByteArray>("prices");
        QTest::addColumn<QByteArray>("least"); // of the base, of blocks, on demand
        const auto row = [](const char* name, const char* base, const char* prices, const char* least) {
            QTest::newRow(name) << QByteArray(base) << QByteArray(prices) << QByteArray(least);
        };
        row("on demand", "", "on_demand 40", "- - 40");
        row("each", "reserved", "reserved 24, on_demand 40, capacity_block 30", "24 30 40");
        row("the first is the base", "on_demand", "on_demand 45, on_demand 40", "45 - 40");
        row("blocks under blocks", "capacity_block", "capacity_block 32, capacity_block 30", "32 30 -");
        row("a base without a price", "reserved", "on_demand 40, capacity_block 30", "- 30 40");
        row("no base", "", "capacity_block 32, capacity_block 30", "- 30 -");
        row("the least of several", "", "on_demand 44, on_demand 40, on_demand 41", "- - 40");
    }
    void leastPrices() {
        QFETCH(QByteArray, base);
        QFETCH(QByteArray, prices);
        QFETCH(QByteArray, least);
        const PoolLimits limits = limitsOf(poolWith(base), pricesIn(prices), sharedCatalog());
        QCOMPARE(QByteArray(dollars(limits.prices.base) + " " + dollars(limits.prices.block) + " " +
                            dollars(limits.prices.onDemand)),
                 least);
        QCOMPARE(limits.prices.baseInBlocks, base == "capacity_block");
    }

    void limitsOfAPool() {
        FleetPool pool = poolWith("");
        pool.spares = 2;
        pool.baseInstances = 3;
        const PoolLimits limits = limitsOf(pool, {}, sharedCatalog());
        QVERIFY(limits.gpus == 8 && limits.maxInstances == 10 && limits.spares == 2);
        QVERIFY(limits.baseInstances == 3);
        QVERIFY(!limits.prices.base && !limits.prices.block && !limits.prices.onDemand);
        pool.machine = "entirely-else";
        QCOMPARE(limitsOf(pool, {}, sharedCatalog()).gpus, 1);
    }

    /// One instance always, two more for 6 of 24 hours: 730 hours of a month, and 2 x 182.5 on demand.
    void aBaseOfTheSameTerms() {
        FleetPool pool = poolWith("on_demand");
        pool.baseInstances = 1;
        const std::vector<PoolPrice> prices = pricesIn("on_demand 20, on_demand 40");
        InstanceDemand demand;
        demand.step = 3600;
        demand.counts.assign(24, 1);
        for (std::size_t hour = 8; hour < 14; ++hour)
            demand.counts[hour] = 3;
        const PlannedPool planned =
            plannedPool(pool, 0, demand, limitsOf(pool, prices, sharedCatalog()), prices);
        QVERIFY(planned.least == 1 && planned.most == 3);
        QCOMPARE(planned.lines.size(), std::size_t{2});
        QCOMPARE(planned.lines[0].text, std::string("main: 1 x h8, base, On-Demand"));
        QCOMPARE(planned.lines[0].amount, Cents{1'460'000}); // 730 x $20
        QCOMPARE(planned.lines[1].text, std::string("main: up to 2 x h8, burst, On-Demand"));
        QCOMPARE(planned.lines[1].amount, Cents{1'460'000}); // 365 x $40
        QCOMPARE(planned.total, Cents{2'920'000});
    }
};

QTEST_APPLESS_MAIN(TestPoolPrices)

} // namespace tst_pool_prices

#include "tst_pool_prices.moc"
