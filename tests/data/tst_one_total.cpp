// SPDX-License-Identifier: GPL-3.0-or-later
// One scenario has one total: the estimate, its JSON and the documents of a buyer print the same order, the
// same band and the same quantities.
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/report/answer.h"
#include "data/report/document_sections.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/document/plan_document.h"
#include "model/engine/engine.h"
#include "model/explore/variable.h"
#include "model/units/format.h"
#include "tests/data/csv_amounts.h"
#include "tests/data/shipped_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_one_total {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::json;

const Catalog& catalog() { return *test::shippedCatalog(); }

/// What is printed of a scenario: without and with the sections of a buyer's document.
struct Printed {
    explicit Printed(std::string_view id, const Edit& edit = {})
        : spec(*applyEdit(*readScenario(sampleScenarioText(id).value_or("")).spec, edit))
        , estimate(*alidade::estimate(spec, catalog(), catalog().defaultProfile))
        , document(std::make_shared<const PlanDocument>(
              *planDocument(spec, catalog(), catalog().defaultProfile, estimate,
                            {.options = false, .risks = false, .assumptions = false}))) {
        const ReportContext context{.programVersion = "9.8.7", .date = "2026-11-20"};
        plain = buildReport(estimate, {}, context);
        ReportInput input{&estimate, {}, writeScenario(spec), "mine"};
        input.document = document;
        full = buildReport(std::span(&input, 1), context);
        json = Json::parse(writeEstimate(estimate));
    }
    const Order& order() const { return *estimate.cost->order; }
    ScenarioSpec spec;
    Estimate estimate;
    std::shared_ptr<const PlanDocument> document;
    Report plain, full;
    Json json;
};

const ReportSection& section(const Report& report, std::string_view id) {
    return *std::ranges::find(report.sections, id, &ReportSection::id);
}

const KeyFigure& figure(const Report& report, std::string_view question) {
    return *std::ranges::find(report.keyFigures, question, &KeyFigure::question);
}

std::string answerText(const Report& report) {
    std::string text;
    for (const Sentence& sentence : report.answer)
        text += plainText(sentence) + ' ';
    return text;
}

/// All that is written in a report.
std::string everything(const Report& report) {
    std::string text = answerText(report);
    for (const KeyFigure& each : report.keyFigures)
        text += each.value + ' ' + each.unit + ' ' + each.detail + '\n';
    for (const ReportSection& each : report.sections) {
        text += each.title + '\n';
        for (const std::string& paragraph : each.text)
            text += paragraph + '\n';
        for (const Table& table : each.tables) {
            for (const auto& row : table.rows)
                for (const Cell& cell : row)
                    text += cell.text + '\n';
            text += table.note + '\n';
        }
    }
    return text;
}

/// Whether the list of all assumptions has one whose label begins so.
bool assumes(const Report& report, std::string_view beginning) {
    const Table& table = section(report, "assumptions").tables.front();
    return std::ranges::any_of(table.rows,
                               [&](const auto& row) { return row.front().text.starts_with(beginning); });
}

/// How to buy, with a price where none is published.
Edit bought(const std::string& purchase) {
    Edit out{{"cluster.purchase", purchase}};
    if (purchase == "savings_plan" || purchase == "training_plan")
        out.emplace_back("cluster.dollars_per_instance_hour", "40");
    return out;
}

constexpr std::string_view dense = "llama-3.1-70b-64xp5.48xlarge";

} // namespace

class TestOneTotal : public QObject {
    Q_OBJECT

private slots:
    void sameTotalEverywhere_data() {
        QTest::addColumn<QByteArray>("sample");
        QTest::addColumn<QByteArray>("purchase");
        QTest::addColumn<QByteArray>("support");
        QTest::newRow("on demand") << QByteArray(dense.data()) << QByteArray("on_demand") << QByteArray("0");
        QTest::newRow("blocks") << QByteArray(dense.data()) << QByteArray("capacity_block")
                                << QByteArray("0");
        QTest::newRow("committed, with support")
            << QByteArray(dense.data()) << QByteArray("savings_plan") << QByteArray("0.03");
        QTest::newRow("2,048 instances")
            << QByteArray("llama-3.1-405b-2048xp5.48xlarge") << QByteArray("on_demand") << QByteArray("0");
        QTest::newRow("reinforcement learning")
            << QByteArray("grpo-qwen3-32b-8xp5en.48xlarge") << QByteArray("on_demand") << QByteArray("0");
    }
    void sameTotalEverywhere() {
        QFETCH(QByteArray, sample);
        QFETCH(QByteArray, purchase);
        QFETCH(QByteArray, support);
        Edit edit = bought(purchase.toStdString());
        edit.emplace_back("order.support", support.toStdString());
        edit.emplace_back("order.tax", "0.08");
        const Printed made(sample.toStdString(), edit);
        const Order& order = made.order();
        QVERIFY(std::ranges::any_of(
            order.lines, [](const OrderLine& line) { return line.kind == OrderLineKind::storage; }));
        const Order& billed = made.document->bill->expected;
        QCOMPARE(billed.lines.size(), order.lines.size());
        QCOMPARE(billed.beforeTax, order.beforeTax);
        QCOMPARE(billed.total, order.total);
        const double dollars = dollarsOf(order.beforeTax);
        const Json& cost = made.json["cost"];
        QCOMPARE(cost["order"]["before_tax_dollars"].get<double>(), dollars);
        double lines = 0, months = 0;
        for (const Json& line : cost["order"]["lines"])
            lines += std::round(line["dollars"].get<double>() * 100);
        for (const Json& month : cost["months"])
            months += std::round(month["dollars"].get<double>() * 100);
        QCOMPARE(static_cast<Cents>(lines), order.total);
        QCOMPARE(static_cast<Cents>(months), order.total);
        for (const Report* report : {&made.plain, &made.full}) {
            QCOMPARE(*figure(*report, "How much?").si, dollars);
            QVERIFY2(answerText(*report).find(formatQuantity(dollars, Dimension::dollars)) !=
                         std::string::npos,
                     answerText(*report).c_str());
            const Table& table = section(*report, "order").tables.front();
            QCOMPARE(table.rows.size(), order.lines.size() + 1);
            QCOMPARE(table.rows.back().back().text, exactMoney(order.total));
            QVERIFY(table.note.find("Before tax " + exactMoney(order.beforeTax)) != std::string::npos);
            const Table& money = section(*report, "cost").tables.front();
            QVERIFY(std::ranges::any_of(money.rows, [&](const auto& row) {
                return row[0].text == "The whole run, before tax" && *row[1].value == dollars;
            }));
        }
        const std::string csv = reportCsv(made.full);
        QVERIFY(test::holdsAmount(csv, order.total));
    }

    /// The total is the rent and what is alongside it, in the derivation as well.
    void theTotalIsDerived() {
        const Printed made(dense, {{"order.support", "0.03"}, {"order.contingency", "0.1"}});
        const auto why =
            explainFigure(made.spec, catalog(), catalog().defaultProfile, "cost.order.before_tax_dollars");
        QVERIFY2(why, why ? "" : why.error().c_str());
        QCOMPARE(why->value, dollarsOf(made.order().beforeTax));
        for (const char* part : {"storage", "support", "contingency"})
            QVERIFY2(why->formula.find(part) != std::string::npos, why->formula.c_str());
    }

    /// Blocks are sold by whole days, so the ends of the band are too.
    void sameBandEverywhere_data() {
        QTest::addColumn<QByteArray>("purchase");
        for (const char* purchase : {"on_demand", "capacity_block", "training_plan"})
            QTest::newRow(purchase) << QByteArray(purchase);
    }
    void sameBandEverywhere() {
        QFETCH(QByteArray, purchase);
        const Printed made(dense, bought(purchase.toStdString()));
        const Bill& bill = *made.document->bill;
        QCOMPARE(made.estimate.cost->orderBand->low, bill.low->beforeTax);
        QCOMPARE(made.estimate.cost->orderBand->high, bill.high->beforeTax);
        const Json& order = made.json["cost"]["order"];
        QCOMPARE(order["low_before_tax_dollars"].get<double>(), dollarsOf(bill.low->beforeTax));
        QCOMPARE(order["high_before_tax_dollars"].get<double>(), dollarsOf(bill.high->beforeTax));
        for (const char* question : {"How long?", "How much?", "How sure?"})
            QCOMPARE(figure(made.plain, question).detail, figure(made.full, question).detail);
        QCOMPARE(figure(made.plain, "How sure?").value, figure(made.full, "How sure?").value);
        const std::string band = figure(made.plain, "How much?").detail;
        QVERIFY(everything(made.plain).find(", " + band) != std::string::npos); // of the costs too
        if (purchase == "capacity_block") {
            const std::int64_t days = made.order().lines.front().quantity / 1000 / 64 / 24;
            QCOMPARE(days % 7, std::int64_t{0});
        }
    }

    /// The rent of the JSON has the hours of the order: used ones to a thousandth for each machine.
    void linesHaveTheHoursOfTheOrder() {
        for (const char* purchase : {"on_demand", "capacity_block", "savings_plan"}) {
            const Printed made(dense, bought(purchase));
            const Json& cost = made.json["cost"];
            double hours = 0, dollars = 0;
            for (const Json& line : cost["lines"]) {
                const double quantity = line["quantity"].get<double>();
                QVERIFY(std::abs(quantity * 1e3 - std::round(quantity * 1e3)) < 1e-3);
                QVERIFY(std::abs(quantity * line["dollars_per_unit"].get<double>() -
                                 line["dollars"].get<double>()) < 0.0101);
                hours += quantity;
                dollars += line["dollars"].get<double>();
            }
            QVERIFY(std::abs(hours - cost["order"]["booked_hours"].get<double>()) < 1e-6);
            QVERIFY(std::abs(dollars - cost["dollars_per_run"].get<double>()) < 1e-6);
            if (cost["lines"].size() > 1)
                QVERIFY(std::abs(cost["lines"][1]["quantity"].get<double>() -
                                 cost["order"]["idle_hours"].get<double>()) < 1e-6);
        }
    }

    /// Blocks are prepaid and end: a service on them has no price of a month.
    void aServiceInBlocksIsPaidByTheBlock() {
        const Printed made("serve-deepseek-r1-1xu-p6e-gb200x72", {{"cluster.purchase", "capacity_block"}});
        const std::string line = "Capacity Block, 1 x u-p6e-gb200x72, 35 days";
        for (const Report* report : {&made.plain, &made.full}) {
            const std::string text = everything(*report);
            QVERIFY2(text.find("730 hours") == std::string::npos, text.c_str());
            QVERIFY2(text.find("Each month") == std::string::npos, text.c_str());
            const Table& table = section(*report, "order").tables.front();
            QCOMPARE(table.rows.front().front().text, line);
            QCOMPARE(table.rows.back().back().text, exactMoney(made.order().total));
        }
        QVERIFY(answerText(made.full).find("per month") == std::string::npos);
        QVERIFY2(answerText(made.full).find(" before tax, for 35.0 days.") != std::string::npos,
                 answerText(made.full).c_str());
        // It serves until its instances are terminated: nothing else of the block is idle.
        QCOMPARE(made.order().idleHours, Thousandths{1000});
        // By use a month is a month.
        const Printed hourly("serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(everything(hourly.plain).find("730 hours") != std::string::npos);
    }

    void theMonthHasLowAndHigh() {
        const std::string run = answerText(Printed(dense).full);
        QVERIFY2(run.find(" per month, low and high alike.") != std::string::npos, run.c_str());
        // A commitment is paid to its end, so a run that takes two terms costs as much in each month; what
        // is sent once is spread over more or fewer of them.
        const std::string sent = answerText(Printed(dense, {{"order.transfer_out_bytes", "9 PiB"}}).full);
        QVERIFY2(sent.find(" per month ($") != std::string::npos, sent.c_str());
    }

    void onlyWhatMattersIsAssumed() {
        const Printed made(dense);
        for (const char* absent : {"Expert", "Serving power", "Routing", "Dispatch", "Ring attention",
                                   "State-space", "Frozen 4-bit", "Step time error, MoE", "Host optimizer"})
            QVERIFY2(!assumes(made.full, absent), absent);
        for (const char* present :
             {"Peak in the GEMM", "HBM bandwidth", "GEMM: sustained", "Attention: share",
              "Step time error (SD", "Price of an instance", "File system: price", "GPU-hours per failure",
              "Power usage", "Carbon of the grid"})
            QVERIFY2(assumes(made.full, present), present);
        QVERIFY(made.full.sections.size() > made.plain.sections.size());
        const Printed experts("deepseek-v3-256xp5en.48xlarge");
        QVERIFY(assumes(experts.full, "Expert"));
        const Printed service("serve-llama-3.1-70b-1xp5en.48xlarge");
        QVERIFY(assumes(service.full, "Serving power"));
        QVERIFY(!assumes(service.full, "Expert"));
        QVERIFY(!assumes(service.full, "GPU-hours per failure"));
    }

    /// What is not listed changes nothing: every number of the document stays as it is.
    void whatIsLeftOutHasNoEffect() {
        const Printed made(dense);
        const std::vector<std::string>& used = made.document->usedAssumptions;
        QVERIFY(used.size() > 30 && used.size() < made.estimate.assumptions.size());
        for (const AssumptionT<double>& each : made.estimate.assumptions)
            if (each.value > 0 && std::ranges::find(used, each.name) == used.end()) {
                const auto scenario = resolve(made.spec, catalog(), catalog().defaultProfile);
                const auto variable = Variable::named(each.name, *scenario);
                if (!variable)
                    continue;
                const Explorer explorer(made.spec, catalog(), catalog().defaultProfile);
                const double other = std::clamp(each.value * 1.1, variable->minimum(), variable->maximum());
                const auto changed = explorer.with({{*variable, variable->valueOf(other)}});
                QVERIFY(changed);
                QVERIFY2(*changed->training->runTime == *made.estimate.training->runTime &&
                             *changed->cost->dollarsPerRun == *made.estimate.cost->dollarsPerRun &&
                             changed->memory->totalBytes == made.estimate.memory->totalBytes,
                         each.name.c_str());
            }
    }
};

QTEST_GUILESS_MAIN(TestOneTotal)

} // namespace tst_one_total

#include "tst_one_total.moc"
