// SPDX-License-Identifier: GPL-3.0-or-later
// An order of which a part is bought in another way than the rest: from the fields of a scenario to the lines
// that its documents print.
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/report/answer.h"
#include "data/report/document_sections.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/document/plan_document.h"
#include "model/engine/engine.h"
#include "model/scenario/scenario.h"
#include "model/search/question.h"
#include "model/search/search.h"
#include "tests/data/csv_amounts.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace tst_base_order {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::json;
constexpr std::string_view run = "llama-3.1-70b-64xp5.48xlarge", large = "llama-3.1-405b-2048xp5.48xlarge",
                           service = "serve-llama-3.1-70b-1xp5en.48xlarge",
                           rl = "grpo-qwen3-32b-8xp5en.48xlarge";

const Catalog& catalog() { return *test::shippedCatalog(); }

struct Made {
    explicit Made(std::string_view id, const Edit& edit = {})
        : spec(*applyEdit(sample(id), edit))
        , estimate(*alidade::estimate(spec, catalog(), catalog().defaultProfile))
        , document(std::make_shared<const PlanDocument>(
              *planDocument(spec, catalog(), catalog().defaultProfile, estimate,
                            {.options = false, .risks = false, .assumptions = false}))) {
        ReportInput input{&estimate, {}, writeScenario(spec), "mine"};
        input.document = document;
        report = buildReport(std::span(&input, 1), {.programVersion = "9.8.7", .date = "2026-11-20"});
    }
    static ScenarioSpec sample(std::string_view id) {
        return *readScenario(sampleScenarioText(id).value_or("")).spec;
    }
    const Order& order() const { return *estimate.cost->order; }
    std::vector<OrderLine> machines() const {
        std::vector<OrderLine> out;
        std::ranges::copy_if(order().lines, std::back_inserter(out),
                             [](const OrderLine& line) { return line.kind == OrderLineKind::machines; });
        return out;
    }
    double machineDollars() const {
        Cents sum = 0;
        for (const OrderLine& line : machines())
            sum += line.amount;
        return dollarsOf(sum);
    }
    bool isTold(std::string_view pointer, std::string_view words) const {
        return std::ranges::any_of(estimate.problems, [&](const Problem& problem) {
            return problem.place == pointer && problem.message.find(words) != std::string::npos;
        });
    }
    bool remarks(std::string_view words) const {
        return std::ranges::any_of(
            order().remarks, [&](const std::string& each) { return each.find(words) != std::string::npos; });
    }
    ScenarioSpec spec;
    Estimate estimate;
    std::shared_ptr<const PlanDocument> document;
    Report report;
};

/// Lines, months and totals agree to the cent in the estimate, its JSON, the table and the CSV; the rent is
/// that of the machines.
void addsUp(const Made& made) {
    const Order& order = made.order();
    Cents lines = 0, months = 0;
    for (const OrderLine& line : order.lines)
        lines += line.amount;
    for (const OrderMonth& month : order.months)
        months += month.paid;
    QCOMPARE(lines, order.total);
    QCOMPARE(months, order.total);
    QCOMPARE(made.document->bill->expected.total, order.total);
    const Json cost = Json::parse(writeEstimate(made.estimate))["cost"];
    double sum = 0;
    for (const Json& line : cost["order"]["lines"])
        sum += std::round(line["dollars"].get<double>() * 100);
    QCOMPARE(static_cast<Cents>(sum), order.total);
    if (made.estimate.cost->dollarsPerRun) {
        QCOMPARE(*made.estimate.cost->dollarsPerRun, made.machineDollars());
        double rent = 0, hours = 0;
        for (const Json& line : cost["lines"]) {
            rent += line["dollars"].get<double>();
            hours += line["quantity"].get<double>();
        }
        QVERIFY(std::abs(rent - made.machineDollars()) < 1e-6);
        QVERIFY(std::abs(hours - cost["order"]["booked_hours"].get<double>()) < 1e-6);
    }
    const auto section = std::ranges::find(made.report.sections, "order", &ReportSection::id);
    QVERIFY(section != made.report.sections.end());
    QCOMPARE(section->tables.front().rows.size(), order.lines.size() + 1);
    QCOMPARE(section->tables.front().rows.back().back().text, exactMoney(order.total));
    QVERIFY(test::holdsAmount(reportCsv(made.report), order.total));
}

const Edit committed{{"order.base.instances", "16"},
                     {"order.base.purchase", "savings_plan"},
                     {"order.base.dollars_per_instance_hour", "23.78"}};

Edit with(Edit edit, const Edit& more) {
    edit.insert(edit.end(), more.begin(), more.end());
    return edit;
}

} // namespace

class TestBaseOrder : public QObject {
    Q_OBJECT

private slots:
    /// 16 of 64 instances under a Savings Plan, whose year is charged to the run; the rest by use.
    void aBaseUnderASavingsPlan() {
        const Made made(run, with(committed, {{"cluster.purchase", "on_demand"},
                                              {"order.start", "2027-01-04"},
                                              {"order.tax", "0.19"}}));
        const std::vector<OrderLine> lines = made.machines();
        QCOMPARE(lines.size(), std::size_t{2});
        QCOMPARE(lines[0].text, std::string("Base: 16 x p5.48xlarge, Savings Plan, 1 year, no upfront"));
        QCOMPARE(centsText(lines[0].amount), std::string("3333004.80")); // 16 x 8,760 x 23.78
        QCOMPARE(lines[1].text, std::string("Rest: 48 x p5.48xlarge, on demand"));
        const Thousandths hours = lines[1].quantity / 48;
        QCOMPARE(made.order().idleHours, 16 * (8760 * 1000 - hours));
        QCOMPARE(made.order().months.size(), std::size_t{13});
        QVERIFY(made.order().months[6].paid > 0); // the plan goes on after the run
        QVERIFY(made.remarks("Idle instances (Base): needed until 2027-02-1"));
        QVERIFY(made.remarks("This order pays the whole term of the base"));
        QVERIFY(made.remarks("may be in different Availability Zones"));
        addsUp(made);
        const Made plain(run, {{"cluster.purchase", "on_demand"}});
        const double perHour = made.estimate.cost->dollarsPerHour, list = plain.estimate.cost->dollarsPerHour;
        QVERIFY(std::abs(perHour - (list / 64 * 48 + 16 * 23.78)) < 1e-6);
        QVERIFY(made.estimate.cost->orderBand->low < made.order().beforeTax);
        QVERIFY(made.estimate.cost->orderBand->high > made.order().beforeTax);
        // What the file system and everything else costs is as before.
        QCOMPARE(made.order().lines[2].amount, plain.order().lines[1].amount);
    }

    /// A base that is bought as the rest is costs what all cost together.
    void aBaseLikeTheRestChangesNothing() {
        for (const char* purchase : {"on_demand", "capacity_block"}) {
            const Made plain(run, {{"cluster.purchase", purchase}});
            for (const char* base : {"32", "64"}) {
                const Made made(run, {{"cluster.purchase", purchase},
                                      {"order.base.instances", base},
                                      {"order.base.purchase", purchase}});
                QVERIFY(std::abs(made.order().beforeTax - plain.order().beforeTax) <= 1);
                QVERIFY(std::abs(*made.estimate.cost->dollarsPerRun - *plain.estimate.cost->dollarsPerRun) <
                        0.011);
                QVERIFY(std::abs(made.order().idleHours - plain.order().idleHours) <= 2);
                addsUp(made);
            }
        }
        const Made none(run, {{"order.base.instances", "0"}, {"order.base.purchase", "reserved"}});
        QCOMPARE(none.order().total, Made(run).order().total);
        QVERIFY(!none.estimate.cost->base);
    }

    /// An account can have 256 instances in Capacity Blocks: the base is what is beyond them.
    void asManyInBlocksAsAreSold() {
        const Edit blocks{{"cluster.purchase", "capacity_block"}, {"order.base.purchase", "on_demand"}};
        const Made made(large, with(blocks, {{"order.base.instances", "1792"}}));
        QVERIFY(made.document->bill);
        addsUp(made);
        QVERIFY(made.machines().front().text.starts_with("Base: 1,792 x p5.48xlarge, on demand"));
        QVERIFY(made.order().beforeTax < Made(large, {{"cluster.purchase", "on_demand"}}).order().beforeTax);
        const Made more(large, with(blocks, {{"order.base.instances", "1791"}}));
        QVERIFY(more.isTold("/cluster/purchase", "257 instances exceed the 256"));
        QVERIFY(!more.document->bill);
        const Made both(large, {{"cluster.purchase", "capacity_block"},
                                {"order.base.purchase", "capacity_block"},
                                {"order.base.instances", "1792"}});
        QVERIFY(both.isTold("/order/base/purchase", "Base: 1,792 instances exceed the 256"));
        QVERIFY(both.isTold("/order/base/purchase", "set order.base.instances to 256 or less"));
        QVERIFY(!both.document->bill);
        // One account has both, also where the base says nothing of its purchase: p5e is sold in blocks
        // alone.
        for (const Edit& base : {Edit{}, Edit{{"order.base.purchase", "capacity_block"}}}) {
            const Made halves(large, with(base, {{"cluster.instance", "p5e.48xlarge"},
                                                 {"cluster.instances", "512"},
                                                 {"cluster.region", ""},
                                                 {"cluster.gpus", ""},
                                                 {"plan.data_parallel", ""},
                                                 {"cluster.purchase", "capacity_block"},
                                                 {"order.base.instances", "256"}}));
            QVERIFY(halves.isTold("/order/base/purchase", "Base and rest are 512 instances"));
            QVERIFY(!halves.document->bill);
        }
    }

    /// Spares are rented, so that they can be of the base; all machines can.
    void sparesCanBeOfTheBase() {
        const Edit base{{"run.spares", "4"}, {"order.base.purchase", "on_demand"}};
        QVERIFY(Made(run, with(base, {{"order.base.instances", "66"}})).document->bill);
        const Made all(run, with(base, {{"order.base.instances", "68"}}));
        QVERIFY(all.document->bill);
        addsUp(all);
        QCOMPARE(all.estimate.cost->base->rest, 0);
        QVERIFY(Made(run, with(base, {{"order.base.instances", "69"}}))
                    .isTold("/order/base/instances", "exceeds the 68 that are rented"));
    }

    /// Where the base is all there is, its price is the one that is spoken of; else both are, each with its
    /// source.
    void eachPriceHasItsSource() {
        const auto noteOf = [](const Made& made) {
            return priceNote(*made.estimate.cost, {}, "2026-11-20").text;
        };
        const Made all(
            run, with(committed, {{"order.base.instances", "64"}, {"cluster.purchase", "capacity_block"}}));
        QCOMPARE(all.estimate.cost->purchase, std::string("savings_plan"));
        QCOMPARE(noteOf(all), std::string("Your price, from the scenario."));
        const Made part(run, with(committed, {{"cluster.purchase", "on_demand"}}));
        QVERIFY2(noteOf(part).starts_with("Base: Your price, from the scenario. Rest: Price of 20") &&
                     noteOf(part).find("On-Demand") != std::string::npos,
                 noteOf(part).c_str());
        QCOMPARE(all.remarks("may be in different Availability Zones"), false);
        const Made blocks(run, {{"cluster.purchase", "capacity_block"},
                                {"order.base.purchase", "capacity_block"},
                                {"order.base.instances", "32"}});
        std::vector<std::string> said = blocks.order().remarks;
        std::ranges::sort(said);
        QVERIFY(std::ranges::adjacent_find(said) == said.end());
    }

    /// Of a base that is too large fewer are bought; the machines stay.
    void aSmallerBaseIsOffered_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<QByteArray>("base");
        QTest::addColumn<QByteArray>("offered");
        const auto row = [](const char* name, std::string_view id, const char* more, const char* base,
                            const char* offered) {
            QTest::newRow(name) << QByteArray(id.data(), static_cast<qsizetype>(id.size()))
                                << QByteArray(more) << QByteArray(base) << QByteArray(offered);
        };
        row("a run", run, "order.base.purchase=on_demand", "80", "64");
        row("with spares", run, "run.spares=4 order.base.purchase=on_demand", "69", "68");
        row("a service", service, "cluster.instances=2 order.base.purchase=on_demand", "3", "2");
        row("of two loops", rl, "order.base.purchase=on_demand", "9", "8");
        row("all in blocks", run, "cluster.purchase=on_demand order.base.purchase=capacity_block", "70",
            "64");
        row("more than an account has", large,
            "cluster.purchase=on_demand order.base.purchase=capacity_block", "3000", "256");
    }
    void aSmallerBaseIsOffered() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, more);
        QFETCH(QByteArray, base);
        QFETCH(QByteArray, offered);
        Edit edit{{"order.base.instances", base.toStdString()}};
        for (const QByteArray& each : more.split(' '))
            edit.emplace_back(each.split('=')[0].toStdString(), each.split('=')[1].toStdString());
        const ScenarioSpec spec = *applyEdit(Made::sample(id.toStdString()), edit);
        const Estimate before = *alidade::estimate(spec, catalog(), catalog().defaultProfile);
        QVERIFY(!before.runs);
        const auto problem = std::ranges::find(before.problems, "/order/base/instances", &Problem::place);
        QVERIFY(problem != before.problems.end() && problem->fix);
        QVERIFY2((problem->fix->set == Edit{{"order.base.instances", offered.toStdString()}}),
                 problem->fix->text.c_str());
        const Made made(id.toStdString(), with(edit, problem->fix->set));
        QVERIFY(made.estimate.runs && made.estimate.fits && made.estimate.cost);
        QVERIFY(std::ranges::none_of(made.estimate.problems, [](const Problem& each) {
            return each.severity == Severity::error || each.place.starts_with("/order/base/");
        }));
        addsUp(made);
    }

    /// What else stops the plan is fixed with it.
    void aSmallerBaseAndAnotherChange() {
        const Edit edit{{"order.base.instances", "80"},
                        {"order.base.purchase", "on_demand"},
                        {"plan.data_parallel", ""},
                        {"plan.tensor_parallel", "3"}};
        const Estimate before =
            *alidade::estimate(*applyEdit(Made::sample(run), edit), catalog(), catalog().defaultProfile);
        const auto problem = std::ranges::find(before.problems, "/order/base/instances", &Problem::place);
        QVERIFY(problem != before.problems.end() && problem->fix);
        QCOMPARE(problem->fix->set.front().second, std::string("64"));
        QVERIFY(Made(run, with(edit, problem->fix->set)).estimate.runs);
    }

    /// In blocks no more than an account can have; of base and rest in blocks no base helps.
    void aBaseOfBlocksIsMadeSmaller() {
        const Edit edit{{"cluster.purchase", "on_demand"},
                        {"order.base.purchase", "capacity_block"},
                        {"order.base.instances", "1792"}};
        const auto fixOf = [](const Made& made) {
            const auto at =
                std::ranges::find(made.estimate.problems, "/order/base/purchase", &Problem::place);
            return at == made.estimate.problems.end() ? std::optional<Fix>() : at->fix;
        };
        const auto fix = fixOf(Made(large, edit));
        QVERIFY(fix);
        QVERIFY((fix->set == Edit{{"order.base.instances", "256"}}));
        const Made made(large, with(edit, fix->set));
        QVERIFY(made.document->bill);
        addsUp(made);
        QVERIFY(!fixOf(Made(large, with(edit, {{"cluster.purchase", "capacity_block"}}))));
    }

    /// A search refuses what an estimate refuses, whichever of its plans comes first.
    void aSearchRefusesABaseThatIsTooLarge() {
        SearchQuestion question;
        question.base = *applyEdit(Made(run).spec, {{"cluster.gpus", ""},
                                                    {"plan.data_parallel", ""},
                                                    {"order.base.instances", "80"},
                                                    {"order.base.purchase", "on_demand"}});
        question.free = {*freeField(question.base, catalog(), "plan.tensor_parallel", "4,8")};
        completeQuestion(question, catalog(), catalog().defaultProfile);
        const SearchResult result = search(question, catalog(), catalog().defaultProfile);
        QCOMPARE(result.counts.illegal, result.counts.total());
        QVERIFY(result.counts.total() > 0);
        QVERIFY(result.best.empty());
    }

    /// Spare nodes are instances of blocks like the others.
    void sparesInBlocksAreCounted() {
        const Edit edit{{"cluster.instances", "256"},
                        {"cluster.gpus", ""},
                        {"plan.data_parallel", ""},
                        {"cluster.purchase", "capacity_block"}};
        QVERIFY(Made(large, edit).document->bill);
        const Made more(large, with(edit, {{"run.spares", "4"}}));
        QVERIFY(more.isTold("/cluster/purchase", "260 instances exceed the 256"));
        QVERIFY(!more.document->bill);
        const Made split(large, with(edit, {{"run.spares", "4"},
                                            {"order.base.instances", "4"},
                                            {"order.base.purchase", "on_demand"}}));
        QVERIFY(split.document->bill);
        addsUp(split);
    }

    void whatCannotBeBoughtIsSaid_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* path, const char* value, const char* pointer,
                            const char* words) {
            QTest::newRow(name) << QByteArray(path) << QByteArray(value) << QByteArray(pointer)
                                << QByteArray(words);
        };
        row("too many", "order.base.instances", "65", "/order/base/instances",
            "The base of 65 exceeds the 64 that are rented");
        row("no rate", "order.base.dollars_per_instance_hour", "", "/order/base/dollars_per_instance_hour",
            "Base: No Savings Plan rate is known for p5.48xlarge");
        row("not sold", "order.base.purchase", "reserved", "/order/base/purchase",
            "Base: No price is known for p5.48xlarge, Reserved");
        row("a term of nothing", "order.base.purchase", "on_demand", "/order/base/commitment",
            "Only a reservation or a Savings Plan has a term");
        row("no size", "order.base.instances", "", "/order/base/instances", "The base has no instances");
    }
    void whatCannotBeBoughtIsSaid() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, pointer);
        QFETCH(QByteArray, words);
        const Made made(run, with(committed, {{"order.base.commitment", "3_years_all_upfront"},
                                              {path.toStdString(), value.toStdString()}}));
        std::string told;
        for (const Problem& each : made.estimate.problems)
            told += each.place + ": " + each.message + '\n';
        QVERIFY2(made.isTold(pointer.toStdString(), words.toStdString()), told.c_str());
    }

    /// A service without days is ordered for the longer time, that of the term.
    void aServiceWithABase() {
        const Edit two{{"cluster.instances", "2"}};
        const Edit base{{"order.base.instances", "1"},
                        {"order.base.purchase", "savings_plan"},
                        {"order.base.dollars_per_instance_hour", "40"}};
        const Made made(service, with(two, base));
        const Made plain(service, two);
        QCOMPARE(made.document->orderHours, 8760.0);
        QCOMPARE(centsText(made.machines()[0].amount), std::string("350400.00")); // 8,760 x 40
        QCOMPARE(made.machines()[1].quantity, Thousandths{8760 * 1000});
        QVERIFY(std::abs(made.estimate.cost->dollarsPerHour -
                         (plain.estimate.cost->dollarsPerHour / 2 + 40)) < 1e-9);
        const double ratio = made.estimate.cost->dollarsPerHour / plain.estimate.cost->dollarsPerHour;
        QVERIFY(std::abs(*made.estimate.cost->dollarsPerMillionOutputTokens /
                             *plain.estimate.cost->dollarsPerMillionOutputTokens -
                         ratio) < 1e-9);
        addsUp(made);
        const Made quarter(service, with(with(two, base), {{"order.days", "90"}}));
        QCOMPARE(quarter.machines()[0].amount, made.machines()[0].amount);
        QCOMPARE(quarter.machines()[1].quantity, Thousandths{90 * 24 * 1000});
        QCOMPARE(quarter.order().idleHours, Thousandths{(8760 - 90 * 24) * 1000});
    }

    void poolsShareTheBase() {
        const std::string_view apart = "serve-deepseek-r1-24xp5en.48xlarge";
        const Made plain(apart);
        QVERIFY(plain.estimate.scenario.plan.disaggregated.prefill.workers);
        const Made made(apart, {{"order.base.instances", "8"},
                                {"order.base.purchase", "savings_plan"},
                                {"order.base.dollars_per_instance_hour", "40"}});
        const double one = plain.estimate.cost->dollarsPerHour / 24;
        QVERIFY(std::abs(made.estimate.cost->dollarsPerHour - (16 * one + 8 * 40)) < 1e-6);
        addsUp(made);
    }

    void reinforcementLearningWithABase() {
        const Made made(rl, {{"order.base.instances", "4"},
                             {"order.base.purchase", "savings_plan"},
                             {"order.base.dollars_per_instance_hour", "40"}});
        QCOMPARE(made.machines().size(), std::size_t{2});
        addsUp(made);
    }

    /// The rent is derived from both prices.
    void theRentIsDerived() {
        const Made made(run, committed);
        for (const char* figure : {"cost.dollars_per_run", "cost.dollars_per_hour"}) {
            const auto why = explainFigure(made.spec, catalog(), catalog().defaultProfile, figure);
            QVERIFY2(why, why ? "" : why.error().c_str());
            QVERIFY2(why->formula.find("base") != std::string::npos, why->formula.c_str());
        }
    }

    /// All machines are needed for the same time, so the best split is at a limit; suggestions know it.
    void theBestSplitIsSuggested() {
        const auto suggested = [](std::string_view id, const Edit& edit, const std::string& instances) {
            const ScenarioSpec spec = Made(id, edit).spec;
            const std::vector<Suggestion> all = suggest(spec, catalog(), catalog().defaultProfile);
            return std::ranges::any_of(all, [&](const Suggestion& each) {
                return std::ranges::any_of(each.change.set, [&](const auto& field) {
                    return field.first == "order.base.instances" && field.second == instances &&
                           each.dollarsPerRunDifference.value_or(0) < 0;
                });
            });
        };
        QVERIFY(suggested(large, {{"cluster.purchase", "on_demand"}}, "1792"));
        const std::vector<Suggestion> all = suggest(Made(large).spec, catalog(), catalog().defaultProfile);
        QVERIFY(std::ranges::any_of(all, [](const Suggestion& each) {
            return each.reason.find("bought in two ways in us-east-2 instead of On-Demand") !=
                   std::string::npos;
        }));
        QVERIFY(suggested(run, with(committed, {{"cluster.purchase", "on_demand"}}), ""));
        QVERIFY(!suggested(run, {{"cluster.purchase", "on_demand"}}, "0"));
    }

    /// On other machines, a base at a rate that the scenario states is gone with the rate.
    void otherMachinesHaveNoBase() {
        const Made made(run, committed);
        const auto machines = freeMachines(made.spec, catalog(), "p5.48xlarge,p5en.48xlarge");
        QVERIFY(machines);
        const ScenarioSpec same = *applyEdit(made.spec, machines->choices[0].edit),
                           other = *applyEdit(made.spec, machines->choices[1].edit);
        QCOMPARE(same.order.base.instances.value_or(0), std::int64_t{16});
        QCOMPARE(other.order.base.instances, std::nullopt);
        QCOMPARE(other.order.base.dollarsPerInstanceHour, std::nullopt);
    }
};

QTEST_GUILESS_MAIN(TestBaseOrder)

} // namespace tst_base_order

#include "tst_base_order.moc"
