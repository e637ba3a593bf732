// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/figures.h"
#include "model/estimate/visit.h"
#include "sample_estimate.h"

#include <QtTest>

#include <limits>
#include <set>

namespace tst_estimate_json {

using namespace alidade;
using Json = nlohmann::ordered_json;

namespace {

Json documentOf(const Estimate& estimate) { return Json::parse(data::writeEstimate(estimate)); }

std::set<std::string> keysOf(const Json& object) {
    std::set<std::string> out;
    for (const auto& [key, value] : object.items())
        out.insert(key);
    return out;
}

/// Dotted paths of all numbers.
void collect(const Json& value, const std::string& path, std::vector<std::string>& out) {
    if (value.is_number()) {
        out.push_back(path);
        return;
    }
    if (!value.is_structured())
        return;
    for (const auto& [key, each] : value.items())
        collect(each, path.empty() ? key : path + "." + key, out);
}

Estimate withTimeline() {
    Estimate estimate = sample::estimate();
    estimate.training->timeline = {{0, 0, 0, 'F', 0, 1}, {0, 0, 0, 'B', 1, 3}, {0, 0, 0, 'W', 3, 3.5}};
    return estimate;
}

} // namespace

class TestEstimateJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheDocumentedKeys_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("keys");
        const auto row = [](const char* pointer, const char* keys) {
            QTest::newRow(*pointer ? pointer : "root")
                << QString::fromLatin1(pointer) << QString::fromLatin1(keys);
        };
        row("", "alidade scenario runs fits problems headline training memory cost assumptions");
        row("/headline", "name value unit low high bottleneck bottleneck_share");
        row("/training", "step_time_s tokens_per_s tokens_per_s_per_gpu model_flops_per_s_per_gpu mfu hfu "
                         "mfu_peak_flops_per_s "
                         "flops_convention run_time_s breakdown layers stages timeline");
        row("/training/breakdown/0", "name seconds bound");
        row("/training/layers/1", "kind count ops communication");
        row("/training/layers/0", "stage");
        row("/training/layers/1/ops/0", "name phase flops bytes seconds bound intensity efficiency");
        row("/training/layers/1/communication/0", "op group fabric bytes wire_bytes seconds exposed_s");
        row("/training/stages/0", "stage layers forward_s backward_input_s backward_weight_s memory_bytes");
        row("/training/timeline/0", "stage microbatch chunk kind start_s end_s");
        row("/memory", "capacity_bytes reserve_bytes total_bytes headroom_bytes worst_stage parts stages");
        row("/memory/parts/0", "name bytes");
        row("/cost", "dollars_per_hour dollars_per_run dollars_per_million_tokens energy_kwh lines");
        row("/cost/lines/0", "name quantity unit dollars_per_unit dollars");
        row("/assumptions/0", "name value unit source kind");
    }
    void holdsTheDocumentedKeys() {
        QFETCH(QString, pointer);
        QFETCH(QString, keys);
        const Json document = documentOf(withTimeline());
        const Json::json_pointer place(pointer.toStdString());
        QVERIFY(document.contains(place));
        const auto there = keysOf(document.at(place));
        for (const QString& key : keys.split(u' '))
            QVERIFY2(there.contains(key.toStdString()), qPrintable(key));
    }

    void everyNumberHasAPathThatFindsIt() {
        const Estimate estimate = withTimeline();
        std::vector<std::string> written;
        collect(documentOf(estimate), "", written);
        std::vector<std::string> visited;
        forEachFigure(estimate, [&visited](const FigureT<double>& figure) {
            visited.push_back(figure.path);
            QVERIFY2(!figure.meaning.empty(), figure.path.c_str());
        });
        QCOMPARE(written, visited); // none has its own path, none is left out
        QVERIFY(written.size() > 200);
        const auto found = findFigure(estimate, "training.layers.1.ops.3.seconds");
        QVERIFY(found && found->computed && found->dimension == Dimension::seconds);
        QCOMPARE(found->value, estimate.training->layers[1].ops[3].seconds);
        QVERIFY(!findFigure(estimate, "training.layers"));
        QVERIFY(!findFigure(estimate, "training.layers.99.count"));
    }

    void numbersSurviveUnchanged() {
        Estimate estimate = sample::estimate();
        estimate.training->stepTime = 0.1 + 0.2;
        estimate.training->mfu = 1.0 / 3.0;
        estimate.memory->totalBytes = 12345678901234.5;
        const Json document = documentOf(estimate);
        QVERIFY(document["training"]["step_time_s"].get<double>() == 0.1 + 0.2);
        QVERIFY(document["training"]["mfu"].get<double>() == 1.0 / 3.0);
        QVERIFY(document["memory"]["total_bytes"].get<double>() == 12345678901234.5);
        QVERIFY(document["scenario"]["cluster"]["instances"].is_number_integer());
    }

    void whatIsNotFiniteIsNull() {
        Estimate estimate = sample::estimate();
        estimate.headline->low = std::nan("");
        estimate.headline->high = std::numeric_limits<double>::infinity();
        const Json document = documentOf(estimate);
        QVERIFY(document["headline"]["low"].is_null());
        QVERIFY(document["headline"]["high"].is_null());
    }

    void whatIsNotApplicableIsAbsentAndWhatIsUnknownIsNull() {
        Estimate estimate = sample::estimate();
        estimate.training->runTime.reset();
        estimate.cost->dollarsPerRun.reset();
        estimate.cost->energyKwh.reset();
        Json document = documentOf(estimate);
        QVERIFY(!document["training"].contains("run_time_s"));
        QVERIFY(!document["training"].contains("timeline"));
        QVERIFY(!document["cost"].contains("dollars_per_run"));
        QVERIFY(!document["cost"].contains("energy_kwh"));
        QVERIFY(!document.contains("serving"));
        estimate.headline.reset();
        estimate.training.reset();
        estimate.memory.reset();
        estimate.cost.reset();
        document = documentOf(estimate);
        for (const char* key : {"headline", "training", "memory", "cost"})
            QVERIFY2(document.contains(key) && document[key].is_null(), key);
        estimate.scenario.workload.kind = WorkloadKind::serving;
        document = documentOf(estimate);
        QVERIFY(document.contains("serving") && document["serving"].is_null() &&
                !document.contains("training"));
    }

    void aFixIsWrittenAsPathsAndTexts() {
        Estimate estimate = sample::estimate();
        estimate.problems = {
            {Severity::error, "/plan/tensor_parallel", "A \"message\"",
             Fix{"Set it", {{"plan.tensor_parallel", "4"}, {"plan.recompute", "norms, glu"}}}},
            {Severity::info, "/cluster", "Another", {}}};
        const Json problems = documentOf(estimate)["problems"];
        QCOMPARE(problems[0]["severity"].get<std::string>(), std::string("error"));
        QCOMPARE(problems[0]["message"].get<std::string>(), std::string("A \"message\""));
        QCOMPARE(problems[0]["fix"]["set"]["plan.recompute"].get<std::string>(), std::string("norms, glu"));
        QVERIFY(problems[1].contains("fix") && problems[1]["fix"].is_null());
        QCOMPARE(problems[1]["severity"].get<std::string>(), std::string("info"));
    }

    void theResolvedScenarioIsAScenarioFile() {
        const Estimate estimate = sample::estimate();
        const auto again = data::readScenario(documentOf(estimate)["scenario"].dump(), "again.json");
        QVERIFY2(again, again.error().c_str());
        QCOMPARE(data::writeScenario(*again), data::writeScenario(estimate.scenario));
    }

    void textThatIsNoUtf8DoesNotStopIt() {
        Estimate estimate = sample::estimate();
        estimate.scenario.name = "caf\xe9 \x01";
        QCOMPARE(documentOf(estimate)["scenario"]["name"].get<std::string>(), std::string("caf\uFFFD \x01"));
    }

    void anExplanationIsWrittenWithItsSources() {
        Explanation explanation;
        explanation.path = "training.mfu";
        explanation.value = 0.4;
        explanation.dimension = Dimension::seconds;
        explanation.formula = "a / b";
        explanation.terms = {{"a", 2, Dimension::bytes, "source", SourceKind::catalog}};
        explanation.inputs = {{"b", 5, Dimension::ratio, "", SourceKind::assumed}};
        const Json document = Json::parse(data::writeExplanation(explanation));
        QCOMPARE(document["path"].get<std::string>(), std::string("training.mfu"));
        QCOMPARE(document["unit"].get<std::string>(), std::string("s"));
        QCOMPARE(document["formula"].get<std::string>(), std::string("a / b"));
        QCOMPARE(document["terms"][0]["unit"].get<std::string>(), std::string("bytes"));
        QCOMPARE(document["terms"][0]["source"].get<std::string>(), std::string("source"));
        QCOMPARE(document["inputs"][0]["value"].get<double>(), 5.0);
    }
};

QTEST_APPLESS_MAIN(TestEstimateJson)

} // namespace tst_estimate_json

#include "tst_estimate_json.moc"
