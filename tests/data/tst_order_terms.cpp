// SPDX-License-Identifier: GPL-3.0-or-later
// Commitments, training plans, transfer, energy and a second currency: from the fields of a scenario to the
// lines that its documents print.
#include "data/json/json.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/search/question.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_order_terms {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::json;
constexpr std::string_view run = "llama-3.1-70b-64xp5.48xlarge",
                           service = "serve-llama-3.1-70b-1xp5en.48xlarge",
                           block = "serve-deepseek-r1-1xu-p6e-gb200x72";

const Catalog& catalog() { return *test::shippedCatalog(); }

struct Made {
    Made(std::string_view id, const Edit& edit, const std::string& date = "2026-11-20")
        : spec(*applyEdit(*readScenario(sampleScenarioText(id).value_or("")).spec, edit))
        , estimate(*alidade::estimate(spec, catalog(), catalog().defaultProfile))
        , document(std::make_shared<const PlanDocument>(
              *planDocument(spec, catalog(), catalog().defaultProfile, estimate,
                            {.options = false, .risks = false, .assumptions = false}))) {
        ReportInput input{&estimate, {}, writeScenario(spec), "mine"};
        input.document = document;
        report = buildReport(std::span(&input, 1), {.programVersion = "9.8.7", .date = date});
    }
    const Order& order() const { return document->bill->expected; }
    const ReportSection& section(std::string_view id) const {
        return *std::ranges::find(report.sections, id, &ReportSection::id);
    }
    /// Whether a problem at this field says so.
    bool isTold(std::string_view pointer, std::string_view words) const {
        return std::ranges::any_of(estimate.problems, [&](const Problem& problem) {
            return problem.place == pointer && problem.message.find(words) != std::string::npos;
        });
    }
    bool remarks(std::string_view words) const {
        const std::vector<std::string>& text = section("order").text;
        return std::ranges::any_of(
            text, [&](const std::string& each) { return each.find(words) != std::string::npos; });
    }
    ScenarioSpec spec;
    Estimate estimate;
    std::shared_ptr<const PlanDocument> document;
    Report report;
};

/// The lines as printed add up to the printed total, in the tables and in JSON.
void addsUp(const Made& made) {
    const Order& order = made.order();
    Cents lines = 0, months = 0;
    for (const OrderLine& line : order.lines)
        lines += line.amount;
    for (const OrderMonth& month : order.months)
        months += month.paid;
    QCOMPARE(lines, order.total);
    QCOMPARE(months, order.total);
    const Json json = Json::parse(reportJson(made.report))["order"];
    double sum = 0;
    for (const Json& line : json["lines"])
        sum += std::stod(line["amount"].get<std::string>());
    QCOMPARE(std::llround(sum * 100), order.total);
    QCOMPARE(json["total"].get<std::string>(), centsText(order.total));
    const Table& table = made.section("order").tables.front();
    double printed = 0;
    const auto total = static_cast<std::size_t>(std::ranges::find(table.columns, "Total", &Column::title) -
                                                table.columns.begin());
    for (std::size_t i = 0; i + 1 < table.rows.size(); ++i)
        printed += table.rows[i].at(total).value.value_or(0);
    QCOMPARE(std::llround(printed * 100), order.total);
}

} // namespace

class TestOrderTerms : public QObject {
    Q_OBJECT

private slots:
    /// 64 instances at a typed rate: every hour of the year is billed, whatever the run takes.
    void aSavingsPlanIsBilledForItsTerm() {
        const Made made(run, {{"cluster.purchase", "savings_plan"},
                              {"cluster.dollars_per_instance_hour", "23.78"},
                              {"order.start", "2027-01-04"}});
        const OrderLine& line = made.order().lines.front();
        QCOMPARE(line.text, std::string("64 x p5.48xlarge, Savings Plan, 1 year, no upfront"));
        QCOMPARE(centsText(line.amount), std::string("13332019.20")); // 64 x 8,760 x 23.78
        QCOMPARE(*made.estimate.cost->dollarsPerRun, 13332019.20);
        QCOMPARE(made.order().months.size(), std::size_t{13});
        QVERIFY(made.order().idleHours > 0);
        QVERIFY(made.remarks("commits to $1,521.92 for every hour of 1 year, used or not"));
        QVERIFY(made.remarks("are paid and not used"));
        QCOMPARE(made.spec.cluster.commitment, std::nullopt);
        QCOMPARE(*made.estimate.scenario.cluster.commitment, std::string("1_year_no_upfront"));
        addsUp(made);

        const Made three(run, {{"cluster.purchase", "savings_plan"},
                               {"cluster.dollars_per_instance_hour", "23.78"},
                               {"cluster.commitment", "3_years_all_upfront"}});
        QCOMPARE(centsText(three.order().lines.front().amount), std::string("39996057.60"));
        QVERIFY(three.order().months.front().paid > three.order().lines.front().amount - 1);
        addsUp(three);
    }

    void aSavingsPlanByItsShareOffOnDemand() {
        const Made list(run, {{"cluster.purchase", "on_demand"}});
        const Made made(run, {{"cluster.purchase", "savings_plan"}, {"cluster.discount", "50 %"}});
        QCOMPARE(made.order().lines.front().price * 2, list.order().lines.front().price);
        QVERIFY(made.order().lines.front().text.find("Savings Plan") != std::string::npos);
    }

    /// Of a service the term is what is ordered, if no days are given.
    void aServiceUnderASavingsPlan() {
        const Edit plan{{"cluster.purchase", "savings_plan"}, {"cluster.dollars_per_instance_hour", "40"}};
        const Made made(service, plan);
        QCOMPARE(centsText(made.order().total), std::string("350400.00")); // 8,760 x 40
        QCOMPARE(made.order().idleHours, Thousandths{0});
        QCOMPARE(made.document->orderHours, 8760.0);
        Edit days = plan;
        days.emplace_back("order.days", "90");
        const Made quarter(service, days);
        QCOMPARE(quarter.order().total, made.order().total);
        QCOMPARE(quarter.order().idleHours, Thousandths{(8760 - 90 * 24) * 1000});
    }

    void whatHasNoListPriceIsAskedFor_data() {
        QTest::addColumn<QByteArray>("sample");
        QTest::addColumn<QByteArray>("purchase");
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("Savings Plan") << QByteArray(run.data()) << QByteArray("savings_plan")
                                      << QByteArray("/cluster/dollars_per_instance_hour")
                                      << QByteArray("set dollars_per_instance_hour to the rate of the plan");
        QTest::newRow("training plan") << QByteArray(run.data()) << QByteArray("training_plan")
                                       << QByteArray("/cluster/dollars_per_instance_hour")
                                       << QByteArray("the fee of an offer / (instances x hours)");
        QTest::newRow("Capacity Blocks alone")
            << QByteArray(block.data()) << QByteArray("savings_plan") << QByteArray("/cluster/purchase")
            << QByteArray("Savings Plans do not apply to Capacity Blocks");
    }
    void whatHasNoListPriceIsAskedFor() {
        QFETCH(QByteArray, sample);
        QFETCH(QByteArray, purchase);
        QFETCH(QByteArray, pointer);
        QFETCH(QByteArray, words);
        const Made made(sample.toStdString(), {{"cluster.purchase", purchase.toStdString()}});
        QVERIFY(made.isTold(pointer.toStdString(), words.toStdString()));
        QVERIFY(!made.document->bill);
    }

    void aTrainingPlanHasDaysOfItsOwn() {
        const Made made(run, {{"cluster.purchase", "training_plan"},
                              {"cluster.dollars_per_instance_hour", "40"},
                              {"order.start", "2027-01-04"}});
        // Whole days of the run and of the last hour; a Capacity Block would take weeks.
        const auto days = static_cast<int>(std::ceil((*made.estimate.training->runTime / 3600 + 1) / 24));
        QVERIFY(days % 7 != 0);
        const OrderLine& line = made.order().lines.front();
        QCOMPARE(line.text, "Training plan, 64 x p5.48xlarge, " + std::to_string(days) + " days");
        QCOMPARE(centsText(line.amount), std::to_string(64 * days * 24 * 40) + ".00");
        QCOMPARE(*made.estimate.cost->dollarsPerRun, 64.0 * days * 24 * 40);
        QCOMPARE(line.months.front(), line.amount);
        addsUp(made);
    }

    void aReservationIsBilledForItsTerm() {
        // The p4d has a reserved price in the catalog.
        const Made made("gpt-3-175b-128xp4d.24xlarge", {{"cluster.purchase", "reserved"}});
        QVERIFY(made.document->bill);
        const OrderLine& line = made.order().lines.front();
        QCOMPARE(line.quantity % Thousandths{128 * 8760 * 1000}, Thousandths{0});
        QCOMPARE(*made.estimate.cost->dollarsPerRun, dollarsOf(line.amount));
        QVERIFY(made.remarks("A reservation is billed for every hour of its term"));
        addsUp(made);
    }

    /// A price that the scenario states is not that of other machines.
    void otherMachinesHaveTheirOwnPrice() {
        const Made made(
            run, {{"cluster.purchase", "savings_plan"}, {"cluster.dollars_per_instance_hour", "23.78"}});
        const auto machines = freeMachines(made.spec, catalog(), "p5.48xlarge,p5en.48xlarge");
        QVERIFY(machines);
        QCOMPARE(machines->choices.size(), std::size_t{2});
        const ScenarioSpec same = *applyEdit(made.spec, machines->choices[0].edit),
                           other = *applyEdit(made.spec, machines->choices[1].edit);
        QCOMPARE(*same.cluster.dollarsPerInstanceHour, 23.78);
        QCOMPARE(other.cluster.dollarsPerInstanceHour, std::nullopt);
        const auto priced = alidade::estimate(other, catalog(), catalog().defaultProfile);
        QCOMPARE(priced->cost->purchase, std::string("on_demand"));
    }

    void dataSentToTheInternetIsALine() {
        const Edit sent{{"order.transfer_out_bytes", "100 TiB"}, {"order.start", "2027-01-01"}};
        const Made made(service, sent);
        std::vector<std::string> amounts;
        for (const OrderLine& line : made.order().lines)
            if (line.kind == OrderLineKind::transfer)
                amounts.push_back(centsText(line.amount));
        // A month of 730 hours, of which January has 744: 102,400 GB x 730 / 744 = 100,473.118
        QCOMPARE(amounts, (std::vector<std::string>{"921.60", "3481.60", "3449.12"}));
        addsUp(made);
        const Made once(run, {{"order.transfer_out_bytes", "20 TiB"}});
        QCOMPARE(centsText(once.order().lines.back().amount), std::string("870.40")); // 10,240 x 0.085
        addsUp(once);
        QVERIFY(!catalog().transfer.provenance.sources.empty());
    }

    void pricesOfTransferOfYourOwn() {
        const auto load = [](const char* internet) {
            return loadCatalogText(test::shippedCatalog(), "mine.json",
                                   std::string(R"({"alidade": 1, "kind": "data_transfer", "internet": )") +
                                       internet + "}");
        };
        const CatalogLoad mine =
            load(R"({"tiers": [{"up_to_gb": 1000, "usd_per_gb": 0.04}, {"usd_per_gb": 0.02}]})");
        QVERIFY(mine.problems.empty());
        QCOMPARE(mine.catalog->transfer.tiers.size(), std::size_t{2});
        QCOMPARE(mine.catalog->transfer.tiers[1].dollarsPerGb, 0.02);
        QVERIFY(mine.catalog->transfer.provenance.user);
        for (const auto& [wrong, place] :
             {std::pair(R"({"tiers": []})", "/internet/tiers"),
              std::pair(R"({"tiers": [{"up_to_gb": 9, "usd_per_gb": 1}]})", "/internet/tiers/0/up_to_gb"),
              std::pair(R"({"tiers": [{"usd_per_gb": 1}, {"usd_per_gb": 1}]})", "/internet/tiers/0/up_to_gb"),
              std::pair(R"({"tiers": [{"up_to_gb": 9, "usd_per_gb": -1}, {"usd_per_gb": 1}]})",
                        "/internet/tiers/0/usd_per_gb"),
              std::pair(R"({"tiers": [{"up_to_gb": 9, "usd_per_gb": 1}, {"up_to_gb": 9, "usd_per_gb": 1},
                                      {"usd_per_gb": 1}]})",
                        "/internet/tiers/1/up_to_gb")}) {
            const CatalogLoad refused = load(wrong);
            QVERIFY2(!refused.problems.empty(), wrong);
            QCOMPARE(refused.problems.front().pointer, std::string(place));
            QCOMPARE(refused.catalog->transfer.tiers.size(), std::size_t{4});
        }
    }

    void energyIsALineWhereItIsWanted() {
        const Made made(run, {{"order.energy_price", "0.12"}});
        const OrderLine& line = made.order().lines.back();
        QCOMPARE(line.unit, std::string("kWh"));
        QCOMPARE(line.quantity, thousandths(*made.estimate.cost->energyKwh));
        QVERIFY(made.remarks("AWS prices include energy"));
        addsUp(made);
        QVERIFY(!Made(run, {{"order.energy_price", "0.12"},
                            {"cluster.purchase", "custom"},
                            {"cluster.dollars_per_instance_hour", "20"}})
                     .remarks("include energy"));
    }

    /// A service pays for the energy of its days at its load.
    void energyOfAService() {
        const Made made(service, {{"order.energy_price", "0.1"}, {"order.days", "73"}});
        const OrderLine& line = made.order().lines.back();
        QCOMPARE(line.kind, OrderLineKind::energy);
        const double month = made.estimate.serving->energy->kilowattHoursPerMonth; // of 730 hours
        QCOMPARE(line.quantity, thousandths(month * 73 * 24 / 730));
        QVERIFY(made.remarks("AWS prices include energy"));
        addsUp(made);
    }

    void amountsInAnotherCurrency() {
        const Edit euro{{"order.currency", "EUR"},
                        {"order.exchange_rate", "0.9213"},
                        {"order.exchange_date", "2026-11-18"},
                        {"order.tax", "19 %"},
                        {"order.start", "2027-01-04"}};
        const Made made(run, euro);
        const Order& order = made.order();
        addsUp(made);
        const Table& table = made.section("order").tables.front();
        QCOMPARE(table.columns.back().title, std::string("Total, EUR"));
        double sum = 0;
        for (std::size_t i = 0; i + 1 < table.rows.size(); ++i)
            sum += *table.rows[i].back().value;
        QCOMPARE(std::llround(sum * 100), order.convertedTotal);
        QCOMPARE(std::llround(*table.rows.back().back().value * 100), order.convertedTotal);
        const Table& cash = made.section("cash_flow").tables.front();
        QCOMPARE(cash.columns.back().title, std::string("Paid, EUR"));
        QVERIFY(made.section("order").firstPage);
        QVERIFY(made.remarks("at 0.9213 EUR for one US dollar, rate of 2026-11-18. US dollars are billed."));
        QVERIFY(!made.remarks("look it up again"));
        const Json json = Json::parse(reportJson(made.report))["order"];
        QCOMPARE(json["currency"].get<std::string>(), std::string("USD"));
        QCOMPARE(json["converted"]["currency"].get<std::string>(), std::string("EUR"));
        QCOMPARE(json["converted"]["total"].get<std::string>(), amountText(order.convertedTotal, 2));
        const std::string csv = reportCsv(made.report);
        QVERIFY(csv.find("\"Total, EUR\"") != std::string::npos);
        QVERIFY(csv.find(amountText(order.convertedTotal, 2)) != std::string::npos);
        QVERIFY(
            Made(run, euro, "2026-12-24").remarks("The exchange rate is 36 days older than this document"));
        QVERIFY(!Made(run, euro, "2026-12-18").remarks("older than this document")); // 30 days
    }

    void aRateNeedsItsCurrencyAndDay() {
        const Made made(run, {{"order.currency", "EUR"}, {"order.exchange_rate", "0.92"}});
        QVERIFY(made.isTold("/order/exchange_date", "Amounts are not converted to EUR"));
        QVERIFY(!made.order().conversion);
        QVERIFY(
            Made(run, {{"order.currency", "EUR"}}).isTold("/order/exchange_rate", "EUR for one US dollar"));
        QVERIFY(Made(run, {{"order.exchange_rate", "0.92"}}).isTold("/order/currency", "has no currency"));
        const ScenarioSpec spec = *readScenario(sampleScenarioText(run).value_or("")).spec;
        for (const char* bad : {"eur", "EURO", "E1R"})
            QVERIFY2(!applyEdit(spec, {{"order.currency", bad}}), bad);
    }
};

QTEST_GUILESS_MAIN(TestOrderTerms)

} // namespace tst_order_terms

#include "tst_order_terms.moc"
