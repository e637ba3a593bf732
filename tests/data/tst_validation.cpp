// SPDX-License-Identifier: GPL-3.0-or-later
// Published measurements: the shipped ones read whole and unchanged; each fault of a user's file is told with
// its place.
#include "data/catalog/shipped.h"
#include "data/validation/published_json.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <set>

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
    QCOMPARE(rows.training.size(), std::size_t(599));
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
    QCOMPARE(ids.size(), std::size_t(599 + 768));
}

void TestValidation::unitsAreConvertedOnce() {
    std::vector<data::JsonFault> faults;
    const PublishedRows rows =
        data::readPublished(json::array({trainingRow(), collectiveRow()}).dump(), faults);
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
}

void TestValidation::faults_data() {
    QTest::addColumn<QByteArray>("patch"); // JSON merge patch of the good row
    QTest::addColumn<bool>("collective");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto training = [](const char* name, const char* patch, const char* place, const char* words) {
        QTest::newRow(name) << QByteArray(patch) << false << QString::fromUtf8(place)
                            << QString::fromUtf8(words);
    };
    training("missing id", R"({"id": null})", "/0/id", "missing; this key is required");
    training("unknown kind", R"({"kind": "benchmrak"})", "/0/kind", "did you mean 'benchmark'?");
    training("unknown precision", R"({"precision": "FP7"})", "/0/precision", "not a legal value");
    training("text for a number", R"({"batch": {"gbs": "128"}})", "/0/batch/gbs", "is no number");
    training("half a sequence", R"({"batch": {"mbs": 0.5}})", "/0/batch/mbs", "is no whole number");
    training("a percentage", R"({"measured": {"mfu": 44}})", "/0/measured/mfu", "0 to 1 would be right");
    training("negative time", R"({"measured": {"step_time_s": -1}})", "/0/measured/step_time_s",
             "out of range");
    training("unknown key", R"({"parallelism": {"scheduel": "1F1B"}})", "/0/parallelism/scheduel",
             "did you mean 'schedule'?");
    training("array for an object", R"({"hardware": []})", "/0/hardware",
             "an array where an object is needed");
    training("source without title", R"({"source": {"title": null}})", "/0/source/title", "required");
    training("neither kind", R"({"batch": null, "parallelism": null})", "/0", "neither a training row");
    QTest::newRow("unknown op") << QByteArray(R"({"op": "allreduce"})") << true << "/0/op"
                                << "did you mean 'all_reduce'?";
    QTest::newRow("quality") << QByteArray(R"({"quality": "D"})") << true << "/0/quality"
                             << "not a legal value";
    QTest::newRow("exchange without ranks")
        << QByteArray(R"({"ep": {"tokens_per_rank": 128}})") << true << "/0/ep/ranks" << "missing";
}

void TestValidation::faults() {
    QFETCH(QByteArray, patch);
    QFETCH(bool, collective);
    json row = collective ? collectiveRow() : trainingRow();
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
    QCOMPARE(faults.size(), std::size_t(2)); // the word, and the id that stands twice
    QCOMPARE(faults.back().pointer, std::string("/2/id"));

    QVERIFY(faultsOf(json::object()).front().message.find("array of measurements") != std::string::npos);
    std::vector<data::JsonFault> broken;
    data::readPublished("[1,", broken);
    QCOMPARE(broken.size(), std::size_t(1));
    QVERIFY(faultsOf(json::parse(R"([{"engine": {}}])")).front().message.find("serving") !=
            std::string::npos);
}

QTEST_APPLESS_MAIN(TestValidation)
#include "tst_validation.moc"
