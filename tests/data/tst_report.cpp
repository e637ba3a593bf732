// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/report/report.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/error_band.h"
#include "model/units/format.h"
#include "tests/data/sample_estimate.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_report {

using namespace alidade;
using namespace alidade::data;

namespace {

const ReportContext context{"9.8.7", "2026-11-20"};

const ReportSection* find(const Report& report, const std::string& id) {
    const auto at = std::ranges::find(report.sections, id, &ReportSection::id);
    return at == report.sections.end() ? nullptr : &*at;
}

std::string answerText(const Report& report) {
    std::string text;
    for (const Sentence& sentence : report.answer)
        text += (text.empty() ? "" : " ") + plainText(sentence);
    return text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The first cell of the row that begins with a text, in a column.
const Cell* cell(const Table& table, const std::string& first, std::size_t column) {
    for (const auto& row : table.rows)
        if (!row.empty() && row[0].text == first && column < row.size())
            return &row[column];
    return nullptr;
}

/// Every text of a report, for what must not be in it.
std::string everything(const Report& report) { return reportJson(report); }

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void answersFirst() {
        const Estimate e = sample::estimate();
        const Report report = buildReport(e, sample::suggestions(), context);
        QCOMPARE(report.title, *e.scenario.name);
        const std::string answer = answerText(report);
        for (const std::string& part :
             {formatQuantity(*e.training->runTime, Dimension::seconds),
              formatQuantity(*e.cost->dollarsPerRun, Dimension::dollars),
              formatQuantity(e.memory->totalBytes, Dimension::bytes), e.clusterName, std::string("us-east-2"),
              std::string("bound by compute"), std::string("tensor parallel (NVLink)")})
            QVERIFY2(contains(answer, part), (part + " is not in: " + answer).c_str());
        QCOMPARE(report.keyFigures.size(), 4U);
        QCOMPARE(report.keyFigures[0].value, std::string(isTight(*e.memory) ? "Tight" : "Yes"));
        const auto verdict = [&e](double high) {
            Estimate other = e;
            other.memory->highBytes = high;
            return buildReport(other, {}, context).keyFigures[0].value;
        };
        QVERIFY(e.memory->headroomBytes > 0);
        QCOMPARE(verdict(1.0001 * e.memory->totalBytes), std::string("Yes"));
        QCOMPARE(verdict(1.2 * e.memory->capacityBytes), std::string("Tight"));
        const Formatted time = formatParts(*e.training->runTime, Dimension::seconds);
        QCOMPARE(report.keyFigures[1].value, time.number);
        QCOMPARE(report.keyFigures[1].unit, time.unit);
        QCOMPARE(*report.keyFigures[1].si, *e.training->runTime);
        QCOMPARE(*report.keyFigures[2].si, *e.cost->dollarsPerRun);
    }

    void expertsAndTitlesOfLayersAreTold() {
        Estimate e = sample::estimate();
        QVERIFY(!find(buildReport(e, {}, context), "experts"));
        e.training->layers[1].title = "Layer: Latent attention and experts";
        e.training->expertLoad = ExpertLoad{.experts = 256,
                                            .expertsPerToken = 8,
                                            .expertRanks = 64,
                                            .expertsPerRank = 4,
                                            .tokensPerRank = 32768,
                                            .tokensPerExpert = 8192,
                                            .imbalance = 1.25,
                                            .paddedTokensPerExpert = 8256,
                                            .capacityFactor = {}};
        const Report report = buildReport(e, {}, context);
        QVERIFY(find(report, "experts"));
        const Table& load = find(report, "experts")->tables.at(0);
        QCOMPARE(*cell(load, "Busiest GPU / mean", 1)->value, 1.25);
        QVERIFY(!cell(load, "Capacity factor", 1)); // none is set
        const auto& tables = find(report, "layers")->tables;
        const auto ops = std::ranges::find(tables, "layers.transformer.operations", &Table::id);
        QCOMPARE(ops->title, std::string("Latent attention and experts: operations"));
    }

    void partsOfTheMemoryThatNothingHoldsAreLeftOut() {
        Estimate e = sample::estimate();
        e.memory->parts.push_back({"Gathered layers", 0});
        for (auto& stage : e.memory->stages)
            stage.parts.push_back({"Gathered layers", 0});
        Report report = buildReport(e, {}, context);
        QVERIFY(!cell(find(report, "memory")->tables.at(0), "Gathered layers", 1));
        const auto named = [&report] {
            const auto& plot = find(report, "memory")->plots.at(0);
            return std::get<MemoryStages>(plot.content).stages.at(0).segments.back().name;
        };
        QVERIFY(named() != "Gathered layers");
        e.memory->stages.back().parts.back().bytes = 1e9; // on one stage
        report = buildReport(e, {}, context);
        QCOMPARE(named(), std::string("Gathered layers"));
    }

    void bandsFollowTheHeadline() {
        Estimate e = sample::estimate(); // a time: 8 % less to 13 % more
        const double days = *e.training->runTime / 86400;
        const auto range = [&](double low, double high) {
            return formatQuantity(low * days, Dimension::number) + " – " +
                   formatQuantity(high * days, Dimension::number) + " days";
        };
        QCOMPARE(buildReport(e, {}, context).keyFigures[1].detail, range(0.92, 1.13));
        QCOMPARE(buildReport(e, {}, context).keyFigures[3].value, std::string("−8 +13"));
        const double rate = e.training->tokensPerSecond; // a rate: the highest makes the shortest run
        e.headline =
            HeadlineT<double>{"Throughput", "tokens/s", rate, rate * 0.8, rate * 1.25, Bound::compute, 0.6};
        QCOMPARE(buildReport(e, {}, context).keyFigures[1].detail, range(1 / 1.25, 1 / 0.8));
        e.headline->low = e.headline->high = rate;
        QCOMPARE(buildReport(e, {}, context).keyFigures[3].value, std::string("–"));
    }

    void ordersWhatIsPaid() {
        const Estimate e = sample::estimate();
        const Report report = buildReport(e, {}, context);
        const ReportSection* order = find(report, "order");
        QVERIFY(order);
        const Table& table = order->tables.at(0);
        QCOMPARE(table.rows.size(), e.cost->lines.size() + 1);
        double sum = 0;
        for (std::size_t i = 0; i < e.cost->lines.size(); ++i) {
            QCOMPARE(table.rows[i][0].text, e.cost->lines[i].name);
            QCOMPARE(*table.rows[i][1].value, e.cost->lines[i].quantity);
            QCOMPARE(table.rows[i][2].text, e.cost->lines[i].unit);
            sum += *table.rows[i][4].value;
        }
        QVERIFY(table.totalRow);
        QCOMPARE(*table.rows.back()[4].value, *e.cost->dollarsPerRun);
        QVERIFY(std::abs(sum / *e.cost->dollarsPerRun - 1) < 1e-12);
    }

    void noTotalThatTheLinesDoNotMake() {
        Estimate e = sample::estimate();
        e.cost->lines.pop_back();
        const Report report = buildReport(e, {}, context);
        QVERIFY(!find(report, "order")->tables.at(0).totalRow);
    }

    void agesPrices_data() {
        QTest::addColumn<std::string>("priceDate");
        QTest::addColumn<bool>("old");
        QTest::newRow("today") << std::string("2026-11-20") << false;
        QTest::newRow("90 days") << std::string("2026-08-22") << false;
        QTest::newRow("91 days") << std::string("2026-08-21") << true;
        QTest::newRow("two years") << std::string("2024-11-20") << true;
        QTest::newRow("no date") << std::string() << true;
        QTest::newRow("no day") << std::string("2026-02-30") << true;
    }
    void agesPrices() {
        QFETCH(std::string, priceDate);
        QFETCH(bool, old);
        Estimate e = sample::estimate();
        e.cost->priceDate = priceDate;
        const Report report = buildReport(e, {}, context);
        const Table& order = find(report, "order")->tables.at(0);
        QCOMPARE(order.noteEmphasis == Emphasis::warning, old);
        QCOMPARE(contains(order.note, "Ask for a new one"), old);
    }

    void countsDays() {
        QCOMPARE(daysBetween("2026-11-20", "2026-11-20"), std::optional(0));
        QCOMPARE(daysBetween("2024-02-28", "2024-03-01"), std::optional(2));
        QCOMPARE(daysBetween("2026-11-20", "2025-11-20"), std::optional(-365));
        for (const char* bad : {"", "2026", "2026-13-01", "2026-1x-01", "20261120", "2026/11/20"})
            QVERIFY2(!daysBetween(bad, "2026-11-20"), bad);
    }

    void partsOfAStepMakeTheStep() {
        const Estimate e = sample::estimate();
        const Report report = buildReport(e, {}, context);
        const auto& bar = std::get<StepBar>(find(report, "step")->plots.at(0).content);
        double sum = 0;
        for (const PlotSegment& s : bar.bar.segments)
            sum += s.value;
        QVERIFY(std::abs(sum / e.training->stepTime - 1) < 1e-12);
        QCOMPARE(bar.bar.segments.front().name, std::string("Compute"));
        QCOMPARE(bar.bar.segments.front().text, std::string("63 %")); // two parts are charged to it
        QCOMPARE(bar.bar.segments.back().text, std::string("< 0.1 %"));
    }

    void drawsEveryOperationWithFlop() {
        const Estimate e = sample::estimate();
        std::size_t withFlop = 0;
        for (const Layer& layer : e.training->layers)
            withFlop += static_cast<std::size_t>(
                std::ranges::count_if(layer.ops, [](const Operation& op) { return op.flops > 0; }));
        const Report report = buildReport(e, {}, context);
        const auto& plot = std::get<Roofline>(find(report, "roofline")->plots.at(0).content);
        QCOMPARE(plot.points.size(), withFlop);
        QCOMPARE(plot.roofs.at(0).flopPerSecond, 989.5e12);
        QCOMPARE(plot.bytesPerSecond, 3.35e12);
        for (const RooflinePoint& p : plot.points)
            QVERIFY(p.flopPerSecond < plot.roofs.at(0).flopPerSecond);
    }

    void tablesKeepTheNumbers() {
        const Estimate e = sample::estimate();
        const Report report = buildReport(e, {}, context);
        const Table& figures = find(report, "figures")->tables.at(0);
        QCOMPARE(*cell(figures, "Step time", 1)->value, e.training->stepTime);
        QCOMPARE(cell(figures, "Step time", 1)->text,
                 formatQuantity(e.training->stepTime, Dimension::seconds));
        QCOMPARE(*cell(figures, "MFU", 1)->value, e.training->mfu);
        const auto& tables = find(report, "layers")->tables;
        const auto ops = std::ranges::find(tables, "layers.transformer.operations", &Table::id);
        QVERIFY(ops != tables.end());
        QCOMPARE(ops->rows.size(), e.training->layers[1].ops.size());
        QCOMPARE(ops->columns[4].title, std::string("Time, ms")); // one unit for the column
        QCOMPARE(*cell(*ops, "Mlp down", 4)->value, 0.00247);
        QCOMPARE(cell(*ops, "Mlp down", 4)->text, std::string("2.47"));
        QCOMPARE(find(report, "stages")->tables.at(0).rows.size(), 16U);
        const Table& parts = find(report, "memory")->tables.at(0);
        QCOMPARE(*parts.rows.back()[1].value, e.memory->totalBytes);
    }

    void listsEveryAssumptionWithItsSource() {
        const Estimate e = sample::estimate();
        const Report report = buildReport(e, {}, context);
        const Table& table = find(report, "assumptions")->tables.at(0);
        QCOMPARE(table.rows.size(), e.assumptions.size());
        QCOMPARE(cell(table, "HBM bandwidth", 1)->text, std::string("3.35 TB/s"));
        QCOMPARE(cell(table, "HBM bandwidth", 3)->text, std::string("NVIDIA H100 data sheet (2023-06)"));
        QCOMPARE(find(report, "notes")->tables.at(0).rows.size(), e.problems.size());
    }

    void suggestionsAreThoseOfTheEngine() {
        const Estimate e = sample::estimate();
        QVERIFY(!find(buildReport(e, {}, context), "suggestions"));
        const Report report = buildReport(e, sample::suggestions(), context);
        const Table& table = find(report, "suggestions")->tables.at(0);
        QCOMPARE(table.rows.size(), 3U);
        QCOMPARE(table.rows[0][0].text, std::string("Set tensor overlap to 0.8"));
        QCOMPARE(*table.rows[0][2].value, sample::suggestions()[0].tokensPerSecondGain);
        QCOMPARE(table.rows[0][2].text, std::string("+13.9 %"));
    }

    void saysFirstThatItDoesNotFit() {
        const Estimate e = sample::estimateThatDoesNotFit();
        const Report report = buildReport(e, sample::suggestions(), context);
        const std::string answer = answerText(report);
        QVERIFY2(answer.starts_with("This does not fit in memory."), answer.c_str());
        QVERIFY(contains(answer, formatQuantity(-e.memory->headroomBytes, Dimension::bytes) + " too much"));
        QVERIFY(contains(answer, "To make it fit: set tensor parallel to 8."));
        QCOMPARE(report.keyFigures[0].value, std::string("No"));
        QCOMPARE(report.sections.front().id, std::string("problems"));
        QVERIFY(!find(report, "order")); // it should not be ordered
        QVERIFY(!find(report, "suggestions"));
        QVERIFY(find(report, "memory"));
    }

    void saysFirstThatItCannotRun() {
        Estimate e = sample::estimateThatDoesNotRun();
        Report report = buildReport(e, {}, context);
        std::string answer = answerText(report);
        QVERIFY2(answer.starts_with("This cannot run. Tensor parallel 24 does not divide"), answer.c_str());
        QVERIFY(contains(answer, "To make it run: set tensor parallel to 8."));
        for (const char* absent : {"step", "order", "roofline", "layers", "cost", "figures", "stages"})
            QVERIFY2(!find(report, absent), absent);
        QVERIFY(find(report, "memory"));
        e.problems[0].fix.reset();
        e.memory.reset();
        report = buildReport(e, {}, context);
        QVERIFY(contains(answerText(report), "No single change was found that helps."));
        QVERIFY(!find(report, "memory"));
    }

    void unknownIsSaid() {
        Estimate e = sample::estimate();
        e.cost.reset();
        Report report = buildReport(e, {}, context);
        QCOMPARE(report.keyFigures[2].value, std::string("–"));
        QVERIFY(contains(answerText(report), "no price is known"));
        e = sample::estimate();
        e.training->runTime.reset();
        e.cost->dollarsPerRun.reset();
        e.cost->lines.clear();
        report = buildReport(e, {}, context);
        QCOMPARE(*report.keyFigures[1].si, e.training->stepTime);
        QCOMPARE(*report.keyFigures[2].si, e.cost->dollarsPerHour);
        QVERIFY(find(report, "order"));
    }

    void sameInputSameReport() {
        const Estimate e = sample::estimate();
        QCOMPARE(everything(buildReport(e, sample::suggestions(), context)),
                 everything(buildReport(e, sample::suggestions(), context)));
        const Report report = buildReport(e, {}, context);
        QCOMPARE(report.footer.date, std::string("2026-11-20"));
        QCOMPARE(report.footer.program, std::string("Alidade 9.8.7"));
        QCOMPARE(report.footer.catalogVersion, e.catalogVersion);
    }

    void comparesSeveral() {
        Estimate a = sample::estimate(), b = sample::estimate(), c = sample::estimateThatDoesNotFit();
        b.scenario.name = "Cheaper";
        b.cost->dollarsPerRun = *a.cost->dollarsPerRun / 2;
        for (Estimate* each : {&a, &b}) // as much as their rent, with a band
            sample::orderTheRent(*each);
        *b.training->runTime *= 2;
        const std::vector<ReportInput> inputs{{&a, {}, "{}", "a"}, {&b, {}, "{}", "b"}, {&c, {}, "{}", "c"}};
        const Report report = buildReport(inputs, context);
        const std::string answer = answerText(report);
        QVERIFY2(contains(answer, "2 of 3 run and fit. The cheapest run is Cheaper,"), answer.c_str());
        QVERIFY2(contains(answer, "The fastest is " + *a.scenario.name), answer.c_str());
        QCOMPARE(report.parts.size(), 3U);
        QCOMPARE(report.sections.front().id, std::string("comparison"));
        QCOMPARE(report.sections.front().tables.at(0).rows.size(), 3U);
        const auto& bars = std::get<RangeBars>(report.sections.front().plots.at(0).content).bars;
        QCOMPARE(bars.size(), 2U); // what does not fit has no cost to compare
        QVERIFY(*bars[0].low < bars[0].value && bars[0].value < *bars[0].high);

        b.scenario.workload.tokens = 1e12; // a shorter run: no cheaper one, but rates and tokens compare
        b.cost->dollarsPerMillionTokens = *a.cost->dollarsPerMillionTokens / 2;
        const Report shorter = buildReport(inputs, context);
        const std::string said = answerText(shorter);
        QVERIFY2(contains(said, "train the same model, but differ in training tokens ("), said.c_str());
        QVERIFY2(contains(said, "A million tokens costs least on Cheaper,"), said.c_str());
        QVERIFY(!contains(said, "different jobs") && !contains(said, "cheapest run"));
        QVERIFY(shorter.sections.front().plots.empty());

        b.scenario.workload.sequenceLength = 4096;
        const Report different = buildReport(inputs, context);
        QVERIFY2(contains(answerText(different), "do different jobs"), answerText(different).c_str());
        QVERIFY2(contains(answerText(different), "sequence length ("), answerText(different).c_str());
        QVERIFY(!contains(answerText(different), "least"));
        QVERIFY(!find(different, "comparison")->tables.at(0).rows.empty());
        QCOMPARE(find(different, "comparison")->tables.size(), 1U); // no differences of other jobs
    }

    void comparisonNamesTheFieldsThatDiffer() {
        const Estimate a = sample::estimate();
        Estimate b = sample::estimate();
        b.scenario.name = "Other";
        b.scenario.plan.microBatch = 7;
        b.training->stepTime *= 2;
        b.training->tokensPerSecond /= 2;
        const std::vector<ReportInput> inputs{{&a, {}, "{}", "a"}, {&b, {}, "{}", "b"}};
        const Report report = buildReport(inputs, context);
        const Table& fields = find(report, "comparison.fields")->tables.at(0);
        QCOMPARE(fields.rows.size(), 1U);
        QCOMPARE(fields.rows[0].back().text, std::string("7"));
        const Table& differences = find(report, "comparison")->tables.at(1);
        const auto rate = std::ranges::find(differences.columns, "Rate", &Column::title);
        QVERIFY(rate != differences.columns.end());
        const Cell& cell =
            differences.rows.at(0)[static_cast<std::size_t>(rate - differences.columns.begin())];
        QCOMPARE(*cell.value, -0.5);
    }

    void twelveScenariosStayReadable() {
        std::vector<Estimate> many(12, sample::estimate());
        std::vector<ReportInput> inputs;
        for (std::size_t i = 0; i < many.size(); ++i) {
            many[i].scenario.plan.microBatch = static_cast<std::int64_t>(i + 1);
            inputs.push_back({&many[i], {}, "{}", std::to_string(i)});
        }
        const Report report = buildReport(inputs, context);
        QCOMPARE(find(report, "comparison")->tables.at(0).rows.size(), 12U);
        const ReportSection& fields = *find(report, "comparison.fields");
        QCOMPARE(fields.tables.size(), 3U);
        for (const Table& table : fields.tables)
            QCOMPARE(table.columns.size(), 5U); // the field and four scenarios
        QCOMPARE(fields.tables[2].columns.back().title, std::string("12"));
    }

    void shippedScenarios() {
        const auto loaded = loadShippedCatalog();
        for (const std::string& id : sampleScenarioIds()) {
            const auto spec = readScenario(*sampleScenarioText(id), id);
            QVERIFY2(spec, spec.error().c_str());
            const auto e = estimate(*spec, *loaded.catalog, loaded.catalog->defaultProfile);
            QVERIFY2(e, e.error().c_str());
            const Report report = buildReport(*e, {}, context);
            QVERIFY(find(report, "assumptions"));
            QVERIFY(find(report, "plan"));
            if (e->serving) { // one memory section a pool
                QVERIFY(find(report, "latency") && find(report, "pools"));
                continue;
            }
            QCOMPARE(find(report, "memory") != nullptr, e->memory.has_value());
            if (e->training) {
                QCOMPARE(cell(find(report, "figures")->tables.at(0), "MFU", 1)->text,
                         formatQuantity(e->training->mfu, Dimension::ratio));
            }
            QCOMPARE(report.keyFigures[1].value == "–", !e->training && !e->reinforcement);
        }
    }
};

QTEST_APPLESS_MAIN(TestReport)

} // namespace tst_report

#include "tst_report.moc"
