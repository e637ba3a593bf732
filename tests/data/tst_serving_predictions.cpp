// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// Predictions of published serving rows: each quantity under the definition of its source, and what the load
// of a row means for it.
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/engine/engine.h"
#include "model/validation/validate.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>

namespace tst_serving_predictions {

using namespace alidade;

namespace {

const Catalog& catalog() {
    static const auto shipped = data::loadShippedCatalog().catalog;
    return *shipped;
}

const std::vector<PublishedServing>& published() {
    static const PublishedRows rows = data::shippedPublished();
    return rows.serving;
}

PublishedServing rowOf(const std::string& id) {
    for (const PublishedServing& row : published())
        if (row.id == id)
            return row;
    qFatal("no row %s", id.c_str());
}

ValidationReport reportOf(std::vector<PublishedServing> rows) {
    PublishedRows some;
    some.serving = std::move(rows);
    return validate(some, catalog(), catalog().defaultProfile);
}

/// Predictions of one row by quantity.
std::map<std::string, double> predictions(const PublishedServing& row) {
    std::map<std::string, double> out;
    const ValidationReport report = reportOf({row});
    for (const ValidationRow& each : report.rows)
        out[each.quantity] = each.predicted;
    for (const SkippedRow& each : report.skipped)
        qWarning("%s: %s", each.id.c_str(), each.why.c_str());
    return out;
}

std::set<std::string> namesOf(const std::map<std::string, double>& predicted) {
    std::set<std::string> out;
    for (const auto& [name, value] : predicted)
        out.insert(name);
    return out;
}

bool agree(double a, double b) { return std::abs(a / b - 1) < 1e-9; }

} // namespace

class TestServingPredictions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void quantitiesAreThoseOfTheSource_data();
    void quantitiesAreThoseOfTheSource();
    void closedLoopIsTheEstimateItself();
    void roundsOfABenchmarkWaitLonger();
    void equalRequestsThatAreCountedMeetAgain();
    void aShortRunEndsWithFewUsers();
    void aBatchThatStartsTogetherIsPrefillAndThenDecode();
    void perUserIsTheWholeLatencyForTensorRt();
    void lineOfTheTimeBetweenTokens();
    void perGpuIsTheWholeOverTheGpus();
    void groupsAreSourceAndModel();
};

void TestServingPredictions::quantitiesAreThoseOfTheSource_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<std::set<std::string>>("quantities");
    using Names = std::set<std::string>;
    QTest::newRow("total printed") << "trtllm017-llama3.1-8b-tp1-h200-128-128"
                                   << Names{"output_tokens_per_s"};
    QTest::newRow("per GPU printed") << "trtllm12-gpt-oss-120b-b200-dep2-1000-1000"
                                     << Names{"output_tokens_per_s_per_gpu"};
    QTest::newRow("latencies") << "infx-minimax-m2.5-b300-vllm-fp4-tp1dp1ep1-1024-1024-c4"
                               << Names{"ttft_s", "tpot_s"};
    QTest::newRow("one figure under two names")
        << "trtllm05-ttft-llama-7b-h100-tp1-128" << Names{"prefill_s"};
    QTest::newRow("static batch") << "splitwise-llama2-70b-h100-tp8-p512-b16"
                                  << Names{"prefill_s", "tpot_s", "e2e_s"};
    QTest::newRow("per node printed")
        << "sglang-ep-dsv3-h100-prefill-1024" << Names{"input_tokens_per_s_per_gpu"};
    QTest::newRow("decode") << "sglang-ep-dsv3-h100-decode-2048-b256" << Names{"output_tokens_per_s_per_gpu"};
    QTest::newRow("line") << "vllm-itlfit-llama-3.1-8b-h100-kvbf16"
                          << Names{"itl_intercept_s", "itl_s_per_context_token"};
    QTest::newRow("per user") << "trtllm-bpp-dsr1-h200-maxtp"
                              << Names{"e2e_s", "tokens_per_s_per_user", "output_tokens_per_s_per_gpu"};
}

void TestServingPredictions::quantitiesAreThoseOfTheSource() {
    QFETCH(QString, id);
    QTEST(namesOf(predictions(rowOf(id.toStdString()))), "quantities");
}

void TestServingPredictions::closedLoopIsTheEstimateItself() {
    const ValidationReport report = reportOf({rowOf("nim180-llama33-70b-h100x2-5000-500-c5")});
    QCOMPARE(report.rows.size(), std::size_t(3));
    const auto answer = estimate(*report.rows[0].scenario, catalog(), catalog().defaultProfile);
    QVERIFY(answer && answer->serving);
    const Serving& s = *answer->serving;
    const std::map<std::string, double> expected = {
        {"ttft_s", s.ttft}, {"itl_s", s.itl}, {"output_tokens_per_s", s.outputTokensPerSecond}};
    for (const ValidationRow& row : report.rows) {
        QVERIFY2(agree(row.predicted, expected.at(row.quantity)), row.quantity.c_str());
        QVERIFY2(row.low < row.predicted && row.predicted < row.high, row.quantity.c_str());
        QCOMPARE(row.framework, std::string("tensorrt-llm-0.17"));
        QVERIFY(row.kind == RowKind::serving);
    }
}

/// Users who began at once and whose answers end almost together meet again; the rest is as in any closed
/// loop.
void TestServingPredictions::roundsOfABenchmarkWaitLonger() {
    const ValidationReport report =
        reportOf({rowOf("infx-gpt-oss-120b-h100-vllm-fp4-tp4dp1ep1-8192-1024-c64")});
    QVERIFY(!report.rows.empty());
    const auto answer =
        estimate(*report.rows[0].scenario, catalog(), catalog().defaultProfile, {.simulate = false});
    QVERIFY(answer && answer->serving);
    for (const ValidationRow& row : report.rows)
        if (row.quantity == "ttft_s")
            QVERIFY(row.predicted > 1.1 * answer->serving->ttft);
        else if (row.quantity == "tpot_s")
            QVERIFY(agree(row.predicted, answer->serving->tpot));
}

/// Equal requests, all users at once, ten each: the first tokens of the first round alone wait for half of
/// all prompts. The same row from a source that does not say so is the loop without a start.
void TestServingPredictions::equalRequestsThatAreCountedMeetAgain() {
    PublishedServing row = rowOf("aicsample-qwen3-32b-h100-trtllm-fp8-tp1ep1-1024-512-c32");
    const auto counted = predictions(row);
    row.source.locator = "elsewhere";
    const auto steady = predictions(row);
    QVERIFY(agree(counted.at("tpot_s"), steady.at("tpot_s")));
    QVERIFY(counted.at("ttft_s") > 1.5 * steady.at("ttft_s"));
    row.load.requests = 320;
    QVERIFY(agree(predictions(row).at("ttft_s"), counted.at("ttft_s")));
}

/// Lengths from one token to twice the mean. The end of a short run, with ever fewer users, costs throughput.
void TestServingPredictions::aShortRunEndsWithFewUsers() {
    PublishedServing row = rowOf("sglcook-deepseek-r1-0528-b200x8-l509-c100");
    const ValidationReport report = reportOf({row});
    QVERIFY(!report.rows.empty());
    QVERIFY(std::abs(*report.rows[0].scenario->workload.outputTokensCv - 1 / std::sqrt(3.0)) < 1e-12);
    QCOMPARE(*report.rows[0].scenario->workload.outputTokens, *row.load.outputTokens);
    const double five = predictions(row).at("output_tokens_per_s");
    row.load.requests = *row.load.requests * 20;
    const double hundred = predictions(row).at("output_tokens_per_s");
    // The source measured 92.3 users under way on average, of 100.
    QVERIFY2(std::abs(five / hundred / 0.9226 - 1) < 0.03, qPrintable(QString::number(five / hundred)));
}

void TestServingPredictions::aBatchThatStartsTogetherIsPrefillAndThenDecode() {
    PublishedServing row = rowOf("splitwise-llama2-70b-h100-tp8-p512-b16");
    row.measured.outputTokensPerS = 1;
    const auto batch = predictions(row);
    const double output = *row.load.outputTokens, requests = *row.load.concurrency;
    QVERIFY(agree(batch.at("e2e_s"), batch.at("prefill_s") + (output - 1) * batch.at("tpot_s")));
    QVERIFY(agree(batch.at("output_tokens_per_s"), requests * output / batch.at("e2e_s")));
    // Sixteen prompts take longer than one, though not sixteen times: some costs are of the step.
    PublishedServing one = row;
    one.load.concurrency = one.load.batch = 1;
    const auto single = predictions(one);
    QVERIFY(batch.at("prefill_s") > 4 * single.at("prefill_s"));
    QVERIFY(batch.at("prefill_s") <= 16.5 * single.at("prefill_s"));
    QVERIFY(batch.at("tpot_s") > single.at("tpot_s"));
}

void TestServingPredictions::perUserIsTheWholeLatencyForTensorRt() {
    PublishedServing row = rowOf("trtllm-bpp-dsr1-h200-maxtp");
    auto predicted = predictions(row);
    QVERIFY(agree(predicted.at("tokens_per_s_per_user"), *row.load.outputTokens / predicted.at("e2e_s")));
    row.engine = "vLLM";
    row.measured.tpot = 1;
    predicted = predictions(row);
    QVERIFY(agree(predicted.at("tokens_per_s_per_user"), 1 / predicted.at("tpot_s")));
}

void TestServingPredictions::lineOfTheTimeBetweenTokens() {
    const auto wide = predictions(rowOf("vllm-itlfit-llama-3.1-8b-h100-kvbf16")),
               narrow = predictions(rowOf("vllm-itlfit-llama-3.1-8b-h100-kvfp8"));
    const std::string slope = "itl_s_per_context_token";
    // Eight bits of cache are read in half of the time; what does not depend on the context stays.
    QVERIFY(narrow.at(slope) > 0 && narrow.at(slope) < 0.7 * wide.at(slope));
    QVERIFY(std::abs(narrow.at("itl_intercept_s") / wide.at("itl_intercept_s") - 1) < 0.05);
}

void TestServingPredictions::perGpuIsTheWholeOverTheGpus() {
    PublishedServing row = rowOf("sglang-ep-dsv3-h100-prefill-1024");
    row.printed = "input_tokens_per_s";
    const double all = predictions(row).at("input_tokens_per_s");
    row.printed = "input tokens/s per 8-GPU node = 57674";
    QVERIFY(agree(predictions(row).at("input_tokens_per_s_per_gpu"), all / *row.hardware.gpus));
}

void TestServingPredictions::groupsAreSourceAndModel() {
    std::vector<PublishedServing> rows;
    for (const char* id :
         {"trtllm017-llama3.1-8b-tp1-h200-128-128", "trtllm017-llama3.1-8b-tp1-a100-128-128",
          "nim180-llama33-70b-h100x2-5000-500-c1", "nim180-llama33-70b-h100x2-5000-500-c5"}) {
        rows.push_back(rowOf(id));
    }
    const ValidationReport report = reportOf(std::move(rows));
    std::set<std::string> groups;
    for (const ValidationRow& row : report.rows) {
        groups.insert(row.group);
        QCOMPARE(row.weight, 0.5); // two rows of the group have the quantity
    }
    QCOMPARE(groups.size(), std::size_t(2));
}

QTEST_APPLESS_MAIN(TestServingPredictions)

} // namespace tst_serving_predictions

#include "tst_serving_predictions.moc"
