// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "tests/data/step_by_hand.h"

namespace tst_finetune_by_hand {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double T = 8192, tp = 8;

} // namespace

/// What fine-tuning adds to a layer, by hand: Llama 3.1 70B under LoRA of rank 16.
class TestFinetuneByHand : public QObject, private StepByHand {
    Q_OBJECT

    static ScenarioSpec adapted(const char* recompute) {
        ScenarioSpec spec = dense();
        spec.workload.finetune.kind = "lora";
        spec.workload.finetune.rank = 16;
        spec.plan.recompute = std::vector<std::string>{recompute};
        return spec;
    }

    /// FLOP and bytes of an adapter's operations in one phase; bytes of those that only move data.
    struct Sum {
        int products = 0;
        double flops = 0, moved = 0;
    };
    Sum sumOf(const QString& name, Phase phase) {
        Sum out;
        for (const OpCost<double>& op : totals().layers[0].ops) {
            if (name == QLatin1String(op.name) && op.phase == phase) {
                out.products += op.flops > 0 ? 1 : 0;
                out.flops += op.flops;
                out.moved += op.flops > 0 ? 0 : op.bytes;
            }
        }
        return out;
    }

private Q_SLOTS:
    /// x A B alongside the frozen projection [k x n]: 2 T r (k + n) FLOP forward, as much for the gradients
    /// of the input and of A and B. Adding the product to the projection's output reads both and writes one
    /// of 2 bytes a token and column; backward, the gradient is scaled (read, written) and the two gradients
    /// of the input are added.
    void adaptersJoinTheirProjections_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("n");
        QTest::addColumn<double>("k");
        QTest::newRow("qkv") << QStringLiteral("QKV adapter") << (heads + 2 * kvHeads) * headDim / tp << K;
        QTest::newRow("output") << QStringLiteral("Output adapter") << K << heads * headDim / tp;
        QTest::newRow("up") << QStringLiteral("Gate and up adapter") << 2 * F / tp << K;
        QTest::newRow("down") << QStringLiteral("Down adapter") << K << F / tp;
    }
    void adaptersJoinTheirProjections() {
        QFETCH(const QString, name);
        QFETCH(const double, n);
        QFETCH(const double, k);
        evaluated(adapted("full"));
        for (const Phase phase : {Phase::forward, Phase::recompute}) {
            const Sum pass = sumOf(name, phase);
            QCOMPARE(pass.products, 2);
            QCOMPARE(pass.flops, 2 * T * 16 * (k + n));
            QCOMPARE(pass.moved, 6 * n * T);
        }
        QCOMPARE(sumOf(name, Phase::backwardInput).flops, 2 * T * 16 * (k + n));
        QCOMPARE(sumOf(name, Phase::backwardInput).moved, (4 * n + 6 * k) * T);
        QCOMPARE(sumOf(name, Phase::backwardWeight).flops, 2 * T * 16 * (k + n));
        evaluated(adapted("none"));
        QCOMPARE(sumOf(name, Phase::recompute).products, 0);
        QCOMPARE(sumOf(name, Phase::forward).moved, 6 * n * T);
    }

    /// PyTorch's own experts keep their outputs: 2 bytes, the FP32 copy and its product with the routing
    /// weight, and have the gradient in FP32 alongside them (14 bytes); Megatron's keep none. On 4,096 tokens
    /// and 8 experts a token of width 7,168 that is 3.3 GB of the layer that runs again.
    void outputsOfExperts() {
        ScenarioSpec spec = experts();
        spec.plan.recompute = std::vector<std::string>{"full"};
        const Scenario s = evaluated(spec);
        QCOMPARE(s.inputs[Input::expertOutputBytes], 0.0);
        const double none = memory(8, MemoryKind::activations);
        Scenario torch = s;
        torch.inputs[Input::expertOutputBytes] = 14;
        evaluateAgain(torch);
        VERIFY_CLOSE(memory(8, MemoryKind::activations) - none, 14 * 4096.0 * 8 * 7168);
    }

    /// An adapter of rank 16 on each projection of a mixture of experts holds 16 (in + out) parameters. Of
    /// DeepSeek-V3 (width 7,168, 128 heads of 128 + 64 and 128, ranks 1,536 and 512, experts and the shared
    /// expert of 2,048 with gate and up as one matrix) a layer on one GPU of 64-way expert parallelism holds
    /// those of latent attention and of the shared expert, and those of 256 / 64 = 4 experts.
    void adaptersOfExperts() {
        constexpr double queries = 128 * 192, attention = (7168 + 1536) + (1536 + queries) +
                                                          (7168 + 512 + 64) + (512 + 128 * 256) +
                                                          (128 * 128 + 7168);
        constexpr double expert = (7168 + 2 * 2048) + (2048 + 7168);
        ScenarioSpec spec = experts();
        spec.workload.finetune.kind = "lora";
        spec.workload.finetune.rank = 16;
        const auto layersOfStage = [](const Scenario& s) {
            return static_cast<double>(s.plan.stageLayers[8]);
        };
        const auto check = [&](double ofAttention, double sharedExpert, double adapters) {
            const Scenario s = evaluated(spec);
            const StageCost<double>& stage = totals().stages[8]; // experts in each of its layers
            QCOMPARE(stage.trainable, 16 * (ofAttention + sharedExpert) * layersOfStage(s));
            QCOMPARE(stage.trainableExperts, 16 * adapters * expert * layersOfStage(s));
        };
        check(attention, expert, 4);
        spec.plan.framework = "megatron-bridge"; // one adapter for the experts of a GPU
        check(attention, expert, 1);
        spec.plan.framework = std::nullopt;
        spec.workload.finetune.targets = std::vector<std::string>{"attention"};
        check(attention, 0, 0);
        spec.workload.finetune.targets = std::vector<std::string>{"mlp"};
        check(0, expert, 4);
    }

    /// Those of experts work on the rows of the experts: 4,096 tokens x 8 of the busiest rank.
    void adaptersOfExpertsWorkOnTheirRows() {
        ScenarioSpec spec = experts();
        spec.workload.finetune.kind = "lora";
        spec.workload.finetune.rank = 16;
        spec.plan.recompute = std::vector<std::string>{"none"};
        const Scenario s = evaluated(spec);
        const double rows = 4096 * 8 * s.inputs[Input::expertImbalance];
        QVERIFY(rows > 0);
        const auto of = [&](const char* name, Phase phase) {
            Sum out;
            for (const LayerCost<double>& layer : totals().layers)
                for (const OpCost<double>& op : layer.ops)
                    if (std::string_view(name) == op.name && op.phase == phase) {
                        out.products += op.flops > 0 ? 1 : 0;
                        out.flops += op.flops;
                        out.moved += op.flops > 0 ? 0 : op.bytes;
                    }
            return out;
        };
        QCOMPARE(of("Experts, gate and up adapter", Phase::forward).flops, 2 * rows * 16 * (7168 + 4096));
        QCOMPARE(of("Experts, gate and up adapter", Phase::forward).moved, 6 * rows * 4096);
        QCOMPARE(of("Experts, down adapter", Phase::backwardInput).flops, 2 * rows * 16 * (2048 + 7168));
        QCOMPARE(of("Experts, down adapter", Phase::backwardWeight).flops, 2 * rows * 16 * (2048 + 7168));
        QCOMPARE(of("Experts, down adapter", Phase::recompute).products, 0);
        spec.plan.recompute = std::vector<std::string>{"moe"};
        evaluated(spec);
        QCOMPARE(of("Experts, down adapter", Phase::recompute).products, 2);
    }
};

QTEST_GUILESS_MAIN(TestFinetuneByHand)

} // namespace tst_finetune_by_hand

#include "tst_finetune_by_hand.moc"
