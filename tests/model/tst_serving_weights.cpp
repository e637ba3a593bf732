// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of the stages of a serving replica, counted on paper, and rates of links from the inputs.
#include "model/plan/fabric_inputs.h"
#include "model/plan/serving_weights.h"

#include <QTest>

#include <vector>

namespace tst_serving_weights {

using namespace alidade;

namespace {

/// Hidden size 8; 4 query heads and 2 KV heads of 3 elements; gated MLPs of 10, shared experts of 6.
Architecture smallModel() {
    Architecture out;
    out.hiddenSize = 8;
    out.attentionHeads = 4;
    out.kvHeads = 2;
    out.headDim = 3;
    out.ffnIntermediateSize = 10;
    out.ffnGated = true;
    out.vocabSize = 100;
    MoeShape moe;
    moe.routedExperts = 4;
    moe.sharedExperts = 1;
    moe.expertsPerToken = 1;
    moe.expertIntermediateSize = 5;
    moe.sharedExpertIntermediateSizeTotal = 6;
    out.moe = moe;
    return out;
}

/// Dense attention layers, experts from the third layer on, a last layer without attention or MLP.
LayerKinds smallKinds() {
    LayerKinds out;
    LayerKind dense{.split = 5000, .replicated = 40};
    LayerKind experts{.feedForward = FeedForward::moe, .split = 3000, .replicated = 20, .experts = 700};
    LayerKind scan{.mixer = Mixer::mamba2, .feedForward = FeedForward::none, .split = 900, .replicated = 11};
    LayerKind prediction{.feedForward = FeedForward::moe, .split = 2000, .replicated = 3, .experts = 100};
    out.kinds = {dense, experts, scan};
    out.ofLayer = {0, 0, 1, 1, 2};
    out.prediction = prediction;
    return out;
}

struct Parts {
    double split = 0, narrow = 0, keyValue = 0, whole = 0, experts = 0, sixteenBit = 0, vocabulary = 0;
    bool operator==(const Parts&) const = default;
};

Parts partsOf(const StageParameters& stage) {
    return {.split = stage.split,
            .narrow = stage.narrow,
            .keyValue = stage.keyValue,
            .whole = stage.whole,
            .experts = stage.experts,
            .sixteenBit = stage.sixteenBit,
            .vocabulary = stage.vocabulary};
}

constexpr double keyValueOfLayer = 2 * 8 * 2 * 3; // hidden size to the keys and values of two heads of three
constexpr double table = 100 * 8;
constexpr double finalNorm = 8;

} // namespace

class TestServingWeights : public QObject {
    Q_OBJECT

private slots:
    void oneStageHasAllLayers() {
        const StageParameters all = stageParameters(smallModel(), smallKinds(), 1, 0);
        QVERIFY(partsOf(all) == (Parts{.split = 2 * 5000 + 2 * 3000 + 900 - 4 * keyValueOfLayer,
                                       .keyValue = 4 * keyValueOfLayer,
                                       .experts = 2 * 700,
                                       .sixteenBit = 2 * 40 + 2 * 20 + 11 + finalNorm,
                                       .vocabulary = 2 * table})); // embedding and output
        QCOMPARE(all.kvHeads, 2.0);
        Architecture tied = smallModel();
        tied.tieEmbeddings = true;
        QCOMPARE(stageParameters(tied, smallKinds(), 1, 0).vocabulary, table);
        tied.kvHeads = 0;
        QCOMPARE(stageParameters(tied, smallKinds(), 1, 0).kvHeads, 1.0);
    }

    /// Five layers in two stages: 2.5 is rounded to the even 2.
    void stagesShareTheLayers() {
        Architecture model = smallModel();
        for (const bool tied : {false, true}) { // the last stage needs a table of its own
            model.tieEmbeddings = tied;
            QVERIFY(partsOf(stageParameters(model, smallKinds(), 2, 0)) ==
                    (Parts{.split = 2 * 5000 - 2 * keyValueOfLayer,
                           .keyValue = 2 * keyValueOfLayer,
                           .sixteenBit = 2 * 40,
                           .vocabulary = table}));
            QVERIFY(partsOf(stageParameters(model, smallKinds(), 2, 1)) ==
                    (Parts{.split = 2 * 3000 + 900 - 2 * keyValueOfLayer,
                           .keyValue = 2 * keyValueOfLayer,
                           .experts = 2 * 700,
                           .sixteenBit = 2 * 20 + 11 + finalNorm,
                           .vocabulary = table}));
        }
        // In three stages 1.67 and 3.33 are rounded to 2 and 3: the middle one has one layer and no table.
        QVERIFY(partsOf(stageParameters(model, smallKinds(), 3, 1)) == (Parts{.split = 3000 - keyValueOfLayer,
                                                                              .keyValue = keyValueOfLayer,
                                                                              .experts = 700,
                                                                              .sixteenBit = 20}));
    }

    /// The last stage drafts with as many modules as the model has, each with a projection of two hidden
    /// states to one; experts are padded.
    void draftsAndPadding() {
        Architecture model = smallModel();
        model.mtpLayers = 2;
        const auto at = [&](int stage, int drafts) {
            return stageParameters(model, smallKinds(), 2, stage, drafts, 1.5);
        };
        const double ofModule = 2000 - keyValueOfLayer + 2 * 8 * 8;
        QCOMPARE(at(1, 1).split - at(1, 0).split, ofModule);
        QCOMPARE(at(1, 2).split - at(1, 0).split, 2 * ofModule);
        QCOMPARE(at(1, 3).split - at(1, 0).split, 2 * ofModule);
        QCOMPARE(at(1, 1).keyValue - at(1, 0).keyValue, keyValueOfLayer);
        QCOMPARE(at(1, 1).sixteenBit - at(1, 0).sixteenBit, 3.0);
        QCOMPARE(at(1, 0).experts, 1.5 * 2 * 700);
        QCOMPARE(at(1, 1).experts, 1.5 * (2 * 700 + 100));
        QVERIFY(partsOf(at(0, 2)) == partsOf(at(0, 0)));
    }

    /// Output projections have 8 x 4 x 3 weights, a gated MLP 3 x 8 x 10, the shared experts 3 x 8 x 6.
    void partsInTheFormatOfExperts() {
        const auto narrowOf = [](NarrowParts parts) {
            const StageParameters all = stageParameters(smallModel(), smallKinds(), 1, 0, 0, 1, parts);
            const StageParameters none = stageParameters(smallModel(), smallKinds(), 1, 0);
            return std::vector{all.narrow, none.split - all.split, none.keyValue - all.keyValue};
        };
        const double outputs = 4 * 96, mlps = 2 * 240 + 2 * 144;
        QCOMPARE(narrowOf({}), (std::vector{0.0, 0.0, 0.0}));
        QCOMPARE(narrowOf({.mlp = false, .output = true}), (std::vector{outputs, outputs, 0.0}));
        QCOMPARE(narrowOf({.mlp = true, .output = false}), (std::vector{mlps, mlps, 0.0}));
        QCOMPARE(narrowOf({.mlp = true, .output = true}), (std::vector{outputs + mlps, outputs + mlps, 0.0}));
    }

    /// Latent attention has no keys and values of heads; its down-projections, 8 x (7 + 5 + 2), are on every
    /// GPU, and its outputs start from values of 6 elements.
    void latentAttention() {
        Architecture model = smallModel();
        model.mla =
            MlaShape{.qLoraRank = 7, .kvLoraRank = 5, .qkNopeHeadDim = 4, .qkRopeHeadDim = 2, .vHeadDim = 6};
        LayerKinds kinds = smallKinds();
        for (LayerKind& each : kinds.kinds)
            each.replicated += 1000;
        const StageParameters all = stageParameters(model, kinds, 1, 0, 0, 1, {.output = true});
        QVERIFY(partsOf(all) == (Parts{.split = 2 * 5000 + 2 * 3000 + 900 - 4 * 8 * 4 * 6,
                                       .narrow = 4 * 8 * 4 * 6,
                                       .whole = 4 * 112,
                                       .experts = 2 * 700,
                                       .sixteenBit = 2 * 40 + 2 * 20 + 11 + 5000 - 4 * 112 + finalNorm,
                                       .vocabulary = 2 * table}));
    }

    /// Tensor parallelism 4 over 2 KV heads, 8 GPUs share the experts; 1 byte a dense weight, half a byte one
    /// of the experts, 2 of all others.
    void bytesOnOneGpu() {
        const StageParameters stage{.split = 400,
                                    .narrow = 80,
                                    .keyValue = 60,
                                    .whole = 7,
                                    .experts = 1600,
                                    .sixteenBit = 9,
                                    .vocabulary = 200,
                                    .kvHeads = 2};
        WeightPlacement<double> at{.tensorParallel = 4, .expertGpus = 8, .denseBytes = 1, .expertBytes = 0.5};
        const ServingWeights<double> bytes = servingWeights(stage, at);
        QCOMPARE(bytes.dense, 400.0 / 4 + 60.0 / 2 + 7 + 0.5 * 80 / 4 + 2 * 9);
        QCOMPARE(bytes.experts, 0.5 * 1600 / 8);
        QCOMPARE(bytes.vocabulary, 2.0 * 200 / 4);
        QCOMPARE(bytes.total(), 165.0 + 100 + 100);
        at.tensorParallel = 1;
        QCOMPARE(servingWeights(stage, at).dense, 400.0 + 60 + 7 + 0.5 * 80 + 2 * 9);
        QCOMPARE(servingWeights(StageParameters{.sixteenBit = 9}, at).total(), 18.0);
        // All in 16 bits on one GPU where nothing else is said.
        QCOMPARE(servingWeights(stage, WeightPlacement<double>{}).total(),
                 2.0 * (400 + 80 + 60 + 7 + 1600 + 9 + 200));
    }

    /// The first stage has 10,000 weights and a table, the last one 6,900, 1,400 of experts and a table.
    void theHeaviestStage() {
        const auto vocabularyAndExperts = [](double expertBytes) {
            const StageParameters out = heaviestStage(
                smallModel(), smallKinds(), 2,
                {.tensorParallel = 1, .expertGpus = 1, .denseBytes = 2, .expertBytes = expertBytes});
            return std::pair(out.vocabulary, out.experts);
        };
        QCOMPARE(vocabularyAndExperts(2), std::pair(table, 0.0));
        QCOMPARE(vocabularyAndExperts(8), std::pair(table, 1400.0));
        LayerKinds equal = smallKinds();
        equal.ofLayer = {1, 1, 1, 1, 1, 1};
        Architecture model = smallModel();
        // The last one also has the final norm.
        QCOMPARE(heaviestStage(model, equal, 2, {}).sixteenBit, 3 * 20 + finalNorm);
        // Padding and drafts count: four layers of 700, and none in the middle.
        model.mtpLayers = 1;
        QCOMPARE(heaviestStage(model, smallKinds(), 2, {}, 1, 3).experts, 3 * (2 * 700.0 + 100));
    }

    /// Each collective runs at the bandwidth of the link times its own efficiency.
    void ratesOfLinks() {
        Inputs in;
        for (std::size_t i = 0; i < inputCount; ++i)
            in.values[i] = 1000 + static_cast<double>(i); // all different
        in[Input::nvlinkBandwidth] = 400;
        in[Input::networkBandwidth] = 50;
        in[Input::allReduceEfficiency] = 0.5;
        in[Input::allGatherEfficiency] = 0.6;
        in[Input::reduceScatterEfficiency] = 0.7;
        in[Input::allToAllEfficiency] = 0.8;
        in[Input::dispatchEfficiencyNvlink] = 0.25;
        const FabricRates<double> nvlink = fabricRates<double>(in, Bound::network);
        QCOMPARE(nvlink.nvlink.allReduce.bandwidth, 200.0);
        QCOMPARE(nvlink.nvlink.allGather.bandwidth, 240.0);
        QCOMPARE(nvlink.nvlink.reduceScatter.bandwidth, 280.0);
        QCOMPARE(nvlink.nvlink.allToAll.bandwidth, 320.0);
        QCOMPARE(nvlink.nvlink.sendReceive.bandwidth, 240.0);
        QCOMPARE(nvlink.nvlink.dispatch.bandwidth, 100.0);
        QCOMPARE(nvlink.nvlink.dispatch.gamma, 0.0);
        QCOMPARE(nvlink.nvlink.allReduce.alpha, in[Input::allReduceLatency]);
        QCOMPARE(nvlink.nvlink.allReduce.gamma, in[Input::allReduceFill]);
        QCOMPARE(nvlink.network.nicBandwidth, 50.0);
        QCOMPARE(nvlink.network.kind, Bound::network);
        QCOMPARE(nvlink.network.latency, in[Input::networkLatency]);
        // Without NVLink the network takes its place, so that no rate is 0.
        in[Input::nvlinkBandwidth] = 0;
        QCOMPARE(fabricRates<double>(in, Bound::efa).nvlink.allReduce.bandwidth, 25.0);
        QCOMPARE(fabricRates<double>(in, Bound::efa).nvlink.dispatch.bandwidth, 12.5);
    }
};

QTEST_APPLESS_MAIN(TestServingWeights)

} // namespace tst_serving_weights

#include "tst_serving_weights.moc"
