// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/serving_rig.h"

#include <cmath>

namespace tst_serving_layer {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double rows = 46; ///< 40 tokens of prompts and 6 that are decoded

constexpr double flopsOf(double m, double n, double k) { return 2 * m * n * k; }
constexpr double bytesOf(double m, double n, double k) { return 2 * (m * k + n * k + m * n); }

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

} // namespace

/// Kernels of the layers of one engine step on a small model, every FLOP and byte counted by hand.
class TestServingLayer : public QObject {
    Q_OBJECT

private slots:
    /// A step of 2 prompts on 4 attention-data ranks and 2 stages keeps two ranks busy: 40 / (2 x 2) tokens
    /// of a prompt, half a prompt, and 6 / (4 x 2) sequences of 1 + 1 guessed tokens. The experts see the
    /// rows of all ranks, (40 + 6 x 2) / 2.
    void rowsOfAStep() {
        ServingRig rig;
        rig.in[Input::attentionDataParallel] = 4;
        rig.in[Input::pipelineParallel] = 2;
        rig.in[Input::draftTokens] = 1;
        StepRows<double> r = rig.context().rows(rig.load);
        QCOMPARE(r.prefill, 10.0);
        QCOMPARE(r.prompts, 0.5);
        QCOMPARE(r.cached, 24.0);
        QCOMPARE(r.sequences, 0.75);
        QCOMPARE(r.queries, 2.0);
        QCOMPARE(r.context, 100.0);
        QCOMPARE(r.rank, 11.5);
        QCOMPARE(r.engine, 26.0);
        QVERIFY(r.prefills && r.decodes);
        rig.in[Input::chunkTokens] = 8; // five chunks keep all four ranks busy
        QCOMPARE(rig.context().rows(rig.load).prefill, 5.0);
        rig.load.prompts = 0.25; // part of a prompt is on one rank
        rig.in[Input::chunkTokens] = 64;
        QCOMPARE(rig.context().rows(rig.load).prefill, 20.0);
        QCOMPARE(rig.context().rows(rig.load).prompts, 0.125);
        rig.load.prefillTokens = rig.load.decodeSequences = 0;
        r = rig.context().rows(rig.load);
        QVERIFY(!r.prefills && !r.decodes);
    }

    /// QKV: (4 + 2 x 2) 16 = 128 wide. Norm and residual move 8 x 64 bytes of a row, rotary embedding and
    /// cache 4 (4 + 2) 16. A prompt token sees 24 + 21 / 2 keys on average; a decoded one reads 100 x 2 x 2 x
    /// 16 x 2 bytes.
    void groupedQueryAttention() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::none;
        rig.built();
        verifyGemm(rig, "QKV projection", 128, 64);
        verifyGemm(rig, "Output projection", 64, 64);
        QCOMPARE(rig.bytes("Norm, rotary embedding, cache write"), rows * (8 * 64 + 4 * 6 * 16));
        QCOMPARE(rig.flops("Prefill attention"), 2.0 * 2 * 4 * 32 * 20 * 34.5);
        QCOMPARE(rig.bytes("Prefill attention"), 2.0 * 2 * 32 * (4 * 20 + 2 * 44));
        QCOMPARE(rig.flops("Decode attention"), 4.0 * 6 * 4 * 16 * 100);
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 100 * 128);
        QCOMPARE(rig.seconds("Decode attention"), 6.0 * 100 * 128);
        QCOMPARE(rig.out->ops.size(), std::size_t{5});
        QCOMPARE(rig.out->launches, 5);
        double seconds = 0;
        for (const OpCost<double>& op : rig.out->ops)
            seconds += op.seconds;
        QCOMPARE(rig.out->seconds, seconds);

        rig.layer.window = 30; // no query sees more
        rig.plan.attentionGate = true;
        rig.plan.norms = 4;
        rig.in[Input::kvHeads] = 1; // on both ranks
        rig.built();
        verifyGemm(rig, "QKV projection", (2 * 4 + 2) * 16, 64);
        QCOMPARE(rig.flops("Prefill attention"), 2.0 * 2 * 4 * 32 * 20 * 30);
        QCOMPARE(rig.flops("Decode attention"), 4.0 * 6 * 4 * 16 * 30);
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 30 * 64);
        QCOMPARE(rig.bytes("Attention output norm"), 4 * 64 * rows);
        rig.load.prefillTokens = 0;
        rig.built();
        QCOMPARE(rig.bytes("Prefill attention"), -1.0);
        rig.load.prefillTokens = 40;
        rig.load.decodeSequences = 0;
        rig.built();
        QCOMPARE(rig.bytes("Decode attention"), -1.0);
    }

    /// Compute-bound: the law of prefill with its span of 44 tokens; decodes at the efficiency of attention.
    void paceOfAttention() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::none;
        rig.in[Input::reportingPeak] = 1;
        rig.in[Input::memoryBandwidth] = 1e9;
        rig.in[Input::servingAttentionEfficiency] = 0.5;
        rig.in[Input::servingAttentionHalfLength] = 22;
        rig.in[Input::servingAttentionLaunch] = 7;
        rig.in[Input::servingSinkFactor] = 0.4;
        const double prefill = 2.0 * 2 * 4 * 32 * 20 * 34.5, decode = 4.0 * 6 * 4 * 16 * 100;
        rig.built();
        QCOMPARE(rig.seconds("Prefill attention"), 7 + prefill * 1.5 / 0.5);
        QCOMPARE(rig.seconds("Decode attention"), 7 + decode / 0.5);
        rig.plan.smallSinkHeads = true;
        rig.layer.window = 11;
        rig.built();
        QCOMPARE(rig.seconds("Prefill attention"), 7 + 2.0 * 2 * 4 * 32 * 20 * 11 * 3 / 0.2);
        // Guessed tokens are queries more.
        rig.layer.window = 0;
        rig.in[Input::draftTokens] = 2;
        rig.built();
        QCOMPARE(rig.flops("Decode attention"), 3 * decode);
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 100 * 128); // of one cache
    }

    /// A kernel without XQA reads the cache of a group for each of its query heads; of those reads the L2
    /// cache answers some.
    void cacheReadByQueryHead() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::none;
        rig.in[Input::servingRepeatedReads] = 0.7;
        rig.built();
        const double once = rig.bytes("Decode attention"), flops = rig.flops("Decode attention");
        rig.plan.cacheReadByQueryHead = true;
        rig.built();
        const double sharers = rig.in[Input::attentionHeads] / rig.in[Input::kvHeads];
        QVERIFY(sharers > 1);
        QCOMPARE(rig.bytes("Decode attention"), once * (1 + 0.7 * (sharers - 1)));
        QCOMPARE(rig.flops("Decode attention"), flops);
        // As many GPUs as heads: one query head each, and its own copy of the keys and values.
        const double heads = rig.in[Input::attentionHeads];
        rig.in[Input::tensorParallel] = heads;
        rig.plan.tensorParallel = static_cast<int>(heads);
        rig.plan.cacheReadByQueryHead = false;
        rig.built();
        const double alone = rig.bytes("Decode attention");
        rig.plan.cacheReadByQueryHead = true;
        rig.built();
        QCOMPARE(rig.bytes("Decode attention"), alone);
    }

    /// Latent attention: per head 10 + 6 wide queries, values of 24; decodes absorb the up-projections and
    /// work on the latent of 20 + 6 and 20 (DeepSeek-V2, arXiv 2405.04434).
    void latentAttention() {
        ServingRig rig = latent();
        rig.layer.feedForward = FeedForward::none;
        rig.built();
        verifyGemm(rig, "Query and KV down-projection", 40 + 26, 64);
        verifyGemm(rig, "Query up-projection", 4 * 16, 40);
        verifyGemm(rig, "KV up-projection", 4 * (10 + 24), 20);
        verifyGemm(rig, "Output projection", 64, 4 * 24);
        QCOMPARE(rig.bytes("Norm, rotary embedding, cache write"), rows * (8 * 64 + 4 * 4 * 16));
        QCOMPARE(rig.flops("Prefill attention"), 2.0 * 2 * 4 * 40 * 20 * 34.5);
        QCOMPARE(rig.bytes("Prefill attention"), 2.0 * 2 * 40 * (4 * 20 + 4 * 44));
        QCOMPARE(rig.flops("Decode attention"), 2.0 * 6 * 4 * 100 * (2 * 20 + 6));
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 100 * 26 * 2);
        rig.in[Input::draftTokens] = 2; // three queries of each sequence, of one cache
        rig.built();
        QCOMPARE(rig.flops("Decode attention"), 3 * 2.0 * 6 * 4 * 100 * (2 * 20 + 6));
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 100 * 26 * 2);
        rig.in[Input::draftTokens] = 0;
        rig.in[Input::latentPeak] = 2;
        rig.in[Input::servingLatentEfficiency] = 0.25;
        rig.in[Input::memoryBandwidth] = 1e9;
        rig.built();
        QCOMPARE(rig.seconds("Decode attention"), 2.0 * 6 * 4 * 100 * 46 / 0.5);
        rig.plan.queryCompressed = false;
        rig.built();
        verifyGemm(rig, "Query and KV down-projection", 4 * 16 + 26, 64);
        QCOMPARE(rig.flops("Query up-projection"), -1.0);
    }

    /// The indexer of sparse attention: 3 heads of 5, one key of 5 and a scale of 4 bytes for each token
    /// (DeepSeek-V3.2, arXiv 2512.02556, 2.1). It scores all 100 tokens for each of 6 sequences; 30 are read.
    void sparseAttention() {
        ServingRig rig = latent();
        rig.layer.feedForward = FeedForward::none;
        rig.plan.sparseTokens = 30;
        rig.plan.sparseIndexHeads = 3;
        rig.plan.sparseIndexDim = 5;
        rig.built();
        verifyGemm(rig, "Indexer queries", 15, 40);
        verifyGemm(rig, "Indexer keys and weights", 8, 64);
        QCOMPARE(rig.bytes("Indexer queries, rotary embedding"), rows * 4 * 15);
        QCOMPARE(rig.bytes("Indexer quantization, key cache"), rows * 3 * 15);
        QCOMPARE(rig.flops("Indexer scores"), 2.0 * 600 * 15);
        QCOMPARE(rig.bytes("Indexer scores"), 6.0 * 100 * 9 + 4 * 600);
        QCOMPARE(rig.bytes("Indexer choice"), 2.0 * 4 * 600);
        QCOMPARE(rig.flops("Indexer scores, prompts"), 2.0 * 2 * 20 * 34.5 * 15);
        QCOMPARE(rig.bytes("Indexer scores, prompts"), 2.0 * 44 * 9 + 4 * 2 * 20 * 34.5);
        QCOMPARE(rig.bytes("Decode attention"), 6.0 * 30 * 26 * 2);
        // Prompts longer than the choice: absorbed, groups of 64 heads, one latent of 26 and 20 for all.
        QCOMPARE(rig.flops("Prefill attention"), 2.0 * 2 * 64 * 46 * 20 * 30);
        QCOMPARE(rig.bytes("Prefill attention"), 2.0 * 2 * 46 * (64 * 20 + 44));
        rig.in[Input::draftTokens] = 1; // scores for the guessed token, too
        rig.built();
        QCOMPARE(rig.flops("Indexer scores"), 2.0 * 2 * 600 * 15);
        QCOMPARE(rig.bytes("Indexer choice"), 2.0 * 4 * 2 * 600);
        rig.in[Input::draftTokens] = 0;
        rig.plan.sparseTokens = 44;
        rig.built();
        QCOMPARE(rig.flops("Prefill attention"), 2.0 * 2 * 4 * 40 * 20 * 34.5);
        rig.plan.queryCompressed = false;
        rig.built();
        verifyGemm(rig, "Indexer queries", 15, 64);
        // Scores in the arithmetic of the dense layers, the choice at the pace of memory.
        rig.in[Input::peak] = 2;
        rig.in[Input::memoryBandwidth] = 1e9;
        rig.in[Input::servingAttentionEfficiency] = 0.25;
        rig.in[Input::servingAttentionLaunch] = 7;
        rig.in[Input::servingElementwiseTime] = 3;
        rig.built();
        QCOMPARE(rig.seconds("Indexer scores"), 7 + 2.0 * 600 * 15 / 0.5);
        rig.in[Input::memoryBandwidth] = 2;
        rig.in[Input::peak] = 1e30;
        rig.in[Input::servingAttentionMemoryEfficiency] = 0.25;
        rig.in[Input::servingMemoryEfficiency] = 0.1;
        rig.built();
        QCOMPARE(rig.seconds("Indexer scores"), 7 + (6.0 * 100 * 9 + 4 * 600) / 0.5);
        QCOMPARE(rig.seconds("Indexer choice"), 3 + 2.0 * 4 * 600 / 0.2);
    }

    /// Decodes read and write the FP32 state, of 16 x 5 elements on a rank; prompts scan.
    void mamba2() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::none;
        rig.layer.mixer = Mixer::mamba2;
        rig.in[Input::mambaInner] = 32;
        rig.in[Input::mambaStates] = 12;
        rig.in[Input::mambaHeads] = 6;
        rig.in[Input::mambaState] = 5;
        rig.in[Input::servingLinearTime] = 7;
        rig.built();
        verifyGemm(rig, "Mamba input projection", 2 * 16 + 6 + 3, 64);
        verifyGemm(rig, "Mamba output projection", 64, 16);
        QCOMPARE(rig.bytes("Norm and causal convolution"), rows * (8 * 64 + 4 * (16 + 6)));
        QCOMPARE(rig.bytes("State update"), 2.0 * 6 * 80 * 4);
        QCOMPARE(rig.seconds("State update"), 7 + 2.0 * 6 * 80 * 4);
        QCOMPARE(rig.flops("Scan"), 40.0 * 7 * 80);
        QCOMPARE(rig.bytes("Scan"), 2.0 * 2 * 80 * 4);
        QCOMPARE(rig.seconds("Scan"), 7 + 2.0 * 2 * 80 * 4);
        QCOMPARE(rig.out->launches, 4 + 6);
        rig.in[Input::reportingPeak] = 2;
        rig.in[Input::servingScanEfficiency] = 0.25;
        rig.in[Input::servingLinearMemoryEfficiency] = 0.5;
        rig.built();
        QCOMPARE(rig.seconds("Scan"), 7 + 40.0 * 560 / 0.5);
        QCOMPARE(rig.seconds("State update"), 7 + 2.0 * 6 * 80 * 4 / 0.5);
    }

    /// 12 key channels and 20 value channels in heads of 10 on a rank: 200 elements of state.
    void gatedDeltaNet() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::none;
        rig.layer.mixer = Mixer::gatedDeltaNet;
        rig.in[Input::deltaKeys] = 24;
        rig.in[Input::deltaValues] = 40;
        rig.in[Input::deltaHeads] = 4;
        rig.built();
        verifyGemm(rig, "DeltaNet input projection", 2 * 12 + 2 * 20 + 2 * 2, 64);
        verifyGemm(rig, "DeltaNet output projection", 64, 20);
        QCOMPARE(rig.bytes("Norm and causal convolution"), rows * (8 * 64 + 4 * (2 * 12 + 20)));
        QCOMPARE(rig.bytes("State update"), 2.0 * 6 * 200 * 4);
        QCOMPARE(rig.flops("Scan"), 40.0 * 8 * 200);
    }

    void mlp() {
        ServingRig rig;
        rig.layer.mixer = Mixer::none;
        rig.plan.norms = 1;
        rig.built();
        verifyGemm(rig, "MLP gate and up", 96, 64);
        verifyGemm(rig, "MLP down", 64, 48);
        QCOMPARE(rig.bytes("GLU product"), rows * 2 * 3 * 48);
        QCOMPARE(rig.bytes("MLP norm"), rows * 8 * 64);
        QCOMPARE(rig.bytes("MLP output norm"), -1.0);
        rig.plan.gatedFfn = false;
        rig.plan.norms = 4;
        rig.built();
        verifyGemm(rig, "MLP up", 48, 64);
        QCOMPARE(rig.bytes("Activation"), rows * 2 * 2 * 48);
        QCOMPARE(rig.bytes("MLP output norm"), rows * 4 * 64);
        rig.layer.mixer = Mixer::attention;
        rig.plan.norms = 1;
        rig.built();
        QCOMPARE(rig.bytes("MLP norm"), -1.0);
    }

    /// Quantized layers: operands of 1 byte, weights of half a byte in the experts' format, and a kernel that
    /// scales the input. Output layer and router stay in 16 bits.
    void quantizedLayers() {
        ServingRig rig;
        rig.in[Input::denseOperandBytes] = 1;
        rig.in[Input::denseWeightBytes] = 1;
        rig.in[Input::expertOperandBytes] = 0.5;
        rig.in[Input::expertWeightBytes] = 0.25;
        rig.in[Input::servingGemmLaunch] = 5;
        rig.in[Input::servingQuantTime] = 2;
        rig.plan.narrowMlp = true;
        rig.built();
        QCOMPARE(rig.bytes("QKV projection"), rows * 64 + 128 * 64 + 2 * rows * 128);
        QCOMPARE(rig.seconds("QKV projection"), 7 + rows * 64 + 128 * 64 + 2 * rows * 128);
        QCOMPARE(rig.bytes("MLP down"), 0.5 * rows * 48 + 0.25 * 64 * 48 + 2 * rows * 64);
        QCOMPARE(rig.bytes("Output projection"), rows * 64 + 64 * 64 + 2 * rows * 64);
        QCOMPARE(rig.out->launches, 5 + 4 + 4); // two for each of four matrices
        rig.plan.narrowOutput = true;
        rig.plan.narrowMlp = false;
        rig.in[Input::servingRowFactor] = 3; // of everything that grows with the rows
        rig.built();
        QCOMPARE(rig.bytes("Output projection"), 1.5 * rows * 64 + 0.25 * 64 * 64 + 6 * rows * 64);
        QCOMPARE(rig.bytes("MLP down"), 3 * rows * 48 + 64 * 48 + 6 * rows * 64);
        QCOMPARE(rig.bytes("GLU product"), 3 * rows * 6 * 48);
        const ServingContext<double> c = rig.context();
        QCOMPARE(c.plain.launch, 5.0);
        QCOMPARE(c.plain.activationBytes, 6.0);
        QCOMPARE(c.plain.weightBytes, 2.0);
        QCOMPARE(c.launches(c.plain), 1);
        QCOMPARE(c.launches(c.dense), 2);
        QCOMPARE(c.launches(c.narrow), 2);
    }

    /// One all-reduce of 46 x 64 x 2 bytes behind the mixer and one behind the MLP: half of it leaves in two
    /// directions of two ranks, S; the engine's kernel takes alpha + gamma sqrt(w) + w / B.
    void tensorParallelism() {
        ServingRig rig;
        rig.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        rig.in[Input::nvlinkBandwidth] = 8;
        rig.in[Input::servingAllReduceEfficiency] = 0.5;
        rig.in[Input::servingAllReduceLatency] = 3;
        rig.in[Input::servingAllReduceFill] = 0.25;
        const double bytes = rows * 64 * 2;
        rig.built();
        QCOMPARE(rig.out->communication.size(), std::size_t{2});
        const CommCost<double>& each = rig.out->communication[1];
        QCOMPARE(each.bytes, bytes);
        QCOMPARE(each.wireBytes, bytes);
        QVERIFY(near(each.seconds, 3 + 0.25 * std::sqrt(bytes) + bytes / 4));
        QCOMPARE(each.exposed, each.seconds);
        QVERIFY(near(rig.out->byPart[StepPart::tensorNvlink], 2 * each.seconds));
        QCOMPARE(rig.out->launches, 5 + 4 + 2);
        rig.in[Input::servingRowFactor] = 2;
        rig.built();
        QVERIFY(near(each.seconds, 3 + 2 * (0.25 * std::sqrt(bytes) + bytes / 4)));
        rig.in[Input::servingRowFactor] = 1;
        rig.in[Input::allReduceEfficiency] = 1; // in the switches: S (1 + 1/2) / B
        rig.plan.reducesInSwitch = true;
        rig.built();
        QVERIFY(near(each.seconds, bytes * 1.5 / 8));
        rig.in[Input::servingAllReduceEfficiency] = 50; // the own kernel is faster
        rig.built();
        QVERIFY(near(each.seconds, 3 + 0.25 * std::sqrt(bytes) + bytes / 400));
        rig.plan.tensorGroup.ranksPerNvlinkDomain = 1;
        rig.in[Input::networkBandwidth] = 2;
        rig.in[Input::networkEfficiency] = rig.in[Input::networkSpeedup] = 1;
        rig.built();
        const auto across =
            collectiveOnGroup(CollectiveOp::allReduce, bytes, rig.plan.tensorGroup, rig.context().fabric);
        QCOMPARE(each.seconds, across.seconds);
        QVERIFY(near(rig.out->byPart[StepPart::tensorNetwork], 2 * across.seconds));
    }

    /// Norms of queries and keys over all heads: a rank squares its 46 x (4 + 2) 16 values, and the two ranks
    /// add up two FP32 sums of each row.
    void normsOverAllHeads() {
        ServingRig rig;
        rig.plan.fullHeadNorms = true;
        rig.built();
        QCOMPARE(rig.bytes("Squares of queries and keys"), -1.0); // one rank has all heads
        const int before = rig.out->launches;
        rig.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        rig.in[Input::nvlinkBandwidth] = rig.in[Input::servingAllReduceEfficiency] = 1;
        rig.in[Input::servingAllReduceLatency] = 3;
        rig.built();
        QCOMPARE(rig.bytes("Squares of queries and keys"), 2 * rows * 6 * 16);
        QCOMPARE(rig.out->communication.size(), std::size_t{3});
        QCOMPARE(rig.out->communication[0].bytes, rows * 8);
        QVERIFY(near(rig.out->communication[0].seconds, 3 + rows * 8));
        QCOMPARE(rig.out->launches, before + 1 + 3);
    }

    /// Fused kernels spare launches: one for the experts with their choice, beside that of the quantized
    /// input, and none for the norm behind the all-reduce of attention.
    void fusedKernels() {
        ServingRig rig = withExperts();
        rig.in[Input::expertOperandBytes] = rig.in[Input::expertWeightBytes] = 0.5;
        rig.built();
        const int apart = rig.out->launches;
        rig.plan.fusedExperts = true;
        rig.built();
        QCOMPARE(rig.out->launches, apart - 1 - 6);
        rig.plan.fusedReductions = true;
        rig.built();
        QCOMPARE(rig.out->launches, apart - 1 - 6 - 1);
    }

    /// 46 rows with 2 of 16 experts each, on 4 ranks: 23 rows of a rank. Of its 4 experts 4 (1 - (1 + 46
    /// ((7/8)^-1/4 - 1))^-4) are chosen where popularity varies by 1/2, on the busiest rank Phi^-1(3.625
    /// / 4.25) = 1.049 deviations of a binomial count more (Blom 1958). A tile has 16 rows at least.
    void experts() {
        ServingRig rig = withExperts();
        rig.built();
        verifyGemm(rig, "Router", 16, 64);
        QCOMPARE(rig.bytes("Choice of experts"), rows * 4 * 16);
        const double touched = 4 * (1 - missedOfSixteen(46)), z = blomMaximum(4);
        QVERIFY(std::abs(z - 1.049) < 1e-3);
        const double busiest = std::min(4.0, touched + z * std::sqrt(touched * (1 - touched / 4)));
        // Popularity of 4 of 16 experts, 0.5^2 4/16 (1 - 1/4), and the chance of 23 rows.
        const double skew = 1.25 * (1 + z * std::sqrt(0.25 * 3 / 16 + 1.0 / 23));
        const double expert = 3 * 2 * 32 * 20, moved = 23 * (5 * 32 + 6 * 20);
        QVERIFY(near(rig.flops("Routed experts"), 2.0 * 3 * 32 * 20 * 23));
        QVERIFY(near(rig.bytes("Routed experts"), expert * touched + moved));
        QVERIFY(near(rig.seconds("Routed experts"), 9 + 2 + expert * busiest + skew * moved));
        QCOMPARE(rig.out->launches, 5 + 1 + 1 + 1 + 6 + 2);
        verifyGemm(rig, "Shared experts, gate and up", 48, 64);
        verifyGemm(rig, "Shared experts, down", 64, 24);
        QCOMPARE(rig.bytes("GLU product"), -1.0);
        // Slow arithmetic: the busiest rank's rows, and a quarter of a tile for each expert.
        rig.in[Input::expertPeak] = 4;
        rig.in[Input::servingExpertEfficiency] = 0.5;
        rig.in[Input::servingExpertPad] = 0.25;
        rig.in[Input::servingUntunedExperts] = 1.5;
        rig.in[Input::servingWeightOnlyFactor] = 0.4;
        rig.in[Input::memoryBandwidth] = 1e9;
        const double work = 2.0 * 3 * 32 * 20 * (skew * 23 + 0.25 * 16 * busiest);
        rig.built();
        QVERIFY(near(rig.seconds("Routed experts"), 11 + 1.5 * work / 2));
        rig.in[Input::expertWeightBytes] = 0.5; // widened to 16 bits on the way
        rig.built();
        QVERIFY(near(rig.seconds("Routed experts"), 11 + 1.5 * work / 0.8));
        rig.in[Input::expertOperandBytes] = 0.5;
        rig.built();
        QVERIFY(near(rig.seconds("Routed experts"), 11 + 1.5 * work / 2));
        rig.in[Input::memoryBandwidth] = 4;
        rig.in[Input::expertPeak] = 1e30;
        rig.in[Input::servingExpertMemoryEfficiency] = 0.5;
        rig.built();
        QVERIFY(near(rig.seconds("Routed experts"), 11 + 1.5 * (expert / 4 * busiest + skew * moved) / 2));
        QCOMPARE(rig.out->launches, 5 + 1 + 1 + 1 + 8 + 2);
    }

    /// On one rank all chosen experts are read, and no rank is busier than another. Tiles grow with the rows
    /// of an expert, up to 128.
    void expertsOfOneRank() {
        ServingRig rig = withExperts();
        rig.plan.expertParallel = 1;
        rig.in[Input::expertParallel] = 1;
        rig.in[Input::expertPeak] = 4;
        rig.in[Input::servingExpertPad] = 0.25;
        rig.in[Input::memoryBandwidth] = 1e9;
        for (const double tokens : {34.0, 394.0, 4994.0}) {
            rig.load.prefillTokens = tokens;
            const double engine = tokens + 6, touched = 16 * (1 - missedOfSixteen(engine));
            const double tile = std::clamp(2 * engine / touched, 16.0, 128.0);
            rig.built();
            QVERIFY(near(rig.seconds("Routed experts"),
                         11 + 2.0 * 3 * 32 * 20 * (1.25 * 2 * engine + 0.25 * tile * touched) / 4));
        }
        rig.plan.latentExperts = true;
        rig.load.prefillTokens = 40;
        rig.built();
        verifyGemm(rig, "Latent down-projection", 32, 64);
        verifyGemm(rig, "Latent up-projection", 64, 32);
    }

    /// A sample is sorted on each GPU: 1,000 logits of 7 bytes for each of 6 decoded tokens and 2 prompts;
    /// the output layer has 500 columns.
    void outputLayer() {
        ServingRig rig;
        rig.in[Input::servingSampleBytes] = 4;
        rig.in[Input::servingSortBytes] = 3;
        const ServingContext<double> c = rig.context();
        ServingLayerBuilder<double> head(c, c.rows(rig.load), *rig.out);
        servingHead(c, c.rows(rig.load), head);
        QCOMPARE(rig.flops("Logits"), flopsOf(8, 500, 64));
        QCOMPARE(rig.bytes("Logits"), bytesOf(8, 500, 64));
        QCOMPARE(rig.bytes("Sampling"), 8 * 1000 * 7.0);
        QCOMPARE(rig.seconds("Sampling"), 8 * 1000 * 7.0);
        rig.in[Input::draftTokens] = 2; // three tokens of each sequence
        const ServingContext<double> drafting = rig.context();
        ServingLayerBuilder<double> more(drafting, drafting.rows(rig.load), *rig.out);
        servingHead(drafting, drafting.rows(rig.load), more);
        QCOMPARE(rig.flops("Logits"), flopsOf(20, 500, 64));
    }

    /// What bounds a kernel of a step, and how near it comes to its roof.
    void figuresOfAKernel() {
        ServingRig rig;
        rig.in[Input::memoryBandwidth] = 4;
        const ServingContext<double> c = rig.context();
        ServingLayerBuilder<double> builder(c, c.rows(rig.load), *rig.out);
        builder.kernel("arithmetic",
                       withTotal<double>({.flops = 80, .bytes = 16, .compute = 10, .memory = 4, .launch = 6}),
                       5);
        builder.kernel("memory",
                       withTotal<double>({.flops = 8, .bytes = 16, .compute = 2, .memory = 4, .launch = 4}),
                       5, 3);
        const OpCost<double>&a = rig.out->ops[0], &m = rig.out->ops[1];
        QCOMPARE(a.seconds, 16.0);
        QCOMPARE(a.intensity, 5.0);
        QCOMPARE(a.efficiency, 80 / (5.0 * 16));
        QCOMPARE(a.work, Bound::compute);
        QCOMPARE(a.phase, Phase::prefill);
        QCOMPARE(m.efficiency, 16 / (4.0 * 8));
        QCOMPARE(m.work, Bound::hbm);
        QCOMPARE(rig.out->byPart[StepPart::compute], 10.0);
        QCOMPARE(rig.out->byPart[StepPart::hbm], 4.0);
        QCOMPARE(rig.out->byPart[StepPart::launch], 10.0);
        QCOMPARE(rig.out->executedFlops, 88.0);
        QCOMPARE(rig.out->seconds, 24.0);
        QCOMPARE(rig.out->launches, 4);
    }

private:
    static ServingRig latent() {
        ServingRig rig;
        rig.plan.latentAttention = rig.plan.queryCompressed = true;
        rig.in[Input::mlaQueryRank] = 40;
        rig.in[Input::mlaKvRank] = 20;
        rig.in[Input::mlaRopeDim] = 6;
        rig.in[Input::mlaNopeDim] = 10;
        rig.in[Input::valueHeadDim] = 24;
        return rig;
    }
    /// Share of 16 experts that no row chooses of which each has two, with a spread of popularity of 1/2.
    static double missedOfSixteen(double tokens) {
        return std::pow(1 + tokens * (std::pow(7.0 / 8, -0.25) - 1), -4);
    }
    static ServingRig withExperts() {
        ServingRig rig;
        rig.layer.feedForward = FeedForward::moe;
        rig.in[Input::expertImbalance] = 1.25;
        rig.in[Input::servingExpertSkew] = 0.5;
        rig.in[Input::servingPermuteBytes] = 5;
        rig.in[Input::servingExpertLaunch] = 9;
        rig.in[Input::servingExpertQuantTime] = 2;
        rig.in[Input::sharedFfnSize] = 48;
        return rig;
    }
    static void verifyGemm(const ServingRig& rig, const char* name, double n, double k) {
        QCOMPARE(rig.flops(name), flopsOf(rows, n, k));
        QCOMPARE(rig.bytes(name), bytesOf(rows, n, k));
    }
};

QTEST_APPLESS_MAIN(TestServingLayer)

} // namespace tst_serving_layer

#include "tst_serving_layer.moc"
