// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h"
#include "model/training/decoder_layer.h"
#include "model/training/step.h"
#include "model/training/training_memory.h"
#include "tests/model/small_model.h"

#include <QTest>

#include <cmath>
#include <memory>

// What the tests of one training layer share: a model so small that every number can be counted on paper.
namespace alidade::test {

constexpr double tokensOfRank = 96; ///< of a micro-batch

/// Sizes that have few factors in common, so that no term can replace another one. Tensor parallelism 2,
/// context parallelism 4: a rank has 3 x 128 / 4 = 96 tokens of a micro-batch, 4 of 8 query heads, 2 of 4 KV
/// heads and half of each matrix.
struct TrainingRig {
    TrainingPlan plan;
    Inputs in;
    LayerKind attention{.split = 40'960, .replicated = 129};
    std::unique_ptr<LayerCost<double>> layer = std::make_unique<LayerCost<double>>();
    std::unique_ptr<Totals> totals = std::make_unique<Totals>();

    TrainingRig() {
        plan.tensorParallel = 2;
        plan.contextParallel = 4;
        setSmallModel(in);
        in[Input::sequenceLength] = 128;
        in[Input::microBatch] = 3;
        in[Input::contextParallel] = 4;
        in[Input::activationBytes] = 2;
        in[Input::savedInputShare] = 0.5;
        in[Input::normInputBytes] = 2;
        in[Input::expertRows] = 1.5;
        in[Input::expertImbalance] = 1.25;
        in[Input::expertOutputBytes] = 6;
        in[Input::sharedFfnSize] = 48;
        in[Input::elementwisePasses] = 1;
        in[Input::layerGatherEfficiency] = 1;
        in[Input::gpus] = 8;
        // Rates of which every kernel takes as many seconds as it moves bytes or, with slow arithmetic, as
        // many as it has FLOP.
        in[Input::peak] = in[Input::reportingPeak] = 1e30;
        in[Input::memoryBandwidth] = 1;
        in[Input::gemmComputeEfficiency] = in[Input::gemmMemoryEfficiency] = 1;
        in[Input::headGemmEfficiency] = in[Input::attentionEfficiency] = in[Input::scanEfficiency] = 1;
        in[Input::expertGemmEfficiency] = in[Input::attentionBackwardRatio] = 1;
        in[Input::ringAttentionFactor] = in[Input::sinkAttentionFactor] = 1;
    }

    LayerContext<double> context() const { return {plan, in, Bound::efa}; }

    /// The layer with its kernels.
    const LayerCost<double>& built(const LayerKind& kind) {
        decoderLayer(context(), kind, *layer);
        return *layer;
    }
    /// What the layers of the plan hold.
    const Totals& held() {
        holdLayers(context(), *totals);
        return *totals;
    }
    /// Sum over the operations of that name and phase; negative if there is none.
    double flops(const char* name, Phase phase) const { return sum(name, phase, &OpCost<double>::flops); }
    double bytes(const char* name, Phase phase) const { return sum(name, phase, &OpCost<double>::bytes); }
    double seconds(const char* name, Phase phase) const { return sum(name, phase, &OpCost<double>::seconds); }

private:
    double sum(const char* name, Phase phase, double OpCost<double>::* figure) const {
        return sumOf(layer->ops, name, figure,
                     [phase](const OpCost<double>& op) { return op.phase == phase; });
    }
};

inline bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

/// FLOP of [m x k][k x n], and its bytes with 16-bit operands and result.
constexpr double flopsOf(double m, double n, double k) { return 2 * m * n * k; }
constexpr double bytesOf(double m, double n, double k) { return 2 * (m * k + n * k + m * n); }

/// Forward [m x k][k x n], the gradients of its input and of its weights.
inline void verifyGemm(const TrainingRig& rig, const char* name, double m, double n, double k) {
    for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::backwardWeight}) {
        QCOMPARE(rig.flops(name, phase), flopsOf(m, n, k));
        QCOMPARE(rig.bytes(name, phase), bytesOf(m, n, k));
    }
}
/// Bytes per token forward, twice as many backward.
inline void verifyStream(const TrainingRig& rig, const char* name, double perToken) {
    QCOMPARE(rig.bytes(name, Phase::forward), perToken * tokensOfRank);
    QCOMPARE(rig.bytes(name, Phase::backwardInput), 2 * perToken * tokensOfRank);
}

#define VERIFY_NEAR(actual, expected)                                                                        \
    QVERIFY2(::alidade::test::near(actual, expected),                                                        \
             qPrintable(QString::number(actual, 'g', 17) + QLatin1String(" instead of ") +                   \
                        QString::number(expected, 'g', 17)))

} // namespace alidade::test
