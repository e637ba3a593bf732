// SPDX-License-Identifier: GPL-3.0-or-later
// Published measurements: the shipped ones read whole and unchanged; each fault of a user's file is told with
// its place.
#include "data/catalog/shipped.h"
#include "data/json/json.h"
#include "data/validation/published_json.h"

#include <QTest>

#include <set>

namespace tst_validation {

using namespace alidade;
using nlohmann::json;

namespace {

/// A row that nothing is wrong with.
json trainingRow() {
    return json::parse(
        R"({"id": "a", "kind": "benchmark", "group": "g", "outcome": "ok",)"
        R"("source": {"title": "T", "locator": "o/r page"},)"
        R"("model": {"name": "M", "params_b": 70.5, "layers": 80, "mla": null},)"
        R"("hardware": {"gpu": "H100-SXM5-80GB", "gpus": 64},)"
        R"("parallelism": {"tp": 4, "sp": true, "fsdp_size": 16, "dp_replicate": 1},)"
        R"("batch": {"gbs": 128, "mbs": 1, "grad_accum": 4, "tokens": null},)"
        R"("precision": "FP8", "recompute": null,)"
        R"("recipe": {"cuda_graph_scope": "mlp", "recompute_modules": ["moe_act"], "source": "x"},)"
        R"("measured": {"step_time_s": 2.5, "tflops_per_gpu": 800, "mfu": 0.4, "peak_mem_gib": 70.0},)"
        R"("confidence": "high"})");
}

json collectiveRow() {
    return json::parse(
        R"({"id": "c", "series": "s", "source": {"title": "T", "repo": "o/r", "path": "p", "commit": "abc"},
        "hardware": {"gpu": "H100", "nodes": 2, "gpus": 16}, "library": {"name": "nccl-tests"}, "op": "all_reduce",
        "bytes": 1048576, "time_us": 69.12, "busbw_gbs": 28.4, "quality": "A"})");
}

json servingRow() {
    return json::parse(
        R"({"id": "s", "source": {"title": "T", "repo": "o/r", "path": "p", "url": null, "commit": "abc"},
        "model": {"name": "DeepSeek-R1", "arch": "deepseek-v3", "kind": "moe"},
        "hardware": {"gpu": "H200", "gpus": 32, "nodes": 4, "instance": "p5en.48xlarge", "interconnect": null},
        "engine": {"name": "vLLM", "version": "0.21.0"},
        "parallelism": {"tp": 4, "pp": 1, "dp": null, "ep": 8, "attention_dp": 2, "disaggregated":
            {"prefill": {"instances": 1, "gpus": 8, "tp": 4, "dp": 2, "ep": 8},
             "decode": {"instances": 3, "gpus": 8, "tp": 4, "dp": 2, "ep": 8}}},
        "precision": {"weights": "fp8", "activations": "fp8", "kv": null},
        "speculative": {"method": "MTP", "draft_tokens": 3, "acceptance_length": 2.5},
        "workload": {"isl": 1024, "osl": 256, "request_rate_per_s": 1.5, "num_requests": 50, "mode": "server"},
        "phase": "e2e", "measured": {"tpot_ms": 20.5, "output_tokens_per_s": 1200,
            "itl_fit": {"intercept_ms": 6, "slope_ms_per_context_token": 4e-5}},
        "published_metric": "tpot_ms", "repeats": {"runs": 2}, "quality": "C", "notes": null})");
}

/// A good row of a kind.
json rowOf(const QByteArray& kind) {
    return kind == "collective" ? collectiveRow() : kind == "serving" ? servingRow() : trainingRow();
}

std::vector<data::JsonFault> faultsOf(const json& rows) {
    std::vector<data::JsonFault> faults;
    data::readPublished(rows.dump(), faults);
    return faults;
}

} // namespace

class TestValidation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shippedRowsAreWhole();
    void unitsAreConvertedOnce();
    void faults_data();
    void faults();
    void faultyRowsAreLeftOut();
};

void TestValidation::shippedRowsAreWhole() {
    const PublishedRows rows = data::shippedPublished();
    QCOMPARE(rows.training.size(), std::size_t(936));
    QCOMPARE(rows.collectives.size(), std::size_t(768));
    std::set<std::string> ids;
    for (const PublishedTraining& row : rows.training) {
        QVERIFY2(!row.source.title.empty() && !row.source.locator.empty(), row.id.c_str());
        QVERIFY2(!row.group.empty() && !row.confidence.empty() && !row.precision.empty(), row.id.c_str());
        ids.insert(row.id);
    }
    for (const PublishedCollective& row : rows.collectives) {
        QVERIFY2(!row.source.title.empty() && !row.source.locator.empty(), row.id.c_str());
        QVERIFY2(row.timeS || row.busBandwidth || row.bandwidth, row.id.c_str());
        ids.insert(row.id);
    }
    for (const PublishedServing& row : rows.serving) {
        QVERIFY2(!row.source.title.empty() && !row.source.locator.empty(), row.id.c_str());
        QVERIFY2(!row.engine.empty() && !row.architecture.empty() && !row.family.empty(), row.id.c_str());
        const PublishedServingFigures& m = row.measured;
        QVERIFY2(m.ttft || m.tpot || m.itl || m.itlLine || m.e2e || m.outputTokensPerSPerGpu ||
                     m.inputTokensPerSPerGpu || m.tokensPerSPerUser,
                 row.id.c_str());
        ids.insert(row.id);
    }
    QCOMPARE(rows.serving.size(), std::size_t(1962));
    QCOMPARE(ids.size(), std::size_t(936 + 768 + 1962));
}

void TestValidation::unitsAreConvertedOnce() {
    std::vector<data::JsonFault> faults;
    const PublishedRows rows =
        data::readPublished(json::array({trainingRow(), collectiveRow(), servingRow()}).dump(), faults);
    QVERIFY(faults.empty());
    QCOMPARE(rows.training.size(), std::size_t(1));
    const PublishedTraining& row = rows.training.front();
    QCOMPARE(*row.model.parameters, 70.5e9);
    QCOMPARE(*row.measured.flopsPerSPerGpu, 8e14);
    QCOMPARE(*row.measured.peakMemory, 70.0 * 1073741824.0);
    QVERIFY(!row.measured.tokensPerS && row.recompute.empty() && !row.parallelism.pipeline);
    QCOMPARE(row.recipe->cudaGraphScope, std::vector<std::string>{"mlp"});
    QCOMPARE(row.hardware.gpusPerNode, 8);
    const PublishedCollective& point = rows.collectives.front();
    QCOMPARE(*point.timeS, 69.12e-6);
    QCOMPARE(*point.busBandwidth, 28.4e9);
    QCOMPARE(point.source.locator, std::string("o/r p @abc"));
    QCOMPARE(rows.serving.size(), std::size_t(1));
    const PublishedServing& serving = rows.serving.front();
    QCOMPARE(*serving.measured.tpot, 20.5e-3);
    QCOMPARE(*serving.measured.outputTokensPerS, 1200.0);
    QCOMPARE(serving.measured.itlLine->slope, 4e-8);
    QVERIFY(!serving.measured.ttft && serving.kvCache.empty() && !serving.layout.replicas);
    QCOMPARE(*serving.load.requestRate, 1.5);
    QCOMPARE(serving.layout.decode->instances, 3);
    QCOMPARE(*serving.layout.prefill->attentionData, 2);
    QCOMPARE(*serving.speculation->acceptanceLength, 2.5);
    QCOMPARE(serving.source.locator, std::string("o/r p @abc"));
}

void TestValidation::faults_data() {
    QTest::addColumn<QByteArray>("patch"); // JSON merge patch of the good row
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto training = [](const char* name, const char* patch, const char* place, const char* words) {
        QTest::newRow(name) << QByteArray(patch) << QByteArray("training") << QString::fromUtf8(place)
                            << QString::fromUtf8(words);
    };
    training("missing id", R"({"id": null})", "/0/id", "missing; this key is required");
    training("unknown kind", R"({"kind": "benchmrak"})", "/0/kind", "did you mean 'benchmark'?");
    training("unknown precision", R"({"precision": "FP7"})", "/0/precision", "not a valid value");
    training("text for a number", R"({"batch": {"gbs": "128"}})", "/0/batch/gbs", "is not a number");
    training("half a sequence", R"({"batch": {"mbs": 0.5}})", "/0/batch/mbs", "is not a whole number");
    training("a percentage", R"({"measured": {"mfu": 44}})", "/0/measured/mfu", "expected 0 to 1");
    training("negative time", R"({"measured": {"step_time_s": -1}})", "/0/measured/step_time_s",
             "out of range");
    training("unknown key", R"({"parallelism": {"scheduel": "1F1B"}})", "/0/parallelism/scheduel",
             "did you mean 'schedule'?");
    training("array for an object", R"({"hardware": []})", "/0/hardware",
             "an array where an object is expected");
    training("source without title", R"({"source": {"title": null}})", "/0/source/title", "required");
    training("neither kind", R"({"batch": null, "parallelism": null})", "/0", "neither a training row");
    QTest::newRow("unknown op") << QByteArray(R"({"op": "allreduce"})") << QByteArray("collective") << "/0/op"
                                << "did you mean 'all_reduce'?";
    QTest::newRow("quality") << QByteArray(R"({"quality": "D"})") << QByteArray("collective") << "/0/quality"
                             << "not a valid value";
    QTest::newRow("exchange without ranks") << QByteArray(R"({"ep": {"tokens_per_rank": 128}})")
                                            << QByteArray("collective") << "/0/ep/ranks" << "missing";
    const auto serving = [](const char* name, const char* patch, const char* place, const char* words) {
        QTest::newRow(name) << QByteArray(patch) << QByteArray("serving") << QString::fromUtf8(place)
                            << QString::fromUtf8(words);
    };
    serving("no workload", R"({"workload": null})", "/0/workload", "missing");
    serving("no architecture", R"({"model": {"arch": null}})", "/0/model/arch", "required");
    serving("unknown mode", R"({"workload": {"mode": "ofline"}})", "/0/workload/mode",
            "did you mean 'offline'?");
    serving("unknown phase", R"({"phase": "both"})", "/0/phase", "not a valid value");
    serving("unknown format", R"({"precision": {"weights": "nvpf4"}})", "/0/precision/weights",
            "did you mean 'nvfp4'?");
    serving("no GPU", R"({"hardware": {"gpus": 0}})", "/0/hardware/gpus", "out of range");
    serving("hits in percent", R"({"workload": {"prefix_cache_hit": 56}})", "/0/workload/prefix_cache_hit",
            "expected 0 to 1");
    serving("one pool alone", R"({"parallelism": {"disaggregated": {"decode": null}}})",
            "/0/parallelism/disaggregated/decode", "missing");
    serving("pool without GPUs", R"({"parallelism": {"disaggregated": {"decode": {"gpus": null}}}})",
            "/0/parallelism/disaggregated/decode/gpus", "missing");
    serving("time in seconds", R"({"measured": {"ttft_s": 0.1}})", "/0/measured/ttft_s",
            "did you mean 'ttft_ms'?");
    serving("text for a time", R"({"measured": {"ttft_ms": "12"}})", "/0/measured/ttft_ms",
            "is not a number");
    serving("line without slope", R"({"measured": {"itl_fit": {"slope_ms_per_context_token": null}}})",
            "/0/measured/itl_fit/slope_ms_per_context_token", "missing");
}

void TestValidation::faults() {
    QFETCH(QByteArray, patch);
    QFETCH(QByteArray, kind);
    json row = rowOf(kind);
    row.merge_patch(json::parse(patch.toStdString()));
    const auto found = faultsOf(json::array({row}));
    QVERIFY(!found.empty());
    QTEST(QString::fromStdString(found.front().pointer), "place");
    QFETCH(QString, words);
    QVERIFY2(found.front().message.find(words.toStdString()) != std::string::npos,
             found.front().message.c_str());
}

void TestValidation::faultyRowsAreLeftOut() {
    json wrong = trainingRow();
    wrong["id"] = "b";
    wrong["kind"] = "?";
    std::vector<data::JsonFault> faults;
    const auto rows =
        data::readPublished(json::array({trainingRow(), wrong, trainingRow()}).dump(), faults).training;
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(faults.size(), std::size_t(2)); // the word, and the id that occurs twice
    QCOMPARE(faults.back().pointer, std::string("/2/id"));

    QVERIFY(faultsOf(json::object()).front().message.find("array of measurements") != std::string::npos);
    std::vector<data::JsonFault> broken;
    data::readPublished("[1,", broken);
    QCOMPARE(broken.size(), std::size_t(1));
    QCOMPARE(faultsOf(json::parse(R"([{"engine": {}}])")).front().pointer, std::string("/0/id"));
}

QTEST_APPLESS_MAIN(TestValidation)

} // namespace tst_validation

#include "tst_validation.moc"
