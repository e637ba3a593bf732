// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/training_rig.h"

#include <tuple>

namespace tst_training_experts {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tokens = tokensOfRank;

} // namespace

/// Kernels of a layer with experts on a small model: FLOP and bytes of each, counted by hand.
class TestTrainingExperts : public QObject {
    Q_OBJECT

private slots:
    /// Rows of a rank's experts: 96 tokens of 2 ranks, 2 experts each, 384; 1.5 times as many with their
    /// capacity, and 1.25 times the mean on the busiest rank, 720. They meet 16 / 4 = 4 experts with 20 of 40
    /// columns of gate and of up, from an input of 32.
    void experts() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.in[Input::expertPermuteBytes] = 5;
        rig.in[Input::expertRowTime] = 11;
        rig.in[Input::expertPermuteBackward] = 1.6;
        rig.built(rig.attention);
        verifyGemm(rig, "Router", tokens, 16, 64);
        for (const auto& [name, n, k] :
             {std::tuple{"Experts, gate and up", 40.0, 32.0}, std::tuple{"Experts, down", 32.0, 20.0}}) {
            for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::backwardWeight})
                QCOMPARE(rig.flops(name, phase), flopsOf(720, n, k));
            QCOMPARE(rig.bytes(name, Phase::forward), 2 * 720 * (n + k) + 2 * 4 * n * k);
            QCOMPARE(rig.bytes(name, Phase::backwardInput), 2 * 720 * (n + k) + 2 * 4 * n * k);
            // reads both, writes FP32 gradients
            QCOMPARE(rig.bytes(name, Phase::backwardWeight), 2 * 720 * (n + k) + 4 * 4 * n * k);
        }
        QCOMPARE(rig.bytes("Experts, product", Phase::forward), 2 * 3 * 20 * 720.0);
        QCOMPARE(rig.bytes("Experts, product", Phase::backwardInput), 2 * 2 * 3 * 20 * 720.0);
        // Sorting, and 11 s of each row.
        QCOMPARE(rig.bytes("Permute tokens", Phase::forward), 5 * 384 * 32.0);
        QCOMPARE(rig.bytes("Permute tokens", Phase::backwardInput), 1.6 * 5 * 384 * 32.0);
        QCOMPARE(rig.seconds("Permute tokens", Phase::forward), 384 * (5 * 32 + 11.0));
        QCOMPARE(rig.seconds("Permute tokens", Phase::backwardInput), 1.6 * 384 * (5 * 32 + 11.0));
        verifyGemm(rig, "Shared experts, gate and up", tokens, 48, 64);
        verifyGemm(rig, "Shared experts, down", tokens, 64, 24);
        verifyStream(rig, "Shared experts, product", 2 * 3 * 24);
        QCOMPARE(rig.bytes("Latent down-projection", Phase::forward), -1.0);
        QCOMPARE(rig.bytes("Experts, output bias", Phase::forward), -1.0);
        QCOMPARE(rig.bytes("Experts, product", Phase::recompute), -1.0);

        rig.plan.sequenceParallel = true; // half of the tokens
        rig.plan.gatedFfn = false;
        rig.plan.latentExperts = true;
        rig.in[Input::sharedFfnSize] = 0;
        rig.built(rig.attention);
        verifyGemm(rig, "Router", tokens / 2, 16, 64);
        verifyGemm(rig, "Latent down-projection", tokens / 2, 32, 64);
        verifyGemm(rig, "Latent up-projection", tokens / 2, 64, 32);
        QCOMPARE(rig.flops("Experts, up", Phase::forward), flopsOf(360, 20, 32));
        QCOMPARE(rig.bytes("Experts, product", Phase::forward), 2 * 2 * 20 * 360.0);
        QCOMPARE(rig.bytes("Shared experts, down", Phase::forward), -1.0);
    }

    /// A clamp and biases between the matrices: no fused kernel. The bias takes 28 bytes of each output
    /// element forward, 40 backward.
    void expertsWithBiases() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.unfusedProduct = true;
        rig.in[Input::unfusedProductPasses] = 3;
        rig.in[Input::expertBiasBytes] = 28;
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("Experts, product", Phase::forward), 3 * 2 * 3 * 20 * 720.0);
        QCOMPARE(rig.bytes("Experts, output bias", Phase::forward), 28 * 720 * 32.0);
        QCOMPARE(rig.bytes("Experts, output bias", Phase::backwardInput), 40 * 720 * 32.0);
        QCOMPARE(rig.bytes("Experts, output bias", Phase::recompute), -1.0);
        rig.plan.recompute.experts = true;
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("Experts, output bias", Phase::recompute), 28 * 720 * 32.0);
    }

    /// What of the experts runs again.
    void recomputedExperts_data() {
        QTest::addColumn<QString>("modules");
        QTest::addColumn<QString>("kernels");
        QTest::newRow("product") << "product" << "Experts, product, Shared experts, product";
        QTest::newRow("shared") << "shared"
                                << "Shared experts, down, Shared experts, gate and up, "
                                   "Shared experts, product";
        QTest::newRow("experts") << "experts"
                                 << "Experts, down, Experts, gate and up, Experts, product, "
                                    "Permute tokens, Router, Shared experts, down, "
                                    "Shared experts, gate and up, Shared experts, product";
    }
    void recomputedExperts() {
        QFETCH(QString, modules);
        QFETCH(QString, kernels);
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.recompute.product = modules == u"product";
        rig.plan.recompute.sharedExperts = modules == u"shared";
        rig.plan.recompute.experts = modules == u"experts";
        rig.built(rig.attention);
        QStringList found;
        for (const OpCost<double>& op : rig.layer->ops)
            if (op.phase == Phase::recompute)
                found << QLatin1String(op.name);
        found.sort();
        QCOMPARE(found.join(QStringLiteral(", ")), kernels);
    }

    /// Full recomputation runs every kernel of the layer again.
    void everythingAgain() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        for (const OpCost<double>& op : rig.layer->ops) {
            if (op.phase == Phase::forward) {
                QCOMPARE(rig.flops(op.name, Phase::recompute), op.flops);
                QCOMPARE(rig.bytes(op.name, Phase::recompute), op.bytes);
            }
        }
    }

    /// Grouped multiplications on slow arithmetic: each of 4 experts computes its 180 rows and 12 of padding,
    /// and 8 of the reduction once more; with weights as gradients the reduction is over the rows. In FP8 the
    /// input is quantized first: read in 16 bits and written in 8.
    void paceOfExperts() {
        TrainingRig rig;
        rig.attention.feedForward = FeedForward::moe;
        rig.in[Input::peak] = 4;
        rig.in[Input::gemmComputeEfficiency] = 0.5;
        rig.in[Input::expertGemmEfficiency] = 0.25;
        rig.in[Input::expertPadTokens] = 12;
        rig.in[Input::gemmExtraK] = 8;
        rig.in[Input::gemmLaunch] = 3;
        const double pace = 4 * 0.5 * 0.25;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Experts, gate and up", Phase::forward),
                 3 + 4 * flopsOf(192, 40, 32 + 8) / pace);
        QCOMPARE(rig.seconds("Experts, gate and up", Phase::backwardInput),
                 3 + 4 * flopsOf(192, 32, 40 + 8) / pace);
        QCOMPARE(rig.seconds("Experts, gate and up", Phase::backwardWeight),
                 3 + 4 * flopsOf(192 + 8, 40, 32) / pace);
        rig.plan.precision = Precision::fp8;
        rig.in[Input::quantPasses] = 2;
        rig.built(rig.attention);
        QCOMPARE(rig.seconds("Experts, gate and up", Phase::forward),
                 3 + 4 * flopsOf(192, 40, 32 + 8) / pace + 2 * (2 + 1) * 720 * 32);
        rig.in[Input::peak] = 1e30;
        rig.in[Input::memoryBandwidth] = 4;
        rig.in[Input::gemmMemoryEfficiency] = 0.5;
        rig.built(rig.attention);
        QCOMPARE(rig.bytes("Experts, gate and up", Phase::forward),
                 720 * 32 + 4 * 40 * 32 + 2 * 720 * 40.0); // 1-byte operands, 2-byte results
        QCOMPARE(rig.seconds("Experts, gate and up", Phase::forward),
                 3 + (720 * 32 + 4 * 40 * 32 + 2 * 720 * 40) / 2.0 + 2 * (2 + 1) * 720 * 32 / 4.0);
    }
};

QTEST_APPLESS_MAIN(TestTrainingExperts)

} // namespace tst_training_experts

#include "tst_training_experts.moc"
