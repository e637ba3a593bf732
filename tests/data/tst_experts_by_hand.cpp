// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "model/estimate/assemble.h"
#include "tests/data/step_by_hand.h"

#include <tuple>

namespace tst_experts_by_hand {

using namespace alidade;
using namespace alidade::test;

/// The parts of a training step that only models with experts have, against their values by hand:
/// DeepSeek-V3.
class TestExpertsByHand : public QObject, private StepByHand {
    Q_OBJECT

private slots:
    /// DeepSeek-V3 on 64-way expert parallelism: 4,096 tokens x 8 of 256 experts, 4 experts on a rank. The
    /// weight gradient of each expert is accumulated in FP32.
    void expertsOfARank() {
        ScenarioSpec spec = experts();
        spec.plan.expertImbalance = 1.25;
        const Scenario s = evaluated(spec);
        const auto& in = s.inputs;
        const double rows = 4096.0 * 8 * 1.25, h = 7168, f = 2048, mine = 4;
        const LayerCost<double>& layer = moeLayer(s);
        const QString up = QStringLiteral("Experts, gate and up"), down = QStringLiteral("Experts, down");
        for (const auto& [name, n, k] : {std::tuple{up, 2 * f, h}, std::tuple{down, h, f}}) {
            const OpCost<double>& forward = operation(layer, name, Phase::forward);
            const OpCost<double>& weights = operation(layer, name, Phase::backwardWeight);
            QCOMPARE(forward.flops, 2 * rows * n * k);
            QCOMPARE(weights.flops, 2 * rows * n * k);
            QCOMPARE(forward.bytes, 2 * (rows * k + mine * n * k + rows * n));
            QCOMPARE(weights.bytes, 2 * rows * (n + k) + 4 * mine * n * k);
            const double rate =
                in[Input::peak] * in[Input::gemmComputeEfficiency] * in[Input::expertGemmEfficiency];
            const double padded = rows / mine + in[Input::expertPadTokens];
            VERIFY_CLOSE(forward.seconds,
                         in[Input::gemmLaunch] + 2 * mine * padded * n * (k + in[Input::gemmExtraK]) / rate);
            VERIFY_CLOSE(weights.seconds,
                         in[Input::gemmLaunch] + 2 * mine * (padded + in[Input::gemmExtraK]) * n * k / rate);
        }
        const OpCost<double>& product = operation(layer, QStringLiteral("Experts, product"), Phase::forward);
        QVERIFY(equalTo(product.bytes / (6 * f * rows), in[Input::elementwisePasses]) ||
                equalTo(product.bytes / (6 * f * rows), in[Input::unfusedProductPasses]));
        const OpCost<double>& permute = operation(layer, QStringLiteral("Permute tokens"), Phase::forward);
        VERIFY_CLOSE(permute.bytes, in[Input::expertPermuteBytes] * 4096 * 8 * h);
        // A row costs time alongside its bytes.
        VERIFY_CLOSE(permute.seconds,
                     permute.bytes / (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]) +
                         in[Input::expertRowTime] * 4096 * 8);
        VERIFY_CLOSE(operation(layer, QStringLiteral("Permute tokens"), Phase::backwardInput).bytes,
                     1.6 * permute.bytes);
        QCOMPARE(operation(layer, QStringLiteral("Router"), Phase::forward).flops, 2 * 4096.0 * 256 * h);
        QCOMPARE(totals().expertTokens, 4096.0 * 8);
        // The routed tokens of all 64 ranks meet in the 256 experts.
        const Estimate shown = assemble(s, s.inputs, &totals());
        QCOMPARE(shown.training->expertLoad->tokensPerExpert, 64 * 4096.0 * 8 / 256);
        QCOMPARE(shown.training->expertLoad->paddedTokensPerExpert,
                 64 * 4096.0 * 8 / 256 + in[Input::expertPadTokens]);
        QCOMPARE(shown.training->expertLoad->expertsPerRank, 4);
    }

    /// GPT-OSS: 4 of 128 experts with biases, 16 of them on a rank; the output of an expert is as wide as the
    /// model.
    void biasesOfExperts() {
        ScenarioSpec spec = experts();
        spec.workload.model = "gpt-oss-120b";
        spec.cluster.instances = 8;
        spec.plan.pipelineParallel = 4;
        spec.plan.expertParallel = 8;
        spec.plan.expertImbalance = 1;
        const QString bias = QStringLiteral("Experts, output bias");
        Scenario s = evaluated(spec);
        const double elements = 4096.0 * 4 * 2880;
        const OpCost<double>& forward = operation(moeLayer(s), bias, Phase::forward);
        // FP32 product written; sum of 16 and 32 bits read, 32 written; copied; cast.
        QCOMPARE(forward.bytes, elements * (4 + (2 + 4 + 4) + (4 + 4) + (4 + 2)));
        VERIFY_CLOSE(forward.seconds, forward.bytes / (s.inputs[Input::memoryBandwidth] *
                                                       s.inputs[Input::gemmMemoryEfficiency]));
        // Casts of the gradient both ways, its copy, and two FP32 products with their sums.
        VERIFY_CLOSE(operation(moeLayer(s), bias, Phase::backwardInput).bytes,
                     elements * ((2 + 4) + (4 + 2) + (2 + 2) + 2 * (4 + 4 + 4)));
        spec.plan.cudaGraphScope = "full";
        s = evaluated(spec);
        QCOMPARE(operation(moeLayer(s), bias, Phase::forward).bytes, 0.0);
    }

    /// A graph of the whole iteration has its rows sorted by HybridEP: what is left costs no time per row,
    /// and no more bytes than the sum over the rows of a token, whatever the dispatcher alone would cost.
    void rowsOfWholeGraphs() {
        ScenarioSpec spec = experts();
        spec.plan.dispatcher = "hybridep";
        const QString permute = QStringLiteral("Permute tokens");
        Scenario s = evaluated(spec);
        const double sorted = operation(moeLayer(s), permute, Phase::forward).seconds;
        spec.plan.cudaGraphScope = "full";
        s = evaluated(spec);
        const auto& in = s.inputs;
        const OpCost<double>& whole = operation(moeLayer(s), permute, Phase::forward);
        QVERIFY(in[Input::expertPermuteBytes] < 4);
        QCOMPARE(in[Input::expertRowTime], 0.0);
        VERIFY_CLOSE(whole.bytes, in[Input::expertPermuteBytes] * 4096 * 8 * 7168);
        VERIFY_CLOSE(whole.seconds,
                     whole.bytes / (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]));
        QVERIFY(whole.seconds < sorted / 2);
    }

    /// NeMo AutoModel: models are made in BF16, and Adam updates them there. 2 bytes each of weight, gradient
    /// and two moments.
    void stateOfAutoModel() {
        ScenarioSpec spec = experts();
        spec.plan.framework = "nemo-automodel";
        spec.plan.sharding = "fsdp2";
        const Scenario s = evaluated(spec);
        QCOMPARE(s.inputs[Input::weightBytes], 2.0);
        QCOMPARE(s.inputs[Input::gradientBytes], 2.0);
        QCOMPARE(s.inputs[Input::optimizerBytes], 4.0);
        // FlexAttention with sinks is no slower for them than FlashAttention-2, the activation one kernel.
        QCOMPARE(s.inputs[Input::sinkAttentionFactor], 0.55);
        QCOMPARE(s.inputs[Input::unfusedProductPasses], 1.0);
    }

    /// Parameters and state of a stage with experts: those of 4 of 256, and a share of the dense ones.
    void parametersOfExperts() {
        const Scenario s = evaluated(experts());
        const StageCost<double>& middle = totals().stages[8];
        QCOMPARE(middle.expertParameters, 4 * 4 * 3 * 7168.0 * 2048); // 4 layers, 4 experts, 3 matrices
        const double optimizer =
            s.inputs[Input::optimizerBytes] * (middle.parameters / s.inputs[Input::shardRanks] +
                                               middle.expertParameters / s.inputs[Input::expertShardRanks]);
        QCOMPARE(s.inputs[Input::shardRanks], 2048.0 / 16);
        QCOMPARE(s.inputs[Input::expertShardRanks], 2048.0 / 16 / 64);
        VERIFY_CLOSE(memory(8, MemoryKind::optimizer), optimizer);
    }

    /// Forward: tokens out and back; backward: gradients back and out, both in 16 bits. Compute hides at most
    /// its own time of it.
    void exchangeOfTokens() {
        ScenarioSpec spec = experts();
        spec.plan.overlap.expert = 0.5;
        const Scenario s = evaluated(spec);
        const double elements = 4096.0 * 8 * 7168;
        const auto& in = s.inputs;
        int seen = 0;
        for (const CommCost<double>& each : moeLayer(s).communication) {
            if (each.group != "ep")
                continue;
            ++seen;
            const bool out = each.op == "dispatch" && each.phase == Phase::forward;
            QCOMPARE(each.bytes, elements * in[out ? Input::expertDispatchBytes : Input::expertCombineBytes]);
            QVERIFY(each.exposed >= 0.5 * each.seconds * (1 - 1e-12) && each.exposed <= each.seconds);
        }
        QCOMPARE(seen, 4);
    }
};

QTEST_APPLESS_MAIN(TestExpertsByHand)

} // namespace tst_experts_by_hand

#include "tst_experts_by_hand.moc"
