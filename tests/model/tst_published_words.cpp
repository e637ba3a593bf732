// SPDX-License-Identifier: GPL-3.0-or-later
// Small words of publications: layouts of pipelines, modules, numbers, how FLOP are counted; rows as
// scenarios.
#include "model/validation/published_layout.h"
#include "model/validation/published_quantity.h"
#include "model/validation/published_scenario.h"
#include "tests/model/fitted_catalog.h"
#include "tests/model/published_rows.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <functional>

namespace tst_published_words {

using namespace alidade;
using namespace alidade::tests;

namespace {

PublishedTraining denseRow() {
    PublishedTraining row = rowOf8Ranks(8, 1, 1);
    row.model.vocab = 128256;
    row.model.sequenceLength = 8192;
    row.globalBatch = 16;
    row.microBatch = 1;
    row.software = "Megatron-Core";
    return row;
}

} // namespace

class TestPublishedWords : public QObject {
    Q_OBJECT

private slots:
    void layouts_data() {
        QTest::addColumn<QString>("layout");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("layers");
        QTest::addColumn<std::vector<std::int64_t>>("split");
        const auto add = [](const char* layout, int stages, int layers, std::vector<std::int64_t> split) {
            QTest::addRow("%s over %d", layout, stages)
                << QString::fromLatin1(layout) << stages << layers << split;
        };
        add("Et|t", 2, 2, {1, 1});
        add("Et|tt|t|tttL", 2, 7, {2, 5}); // virtual stages 0 and 2, 1 and 3
        add("Et*3|t*2L", 2, 5, {3, 2});
        add("(t|)*3t", 4, 4, {1, 1, 1, 1});
        add("(tt|)*2(t|)*2", 4, 6, {2, 2, 1, 1});
        add("((t*2|)*2)*2", 4, 8, {2, 2, 2, 2});
        add("t*12", 1, 12, {12});
        add("t*1", 1, 1, {1});
        add("t", 1, 1, {1});
        add("t*1000", 1, 1000, {1000});
        // What is no layout, or one of another model.
        add("t*1001", 1, 1001, {});
        add("t*0", 1, 0, {});
        add("t*", 1, 1, {});
        add("t*x", 1, 1, {});
        add("(t", 1, 1, {});
        add("()", 1, 0, {});
        add("t)", 1, 1, {});
        add("", 1, 0, {});
        add("t", 0, 1, {});
        add("t", -1, 1, {});
        add("tt", 1, 3, {});
    }
    void layouts() {
        QFETCH(QString, layout);
        QFETCH(int, stages);
        QFETCH(int, layers);
        QFETCH(std::vector<std::int64_t>, split);
        QCOMPARE(layersOfStages(layout.toStdString(), stages, layers), split);
    }

    /// 100,000 letters are enough for any model; more are a mistake.
    void longLayouts() {
        QCOMPARE(layersOfStages("(t*1000)*100", 1, 100'000), (std::vector<std::int64_t>{100'000}));
        QVERIFY(layersOfStages("(t*1000)*101", 1, 101'000).empty());
        QVERIFY(layersOfStages("(t*1000)*100t", 1, 100'001).empty());
    }

    void modules_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("modules");
        for (const auto& [words, modules] : {std::pair("per-op", "per_op"),
                                             {"selective (op)", "per_op"},
                                             {"Selective, op", "per_op"},
                                             {"Every other layer", "every_other_layer"},
                                             {"attention core", "core_attn"},
                                             {"saves linear outputs only", "core_attn"},
                                             {"mlp", "mlp"},
                                             {"moe_act,mlp", "moe_act, mlp"},
                                             {"mla_up_proj; shared_experts", "mla_up_proj, shared_experts"},
                                             // Words of scenario files that are not Megatron's, or not known.
                                             {"norms and glu", ""},
                                             {"core_attention", ""},
                                             {"Mlp", ""},
                                             {"", ""}}) {
            QTest::newRow(*words != '\0' ? words : "nothing") << words << modules;
        }
    }
    void modules() {
        QFETCH(QString, words);
        QTEST(joined(recomputedModules(words.toStdString())), "modules");
    }

    void numbersAmongWords() {
        QCOMPARE(percentIn("5 % of it"), std::nullopt); // no digit right before it
        QCOMPARE(percentIn("some, 30% of 100%"), std::optional(0.3));
        QCOMPARE(percentIn("9%"), std::optional(0.09));
        QCOMPARE(percentIn("100%"), std::optional(1.0));
        QCOMPARE(percentIn("none"), std::nullopt);
        QCOMPARE(numberAfter("LoRA rank 16, alpha 32", "LoRA rank "), std::optional(16));
        QCOMPARE(numberAfter("LoRA rank high", "LoRA rank "), std::nullopt);
        QCOMPARE(numberAfter("rank 16", "LoRA rank "), std::nullopt);
        QCOMPARE(groupSize("FSDP over 8 GPUs, FSDP over 4"), std::optional(8));
    }

    void countingOfFlops_data() {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("convention");
        const auto add = [](const char* words, PublishedFlops convention) {
            QTest::newRow(words) << words << static_cast<int>(convention);
        };
        add("72*B*l*s*h^2*(1 + ...)", PublishedFlops::gptIteration);
        add("\"up to\" 147 TFLOP/s", PublishedFlops::gptRecomputed);
        add("6N + 12*L*H*head_dim*S", PublishedFlops::full);
        add("(6N + 12*L*d*S) per token", PublishedFlops::allParameters);
        add("attention not halved", PublishedFlops::full);
        add("attention counted in full", PublishedFlops::full);
        add("without causal halving", PublishedFlops::full);
        add("as printed by Megatron-LM", PublishedFlops::full);
        add("(recompute counted)", PublishedFlops::gptRecomputed);
        add("(no recompute counted)", PublishedFlops::causal);
        // The first of the known words decides.
        add("72*B*l*s*h^2, (recompute counted)", PublishedFlops::gptRecomputed);
        add("72*B*l*s*h^2, (no recompute counted)", PublishedFlops::gptIteration);
    }
    void countingOfFlops() {
        QFETCH(QString, words);
        QTEST(static_cast<int>(publishedFlops(words.toStdString())), "convention");
    }

    /// 6 N with the embedding of 16 x 8, and full attention, on a GPT of 4 layers of width 8.
    void flopsOfAllParameters() {
        Architecture gpt;
        gpt.layers = 4;
        gpt.hiddenSize = 8;
        gpt.attentionHeads = gpt.kvHeads = 2;
        gpt.headDim = 4;
        gpt.ffnIntermediateSize = 32;
        gpt.ffnGated = false;
        gpt.vocabSize = 16;
        const double layer = 4 * 8 * 8 + 2 * 8 * 32 + 2 * 8; // attention, MLP, two norms
        QCOMPARE(publishedFlopsPerToken(PublishedFlops::allParameters, gpt, 6),
                 6 * (4 * layer + 8 + 2 * 16 * 8) + 12 * 4 * 2 * 4 * 6);
    }

    void throughputOfARow() {
        PublishedTraining row = denseRow();
        const PublishedScenario scenario = publishedScenario(row, fittedCatalog());
        QVERIFY(scenario.spec);
        const auto of = [&] { return publishedThroughput(row, *scenario.spec, scenario.architecture); };
        QVERIFY(!of());
        row.measured.hfu = 0.5;
        QVERIFY(!of()); // of what, is not said
        row.measured.mfuPeak = 1e15;
        QCOMPARE(of()->name, std::string("mfu"));
        QCOMPARE(of()->value, 0.5);
        row.measured.mfu = 0.4;
        QCOMPARE(of()->value, 0.4);
        row.measured.tokensPerS = 800;
        QCOMPARE(of()->value, 100.0); // of 8 GPUs
        QCOMPARE(of()->timesStep, 16.0 * 8192 / 8);
        row.measured.tokensPerSPerGpu = 90;
        QCOMPARE(of()->value, 90.0);
        row.hardware.gpus.reset();
        QCOMPARE(of()->timesStep, 16.0 * 8192);
        row.measured.stepTime = 2;
        row.globalBatch.reset();
        QCOMPARE(of()->name, std::string("tokens_per_s_per_gpu"));
        row.tokensPerStep = 1e5;
        QCOMPARE(of()->name, std::string("step_time_s"));
        QCOMPARE(of()->value, 2.0);
        QCOMPARE(of()->timesStep, 0.0);
        QCOMPARE((PublishedQuantity{.name = "a rate", .value = 1, .timesStep = 6}.at(2)), 3.0);
    }

    void rowsAsScenarios() {
        const Catalog catalog = fittedCatalog();
        PublishedTraining row = denseRow();
        PublishedScenario scenario = publishedScenario(row, catalog);
        QVERIFY(scenario.spec && scenario.complete);
        QCOMPARE(*scenario.spec->name, std::string("row"));
        QCOMPARE(scenario.spec->workload.kind, std::optional(WorkloadKind::training));
        QCOMPARE(scenario.spec->workload.sequenceLength, std::optional<std::int64_t>(8192));
        QCOMPARE(scenario.spec->workload.model, std::optional<std::string>("llama-3.1-8b"));
        QVERIFY(!scenario.spec->workload.architecture);
        QCOMPARE(scenario.framework->id, std::string("megatron-core"));
        QVERIFY(scenario.assumed.empty());
        row.inferred = {"batch.gbs", "batch.mbs", "precision", "parallelism.tp", "parallelism.pp", "notes"};
        scenario = publishedScenario(row, catalog);
        QCOMPARE(
            joined(scenario.assumed),
            QStringLiteral("plan.micro_batch, workload.global_batch, plan.precision, plan.tensor_parallel, "
                           "plan.pipeline_parallel"));
        row.model.vocab = 1000;
        scenario = publishedScenario(row, catalog);
        QVERIFY(!scenario.spec->workload.model);
        QCOMPARE(scenario.spec->workload.architecture->vocabSize, 1000);
        row.software = "own code";
        QVERIFY(!publishedScenario(row, catalog).framework);
    }

    /// The first that is missing is said, of length, model, machine and plan in this order.
    void whatIsMissing() {
        const Catalog catalog = fittedCatalog();
        PublishedTraining row = denseRow();
        row.parallelism.tensor.reset();
        const auto lacks = [&] {
            const PublishedScenario scenario = publishedScenario(row, catalog);
            return scenario.spec ? std::string("nothing") : scenario.lacks;
        };
        QCOMPARE(lacks(), std::string("the source does not give the degree of tensor parallelism"));
        row.hardware.gpu = "TPU";
        QCOMPARE(lacks(), std::string("the catalog has no GPU 'TPU'; add a catalog entry of that id"));
        row.model.name = "GPT";
        QCOMPARE(lacks(), std::string("the source does not give the number of layers of the model"));
        row.model.sequenceLength.reset();
        QCOMPARE(lacks(), std::string("the source does not give the sequence length"));
    }

    void completeRows() {
        using Clear = std::function<void(PublishedTraining&)>;
        for (const Clear& clear :
             {Clear([](auto& r) { r.globalBatch.reset(); }), Clear([](auto& r) { r.microBatch.reset(); }),
              Clear([](auto& r) { r.parallelism.tensor.reset(); }),
              Clear([](auto& r) { r.parallelism.pipeline.reset(); }),
              Clear([](auto& r) { r.parallelism.context.reset(); }),
              Clear([](auto& r) { r.parallelism.data.reset(); }),
              Clear([](auto& r) { r.precision.clear(); })}) {
            PublishedTraining row = denseRow();
            clear(row);
            QVERIFY(!publishedScenario(row, fittedCatalog()).complete);
        }
    }

    /// By its words for the software, else for the sharding, else by the title.
    void wordsForTheSoftware() {
        const Catalog catalog = fittedCatalog();
        PublishedTraining row;
        row.source.title = "DeepSpeed, a paper";
        QCOMPARE(publishedFramework(row, catalog)->id, std::string("deepspeed"));
        row.parallelism.sharding = "torchtitan";
        QCOMPARE(publishedFramework(row, catalog)->id, std::string("torchtitan"));
        row.software = "Megatron-Core";
        QCOMPARE(publishedFramework(row, catalog)->id, std::string("megatron-core"));
        PublishedServing serving;
        serving.engine = "SGLang";
        QCOMPARE(publishedEngine(serving, catalog)->id, std::string("sglang-0.5.9"));
        serving.engine.clear();
        serving.engineVersion = "vLLM 0.9";
        QCOMPARE(publishedEngine(serving, catalog)->id, std::string("vllm"));
        serving.engine = "TGI";
        QVERIFY(!publishedEngine(serving, catalog));
    }

    void rowsOfSeveralFiles() {
        PublishedRows all;
        QVERIFY(all.empty());
        const auto filled = [](auto PublishedRows::* member) {
            PublishedRows rows;
            (rows.*member).resize(2);
            return rows;
        };
        const auto verify = [&](auto PublishedRows::* member) {
            QVERIFY(!filled(member).empty());
            all.append(filled(member));
            all.append(filled(member));
            QCOMPARE((all.*member).size(), std::size_t{4});
        };
        verify(&PublishedRows::training);
        verify(&PublishedRows::collectives);
        verify(&PublishedRows::serving);
        verify(&PublishedRows::finetune);
        verify(&PublishedRows::reinforcement);
        verify(&PublishedRows::runs);
    }
};

QTEST_APPLESS_MAIN(TestPublishedWords)

} // namespace tst_published_words

#include "tst_published_words.moc"
