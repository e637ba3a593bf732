// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/training_rig.h"

namespace tst_training_layer {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tokens = tokensOfRank;

} // namespace

/// Kernels of the layers of a small model: FLOP and bytes of each, counted by hand, in each phase.
class TestTrainingLayer : public QObject {
    Q_OBJECT

private slots:
    /// Sizes on one of 2 ranks: 16 of 32 inner channels, 6 of 12 for B and C, 3 of 6 heads, state size 5. The
    /// input projection makes z, x, B, C and dt (Dao & Gu 2024, arXiv 2405.21060, section 7); the convolution
    /// reads and writes x, B and C; the scan has 7 d N FLOP (Megatron-LM, training.py) and reads x, B, C,
    /// writes y; the norm reads y and z and writes one.
    void mamba2() {
        TrainingRig rig = mixerOnly(Mixer::mamba2);
        rig.in[Input::mambaInner] = 32;
        rig.in[Input::mambaStates] = 12;
        rig.in[Input::mambaHeads] = 6;
        rig.in[Input::mambaState] = 5;
        rig.built(rig.attention);
        verifyGemm(rig, "Mamba input projection", tokens, 2 * 16 + 6 + 3, 64);
        verifyGemm(rig, "Mamba output projection", tokens, 64, 16);
        verifyStream(rig, "Mixer norm", 8 * 64);
        verifyStream(rig, "Causal convolution", 2 * 2 * (16 + 6));
        verifyStream(rig, "Gated norm", 2 * 3 * 16);
        verifyScan(rig, "State-space scan", 7 * 16 * 5, 2 * 2 * (2 * 16 + 6));
    }

    /// One of 2 ranks has 12 of 24 key and 20 of 40 value channels and 2 of 4 heads of 10: q, k, v, the gate,
    /// and two numbers a head are projected (Yang et al. 2024, arXiv 2412.06464, section 3.4); q, k and v are
    /// convolved.
    void gatedDeltaNet() {
        TrainingRig rig = mixerOnly(Mixer::gatedDeltaNet);
        rig.in[Input::deltaKeys] = 24;
        rig.in[Input::deltaValues] = 40;
        rig.in[Input::deltaHeads] = 4;
        rig.built(rig.attention);
        verifyGemm(rig, "DeltaNet input projection", tokens, 2 * 12 + 2 * 20 + 2 * 2, 64);
        verifyGemm(rig, "DeltaNet output projection", tokens, 64, 20);
        verifyStream(rig, "Causal convolution", 2 * 2 * (2 * 12 + 20));
        verifyStream(rig, "Gated norm", 2 * 3 * 20);
        verifyScan(rig, "Delta-rule scan", 8 * 20 * 10, 2 * 2 * (2 * 12 + 2 * 20));
    }

    /// A scan runs at its share of the peak, or at the pace of memory if that is slower.
    void paceOfAScan() {
        TrainingRig rig = mixerOnly(Mixer::mamba2);
        rig.in[Input::mambaInner] = 32;
        rig.in[Input::mambaState] = 5;
        rig.in[Input::reportingPeak] = 2;
        rig.in[Input::scanEfficiency] = 0.25;
        rig.in[Input::attentionLaunch] = 7;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("State-space scan", Phase::forward), 7 + 560 * tokens / 0.5);
        QCOMPARE(rig.seconds("State-space scan", Phase::backwardInput), 7 + 2 * 560 * tokens / 0.5);
        rig.in[Input::reportingPeak] = 1e30;
        rig.in[Input::memoryBandwidth] = 4;
        rig.in[Input::gemmMemoryEfficiency] = 0.5;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("State-space scan", Phase::forward), 7 + 128 * tokens / 2);
        QCOMPARE(rig.seconds("State-space scan", Phase::recompute), -1.0);
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("State-space scan", Phase::recompute), 7 + 128 * tokens / 2);
    }

    /// 4 query and 2 KV heads of 16 on a rank: QKV is (4 + 2 x 2) 16 = 128 wide. Rotary embedding and the
    /// norms of queries and keys read and write (4 + 2) 16 elements; the gate of the output is projected with
    /// the queries, and its product reads two and writes one. 128 / 4 queries of a sequence see 128 x 129 / 2
    /// / 4 keys.
    void groupedQueryAttention() {
        TrainingRig rig = mixerOnly(Mixer::attention);
        rig.built(rig.attention);
        verifyGemm(rig, "QKV projection", tokens, 128, 64);
        verifyGemm(rig, "Output projection", tokens, 64, 64);
        verifyStream(rig, "Attention norm", 2 * 4 * 64);
        verifyStream(rig, "Rotary embedding", 2 * 2 * 6 * 16);
        QCOMPARE(rig.bytes("Query and key norms", Phase::forward), -1.0);
        QCOMPARE(rig.bytes("Output gate", Phase::forward), -1.0);
        const double pairs = 128 * 129 / 2 / 4.0;
        QCOMPARE(rig.flops("Core attention", Phase::forward), 2 * 3 * 4 * 32 * pairs);
        QCOMPARE(rig.flops("Core attention", Phase::backwardInput), 2.5 * 2 * 3 * 4 * 32 * pairs);
        QCOMPARE(rig.bytes("Core attention", Phase::forward), 2.0 * 3 * 32 * (4 + 2) * 32);
        QCOMPARE(rig.bytes("Core attention", Phase::backwardInput), 2 * 2.0 * 3 * 32 * (4 + 2) * 32);

        rig.plan.headNorms = rig.plan.attentionGate = true;
        rig.plan.norms = 4;
        rig.in[Input::learnedPositions] = 128; // instead of rotary embedding
        rig.in[Input::kvHeads] = 1;            // copied to both ranks
        rig.built(rig.attention);
        verifyGemm(rig, "QKV projection", tokens, (2 * 4 + 2) * 16, 64);
        verifyStream(rig, "Query and key norms", 2 * 2 * (4 + 1) * 16);
        verifyStream(rig, "Output gate", 2 * 3 * 4 * 16);
        verifyStream(rig, "Attention output norm", 2 * 4 * 64);
        QCOMPARE(rig.bytes("Rotary embedding", Phase::forward), -1.0);
        QCOMPARE(rig.bytes("Core attention", Phase::forward), 2.0 * 3 * 32 * (4 + 1) * 32);
    }

    /// Keys that queries see: 40 in a sliding window, 1 + ... + 40 for the first; blocks of 40 that see
    /// nothing of each other; packed examples of 32 tokens; and the whole square where scores pass through
    /// memory: scores, softmax and dropout, 5 bytes for each here, twice backward.
    void pairsOfAttention_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<double>("pairs"); // of a head and sequence, of the 4 ranks
        QTest::addColumn<double>("sequences");
        QTest::newRow("causal") << "causal" << 128 * 129 / 2.0 << 3.0;
        QTest::newRow("sliding window") << "sliding" << 40 * 41 / 2 + 88 * 40.0 << 3.0;
        QTest::newRow("chunks") << "chunked" << 3 * 40 * 41 / 2 + 8 * 9 / 2.0 << 3.0;
        QTest::newRow("packed") << "packed" << 32 * 33 / 2.0 << 3.0 * 4;
        QTest::newRow("examples as long as the sequence") << "long" << 128 * 129 / 2.0 << 3.0;
        QTest::newRow("unfused") << "scores" << 128 * 128.0 << 3.0;
    }
    void pairsOfAttention() {
        QFETCH(QString, kind);
        QFETCH(double, pairs);
        QFETCH(double, sequences);
        TrainingRig rig = mixerOnly(Mixer::attention);
        rig.attention.window = kind == u"sliding" || kind == u"chunked" ? 40 : 0;
        rig.attention.chunked = kind == u"chunked";
        rig.in[Input::attendedTokens] = kind == u"packed" ? 32 : kind == u"long" ? 128 : 0;
        rig.in[Input::attentionScoreBytes] = kind == u"scores" ? 5 : 0;
        rig.built(rig.attention);
        QCOMPARE(rig.flops("Core attention", Phase::forward), 2 * sequences * 4 * 32 * pairs / 4);
        QCOMPARE(rig.bytes("Attention scores", Phase::forward),
                 kind == u"scores" ? sequences * 4 * pairs / 4 * 5 : -1);
        QCOMPARE(rig.bytes("Attention scores", Phase::backwardInput),
                 kind == u"scores" ? 2 * sequences * 4 * pairs / 4 * 5 : -1);
        // Without context parallelism a rank has all of them.
        rig.plan.contextParallel = 1;
        rig.in[Input::contextParallel] = 1;
        rig.built(rig.attention);
        QCOMPARE(rig.flops("Core attention", Phase::forward), 2 * sequences * 4 * 32 * pairs);
    }

    /// Efficiency eta / (1 + s0 / span): the span is a window, the queries of one step of a ring, or the
    /// sequence. Every step of a ring is a separate kernel, which takes a factor longer.
    void paceOfAttention() {
        TrainingRig rig = mixerOnly(Mixer::attention);
        rig.in[Input::reportingPeak] = 1;
        rig.in[Input::attentionEfficiency] = 0.5;
        rig.in[Input::attentionBackwardRatio] = 0.8;
        rig.in[Input::attentionHalfLength] = 64;
        rig.in[Input::ringAttentionFactor] = 1.25;
        rig.in[Input::sinkAttentionFactor] = 0.4;
        const double flops = 2 * 3 * 4 * 32 * (128 * 129 / 2 / 4.0);
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Core attention", Phase::forward), flops * 3 / (0.5 / 1.25)); // 1 + 64 / 32
        QCOMPARE(rig.seconds("Core attention", Phase::backwardInput), 2.5 * flops * 3 / (0.4 / 1.25));
        rig.plan.contextKind = ContextKind::ulysses;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Core attention", Phase::forward), flops * 1.5 / 0.5);
        rig.plan.unfusedAttention = true;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Core attention", Phase::forward), flops * 1.5 / 0.2);
        QCOMPARE(rig.seconds("Core attention", Phase::backwardInput), 2.5 * flops * 1.5 / 0.16);
        rig.plan.unfusedAttention = false;
        rig.attention.window = 32;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Core attention", Phase::forward),
                 2 * 3 * 4 * 32 * ((32 * 33 / 2 + 96 * 32) / 4.0) * 3 / 0.5);
    }

    /// Latent attention (DeepSeek-V2, arXiv 2405.04434, 2.1): 40 and 20 + 6 wide down-projections of a rank's
    /// sequence shard; per head 10 + 6 for queries, 10 and 24 for keys and values. Rotary embedding puts the
    /// key of a head together.
    void latentAttention() {
        TrainingRig rig = mixerOnly(Mixer::attention);
        rig.plan.latentAttention = rig.plan.queryCompressed = true;
        rig.plan.sequenceParallel = true;
        rig.in[Input::mlaQueryRank] = 40;
        rig.in[Input::mlaKvRank] = 20;
        rig.in[Input::mlaRopeDim] = 6;
        rig.in[Input::mlaNopeDim] = 10;
        rig.in[Input::valueHeadDim] = 24;
        rig.built(rig.attention);
        verifyGemm(rig, "Query down-projection", tokens / 2, 40, 64);
        verifyGemm(rig, "Query up-projection", tokens, 4 * 16, 40);
        verifyGemm(rig, "KV down-projection", tokens / 2, 26, 64);
        verifyGemm(rig, "KV up-projection", tokens, 4 * 34, 20);
        verifyGemm(rig, "Output projection", tokens, 64, 4 * 24);
        verifyStream(rig, "Rotary embedding", 2 * 2 * 4 * (6 + 16));
        verifyStream(rig, "Attention norm", 2 * 4 * 64 / 2.0);
        QCOMPARE(rig.flops("Core attention", Phase::forward), 2 * 3 * 4 * (16 + 24) * (128 * 129 / 2 / 4.0));
        QCOMPARE(rig.bytes("Core attention", Phase::forward), 2.0 * 3 * (16 + 24) * (4 + 4) * 32);
        QCOMPARE(rig.flops("KV up-projection", Phase::recompute), -1.0);
        rig.plan.recompute.mlaUp = true;
        rig.plan.queryCompressed = false;
        rig.built(rig.attention);
        verifyGemm(rig, "Query projection", tokens, 4 * 16, 64);
        QCOMPARE(rig.flops("KV up-projection", Phase::recompute), flopsOf(tokens, 4 * 34, 20));
        QCOMPARE(rig.bytes("Rotary embedding", Phase::recompute), 2.0 * 2 * 4 * (6 + 16) * tokens);
        QCOMPARE(rig.flops("KV down-projection", Phase::recompute), -1.0);
        QCOMPARE(rig.flops("Output projection", Phase::recompute), -1.0);
    }

    /// 48 columns of gate and 48 of up on a rank; their product reads two and writes one, without a gate
    /// reads and writes one.
    void mlp() {
        TrainingRig rig;
        rig.built(rig.attention);
        verifyGemm(rig, "MLP gate and up", tokens, 2 * 48, 64);
        verifyGemm(rig, "MLP down", tokens, 64, 48);
        verifyStream(rig, "GLU product", 2 * 3 * 48);
        verifyStream(rig, "MLP norm", 2 * 4 * 64);
        QCOMPARE(rig.bytes("MLP output norm", Phase::forward), -1.0);
        rig.plan.gatedFfn = false;
        rig.plan.norms = 4;
        rig.built(rig.attention);
        verifyGemm(rig, "MLP up", tokens, 48, 64);
        verifyStream(rig, "Activation", 2 * 2 * 48);
        verifyStream(rig, "MLP output norm", 2 * 4 * 64);
        rig.plan.norms = 1; // attention and MLP in parallel behind one norm
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("MLP norm", Phase::forward), -1.0);
        rig.attention.mixer = Mixer::none;
        rig.built(rig.attention);
        verifyStream(rig, "MLP norm", 2 * 4 * 64);
        QCOMPARE(rig.bytes("Attention norm", Phase::forward), -1.0);
    }

    /// What runs again before its backward pass, by module.
    void recomputed_data() {
        QTest::addColumn<QString>("modules");
        QTest::addColumn<QString>("kernels");
        QTest::newRow("none") << "" << "";
        QTest::newRow("norms") << "norms" << "Attention norm, MLP norm";
        QTest::newRow("core") << "core" << "Core attention";
        QTest::newRow("product") << "product" << "GLU product";
        QTest::newRow("MLP") << "mlp" << "GLU product, MLP down, MLP gate and up";
        // torchtitan keeps every second multiplication, q, v, gate and down: k, o and up run again
        QTest::newRow("every second matrix") << "perOp"
                                             << "Attention norm, GLU product, MLP gate and up, MLP norm, "
                                                "Output projection, QKV projection, Rotary embedding";
        const char* all = "Attention norm, Core attention, GLU product, MLP down, MLP gate and up, "
                          "MLP norm, Output projection, QKV projection, Rotary embedding";
        QTest::newRow("full") << "full" << all;
        QTest::newRow("every second layer") << "everyOther" << all;
    }
    void recomputed() {
        QFETCH(QString, modules);
        QFETCH(QString, kernels);
        TrainingRig rig;
        Recompute& again = rig.plan.recompute;
        again.norms = modules == u"norms";
        again.core = modules == u"core";
        again.product = modules == u"product";
        again.mlp = modules == u"mlp";
        again.perOp = modules == u"perOp";
        again.full = modules == u"full";
        again.everyOther = modules == u"everyOther";
        rig.built(rig.attention);
        QStringList found;
        double once = 0, flops = 0;
        for (const OpCost<double>& op : rig.layer->ops) {
            if (op.phase == Phase::recompute) {
                found << QLatin1String(op.name);
                once += op.bytes;
            }
            flops += op.flops * (op.phase == Phase::recompute && again.everyOther ? 0.5 : 1);
        }
        found.sort();
        QCOMPARE(found.join(QStringLiteral(", ")), kernels);
        QCOMPARE(rig.layer->executedFlops, flops);
        if (again.perOp) {
            QCOMPARE(rig.flops("QKV projection", Phase::recompute), flopsOf(tokens, 2 * 16, 64));
            QCOMPARE(rig.flops("MLP gate and up", Phase::recompute), flopsOf(tokens, 48, 64));
        } else if (again.whole() || again.mlp) {
            QCOMPARE(rig.flops("MLP gate and up", Phase::recompute), flopsOf(tokens, 96, 64));
        }
        // With a second of memory traffic for each byte, a layer takes longer by what runs again: all of it,
        // or on average half.
        QCOMPARE(rig.layer->seconds, secondsWithout(rig) + once * (again.everyOther ? 0.5 : 1));
    }

    /// Adapters of rank 40 alongside the QKV projection, 64 -> 128: two thin multiplications forward; their
    /// sum joins the projection's output, three passes over it. Backward the gradients of A x, x, B and A,
    /// and the sum with the frozen branch's gradient (LoRAFusion, arXiv 2510.00206). The frozen matrix has no
    /// gradient.
    void adapters() {
        TrainingRig rig;
        rig.plan.lora = true;
        rig.in[Input::loraRank] = 40;
        rig.built(rig.attention);
        const double r = 40;
        struct Adapter {
            const char* name;
            double n, k;
        };
        for (const Adapter& a : {Adapter{"QKV adapter", 128, 64}, Adapter{"Output adapter", 64, 64},
                                 Adapter{"Gate and up adapter", 96, 64}, Adapter{"Down adapter", 64, 48}}) {
            const double both = flopsOf(tokens, r, a.k + a.n);
            QCOMPARE(rig.flops(a.name, Phase::forward), both);
            QCOMPARE(rig.flops(a.name, Phase::backwardInput), both);
            QCOMPARE(rig.flops(a.name, Phase::backwardWeight), both);
            QCOMPARE(rig.bytes(a.name, Phase::forward),
                     bytesOf(tokens, r, a.k) + bytesOf(tokens, a.n, r) + 6 * a.n * tokens);
            QCOMPARE(rig.bytes(a.name, Phase::backwardInput),
                     bytesOf(tokens, r, a.n) + bytesOf(tokens, a.k, r) + (4 * a.n + 6 * a.k) * tokens);
            QCOMPARE(rig.bytes(a.name, Phase::backwardWeight),
                     bytesOf(a.n, r, tokens) + bytesOf(r, a.k, tokens));
            QCOMPARE(rig.bytes(a.name, Phase::recompute), -1.0);
        }
        QCOMPARE(rig.flops("QKV projection", Phase::backwardWeight), -1.0);
        rig.plan.recompute.full = true;
        rig.plan.loraMlp = false;
        rig.built(rig.attention);
        QCOMPARE(rig.flops("QKV adapter", Phase::recompute), flopsOf(tokens, r, 64 + 128));
        QCOMPARE(rig.flops("Down adapter", Phase::forward), -1.0);
        QCOMPARE(rig.flops("Gate and up adapter", Phase::forward), -1.0);
        rig.plan.loraMlp = true;
        rig.plan.loraAttention = false;
        rig.built(rig.attention);
        QCOMPARE(rig.flops("QKV adapter", Phase::forward), -1.0);
        QCOMPARE(rig.flops("Output adapter", Phase::forward), -1.0);
        QCOMPARE(rig.flops("Down adapter", Phase::forward), flopsOf(tokens, r, 64 + 48));
    }

    /// QLoRA widens the 40,960 / 2 + 129 parameters of a rank and its 98,304 / 8 of experts for each pass:
    /// half a byte read and two written.
    void dequantization() {
        TrainingRig rig;
        rig.plan.lora = rig.plan.quantizedBase = true;
        rig.attention.experts = 98'304;
        rig.in[Input::dequantizationTraffic] = 2.5;
        const double bytes = 2.5 * (20'480 + 129 + 12'288);
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("Dequantization", Phase::forward), bytes);
        QCOMPARE(rig.bytes("Dequantization", Phase::backwardInput), bytes);
        QCOMPARE(rig.bytes("Dequantization", Phase::recompute), -1.0);
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("Dequantization", Phase::recompute), bytes);
    }

    /// The embedding reads and writes a row of 64 for each token, and adds gradients; the output layer has
    /// 500 of 1,000 columns and two passes over the logits: 14 bytes.
    void embeddingAndOutputLayer() {
        TrainingRig rig;
        embeddingLayer(rig.context(), *rig.layer);
        QCOMPARE(rig.bytes("Token embedding", Phase::forward), 2 * 2 * 64 * tokens);
        QCOMPARE(rig.bytes("Token embedding", Phase::backwardInput), 2 * 2 * 2 * 64 * tokens);
        rig.plan.lora = true;
        embeddingLayer(rig.context(), *rig.layer);
        QCOMPARE(rig.bytes("Token embedding", Phase::backwardInput), -1.0);
        headLayer(rig.context(), *rig.layer);
        QCOMPARE(rig.flops("Logits", Phase::backwardWeight), -1.0);
        rig.plan.lora = false;
        rig.plan.sequenceParallel = true;
        headLayer(rig.context(), *rig.layer);
        verifyGemm(rig, "Logits", tokens, 500, 64);
        verifyStream(rig, "Final norm", 2 * 4 * 64 / 2.0);
        QCOMPARE(rig.bytes("Cross-entropy", Phase::forward), 8 * 500 * tokens);
        QCOMPARE(rig.bytes("Cross-entropy", Phase::backwardInput), 6 * 500 * tokens);
    }

    /// A module that predicts one token more joins the hidden state with the next embedding, 2 x 64 -> 64,
    /// behind a norm of each (DeepSeek-V3, arXiv 2412.19437, 2.2), has a layer, and logits.
    void predictionModule() {
        TrainingRig rig;
        rig.plan.prediction = rig.attention;
        rig.plan.sequenceParallel = true;
        predictionLayer(rig.context(), *rig.layer);
        verifyStream(rig, "Prediction norms", 2 * 2 * 4 * 64 / 2.0);
        verifyGemm(rig, "Prediction projection", tokens / 2, 64, 128);
        verifyGemm(rig, "MLP down", tokens, 64, 48);
        verifyGemm(rig, "Logits", tokens, 500, 64);
    }

    /// A host that needs as long to launch a phase as the GPU to work makes it 2^(1/6) times as long (smooth
    /// maximum of power 6); what it adds is waiting for the host. It launches in proportion to the kernels,
    /// of which an ordinary layer has 30.
    void slowHost() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::none;
        rig.in[Input::hostGraphShare] = 0.5;
        rig.built(rig.attention);
        const double forward = rig.layer->forward, backward = rig.layer->backwardInput,
                     weights = rig.layer->backwardWeight;
        QCOMPARE(rig.layer->byPart[StepPart::launch], 0.0);
        // norm, QKV, rotary, attention, output: 5 kernels forward, as many backward, 2 with weights
        rig.in[Input::hostTimePerLayer] = 2 * forward * 30 / 5;
        rig.built(rig.attention);
        VERIFY_NEAR(rig.layer->forward, forward * std::pow(2, 1.0 / 6));
        VERIFY_NEAR(rig.layer->backwardInput,
                    backward * std::pow(1 + std::pow(forward / backward, 6), 1.0 / 6));
        VERIFY_NEAR(rig.layer->backwardWeight,
                    weights * std::pow(1 + std::pow(forward * 2 / 5 / weights, 6), 1.0 / 6));
        QVERIFY(std::abs(rig.layer->byPart[StepPart::launch] -
                         (rig.layer->seconds - forward - backward - weights)) < 1e-9 * forward);
    }

    /// Adapters on both projections of attention: two matrices and a sum each, which the host launches
    /// alongside the five kernels of the forward pass; backward, with their own weights' gradients, three and
    /// two more each.
    void slowHostOfAdapters() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::none;
        rig.plan.lora = true;
        rig.in[Input::loraRank] = 4;
        rig.in[Input::hostGraphShare] = 1;
        rig.in[Input::adapterKernelShare] = 0.5;
        rig.built(rig.attention);
        const double forward = rig.layer->forward, kernels = 5 + 2 * 3 * 0.5;
        rig.in[Input::hostTimePerLayer] = forward * 30 / kernels;
        rig.built(rig.attention);
        VERIFY_NEAR(rig.layer->forward, forward * std::pow(2, 1.0 / 6));
    }

    /// Host times: of a layer, of one with experts, of one whose experts are reached over a network, whose
    /// messages may leave through a thread of the host.
    void hostTimes() {
        TrainingRig rig;
        rig.in[Input::hostTimePerLayer] = 3;
        rig.in[Input::hostTimePerMoeLayer] = 5;
        rig.in[Input::networkHostTime] = 7;
        rig.in[Input::networkProxyFactor] = 1.5;
        rig.in[Input::hostGraphShare] = 0.25;
        QCOMPARE(hostTime(rig.context(), rig.attention), 0.75);
        rig.attention.feedForward = FeedForward::moe;
        QCOMPARE(hostTime(rig.context(), rig.attention), 1.25);
        rig.plan.expertParallel = 4;
        rig.plan.expertGroup = {.ranks = 4, .ranksPerNvlinkDomain = 4};
        QCOMPARE(hostTime(rig.context(), rig.attention), 1.25);
        rig.plan.expertGroup.ranksPerNvlinkDomain = 2;
        QCOMPARE(hostTime(rig.context(), rig.attention), 1.5 * 7 / 4);
        rig.plan.fusedDispatch = false;
        QCOMPARE(hostTime(rig.context(), rig.attention), 7.0 / 4);
        rig.in[Input::networkHostTime] = 0;
        QCOMPARE(hostTime(rig.context(), rig.attention), 1.25);
        // A loop over 12 of 48 experts, which no graph records: 5 + 12 x 2.
        rig.in[Input::routedExperts] = 48;
        rig.in[Input::expertParallel] = 4;
        rig.in[Input::hostTimePerExpert] = 2;
        rig.plan.expertLoop = true;
        QCOMPARE(hostTime(rig.context(), rig.attention), 29.0);
        rig.attention.feedForward = FeedForward::dense; // has none
        QCOMPARE(hostTime(rig.context(), rig.attention), 0.75);
    }

    /// Operands of a multiplication: MXFP8 has an 8-bit scale for 32 elements (OCP Microscaling Formats 1.0),
    /// NVFP4 one for 16.
    void bytesOfOperands() {
        QCOMPARE(operandBytes(Precision::bf16), 2.0);
        QCOMPARE(operandBytes(Precision::fp16), 2.0);
        QCOMPARE(operandBytes(Precision::fp8), 1.0);
        QCOMPARE(operandBytes(Precision::mxfp8), 33.0 / 32);
        QCOMPARE(operandBytes(Precision::nvfp4), 9.0 / 16);
    }

    /// What bounds a kernel, its arithmetic intensity, and how near it comes to its roof.
    void figuresOfAKernel() {
        TrainingRig rig;
        rig.in[Input::memoryBandwidth] = 4;
        const LayerContext<double> c = rig.context();
        LayerBuilder<double> builder(c, *rig.layer);
        builder.kernel("arithmetic", Phase::forward,
                       withTotal<double>({.flops = 80, .bytes = 16, .compute = 10, .memory = 4, .launch = 6}),
                       5);
        builder.kernel(
            "memory", Phase::forward,
            withTotal<double>(
                {.flops = 8, .bytes = 16, .compute = 2, .memory = 4, .launch = 5, .quantization = 3}),
            5);
        builder.kernel("launch", Phase::forward,
                       withTotal<double>({.flops = 5, .bytes = 1, .compute = 2, .memory = 2, .launch = 3}),
                       5);
        const OpCost<double>&a = rig.layer->ops[0], &m = rig.layer->ops[1], &l = rig.layer->ops[2];
        QCOMPARE(a.seconds, 16.0);
        QCOMPARE(a.intensity, 5.0);
        QCOMPARE(a.efficiency, 80 / (5.0 * 16));
        QCOMPARE(a.bound, Bound::compute);
        QCOMPARE(m.seconds, 12.0);
        QCOMPARE(m.efficiency, 16 / (4.0 * 12));
        QCOMPARE(m.bound, Bound::hbm);
        QCOMPARE(m.work, Bound::hbm);
        QCOMPARE(l.bound, Bound::latency);
        QCOMPARE(l.work, Bound::compute);
        QCOMPARE(l.launch, 3.0);
        builder.finish();
        QCOMPARE(rig.layer->byPart[StepPart::compute], 10.0 + 2);
        QCOMPARE(rig.layer->byPart[StepPart::hbm], 4.0 + 3);
        QCOMPARE(rig.layer->byPart[StepPart::launch], 6.0 + 5 + 3);
        QCOMPARE(rig.layer->seconds, 16.0 + 12 + 5);
        QCOMPARE(rig.layer->executedFlops, 93.0);
    }

    /// What runs again in every second layer counts half, in time, launches and FLOP.
    void everySecondLayer() {
        TrainingRig rig;
        rig.plan.recompute.everyOther = true;
        const LayerContext<double> c = rig.context();
        LayerBuilder<double> builder(c, *rig.layer);
        builder.kernel(
            "again", Phase::recompute,
            withTotal<double>(
                {.flops = 8, .bytes = 16, .compute = 2, .memory = 4, .launch = 6, .quantization = 1}),
            5);
        CollectiveCost<double> cost;
        cost.seconds = 20;
        builder.communication(tensorTraffic, "all_gather", Phase::recompute, 100, cost, 10);
        builder.finish();
        QCOMPARE(rig.layer->ops[0].seconds, 11.0 / 2);
        QCOMPARE(rig.layer->ops[0].launch, 3.0);
        QCOMPARE(rig.layer->executedFlops, 4.0);
        QCOMPARE(rig.layer->byPart[StepPart::hbm], 5.0 / 2);
        QCOMPARE(rig.layer->byPart[StepPart::launch], 3.0);
        QCOMPARE(rig.layer->communication[0].exposed, 5.0);
        QCOMPARE(rig.layer->byPart[StepPart::tensorNvlink], 5.0);
        QCOMPARE(rig.layer->backwardInput, 5.5 + 5);
        QCOMPARE(rig.layer->forward, 0.0);
    }

private:
    static TrainingRig mixerOnly(Mixer mixer) {
        TrainingRig rig;
        rig.attention.mixer = mixer;
        rig.attention.feedForward = FeedForward::none;
        return rig;
    }

    static double secondsWithout(const TrainingRig& recomputing) {
        TrainingRig rig;
        rig.plan.gatedFfn = recomputing.plan.gatedFfn;
        return rig.built(rig.attention).seconds;
    }

    static void verifyScan(const TrainingRig& rig, const char* name, double flops, double bytes) {
        QCOMPARE(rig.flops(name, Phase::forward), flops * tokens);
        QCOMPARE(rig.flops(name, Phase::backwardInput), 2 * flops * tokens);
        verifyStream(rig, name, bytes);
    }
};

QTEST_APPLESS_MAIN(TestTrainingLayer)

} // namespace tst_training_layer

#include "tst_training_layer.moc"
