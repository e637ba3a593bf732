// SPDX-License-Identifier: GPL-3.0-or-later
// What a run costs under the ways to pay: Capacity Blocks, commitments, discounts; old prices are marked.
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/cost/capacity_block.h"
#include "model/cost/order.h"
#include "model/cost/price_age.h"
#include "model/engine/engine.h"
#include "model/explore/sweep.h"
#include "user_edits.h"

#include <algorithm>
#include <cmath>

namespace tst_price_book {

using namespace alidade;
using alidade::test::shippedCatalog;
using alidade::tests::UserEdits;

namespace {

ScenarioSpec sample(const char* id) {
    const auto spec = data::readScenario(*data::shippedScenario(id), id);
    if (!spec)
        qFatal("%s", spec.error().c_str());
    return *spec;
}

Estimate answer(const ScenarioSpec& spec, const Catalog& catalog = *shippedCatalog(),
                const std::string& today = {}) {
    auto out = estimate(spec, catalog, catalog.defaultProfile, {.fixes = false, .today = today});
    if (!out)
        qFatal("%s", out.error().c_str());
    return *std::move(out);
}

/// A run of 16 machines that are sold in Capacity Blocks.
ScenarioSpec blockRun(double tokens) {
    ScenarioSpec spec = sample("llama-3.1-70b-16xp6-b200.48xlarge");
    spec.workload.tokens = tokens;
    return spec;
}

bool says(const Estimate& estimate, const std::string& part) {
    return std::ranges::any_of(estimate.problems, [&](const Problem& problem) {
        return problem.message.find(part) != std::string::npos;
    });
}

} // namespace

class TestPriceBook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void blocksArePaidToTheirEnd();
    void aBlockOfARunHasALineForWhatIsIdle();
    void hoursArePaidAsTheyAreOnDemand();
    void discountIsOffThePrice();
    void commitmentChoosesTheTerm();
    void ownPriceStandsBeforeThePublishedOne();
    void pricesHoldOnTheirDays();
    void anOrderThatOutlivesItsPriceSaysSo();
    void agesOfPrices();
    void anOldPriceIsMarked();
};

void TestPriceBook::blocksArePaidToTheirEnd() {
    QCOMPARE(capacityBlockPaidHours(1, 0.5), 24.);
    QCOMPARE(capacityBlockPaidHours(23.5, 0.5), 24.);
    QCOMPARE(capacityBlockPaidHours(23.6, 0.5), 48.); // the last half hour is not to be had
    QCOMPARE(capacityBlockPaidHours(23.5, 1), 48.);   // nor the last hour of an UltraServer
    QCOMPARE(capacityBlockPaidHours(24. * 14 - 0.5, 0.5), 24. * 14);
    QCOMPARE(capacityBlockPaidHours(24. * 14, 0.5), 24. * 21); // beyond two weeks by whole weeks
    const double longest = 24. * longestCapacityBlockDays;
    QCOMPARE(capacityBlockPaidHours(longest - 0.5, 0.5), longest);
    QCOMPARE(capacityBlockPaidHours(longest, 0.5), longest + 24); // and a second block for the rest
    QVERIFY(std::isinf(capacityBlockPaidHours(INFINITY, 0.5)));
    for (double hours = 0.1; hours < 20000; hours *= 1.37)
        QVERIFY(capacityBlockPaidHours(hours, 0.5) >= hours + 0.5 - 1e-6);
}

void TestPriceBook::aBlockOfARunHasALineForWhatIsIdle() {
    const Estimate run = answer(blockRun(1e10));
    QVERIFY(run.cost && run.training);
    QCOMPARE(run.cost->purchase, std::string("capacity_block"));
    const auto& lines = run.cost->lines;
    QCOMPARE(lines.size(), 2u);
    const double hours = *run.training->runTime / 3600;
    QCOMPARE(lines[0].quantity, static_cast<double>(16 * billedHours(hours)) / 1e3); // to a thousandth each
    QCOMPARE(lines[1].quantity, static_cast<double>(run.cost->order->idleHours) / 1e3);
    const double paid = lines[0].quantity + lines[1].quantity;
    QCOMPARE(paid, 16 * capacityBlockPaidHours(hours, 0.5));
    QVERIFY(lines[1].quantity > 0);
    QVERIFY(std::abs(lines[0].dollars + lines[1].dollars - *run.cost->dollarsPerRun) <
            1e-9 * *run.cost->dollarsPerRun);
    // A run of half the length within the same days costs the same.
    const Estimate shorter = answer(blockRun(5e9));
    QVERIFY(shorter.cost && 16 * capacityBlockPaidHours(hours / 2, 0.5) <= paid);
    QVERIFY(*shorter.cost->dollarsPerRun <= *run.cost->dollarsPerRun);
}

void TestPriceBook::hoursArePaidAsTheyAreOnDemand() {
    const Estimate run = answer(sample("llama-3.1-70b-64xp5.48xlarge"));
    QVERIFY(run.cost && run.cost->purchase == "on_demand");
    QCOMPARE(run.cost->lines.size(), 1u);
    QCOMPARE(run.cost->lines[0].dollars, *run.cost->dollarsPerRun);
}

void TestPriceBook::discountIsOffThePrice() {
    ScenarioSpec spec = sample("llama-3.1-70b-64xp5.48xlarge");
    const double full = *answer(spec).cost->dollarsPerRun;
    spec.cluster.discount = 0.25;
    const Estimate run = answer(spec);
    // Both are whole cents of the same hours: three quarters of up to half a cent, and half a cent.
    QVERIFY(std::abs(*run.cost->dollarsPerRun - 0.75 * full) <= 0.00875 + 1e-9);
}

void TestPriceBook::commitmentChoosesTheTerm() {
    UserEdits edits;
    const std::string shipped = "p4d.24xlarge/us-east-2/reserved/1-year-no-upfront-standard";
    edits.copy(data::CatalogKind::prices, shipped, "p4d-three-years");
    edits.set(data::CatalogKind::prices, "p4d-three-years", "terms", "\"3 years, all upfront, standard\"");
    edits.set(data::CatalogKind::prices, "p4d-three-years", "usd_per_hour", "8");
    ScenarioSpec spec = sample("gpt-3-175b-128xp4d.24xlarge");
    spec.cluster.region = "us-east-2";
    spec.cluster.purchase = "reserved";
    spec.cluster.commitment = "3_years_all_upfront";
    const Estimate three = answer(spec, edits.catalog());
    QVERIFY(three.cost);
    QCOMPARE(three.cost->dollarsPerHour, 8. * 128);
    spec.cluster.commitment = "1_year_no_upfront";
    const Estimate one = answer(spec, edits.catalog());
    QVERIFY(one.cost && one.cost->dollarsPerHour > three.cost->dollarsPerHour);
    spec.cluster.commitment = "1_year_all_upfront";
    const Estimate none = answer(spec, edits.catalog());
    QVERIFY(!none.cost);
    QVERIFY(says(none, "1 year, all upfront"));
}

void TestPriceBook::ownPriceStandsBeforeThePublishedOne() {
    UserEdits edits;
    edits.copy(data::CatalogKind::prices, "p5.48xlarge/us-east-2/on_demand", "ours");
    edits.set(data::CatalogKind::prices, "ours", "usd_per_hour", "40");
    const Estimate run = answer(sample("llama-3.1-70b-64xp5.48xlarge"), edits.catalog());
    QCOMPARE(run.cost->dollarsPerHour, 40. * 64);
}

namespace {

/// A cheap price for the summer of 2027 and a dear one behind it, alongside the published one without dates.
UserEdits pricesOfSeasons() {
    UserEdits edits;
    const auto add = [&edits](const char* id, const char* rate, const char* from, const char* until) {
        edits.copy(data::CatalogKind::prices, "p5.48xlarge/us-east-2/on_demand", id);
        edits.set(data::CatalogKind::prices, id, "usd_per_hour", rate);
        edits.set(data::CatalogKind::prices, id, "valid_from", from);
        if (*until)
            edits.set(data::CatalogKind::prices, id, "valid_until", until);
    };
    add("summer", "40", "\"2027-06-01\"", "\"2027-08-31\"");
    add("autumn", "60", "\"2027-09-01\"", "");
    return edits;
}

} // namespace

void TestPriceBook::pricesHoldOnTheirDays() {
    const UserEdits edits = pricesOfSeasons();
    ScenarioSpec spec = sample("llama-3.1-70b-64xp5.48xlarge");
    const double published = answer(spec).cost->dollarsPerHour / 64;
    const auto rateOn = [&](const char* day) {
        spec.run.start = day;
        return answer(spec, edits.catalog()).cost->dollarsPerHour / 64;
    };
    QCOMPARE(rateOn("2027-05-31"), published);
    QCOMPARE(rateOn("2027-06-01"), 40.);
    QCOMPARE(rateOn("2027-08-31"), 40.);
    QCOMPARE(rateOn("2027-09-01"), 60.);
    spec.order.start = "2027-07-01"; // the first day that is paid counts, whenever training begins
    QCOMPARE(rateOn("2027-09-01"), 40.);
    spec.order.start.reset();
    spec.run.start.reset(); // without a date, prices of days to come are not meant
    QCOMPARE(answer(spec, edits.catalog()).cost->dollarsPerHour / 64, published);
}

void TestPriceBook::anOrderThatOutlivesItsPriceSaysSo() {
    const UserEdits edits = pricesOfSeasons();
    ScenarioSpec spec = sample("llama-3.1-70b-64xp5.48xlarge");
    spec.run.start = "2027-08-25";
    const Estimate run = answer(spec, edits.catalog());
    QCOMPARE(run.cost->priceValidUntil, std::string("2027-08-31"));
    QVERIFY(run.run && run.run->days && run.run->days->p50 > 7);
    QVERIFY(says(run, "valid until 2027-08-31") && says(run, "+50.0 %"));
    spec.workload.tokens = 1e9;
    QVERIFY(!says(answer(spec, edits.catalog()), "valid until"));
    // The sweep over the year that a person is offered has the days on which the price changes.
    const Catalog& catalog = edits.catalog();
    const Explorer explorer(spec, catalog, catalog.defaultProfile);
    const auto present = explorer.scenarioWith({});
    const auto start = Variable::named("run.start", *present);
    QVERIFY(start);
    const SweepAxis year = usualAxis(*start, *present, explorer, 25);
    QCOMPARE(year.values.size(), 14u); // thirteen months' 25th, and 2027-09-01
    const Sweep swept = sweep(explorer, {year});
    const PlanFigure* money = findPlanFigure("cost.dollars_per_run");
    QCOMPARE(std::get<std::string>(year.values[1]), std::string("2027-09-01"));
    const std::string said = sweepHeadline(swept, *money);
    QVERIFY2(said.starts_with("Rent of the run is best at 2027-08-25, $") &&
                 said.ends_with("and worst at 2027-09-01: 50 % higher."),
             said.c_str());
    QVERIFY(std::abs(swept.points[1].figure(*money)->value / swept.points[0].figure(*money)->value - 1.5) <
            1e-4);
}

void TestPriceBook::agesOfPrices() {
    QCOMPARE(priceAgeDays("2026-11-20", "2026-11-21"), std::optional(1));
    QCOMPARE(priceAgeDays("2026-10", "2026-11-21"), std::optional(21)); // its last day counts
    QCOMPARE(priceAgeDays("2025", "2026-01-01"), std::optional(1));
    QCOMPARE(priceAgeDays("2024-02", "2024-03-01"), std::optional(1));
    QVERIFY(!priceAgeDays("2026-02-30", "2026-11-21") && !priceAgeDays("soon", "2026-11-21") &&
            !priceAgeDays("", "") && !priceAgeDays("2026-13", "2026-11-21"));
    QVERIFY(!isOldPrice("2026-08-23", "2026-11-21") && isOldPrice("2026-08-22", "2026-11-21"));
}

void TestPriceBook::anOldPriceIsMarked() {
    const ScenarioSpec spec = sample("llama-3.1-70b-64xp5.48xlarge");
    const std::string date = answer(spec).cost->priceDate;
    QVERIFY(!says(answer(spec, *shippedCatalog(), date), "look it up"));
    const Estimate later = answer(spec, *shippedCatalog(), "2036-01-01");
    QVERIFY(says(later, date) && says(later, "look it up again"));
    QVERIFY(later.runs);
}

QTEST_APPLESS_MAIN(TestPriceBook)

} // namespace tst_price_book

#include "tst_price_book.moc"
