// SPDX-License-Identifier: GPL-3.0-or-later
// The documented JSON of a serving answer.
#include "data/estimate/estimate_json.h"
#include "data/json/json.h"
#include "model/estimate/figures.h"
#include "tests/data/sample_serving.h"

#include <QtTest>

#include <set>

namespace tst_estimate_json_serving {

using namespace alidade;
using Json = nlohmann::ordered_json;

namespace {

Json documentOf(const Estimate& estimate) { return Json::parse(data::writeEstimate(estimate)); }

/// Dotted paths of all numbers.
void collect(const Json& value, const std::string& path, std::vector<std::string>& out) {
    if (value.is_number()) {
        out.push_back(path);
        return;
    }
    if (value.is_structured())
        for (const auto& [key, each] : value.items())
            collect(each, path.empty() ? key : path + "." + key, out);
}

Estimate withEverything() {
    Estimate estimate = sample::servingDisaggregated();
    estimate.serving->distribution = Distribution{
        .ttft = {0.1, 0.2, 0.9}, .itl = {0.02}, .tpot = {}, .e2e = {8, 9}, .requests = 3, .seed = 7};
    return estimate;
}

} // namespace

class TestEstimateJsonServing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheDocumentedKeys_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("keys");
        const auto row = [](const char* pointer, const char* keys) {
            QTest::newRow(*pointer ? pointer : "root")
                << QString::fromLatin1(pointer) << QString::fromLatin1(keys);
        };
        row("", "alidade scenario runs fits problems headline serving memory cost assumptions");
        row("/serving", "ttft_s itl_s tpot_s e2e_s output_tokens_per_s output_tokens_per_s_per_gpu "
                        "tokens_per_s_per_user max_concurrency batch utilization ttft_percentiles_s "
                        "itl_percentiles_s breakdown prefill_breakdown layers pools");
        row("/serving/ttft_percentiles_s", "p50 p90 p95 p99");
        row("/serving/itl_percentiles_s", "p50 p90 p95 p99");
        row("/serving/breakdown/0", "name seconds bound");
        row("/serving/prefill_breakdown/0", "name seconds bound");
        row("/serving/layers/0", "kind count ops communication");
        row("/serving/layers/0/ops/0", "name phase flops bytes seconds bound intensity efficiency");
        row("/serving/layers/0/communication/0", "op group fabric bytes wire_bytes seconds exposed_s");
        row("/serving/pools/1", "name instance workers gpus tensor_parallel pipeline_parallel "
                                "expert_parallel attention_data_parallel batch max_concurrency kv_tokens "
                                "utilization step_time_s transfer_s dollars_per_hour memory");
        row("/serving/pools/1/memory", "capacity_bytes reserve_bytes total_bytes headroom_bytes parts");
        row("/serving/load_curve/0",
            "requests_per_s concurrency output_tokens_per_s utilization ttft_s itl_s "
            "ttft_percentile_s itl_percentile_s "
            "dollars_per_million_output_tokens meets_targets");
        row("/serving/distribution", "requests seed ttft_s itl_s tpot_s e2e_s");
        row("/memory", "capacity_bytes reserve_bytes total_bytes headroom_bytes worst_stage parts stages");
        row("/cost", "dollars_per_hour dollars_per_million_tokens dollars_per_million_input_tokens "
                     "dollars_per_million_output_tokens lines");
    }
    void holdsTheDocumentedKeys() {
        QFETCH(QString, pointer);
        QFETCH(QString, keys);
        const Json document = documentOf(withEverything());
        const Json::json_pointer place(pointer.toStdString());
        QVERIFY(document.contains(place));
        for (const QString& key : keys.split(u' '))
            QVERIFY2(document.at(place).contains(key.toStdString()), qPrintable(key));
        QVERIFY(!document.contains("training"));
    }

    void everyNumberHasAPathThatFindsIt() {
        const Estimate estimate = withEverything();
        std::vector<std::string> written, visited;
        collect(documentOf(estimate), "", written);
        forEachFigure(estimate, [&visited](const FigureT<double>& figure) {
            visited.push_back(figure.path);
            QVERIFY2(!figure.meaning.empty(), figure.path.c_str());
        });
        QCOMPARE(written, visited);
        QVERIFY(written.size() > 300);
        QCOMPARE(findFigure(estimate, "serving.pools.1.batch")->value, 118.0);
        QCOMPARE(findFigure(estimate, "serving.distribution.ttft_s.2")->value, 0.9);
        QCOMPARE(findFigure(estimate, "serving.load_curve.3.ttft_s")->value,
                 estimate.serving->loadCurve[3].ttft);
        QVERIFY(findFigure(estimate, "serving.ttft_s")->computed);
        QVERIFY(!findFigure(estimate, "serving.load_curve.3.ttft_s")->computed); // an outcome, no formula
    }

    void whatWasNotAskedForIsAbsent() {
        Estimate estimate = sample::servingEstimate();
        estimate.serving->loadCurve.clear();
        estimate.serving->meetsTargets.reset();
        estimate.serving->requestRateWithinTargets.reset();
        estimate.cost->dollarsPerMillionInputTokens.reset();
        const Json document = documentOf(estimate);
        for (const char* key :
             {"load_curve", "distribution", "meets_targets", "requests_per_s_within_targets"}) {
            QVERIFY2(!document["serving"].contains(key), key);
        }
        QVERIFY(!document["cost"].contains("dollars_per_million_input_tokens"));
    }

    void noLatencyOfAnOverload() {
        const Json document = documentOf(sample::servingOverloaded());
        for (const char* key : {"ttft_s", "itl_s", "tpot_s", "e2e_s", "queue_s"})
            QVERIFY2(document["serving"].contains(key) && document["serving"][key].is_null(), key);
        QVERIFY(document["serving"]["ttft_percentiles_s"]["p99"].is_null());
        QVERIFY(!document["serving"]["meets_targets"].get<bool>());
    }

    /// One side alone, without a price: a point of the curve says no more than the answer does.
    void pointsHaveOnlyWhatTheAnswerHas() {
        for (const bool prefill : {true, false}) {
            Estimate estimate = sample::servingEstimate();
            (prefill ? estimate.serving->answers : estimate.serving->prompts) = false;
            for (LoadPoint& point : estimate.serving->loadCurve)
                point.dollarsPerMillionOutputTokens = 0;
            const Json document = documentOf(estimate);
            QVERIFY(document["serving"]["load_curve"].size() > 3);
            for (const Json& point : document["serving"]["load_curve"]) {
                for (const char* key : {"itl_s", "itl_percentile_s"})
                    QCOMPARE(point[key].is_null(), prefill);
                for (const char* key : {"ttft_s", "ttft_percentile_s"})
                    QCOMPARE(point[key].is_null(), !prefill);
                QVERIFY(point["dollars_per_million_output_tokens"].is_null());
                QVERIFY(point["requests_per_s"].get<double>() > 0);
            }
        }
    }

    void severalInOneDocument() {
        const Estimate a = sample::servingEstimate(), b = sample::estimate();
        const std::vector<data::ListedEstimate> both{{.estimate = &a}, {.estimate = &b}};
        const Json document = Json::parse(data::writeEstimates(both));
        QCOMPARE(document["alidade"].get<int>(), 1);
        QCOMPARE(document["estimates"].size(), 2U);
        QVERIFY(document["estimates"][0] == documentOf(a));
        QVERIFY(document["estimates"][1] == documentOf(b));
    }
};

QTEST_APPLESS_MAIN(TestEstimateJsonServing)

} // namespace tst_estimate_json_serving

#include "tst_estimate_json_serving.moc"
