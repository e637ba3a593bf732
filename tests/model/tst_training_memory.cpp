// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/stage_rig.h"

namespace tst_training_memory {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tokens = tokensOfRank;

} // namespace

/// Memory of training on a small model, every byte counted: what a layer keeps for its backward pass
/// (Korthikanti et al. 2022, arXiv 2205.05198, section 4.1, with FlashAttention, grouped queries and gated
/// MLPs), and parameters, gradients and optimizer state under sharding (Rajbhandari et al. 2020, arXiv
/// 1910.02054).
class TestTrainingMemory : public QObject {
    Q_OBJECT

private slots:
    /// Per token, 16 bits each: inputs of the two norms, 2 x 2 x 64 = 256, and their outputs, of which half
    /// is kept, 128; queries, keys and values, 2 (8 + 2 x 4) 16 = 512; the attention's output, 2 x 8 x 16 =
    /// 256; the FP32 log-sum-exp of 8 heads, 32; gate and up, 2 x 2 x 96 = 384, and half of their
    /// product, 96. Tensor parallelism divides all but the norms: 384 + 1280 / 2 = 1024.
    void keptByADenseLayer_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<double>("perToken");
        QTest::addColumn<double>("whole"); // while the layer runs again
        const double base = 1024, input = 128;
        QTest::newRow("nothing recomputed") << "" << base << base;
        QTest::newRow("sequence parallel") << "sp" << 384.0 / 2 + 1280 / 2 << 384.0 / 2 + 1280 / 2;
        QTest::newRow("norms") << "norms" << base - 128 << base - 128;
        QTest::newRow("core attention") << "core" << base - 32.0 / 2 << base - 32.0 / 2;
        QTest::newRow("product") << "product" << base - 96.0 / 2 << base - 96.0 / 2;
        QTest::newRow("MLP") << "mlp" << base - 480.0 / 2 << base - 480.0 / 2;
        QTest::newRow("every second matrix") << "perOp" << 0.625 * base << base;
        QTest::newRow("every second layer") << "everyOther" << (base + input) / 2 << base;
        QTest::newRow("full") << "full" << input << base;
        QTest::newRow("full, sequence parallel") << "full sp" << input / 2 << 384.0 / 2 + 1280 / 2;
        // PyTorch keeps the gathered norm outputs, 128, instead of the halves of this rank; of every second
        // matrix one of the two, 2 x 64: half of it more than the shard.
        QTest::newRow("sequence parallel, gathered")
            << "sp gathered" << (384.0 - 128) / 2 + 128 + 1280 / 2 << (384.0 - 128) / 2 + 128 + 1280 / 2;
        QTest::newRow("sequence parallel, gathered, every second matrix")
            << "sp gathered perOp" << 0.625 * (384.0 / 2 + 1280 / 2) + 128 / 2.0
            << (384.0 - 128) / 2 + 128 + 1280 / 2;
        QTest::newRow("gathered needs sequence parallelism") << "gathered" << base << base;
        QTest::newRow("no gate") << "ungated" << base - 192.0 / 2 << base - 192.0 / 2;
        // Softmax, dropout mask and output of the 8 x 128 scores of a query: 5 bytes each instead of the
        // log-sum-exp.
        QTest::newRow("unfused attention")
            << "scores" << base + (5 * 8 * 128 - 32) / 2.0 << base + (5 * 8 * 128 - 32) / 2.0;
        // The quantized copy of the attention's output, for the projection behind it: half of 256.
        QTest::newRow("FP8") << "fp8" << base + 128 / 2.0 << base + 128 / 2.0;
        // Norms of queries and keys: their inputs, 2 (8 + 4) 16 = 384, divided.
        QTest::newRow("head norms") << "heads" << base + 384 / 2.0 << base + 384 / 2.0;
        // One operation after the other: an FP32 copy of each norm's input instead of the 16-bit input, 2 x 2
        // x 64 = 256 more; the normalized value for the gradient of its weight, as much again; the
        // activation's output, 2 x 96 = 192. Frozen weights need no normalized value.
        QTest::newRow("eager") << "eager" << base + 512 + 192 / 2.0 << base + 512 + 192 / 2.0;
        QTest::newRow("eager, adapters") << "eager lora" << base + 256 + 192 / 2.0 << base + 256 + 192 / 2.0;
        QTest::newRow("eager, no gate")
            << "eager ungated" << base + 512 - 192 / 2.0 << base + 512 - 192 / 2.0;
        // Norms of queries and keys too: 6 bytes for each of their 192 elements.
        QTest::newRow("eager, head norms")
            << "eager heads" << base + 512 + (192 + 6 * 192) / 2.0 << base + 512 + (192 + 6 * 192) / 2.0;
    }
    void keptByADenseLayer() {
        QFETCH(QString, change);
        QFETCH(double, perToken);
        QFETCH(double, whole);
        TrainingRig rig;
        rig.in[Input::perOpKeptShare] = 0.625;
        Recompute& again = rig.plan.recompute;
        rig.plan.sequenceParallel = change.contains(u"sp");
        again.norms = change == u"norms";
        again.core = change == u"core";
        again.product = change == u"product";
        again.mlp = change == u"mlp";
        again.perOp = change.contains(u"perOp");
        rig.plan.keepsGatheredInputs = change.contains(u"gathered");
        again.everyOther = change == u"everyOther";
        again.full = change.contains(u"full");
        rig.plan.gatedFfn = !change.endsWith(u"ungated");
        rig.plan.headNorms = change.endsWith(u"heads");
        rig.plan.lora = change.endsWith(u"lora");
        rig.in[Input::normInputBytes] = change.startsWith(u"eager") ? 4 : 2;
        rig.in[Input::unfusedKeptBytes] = change.startsWith(u"eager") ? 2 : 0;
        rig.in[Input::attentionScoreBytes] = change == u"scores" ? 3 : 0;
        rig.plan.precision = change == u"fp8" ? Precision::fp8 : Precision::bf16;
        QCOMPARE(layerActivationBytes(rig.context(), rig.attention), perToken * tokens);
        QCOMPARE(layerActivationBytes(rig.context(), rig.attention, true), whole * tokens);
    }

    /// A layer that is only a mixer has one norm: 2 x 64 of input, half as much of output, 192. Latent
    /// attention (DeepSeek-V2, arXiv 2405.04434, 2.1) keeps the compressed queries, keys and values, 2 (40 +
    /// 20 + 6) = 132, on every rank; per head queries and keys of 10 + 6, 2 x 2 x 8 x 16 = 512, and values of
    /// 24, 2 x 8 x 24 = 384; as much of output; and the log-sum-exp. Mamba-2: input and output of the
    /// convolution and of the scan (x, z: 32, B and C: 12), 2 (2 (2 x 32 + 12) + 2 x 32) = 432. Gated
    /// DeltaNet: 2 (3 (2 x 24 + 40) + 2 x 40) = 688.
    void keptByOtherMixers_data() {
        QTest::addColumn<QString>("mixer");
        QTest::addColumn<double>("perToken");
        QTest::newRow("latent") << "latent" << 192 + 132 + (512 + 384 + 384 + 32) / 2.0;
        QTest::newRow("latent, up-projections again") << "latent up" << 192 + 132 + (384 + 32) / 2.0;
        QTest::newRow("latent, core again") << "latent core" << 192 + 132 + (512 + 384 + 384) / 2.0;
        QTest::newRow("Mamba-2") << "mamba" << 192 + 432 / 2.0;
        QTest::newRow("Gated DeltaNet") << "delta" << 192 + 688 / 2.0;
    }
    void keptByOtherMixers() {
        QFETCH(QString, mixer);
        QFETCH(double, perToken);
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::none;
        rig.in[Input::mlaQueryRank] = 40;
        rig.in[Input::mlaKvRank] = 20;
        rig.in[Input::mlaRopeDim] = 6;
        rig.in[Input::mlaNopeDim] = 10;
        rig.in[Input::valueHeadDim] = 24;
        rig.in[Input::mambaInner] = 32;
        rig.in[Input::mambaStates] = 12;
        rig.in[Input::deltaKeys] = 24;
        rig.in[Input::deltaValues] = 40;
        rig.plan.latentAttention = mixer.startsWith(u"latent");
        rig.plan.recompute.mlaUp = mixer.endsWith(u"up");
        rig.plan.recompute.core = mixer.endsWith(u"core");
        rig.attention.mixer = mixer == u"mamba"   ? Mixer::mamba2
                              : mixer == u"delta" ? Mixer::gatedDeltaNet
                                                  : Mixer::attention;
        QCOMPARE(layerActivationBytes(rig.context(), rig.attention), perToken * tokens);
    }

    /// Experts: attention and norms as in a dense layer (384 and 800); the shared expert, gate and up 192 and
    /// half of the product 48, divided by tensor parallelism; and for the 2 x 1.5 = 3 rows of a token, of a
    /// sequence shard: half of the 32 wide inputs, gathered from 2 ranks, 3 x 2 x 32 = 192; FP32 outputs and
    /// their 16-bit form, 6 bytes, 3 x 6 x 32 = 576; gate, up and half of the product, 3 (2 x 2 x 40 + 40) =
    /// 600; and 8 bytes of routing for each of 16 experts, 128.
    void keptByExperts_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<double>("perToken");
        const double attention = 384 + 800 / 2.0, shared = (192 + 48) / 2.0;
        QTest::newRow("nothing recomputed") << "" << attention + shared + 192 + 576 + 600 + 128;
        QTest::newRow("sequence parallel")
            << "sp" << (384 + 192 + 576 + 600 + 128) / 2.0 + 800 / 2.0 + shared;
        QTest::newRow("product") << "product" << attention + 192 / 2.0 + 192 + 576 + 480 + 128;
        QTest::newRow("shared expert") << "shared" << attention + 192 + 576 + 600 + 128;
        QTest::newRow("experts") << "experts" << attention;
        QTest::newRow("no gate") << "ungated"
                                 << attention + (96 + 48) / 2.0 + 192 + 576 + 3 * (2 * 40 + 40) + 128;
    }
    void keptByExperts() {
        QFETCH(QString, change);
        QFETCH(double, perToken);
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.sequenceParallel = change == u"sp";
        rig.plan.recompute.product = change == u"product";
        rig.plan.recompute.sharedExperts = change == u"shared";
        rig.plan.recompute.experts = change == u"experts";
        rig.plan.gatedFfn = change != u"ungated";
        QCOMPARE(layerActivationBytes(rig.context(), rig.attention), perToken * tokens);
    }

    /// Gradients inside the layer whose backward pass runs, 16 bits: of the product, of gate and of up, 3 x 2
    /// x 96 a token over 2 ranks; of experts for 3 rows 3 x 2 x 40, and 2 x 2 x 32 of what goes in and comes
    /// out. With sequence parallelism three tensors of 2 x 64 are whole: the input, its gradient and that of
    /// the output; four in PyTorch, which sums those of gate and up.
    void gradientsInsideALayer() {
        TrainingRig rig;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention), 576.0 / 2 * tokens);
        rig.plan.gatedFfn = false;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention), 384.0 / 2 * tokens);
        rig.attention.feedForward = FeedForward::none;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention), 0.0);
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.gatedFfn = true;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention), 3.0 * (240 + 128) * tokens);
        rig.plan.sequenceParallel = true;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention),
                 (3.0 * (240 + 128) / 2 + 3 * 128) * tokens);
        rig.plan.keepsGatheredInputs = true;
        QCOMPARE(layerGradientBytes(rig.context(), rig.attention),
                 (3.0 * (240 + 128) / 2 + 4 * 128) * tokens);
    }

    /// Adapters of rank r on a projection of n x k have r (n + k) parameters (Hu et al. 2021, arXiv
    /// 2106.09685). On one of 2 ranks: QKV 64 -> (8 + 2 x 4) 16 / 2 = 128, output 64 <- 64, gate and up 64 ->
    /// 2 x 48, down 64 <- 48. Each of 16 / 4 experts of a rank has its own on 32 -> 2 x 40 / 2 and 32 <- 20,
    /// or they share one; the shared expert has one on 64 -> 2 x 24 and 64 <- 24.
    void parametersOfAdapters() {
        TrainingRig rig;
        rig.in[Input::loraRank] = 5;
        rig.plan.lora = true;
        const double attention = (64 + 128) + (64 + 64), mlp = (64 + 96) + (64 + 48);
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 5 * (attention + mlp));
        rig.plan.loraMlp = false;
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 5 * attention);
        rig.plan.loraMlp = true;
        rig.plan.loraAttention = false;
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 5 * mlp);
        QCOMPARE(adapterParameters(rig.context(), rig.attention).experts, 0.0);
        rig.attention.feedForward = FeedForward::moe;
        const double shared = (64 + 48) + (64 + 24), expert = (32 + 40) + (32 + 20);
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 5 * shared);
        QCOMPARE(adapterParameters(rig.context(), rig.attention).experts, 5 * 4 * expert);
        rig.plan.sharedExpertAdapters = true;
        QCOMPARE(adapterParameters(rig.context(), rig.attention).experts, 5 * expert);
        rig.plan.loraMlp = false;
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 0.0);
        QCOMPARE(adapterParameters(rig.context(), rig.attention).experts, 0.0);
        rig.plan.loraAttention = true;
        rig.attention.mixer = Mixer::mamba2;
        QCOMPARE(adapterParameters(rig.context(), rig.attention).dense, 0.0);
    }

    /// Layers of 40,960 / 2 + 129 parameters and, in every second one, 98,304 of experts over 4 x 2 ranks.
    /// The first stage has the embedding of 1000 x 64 / 2 and 50 learned positions, the last one the final
    /// norm (64), the output layer, and a module that predicts one token more: a projection of 2 x 64 x 64 /
    /// 2, a layer, and the embedding of its tokens.
    void parametersOfStages() {
        TrainingRig rig = rigOfTwoStages();
        rig.in[Input::learnedPositions] = 50;
        rig.in[Input::mtpDepth] = 1;
        StageCost<double> first, last;
        const double dense = 20'480 + 129, experts = 98'304 / 8.0, vocabulary = 32'000;
        const auto count = [&] {
            stageParameters(rig.context(), rig.held(), 0, first);
            stageParameters(rig.context(), rig.held(), 1, last);
        };
        count();
        QCOMPARE(first.parameters, 3 * dense + vocabulary + 50 * 64);
        QCOMPARE(first.expertParameters, experts);
        QCOMPARE(last.parameters, 2 * dense + 64 + vocabulary + dense + 4096 + vocabulary);
        QCOMPARE(last.expertParameters, 2 * experts + experts);
        QCOMPARE(last.trainable, last.parameters);
        QCOMPARE(last.trainableExperts, last.expertParameters);
        // A tied output layer is a copy of the embedding, and the module's embedding is the same.
        rig.plan.tiedEmbeddings = true;
        count();
        QCOMPARE(last.parameters, 2 * dense + 64 + vocabulary + dense + 4096);
        rig.plan.tiedEmbeddings = false;
        rig.in[Input::mtpDepth] = 0;
        count();
        QCOMPARE(last.parameters, 2 * dense + 64 + vocabulary);
        QCOMPARE(last.expertParameters, 2 * experts);
        // Only adapters are trained: of three mixers, two dense MLPs, and the shared expert and 4 experts of
        // one layer on the first stage.
        rig.plan.lora = true;
        rig.in[Input::loraRank] = 5;
        count();
        QCOMPARE(first.trainable, 5.0 * (3 * 320 + 2 * 272 + 200));
        QCOMPARE(first.trainableExperts, 5.0 * 4 * 124);
        QCOMPARE(first.parameters, 3 * dense + vocabulary + 50 * 64);
    }

    /// On one stage a tied output layer is the embedding itself.
    void tiedHeadOnTheOnlyStage() {
        TrainingRig rig;
        rig.plan.kinds = {rig.attention};
        rig.plan.stageLayers = {2};
        rig.plan.stageKinds = {{2}};
        rig.plan.tiedEmbeddings = true;
        StageCost<double> stage;
        stageParameters(rig.context(), rig.held(), 0, stage);
        QCOMPARE(stage.parameters, 2 * 20'609.0 + 32'000);
        rig.plan.tiedEmbeddings = false;
        rig.in[Input::mtpDepth] = 1;
        rig.plan.prediction = rig.attention; // reads the embedding that is there
        stageParameters(rig.context(), rig.held(), 0, stage);
        QCOMPARE(stage.parameters, 3 * 20'609.0 + 4096 + 2 * 32'000);
    }

    /// 1,200 dense and 480 expert parameters, weights of 2 bytes, gradients of 4, optimizer state of 12, over
    /// groups of 4 and 3 ranks: 300 and 160 are a rank's. ZeRO-1 divides the optimizer, ZeRO-2 the gradients
    /// too, ZeRO-3 everything.
    void stateUnderSharding_data() {
        QTest::addColumn<int>("sharding");
        QTest::addColumn<double>("weights");
        QTest::addColumn<double>("gradients");
        QTest::addColumn<double>("optimizer");
        const double all = 1680, part = 460;
        QTest::newRow("none") << int(Sharding::none) << 2 * all << 4 * all << 12 * all;
        QTest::newRow("ZeRO-1") << int(Sharding::zero1) << 2 * all << 4 * all << 12 * part;
        QTest::newRow("ZeRO-2") << int(Sharding::zero2) << 2 * all << 4 * part << 12 * part;
        QTest::newRow("ZeRO-3") << int(Sharding::zero3) << 2 * part << 4 * part << 12 * part;
    }
    void stateUnderSharding() {
        QFETCH(int, sharding);
        QFETCH(double, weights);
        QFETCH(double, gradients);
        QFETCH(double, optimizer);
        TrainingRig rig = rigWithState();
        rig.plan.sharding = static_cast<Sharding>(sharding);
        StageCost<double> s = state(rig);
        QCOMPARE(partOf(s, MemoryKind::weights), weights);
        QCOMPARE(partOf(s, MemoryKind::gradients), gradients);
        QCOMPARE(partOf(s, MemoryKind::optimizer), optimizer);
        // With a pipeline ZeRO-2 keeps gradients whole until the last micro-batch.
        rig.plan.pipelineParallel = 2;
        s = state(rig);
        QCOMPARE(partOf(s, MemoryKind::gradients),
                 rig.plan.sharding == Sharding::zero2 ? 4 * 1680.0 : gradients);
        // A frozen reference model adds its 16-bit weights.
        rig.plan.referencePass = true;
        QCOMPARE(partOf(state(rig), MemoryKind::weights), 2 * weights);
        rig.plan.referencePass = false;
        // A device of DualPipe holds two stages, whose optimizer state the two devices that hold them share.
        rig.plan.schedule = PipelineSchedule::dualPipe;
        s = state(rig);
        QCOMPARE(partOf(s, MemoryKind::weights), 2 * weights);
        QCOMPARE(partOf(s, MemoryKind::optimizer), optimizer);
    }

    /// FSDP2: the FP32 shards are the parameters, counted with the optimizer, and the 16-bit copy exists only
    /// gathered. Under LoRA the frozen base is FP32 too; the reference of DPO is the base without its
    /// adapters.
    void weightsOfShardedMasters() {
        TrainingRig rig = rigWithState();
        rig.plan.sharding = Sharding::zero3;
        rig.plan.masterIsParameter = true;
        QCOMPARE(partOf(state(rig), MemoryKind::weights), 0.0);
        rig.plan.lora = true;
        rig.plan.referencePass = true;
        QCOMPARE(partOf(state(rig), MemoryKind::weights), 4 * 460.0);
        rig.plan.masterIsParameter = false; // 16 bits, and the 70 adapter parameters
        QCOMPARE(partOf(state(rig), MemoryKind::weights), 2 * 460.0 + 2 * 70);
        QCOMPARE(partOf(state(rig), MemoryKind::gradients), 4 * 70.0 / 4);
        QCOMPARE(partOf(state(rig), MemoryKind::optimizer), 12 * 70.0 / 4);
    }

    /// QLoRA (Dettmers et al. 2023, arXiv 2305.14314): 4-bit weights in the layers; embedding and output
    /// layer, 2 x 500 of 1,200 parameters, keep 16 bits.
    void quantizedBase() {
        TrainingRig rig = rigWithState();
        rig.in[Input::vocabulary] = 1000.0 / 64;
        rig.in[Input::frozenWeightBytes] = 0.5;
        rig.plan.sharding = Sharding::zero3;
        rig.plan.lora = rig.plan.quantizedBase = true;
        QCOMPARE(partOf(state(rig), MemoryKind::weights),
                 (2 * 1000 + 0.5 * 200) / 4 + 0.5 * 480 / 3 + 2 * 70);
        rig.plan.tiedEmbeddings = true; // one matrix of 500
        QCOMPARE(partOf(state(rig), MemoryKind::weights), (2 * 500 + 0.5 * 700) / 4 + 0.5 * 480 / 3 + 2 * 70);
        rig.in[Input::vocabulary] = 1e6; // a stage without any part of the layers
        QCOMPARE(partOf(state(rig), MemoryKind::weights), 2 * 1200 / 4.0 + 0.5 * 480 / 3 + 2 * 70);
    }

    /// Offloading moves the optimizer's bytes first, then the gradient's.
    void offloadedState() {
        TrainingRig rig = rigWithState();
        rig.in[Input::offloadedBytes] = 8;
        rig.in[Input::offloadOptimizer] = 0.5;
        QCOMPARE(partOf(state(rig), MemoryKind::optimizer), (12 - 4) * 460.0);
        QCOMPARE(partOf(state(rig), MemoryKind::gradients), 4 * 1680.0);
        rig.in[Input::offloadedBytes] = 14;
        rig.in[Input::offloadOptimizer] = 1;
        QCOMPARE(partOf(state(rig), MemoryKind::optimizer), 0.0);
        QCOMPARE(partOf(state(rig), MemoryKind::gradients), (4 - 2) * 1680.0);
        rig.in[Input::offloadedBytes] = 30;
        QCOMPARE(partOf(state(rig), MemoryKind::gradients), 0.0);
    }

    /// ZeRO-3 holds whole at its peak: two layers (the larger kind: 20,609 + 12,288) or, if that is more, a
    /// limit of the plan, and the head's 32,000; 2 bytes of weight and 4 of gradient each. With a pipeline,
    /// everything of the stage.
    void gatheredParameters() {
        TrainingRig rig = rigOfTwoStages();
        rig.plan.pipelineParallel = 1;
        rig.plan.stageLayers = {6};
        rig.plan.stageKinds = {{3, 3}};
        rig.in[Input::gatherBytes] = 2;
        rig.in[Input::gradientReduceBytes] = 4;
        rig.in[Input::gatheredLayers] = 2;
        rig.in[Input::gatheredParameters] = 7e4;
        StageCost<double> s;
        s.parameters = 1000;
        s.expertParameters = 300;
        rig.plan.sharding = Sharding::zero2;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 0.0);
        rig.plan.sharding = Sharding::zero3;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 6 * (70'000.0 + 32'000));
        rig.in[Input::gatheredParameters] = 6e4;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 6 * (2 * 32'897.0 + 32'000));
        rig.plan.lora = true; // frozen weights have no gradients
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (2 * 32'897.0 + 32'000));
        rig.plan.stageKinds = {{6, 0}};
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * (6e4 + 32'000));
        rig.plan.pipelineParallel = 2;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 2 * 1300.0);
        rig.plan.lora = false;
        QCOMPARE(gatheredMemory(rig.context(), rig.held(), 0, s), 6 * 1300.0);
    }

    /// Under 1F1B the first of two stages holds two micro-batches, the last one one. The gradients inside a
    /// layer find room where the logits were: 96 tokens x (10 bytes x 500 logits + 4 x 64 of the final norm).
    void memoryOfStages() {
        TrainingRig rig = rigOfTwoStages();
        rig.plan.microbatches = 8;
        rig.in[Input::logitsBytes] = 10;
        rig.in[Input::fragmentation] = 1.125;
        rig.in[Input::communicationMemory] = 1e5;
        rig.in[Input::contextMemory] = 2e5;
        // A dense layer keeps 1,024 bytes a token, one with experts 784 + 120 + 1,496.
        const double dense = 1024 * tokens, moe = 2400 * tokens, gradients = 3 * 368 * tokens;
        const double logits = tokens * (10 * 500 + 4 * 64);
        StageCost<double> first, last;
        const auto fill = [&] {
            stageParameters(rig.context(), rig.held(), 0, first);
            stageParameters(rig.context(), rig.held(), 1, last);
            for (StageCost<double>* each : {&first, &last}) {
                stateMemory(rig.context(), *each);
                fixedMemory(rig.context(), rig.held(), each == &first ? 0 : 1, *each);
                peakMemory(rig.context(), rig.held(), each == &first ? 0 : 1, *each);
            }
        };
        fill();
        QCOMPARE(partOf(first, MemoryKind::logits), 0.0);
        QCOMPARE(partOf(last, MemoryKind::logits), logits);
        QCOMPARE(partOf(first, MemoryKind::activations), 2 * (2 * dense + moe) + gradients);
        QCOMPARE(partOf(last, MemoryKind::activations), 2 * moe);
        QCOMPARE(partOf(last, MemoryKind::communication), 1e5);
        QCOMPARE(partOf(last, MemoryKind::context), 2e5);
        const double parts = 12 * (last.parameters / 4 + last.expertParameters / 3) +
                             (2 + 4) * (last.parameters + last.expertParameters) + logits + 2 * moe;
        QCOMPARE(partOf(last, MemoryKind::fragmentation), 0.125 * parts);
        QCOMPARE(last.memoryTotal, 1.125 * parts + 3e5);
        // Small logits leave less room.
        rig.in[Input::logitsBytes] = 1;
        fill();
        QCOMPARE(partOf(last, MemoryKind::activations), 2 * moe + gradients - tokens * (500 + 4 * 64));
        rig.in[Input::logitsBytes] = 10;
        // A prediction module keeps a layer and logits of its own.
        rig.in[Input::mtpDepth] = 1;
        fill();
        QCOMPARE(partOf(last, MemoryKind::activations), 3 * moe);
        QCOMPARE(partOf(last, MemoryKind::logits), tokens * (2 * 10 * 500 + 4 * 64));
        rig.in[Input::mtpDepth] = 0;
        // A quarter on the host. One layer is whole while it runs again.
        rig.in[Input::offloadActivations] = 0.25;
        rig.plan.recompute.full = true;
        fill();
        QCOMPARE(partOf(first, MemoryKind::activations), 0.75 * 2 * 3 * 128 * tokens + moe + gradients);
        // Where the logits were: their 5,256 bytes a token hold all 3,504 of that layer, 756 do not.
        QCOMPARE(partOf(last, MemoryKind::activations), 0.75 * 2 * 128 * tokens);
        rig.in[Input::logitsBytes] = 1;
        fill();
        QCOMPARE(partOf(last, MemoryKind::activations),
                 0.75 * 2 * 128 * tokens + moe + gradients - tokens * (500 + 4 * 64));
        // Fewer micro-batches than stages; one GPU has no peer.
        rig.in[Input::offloadActivations] = 0;
        rig.plan.microbatches = 1;
        rig.in[Input::gpus] = 1;
        fill();
        QCOMPARE(partOf(first, MemoryKind::activations), 3 * 128 * tokens + moe + gradients);
        QCOMPARE(partOf(first, MemoryKind::communication), 0.0);
    }

    /// With one micro-batch in PyTorch the gradients take the place of activations and logits that the
    /// backward pass has freed before.
    void gradientsInThePlaceOfActivations() {
        TrainingRig rig = rigOfTwoStages();
        rig.plan.freshGradients = true;
        StageCost<double> s;
        s.trainable = s.parameters = 1e6;
        stateMemory(rig.context(), s);
        fixedMemory(rig.context(), rig.held(), 0, s);
        peakMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::gradients), 4e6 - partOf(s, MemoryKind::activations));
        QVERIFY(partOf(s, MemoryKind::gradients) > 0);
        s.trainable = 1e3;
        stateMemory(rig.context(), s);
        fixedMemory(rig.context(), rig.held(), 0, s);
        peakMemory(rig.context(), rig.held(), 0, s);
        QCOMPARE(partOf(s, MemoryKind::gradients), 0.0);
    }

private:
    static StageCost<double> state(const TrainingRig& rig) {
        StageCost<double> s;
        s.parameters = 1200;
        s.expertParameters = 480;
        s.trainable = rig.plan.lora ? 70 : s.parameters;
        s.trainableExperts = rig.plan.lora ? 0 : s.expertParameters;
        stateMemory(rig.context(), s);
        return s;
    }
};

QTEST_APPLESS_MAIN(TestTrainingMemory)

} // namespace tst_training_memory

#include "tst_training_memory.moc"
