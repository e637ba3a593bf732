// SPDX-License-Identifier: GPL-3.0-or-later
// The document that a buyer signs, made from real scenarios by the real engine.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/json/json.h"
#include "data/report/document_sections.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/document/plan_document.h"
#include "model/estimate/reinforcement.h"
#include "model/explore/variable.h"

#include <QDate>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <deque>
#include <sstream>

namespace tst_report_document {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::json;

const Catalog& catalog() {
    static const auto loaded = loadShippedCatalog().catalog;
    return *loaded;
}
const Profile& profile() { return catalog().defaultProfile; }

ScenarioSpec runSpec(const Edit& edit = {}) {
    const ScenarioReading reading = readScenario(R"({
        "alidade": 1, "name": "Seventy",
        "workload": {"kind": "training", "model": "llama-3.1-70b", "sequence_length": 8192,
                     "global_batch": 1024, "tokens": 2e12},
        "cluster": {"instance": "p5.48xlarge", "instances": 64, "region": "us-east-2",
                    "purchase": "on_demand"},
        "plan": {"framework": "megatron-core", "tensor_parallel": 4, "pipeline_parallel": 4,
                 "virtual_pipeline": 10, "micro_batch": 1, "precision": "bf16",
                 "recompute": ["norms", "glu"]},
        "run": {"start": "2027-01-04", "deadline": "2027-09-30"},
        "order": {"start": "2027-01-04", "support": 0.03, "contingency": 0.1, "tax": 0.19}})");
    Q_ASSERT(reading.spec);
    return *applyEdit(*reading.spec, edit);
}

ScenarioSpec sampleSpec(std::string_view id, const Edit& edit = {}) {
    const ScenarioReading reading = readScenario(sampleScenarioText(id).value_or(""));
    Q_ASSERT(reading.spec);
    return *applyEdit(*reading.spec, edit);
}

/// A document with all that it refers to.
struct Made {
    explicit Made(const ScenarioSpec& spec, const DocumentParts& parts = {},
                  const ReportContext& context = {"9.8.7", "2026-11-20"})
        : spec(spec)
        , estimate(*alidade::estimate(spec, catalog(), profile()))
        , document(std::make_shared<const PlanDocument>(
              *planDocument(spec, catalog(), profile(), estimate, parts))) {
        ReportInput input{&estimate, {}, writeScenario(spec), "mine"};
        input.document = document;
        const std::vector<ReportInput> inputs{input};
        report = buildReport(inputs, context);
    }
    ScenarioSpec spec;
    Estimate estimate;
    std::shared_ptr<const PlanDocument> document;
    Report report;
};

/// With everything, made once.
const Made& made() {
    static const Made all(runSpec());
    return all;
}

const ReportSection* find(const Report& report, const std::string& id) {
    const auto at = std::ranges::find(report.sections, id, &ReportSection::id);
    return at == report.sections.end() ? nullptr : &*at;
}

const Table& table(const Report& report, const std::string& id) {
    const ReportSection* section = find(report, id);
    if (!section || section->tables.empty())
        qFatal("no section %s", id.c_str());
    return section->tables.front();
}

Cents centsOf(const std::string& decimal) { return std::llround(std::stod(decimal) * 100); }

/// Fields of the lines of a CSV table; none of them is quoted where it is used.
std::vector<std::vector<std::string>> csvTable(const std::string& csv, const std::string& id) {
    std::vector<std::vector<std::string>> out;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        std::vector<std::string> fields(1);
        bool quoted = false;
        for (const char c : line)
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                fields.emplace_back();
            else
                fields.back() += c;
        if (fields.size() > 1 && fields[1] == id)
            out.push_back({fields.begin() + 2, fields.end()});
    }
    return out;
}

std::string lastFilled(const std::vector<std::string>& fields) {
    std::string out;
    for (const std::string& field : fields)
        out = field.empty() ? out : field;
    return out;
}

} // namespace

class TestReportDocument : public QObject {
    Q_OBJECT

private slots:
    void linesAddUpToTheCent() {
        const Report& report = made().report;
        const Order& order = *report.order;
        QCOMPARE(order.total, made().document->bill->expected.total);
        Cents sum = 0;
        for (const OrderLine& line : order.lines)
            sum += line.amount;
        QCOMPARE(sum, order.total);
        QVERIFY(order.total > order.beforeTax); // tax

        // As values and as printed.
        const Table& bill = table(report, "order");
        QVERIFY(bill.totalRow);
        QCOMPARE(bill.rows.size(), order.lines.size() + 1);
        Cents printed = 0, values = 0;
        for (std::size_t r = 0; r + 1 < bill.rows.size(); ++r) {
            std::string text = bill.rows[r].back().text;
            std::erase_if(text, [](char c) { return c == '$' || c == ','; });
            printed += centsOf(text);
            values += std::llround(*bill.rows[r].back().value * 100);
        }
        QCOMPARE(printed, order.total);
        QCOMPARE(values, order.total);
        QCOMPARE(bill.rows.back().back().text, exactMoney(order.total));

        const Json json = Json::parse(reportJson(report));
        Cents inJson = 0;
        for (const Json& line : json.at("order").at("lines"))
            inJson += centsOf(line.at("amount").get<std::string>());
        QCOMPARE(inJson, centsOf(json.at("order").at("total").get<std::string>()));
        QCOMPARE(inJson, order.total);

        const auto rows = csvTable(reportCsv(report), "order");
        QCOMPARE(rows.size(), order.lines.size() + 2); // head and total
        Cents inCsv = 0;
        for (std::size_t r = 1; r + 1 < rows.size(); ++r)
            inCsv += centsOf(lastFilled(rows[r]));
        QCOMPARE(inCsv, order.total);
        QCOMPARE(centsOf(lastFilled(rows.back())), order.total);
    }

    void storageIsALineOfItsOwn() {
        const Order& order = made().document->bill->expected;
        const auto at = std::ranges::find(order.lines, OrderLineKind::storage, &OrderLine::kind);
        QVERIFY(at != order.lines.end());
        QCOMPARE(at->unit, std::string("GB-months"));
        // Provisioned GiB, billed as GB, for the part of a month of 730 hours that the run takes.
        const double hours = *made().estimate.training->runTime / 3600;
        const double gib = made().estimate.run->storageBytes / 1073741824.0;
        QCOMPARE(at->quantity, thousandths(std::ceil(gib - 1e-6) * hours / 730));
        QCOMPARE(at->amount, amountOf(at->quantity, at->price));
    }

    void cashFlowEndsAtTheTotals() {
        const PlanDocument& d = *made().document;
        QVERIFY(d.cash.size() >= 2);
        QCOMPARE(d.cash.back().soFar, d.bill->expected.total);
        QCOMPARE(d.cash.back().lowSoFar, d.bill->low->total);
        QCOMPARE(d.cash.back().highSoFar, d.bill->high->total);
        QVERIFY(d.bill->low->total < d.bill->expected.total && d.bill->expected.total < d.bill->high->total);
        const Table& cash = table(made().report, "cash_flow");
        Cents paid = 0;
        for (const auto& row : cash.rows)
            paid += std::llround(*row[1].value * 100);
        QCOMPARE(paid, d.bill->expected.total);
        QCOMPARE(cash.rows.front()[0].text, std::string("Jan 2027"));
    }

    /// The answer of a risk is that of the changed scenario, whoever estimates it.
    void risksEqualAReEstimate() {
        const PlanDocument& d = *made().document;
        QVERIFY(d.risks.size() >= 5);
        const Explorer plain(made().spec, catalog(), profile());
        const double before = *plain.with({})->training->runTime;
        std::set<std::string> seen;
        for (const Risk& risk : d.risks) {
            seen.insert(risk.id);
            const auto there = plain.with(risk.numbers, risk.set);
            QVERIFY2(static_cast<bool>(there), risk.id.c_str());
            QCOMPARE(risk.result.fits, there->fits);
            if (!risk.days)
                continue;
            QVERIFY2(std::abs(*risk.days * 86'400 - (*there->training->runTime - before)) < 1e-3,
                     risk.id.c_str());
            QVERIFY2(*risk.result.total == there->cost->order->beforeTax, risk.id.c_str());
            // With the storage for the time of the changed run.
            const double hours = *there->training->runTime / 3600;
            const double gib = std::ceil(there->run->storageBytes / 1073741824.0 - 1e-6);
            const double storage = gib * hours / 730 * plain.scenarioWith({})->inputs[Input::storagePrice];
            QVERIFY2(std::abs(dollarsOf(there->cost->order->lines[1].amount) - storage) < 0.1,
                     risk.id.c_str());
            QCOMPARE(*risk.total, *risk.result.total - *d.result.total);
        }
        for (const char* id : {"fewer_machines", "gemm", "interruptions", "memory", "price", "deadline"})
            QVERIFY2(seen.contains(id), id);
    }

    void risksPointTheRightWay() {
        for (const Risk& risk : made().document->risks) {
            if (risk.id == "price") {
                QCOMPARE(*risk.days, 0.0);
                // One percent of the machines, which are all but the storage, with support and contingency.
                const double share =
                    static_cast<double>(*risk.total) / static_cast<double>(*made().document->result.total);
                QVERIFY2(share > 0.0095 && share <= 0.01000001, QByteArray::number(share));
            }
            if (risk.id == "interruptions" || risk.id == "gemm") {
                QVERIFY(*risk.days > 0 && *risk.total > 0);
                QVERIFY(*risk.odds > 0 && *risk.odds < 0.5);
            }
            if (risk.id == "fewer_machines")
                QVERIFY(*risk.days > 0.9 * *made().document->result.days);
        }
        const Table& risks = table(made().report, "risks");
        QCOMPARE(risks.rows.size(), made().document->risks.size());
        QCOMPARE(*risks.rows[0][2].value, *made().document->risks[0].days * 86'400);
    }

    /// Where fewer than nine of ten outcomes meet the deadline, the document says what would.
    void deadlineStepsAreListed() {
        QVERIFY(made().document->deadlineSteps.empty() && !find(made().report, "deadline"));
        const double days = *made().document->result.days;
        const QDate start(2027, 1, 4);
        const std::string soon =
            start.addDays(static_cast<qint64>(days)).toString(Qt::ISODate).toStdString(); // about one in two
        const Made late(runSpec({{"run.deadline", soon}}), {.options = false, .assumptions = false});
        const auto& steps = late.document->deadlineSteps;
        QVERIFY(!steps.empty());
        const Table& listed = table(late.report, "deadline");
        QCOMPARE(listed.rows.size(), steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            QCOMPARE(listed.rows[i][0].text, steps[i].text);
            QCOMPARE(*listed.rows[i][1].value, steps[i].days * 86'400);
            QCOMPARE(*listed.rows[i][2].value, dollarsOf(*steps[i].total));
            QCOMPARE(*listed.rows[i][3].value, steps[i].chance);
        }
        QVERIFY(!find(Made(runSpec({{"run.deadline", soon}}), {.options = false, .risks = false}).report,
                      "deadline"));
    }

    void optionsHaveStatesAndReasons() {
        const FoundOptions& found = made().document->options;
        QVERIFY(found.options.size() >= 4);
        QVERIFY(found.plans > 100);
        QCOMPARE(std::ranges::count(found.options, OptionState::chosen, &ConsideredOption::state), 1);
        QCOMPARE(found.options.front().state, OptionState::chosen);
        for (const ConsideredOption& each : found.options) {
            QVERIFY2(each.state == OptionState::chosen || !each.reason.empty(), each.name.c_str());
            if (each.state == OptionState::chosen)
                continue;
            // It is the scenario with this change, estimated again.
            const auto spec = applyEdit(made().spec, each.set);
            QVERIFY(spec.has_value());
            const auto there = Explorer(*spec, catalog(), profile()).with({});
            QVERIFY(static_cast<bool>(there));
            QCOMPARE(there->fits, each.result.fits);
            if (each.result.days)
                QCOMPARE(*there->training->runTime / 86'400, *each.result.days);
        }
        QCOMPARE(table(made().report, "options").rows.size(), found.options.size());
    }

    void assumptionsThatDoNotMatterAreNotPrinted() {
        const auto& listed = made().document->assumptions;
        QVERIFY(listed.size() >= 3 && listed.size() <= mostKeyAssumptions);
        const Explorer plain(made().spec, catalog(), profile(), false);
        const double now = *plain.figure("cost.dollars_per_run", {});
        for (const KeyAssumption& each : listed) {
            QVERIFY(each.low <= each.value && each.value <= each.high);
            const auto scenario = plain.scenarioWith({});
            const Variable variable = *Variable::named(each.name, *scenario);
            const auto there =
                plain.figure("cost.dollars_per_run", {{variable, variable.valueOf(each.worse)}});
            QVERIFY2(there.has_value(), each.name.c_str());
            QVERIFY2(std::abs(*there / now - 1 - each.change) < 1e-9, each.name.c_str());
            QVERIFY2(std::abs(each.change) >= leastEffect, each.name.c_str());
        }
        QVERIFY(std::ranges::is_sorted(listed, std::ranges::greater{},
                                       [](const KeyAssumption& each) { return std::abs(each.change); }) ||
                listed.size() > 1);
        const auto price = std::ranges::find(listed, "price", &KeyAssumption::name);
        QVERIFY(price != listed.end());
        QVERIFY(std::abs(price->change - 0.1) < 1e-6); // of the rent
    }

    void glossaryHasNoUnusedTerm() {
        const Report& report = made().report;
        const Table& glossary = table(report, "glossary");
        Report without = report;
        std::erase_if(without.sections, [](const ReportSection& s) { return s.id == "glossary"; });
        std::string all = reportJson(without);
        std::ranges::transform(all, all.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        for (const auto& row : glossary.rows) {
            std::string term = row[0].text;
            std::ranges::transform(term, term.begin(), [](unsigned char c) { return char(std::tolower(c)); });
            // Terms are also used in the plural, or by another name that begins alike.
            const std::string stem = term == "gemm" ? "matrix products" : term.substr(0, 6);
            QVERIFY2(all.find(term) != std::string::npos || all.find(stem) != std::string::npos,
                     term.c_str());
        }
        const auto has = [&](const char* term) {
            return std::ranges::any_of(glossary.rows, [&](const auto& row) { return row[0].text == term; });
        };
        QVERIFY(has("GPU") && has("NVLink"));
        QVERIFY(!has("TTFT") && !has("KV cache")); // of serving

        Report small;
        small.title = "A plan with EFA";
        const auto one = glossarySection(small);
        QVERIFY(one && one->tables.front().rows.size() == 1);
        small.title = "XEFA";
        QVERIFY(!glossarySection(small));
    }

    void sectionsCanBeChosen() {
        ReportContext context{"9.8.7", "2026-11-20"};
        context.sections = *sectionChoice("order,risks");
        const Made some(runSpec(), {.options = false, .assumptions = false}, context);
        for (const ReportSection& section : some.report.sections)
            QVERIFY2(section.id == "order" || section.id == "risks" || section.id == "problems",
                     section.id.c_str());
        QVERIFY(find(some.report, "order") && find(some.report, "risks"));
        QVERIFY(!sectionChoice("order,nonsense"));
        QVERIFY(sectionChoice("nonsense").error().find("cash_flow") != std::string::npos);
        QVERIFY(!sectionChoice(","));
        context.sections = *sectionChoice("risks");
        QVERIFY(!Made(runSpec(), {.options = false, .assumptions = false}, context).report.order);
    }

    void sameInputSameBytes() {
        const Made again(runSpec());
        QCOMPARE(reportJson(again.report), reportJson(made().report));
        QCOMPARE(reportCsv(again.report), reportCsv(made().report));
        QVERIFY(*reportXlsx(again.report) == *reportXlsx(made().report));
    }

    void whatDoesNotFitIsNotOrdered() {
        const Made bad(runSpec({{"cluster.instances", "4"}, {"plan.data_parallel", ""}}));
        QVERIFY(!bad.estimate.fits || !bad.estimate.runs);
        QVERIFY(!bad.report.order && !find(bad.report, "cash_flow") && !find(bad.report, "risks"));
        std::string text;
        for (const Sentence& sentence : bad.report.answer)
            text += plainText(sentence) + ' ';
        QVERIFY2(text.find("Do not order this plan") != std::string::npos, text.c_str());
    }

    void aComparisonRecommendsOne() {
        std::deque<Made> plans;
        plans.emplace_back(runSpec(), DocumentParts{.options = false});
        plans.emplace_back(runSpec({{"cluster.instances", "128"}, {"plan.data_parallel", ""}}),
                           DocumentParts{.options = false});
        std::vector<ReportInput> inputs;
        for (const Made& each : plans) {
            inputs.push_back({&each.estimate, {}, writeScenario(each.spec), "plan"});
            inputs.back().document = each.document;
        }
        const Report report = buildReport(inputs, {"9.8.7", "2026-11-20"});
        const Table& options = table(report, "options");
        QCOMPARE(options.rows.size(), 2U);
        QCOMPARE(options.rows[0][1].text, std::string("chosen"));
        QVERIFY(find(report, "cash_flow") && find(report, "risks") && find(report, "glossary"));
        QVERIFY(report.order.has_value());
    }

    void servicesHaveADocumentToo() {
        const ScenarioReading reading = readScenario(R"({
            "alidade": 1,
            "workload": {"kind": "serving", "model": "llama-3.1-70b", "input_tokens": 2048,
                         "output_tokens": 256, "request_rate_per_s": 4},
            "cluster": {"instance": "p5.48xlarge", "instances": 2, "region": "us-east-2",
                        "purchase": "on_demand"},
            "plan": {"engine": "vllm", "tensor_parallel": 8, "weights": "bf16", "kv_cache": "bf16"}})");
        QVERIFY(reading.spec.has_value());
        const Made service(*reading.spec);
        QVERIFY(service.document->bill.has_value());
        QVERIFY(!service.document->bill->low); // the time is given
        const auto ids = [&](const char* id) {
            return std::ranges::any_of(service.document->risks, [&](const Risk& r) { return r.id == id; });
        };
        QVERIFY(ids("load") && ids("price") && ids("fewer_machines"));
        QVERIFY(find(service.report, "risks") && find(service.report, "order"));
        QCOMPARE(std::llround(*table(service.report, "order").rows.back().back().value * 100),
                 service.document->bill->expected.total);
    }

    /// A run of reinforcement learning is ordered, paid and judged as any other run is.
    void reinforcementLearningHasADocumentToo() {
        const Made run(sampleSpec("grpo-qwen3-32b-8xp5en.48xlarge",
                                  {{"order.start", "2027-01-25"}, {"order.tax", "0.19"}}));
        const PlanDocument& d = *run.document;
        QVERIFY(d.bill && d.bill->low && d.bill->high);
        const Order& order = d.bill->expected;
        // Eight instances for the time of all steps, at the price of the catalog.
        const double hours = *run.estimate.reinforcement->runTime / 3600;
        QCOMPARE(order.lines.front().quantity, 8 * billedHours(hours));
        QCOMPARE(order.lines.at(1).unit, std::string("GB-months"));
        QCOMPARE(dollarsOf(order.beforeTax - order.lines.at(1).amount), *run.estimate.cost->dollarsPerRun);
        QCOMPARE(order.total, order.beforeTax + std::llround(static_cast<double>(order.beforeTax) * 0.19));
        QCOMPARE(run.report.order->total, order.total);
        const Table& bill = table(run.report, "order");
        QCOMPARE(bill.rows.back().back().text, exactMoney(order.total));
        QCOMPARE(*d.result.days * 86'400, *run.estimate.reinforcement->runTime);
        QVERIFY(*d.result.lowDays < *d.result.days && *d.result.days < *d.result.highDays);

        QCOMPARE(d.cash.size(), 2U); // January and February
        QCOMPARE(d.cash.back().soFar, order.total);
        QCOMPARE(table(run.report, "cash_flow").rows.size(), d.cash.size());

        std::string answer;
        for (const Sentence& sentence : run.report.answer)
            answer += plainText(sentence) + ' ';
        QVERIFY2(answer.find("ordered for 1,000 steps of GRPO of Qwen3 32B?") != std::string::npos,
                 answer.c_str());
        QVERIFY2(answer.find("that takes 1,000 steps in ") != std::string::npos, answer.c_str());
        QVERIFY(answer.find("rate of failures") == std::string::npos); // it is not in this band
        QVERIFY(std::ranges::any_of(run.report.keyFigures,
                                    [](const KeyFigure& each) { return each.question == "How much?"; }));

        // The best split into two pools is an option, and each option is the scenario with its change.
        const auto& options = d.options.options;
        QVERIFY(d.options.plans > 10);
        QVERIFY(std::ranges::any_of(options, [](const ConsideredOption& each) {
            return std::ranges::any_of(each.set,
                                       [](const auto& s) { return s.first == "plan.rollout.gpus"; });
        }));
        QVERIFY(std::ranges::any_of(options, [](const ConsideredOption& each) {
            return std::ranges::any_of(each.set, [](const auto& s) { return s.first == "cluster.instance"; });
        }));
        for (const ConsideredOption& each : options) {
            const auto spec = applyEdit(run.spec, each.set);
            QVERIFY(spec.has_value());
            const auto there = Explorer(*spec, catalog(), profile()).with({});
            QVERIFY(static_cast<bool>(there));
            if (each.result.days)
                QCOMPARE(*there->reinforcement->runTime / 86'400, *each.result.days);
        }
        QCOMPARE(table(run.report, "options").rows.size(), options.size());

        for (const char* id : {"responses", "fewer_machines", "price"})
            QVERIFY2(std::ranges::find(d.risks, id, &Risk::id) != d.risks.end(), id);
        const Risk& longer = *std::ranges::find(d.risks, "responses", &Risk::id);
        QVERIFY(*longer.days > 0 && *longer.total > 0);
        QVERIFY(!d.assumptions.empty());
        const auto price = std::ranges::find(d.assumptions, "price", &KeyAssumption::name);
        QVERIFY(price != d.assumptions.end() && std::abs(price->change - 0.1) < 1e-6);
    }

    void reinforcementLearningInCapacityBlocksPaysWholeBlocks() {
        const Made run(sampleSpec("grpo-qwen3-32b-8xp5en.48xlarge", {{"cluster.purchase", "capacity_block"}}),
                       {.options = false});
        QVERIFY(run.document->bill.has_value());
        const Order& order = run.document->bill->expected;
        QVERIFY(order.idleHours > 0);
        QCOMPARE(dollarsOf(order.beforeTax - order.lines.back().amount), // storage
                 *run.estimate.cost->dollarsPerRun);
        double lines = 0;
        for (const auto& line : run.estimate.cost->lines)
            lines += line.dollars;
        QVERIFY(std::abs(lines - *run.estimate.cost->dollarsPerRun) < 1e-6);
        QCOMPARE(run.estimate.cost->lines.size(), 2U);
    }

    /// Half the machines keep the proportion of two pools.
    void poolsShrinkWithTheCluster() {
        const Made run(sampleSpec("grpo-qwen3-32b-one-step-off-8xp5en.48xlarge"));
        const auto& risks = run.document->risks;
        const auto fewer = std::ranges::find(risks, "fewer_machines", &Risk::id);
        QVERIFY(fewer != risks.end());
        QVERIFY(fewer->result.runs);
        const auto half = applyEdit(run.spec, fewer->set);
        QCOMPARE(half->cluster.instances, std::optional<std::int64_t>(4));
        QCOMPARE(half->roles.read().rolloutGpus, std::optional<std::int64_t>(16));
        QVERIFY(std::ranges::any_of(run.document->options.options,
                                    [](const ConsideredOption& each) { return each.name == "Colocated"; }));
    }

    void reinforcementLearningIsCompared() {
        std::deque<Made> plans;
        for (const char* id :
             {"grpo-qwen3-32b-8xp5en.48xlarge", "grpo-qwen3-32b-one-step-off-8xp5en.48xlarge"})
            plans.emplace_back(sampleSpec(id), DocumentParts{.options = false});
        std::vector<ReportInput> inputs;
        for (const Made& each : plans) {
            inputs.push_back({&each.estimate, {}, writeScenario(each.spec), "plan"});
            inputs.back().document = each.document;
        }
        const Report report = buildReport(inputs, {"9.8.7", "2026-11-20"});
        QCOMPARE(table(report, "options").rows.size(), 2U);
        QVERIFY(report.order && find(report, "cash_flow"));
        const Table& sides = table(report, "comparison");
        QCOMPARE(*sides.rows[0][4].value, plans[0].estimate.reinforcement->stepTime);
        QCOMPARE(*sides.rows[1][8].value, *plans[1].estimate.reinforcement->runTime);
        // Another number of steps is another job.
        plans.emplace_back(sampleSpec("grpo-qwen3-32b-8xp5en.48xlarge", {{"workload.steps", "500"}}),
                           DocumentParts{.options = false});
        inputs[1] = {&plans[2].estimate, {}, "{}", "plan"};
        inputs[1].document = plans[2].document;
        QVERIFY(!sameJob(inputs));
    }

    void withoutStepsNothingIsBilled() {
        const Made run(sampleSpec("grpo-qwen3-32b-8xp5en.48xlarge", {{"workload.steps", ""}}),
                       {.options = false});
        QVERIFY(!run.document->bill && !run.report.order && run.document->cash.empty());
        QCOMPARE(table(run.report, "order").rows.size(), 1U); // machines and their price, no total
    }

    void hostileNames_data() {
        QTest::addColumn<std::string>("name");
        QTest::newRow("formula") << std::string("=cmd|' /C calc'!A0");
        QTest::newRow("script") << std::string("<script>alert(1)</script>");
        QTest::newRow("lines") << std::string("a\r\nb\t=1+1");
        QTest::newRow("direction") << std::string("a\u202eb\x1b[2J");
    }
    void hostileNames() {
        QFETCH(std::string, name);
        ReportContext context{"9.8.7", "2026-11-20"};
        context.branding = {.organization = brandingText(name),
                            .author = brandingText(name),
                            .confidentiality = brandingText(name)};
        for (const char c : context.branding.organization)
            QVERIFY(static_cast<unsigned char>(c) >= 0x20);
        QVERIFY(context.branding.organization.find("\u202e") == std::string::npos);
        ScenarioSpec spec = runSpec();
        spec.name = name;
        const Made hostile(spec, {.options = false, .risks = false, .assumptions = false}, context);
        const std::string csv = reportCsv(hostile.report);
        std::istringstream lines(csv);
        std::size_t fields = 0;
        for (std::string line; std::getline(lines, line);) {
            bool quoted = false, start = true;
            std::size_t count = 1;
            for (const char c : line) {
                QVERIFY(!start || c != '=');
                if (c == '"') {
                    quoted = !quoted;
                } else {
                    start = c == ',' && !quoted;
                    count += start ? 1 : 0;
                }
            }
            QVERIFY(fields == 0 || count == fields); // no line is broken in two
            fields = count;
        }
        QVERIFY(Json::accept(reportJson(hostile.report)));
        QVERIFY(static_cast<bool>(reportXlsx(hostile.report)));
    }

    void longNamesAreCut() {
        QCOMPARE(brandingText(std::string(1000, 'x')).size(), 200U);
        QCOMPARE(brandingText(std::string(199, 'x') + "\u00e9").size(), 199U); // never half of a character
        QCOMPARE(brandingText("  a  "), std::string("a"));
        QCOMPARE(brandingText("\n"), std::string());
    }
};

QTEST_GUILESS_MAIN(TestReportDocument)

} // namespace tst_report_document

#include "tst_report_document.moc"
