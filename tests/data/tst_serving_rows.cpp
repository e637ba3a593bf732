// SPDX-License-Identifier: GPL-3.0-or-later
// Published serving rows as scenarios: rows of each source against what the source says, in the words of the
// scenario file; what is assumed; and why rows without a scenario have none.
#include "model/validation/published_scenario.h"
#include "model/validation/published_serving_scenario.h"
#include "model/validation/validate.h"
#include "tests/data/published_rows.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

namespace tst_serving_rows {

using namespace alidade;

namespace {

const Catalog& catalog() { return shippedCatalog(); }

const PublishedServing& rowOf(const std::string& id) { return alidade::rowOf(published().serving, id); }

bool holds(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

} // namespace

class TestServingRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysWhatTheSourceSays_data();
    void saysWhatTheSourceSays();
    void saysWhatItAssumes_data();
    void saysWhatItAssumes();
    void loadIsThatOfTheSource_data();
    void loadIsThatOfTheSource();
    void everyEngineIsKnown();
    void everyFieldIsLegal();
    void gpusAreThoseOfThePlan();
    void rowsWithoutAScenarioLackWhatTheSourceLacks();
    void whatIsMissingIsSaid_data();
    void whatIsMissingIsSaid();
    void acceptedLengthBecomesAChance();
    void timePerTokenIsThatOfTheMeans();
    void requestsWaitForThePoll();
};

void TestServingRows::saysWhatTheSourceSays_data() {
    SaidFields says;
    says("trtllm10-llama3.3-70b-b200-tp1pp1-fp4-128-128", {{"workload.kind", "serving"},
                                                           {"workload.phase", "-"},
                                                           {"workload.model", "llama-3.1-70b"},
                                                           {"workload.input_tokens", "128 tokens"},
                                                           {"workload.input_tokens_cv", "0"},
                                                           {"workload.concurrency", "30000"},
                                                           {"cluster.custom.gpu", "b200-sxm"},
                                                           {"cluster.gpus", "1"},
                                                           {"plan.tuning", "vendor"},
                                                           {"workload.sampling", "-"},
                                                           {"plan.engine", "tensorrt-llm-1.0"},
                                                           {"plan.weights", "nvfp4"},
                                                           {"plan.kv_cache", "fp8"}});
    // Real prompts: a server as it usually runs, with the spread of the answers that it gave.
    says("mlenergy3-qwen3-32b-lm-arena-chat-h100x2-tp2-b64", {{"workload.input_tokens_cv", "1.5"},
                                                              {"workload.sampling", "top_p"},
                                                              {"workload.concurrency", "63.9"},
                                                              {"plan.tuning", "as_run"},
                                                              {"plan.max_batch", "64"},
                                                              {"plan.tensor_parallel", "2"}});
    says("mlenergy3-gpt-oss-120b-gpqa-h100x2-tp2-b64",
         {{"workload.sampling", "plain"}, {"plan.tuning", "as_run"}, {"plan.weights", "mxfp4"}});
    // bench_serving of SGLang takes ShareGPT's prompts and decodes greedily; servers have default arguments.
    says("sglcook-gpt-oss-120b-b200x8-l537-c100",
         {{"workload.sampling", "plain"}, {"plan.tuning", "as_run"}, {"plan.engine", "sglang-0.5.9"}});
    says("trtllm10-qwen3-235b-h200-tp8pp1-fp8-1000-1000", {{"plan.tensor_parallel", "1"},
                                                           {"plan.attention_data_parallel", "8"},
                                                           {"plan.expert_parallel", "-"},
                                                           {"plan.data_parallel", "1"},
                                                           {"plan.weights", "fp8"}});
    // NVIDIA's and Meta's FP8 checkpoints scale whole tensors or channels, Qwen's own blocks.
    says("mlenergy3-llama-4-maverick-17b-128e-instruct-fp8-lm-arena-chat-h100x8-tp8-b8",
         {{"plan.weights", "fp8"}, {"plan.activations", "fp8"}});
    says("mlenergy3-qwen3-235b-a22b-instruct-2507-fp8-lm-arena-chat-h100x8-tp8-b8",
         {{"plan.weights", "fp8_block"}});
    says("trtllm12-gpt-oss-120b-b200-dep2-1000-1000", {{"plan.tensor_parallel", "1"},
                                                       {"plan.attention_data_parallel", "2"},
                                                       {"plan.expert_parallel", "2"},
                                                       {"plan.weights", "mxfp4"},
                                                       {"plan.activations", "-"},
                                                       {"plan.kv_cache", "fp8"}});
    says("trtllm017-llama3.1-8b-tp1-a100-128-128", {{"plan.engine", "tensorrt-llm-0.17"},
                                                    {"cluster.custom.gpu", "a100-80gb-sxm"},
                                                    {"plan.weights", "bf16"},
                                                    {"plan.kv_cache", "bf16"}});
    says("trtllm061-llama-7b-h100-b768-tp1-128-128", {{"plan.engine", "tensorrt-llm-0.5"},
                                                      {"workload.concurrency", "768"},
                                                      {"plan.max_batch", "768"},
                                                      {"plan.expert_parallel", "-"}});
    says("trtllm05-ttft-llama-7b-h100-tp1-128", {{"workload.phase", "prefill"},
                                                 {"workload.concurrency", "1"},
                                                 {"workload.output_tokens", "1 tokens"}});
    says("infx-minimax-m2.5-b300-vllm-fp4-tp1dp1ep1-1024-1024-c4",
         {{"plan.engine", "vllm"},
          {"workload.input_tokens", "921.6 tokens"},
          {"workload.output_tokens", "921.6 tokens"},
          {"workload.concurrency", "4"},
          {"cluster.custom.gpu", "b300-sxm"},
          {"plan.max_batch", "-"}});
    says("aicsample-qwen3-32b-h100-trtllm-fp8-tp1ep1-1024-512-c8",
         {{"workload.output_tokens", "512 tokens"}, {"workload.output_tokens_cv", "0"}});
    says("splitwise-llama2-70b-a100-tp4-p128-b1", {{"plan.tensor_parallel", "4"},
                                                   {"cluster.gpus", "4"},
                                                   {"cluster.custom.gpu", "a100-80gb-sxm"},
                                                   {"workload.concurrency", "1"}});
    says("sglang-ep-dsv3-h100-prefill-1024", {{"workload.phase", "prefill"},
                                              {"plan.engine", "sglang-0.5.9"},
                                              {"plan.attention_data_parallel", "32"},
                                              {"plan.expert_parallel", "32"},
                                              {"plan.weights", "fp8_block"},
                                              {"plan.activations", "fp8_block"},
                                              {"cluster.custom.gpus_per_node", "8"},
                                              {"cluster.custom.network", "infiniband"},
                                              {"cluster.instances", "4"}});
    says("sglang-ep-dsv3-h100-decode-2048-b256", {{"workload.phase", "decode"},
                                                  {"workload.concurrency", "18432"},
                                                  {"workload.input_tokens", "2000 tokens"},
                                                  {"workload.output_tokens", "100 tokens"}});
    says("vllm-gb200-dsr1-prefill", {{"workload.phase", "prefill"},
                                     {"cluster.gpus", "2"},
                                     {"cluster.custom.nvlink_domain", "72"},
                                     {"plan.disaggregated.prefill.workers", "-"},
                                     {"plan.expert_parallel", "2"}});
    says("vllm-itlfit-llama-3.1-8b-h100-kvfp8",
         {{"workload.phase", "decode"}, {"plan.kv_cache", "fp8"}, {"workload.output_tokens", "128 tokens"}});
    says(
        "nim180-llama33-70b-h100x2-5000-500-c1",
        {{"plan.engine", "tensorrt-llm-0.17"}, {"plan.tensor_parallel", "2"}, {"workload.concurrency", "1"}});
    says("aws-p5en-dsv3-1p3d-rps1", {{"cluster.instance", "p5en.48xlarge"},
                                     {"cluster.instances", "4"},
                                     {"cluster.custom.gpu", "-"},
                                     {"workload.request_rate_per_s", "1"},
                                     {"workload.concurrency", "-"},
                                     {"plan.tensor_parallel", "-"},
                                     {"plan.disaggregated.transfer", "efa"},
                                     {"plan.disaggregated.prefill.workers", "1"},
                                     {"plan.disaggregated.prefill.tensor_parallel", "4"},
                                     {"plan.disaggregated.decode.workers", "3"},
                                     {"plan.disaggregated.decode.attention_data_parallel", "2"},
                                     {"plan.disaggregated.decode.expert_parallel", "8"}});
    says("aws-p5en-dsv3-1p3d-burst", {{"workload.request_rate_per_s", "-"}, {"workload.concurrency", "50"}});
}

void TestServingRows::saysWhatTheSourceSays() {
    QFETCH(QString, id);
    QFETCH(QString, path);
    QFETCH(QString, text);
    const PublishedServingScenario scenario = publishedServingScenario(rowOf(id.toStdString()), catalog());
    QVERIFY2(scenario.spec, scenario.lacks.c_str());
    QCOMPARE(QString::fromStdString(textOf(*scenario.spec, path.toStdString())), text);
}

void TestServingRows::saysWhatItAssumes_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<std::vector<std::string>>("assumed");
    using Fields = std::vector<std::string>;
    QTest::newRow("number of requests")
        << "trtllm017-llama3.1-8b-tp1-a100-128-128" << Fields{"workload.concurrency"};
    QTest::newRow("KV cache") << "trtllm10-llama3.3-70b-b200-tp1pp1-fp4-128-128" << Fields{"plan.kv_cache"};
    QTest::newRow("experts and KV cache")
        << "trtllm10-qwen3-235b-h200-tp8pp1-fp8-1000-1000" << Fields{"plan.expert_parallel", "plan.kv_cache"};
    QTest::newRow("answers") << "sglang-ep-dsv3-h100-decode-2048-b256"
                             << Fields{"cluster.custom.network_bytes_per_s_per_gpu_per_direction",
                                       "workload.output_tokens", "plan.kv_cache"};
    QTest::newRow("engine") << "splitwise-llama2-70b-a100-tp4-p128-b1"
                            << Fields{"plan.engine", "plan.kv_cache"};
    QTest::newRow("context of a line")
        << "vllm-itlfit-llama-3.1-8b-h100-kvbf16" << Fields{"workload.input_tokens"};
}

void TestServingRows::saysWhatItAssumes() {
    QFETCH(QString, id);
    QFETCH(std::vector<std::string>, assumed);
    QCOMPARE(publishedServingScenario(rowOf(id.toStdString()), catalog()).assumed, assumed);
}

void TestServingRows::loadIsThatOfTheSource_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* id, PublishedLoadKind kind) {
        QTest::newRow(id) << id << static_cast<int>(kind);
    };
    using enum PublishedLoadKind;
    row("trtllm10-llama3.3-70b-b200-tp1pp1-fp4-128-128", closedLoop);
    row("trtllm061-llama-7b-h100-b768-tp1-128-128", staticBatch); // its notes say so
    row("trtllm05-ttft-llama-7b-h100-tp1-128", staticBatch);
    row("splitwise-llama2-70b-a100-tp4-p128-b1", staticBatch);
    row("nim180-llama33-70b-h100x2-5000-500-c1", closedLoop);
    row("aws-p5en-dsv3-1p3d-rps1", openLoop);
    row("aws-p5en-dsv3-1p3d-burst", closedLoop);
}

void TestServingRows::loadIsThatOfTheSource() {
    QFETCH(QString, id);
    QTEST(static_cast<int>(publishedLoadKind(rowOf(id.toStdString()))), "kind");
}

void TestServingRows::everyEngineIsKnown() {
    std::set<std::string> used;
    for (const PublishedServing& row : published().serving) {
        const Framework* engine = publishedEngine(row, catalog());
        QVERIFY2(engine, (row.engine + " " + row.engineVersion).c_str());
        used.insert(engine->id);
    }
    for (const Framework& engine : catalog().engines)
        QVERIFY2(used.contains(engine.id), engine.id.c_str());
}

void TestServingRows::everyFieldIsLegal() {
    int scenarios = 0;
    for (const PublishedServing& row : published().serving) {
        const PublishedServingScenario scenario = publishedServingScenario(row, catalog());
        if (!scenario.spec)
            continue;
        ++scenarios;
        for (const Field& field : fieldTable()) {
            const FieldValue value = field.get(*scenario.spec);
            QVERIFY2(checkField(field, value).empty(),
                     (row.id + " " + std::string(field.path) + ": " + checkField(field, value)).c_str());
            QVERIFY2(std::holds_alternative<std::monostate>(value) || field.appliesTo != AppliesTo::training,
                     (row.id + " " + std::string(field.path)).c_str());
        }
        for (const std::string& path : scenario.assumed)
            QVERIFY2(findField(path), path.c_str());
    }
    QVERIFY(scenarios > 850);
}

void TestServingRows::gpusAreThoseOfThePlan() {
    for (const PublishedServing& row : published().serving) {
        const PublishedServingScenario scenario = publishedServingScenario(row, catalog());
        if (!scenario.spec)
            continue;
        const PlanSpec& plan = scenario.spec->plan;
        const auto span = [](const auto& part, std::int64_t replicas) {
            return replicas * part.tensorParallel.value_or(1) * part.pipelineParallel.value_or(1) *
                   part.attentionDataParallel.value_or(1);
        };
        const PoolSpec &prefill = plan.disaggregated.prefill, &decode = plan.disaggregated.decode;
        const std::int64_t gpus = prefill.workers
                                      ? span(prefill, *prefill.workers) + span(decode, *decode.workers)
                                      : span(plan, plan.dataParallel.value_or(1));
        QVERIFY2(gpus == *scenario.spec->cluster.gpus, row.id.c_str());
    }
}

void TestServingRows::rowsWithoutAScenarioLackWhatTheSourceLacks() {
    std::map<std::string, int> why;
    for (const PublishedServing& row : published().serving) {
        const PublishedServingScenario scenario = publishedServingScenario(row, catalog());
        if (scenario.spec)
            continue;
        ++why[scenario.lacks];
        QVERIFY2(catalog().model(row.architecture), row.id.c_str());
        // Each reason is true of the row, and one of them is there.
        const std::pair<std::string_view, bool> reasons[] = {
            {"length of the prompts", !row.load.inputTokens},
            {"length of the answers", !row.load.outputTokens},
            {"under way or their rate", !row.load.concurrency && !row.load.batch && !row.load.requestRate},
            {"number of GPUs", !row.hardware.gpus},
            {"tensor parallelism", !row.layout.tensor},
            {"format of the weights", row.weights.empty()},
            {"drafted tokens are accepted", row.speculation.has_value()}};
        int said = 0;
        for (const auto& [words, isTrue] : reasons) {
            if (holds(scenario.lacks, words)) {
                QVERIFY2(isTrue, (row.id + ": " + scenario.lacks).c_str());
                ++said;
            }
        }
        QVERIFY2(said > 0, (row.id + ": " + scenario.lacks).c_str());
    }
    QVERIFY(why.size() >= 4);
}

void TestServingRows::whatIsMissingIsSaid_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("words");
    QTest::newRow("prompts of a data set") << "mlperf51-deepseek-r1-offline-b200-x8-dell"
                                           << "the source does not give the length of the prompts";
    QTest::newRow("production") << "deepseek-prod-h800-prefill"
                                << "the source does not give the length of the prompts";
    QTest::newRow("everything") << "vllm-wideep-h200-dsv3"
                                << "the length of the prompts, the requests";
    QTest::newRow("batch of a decode pool") << "vllm-gb200-dsr1-decode"
                                            << "the requests under way or their rate";
    QTest::newRow("speculation") << "trtllm-bpp-dsr1-b200-minlat"
                                 << "how many drafted tokens are accepted";
}

void TestServingRows::whatIsMissingIsSaid() {
    QFETCH(QString, id);
    QFETCH(QString, words);
    const PublishedServingScenario scenario = publishedServingScenario(rowOf(id.toStdString()), catalog());
    QVERIFY(!scenario.spec);
    QVERIFY2(holds(scenario.lacks, words.toStdString()), scenario.lacks.c_str());
}

namespace {

const ValidationRow& predicted(const ValidationReport& report, std::string_view quantity) {
    const auto found = std::ranges::find(report.rows, quantity, &ValidationRow::quantity);
    Q_ASSERT(found != report.rows.end());
    return *found;
}

ValidationReport reportOf(const PublishedServing& row) {
    PublishedRows rows;
    rows.serving = {row};
    return validate(rows, catalog(), catalog().defaultProfile);
}

} // namespace

/// Of prompts of ShareGPT, whose answers differ in length, the mean ratio of the requests is 14.31 ms a
/// token; from the mean times it is (2,208.97 - 102.94) / (192.4 - 1) = 11.00 ms, as the mean gap between
/// tokens.
void TestServingRows::timePerTokenIsThatOfTheMeans() {
    const ValidationReport report = reportOf(rowOf("sglcook-gpt-oss-120b-b200x8-l537-c100"));
    QVERIFY(std::abs(predicted(report, "tpot_s").measured - 11.003e-3) < 1e-6);
    QVERIFY(std::abs(predicted(report, "itl_s").measured - 11.0e-3) < 1e-9);
}

/// An engine that looks for requests in every tenth step lets one wait for 4.5 steps on average.
void TestServingRows::requestsWaitForThePoll() {
    PublishedServing row = rowOf("infx-deepseek-r1-b200-sglang-fp8-0.5.9-tp8dp1ep1-1024-1024-c4");
    QCOMPARE(row.load.pollInterval.value(), 10);
    const ValidationReport polled = reportOf(row);
    row.load.pollInterval.reset();
    const ValidationReport eachStep = reportOf(row);
    const double wait = predicted(polled, "ttft_s").predicted - predicted(eachStep, "ttft_s").predicted;
    QVERIFY(std::abs(wait / predicted(polled, "tpot_s").predicted - 4.5) < 1e-9);
}

void TestServingRows::acceptedLengthBecomesAChance() {
    PublishedServing row = rowOf("trtllm-bpp-dsr1-b200-minlat");
    row.speculation->acceptanceLength = 1 + 0.8 + 0.64 + 0.512; // three drafts, each right with 80 %
    const PublishedServingScenario scenario = publishedServingScenario(row, catalog());
    QVERIFY2(scenario.spec, scenario.lacks.c_str());
    QCOMPARE(scenario.spec->plan.speculative.draftTokens, std::optional<std::int64_t>(3));
    QVERIFY(std::abs(*scenario.spec->plan.speculative.acceptance - 0.8) < 1e-9);
    row.architecture = "no-such-model";
    QVERIFY(holds(publishedServingScenario(row, catalog()).lacks, "no model 'no-such-model'"));
    row = rowOf("mlperf51-llama2-70b-interactive-h200-nvl-x4-quantacloudtechnology");
    row.load.inputTokens = 300;
    QVERIFY(holds(publishedServingScenario(row, catalog()).lacks, "no GPU 'H200-NVL'"));
}

QTEST_APPLESS_MAIN(TestServingRows)

} // namespace tst_serving_rows

#include "tst_serving_rows.moc"
