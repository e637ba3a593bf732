// SPDX-License-Identifier: GPL-3.0-or-later
// What a person writes for a number of the estimate, and what the numbers have to do with each other.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/report/report.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/import.h"
#include "data/topology/topology_json.h"
#include "model/advice/edits.h"
#include "model/engine/engine.h"
#include "model/estimate/figure_path.h"
#include "model/estimate/figures.h"
#include "model/posttraining/test_time.h"
#include "model/scenario/fields.h"

#include <QTest>

#include <cmath>

namespace tst_figure_path {

using namespace alidade;

class TestFigurePath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    void arraysAreReachedByIndexAndByName_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("dotted");
        const auto row = [](const char* written, const char* dotted) {
            QTest::newRow(written) << QString::fromLatin1(written) << QString::fromLatin1(dotted);
        };
        row("training.step_time_s", "training.step_time_s");
        row("training.layers[0].ops[2].seconds", "training.layers.0.ops.2.seconds");
        row("training.layers.0.ops.2.seconds", "training.layers.0.ops.2.seconds");
        row("memory.parts[1].bytes", "memory.parts.1.bytes");
        row("memory.parts[Weights].bytes", "memory.parts.0.bytes");
        row("memory.parts['weights'].bytes", "memory.parts.0.bytes");
        row("memory.parts.weights.bytes", "memory.parts.0.bytes");
        row("training.layers[embedding].count", "training.layers.0.count");
        row("training.nothing[3]", "training.nothing.3");
    }
    void arraysAreReachedByIndexAndByName() {
        QFETCH(QString, written);
        QFETCH(QString, dotted);
        const Result<std::string> path =
            figurePath(estimateOf("llama-3.1-70b-64xp5.48xlarge"), written.toStdString());
        QVERIFY2(path, path.error().c_str());
        QCOMPARE(QString::fromStdString(*path), dotted);
    }

    void stepsThatAreNoFormulaAreNamed() {
        const auto spec = data::readScenario(*data::shippedScenario("llama-3.1-70b-64xp5.48xlarge"), "");
        const auto told =
            explainFigure(*spec, *catalog_, catalog_->defaultProfile, "training.step_time_s>no_such_term");
        QVERIFY(!told);
        QCOMPARE(told.error(),
                 std::string("'no_such_term' has no formula in 'training.step_time_s>no_such_term'"));
    }

    void everyNumberIsExplainedByItsPathInBrackets_data() { sampleRows(); }
    void everyNumberIsExplainedByItsPathInBrackets() {
        QFETCH(QString, id);
        const Estimate e = estimateOf(id.toStdString());
        int bracketed = 0;
        forEachFigure(e, [&](const FigureT<double>& figure) {
            std::string written;
            std::size_t from = 0;
            while (from <= figure.path.size()) {
                const std::size_t dot = std::min(figure.path.find('.', from), figure.path.size());
                const std::string part = figure.path.substr(from, dot - from);
                const bool index = part.find_first_not_of("0123456789") == std::string::npos;
                bracketed += index ? 1 : 0;
                written += index ? "[" + part + "]" : (written.empty() ? "" : ".") + part;
                from = dot + 1;
            }
            if (dottedPath(written) != figure.path)
                QFAIL(written.c_str());
        });
        QVERIFY(bracketed > 20);
    }

    void aNameOfSeveralElementsIsRefused() {
        const auto refused = figurePath(estimateOf("llama-3.1-70b-64xp5.48xlarge"),
                                        "training.layers[1].communication[all_gather].seconds");
        QVERIFY(!refused);
        QVERIFY2(refused.error().find("more than once") != std::string::npos, refused.error().c_str());
    }

    /// tpot = (e2e - ttft) / (output - 1), also where requests were simulated.
    void timePerTokenIsWhatItsNameSays_data() { sampleRows(); }
    void timePerTokenIsWhatItsNameSays() {
        QFETCH(QString, id);
        const Estimate e = estimateOf(id.toStdString());
        if (!e.serving || !e.serving->answers || !e.serving->prompts)
            return;
        const Serving& s = *e.serving;
        const WorkloadSpec& asked = e.scenario.workload;
        const double output = asked.testTime.thinkingBudget
                                  ? sampleLengths(*asked.outputTokens, asked.outputTokensCv.value_or(0),
                                                  *asked.testTime.thinkingBudget)
                                        .mean()
                                  : *asked.outputTokens;
        const double expected = (s.e2e - s.ttft) / (output - 1);
        QVERIFY2(std::abs(s.tpot / expected - 1) <= 1e-9, qPrintable(QString::number(s.tpot / expected - 1)));
        QVERIFY(std::abs(s.tokensPerSecondPerUser * s.tpot - 1) <= 1e-9);
    }

    void tokensMayBeWrittenWithTheirUnit_data() {
        QTest::addColumn<QString>("path");
        for (const char* path :
             {"workload.sequence_length", "workload.input_tokens", "workload.output_tokens",
              "plan.chunk_tokens", "plan.kv_block", "plan.speculative.draft_tokens"}) {
            QTest::newRow(path) << QString::fromLatin1(path);
        }
    }
    void tokensMayBeWrittenWithTheirUnit() {
        QFETCH(QString, path);
        const Field* field = findField(path.toStdString());
        QVERIFY(field);
        const auto number = [&](const char* text) {
            const auto value = parseField(*field, text);
            return !value ? -1.0
                   : std::holds_alternative<double>(*value)
                       ? std::get<double>(*value)
                       : static_cast<double>(std::get<std::int64_t>(*value));
        };
        QCOMPARE(number("512 tokens"), 512.0);
        QCOMPARE(number("512"), 512.0);
        if (field->maximum >= 8000) {
            QCOMPARE(number("8192 tokens"), 8192.0);
            QCOMPARE(number("8k"), 8000.0);
            QCOMPARE(number("8k tokens"), 8000.0);
        }
        QCOMPARE(number("8 GB"), -1.0);
    }

    void anMfuOverOneSaysAgainstWhichPeak() {
        ScenarioSpec spec =
            *data::readScenario(*data::shippedScenario("llama-3.1-405b-4xu-p6e-gb200x72"), "sample");
        const auto plain = estimate(spec, *catalog_, catalog_->defaultProfile);
        QVERIFY(plain->training->mfu < 1 && !mfuNote(*plain));
        spec.plan.precision = "nvfp4";
        Profile fast = catalog_->defaultProfile; // an imagined software without losses
        const auto e = estimate(spec, *catalog_, fast);
        QVERIFY2(e, e.error().c_str());
        QCOMPARE(mfuNote(*e) != nullptr, e->training->mfu > 1);
    }

    void anUnknownRegionIsAnError() {
        ScenarioSpec spec =
            *data::readScenario(*data::shippedScenario("llama-3.1-70b-64xp5.48xlarge"), "sample");
        spec.cluster.region = "us-est-2";
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile, {.fixes = false});
        QVERIFY(e && !e->runs);
        const auto found = std::ranges::find(e->problems, "/cluster/region", &Problem::place);
        QVERIFY(found != e->problems.end() && found->severity == Severity::error);
        QVERIFY2(found->message.find("us-east-2") != std::string::npos, found->message.c_str());
    }

    void anIncompleteTopologyStaysMarked() {
        const std::string reply =
            R"({"Instances": [{"InstanceId": "i-01", "InstanceType": "p5.48xlarge", "NetworkNodes": ["a", "b", "c"]}],
                "NextToken": "more"})";
        const auto first = data::importTopology({{"page.json", reply}});
        QVERIFY(first.topology && first.topology->incomplete);
        const auto again = data::importTopology({{"own.json", data::writeTopology(*first.topology)}});
        QVERIFY(again.topology && again.topology->incomplete);
        Catalog catalog = *catalog_;
        catalog.topologies.push_back(*again.topology);
        catalog.topologies.back().name = "cut";
        ScenarioSpec spec =
            *data::readScenario(*data::shippedScenario("llama-3.1-70b-64xp5.48xlarge"), "sample");
        spec.cluster.instances = 1;
        spec.cluster.topology = "cut";
        const auto e = estimate(spec, catalog, catalog.defaultProfile, {.fixes = false});
        QVERIFY(e);
        const bool said = std::ranges::any_of(e->problems, [](const Problem& p) {
            return p.severity == Severity::warning && p.place == "/cluster/topology" &&
                   p.message.find("NextToken") != std::string::npos;
        });
        QVERIFY(said);
    }

    void editsAndReportsAreInNames() {
        QCOMPARE(describeEdit({{"plan.precision", "fp8"}, {"cluster.purchase", "capacity_block"}}),
                 std::string("Set Precision to FP8 and Purchase to Capacity Block"));
        const Estimate e = estimateOf("llama-3.1-70b-64xp5.48xlarge");
        const data::Report report = data::buildReport(e, {}, {"Alidade", "2026-11-23"});
        QStringList raw;
        const auto check = [&](const std::string& text) {
            for (const char* id : {"on_demand", "capacity_block", "zero1", "fsdp2"})
                if (text.find(id) != std::string::npos)
                    raw.append(QString::fromStdString(text));
        };
        for (const auto& section : report.sections) {
            for (const std::string& text : section.text)
                check(text);
            for (const auto& table : section.tables) {
                check(table.note);
                for (const auto& row : table.rows)
                    for (const auto& cell : row)
                        check(cell.text);
            }
        }
        QVERIFY2(raw.isEmpty(), qPrintable(raw.join(u'\n')));
    }

    void anOrderHasExactHours() {
        const Estimate e = estimateOf("llama-3.1-70b-64xp5.48xlarge");
        const data::Report report = data::buildReport(e, {}, {"Alidade", "2026-11-23"});
        const auto order = std::ranges::find(report.sections, "order", &data::ReportSection::id);
        QVERIFY(order != report.sections.end());
        const std::string& hours = order->tables[0].rows[0][1].text;
        QString plain = QString::fromStdString(hours).remove(u',');
        QVERIFY2(std::abs(plain.toDouble() - e.cost->lines[0].quantity) <= 0.005, hours.c_str());
    }

private:
    Estimate estimateOf(const std::string& id) const {
        const auto e = estimate(*data::readScenario(*data::shippedScenario(id), id), *catalog_,
                                catalog_->defaultProfile, {.fixes = false});
        return *e;
    }
    static void sampleRows() {
        QTest::addColumn<QString>("id");
        for (const auto& sample : data::shippedScenarios())
            QTest::newRow(sample.id.c_str()) << QString::fromStdString(sample.id);
    }
    static const Problem* mfuNote(const Estimate& e) {
        for (const Problem& p : e.problems)
            if (p.message.starts_with("MFU is"))
                return &p;
        return nullptr;
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestFigurePath)

} // namespace tst_figure_path

#include "tst_figure_path.moc"
