// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says of serving: its verdict, its numbers, and what it must not say.
#include "data/json/json.h"
#include "data/report/report.h"
#include "data/report/writers.h"
#include "model/estimate/figures.h"
#include "model/units/format.h"
#include "tests/data/sample_serving.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_report_serving {

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

/// The cell of the row that begins with a text, in a column of a table.
const Cell* cell(const Report& report, const std::string& table, const std::string& first,
                 std::size_t column) {
    for (const auto& section : report.sections)
        for (const Table& each : section.tables)
            if (each.id == table)
                for (const auto& row : each.rows)
                    if (row[0].text == first && column < row.size())
                        return &row[column];
    return nullptr;
}

Report reportOf(const Estimate& e) { return buildReport(e, {}, context); }

} // namespace

class TestReportServing : public QObject {
    Q_OBJECT

private slots:
    void theVerdictComesFirst() {
        const Estimate e = sample::servingEstimate();
        const Report report = reportOf(e);
        const std::string answer = answerText(report);
        const auto verdict = answer.find("within both targets");
        const auto price =
            answer.find(formatQuantity(*e.cost->dollarsPerMillionOutputTokens, Dimension::dollars));
        QVERIFY2(verdict != std::string::npos && price != std::string::npos && verdict < price,
                 answer.c_str());
        QVERIFY(contains(answer, "96 requests/s") && contains(answer, "6 x p5en.48xlarge in us-east-2"));
        QVERIFY(contains(answer, "bound by HBM bandwidth"));
        QCOMPARE(report.keyFigures.size(), 5U);
        QCOMPARE(report.keyFigures[0].value, std::string("Yes"));
        QCOMPARE(*report.keyFigures[1].si, e.serving->ttftPercentiles.p90);
        QCOMPARE(*report.keyFigures[2].si, e.serving->itlPercentiles.p90);
        QCOMPARE(*report.keyFigures[3].si, *e.cost->dollarsPerMillionOutputTokens);
        QCOMPARE(report.sections.front().id, std::string("order"));
    }

    void aMissedTargetIsNamedWithItsRemedy() {
        const Report report = reportOf(sample::servingDisaggregated());
        const std::string answer = answerText(report);
        QVERIFY2(contains(answer, "misses the target for the first token"), answer.c_str());
        QVERIFY2(contains(answer, "To meet them: set workers of the prefill pool to 6."), answer.c_str());
        QVERIFY(contains(answer, "The targets hold up to 84 requests/s."));
        QCOMPARE(report.keyFigures[0].value, std::string("No"));
        QCOMPARE(report.keyFigures[1].emphasis, Emphasis::warning);
        QCOMPARE(report.keyFigures[2].emphasis, Emphasis::strong); // the other one is kept
        QCOMPARE(cell(report, "latency", "TTFT", 7)->text, std::string("missed"));
        QCOMPARE(cell(report, "latency", "ITL", 7)->text, std::string("kept"));
    }

    void numbersAreThoseOfTheDocument_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("table");
        QTest::addColumn<QString>("row");
        QTest::addColumn<int>("column");
        const auto row = [](const char* path, const char* table, const char* name, int column) {
            QTest::newRow(path) << QString::fromLatin1(path) << QString::fromLatin1(table)
                                << QString::fromLatin1(name) << column;
        };
        row("serving.ttft_s", "figures", "TTFT", 1);
        row("serving.queue_s", "figures", "of it, waiting", 1);
        row("serving.prefill_s", "figures", "of it, prefill", 1);
        row("serving.itl_s", "figures", "ITL", 1);
        row("serving.tpot_s", "figures", "TPOT", 1);
        row("serving.e2e_s", "figures", "E2E", 1);
        row("serving.output_tokens_per_s", "figures", "Output tokens per second", 1);
        row("serving.input_tokens_per_s", "figures", "Input tokens per second", 1);
        row("serving.output_tokens_per_s_per_gpu", "figures", "Output tokens per second and GPU", 1);
        row("serving.tokens_per_s_per_user", "figures", "Tokens per second and user", 1);
        row("serving.requests_per_s", "figures", "Requests per second", 1);
        row("serving.max_requests_per_s", "figures", "Most requests per second", 1);
        row("serving.requests_per_s_within_targets", "figures", "Most requests per second within the targets",
            1);
        row("serving.utilization", "figures", "Load", 1);
        row("serving.concurrency", "figures", "Requests in flight", 1);
        row("serving.max_concurrency", "figures", "Requests that it can hold", 1);
        row("serving.batch", "figures", "Requests in a decode step", 1);
        row("serving.preemptions_per_request", "figures", "Preemptions per request", 1);
        row("serving.ttft_percentiles_s.p50", "latency", "TTFT", 2);
        row("serving.ttft_percentiles_s.p99", "latency", "TTFT", 5);
        row("serving.itl_percentiles_s.p90", "latency", "ITL", 3);
        row("serving.itl_percentiles_s.p95", "latency", "ITL", 4);
        row("serving.step_time_s", "decode.breakdown", "Step", 2);
        row("serving.prefill_step_time_s", "prefill.breakdown", "Step", 2);
        row("serving.breakdown.1.seconds", "decode.breakdown", "Attention", 2);
        row("serving.layers.0.ops.2.seconds", "decode.layers.transformer.operations", "Core attention", 4);
        row("serving.prefill_layers.0.ops.2.seconds", "prefill.layers.transformer.operations",
            "Core attention", 4);
        row("serving.pools.0.batch", "pools", "Requests at once", 1);
        row("serving.pools.0.kv_tokens", "pools", "KV cache", 1);
        row("serving.pools.0.workers", "pools", "Replicas", 1);
        row("serving.pools.0.dollars_per_hour", "pools", "Rent", 1);
        row("memory.parts.1.bytes", "memory.parts", "KV cache", 1);
        row("cost.dollars_per_hour", "cost", "Each hour", 1);
        row("cost.dollars_per_million_input_tokens", "cost", "A million input tokens", 1);
        row("cost.dollars_per_million_output_tokens", "cost", "A million output tokens", 1);
        row("cost.dollars_per_million_tokens", "cost", "A million tokens", 1);
        row("cost.lines.0.dollars", "order", "p5en.48xlarge, On-Demand, us-east-2", 3);
    }
    void numbersAreThoseOfTheDocument() {
        QFETCH(QString, path);
        QFETCH(QString, table);
        QFETCH(QString, row);
        QFETCH(int, column);
        const Estimate e = sample::servingEstimate();
        const auto figure = findFigure(e, path.toStdString());
        QVERIFY(figure);
        const Report report = reportOf(e);
        const Cell* shown =
            cell(report, table.toStdString(), row.toStdString(), static_cast<std::size_t>(column));
        QVERIFY(shown && shown->value);
        QCOMPARE(*shown->value, figure->value);
    }

    void machinesThatPoolsShareAreOrderedOnce() {
        const Estimate e = sample::servingDisaggregated();
        const Report report = reportOf(e);
        const Table& order = find(report, "order")->tables.at(0);
        QCOMPARE(order.rows.size(), 1U);
        QCOMPARE(order.rows[0][0].text, std::string("p5en.48xlarge, On-Demand, us-east-2"));
        QCOMPARE(*order.rows[0][1].value, 6.0);
        QCOMPARE(*order.rows[0][3].value, e.cost->dollarsPerHour);
    }

    /// The steps do the same operations at intensities far apart: on one picture none could be told.
    void eachStepHasItsRoofline() {
        Estimate e = sample::servingEstimate();
        e.assumptions.push_back({.name = "peak", .value = 1979e12});
        e.assumptions.push_back({.name = "expert_peak", .value = 3958e12});
        e.assumptions.push_back({.name = "hbm_bandwidth", .value = 4.8e12});
        const Report report = reportOf(e);
        for (const std::string phase : {"decode", "prefill"}) {
            const ReportSection* section = find(report, phase == "decode" ? "roofline" : "roofline_prefill");
            QVERIFY(section);
            QCOMPARE(section->plots.size(), std::size_t(1));
            QVERIFY2(contains(section->title, phase + " step"), section->title.c_str());
            QVERIFY2(contains(section->plots[0].title, phase + " step"), section->plots[0].title.c_str());
            const auto& plot = std::get<Roofline>(section->plots[0].content);
            QVERIFY(!plot.points.empty());
            for (const RooflinePoint& point : plot.points)
                QVERIFY2(contains(point.phase, phase), point.phase.c_str());
            // The slope goes on to the highest roof, and each says whose it is.
            QCOMPARE(plot.roofs.size(), std::size_t(2));
            QCOMPARE(plot.roofs[0].flopPerSecond, 3958e12);
            QVERIFY(contains(plot.roofs[0].text, "experts") && contains(plot.roofs[1].text, "all but"));
            // Between the two ridges HBM limits the experts only.
            const std::string& words = section->plots[0].description;
            QVERIFY2(contains(words, "roof of the experts at 825 FLOP/byte and that of all other "
                                     "operations at 412 FLOP/byte"),
                     words.c_str());
        }
        e.serving->layers.clear(); // a cluster that prefills only
        QVERIFY(!find(reportOf(e), "roofline") && find(reportOf(e), "roofline_prefill"));
    }

    void memoryOfOneKindOfGpuHasNoStage() {
        Estimate e = sample::servingEstimate();
        e.memory->stages.resize(1);
        for (const double reserve : {0.0, 3e9}) {
            e.memory->reserveBytes = reserve;
            const Report report = reportOf(e);
            const Plot& plot = find(report, "memory")->plots.at(0);
            QVERIFY2(!contains(plot.title, "stage") && !contains(plot.description, "stage"),
                     plot.description.c_str());
            const auto& bars = std::get<MemoryStages>(plot.content);
            QCOMPARE(bars.stages.at(0).label, std::string("each GPU"));
            QCOMPARE(bars.limits.size(), std::size_t(reserve > 0 ? 2 : 1)); // usable is no other line
            QVERIFY(bars.limits.back().hard);
        }
    }

    void monthsAreHours() {
        const Estimate e = sample::servingEstimate();
        const Report report = reportOf(e);
        QCOMPARE(*cell(report, "order", "p5en.48xlarge, On-Demand, us-east-2", 4)->value,
                 e.cost->dollarsPerHour * 730);
        QCOMPARE(*cell(report, "cost", "Each month", 1)->value, e.cost->dollarsPerHour * 730);
        QVERIFY(contains(find(report, "order")->tables.at(0).note, "730 hours"));
    }

    void theCurveIsThatOfTheEstimate() {
        Estimate e = sample::servingEstimate();
        const Report report = reportOf(e);
        const auto& curves = std::get<LoadCurves>(find(report, "load")->plots.at(0).content);
        QCOMPARE(curves.panels.size(), 2U);
        QCOMPARE(curves.present, e.serving->requestsPerSecond);
        QCOMPARE(*curves.breaks, *e.serving->requestRateWithinTargets);
        QCOMPARE(curves.panels[0].target->value, *e.serving->ttftTarget);
        QCOMPARE(*curves.panels[1].present, e.serving->itlPercentiles.p90);
        QCOMPARE(curves.panels[1].lines[1].seconds[3], e.serving->loadCurve[3].itlPercentile);
        QCOMPARE(find(report, "load_points")->tables.at(0).rows.size(), e.serving->loadCurve.size());
        e.serving->loadCurve.clear();
        QVERIFY(!find(reportOf(e), "load") && !find(reportOf(e), "load_points"));
    }

    void aLongCurveIsThinnedInItsTable() {
        Estimate e = sample::servingEstimate();
        const std::vector<LoadPoint> once = e.serving->loadCurve;
        for (int i = 0; i < 3; ++i)
            e.serving->loadCurve.insert(e.serving->loadCurve.end(), once.begin(), once.end());
        const Report report = reportOf(e);
        const Table& table = find(report, "load_points")->tables.at(0);
        QVERIFY(table.rows.size() <= 16 && table.rows.size() >= 12);
        QCOMPARE(*table.rows.back()[0].value, once.back().requestsPerSecond);
    }

    void theBandIsSaidInWords() {
        const Report report = reportOf(sample::servingEstimate()); // 14 % less to 16 % more throughput
        const auto& text = find(report, "latency")->text;
        const bool said = std::ranges::any_of(text, [](const std::string& line) {
            return contains(line, "a time per token between −13.8 % and +16.3 %") &&
                   contains(line, "to the first token between −31.9 % and +46.9 %");
        });
        QVERIFY2(said, text.back().c_str());
    }

    void noLatencyAndNoPriceWithoutASteadyState_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("begin");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("overloaded") << 0 << QStringLiteral("This cannot carry its load.")
                                    << QStringLiteral("To make it carry the load: set instances to 8.");
        QTest::newRow("does not fit") << 1 << QStringLiteral("This does not fit in memory.")
                                      << QStringLiteral("To make it fit: set tensor parallel to 2.");
        QTest::newRow("cannot run") << 2 << QStringLiteral("This cannot run.")
                                    << QStringLiteral("To make it run: set tensor parallel to 8.");
    }
    void noLatencyAndNoPriceWithoutASteadyState() {
        QFETCH(int, which);
        QFETCH(QString, begin);
        QFETCH(QString, remedy);
        Estimate e = which == 0 ? sample::servingOverloaded() : sample::servingThatDoesNotFit();
        if (which == 2) {
            e.runs = false;
            e.serving.reset();
            e.cost.reset();
            e.problems = sample::estimateThatDoesNotRun().problems;
        }
        const Report report = reportOf(e);
        const std::string answer = answerText(report);
        QVERIFY2(QString::fromStdString(answer).startsWith(begin), answer.c_str());
        QVERIFY2(QString::fromStdString(answer).contains(remedy), answer.c_str());
        QCOMPARE(report.sections.front().id, std::string("problems"));
        QVERIFY(find(report, "memory"));
        for (const char* absent :
             {"order", "load", "load_points", "step", "figures", "latency", "decode", "prefill", "roofline"})
            QVERIFY2(!find(report, absent), absent);
        QCOMPARE(report.keyFigures.size(), 5U);
        QCOMPARE(report.keyFigures[0].value, std::string("No"));
        for (std::size_t i = 1; i < report.keyFigures.size(); ++i)
            QVERIFY(!report.keyFigures[i].si && report.keyFigures[i].value == "–");
        for (const auto& section : report.sections)
            for (const Table& table : section.tables)
                for (const auto& row : table.rows)
                    for (const Cell& each : row) {
                        QVERIFY2(!contains(row[0].text, "million"), row[0].text.c_str());
                        QVERIFY(!each.value || std::isfinite(*each.value));
                        QVERIFY2(!each.value || each.dimension != Dimension::seconds ||
                                     section.id == "assumptions" || section.id == "main_assumptions",
                                 table.id.c_str());
                    }
    }

    void poolsStandSideBySide() {
        const Estimate e = sample::servingDisaggregated();
        const Report report = reportOf(e);
        const Table& pools = find(report, "pools")->tables.at(0);
        QCOMPARE(pools.columns.size(), 4U);
        QCOMPARE(pools.columns[1].title, std::string("Prefill, p5en.48xlarge"));
        QCOMPARE(*cell(report, "pools", "Replicas", 1)->value, 4.0);
        QCOMPARE(*cell(report, "pools", "Replicas", 2)->value, 8.0);
        QCOMPARE(*cell(report, "pools", "Handing the KV cache over", 2)->value,
                 e.serving->pools[1].transferTime);
        QVERIFY(!cell(report, "pools", "Handing the KV cache over", 1)->value);
        QVERIFY(!cell(report, "pools", "Pipeline parallel", 1)); // 1 in both: says nothing
        QVERIFY(find(report, "memory.prefill") && find(report, "memory.decode") && !find(report, "memory"));
    }

    void aClusterOfOnePhaseShowsOnlyItsOwn() {
        Estimate e = sample::servingEstimate();
        e.scenario.workload.phase = "prefill";
        e.serving->itlTarget.reset();
        e.serving->breakdown.clear();
        e.serving->layers.clear();
        e.cost->dollarsPerMillionOutputTokens.reset();
        const Report report = reportOf(e);
        QCOMPARE(report.keyFigures.size(), 4U);
        QCOMPARE(*report.keyFigures[2].si, *e.cost->dollarsPerMillionInputTokens);
        QVERIFY(!contains(answerText(report), "between tokens"));
        QVERIFY(contains(answerText(report), "A prefill step is bound by compute"));
        QVERIFY(!cell(report, "latency", "ITL", 1));
        QCOMPARE(std::get<LoadCurves>(find(report, "load")->plots.at(0).content).panels.size(), 1U);
        QVERIFY(find(report, "prefill") && !find(report, "decode"));
    }

    void withoutTargetsItIsAskedWhetherItFits() {
        Estimate e = sample::servingEstimate();
        e.serving->ttftTarget.reset();
        e.serving->itlTarget.reset();
        e.serving->meetsTargets.reset();
        e.serving->requestRateWithinTargets.reset();
        e.scenario.workload.requestRatePerS.reset();
        e.scenario.workload.concurrency = 1024;
        e.serving->utilization = 1; // a closed loop is never overloaded
        const Report report = reportOf(e);
        QCOMPARE(report.keyFigures[0].question, std::string("Does it fit?"));
        QVERIFY(!contains(answerText(report), "target"));
        QVERIFY2(contains(answerText(report), "1,024 requests at a time, 96 per second"),
                 answerText(report).c_str());
        QVERIFY(!std::get<LoadCurves>(find(report, "load")->plots.at(0).content).breaks);
    }

    void theQuantileIsThatOfTheTargets() {
        Estimate e = sample::servingEstimate();
        for (const auto& [percentile, expected] :
             {std::pair{50.0, e.serving->ttftPercentiles.p50}, {99.0, e.serving->ttftPercentiles.p99}}) {
            e.serving->targetPercentile = percentile;
            QCOMPARE(*reportOf(e).keyFigures[1].si, expected);
        }
        e.serving->targetPercentile = 93;
        const KeyFigure between = reportOf(e).keyFigures[1];
        QVERIFY(between.detail.starts_with("p93,"));
        QVERIFY(*between.si > e.serving->ttftPercentiles.p90 && *between.si < e.serving->ttftPercentiles.p95);
    }

    void unknownPricesAreSaid() {
        Estimate e = sample::servingEstimate();
        e.cost.reset();
        const Report report = reportOf(e);
        QVERIFY(contains(answerText(report), "no price is known"));
        QVERIFY(!find(report, "order") && !find(report, "cost"));
        QCOMPARE(report.keyFigures[3].value, std::string("–"));
    }

    void servicesAreCompared() {
        Estimate cheap = sample::servingEstimate();
        const Estimate good = sample::servingEstimate(), missed = sample::servingDisaggregated(),
                       over = sample::servingOverloaded();
        cheap.scenario.name = "Cheaper";
        cheap.cost->dollarsPerMillionOutputTokens = 1.0;
        std::vector<ReportInput> inputs{{&good, {}, "{}", "a"},
                                        {&cheap, {}, "{}", "b"},
                                        {&missed, {}, "{}", "c"},
                                        {&over, {}, "{}", "d"}};
        Report report = buildReport(inputs, context);
        QVERIFY2(contains(answerText(report),
                          "2 of 4 meet their targets. Of these the cheapest output tokens "
                          "come from Cheaper, $1.00 per million."),
                 answerText(report).c_str());
        const Table& table = report.sections.front().tables.at(0);
        QCOMPARE(table.rows.size(), 4U);
        QCOMPARE(*cell(report, "comparison.serving", "1. " + *good.scenario.name, 3)->value,
                 good.serving->ttftPercentiles.p90);
        QCOMPARE(table.rows[2][2].text, std::string("missed"));
        QCOMPARE(table.rows[3][2].text, std::string("overloaded"));
        for (std::size_t column : {3U, 4U, 5U, 7U, 8U})
            QVERIFY2(!table.rows[3][column].value, table.columns[column].title.c_str());
        QCOMPARE(std::get<RangeBars>(report.sections.front().plots.at(0).content).bars.size(), 3U);

        cheap.modelName = "Another";
        report = buildReport(inputs, context);
        QVERIFY(contains(answerText(report), "do not compare"));
        QVERIFY(!contains(answerText(report), "cheapest") && report.sections.front().plots.empty());
    }

    void eachKindIsComparedWithItsOwn() {
        const Estimate run = sample::estimate(), service = sample::servingEstimate();
        const std::vector<ReportInput> inputs{{&service, {}, "{}", "a"}, {&run, {}, "{}", "b"}};
        const Report report = buildReport(inputs, context);
        QCOMPARE(report.sections.size(), 2U); // of one each there is nothing that differs
        QCOMPARE(report.sections[0].tables.at(0).rows.size(), 1U);
        QCOMPARE(report.sections[1].tables.at(0).rows.size(), 1U);
        QVERIFY2(answerText(report).starts_with("Training: it runs and fits. Serving: it serves its load."),
                 answerText(report).c_str());
        QCOMPARE(report.parts.size(), 2U);
    }

    void writersCarryTheSameTables() {
        const Estimate e = sample::servingDisaggregated();
        const Report report = reportOf(e);
        const auto json = nlohmann::json::parse(reportJson(report));
        const std::string csv = reportCsv(report);
        bool curve = false;
        for (std::size_t s = 0; s < report.sections.size(); ++s) {
            QCOMPARE(json["sections"][s]["tables"].size(), report.sections[s].tables.size());
            for (const Table& table : report.sections[s].tables)
                QVERIFY2(contains(csv, "," + table.id + ","), table.id.c_str());
            for (const auto& plot : json["sections"][s]["plots"])
                if (plot["kind"] == "load_curves") {
                    curve = true;
                    QCOMPARE(plot["panels"][0]["lines"][1]["seconds"][2].get<double>(),
                             e.serving->loadCurve[2].ttftPercentile);
                }
        }
        QVERIFY(curve);
    }
};

QTEST_APPLESS_MAIN(TestReportServing)

} // namespace tst_report_serving

#include "tst_report_serving.moc"
