// SPDX-License-Identifier: GPL-3.0-or-later
// How a scenario is priced: which price of the catalog is taken, what is said where there is none, bases of
// orders. h8 costs $40 On-Demand in us-east-2 and $44 in us-west-2, $30 in blocks, $24 and $16 reserved
// (resolving_catalog.cpp).
#include "model/scenario/charged_price.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_price {

using namespace alidade;
using namespace alidade::test;

namespace {

const char* const places =
    "prices are known for On-Demand in us-east-2, On-Demand in us-west-2, Capacity Block in us-east-2";

void columns() {
    QTest::addColumn<QByteArray>("edit");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<QByteArray>("problems");
}

void row(const char* edit, const char* expected, const QByteArray& problems = {}) {
    QTest::newRow(edit) << QByteArray(edit) << QByteArray(expected) << problems;
}

Scenario with(const char* edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallTraining(), editOf(edit)), catalog);
}

void verify(const Catalog& catalog = sharedCatalog()) {
    QFETCH(QByteArray, edit);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, problems);
    const Scenario scenario = with(edit.constData(), catalog);
    QCOMPARE(problemsOf(scenario), problems);
    QCOMPARE(differences(scenario, expected.constData()), QByteArray());
    QCOMPARE(scenario.hasPrice, !expected.contains("price=0"));
}

} // namespace

class TestResolvePrice : public QObject {
    Q_OBJECT

private slots:
    void purchases_data() {
        columns();
        row("", "price=40; cluster.region=us-east-2; cluster.purchase=on_demand; cluster.commitment=");
        row("cluster.region=us-west-2", "price=44; cluster.region=us-west-2");
        row("cluster.instance=h1; cluster.instances=1", "price=5; cluster.region=us-west-2");
        row("cluster.region=us-west-3", "price=0",
            "error /cluster/region: There is no region 'us-west-3' in the catalog; the nearest is "
            "'us-west-2'");
        row("cluster.region=mars", "price=0",
            "error /cluster/region: There is no region 'mars' in the catalog; use one of "
            "its regions, or leave the region out");
        row("cluster.purchase=capacity_block", "price=30; cluster.purchase=capacity_block");
        row("cluster.purchase=capacity_block; cluster.region=us-west-2", "price=0; cluster.region=us-west-2",
            QByteArray("warning /cluster/region: No price is known for h8, Capacity Block in us-west-2; ") +
                places);
        row("cluster.purchase=reserved", "price=24; cluster.commitment=1_year_no_upfront");
        row("cluster.purchase=reserved; cluster.commitment=3_years_all_upfront",
            "price=16; cluster.commitment=3_years_all_upfront");
        row("cluster.purchase=reserved; cluster.commitment=1_year_all_upfront", "price=0",
            QByteArray(
                "warning /cluster/region: No price is known for h8, Reserved (1 year, all upfront); ") +
                places);
        row("cluster.commitment=1_year_all_upfront", "price=40"); // no commitment is bought
        row("cluster.dollars_per_instance_hour=50",
            "price=50; cluster.purchase=custom; price~user: scenario");
        row("cluster.purchase=custom", "price=0",
            "warning /cluster/dollars_per_instance_hour: A custom purchase needs a "
            "price; set dollars_per_instance_hour");
        row("cluster.purchase=on_demand; cluster.dollars_per_instance_hour=50", "price=40",
            "warning /cluster/purchase: The given price applies only to a custom purchase, a Savings Plan or "
            "a training "
            "plan; the catalog price is used");
        row("cluster.discount=0.25",
            "price=30; price~user: h8, On-Demand in us-east-2, 2026-11-20, less 25.0 %: sheet (2026-01)");
        row("cluster.discount=0", "price~catalog: h8, On-Demand in us-east-2, 2026-11-20: sheet (2026-01)");
        row("cluster.instance=a4; cluster.instances=8", "price=0; cluster.purchase=on_demand",
            "error /cluster/instance: The catalog has no network (EFA) for a4, and 32 GPUs do not fit in one "
            "NVLink domain "
            "of 4; use fewer GPUs or a machine whose network is known\n"
            "warning /cluster/instance: The GPUs of a4 have no NVLink: traffic inside an instance goes over "
            "PCIe, at a rate "
            "that no published measurement confirms. Figures named NVLink refer to it\n"
            "warning /cluster/purchase: No price is known for a4; set purchase to custom and set "
            "dollars_per_instance_hour");
        row("cluster.ultraserver=rack; cluster.ultraservers=2", "price=200; cluster.purchase=capacity_block",
            "info /cluster/purchase: No On-Demand price is known for rack; the Capacity Block price in "
            "us-east-1 is used");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; cluster.purchase=on_demand", "price=0",
            "warning /cluster/region: No price is known for rack, On-Demand; prices are known for Capacity "
            "Block in "
            "us-east-1");
    }
    void purchases() { verify(); }

    /// A scenario that names no region is not told of one that is missing.
    void catalogWithoutPrices() {
        Catalog bare = sharedCatalog();
        bare.prices.clear();
        QCOMPARE(
            problemsOf(resolved(smallTraining(), bare)),
            QByteArray("warning /cluster/purchase: No price is known for h8; set purchase to custom and set "
                       "dollars_per_instance_hour"));
        ScenarioSpec spec = smallTraining();
        spec.cluster.region = "mars";
        QVERIFY(
            problemsOf(resolved(spec, bare)).startsWith("error /cluster/region: There is no region 'mars'"));
    }

    void plans_data() {
        columns();
        const QByteArray noRate =
            "warning /cluster/dollars_per_instance_hour: No Savings Plan rate is known for h8; set "
            "dollars_per_instance_hour to the rate of the plan, or discount to its share off the "
            "On-Demand price";
        row("cluster.purchase=savings_plan", "price=0", noRate);
        row("cluster.purchase=savings_plan; cluster.discount=0.5",
            "price=20; cluster.purchase=savings_plan; cluster.commitment=1_year_no_upfront; "
            "cluster.region=us-east-2; "
            "price~user: h8, On-Demand in us-east-2, 2026-11-20, less 50.0 %: sheet (2026-01)");
        row("cluster.purchase=savings_plan; cluster.discount=0.5; cluster.commitment=3_years_all_upfront",
            "price=20; cluster.commitment=3_years_all_upfront");
        row("cluster.purchase=savings_plan; cluster.dollars_per_instance_hour=25",
            "price=25; cluster.purchase=savings_plan; cluster.commitment=1_year_no_upfront; price~user: "
            "scenario");
        row("cluster.purchase=savings_plan; cluster.dollars_per_instance_hour=25; "
            "cluster.commitment=3_years_no_upfront",
            "price=25; cluster.commitment=3_years_no_upfront");
        row("cluster.ultraserver=rack; cluster.ultraservers=2; cluster.purchase=savings_plan", "price=0",
            "warning /cluster/purchase: Savings Plans do not apply to Capacity Blocks, and rack is sold only "
            "in them");
        row("cluster.purchase=training_plan", "price=0",
            "warning /cluster/dollars_per_instance_hour: AWS publishes no prices of training plans; set "
            "dollars_per_instance_hour to the fee of an offer / (instances x hours)");
        row("cluster.purchase=training_plan; cluster.dollars_per_instance_hour=33",
            "price=33; cluster.purchase=training_plan; cluster.commitment=");
    }
    void plans() { verify(); }

    void blocks_data() {
        columns();
        const auto tooMany = [](const char* count, const char* beyond) -> QByteArray {
            return QByteArray("warning /cluster/purchase: ") + count +
                   " instances exceed the 256 that an account can have in Capacity Blocks at a time, so "
                   "there is no price; "
                   "ask AWS for an offer and enter it as a custom price, or use On-Demand, for all or for " +
                   beyond + " of them (order.base.instances)";
        };
        row("cluster.purchase=capacity_block; cluster.instances=256; workload.global_batch=2048", "price=30");
        row("cluster.purchase=capacity_block; cluster.instances=257; workload.global_batch=2056", "price=30",
            tooMany("257", "1"));
        row("cluster.purchase=capacity_block; cluster.instances=256; workload.global_batch=2048; "
            "run.spares=5",
            "price=30", tooMany("261", "5"));
        row("cluster.purchase=capacity_block; cluster.instances=257; workload.global_batch=2056; "
            "order.base.instances=1",
            "price=30; base_items=1; base_price=40");
        row("cluster.ultraserver=rack; cluster.ultraservers=257; cluster.purchase=capacity_block; "
            "workload.global_batch=4112",
            "price=200"); // UltraServers have a limit of their own
    }
    void blocks() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QFETCH(QByteArray, problems);
        const Scenario scenario = with(edit.constData());
        QCOMPARE(problemsOf(scenario), problems);
        QCOMPARE(differences(scenario, expected.constData()), QByteArray());
        QCOMPARE(scenario.hasPrice, problems.isEmpty());
    }

    void bases_data() {
        columns();
        row("order.base.instances=2; order.base.purchase=reserved",
            "price=40; base_items=2; base_price=24; order.base.commitment=1_year_no_upfront; "
            "base_items~user: scenario");
        row("order.base.instances=2; order.base.purchase=reserved; "
            "order.base.commitment=3_years_all_upfront; "
            "order.base.discount=0.5",
            "price=40; base_price=8");
        row("order.base.instances=2; order.base.dollars_per_instance_hour=10", "price=40; base_price=10; "
                                                                               "order.base.purchase=custom");
        row("order.base.instances=0; order.base.purchase=reserved", "base_items=0; price=40");
        row("order.base.purchase=reserved", "base_items=0; price=40",
            "warning /order/base/instances: The base has no instances; set order.base.instances");
        row("order.base.discount=0.1", "base_items=0; price=40",
            "warning /order/base/instances: The base has no instances; set order.base.instances");
        row("order.base.dollars_per_instance_hour=3", "base_items=0; price=40",
            "warning /order/base/instances: The base has no instances; set order.base.instances");
        row("order.base.commitment=1_year_no_upfront", "base_items=0; price=40",
            "warning /order/base/instances: The base has no instances; set order.base.instances");
        row("order.base.instances=4; order.base.purchase=reserved", "base_items=4; base_price=24");
        row("order.base.instances=5; run.spares=1", "base_items=5; base_price=40; paid_items=5");
        row("order.base.instances=5", "base_items=0; price=40",
            "error /order/base/instances: The base of 5 exceeds the 4 that are rented; set "
            "order.base.instances to 4 or "
            "less");
        row("order.base.instances=2; order.base.commitment=1_year_no_upfront", "base_items=2; base_price=40",
            "warning /order/base/commitment: Only a reservation or a Savings Plan has a term; set "
            "order.base.purchase to "
            "one of them");
        row("order.base.instances=2; order.base.purchase=on_demand; order.base.commitment=1_year_no_upfront",
            "base_price=40",
            "warning /order/base/commitment: Only a reservation or a Savings Plan has a term; set "
            "order.base.purchase to "
            "one of them");
        row("order.base.instances=2; order.base.purchase=savings_plan; order.base.discount=0.5; "
            "order.base.commitment=1_year_no_upfront",
            "base_price=20");
    }
    void bases() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QFETCH(QByteArray, problems);
        const Scenario scenario = with(edit.constData());
        QCOMPARE(problemsOf(scenario), problems);
        QCOMPARE(differences(scenario, expected.constData()), QByteArray());
        QVERIFY(scenario.hasPrice);
        QCOMPARE(scenario.hasBase(), !expected.contains("base_items=0"));
    }

    void basesWithoutAPrice() {
        const Scenario noRate = with("order.base.instances=2; order.base.purchase=custom");
        QVERIFY(!noRate.hasPrice);
        QCOMPARE(problemsOf(noRate),
                 QByteArray("warning /order/base/dollars_per_instance_hour: Base: A custom purchase "
                            "needs a price; set dollars_per_instance_hour"));
        const Scenario notSold =
            with("cluster.region=us-west-2; order.base.instances=2; order.base.purchase=reserved");
        QVERIFY(!notSold.hasPrice);
        QCOMPARE(
            problemsOf(notSold),
            QByteArray(
                "warning /order/base/purchase: Base: No price is known for h8, Reserved in us-west-2; ") +
                places);
        const Scenario rest =
            with("cluster.purchase=custom; order.base.instances=4; order.base.purchase=reserved");
        QVERIFY(rest.hasPrice); // nothing is left for the rest
        QVERIFY(
            !with("cluster.purchase=custom; order.base.instances=3; order.base.purchase=reserved").hasPrice);

        const Scenario two =
            with("cluster.instances=300; workload.global_batch=2400; cluster.purchase=capacity_block; "
                 "order.base.instances=100; order.base.purchase=capacity_block");
        QVERIFY(!two.hasPrice);
        QCOMPARE(
            problemsOf(two),
            QByteArray(
                "warning /order/base/purchase: Base and rest are 300 instances, which exceed the 256 that an "
                "account can have in Capacity Blocks at a time, so there is no price; buy one of them in "
                "another way"));
        QVERIFY(with("cluster.instances=256; workload.global_batch=2048; cluster.purchase=capacity_block; "
                     "order.base.instances=100; order.base.purchase=capacity_block")
                    .hasPrice);
    }

    void smallerBasesAreOffered() {
        const Scenario more = with("order.base.instances=5");
        QCOMPARE(more.problems.front().fix->text, std::string("Set Base to 4"));
        QVERIFY((more.problems.front().fix->set == Edit{{"order.base.instances", "4"}}));
        const Scenario blocks =
            with("cluster.instances=300; workload.global_batch=2400; order.base.instances=260; "
                 "order.base.purchase=capacity_block");
        QCOMPARE(
            problemsOf(blocks),
            QByteArray(
                "warning /order/base/purchase: Base: 260 instances exceed the 256 that an account can have "
                "in "
                "Capacity Blocks at a time, so there is no price; set order.base.instances to 256 or less"));
        QVERIFY((blocks.problems.front().fix->set == Edit{{"order.base.instances", "256"}}));
        const Scenario notSold =
            with("cluster.region=us-west-2; order.base.instances=2; order.base.purchase=reserved");
        QVERIFY(!notSold.problems.front().fix);
    }

    void termsOfTheRent() {
        const RentalTerms block = with("cluster.purchase=capacity_block").rental;
        QCOMPARE(block.blockEndHours, 0.5);
        QVERIFY(!block.blocksOfOne && !block.blocksByDay && block.termYears == 0);
        const RentalTerms rack = with("cluster.ultraserver=rack; cluster.ultraservers=2").rental;
        QCOMPARE(rack.blockEndHours, 1.0);
        QVERIFY(rack.blocksOfOne && !rack.blocksByDay);
        const RentalTerms plan =
            with("cluster.purchase=training_plan; cluster.dollars_per_instance_hour=33").rental;
        QCOMPARE(plan.blockEndHours, 1.0);
        QVERIFY(plan.blocksByDay && !plan.blocksOfOne);
        const auto term = [](const char* commitment) {
            return with((std::string("cluster.purchase=savings_plan; cluster.dollars_per_instance_hour=25; "
                                     "cluster.commitment=") +
                         commitment)
                            .c_str())
                .rental;
        };
        QCOMPARE(term("1_year_no_upfront").termYears, 1);
        QCOMPARE(term("1_year_no_upfront").upfrontShare, std::int64_t{0});
        QCOMPARE(term("3_years_partial_upfront").termYears, 3);
        QCOMPARE(term("3_years_partial_upfront").upfrontShare, std::int64_t{500'000});
        QCOMPARE(term("3_years_all_upfront").upfrontShare, std::int64_t{1'000'000});
        QVERIFY(!with("").rental.inBlocks() && with("").rental.termYears == 0);
        const Scenario based = with("order.base.instances=2; order.base.purchase=reserved");
        QCOMPARE(based.baseRental.termYears, 1);
        QCOMPARE(based.mainPurchase(), std::string("on_demand"));
        QCOMPARE(based.basePriceDate, std::string("2026-11-20"));
        QCOMPARE(with("order.base.instances=4; order.base.purchase=reserved").mainPurchase(),
                 std::string("reserved"));
    }

    void pricesOfATime() {
        Catalog catalog = resolvingCatalog();
        Price& price = catalog.prices.front();
        price.validFrom = "2027-01-01";
        price.validUntil = "2027-06-30";
        catalog.prices.erase(catalog.prices.begin() + 1);
        const char* od = "cluster.purchase=on_demand; ";
        const auto at = [&](const char* edit) { return with((std::string(od) + edit).c_str(), catalog); };
        QCOMPARE(problemsOf(at("")),
                 QByteArray("warning /run/start: The prices of h8, On-Demand, are valid from 2027-01-01 "
                            "until 2027-06-30; set the start"));
        QVERIFY(!at("").hasPrice);
        const Scenario within = at("run.start=2027-02-01");
        QVERIFY(within.hasPrice && within.problems.empty());
        QCOMPARE(within.priceValidUntil, std::string("2027-06-30"));
        QCOMPARE(within.priceId, std::string("h8/us-east-2/on_demand"));
        QCOMPARE(within.priceDate, std::string("2026-11-20"));
        QCOMPARE(within.priceSource, std::string("sheet (2026-01)"));
        QCOMPARE(problemsOf(at("run.start=2027-02-01; order.start=2027-07-01")),
                 QByteArray("warning /order/start: The prices of h8, On-Demand, are valid from 2027-01-01 "
                            "until 2027-06-30, "
                            "not on 2027-07-01"));
        catalog.prices.front().validFrom.clear();
        QVERIFY(
            problemsOf(at("run.start=2028-01-01")).contains("are valid until 2027-06-30, not on 2028-01-01"));
        catalog.prices.front().validFrom = "2027-01-01";
        catalog.prices.front().validUntil.clear();
        QVERIFY(
            problemsOf(at("run.start=2026-01-01")).contains("are valid from 2027-01-01, not on 2026-01-01"));
        // Of a base and a rest the price that ends first.
        catalog.prices.front().validFrom.clear();
        catalog.prices[2].validUntil = "2028-03-31"; // reserved
        const char* based = "run.start=2027-02-01; order.base.instances=2; order.base.purchase=reserved";
        QCOMPARE(at(based).priceValidUntil, std::string("2028-03-31"));
        QCOMPARE(at(based).priceId, std::string("h8/us-east-2/reserved"));
        catalog.prices.front().validUntil = "2027-12-31";
        QCOMPARE(at(based).priceValidUntil, std::string("2027-12-31"));
        QCOMPARE(at(based).priceId, std::string("h8/us-east-2/on_demand"));
    }

    void preferredPrices() {
        Catalog catalog = resolvingCatalog();
        Price own = catalog.prices.front();
        own.provenance.user = true;
        own.rate = DollarsPerHour::si(35);
        catalog.prices.push_back(own);
        QCOMPARE(with("", catalog).inputs[Input::price], 35.0); // a user's price before a published one
        catalog.prices.back().region = "eu-north-1";
        QCOMPARE(with("", catalog).inputs[Input::price], 40.0); // the large US Regions first
        catalog.prices.back().region = "us-east-1";
        QCOMPARE(with("", catalog).inputs[Input::price], 40.0); // of them us-east-2
        catalog.prices.front().current = false;
        QCOMPARE(with("", catalog).inputs[Input::price], 35.0);
        catalog.prices.back().purchase = Purchase::spot; // has to be asked for
        QCOMPARE(with("", catalog).inputs[Input::price], 44.0);
        catalog.prices[1].purchase = Purchase::reserved;
        catalog.prices[1].terms = "a long time";
        const Scenario odd = with("cluster.purchase=reserved; cluster.region=us-west-2", catalog);
        QCOMPARE(problemsOf(odd),
                 QByteArray("warning /cluster/commitment: The price of h8 states no term; one year is "
                            "billed"));
        QCOMPARE(odd.rental.termYears, 1);
    }

    void chargedPrices_data() {
        QTest::addColumn<QByteArray>("edit");
        QTest::addColumn<double>("rest");
        QTest::addColumn<double>("base"); // 0: none of the catalog
        const auto row = [](const char* edit, double rest, double base) {
            QTest::newRow(edit) << QByteArray(edit) << rest << base;
        };
        row("", 40, 0);
        row("cluster.region=us-west-2", 44, 0);
        row("cluster.dollars_per_instance_hour=50; cluster.purchase=custom", 0, 0);
        row("cluster.dollars_per_instance_hour=50; cluster.purchase=on_demand", 40, 0);
        row("cluster.purchase=savings_plan; cluster.discount=0.5", 40, 0);
        row("cluster.purchase=savings_plan", 0, 0);
        row("cluster.purchase=savings_plan; cluster.dollars_per_instance_hour=25; cluster.discount=0.5", 0,
            0);
        row("cluster.purchase=reserved; cluster.commitment=3_years_all_upfront", 16, 0);
        row("order.base.instances=2; order.base.purchase=reserved", 40, 24);
        row("order.base.instances=4; order.base.purchase=capacity_block", 0, 30);
        row("order.base.instances=4; order.base.purchase=capacity_block; run.spares=1", 40, 30);
        row("cluster.ultraserver=rack; cluster.ultraservers=4; cluster.purchase=capacity_block", 200, 0);
        row("cluster.ultraserver=rack; cluster.ultraservers=4; cluster.purchase=capacity_block; "
            "order.base.instances=4; "
            "order.base.purchase=capacity_block; run.spares=1",
            0, 200); // spares are among those that are rented
        row("cluster.instance=a4", 0, 0);
    }
    void chargedPrices() {
        QFETCH(QByteArray, edit);
        QFETCH(double, rest);
        QFETCH(double, base);
        const ScenarioSpec spec = edited(smallTraining(), editOf(edit.constData()));
        const auto rateOf = [&](OrderPart part) {
            const Price* price = chargedPrice(sharedCatalog(), spec, part);
            return price ? price->rate.si() : 0;
        };
        QCOMPARE(rateOf(OrderPart::rest), rest);
        QCOMPARE(rateOf(OrderPart::base), base);
        int charged = 0;
        for (const Price& price : sharedCatalog().prices)
            charged += price.item == "h8" && isPriceOf(price, spec) ? 1 : 0;
        if (!edit.contains("rack") && !edit.contains("a4"))
            QCOMPARE(charged > 0, rest > 0 || base > 0);
        QCOMPARE(hasOrderPart(spec, OrderPart::base), edit.contains("base"));
    }
};

QTEST_APPLESS_MAIN(TestResolvePrice)

} // namespace tst_resolve_price

#include "tst_resolve_price.moc"
