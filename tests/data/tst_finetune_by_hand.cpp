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

    /// What the model leaves out is said, unless the experts have no adapters.
    void adaptersOfExpertsAreNotModeled() {
        const auto isSaid = [this](const ScenarioSpec& spec) {
            return std::ranges::any_of(resolved(spec).problems, [](const Problem& each) {
                return each.place == "/workload/finetune/targets";
            });
        };
        ScenarioSpec spec = experts();
        spec.workload.finetune.kind = "lora";
        QVERIFY(isSaid(spec));
        spec.workload.finetune.targets = std::vector<std::string>{"attention"};
        QVERIFY(!isSaid(spec));
        QVERIFY(!isSaid(adapted("none"))); // a dense model
    }
};

QTEST_GUILESS_MAIN(TestFinetuneByHand)

} // namespace tst_finetune_by_hand

#include "tst_finetune_by_hand.moc"
