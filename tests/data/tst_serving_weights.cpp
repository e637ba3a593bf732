// SPDX-License-Identifier: GPL-3.0-or-later
// Number formats of served models, what a GPU computes in, and the bytes of weights on each GPU.
#include "data/catalog/catalog_reader.h"
#include "model/plan/serving_weights.h"
#include "model/scenario/fields.h"
#include "model/scenario/scenario.h"
#include "model/serving/number_format.h"

#include <QtTest>

namespace tst_serving_weights {

using namespace alidade;
using namespace alidade::data;

namespace {

const Catalog& catalog() {
    static const std::shared_ptr<const Catalog> loaded = loadShippedCatalog().catalog;
    return *loaded;
}

const Architecture& model(const char* id) {
    const Architecture* found = catalog().model(id);
    if (found == nullptr)
        qFatal("no model %s", id);
    return *found;
}

LayerKinds kindsOf(const Architecture& architecture) { return layerKinds(architecture, 4096); }

StageParameters wholeModel(const Architecture& architecture, int drafts = 0) {
    return stageParameters(architecture, kindsOf(architecture), 1, 0, drafts);
}

WeightPlacement<double> placement(const Architecture& architecture, double tensor, double expertGpus) {
    const WeightFormats formats = weightFormats(architecture, nativeFormat(architecture));
    return {.tensorParallel = tensor,
            .expertGpus = expertGpus,
            .denseBytes = bytesPerWeight(formats.dense),
            .expertBytes = bytesPerWeight(formats.experts)};
}

double bytes(const Architecture& architecture, double tensor = 1, double expertGpus = 1) {
    return servingWeights(wholeModel(architecture), placement(architecture, tensor, expertGpus)).total();
}

constexpr double gib = 1024.0 * 1024 * 1024;

bool near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance * std::abs(b); }

} // namespace

class TestServingWeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wordsAreThoseOfTheFields() {
        for (const char* path : {"plan.weights", "plan.kv_cache", "plan.activations"}) {
            for (const std::string_view word : findField(path)->choices) {
                const auto format = numberFormat(word);
                QVERIFY2(format, std::string(word).c_str());
                QCOMPARE(wordOf(*format), word);
            }
        }
        QVERIFY(!numberFormat("fp7"));
        QVERIFY(!numberFormat("mxfp8")); // no word of a scenario
    }

    void checkpointsHaveTheirPublishedFormat() {
        QCOMPARE(nativeFormat(model("llama-3.1-70b")), NumberFormat::bf16);
        QCOMPARE(nativeFormat(model("deepseek-r1")), NumberFormat::fp8Block128);
        QCOMPARE(nativeFormat(model("gpt-oss-120b")), NumberFormat::mxfp4);
        const WeightFormats oss = weightFormats(model("gpt-oss-120b"), NumberFormat::mxfp4);
        QCOMPARE(oss.dense, NumberFormat::bf16);
        QCOMPARE(oss.experts, NumberFormat::mxfp4);
        const WeightFormats llama = weightFormats(model("llama-3.1-70b"), NumberFormat::nvfp4);
        QCOMPARE(llama.dense, NumberFormat::nvfp4);
        const WeightFormats r1 = weightFormats(model("deepseek-r1"), NumberFormat::fp8Block128);
        QCOMPARE(r1.dense, NumberFormat::fp8Block128);
        QCOMPARE(r1.experts, NumberFormat::fp8Block128);
    }

    /// exclude_modules of NVIDIA's hf_quant_config.json: none but router and output layer (Qwen3-235B), the
    /// inputs of attention (DeepSeek-V3.1), all of attention (Kimi K2.5), and shared experts too (Kimi K2.6).
    void partsOfNvfp4Checkpoints_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("inputs");
        QTest::addColumn<bool>("output");
        QTest::addColumn<bool>("mlp");
        QTest::newRow("Qwen3") << QByteArray("qwen3-235b-a22b") << true << true << true;
        QTest::newRow("DeepSeek") << QByteArray("deepseek-r1") << false << true << true;
        QTest::newRow("Kimi K2.5") << QByteArray("kimi-k2.5") << false << false << true;
        QTest::newRow("Kimi K2.6") << QByteArray("kimi-k2.6") << false << false << false;
        QTest::newRow("Gemma, dense") << QByteArray("gemma-4-31b") << false << false << true;
    }
    void partsOfNvfp4Checkpoints() {
        QFETCH(QByteArray, id);
        const WeightFormats formats = weightFormats(model(id.constData()), NumberFormat::nvfp4);
        const auto isNarrow = [](NumberFormat format) { return format == NumberFormat::nvfp4; };
        QTEST(isNarrow(formats.dense), "inputs");
        QTEST(isNarrow(formats.output), "output");
        QTEST(isNarrow(formats.mlp), "mlp");
        QCOMPARE(formats.experts, NumberFormat::nvfp4);
    }

    /// DeepSeek-R1 in NVFP4: 61 output projections of 128 x 128 to 7,168, three dense MLPs of 18,432 and 58
    /// shared experts of 2,048 columns leave the 16-bit part, and nothing else does.
    void narrowPartsOfDeepSeek() {
        const Architecture& r1 = model("deepseek-r1");
        const StageParameters plain = wholeModel(r1);
        const StageParameters parts =
            stageParameters(r1, kindsOf(r1), 1, 0, 0, 1, {.mlp = true, .output = true});
        const double h = 7168, output = 61 * 128 * 128 * h, mlp = 3 * h * (3 * 18432 + 58 * 2048.0);
        QCOMPARE(parts.narrow, output + mlp);
        QCOMPARE(parts.split, plain.split - output - mlp);
        QCOMPARE(parts.experts, plain.experts);
        const WeightPlacement<double> at{
            .tensorParallel = 8, .expertGpus = 8, .denseBytes = 2, .expertBytes = 0.5};
        QVERIFY(near(servingWeights(plain, at).total() - servingWeights(parts, at).total(),
                     1.5 * (output + mlp) / 8, 1e-9));
    }

    void aGpuComputesInWhatItHas_data() {
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("activations");
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("weightOnly");
        const auto row = [](const char* gpu, const char* weights, const char* activations, const char* format,
                            bool weightOnly = false) {
            QTest::addRow("%s %s %s", gpu, weights, activations)
                << QString::fromUtf8(gpu) << QString::fromUtf8(weights) << QString::fromUtf8(activations)
                << QString::fromUtf8(format) << weightOnly;
        };
        row("h100-sxm", "bf16", "", "bf16");
        row("h100-sxm", "fp8", "", "fp8");
        row("h100-sxm", "fp8_block", "", "fp8_block");
        row("l40s", "fp8", "", "fp8");
        row("a100-80gb-sxm", "fp8", "", "bf16", true); // no FP8 units before Ada
        row("h100-sxm", "fp8", "bf16", "bf16", true);
        row("h100-sxm", "bf16", "fp8", "bf16");
        row("h200-sxm", "mxfp4", "", "bf16", true);
        row("b200-sxm", "mxfp4", "", "mxfp8");
        row("b200-sxm", "mxfp4", "nvfp4", "nvfp4");
        row("b200-sxm", "mxfp4", "bf16", "bf16", true);
        row("b200-sxm", "nvfp4", "", "nvfp4");
        row("gb300", "nvfp4", "", "nvfp4");
        row("gb300", "nvfp4", "fp8", "fp8");
        row("h100-sxm", "nvfp4", "", "bf16", true);
        row("h100-sxm", "nvfp4", "fp8", "fp8", true); // widened to eight bits
        row("b200-sxm", "int4", "", "bf16", true);
        row("b200-sxm", "int4", "int4", "bf16", true);
        row("b200-sxm", "fp8", "nvfp4", "fp8");
    }
    void aGpuComputesInWhatItHas() {
        QFETCH(QString, gpu);
        QFETCH(QString, weights);
        QFETCH(QString, activations);
        QFETCH(QString, format);
        QFETCH(bool, weightOnly);
        const Gpu& part = *catalog().gpu(gpu.toStdString());
        const auto arithmetic = gemmArithmetic(*numberFormat(weights.toStdString()),
                                               numberFormat(activations.toStdString()), part);
        QVERIFY(arithmetic);
        QCOMPARE(QByteArray::fromStdString(std::string(wordOf(arithmetic->format))), format.toUtf8());
        QCOMPARE(arithmetic->weightOnly, weightOnly);
        const auto peak = bitsOf(arithmetic->format) == 16  ? part.bf16
                          : bitsOf(arithmetic->format) == 8 ? part.fp8
                                                            : part.fp4;
        QCOMPARE(arithmetic->peak.si(), peak->si());
        QVERIFY(arithmetic->operandBytes <= 2);
    }

    void aGpuWithoutBfloat16ComputesInHalf() {
        const Gpu& t4 = *catalog().gpu("t4");
        QVERIFY(!t4.bf16);
        QCOMPARE(gemmArithmetic(NumberFormat::bf16, {}, t4)->peak.si(), t4.fp16->si());
        QVERIFY(!gemmArithmetic(NumberFormat::bf16, {}, Gpu{}));
    }

    /// Table 1 of the gpt-oss model card (arXiv 2508.10925): 60.8 and 12.8 GiB.
    void checkpointsHaveTheirPublishedSize() {
        QVERIFY2(near(bytes(model("gpt-oss-120b")), 60.8 * gib, 0.01),
                 QByteArray::number(bytes(model("gpt-oss-120b")) / gib).constData());
        QVERIFY2(near(bytes(model("gpt-oss-20b")), 12.8 * gib, 0.01),
                 QByteArray::number(bytes(model("gpt-oss-20b")) / gib).constData());
    }

    /// What engines print when they have loaded a model.
    void loadedModelsHaveTheirPublishedSize() {
        // DeepSeek-R1 on 8 devices: HabanaAI/vllm-fork issue 809.
        QVERIFY(near(bytes(model("deepseek-r1"), 8, 8), 79.41 * gib, 0.01));
        // gpt-oss-120b on one H100: vllm-project/vllm issue 33155.
        const Architecture& oss = model("gpt-oss-120b");
        const double padding = expertPadding(oss, NumberFormat::mxfp4, 1);
        const StageParameters padded = stageParameters(oss, kindsOf(oss), 1, 0, 0, padding);
        QVERIFY(near(servingWeights(padded, placement(oss, 1, 1)).total(), 64.38 * gib, 0.01));
        QVERIFY(expertPadding(oss, NumberFormat::mxfp4, 8) > padding); // 360 columns become 512
        QCOMPARE(expertPadding(oss, NumberFormat::bf16, 1), 1.0);
        QCOMPARE(expertPadding(model("llama-3.1-8b"), NumberFormat::mxfp4, 1), 1.0);
    }

    void everyParameterIsCountedOnce() {
        for (const Architecture& each : catalog().models) {
            const StageParameters all = wholeModel(each);
            const ParameterCount count = countParameters(each);
            const double sum =
                all.split + all.keyValue + all.whole + all.experts + all.sixteenBit + all.vocabulary;
            QVERIFY2(near(sum, static_cast<double>(count.total), 1e-3), each.id.c_str());
            QCOMPARE(all.experts, static_cast<double>(count.experts));
        }
    }

    void stagesAddUpToTheModel() {
        for (const char* id : {"llama-3.1-70b", "deepseek-r1", "gpt-oss-120b"}) {
            const Architecture& each = model(id);
            const WeightPlacement<double> at = placement(each, 2, 4);
            double sum = 0, most = 0;
            for (int stage = 0; stage < 5; ++stage) {
                const double one = servingWeights(stageParameters(each, kindsOf(each), 5, stage), at).total();
                sum += one;
                most = std::max(most, one);
            }
            QVERIFY(near(sum, bytes(each, 2, 4)));
            QCOMPARE(servingWeights(heaviestStage(each, kindsOf(each), 5, at), at).total(), most);
        }
    }

    /// DeepSeek-R1 in two stages: 30 layers, three of them dense, and 31. On 128 GPUs a stage what the second
    /// one has more, attention of a layer and 4 layers of experts, is 0.7 GB in FP8, less than the 1.2 GB of
    /// three dense layers of 18,432 columns; on 8 GPUs the 4 layers of experts alone are 5.6 GB.
    void expertsOnManyGpusWeighLess() {
        const double ofLayer = 256 * 3.0 * 7168 * 2048;
        for (const auto& [gpus, layers] : {std::pair(128, 27), std::pair(8, 31)}) {
            ScenarioSpec spec;
            spec.workload.kind = WorkloadKind::serving;
            spec.workload.model = "deepseek-r1";
            spec.workload.inputTokens = 1000;
            spec.workload.outputTokens = 100;
            spec.workload.requestRatePerS = 1;
            spec.cluster.instance = "p5en.48xlarge";
            spec.cluster.instances = 2 * gpus / 8;
            spec.plan.engine = "sglang";
            spec.plan.weights = "fp8_block";
            spec.plan.tensorParallel = 1;
            spec.plan.attentionDataParallel = spec.plan.expertParallel = gpus;
            spec.plan.pipelineParallel = 2;
            const auto scenario = resolve(spec, catalog(), catalog().defaultProfile);
            QVERIFY2(scenario, scenario ? "" : scenario.error().c_str());
            QCOMPARE(scenario->pools.front().plan.heaviest.experts, layers * ofLayer);
        }
    }

    void keysAndValuesAreCopiedBeyondOneHeadAGpu() {
        const Architecture& llama = model("llama-3.1-70b");
        const StageParameters all = wholeModel(llama);
        QCOMPARE(all.keyValue, 80 * 2.0 * 8192 * 8 * 128); // layers, K and V, 8 heads of 128
        const double eight = bytes(llama, 8), sixteen = bytes(llama, 16);
        QVERIFY(near(eight, (bytes(llama) - 2 * all.sixteenBit) / 8 + 2 * all.sixteenBit));
        const double copied = 2 * all.keyValue / 8;
        QVERIFY(near(sixteen - 2 * all.sixteenBit - copied, (eight - 2 * all.sixteenBit - copied) / 2));
    }

    void latentDownProjectionsStandOnEveryGpu() {
        const Architecture& r1 = model("deepseek-r1");
        const StageParameters all = wholeModel(r1);
        const double far = bytes(r1, 1e9, 1e9); // what no division takes away
        const double kept = bytesPerWeight(NumberFormat::fp8Block128) * all.whole + 2 * all.sixteenBit;
        QVERIFY(near(far, kept, 1e-3));
        QCOMPARE(all.whole,
                 61 * 7168.0 * (1536 + 512 + 64)); // layers; ranks of queries and of keys, rotary part
    }

    void draftModulesAreKeptWhereTheyAreUsed() {
        const Architecture& r1 = model("deepseek-r1");
        const StageParameters without = wholeModel(r1), with = wholeModel(r1, 1);
        QVERIFY(with.experts > without.experts && with.split > without.split);
        QCOMPARE(wholeModel(r1, 9).experts, with.experts); // there is one
        QCOMPARE(wholeModel(model("llama-3.1-8b"), 1).split, wholeModel(model("llama-3.1-8b")).split);
    }

    void tiedTablesAreKeptOnceOnAGpuAndTwiceOnTwoStages() {
        const Architecture& tied = model("llama-3.2-1b");
        QVERIFY(tied.tieEmbeddings);
        const double table = 1.0 * tied.vocabSize * tied.hiddenSize;
        QCOMPARE(wholeModel(tied).vocabulary, table);
        QCOMPARE(stageParameters(tied, kindsOf(tied), 2, 0).vocabulary, table);
        QCOMPARE(stageParameters(tied, kindsOf(tied), 2, 1).vocabulary, table);
    }

    void theRecordedFigureIsTheSame() {
        const Architecture& r1 = model("deepseek-r1");
        Trace trace;
        const auto leaf = [&](double value, const char* name) {
            return Traced::leaf(trace, value, name, Dimension::number, "test", SourceKind::user);
        };
        const WeightPlacement<double> plain = placement(r1, 4, 32);
        const WeightPlacement<Traced> traced{.tensorParallel = leaf(4, "tensor_parallel"),
                                             .expertGpus = leaf(32, "expert_gpus"),
                                             .denseBytes = leaf(plain.denseBytes, "dense_bytes"),
                                             .expertBytes = leaf(plain.expertBytes, "expert_bytes")};
        QCOMPARE(servingWeights(wholeModel(r1), traced).total().value(),
                 servingWeights(wholeModel(r1), plain).total());
    }
};

QTEST_APPLESS_MAIN(TestServingWeights)

} // namespace tst_serving_weights

#include "tst_serving_weights.moc"
