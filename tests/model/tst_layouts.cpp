// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/layouts.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tst_layouts {

using namespace alidade;
using namespace alidade::test;

namespace {

using Numbers = std::vector<int>;
using Words = std::vector<std::string>;

/// 16 GPUs in domains of 8, 64 sequences of 4,096 tokens; 32 layers, 32 heads, 8 of keys and values.
Scenario scenarioOf() {
    Scenario out;
    Architecture& model = out.model;
    model.layers = 32;
    model.hiddenSize = 4096;
    model.attentionHeads = 32;
    model.kvHeads = 8;
    model.headDim = 128;
    model.ffnIntermediateSize = 14'336;
    model.vocabSize = 128'000;
    out.inputs[Input::gpus] = 16;
    out.inputs[Input::globalBatch] = 64;
    out.inputs[Input::sequenceLength] = 4096;
    out.inputs[Input::capacity] = 8e10;
    out.nvlinkDomain = 8;
    return out;
}

void addExperts(Scenario& scenario, int experts) {
    MoeShape moe;
    moe.routedExperts = experts;
    moe.expertsPerToken = 2;
    moe.expertIntermediateSize = 2048;
    scenario.model.moe = moe;
}

bool divides(const Scenario& scenario, const Layout& layout, const ScenarioSpec& spec = {}) {
    return LayoutSpace(spec, scenario).divides(layout);
}

const std::string& textOf(const Edit& edit, const char* path) {
    static const std::string none = "(none)";
    for (const auto& [field, text] : edit)
        if (field == path)
            return text;
    return none;
}

} // namespace

/// Which layouts are worth trying.
class TestLayouts : public QObject {
    Q_OBJECT

private slots:
    void recomputationFromNoneToAll() {
        Architecture model;
        QCOMPARE(recomputeLadder(model), (Words{"none", "norms", "norms, glu", "full"}));
        model.ffnGated = false;
        QCOMPARE(recomputeLadder(model), (Words{"none", "norms", "core_attention", "full"}));
        model.moe = MoeShape{};
        QCOMPARE(recomputeLadder(model), (Words{"none", "norms", "norms, moe_act", "full"}));
        model.mla = MlaShape{};
        QCOMPARE(recomputeLadder(model), (Words{"none", "norms", "norms, moe_act, mla_up_proj", "full"}));
    }

    void numbersOfStages() {
        QCOMPARE(pipelineDegrees(16, 32), (Numbers{1, 2, 4, 8, 16}));
        QCOMPARE(pipelineDegrees(1000, 36), (Numbers{1, 2, 3, 4, 6, 8, 9, 12, 16, 18, 32, 36}));
        QCOMPARE(pipelineDegrees(5, 36), (Numbers{1, 2, 3, 4}));
        QCOMPARE(pipelineDegrees(1000, 130).back(), 64); // at most 64; 65 divides, too
        QCOMPARE(pipelineDegrees(4, 3), (Numbers{1, 2, 3}));
    }

    void theGpusAreDealtToWholeReplicas() {
        const Scenario s = scenarioOf();
        QVERIFY(divides(s, {.tensor = 8, .pipeline = 2}));
        QVERIFY(!divides(s, {.tensor = 8, .pipeline = 4})); // 32 ranks of 16
        QVERIFY(!divides(s, {.pipeline = 3}));
        QVERIFY(divides(s, {.tensor = 2, .context = 2, .pipeline = 4}));
        QCOMPARE((Layout{.tensor = 2, .context = 3, .pipeline = 5}).ranks(), 30);
        Scenario odd = s;
        odd.inputs[Input::globalBatch] = 24; // of 16 replicas, no; of 8, yes
        QVERIFY(!divides(odd, {}) && divides(odd, {.tensor = 2}));
    }

    void headsAndWidths() {
        Scenario s = scenarioOf();
        s.inputs[Input::gpus] = 96;
        s.inputs[Input::globalBatch] = 96;
        QVERIFY(!divides(s, {.tensor = 3}) && divides(s, {.tensor = 32}));
        s.model.ffnIntermediateSize = 14'336 + 8; // 8 x 1793
        QVERIFY(divides(s, {.tensor = 8}) && !divides(s, {.tensor = 16}));
        s = scenarioOf();
        s.model.kvHeads = 3; // neither divides the other
        QVERIFY(!divides(s, {.tensor = 2}) && divides(s, {}));
        s.model.mla = MlaShape{};
        QVERIFY(divides(s, {.tensor = 2}));
        s.model.mla.reset();
        s.model.kvHeads = 0;
        QVERIFY(divides(s, {.tensor = 2}));
        s.model.kvHeads = 2;
        QVERIFY(divides(s, {.tensor = 4}));
        s.model.kvHeads = 4;
        QVERIFY(divides(s, {.tensor = 2}));
    }

    void sequences() {
        Scenario s = scenarioOf();
        s.inputs[Input::sequenceLength] = 4098; // 2 x 2049
        QVERIFY(divides(s, {}) && divides(s, {.tensor = 2}) && !divides(s, {.tensor = 4}));
        ScenarioSpec whole;
        whole.plan.sequenceParallel = false;
        QVERIFY(divides(s, {.tensor = 4}, whole));
        s.inputs[Input::sequenceLength] = 4100; // 4 x 1025: each context rank takes two parts
        QVERIFY(divides(s, {.context = 2}) && !divides(s, {.context = 4}));
    }

    void stagesAndChunks() {
        Scenario s = scenarioOf();
        s.model.layers = 6;
        QVERIFY(divides(s, {.pipeline = 4}) && !divides(s, {.pipeline = 8}));
        // Embedding and head may be chunks of their own: 8 for 6 layers.
        QVERIFY(divides(s, {.pipeline = 4, .chunks = 2}) && !divides(s, {.pipeline = 4, .chunks = 3}));
        QVERIFY(divides(s, {.pipeline = 2, .chunks = 4}) && !divides(s, {.pipeline = 2, .chunks = 5}));
        const LayoutSpace space({}, s);
        QCOMPARE(space.chunkChoices({}), Numbers{1}); // no pipeline, no chunks
        // Of 2 stages: 3 chunks hold the 6 layers, 2 and 4 the 8 with both ends.
        QCOMPARE(space.chunkChoices({.pipeline = 2}), (Numbers{1, 2, 3, 4}));
        s.model.layers = 32;
        // 2: 2, 4, 8 and 16 by layers; none by 34 = 2 x 17. The most, the fewest and the one in the middle.
        QCOMPARE(LayoutSpace({}, s).chunkChoices({.pipeline = 2}), (Numbers{1, 2, 8, 16}));
        QCOMPARE(LayoutSpace({}, s).chunkChoices({.pipeline = 16}), (Numbers{1, 2}));
        s.model.layers = 61;
        s.model.mtpLayers = 1; // 64 slots
        QCOMPARE(LayoutSpace({}, s).chunkChoices({.pipeline = 4}),
                 (Numbers{1, 2, 4, 8})); // 16 would be 64 > 63
        s.model.mtpLayers = 0;
        QCOMPARE(LayoutSpace({}, s).chunkChoices({.pipeline = 4}), Numbers{1});
    }

    void lengthsThatAreSplit() {
        Scenario s = scenarioOf();
        const auto choices = [&s](double length) {
            s.inputs[Input::sequenceLength] = length;
            return LayoutSpace({}, s).contextChoices();
        };
        QCOMPARE(choices(32'767), Numbers{1});
        QCOMPARE(choices(32'768), (Numbers{1, 2, 4})); // parts of at least 8,192
        QCOMPARE(choices(65'535), (Numbers{1, 2, 4}));
        QCOMPARE(choices(65'536), (Numbers{1, 2, 4, 8}));
        QCOMPARE(choices(1'048'576), (Numbers{1, 2, 4, 8, 16}));
    }

    void degreesOfExperts() {
        Scenario s = scenarioOf();
        s.inputs[Input::gpus] = 64;
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), Numbers{1});
        addExperts(s, 64);
        // The largest inside a domain of 8, and those of twice and four times as many.
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), (Numbers{8, 16, 32}));
        QCOMPARE(LayoutSpace({}, s).expertChoices({.pipeline = 4}), (Numbers{8, 16}));
        s.model.moe->routedExperts = 8;
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), Numbers{8});
        s.nvlinkDomain = 1;
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), (Numbers{1, 2, 4}));
        s.model.moe->routedExperts = 12; // 8 does not divide them
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), (Numbers{1, 2, 4}));
        s.nvlinkDomain = 8;
        QCOMPARE(LayoutSpace({}, s).expertChoices({}), Numbers{4});
    }

    /// Weights and gradients of 2 + 4 bytes a parameter that only tensor and pipeline parallelism divide.
    void whatMayFit() {
        Scenario s = scenarioOf();
        s.inputs[Input::weightBytes] = 2;
        s.inputs[Input::gradientBytes] = 4;
        // Untied embeddings 2 x 128,000 x 4,096; a layer has 4,096 x (2 x 4,096 + 2 x 1,024) of attention,
        // 3 x 4,096 x 14,336 of MLP and two norms; one more at the end.
        const double parameters = 2.0 * 128'000 * 4096 +
                                  32 * (4096.0 * (2 * 4096 + 2 * 1024) + 3.0 * 4096 * 14'336 + 2 * 4096) +
                                  4096;
        s.inputs[Input::capacity] = 6 * parameters;
        QVERIFY(LayoutSpace({}, s).mayFit({}));
        s.inputs[Input::capacity] = 6 * parameters * 0.999;
        QVERIFY(!LayoutSpace({}, s).mayFit({}));
        s.inputs[Input::capacity] = 6 * parameters / 8 * 1.001;
        QVERIFY(LayoutSpace({}, s).mayFit({.tensor = 4, .pipeline = 2}));
        QVERIFY(!LayoutSpace({}, s).mayFit({.tensor = 4}) &&
                !LayoutSpace({}, s).mayFit({.tensor = 2, .pipeline = 2}));
        // ZeRO-2 shards the gradients, a frozen model has none.
        s.plan.sharding = Sharding::zero2;
        s.inputs[Input::capacity] = 2 * parameters * 1.001;
        QVERIFY(LayoutSpace({}, s).mayFit({}));
        s.inputs[Input::capacity] = 2 * parameters * 0.999;
        QVERIFY(!LayoutSpace({}, s).mayFit({}));
        s.plan.sharding = Sharding::zero3; // the replicas divide everything
        QVERIFY(LayoutSpace({}, s).mayFit({}));
        // Experts are divided by their own degree.
        s = scenarioOf();
        s.inputs[Input::weightBytes] = 2;
        addExperts(s, 16);
        s.model.ffnIntermediateSize = 0;
        const double experts = 32.0 * 16 * 3 * 4096 * 2048;
        s.inputs[Input::capacity] = 2 * experts / 8 + 2 * 3e9;
        QVERIFY(!LayoutSpace({}, s).mayFit({}) && !LayoutSpace({}, s).mayFit({.expert = 4}));
        QVERIFY(LayoutSpace({}, s).mayFit({.expert = 8}));
    }

    void shapesInOrder() {
        const Scenario s = scenarioOf();
        const LayoutSpace space({}, s);
        std::vector<std::pair<int, int>> expected, found;
        for (const int ranks : {1, 2, 4, 8, 16})
            for (const int t : {1, 2, 4, 8})
                if (ranks % t == 0)
                    expected.emplace_back(t, ranks / t);
        for (const Layout& each : space.shapes()) {
            found.emplace_back(each.tensor, each.pipeline);
            QVERIFY(each.context == 1 && each.chunks == 1 && each.expert == 1);
        }
        QCOMPARE(found, expected);
    }

    void layoutsAsEdits() {
        Architecture dense, moe;
        moe.moe = MoeShape{};
        const Layout layout{.tensor = 8, .context = 2, .pipeline = 4, .chunks = 3, .expert = 16};
        QCOMPARE(editOf(layout, dense, "norms"), (Edit{{"plan.tensor_parallel", "8"},
                                                       {"plan.pipeline_parallel", "4"},
                                                       {"plan.virtual_pipeline", "3"},
                                                       {"plan.context_parallel", "2"},
                                                       {"plan.micro_batch", "1"},
                                                       {"plan.recompute", "norms"},
                                                       {"plan.data_parallel", ""},
                                                       {"plan.pipeline_split", ""},
                                                       {"plan.schedule", ""}}));
        const Edit experts = editOf(Layout{.expert = 16}, moe, "full");
        QCOMPARE(experts.size(), std::size_t{11});
        QCOMPARE(textOf(experts, "plan.tensor_parallel"), std::string("1"));
        QCOMPARE(textOf(experts, "plan.virtual_pipeline"), std::string());
        QCOMPARE(textOf(experts, "plan.context_parallel"), std::string());
        QCOMPARE(textOf(experts, "plan.expert_parallel"), std::string("16"));
        QCOMPARE(textOf(experts, "plan.expert_tensor_parallel"), std::string());
    }

    void theFastestAndTheLeast() {
        const ScenarioSpec spec = trainingSpec();
        Evaluator evaluator(smallCatalog(), smallCatalog().defaultProfile);
        QVERIFY(evaluator.runsAndFits(spec));
        const Scenario present = evaluator.scenario();
        const LayoutSpace space(spec, present);
        const auto rate = [&](const Edit& edit) {
            const Totals* totals = evaluator.runsAndFits(*applyEdit(spec, edit));
            return totals ? totals->tokensPerSecondPerGpu : 0;
        };
        const auto fastest = fastestLayout(spec, space, present.model, evaluator, 1000);
        QVERIFY(fastest);
        const double best = rate(*fastest);
        QVERIFY(best > 0);
        // No shape without chunks is faster, with any recomputation.
        for (const Layout& shape : space.shapes())
            for (const std::string& words : recomputeLadder(present.model))
                QVERIFY(rate(editOf(shape, present.model, words)) <= best * (1 + 1e-12));
        const std::size_t before = evaluator.tried();
        QVERIFY(!fastestLayout(spec, space, present.model, evaluator, 0));
        QCOMPARE(evaluator.tried(), before);
        fastestLayout(spec, space, present.model, evaluator, 7);
        QCOMPARE(evaluator.tried(), before + 7);
        // The largest replica, all of it recomputed.
        const auto frugal = frugalLayout(spec, space, present.model, evaluator);
        QVERIFY(frugal);
        QCOMPARE(textOf(*frugal, "plan.recompute"), std::string("full"));
        const Layout last = space.shapes().back();
        QCOMPARE(textOf(*frugal, "plan.tensor_parallel"), std::to_string(last.tensor));
        QCOMPARE(textOf(*frugal, "plan.pipeline_parallel"), std::to_string(last.pipeline));
    }

    void nearestBatches() {
        ScenarioSpec spec = trainingSpec();
        Scenario resolved;
        resolved.plan.dataParallel = 4;
        resolved.plan.microBatch = 2;
        const auto batches = [&](std::int64_t batch) {
            spec.workload.globalBatch = batch;
            Words out;
            for (const Edit& each : batchEdits(spec, resolved))
                out.push_back(textOf(each, "workload.global_batch"));
            return out;
        };
        QCOMPARE(batches(61), (Words{"56", "64"}));
        QCOMPARE(batches(64), Words{"72"});
        QCOMPARE(batches(5), Words{"8"});
        spec.workload.globalBatch.reset();
        QVERIFY(batchEdits(spec, resolved).empty());
    }
};

QTEST_GUILESS_MAIN(TestLayouts)

} // namespace tst_layouts

#include "tst_layouts.moc"
