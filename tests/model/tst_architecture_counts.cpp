// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/workload/flops.h"
#include "model/workload/layer_kinds.h"

#include <QTest>

#include <string>

namespace tst_architecture_counts {

using namespace alidade;

namespace {

/// Hidden size 8; 4 query and 2 KV heads of 3; MLP of 10; 20 words; 3 layers.
Architecture small() {
    Architecture m;
    m.layers = 3;
    m.hiddenSize = 8;
    m.attentionHeads = 4;
    m.kvHeads = 2;
    m.headDim = 3;
    m.ffnIntermediateSize = 10;
    m.vocabSize = 20;
    return m;
}

Architecture withExperts() {
    Architecture m = small();
    m.moe = MoeShape{.routedExperts = 6,
                     .expertsPerToken = 2,
                     .expertIntermediateSize = 4,
                     .sharedExpertIntermediateSizeTotal = 5,
                     .denseFirstLayers = 1,
                     .routerScore = {}};
    return m;
}

Architecture latent() {
    Architecture m = small();
    m.mla = MlaShape{.qLoraRank = 5, .kvLoraRank = 6, .qkNopeHeadDim = 2, .qkRopeHeadDim = 1, .vHeadDim = 3};
    return m;
}

std::string mixersOf(const Architecture& model) {
    std::string out;
    for (const LayerComposition& layer : layerCompositions(model)) {
        out += "-amd"[static_cast<int>(layer.mixer)];
        out += "-fe"[static_cast<int>(layer.feedForward)];
    }
    return out;
}

} // namespace

/// Weights and FLOP of models so small that every matrix can be counted.
class TestArchitectureCounts : public QObject {
    Q_OBJECT

private slots:
    /// q 8 x 12, k and v 8 x 6 each, o 12 x 8. A gate for the output is as large as q.
    void attention() {
        Architecture m = small();
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{96 + 2 * 48 + 96});
        QCOMPARE(attentionParameters(m).other, std::int64_t{0});
        m.attentionOutputGate = true;
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{2 * 96 + 2 * 48 + 96});
        m.biasQkv = true;
        QCOMPARE(attentionParameters(m).other, std::int64_t{12 + 2 * 6});
        m.biasO = true;
        QCOMPARE(attentionParameters(m).other, std::int64_t{24 + 8});
        m.biasQkv = m.biasO = false;
        m.qkNorm = QkNorm::perHead;
        QCOMPARE(attentionParameters(m).other, std::int64_t{2 * 3});
        m.qkNorm = QkNorm::full;
        QCOMPARE(attentionParameters(m).other, std::int64_t{12 + 6});
        m.attentionSinks = true;
        QCOMPARE(attentionParameters(m).other, std::int64_t{18 + 4});
        // Indexer: queries 8 x 2 x 3, a key 8 x 3, weights 8 x 2, and a norm with a bias.
        m.sparseIndexer = SparseIndexer{.heads = 2, .headDim = 3, .topk = 1};
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{384 + 48 + 24 + 16});
        QCOMPARE(attentionParameters(m).other, std::int64_t{22 + 2 * 3});
    }

    /// Latent attention (DeepSeek-V2, arXiv 2405.04434, 2.1): queries 8 x 5 x (4 x 3), keys and values 8 x (6
    /// + 1) and 6 x 4 x (2 + 3), output 4 x 3 x 8; a norm of each latent.
    void latentAttention() {
        Architecture m = latent();
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{8 * 5 + 5 * 12 + 8 * 7 + 6 * 20 + 96});
        QCOMPARE(attentionParameters(m).other, std::int64_t{5 + 6});
        m.normHasBias = true;
        QCOMPARE(attentionParameters(m).other, std::int64_t{22});
        m.sparseIndexer = SparseIndexer{.heads = 2, .headDim = 3, .topk = 1}; // of the compressed queries
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{372 + 5 * 6 + 24 + 16});
        m.sparseIndexer.reset();
        m.mla->qLoraRank = 0;
        QCOMPARE(attentionParameters(m).gemm, std::int64_t{8 * 12 + 8 * 7 + 6 * 20 + 96});
        QCOMPARE(attentionParameters(m).other, std::int64_t{12});
        // Megatron-Core keeps the down-projections whole on every rank.
        const LayerKinds kinds = layerKinds(latent(), 10);
        QCOMPARE(kinds.kinds[0].split, std::int64_t{372 - 8 * (5 + 6 + 1) + 240});
        QCOMPARE(kinds.kinds[0].replicated, std::int64_t{8 * 12 + 11 + 16});
    }

    /// Mamba-2 (arXiv 2405.21060): inner width 2 x 5, B and C of 4, dt of 2 heads; convolution of 3 with a
    /// bias, A, D and the bias of dt for each head, and a gated norm.
    void mamba2() {
        const BlockParameters p =
            mamba2Parameters(8, {.heads = 2, .headDim = 5, .groups = 1, .state = 4, .convKernel = 3});
        QCOMPARE(p.gemm, std::int64_t{8 * (2 * 10 + 2 * 4 + 2) + 10 * 8});
        QCOMPARE(p.other, std::int64_t{(10 + 8) * (3 + 1) + 3 * 2 + 10});
    }

    /// Gated DeltaNet (arXiv 2412.06464; Qwen3-Next): keys 2 x 3, values 4 x 2; q, k, v, gate, and two
    /// numbers a value head; convolution of q, k and v; A and the bias of dt for each head, and a norm of a
    /// head.
    void gatedDeltaNet() {
        const BlockParameters p = gatedDeltaNetParameters(
            8, {.keyHeads = 2, .keyHeadDim = 3, .valueHeads = 4, .valueHeadDim = 2, .convKernel = 3});
        QCOMPARE(p.gemm, std::int64_t{8 * (2 * 6 + 2 * 8 + 2 * 4) + 8 * 8});
        QCOMPARE(p.other, std::int64_t{(2 * 6 + 8) * 3 + 2 * 4 + 2});
    }

    void mlpAndExperts() {
        QCOMPARE(mlpParameters(8, 10, true, false).gemm, std::int64_t{3 * 80});
        QCOMPARE(mlpParameters(8, 10, false, false).gemm, std::int64_t{2 * 80});
        QCOMPARE(mlpParameters(8, 10, true, false).other, std::int64_t{0});
        QCOMPARE(mlpParameters(8, 10, true, true).other, std::int64_t{2 * 10 + 8});
        QCOMPARE(mlpParameters(8, 10, false, true).other, std::int64_t{10 + 8});
        QCOMPARE(moeParameters(small()).total(), std::int64_t{0});
        // 6 experts of 3 x 8 x 4, of which a token visits 2; a shared one of 3 x 8 x 5; a router of 8 x 6.
        Architecture m = withExperts();
        MoeParameters moe = moeParameters(m);
        QCOMPARE(moe.routed, std::int64_t{6 * 96});
        QCOMPARE(moe.shared, std::int64_t{120});
        QCOMPARE(moe.router, std::int64_t{48});
        QCOMPARE(moe.total(), std::int64_t{576 + 120 + 48});
        QCOMPARE(moe.active(), std::int64_t{2 * 96 + 120 + 48});
        QCOMPARE(moe.activeGemm, std::int64_t{2 * 96 + 120 + 48});
        m.moe->routerBias = m.moe->sharedExpertGate = m.moe->expertBias = true;
        moe = moeParameters(m);
        QCOMPARE(moe.other, std::int64_t{6 + 8});
        QCOMPARE(moe.routed, std::int64_t{6 * (96 + 2 * 4 + 8)});
        QCOMPARE(moe.activeRouted, std::int64_t{2 * (96 + 16)});
        QCOMPARE(moe.activeGemm, std::int64_t{2 * 96 + 120 + 48});
        m.moe->expertBias = false;
        m.moe->latentSize = 3; // experts of 3 x 3 x 4 behind projections of 8 x 3 there and back
        m.ffnGated = false;    // two matrices each
        moe = moeParameters(m);
        QCOMPARE(moe.routed, std::int64_t{6 * 24});
        QCOMPARE(moe.shared, std::int64_t{80});
        QCOMPARE(moe.other, std::int64_t{14 + 48});
        QCOMPARE(moe.activeGemm, std::int64_t{48 + 2 * 24 + 80 + 48});
    }

    /// Embedding and output layer of 20 x 8, a final norm, and three layers of 288 + 240 and two norms.
    void parametersOfAModel() {
        Architecture m = small();
        ParameterCount c = countParameters(m);
        QCOMPARE(c.embedding, std::int64_t{160});
        QCOMPARE(c.head, std::int64_t{160});
        QCOMPARE(c.total, std::int64_t{2 * 160 + 8 + 3 * (288 + 240 + 16)});
        QCOMPARE(c.active, std::int64_t{c.total});
        QCOMPARE(c.gemmActive, std::int64_t{160 + 3 * (288 + 240)});
        QCOMPARE(c.experts, std::int64_t{0});
        m.tieEmbeddings = true;
        QCOMPARE(countParameters(m).total, std::int64_t{c.total - 160});
        QCOMPARE(countParameters(m).gemmActive, std::int64_t{c.gemmActive});
        m.tieEmbeddings = false;
        m.embeddingNorm = true;
        m.learnedPositions = 7;
        QCOMPARE(countParameters(m).total, std::int64_t{c.total + 8 + 56});
        m.normHasBias = true;
        m.normsPerLayer = 3;
        QCOMPARE(countParameters(m).total,
                 std::int64_t{c.total + 56 + 3 * 8 + 3 * (48 - 16)}); // and 16 for two norms outside
        QCOMPARE(layerNormParameters(m), std::int64_t{48});

        m = withExperts(); // two of three layers have experts
        m.mtpLayers = 2;
        c = countParameters(m);
        QCOMPARE(c.total, std::int64_t{2 * 160 + 8 + 3 * (288 + 16) + 240 + 2 * 744});
        QCOMPARE(c.active, std::int64_t{2 * 160 + 8 + 3 * (288 + 16) + 240 + 2 * 360});
        QCOMPARE(c.gemmActive, std::int64_t{160 + 3 * 288 + 240 + 2 * 360});
        QCOMPARE(c.experts, std::int64_t{2 * 576});
        // A module (DeepSeek-V3, 2.2): a projection 16 x 8, three norms, and a layer.
        QCOMPARE(c.mtpTotal, std::int64_t{2 * (128 + 24 + 288 + 16 + 744)});
        QCOMPARE(c.mtpActive, std::int64_t{2 * (128 + 24 + 288 + 16 + 360)});
        m.moe.reset();
        QCOMPARE(countParameters(m).mtpTotal, std::int64_t{2 * (128 + 24 + 288 + 16 + 240)});
    }

    /// What the layers of hybrids are made of: a attention, m Mamba-2, d Gated DeltaNet; f MLP, e experts.
    void compositions() {
        Architecture m = withExperts();
        m.layers = 6;
        QCOMPARE(mixersOf(m), std::string("afaeaeaeaeae"));
        m.moe->layerStep = 2; // the second, fourth ... layer
        QCOMPARE(mixersOf(m), std::string("afaeafaeafae"));
        m.moe->denseFirstLayers = 2;
        QCOMPARE(mixersOf(m), std::string("afafafaeafae"));
        m.moe.reset();
        m.gatedDeltaNet =
            GatedDeltaNetShape{.keyHeads = 2, .keyHeadDim = 3, .valueHeads = 4, .valueHeadDim = 2};
        QCOMPARE(mixersOf(m), std::string("afafafafafaf"));
        m.fullAttentionInterval = 3;
        QCOMPARE(mixersOf(m), std::string("dfdfafdfdfaf"));
        m.gatedDeltaNet.reset();
        m.mamba2 = Mamba2Shape{.heads = 2, .headDim = 5, .state = 4};
        m.attentionHeads = 0;
        m.layers = 2;
        QCOMPARE(mixersOf(m), std::string("m-m-"));
        m.attentionHeads = 4;
        m.layers = 5;
        m.hybridPattern = "M-*E";
        QCOMPARE(mixersOf(m), std::string("m--fa--em-"));
    }

    /// Windows by the words of the catalog.
    void windows_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("layers"); // s: the window, f: all
        QTest::newRow("all") << "all layers" << "ssssssss";
        QTest::newRow("alternating") << "alternating: sliding, full" << "sfsfsfsf";
        QTest::newRow("five of six") << "5 sliding then 1 full" << "sssssfss";
        QTest::newRow("two of five") << "2 sliding then 3 full" << "ssfffssf";
        QTest::newRow("twelve") << "12 sliding then 1 full" << "ssssssss";
        QTest::newRow("last") << "all layers; last layer full" << "sssssssf";
    }
    void windows() {
        QFETCH(QString, pattern);
        QFETCH(QString, layers);
        Architecture m = small();
        m.layers = 8;
        m.slidingWindow = 4;
        m.slidingPattern = pattern.toStdString();
        for (int i = 0; i < 8; ++i)
            QCOMPARE(attentionWindow(m, i), layers[i] == u's' ? 4 : 0);
        m.slidingWindow = 0;
        QCOMPARE(attentionWindow(m, 0), 0);
        m.attentionChunk = 5; // Llama 4: every third layer has no rotary positions and sees everything
        QCOMPARE(attentionWindow(m, 2), 5);
        m.noRopeLayerInterval = 3;
        QCOMPARE(attentionWindow(m, 1), 5);
        QCOMPARE(attentionWindow(m, 2), 0);
        QCOMPARE(attentionWindow(m, 3), 5);
    }

    /// Distinct layers, the kind of each, and its weights by what divides them.
    void kindsOfLayers() {
        Architecture m = withExperts();
        m.slidingWindow = 4;
        m.slidingPattern = "alternating: sliding, full";
        m.mtpLayers = 1;
        m.moe->routerBias = true;
        const LayerKinds kinds = layerKinds(m, 10);
        QCOMPARE(kinds.kinds.size(), std::size_t{3});
        QVERIFY(kinds.ofLayer == (std::vector<std::uint8_t>{0, 1, 2}));
        QCOMPARE(kinds.kinds[0].window, 4);
        QCOMPARE(kinds.kinds[1].window, 0);
        QCOMPARE(kinds.kinds[0].split, std::int64_t{288 + 240});
        QCOMPARE(kinds.kinds[0].replicated, std::int64_t{16});
        QCOMPARE(kinds.kinds[0].experts, std::int64_t{0});
        QCOMPARE(kinds.kinds[0].activeGemm, std::int64_t{288 + 240});
        QCOMPARE(kinds.kinds[1].split, std::int64_t{288 + 120});
        QCOMPARE(kinds.kinds[1].replicated, std::int64_t{48 + 6 + 16});
        QCOMPARE(kinds.kinds[1].experts, std::int64_t{576});
        QCOMPARE(kinds.kinds[1].activeGemm, std::int64_t{288 + 360});
        QCOMPARE(kinds.kinds[1].word, std::string("moe"));
        QCOMPARE(kinds.kinds[2].word, std::string("sliding_moe"));
        QCOMPARE(kinds.prediction.feedForward, FeedForward::moe);
        QCOMPARE(kinds.prediction.window, 0);
        QCOMPARE(kinds.prediction.activeGemm, std::int64_t{288 + 360});
        // A window no shorter than the sequence is none.
        QCOMPARE(layerKinds(m, 4).kinds.size(), std::size_t{2});
        m.mtpLayers = 0;
        QCOMPARE(layerKinds(m, 10).prediction.activeGemm, std::int64_t{0});
        QCOMPARE(layerKinds(small(), 10).kinds[0].word, std::string("transformer"));
        QCOMPARE(layerKinds(small(), 10).kinds[0].title, std::string("Transformer layer"));
        QCOMPARE(kinds.kinds[2].title, std::string("Layer: Sliding attention and experts"));
    }

    /// 2 FLOP a multiplication and addition. A key costs 2 x 4 x (3 + 3) for scores and values; 10 tokens see
    /// 5 of each other by convention and 5.5 by count, in a window of 4 by count (1 + 2 + 3 + 7 x 4) / 10.
    void flopsOfAToken() {
        Architecture m = small();
        FlopsPerToken f = forwardFlopsPerToken(m, 10);
        QCOMPARE(f.projections, 3 * 2.0 * 288);
        QCOMPARE(f.mlp, 3 * 2.0 * 240);
        QCOMPARE(f.core, 3 * 48.0 * 5);
        QCOMPARE(f.logits, 2.0 * 160);
        QCOMPARE(f.moe + f.mtp, 0.0);
        QCOMPARE(f.total(), 3 * (576.0 + 480 + 240) + 320);
        QCOMPARE(forwardFlopsPerToken(m, 10, AttentionAverage::exact).core, 3 * 48 * 5.5);
        f = forwardFlopsPerToken(m, 10, AttentionAverage::half, false, 2);
        QCOMPARE(f.mtp, 2 * (4.0 * 64 + 576 + 480 + 48 * 5 + 320));
        QCOMPARE(forwardFlopsPerToken(m, 10, AttentionAverage::exact, false, 1).mtp,
                 4.0 * 64 + 576 + 480 + 48 * 5.5 + 320);
        m.slidingWindow = 4;
        m.slidingPattern = "all layers";
        QCOMPARE(forwardFlopsPerToken(m, 10).core, 3 * 48 * 3.2);
        QCOMPARE(forwardFlopsPerToken(m, 10, AttentionAverage::exact).core, 3 * 48 * 3.4);
        m.slidingWindow = 0;
        m.attentionChunk = 5; // blocks: (1 + ... + 5) / 5
        QCOMPARE(forwardFlopsPerToken(m, 10, AttentionAverage::exact).core, 3 * 48 * 3.0);
        f = forwardFlopsPerToken(withExperts(), 10, AttentionAverage::half, false, 1);
        QCOMPARE(f.moe, 2 * 2.0 * 360);
        QCOMPARE(f.mlp, 2.0 * 240);
        QCOMPARE(f.mtp, 4.0 * 64 + 576 + 720 + 240 + 320);
        // Latent heads of 2 + 1 and 3; absorbed 6 + 1 and 6.
        QCOMPARE(forwardFlopsPerToken(latent(), 10).core, 3 * 2.0 * 4 * 6 * 5);
        QCOMPARE(forwardFlopsPerToken(latent(), 10, AttentionAverage::half, true).core, 3 * 2.0 * 4 * 13 * 5);
        // Hybrids: Mamba-2 7 x 10 x 4 a token, Gated DeltaNet 2 (3 (2 x 6 + 8) + 4 x 8 x 2) (Megatron-LM,
        // training.py).
        m = small();
        m.mamba2 = Mamba2Shape{.heads = 2, .headDim = 5, .groups = 1, .state = 4, .convKernel = 3};
        m.gatedDeltaNet = GatedDeltaNetShape{
            .keyHeads = 2, .keyHeadDim = 3, .valueHeads = 4, .valueHeadDim = 2, .convKernel = 3};
        m.fullAttentionInterval = 3;
        f = forwardFlopsPerToken(m, 10);
        QCOMPARE(f.projections, 2.0 * (2 * 352 + 288));
        QCOMPARE(f.core, 2 * 2.0 * (3 * 20 + 4 * 8 * 2) + 240);
        m.hybridPattern = "M-*";
        f = forwardFlopsPerToken(m, 10);
        QCOMPARE(f.projections, 2.0 * (320 + 288));
        QCOMPARE(f.core, 7.0 * 10 * 4 + 240);
        QCOMPARE(f.mlp, 480.0);
        QCOMPARE(coreFlopsPerToken(m, {.mixer = Mixer::none}, 10), 0.0);
        // Four heads of 3 for keys and values, over 5 of 10 tokens, 3.2 in a window of 4.
        QCOMPARE(coreFlopsPerToken(small(), {.mixer = Mixer::attention}, 10), 2.0 * 4 * 6 * 5);
        QCOMPARE(coreFlopsPerToken(small(), {.mixer = Mixer::attention, .window = 4}, 10), 2.0 * 4 * 6 * 3.2);
        QCOMPARE(coreFlopsPerToken(latent(), {.mixer = Mixer::attention}, 10), 2.0 * 4 * 6 * 5);
    }

    /// Three times the forward pass; 6 N; PaLM (arXiv 2204.02311, appendix B): 6 N without the embedding and
    /// 12 L a d s.
    void flopsOfTraining() {
        const Architecture m = withExperts();
        const FlopsPerToken forward = forwardFlopsPerToken(m, 10);
        const auto train = [&](FlopsConvention convention, RecomputeFlops recompute = RecomputeFlops::none) {
            return trainFlopsPerToken(m, 10, convention, recompute);
        };
        QCOMPARE(train(FlopsConvention::causal), 3 * forward.total());
        QCOMPARE(train(FlopsConvention::causal, RecomputeFlops::selective),
                 3 * forward.total() + forward.core);
        QCOMPARE(train(FlopsConvention::causal, RecomputeFlops::full), 4 * forward.total() - forward.logits);
        const double active = static_cast<double>(countParameters(m).active);
        QCOMPARE(train(FlopsConvention::sixN), 6 * active);
        QCOMPARE(train(FlopsConvention::palm), 6 * (active - 160) + 12.0 * 3 * 4 * 3 * 10);
    }

    /// Korthikanti et al. 2022 (arXiv 2205.05198), appendix A: a layer has 24 B s h^2 + 4 B s^2 h forward,
    /// the logits 2 B s h V; backward twice as many; recomputation the layers, or the attention, 4 B s^2 h,
    /// once more.
    void flopsOfAnIteration() {
        const double B = 2, s = 10, L = 3, h = 8, V = 20;
        const double layer = 24 * B * s * h * h + 4 * B * s * s * h, logits = 2 * B * s * h * V;
        QCOMPARE(megatronIterationFlops(B, s, L, h, V), 3 * (L * layer + logits));
        QCOMPARE(megatronIterationFlops(B, s, L, h, V, RecomputeFlops::selective),
                 3 * (L * layer + logits) + L * 4 * B * s * s * h);
        QCOMPARE(megatronIterationFlops(B, s, L, h, V, RecomputeFlops::full), 4 * L * layer + 3 * logits);
    }
};

QTEST_APPLESS_MAIN(TestArchitectureCounts)

} // namespace tst_architecture_counts

#include "tst_architecture_counts.moc"
