// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/serving_rig.h"

namespace tst_serving_step {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

double sum(const std::array<double, stepParts.size()>& parts) {
    double total = 0;
    for (const double part : parts)
        total += part;
    return total;
}

} // namespace

/// Caches, memory and steps of a serving engine on a small model, by hand.
class TestServingStep : public QObject {
    Q_OBJECT

private slots:
    /// Keys and values of 2 KV heads of 16: 2 x 2 x 16 elements; one head at least. The latent of MLA is one
    /// vector of 256 + 6; in FP8 with two FP32 scales and the rotary part in 16 bits (656 bytes of
    /// DeepSeek-V3: 512 + 4 x 4 + 2 x 64).
    void bytesOfATokenInALayer() {
        ServingRig rig;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 2.0 * 2 * 16 * 2);
        rig.in[Input::kvHeads] = 1;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 2.0 * 16 * 2);
        rig.plan.latentAttention = true;
        rig.in[Input::mlaKvRank] = 256;
        rig.in[Input::mlaRopeDim] = 6;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 262.0 * 2);
        rig.in[Input::kvElementBytes] = 1;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 256 + 2 * 4 + 2.0 * 6);
        rig.in[Input::kvElementBytes] = 0.5;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 128 + 2 * 4 + 2.0 * 6);
        rig.in[Input::kvElementBytes] = 1;
        rig.in[Input::mlaKvRank] = 512;
        rig.in[Input::mlaRopeDim] = 64;
        QCOMPARE(kvBytesPerTokenAndLayer(rig.context()), 656.0);
    }

    /// 5 layers with full attention and 7 with a window of 30, 128 bytes of a token each, over 2 stages;
    /// states of 3 Mamba-2 layers, 32 x 5 FP32 elements, and of 2 of Gated DeltaNet, 40 x 40 / 4, over 2 x 2
    /// GPUs.
    void bytesOfASequence() {
        ServingRig rig = deep();
        SequenceKv<double> kv = sequenceKv(rig.context());
        QCOMPARE(kv.bytesPerToken, 5 * 128 / 2.0);
        QCOMPARE(kv.windowBytesPerToken, 7 * 128 / 2.0);
        QCOMPARE(kv.window, 30.0);
        QCOMPARE(kv.constantBytes, 4 * (3 * 32 * 5 + 2 * 400) / 4.0);
        QCOMPARE(sequenceBytes(kv, 100.0), 320 * 100 + 448 * 30 + 1280.0);
        QCOMPARE(sequenceBytes(kv, 20.0), (320 + 448) * 20 + 1280.0);
        rig.plan.sparseTokens = 30; // and keys of the indexer, 5 bytes and a scale
        rig.plan.sparseIndexDim = 5;
        QCOMPARE(sequenceKv(rig.context()).bytesPerToken, 5 * (128 + 9) / 2.0);
        rig.plan.reservesRequests = true; // an engine that reserves whole requests keeps no window
        kv = sequenceKv(rig.context());
        QCOMPARE(kv.bytesPerToken, 12 * (128 + 9) / 2.0);
        QCOMPARE(kv.windowBytesPerToken, 0.0);
        QCOMPARE(kv.window, 0.0);
        rig.in[Input::deltaHeads] = 0;
        QCOMPARE(sequenceKv(rig.context()).constantBytes, 4 * 3 * 32 * 5 / 4.0);
    }

    /// Weights of the heaviest stage: what tensor parallelism divides, keys and values by heads at most, what
    /// is whole on each GPU, experts over 8 GPUs, and 16 bits for norms and vocabulary.
    void weightsOfAGpu() {
        ServingRig rig;
        rig.in[Input::denseWeightBytes] = 1;
        rig.in[Input::expertWeightBytes] = 0.5;
        rig.plan.heaviest = {.split = 1000,
                             .narrow = 600,
                             .keyValue = 300,
                             .whole = 70,
                             .experts = 1600,
                             .sixteenBit = 11,
                             .vocabulary = 500,
                             .kvHeads = 4};
        const double dense = 500 + 150 + 70 + 0.5 * 300 + 2 * 11;
        QCOMPARE(weightsPerGpu(rig.context()), dense + 0.5 * 200 + 2 * 250);
        rig.plan.heaviest.kvHeads = 1; // copied
        QCOMPARE(weightsPerGpu(rig.context()), dense + 150 + 100 + 500);
        const StageParameters nothing;
        QCOMPARE(servingWeights<double>(nothing, {}).total(), 0.0);
    }

    /// A chunk of 64 tokens in 16 bits: four hidden states, and the widest product. 3 x 96 / 2 of the MLP, or
    /// that of the experts: 2 x (3 x 40 / 2 + 2 x 32) of a token, over 4 ranks.
    void activationsOfAChunk() {
        ServingRig rig;
        QCOMPARE(servingActivations(rig.context()), 64.0 * 2 * (4 * 64 + 144));
        rig.in[Input::ffnSize] = 0;
        QCOMPARE(servingActivations(rig.context()), 64.0 * 2 * (4 * 64 + 2 * (60 + 64) / 4.0));
        rig.in[Input::attentionDataParallel] = 2; // its two ranks have their own tokens
        QCOMPARE(servingActivations(rig.context()), 64.0 * 2 * (4 * 64 + 2 * (60 + 64) / 2.0));
        rig.in[Input::expertTensorParallel] = rig.in[Input::attentionDataParallel] = 0;
        rig.in[Input::expertParallel] = 1;
        QCOMPARE(servingActivations(rig.context()), 64.0 * 2 * (4 * 64 + 2 * (120 + 64)));
    }

    /// 100,000 bytes of capacity on a device of 104,000, weights of 40,000, activations of 51,200 and a
    /// workspace of 1,000. An engine leaves a tenth of the device alone; its activations may live there; or a
    /// tenth of the rest.
    void memoryOfAGpu() {
        ServingRig rig;
        rig.plan.heaviest.sixteenBit = 20'000;
        rig.in[Input::capacity] = 1e5;
        rig.in[Input::deviceMemory] = 1.04e5;
        rig.in[Input::memoryUtilization] = 0.9;
        rig.in[Input::servingWorkspace] = 1000;
        rig.in[Input::kvOffload] = 77;
        ServingMemoryT<double> m;
        servingMemory(rig.context(), m);
        QCOMPARE(m.weights, 40'000.0);
        QCOMPARE(m.activations, 51'200.0);
        QCOMPARE(m.workspace, 1000.0);
        QCOMPARE(m.reserve, 10'400.0 - 4000);
        QCOMPARE(m.kvCapacity, 1e5 - 6400 - 92'200);
        QCOMPARE(m.kvOffloaded, 77.0);
        rig.plan.memoryShare = MemoryShare::weightsAndCache;
        servingMemory(rig.context(), m);
        QCOMPARE(m.reserve, 0.0); // 10,400 - 52,200 are less than nothing
        rig.in[Input::deviceMemory] = 1e5;
        servingMemory(rig.context(), m);
        QCOMPARE(m.reserve, 0.0);
        rig.in[Input::deviceMemory] = 1.04e5;
        rig.in[Input::chunkTokens] = 1;
        servingMemory(rig.context(), m);
        QCOMPARE(m.reserve, 10'400.0 - 800 - 1000 - 4000);
        rig.plan.memoryShare = MemoryShare::rest;
        servingMemory(rig.context(), m);
        QCOMPARE(m.reserve, 0.1 * (104'000 - 40'000 - 1800) - 4000);
        rig.plan.heaviest.sixteenBit = 60'000;
        servingMemory(rig.context(), m);
        QCOMPARE(m.reserve, 0.0);
        QCOMPARE(m.kvCapacity, 1e5 - 120'000 - 1800);
        rig.in[Input::weightsOffload] = 0.25;
        servingMemory(rig.context(), m);
        QCOMPARE(m.weights, 90'000.0);
    }

    /// A prompt of 100 tokens of 320 bytes at 64 bytes/s and 3 s of latency; the GPU with more bytes decides.
    /// With overlap the last of 10 layers is left, or what the prefill does not cover.
    void handingACacheOver() {
        ServingMemoryT<double> a, b;
        a.sequence.bytesPerToken = 320;
        b.sequence.bytesPerToken = 200;
        QCOMPARE(kvHandOver<double>(a, b, 100, 64, 3, 10, 1000, false), 503.0);
        QCOMPARE(kvHandOver<double>(b, a, 100, 64, 3, 10, 1000, true), 50.3);
        QCOMPARE(kvHandOver<double>(a, b, 100, 64, 3, 10, 203, true), 300.0);
        QCOMPARE(kvTransferTime<double>(100, 320, 64, 3, 4), 12 + 500.0);
    }

    /// Leviathan et al. 2023, arXiv 2211.17192, equation 1: (1 - a^(n + 1)) / (1 - a) = 1 + 0.5 + 0.25 +
    /// 0.125.
    void guessedTokens() {
        QCOMPARE(speculativeTokens<double>(0.5, 3), 1.875);
        QCOMPARE(speculativeTokens<double>(0, 3), 1.0);
        QCOMPARE(speculativeTokens<double>(1, 3), 4.0);
        QCOMPARE(speculativeTokens<double>(0.5, 0), 1.0);
    }

    /// Five layers of one kind and two of another, and the output layer; nothing else at first. Guesses have
    /// a layer and an output layer each.
    void sumOfTheLayers() {
        ServingRig rig = twoKinds();
        const double dense = rig.built().seconds;
        rig.layer = rig.plan.kinds[1];
        const double mixer = rig.built().seconds;
        auto step = stepOf(rig);
        QVERIFY(near(step->seconds, 5 * dense + 2 * mixer + step->head.seconds));
        QVERIFY(near(sum(step->parts), step->seconds));
        QCOMPARE(step->draft.ops.size(), std::size_t{0});
        rig.in[Input::draftTokens] = 3;
        step = stepOf(rig);
        // One row of each sequence through the last kind of layer: QKV projection and output layer of 6 rows.
        const OpCost<double>& qkv = step->draft.ops[0];
        QCOMPARE(qkv.flops, 2.0 * 6 * 128 * 64);
        QCOMPARE(step->draft.ops.size(), std::size_t{6}); // 4 of the mixer without prompts, logits, sampling
        QCOMPARE(step->draft.ops[4].flops, 2.0 * 6 * 500 * 64);
        QVERIFY(near(step->seconds, 5 * step->layers[0].seconds + 2 * step->layers[1].seconds +
                                        step->head.seconds + 3 * step->draft.seconds));
        QVERIFY(near(sum(step->parts), step->seconds));
        rig.plan.draftModule = true; // a module of its own: a whole layer
        rig.plan.prediction = rig.plan.kinds[0];
        step = stepOf(rig);
        QCOMPARE(step->draft.ops.size(), std::size_t{10});
        QCOMPARE(step->draft.launches, 10);
        rig.load.decodeSequences = 0;
        QCOMPARE(stepOf(rig)->draft.ops.size(), std::size_t{0});
    }

    /// A guess of a layer with experts on two attention-data ranks: 3 sequences of each rank are rows of its
    /// layers, 6 rows choose 2 of 16 experts each, 3 of them on each of 4 ranks. Two guesses are two times
    /// that.
    void guessesOfTwoRanks() {
        ServingRig rig = twoKinds();
        rig.in[Input::attentionDataParallel] = 2;
        rig.plan.attentionDataParallel = 2;
        rig.in[Input::draftTokens] = 2;
        rig.plan.draftModule = true;
        rig.plan.prediction = rig.layer;
        rig.plan.prediction.feedForward = FeedForward::moe;
        rig.load.prefillTokens = rig.load.prompts = 0;
        const auto step = stepOf(rig);
        const auto flops = [&](std::string_view name) {
            return sumOf(step->draft.ops, name, &OpCost<double>::flops,
                         [](const OpCost<double>&) { return true; });
        };
        QCOMPARE(flops("Router"), 2.0 * 3 * 16 * 64);
        QCOMPARE(flops("Routed experts"), 2.0 * 3 * 32 * 20 * 3);
        QCOMPARE(flops("Logits"), 2.0 * 3 * 500 * 64);
        QVERIFY(near(step->seconds, 5 * step->layers[0].seconds + 2 * step->layers[1].seconds +
                                        step->head.seconds + 2 * step->draft.seconds));
        QVERIFY(near(sum(step->parts), step->seconds));
    }

    /// A step with prompts runs outside CUDA graphs. A host that needs as long to launch as the GPU to work
    /// makes it 2^(1/6) times as long.
    void launchesOfTheHost() {
        ServingRig rig = twoKinds();
        const double gpu = stepOf(rig)->seconds;
        const double launches = 5 * 9 + 2 * 5 + 2; // kernels of the kinds, output layer and sampling
        rig.in[Input::servingHostPerKernel] = gpu / launches;
        auto step = stepOf(rig);
        QVERIFY(near(step->seconds, gpu * std::pow(2, 1.0 / 6)));
        QVERIFY(
            near(step->parts[static_cast<std::size_t>(StepPart::launch)], gpu * (std::pow(2, 1.0 / 6) - 1)));
        rig.in[Input::servingHostPerKernel] = gpu / launches / 2;
        QVERIFY(near(stepOf(rig)->seconds, gpu * std::pow(1 + std::pow(0.5, 6), 1.0 / 6)));
        rig.load.prefillTokens = rig.load.prompts = 0;
        const double decode = stepOf(rig)->seconds;
        rig.in[Input::servingHostPerKernel] = 0;
        QCOMPARE(stepOf(rig)->seconds, decode);
        rig.plan.cudaGraphs = false;
        rig.in[Input::servingHostPerKernel] = decode;
        QVERIFY(stepOf(rig)->seconds > 40 * decode); // 4 + 4 kernels of 5 + 2 layers, and 2
    }

    /// Scheduling: 2 s, 0.5 s of each of 6 sequences and 3 s of each prompt; hand-overs between 3 stages, 4 s
    /// each. Streaming runs alongside the step and sets the pace only where it takes longer.
    void timeOutsideTheLayers() {
        ServingRig rig = twoKinds();
        const double bare = stepOf(rig)->seconds;
        rig.in[Input::servingStepOverhead] = 2;
        rig.in[Input::servingSequenceOverhead] = 0.5;
        rig.in[Input::servingPromptOverhead] = 3;
        auto step = stepOf(rig);
        QVERIFY(near(step->seconds, bare + 2 + 3 + 6));
        QVERIFY(near(step->parts[static_cast<std::size_t>(StepPart::overhead)], 11));
        rig.in[Input::servingFrontEndTime] = bare / 6;
        QVERIFY(near(stepOf(rig)->seconds, bare + 11));
        rig.in[Input::servingFrontEndTime] = bare;
        QVERIFY(near(stepOf(rig)->seconds, 6 * bare));
        rig.in[Input::servingFrontEndTime] = 0;
        rig.plan.pipelineParallel = 3;
        rig.in[Input::servingStageTime] = 4;
        rig.in[Input::pipelineParallel] = 1; // rows as before; the degree of the hand-overs is the input
        QVERIFY(near(stepOf(rig)->seconds, bare + 11));
        rig.in[Input::attentionDataParallel] = 2; // each rank schedules its own
        const double both = stepOf(rig)->seconds;
        rig.in[Input::servingSequenceOverhead] = 0;
        QVERIFY(near(both - stepOf(rig)->seconds, 0.5 * 3));
    }

    void handOversBetweenStages() {
        ServingRig rig = twoKinds();
        rig.in[Input::pipelineParallel] = 3;
        const double bare = stepOf(rig)->seconds;
        rig.in[Input::servingStageTime] = 4;
        QCOMPARE(stepOf(rig)->seconds, bare);
        rig.plan.pipelineParallel = 3;
        const auto step = stepOf(rig);
        QVERIFY(near(step->seconds, bare + 8));
        QCOMPARE(step->parts[static_cast<std::size_t>(StepPart::pipelineTransfer)], 8.0);
    }

    /// A quarter of 40,000 bytes of weights comes from the host at 8 x 0.5 bytes/s, and the caches of 6
    /// sequences that memory has no room for: 7 layers x 128 bytes x 100 tokens each.
    void streamsFromTheHost() {
        ServingRig rig = twoKinds();
        rig.plan.heaviest.sixteenBit = 20'000;
        rig.in[Input::capacity] = rig.in[Input::deviceMemory] = 1e9;
        rig.in[Input::memoryUtilization] = 1;
        const double bare = stepOf(rig)->seconds;
        rig.in[Input::hostBandwidth] = 8e-3;
        rig.in[Input::servingHostLinkEfficiency] = 0.5;
        QCOMPARE(stepOf(rig)->seconds, bare);
        rig.in[Input::weightsOffload] = 0.25;
        const auto streamed = [&rig] { return offloadStream(rig.context(), rig.load) * 4e-3; };
        QCOMPARE(streamed(), 10'000.0);
        auto step = stepOf(rig);
        QVERIFY(near(step->seconds, 10'000 / 4e-3));
        QVERIFY(near(step->parts[static_cast<std::size_t>(StepPart::offload)], 10'000 / 4e-3 - bare));
        rig.in[Input::weightsOffload] = 0;
        rig.in[Input::kvOffload] = 1e9;
        QCOMPARE(streamed(), 0.0); // everything has room
        const double resident = 6.0 * 7 * 128 * 100;
        rig.in[Input::capacity] = rig.in[Input::deviceMemory] = 40'000 + 51'200 + 100'000;
        QCOMPARE(streamed(), resident - 100'000);
        QVERIFY(near(stepOf(rig)->seconds, (resident - 100'000) / 4e-3));
        rig.in[Input::capacity] = rig.in[Input::deviceMemory] = 1000; // not even the weights
        QCOMPARE(streamed(), resident);
        rig.in[Input::attentionDataParallel] = 2;
        QCOMPARE(streamed(), resident / 2);
        rig.in[Input::attentionDataParallel] = 1;
        rig.in[Input::kvTierRate] = 2e-3; // slower than the link to the host
        QVERIFY(near(stepOf(rig)->seconds, resident / 2e-3));
        rig.in[Input::kvTierRate] = 1; // faster: the link sets the pace
        QVERIFY(near(stepOf(rig)->seconds, resident / 4e-3));
        rig.in[Input::kvTierRate] = 0;
        rig.in[Input::hostBandwidth] = 0;
        QCOMPARE(stepOf(rig)->seconds, bare);
    }

private:
    /// Five dense layers and two that are only a mixer.
    static ServingRig twoKinds() {
        ServingRig rig;
        rig.plan.kinds = {rig.layer, rig.layer};
        rig.plan.kinds[1].feedForward = FeedForward::none;
        rig.plan.layersOfKind = {5, 2};
        return rig;
    }

    static ServingRig deep() {
        ServingRig rig;
        rig.in[Input::pipelineParallel] = 2;
        rig.in[Input::mambaInner] = 32;
        rig.in[Input::mambaState] = 5;
        rig.in[Input::deltaValues] = 40;
        rig.in[Input::deltaHeads] = 4;
        LayerKind window = rig.layer, mamba = rig.layer, delta = rig.layer;
        window.window = 30;
        mamba.mixer = Mixer::mamba2;
        delta.mixer = Mixer::gatedDeltaNet;
        rig.plan.kinds = {rig.layer, window, mamba, delta};
        rig.plan.layersOfKind = {5, 7, 3, 2};
        return rig;
    }

    static std::unique_ptr<ServingStepCost<double>> stepOf(const ServingRig& rig) {
        auto out = std::make_unique<ServingStepCost<double>>();
        servingStep(rig.context(), rig.load, *out);
        return out;
    }
};

QTEST_APPLESS_MAIN(TestServingStep)

} // namespace tst_serving_step

#include "tst_serving_step.moc"
