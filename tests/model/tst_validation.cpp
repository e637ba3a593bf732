// SPDX-License-Identifier: GPL-3.0-or-later
// Published configurations in words: networks, pipeline layouts, recomputation, FLOP conventions, software;
// error figures by class on rows whose figures can be worked out by hand.
#include "model/validation/nearest.h"
#include "model/validation/published_layout.h"
#include "model/validation/published_quantity.h"
#include "model/validation/published_scenario.h"
#include "model/validation/summaries.h"

#include <QTest>

#include <cmath>

namespace tst_validation {

using namespace alidade;

namespace {

ValidationRow row(const char* id, const char* group, const char* gpu, double error, double weight) {
    ValidationRow out;
    out.id = id;
    out.group = group;
    out.gpu = gpu;
    out.kind = RowKind::training;
    out.rowKind = "benchmark";
    out.family = "dense";
    out.quality = "high";
    out.quantity = "step_time_s";
    out.measured = 10;
    out.predicted = 10 * (1 + error);
    out.error = error;
    out.low = out.predicted * 0.9;
    out.high = out.predicted * 1.1;
    out.weight = weight;
    out.gpus = 64;
    return out;
}

const ValidationSummary* find(const std::vector<ValidationSummary>& all, const std::string& group,
                              const std::string& quantity = "step_time_s") {
    for (const ValidationSummary& each : all)
        if (each.group == group && each.quantity == quantity)
            return &each;
    return nullptr;
}

/// A GPT with 4 layers of width 8: every count fits on paper.
Architecture tinyGpt() {
    Architecture out;
    out.layers = 4;
    out.hiddenSize = 8;
    out.attentionHeads = out.kvHeads = 2;
    out.headDim = 4;
    out.ffnIntermediateSize = 32;
    out.ffnGated = false;
    out.vocabSize = 16;
    out.normHasBias = false;
    return out;
}

} // namespace

class TestValidation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void networks_data();
    void networks();
    void pipelineLayouts();
    void recomputedModulesAreRead();
    void flopConventions();
    void throughputIsTheFirstThatIsThere();
    void frameworksAreKnownByTheirWords();
    void classesCountEachSweepOnce();
    void ratesCountAsTimes();
    void whatIsNotJudgedStandsApart();
    void nearestComesFirst();
    void servingIsSummarizedByQuantity();
    void nearestDeploymentsComeFirst();
};

void TestValidation::networks_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<int>("gpusPerNode");
    QTest::addColumn<double>("gigabytesPerS"); // 0: none is said
    QTest::newRow("HDR") << "8x 200 Gb/s HDR InfiniBand per node (compute), 3-level fat tree" << 8 << 25.0;
    QTest::newRow("NVL72 tray")
        << "NVLink5 1.8 TB/s in NVL72 domain; 4x 800 Gb/s XDR InfiniBand per 4-GPU node" << 4 << 100.0;
    QTest::newRow("EFA") << "p5.48xlarge: NVSwitch in node; EFA 3,200 Gb/s per node" << 8 << 50.0;
    QTest::newRow("terabits") << "p5.48xlarge: 3.2 Tb/s EFA per node (32 x 100 Gb/s)" << 8 << 50.0;
    QTest::newRow("per GPU") << "400 Gb/s RDMA per GPU; NVLink in node (Grand Teton)" << 8 << 50.0;
    QTest::newRow("none") << "NVLink in node (single node)" << 8 << 0.0;
    QTest::newRow("no number") << "fast Gb/s network" << 8 << 0.0;
}

void TestValidation::networks() {
    QFETCH(QString, words);
    QFETCH(int, gpusPerNode);
    QFETCH(double, gigabytesPerS);
    const auto rate = publishedNetworkRate(words.toStdString(), gpusPerNode);
    QCOMPARE(rate.has_value(), gigabytesPerS > 0);
    if (rate)
        QCOMPARE(*rate, gigabytesPerS * 1e9);
}

void TestValidation::pipelineLayouts() {
    // 16 virtual stages: 4 layers each, the last 1; stage 0 has the even ones of 2 stages.
    QCOMPARE(layersOfStages("Et*4|(t*4|)*14tmL", 2, 61), (std::vector<std::int64_t>{32, 29}));
    QCOMPARE(layersOfStages("Et*4|(t*4|)*14tmL", 8, 61), (std::vector<std::int64_t>{8, 8, 8, 8, 8, 8, 8, 5}));
    QCOMPARE(layersOfStages("Ett|ttL", 2, 4), (std::vector<std::int64_t>{2, 2}));
    QVERIFY(layersOfStages("Ett|ttL", 2, 5).empty()); // another number of layers
    QVERIFY(layersOfStages("Et*4|(t*4|", 2, 8).empty());
    QVERIFY(layersOfStages("t*0", 1, 0).empty());
    QVERIFY(layersOfStages(std::string(2000, '('), 1, 1).empty());
    QVERIFY(layersOfStages("((t*1000)*1000)*1000", 1, 1'000'000'000).empty());
}

void TestValidation::recomputedModulesAreRead() {
    using Words = std::vector<std::string>;
    QCOMPARE(recomputedModules("modules: layernorm, moe_act"), (Words{"layernorm", "moe_act"}));
    QCOMPARE(recomputedModules("moe, layernorm, core_attn"), (Words{"moe", "layernorm", "core_attn"}));
    QCOMPARE(recomputedModules("llama3_8b.toml default: selective, op"), Words{"per_op"});
    QCOMPARE(recomputedModules("every other layer"), Words{"every_other_layer"});
    QCOMPARE(recomputedModules("attention core (softmax, dropout)"), Words{"core_attn"});
    QCOMPARE(recomputedModules("recompute selective"), Words{});
    QCOMPARE(percentIn("optimizer state: 25% on CPU"), std::optional(0.25));
    QCOMPARE(groupSize("Megatron FSDP over 64 GPUs"), std::optional(64));
    QVERIFY(!groupSize("FSDP2 (full shard)"));
}

void TestValidation::flopConventions() {
    const Architecture gpt = tinyGpt();
    const double h = 8, layers = 4, vocabulary = 16, s = 6;
    const double gemm = layers * (4 * h * h + 8 * h * h) + vocabulary * h;
    QCOMPARE(publishedFlopsPerToken(PublishedFlops::causal, gpt, s), 6 * gemm + 6 * layers * h * s);
    const double norms = layers * 2 * h + h;
    QCOMPARE(publishedFlopsPerToken(PublishedFlops::full, gpt, s), 6 * (gemm + norms) + 12 * layers * h * s);
    // 72 l h^2 (1 + s/6h + V/12hl) of one token, and 96 l h^2 (1 + s/6h + V/16lh)
    QCOMPARE(publishedFlopsPerToken(PublishedFlops::gptIteration, gpt, s),
             72 * layers * h * h * (1 + s / (6 * h) + vocabulary / (12 * h * layers)));
    QCOMPARE(publishedFlopsPerToken(PublishedFlops::gptRecomputed, gpt, s),
             96 * layers * h * h * (1 + s / (6 * h) + vocabulary / (16 * h * layers)));

    const auto is = [](const char* definition, PublishedFlops convention) {
        return publishedFlops(definition) == convention;
    };
    QVERIFY(is("hardware FLOPs incl. full activation recomputation: F = 96*B*s*l*h^2*(...)",
               PublishedFlops::gptRecomputed));
    QVERIFY(is("hardware FLOPs (recompute counted); MFU of about 0.30", PublishedFlops::gptRecomputed));
    QVERIFY(is("model FLOPs as defined by NeMo (no recompute counted)", PublishedFlops::full));
    QVERIFY(is("Megatron-Bridge \"model TFLOP/s\": attention halved for causality; no recompute counted",
               PublishedFlops::causal));
    QVERIFY(is("", PublishedFlops::causal));
}

void TestValidation::throughputIsTheFirstThatIsThere() {
    PublishedTraining published;
    published.hardware.gpus = 4;
    published.globalBatch = 8;
    published.measured.mfu = 0.5;
    published.measured.mfuPeak = 1e12;
    ScenarioSpec spec;
    spec.workload.sequenceLength = 6;
    spec.workload.globalBatch = 8;
    const Architecture gpt = tinyGpt();
    const double flops = publishedFlopsPerToken(PublishedFlops::causal, gpt, 6) * 8 * 6 / 4;
    auto quantity = publishedThroughput(published, spec, gpt);
    QCOMPARE(quantity->name, std::string("mfu"));
    QCOMPARE(quantity->at(2), flops / 2 / 1e12);
    published.measured.flopsPerSPerGpu = 1;
    quantity = publishedThroughput(published, spec, gpt);
    QCOMPARE(quantity->name, std::string("model_flops_per_s_per_gpu"));
    QCOMPARE(quantity->at(2), flops / 2);
    published.measured.tokensPerS = 24; // of the job
    quantity = publishedThroughput(published, spec, gpt);
    QCOMPARE(quantity->value, 6.0);
    QCOMPARE(quantity->at(2), 8.0 * 6 / 4 / 2);
    published.measured.stepTime = 3;
    quantity = publishedThroughput(published, spec, gpt);
    QCOMPARE(quantity->name, std::string("step_time_s"));
    QCOMPARE(quantity->at(2), 2.0);
    published.globalBatch.reset(); // a step of unknown size says nothing
    QCOMPARE(publishedThroughput(published, spec, gpt)->name, std::string("tokens_per_s_per_gpu"));
}

void TestValidation::frameworksAreKnownByTheirWords() {
    Catalog catalog;
    catalog.frameworks = {{.id = "a", .software = {"Titan"}},
                          {.id = "b", .software = {"Titan ... compile off"}},
                          {.id = "c", .software = {"Titan 2", "FSDP"}}};
    PublishedTraining published;
    const auto known = [&] {
        const Framework* framework = publishedFramework(published, catalog);
        return framework ? framework->id : std::string();
    };
    QCOMPARE(known(), std::string());
    published.software = "titan 1.0";
    QCOMPARE(known(), std::string("a"));
    published.software = "Titan 2.0";
    QCOMPARE(known(), std::string("c")); // the longer one
    published.notes = "Torch: compile off.";
    QCOMPARE(known(), std::string("b"));
    published.software.clear();
    published.parallelism.sharding = "FSDP (Lightning)";
    QCOMPARE(known(), std::string("c"));
}

void TestValidation::classesCountEachSweepOnce() {
    // Sweep s has three rows of 30 % error, sweep t one of 5 %: each weighs one half.
    const std::vector<ValidationRow> rows = {row("1", "s", "x", 0.3, 1 / 3.0),
                                             row("2", "s", "x", 0.3, 1 / 3.0),
                                             row("3", "s", "x", 0.3, 1 / 3.0), row("4", "t", "y", -0.05, 1)};
    const auto summary = summarize(rows);
    QCOMPARE(summary.front().group, std::string("all"));
    const ValidationSummary* all = find(summary, "all");
    QCOMPARE(all->n, 4);
    QCOMPARE(all->groups, 2);
    QVERIFY(std::abs(all->meanAbsError - 0.175) < 1e-12);
    QVERIFY(std::abs(all->medianAbsError - 0.05) < 1e-12);
    QVERIFY(std::abs(all->within10 - 0.5) < 1e-12);
    QVERIFY(std::abs(all->within20 - 0.5) < 1e-12);
    QVERIFY(std::abs(all->bandCoverage - 0.5) < 1e-12); // the bands are 10 % wide each way
    QCOMPARE(find(summary, "gpu x")->n, 3);
    QCOMPARE(find(summary, "gpu y")->bias, -0.05);
    QCOMPARE(find(summary, "GPUs 10-99")->n, 4);
    QVERIFY(!find(summary, "moe") && !find(summary, "at least 1,024 GPUs"));
    QCOMPARE(find(summarizeBy(rows, "group"), "t")->n, 1);
}

void TestValidation::ratesCountAsTimes() {
    ValidationRow rate = row("1", "s", "x", 0.25, 1); // a rate 25 % too high: a time 20 % too short
    rate.quantity = "tokens_per_s_per_gpu";
    const ValidationRow time = asTime(rate);
    QVERIFY(std::abs(time.error + 0.2) < 1e-12);
    QVERIFY(time.low < time.predicted && time.predicted < time.high);
    QVERIFY(std::abs(find(summarize({rate}), "all")->bias + 0.2) < 1e-12);
}

void TestValidation::whatIsNotJudgedStandsApart() {
    ValidationRow incomplete = row("1", "s", "x", 0.5, 1), low = row("2", "s", "x", 0.5, 1),
                  memory = row("3", "s", "x", 0.02, 1), good = row("4", "s", "x", 0.01, 1);
    incomplete.complete = false;
    low.quality = "low";
    memory.quantity = "peak_memory_bytes";
    const auto summary = summarize({incomplete, low, memory, good});
    QCOMPARE(find(summary, "all")->n, 1);
    QCOMPARE(find(summary, "incomplete rows")->n, 2);
    QCOMPARE(find(summary, "all", "peak_memory_bytes")->n, 1);
}

void TestValidation::nearestComesFirst() {
    Catalog catalog;
    Gpu hopper, sister, other;
    hopper.id = "h", hopper.architecture = "Hopper";
    sister.id = "h2", sister.architecture = "Hopper";
    other.id = "b", other.architecture = "Blackwell";
    catalog.gpus = {hopper, sister, other};
    ScenarioSpec spec;
    spec.cluster.custom.gpu = "h";
    spec.workload.architecture = tinyGpt();
    spec.plan.precision = "bf16";
    spec.plan.tensorParallel = 8;
    ValidationReport report;
    const auto add = [&](const char* id, const char* gpu, const char* precision, int tensor) {
        ScenarioSpec each = spec;
        each.cluster.custom.gpu = gpu;
        each.plan.precision = precision;
        each.plan.tensorParallel = tensor;
        report.rows.push_back(row(id, "s", gpu, 0, 1));
        report.rows.back().scenario = std::make_shared<const ScenarioSpec>(each);
    };
    add("generation", "b", "bf16", 8);
    add("degree", "h", "bf16", 4);
    add("part", "h2", "bf16", 8);
    add("same", "h", "bf16", 8);
    add("precision and degree", "h", "fp8", 4);
    report.rows.push_back(report.rows[3]);
    report.rows.back().complete = false;
    const auto nearest = nearestRows(report, spec, catalog, 4);
    std::vector<std::string> ids;
    for (const NearRow& each : nearest)
        ids.push_back(each.row->id);
    QCOMPARE(ids, (std::vector<std::string>{"same", "degree", "part", "precision and degree"}));
    QCOMPARE(nearest[0].distance, 0.0);
    QVERIFY(std::abs(nearest[1].distance - 0.1) < 1e-12);
    QVERIFY(std::abs(nearest[2].distance - 1) < 1e-12);
}

void TestValidation::servingIsSummarizedByQuantity() {
    const auto serving = [](const char* id, const char* quantity, double error, const char* quality) {
        ValidationRow out = row(id, "s", "x", error, 1);
        out.kind = RowKind::serving;
        out.rowKind = "offline";
        out.quantity = quantity;
        out.quality = quality;
        out.framework = "vllm";
        return out;
    };
    const std::vector<ValidationRow> rows = {serving("1", "tpot_s", 0.1, "A"),
                                             serving("2", "tpot_s", 0.3, "B"),
                                             serving("3", "tpot_s", 9, "C"),
                                             serving("1", "output_tokens_per_s", -0.2, "A"),
                                             serving("2", "output_tokens_per_s_per_gpu", -0.2, "A"),
                                             row("4", "t", "x", 0.05, 1)};
    const auto summary = summarize(rows);
    QCOMPARE(find(summary, "all", "tpot_s")->n, 2); // not the one of quality C
    QCOMPARE(find(summary, "quality C", "tpot_s")->n, 1);
    QCOMPARE(find(summary, "engine vllm", "tpot_s")->n, 2);
    QCOMPARE(find(summary, "load offline", "tpot_s")->n, 2);
    // Of the same GPUs, the whole and the share of one are off alike; rates of serving stay rates.
    QCOMPARE(find(summary, "all", "output_tokens_per_s_per_gpu")->n, 2);
    QVERIFY(std::abs(find(summary, "all", "output_tokens_per_s_per_gpu")->bias + 0.2) < 1e-12);
    QCOMPARE(find(summary, "all")->n, 1); // training alone
    QVERIFY(!find(summary, "engine vllm"));
    QCOMPARE(find(summarizeBy(rows, "engine"), "vllm", "tpot_s")->n, 2);
    QVERIFY(!find(summarizeBy(rows, "engine"), "vllm"));
}

void TestValidation::nearestDeploymentsComeFirst() {
    Catalog catalog;
    Gpu hopper;
    hopper.id = "h", hopper.architecture = "Hopper";
    catalog.gpus = {hopper};
    Framework vllm;
    vllm.id = "vllm";
    catalog.engines = {vllm};
    ScenarioSpec spec;
    spec.workload.kind = WorkloadKind::serving;
    spec.workload.architecture = tinyGpt();
    spec.workload.inputTokens = 1000;
    spec.workload.outputTokens = 1000;
    spec.workload.concurrency = 64;
    spec.cluster.custom.gpu = "h";
    spec.plan.engine = "vllm";
    spec.plan.weights = "fp8";
    ValidationReport report;
    const auto add = [&](const char* id, const char* quantity, auto change) {
        ScenarioSpec each = spec;
        change(each);
        report.rows.push_back(row(id, "s", "h", 0, 1));
        report.rows.back().kind = RowKind::serving;
        report.rows.back().quality = "A";
        report.rows.back().quantity = quantity;
        report.rows.back().scenario = std::make_shared<const ScenarioSpec>(each);
    };
    add("engine", "ttft_s", [](ScenarioSpec& s) { s.plan.engine = "sglang"; });
    add("rate", "tpot_s", [](ScenarioSpec& s) {
        s.workload.concurrency.reset();
        s.workload.requestRatePerS = 4;
    });
    add("same", "ttft_s", [](ScenarioSpec&) {});
    add("same", "tpot_s", [](ScenarioSpec&) {});
    add("prompt", "tpot_s", [](ScenarioSpec& s) { s.workload.inputTokens = 2000; });
    report.rows.push_back(row("training", "s", "h", 0, 1));
    report.rows.back().scenario = report.rows[2].scenario;
    const auto nearest = nearestRows(report, spec, catalog, 9);
    std::vector<std::string> found;
    for (const NearRow& each : nearest)
        found.push_back(each.row->id + " " + each.row->quantity);
    QCOMPARE(found,
             (std::vector<std::string>{"same tpot_s", "prompt tpot_s", "engine ttft_s", "rate tpot_s"}));
    QCOMPARE(nearest[0].distance, 0.0);
    QVERIFY(std::abs(nearest[1].distance - 0.15 * std::log(2.0)) < 1e-12);
    spec.workload.kind = WorkloadKind::training;
    QCOMPARE(nearestRows(report, spec, catalog, 9).size(), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestValidation)

} // namespace tst_validation

#include "tst_validation.moc"
