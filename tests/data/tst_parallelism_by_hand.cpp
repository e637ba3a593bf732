// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "tests/data/step_by_hand.h"

#include <map>
#include <utility>
#include <vector>

namespace tst_parallelism_by_hand {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double sequence = 8192;

/// Buffer and bytes on the wire of a collective, which ring and all-to-all algorithms send per rank.
struct Sent {
    double buffer = 0, wire = 0;
    bool operator==(const Sent&) const = default;
};

} // namespace

/// Bytes and FLOP of the parts of a training step that only some plans have, against their values by hand:
/// context parallelism, LoRA adapters, offloading, and experts that several ranks share.
class TestParallelismByHand : public QObject, private StepByHand {
    Q_OBJECT

private slots:
    /// Four ranks share a sequence; each holds 2,048 tokens with 4 of 8 KV heads and 32 of 64 heads (tensor
    /// 2), 2 bytes each. Keys and values: 2 x 2,048 x 4 x (128 + 128) = 4,194,304 bytes; queries: 2 x 2,048 x
    /// 32 x 128 = 16,777,216, and the output as many.
    /// Ring (Liu et al. 2023, arXiv 2310.01889, section 3): keys and values go round, c - 1 times; backward
    /// with their gradients. All-gather (Llama 3, arXiv 2407.21783, 3.3.2): c - 1 of c parts arrive, backward
    /// again, and their gradients are scattered. Ulysses (arXiv 2309.14509, section 3): queries, keys and
    /// values to the rank of their heads, the output back; (c - 1) / c of each leaves a rank.
    void contextParallelism_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("ring") << "ring";
        QTest::newRow("all-gather") << "all_gather";
        QTest::newRow("Ulysses") << "ulysses";
    }
    void contextParallelism() {
        QFETCH(QString, kind);
        ScenarioSpec spec = dense();
        spec.plan.tensorParallel = 2;
        spec.plan.contextParallel = 4;
        spec.plan.contextParallelKind = kind.toStdString();
        evaluated(spec);
        std::map<Phase, std::vector<Sent>> sent;
        for (const CommCost<double>& each : totals().layers[0].communication) {
            if (each.group == "cp") {
                sent[each.phase].push_back({each.bytes, each.wireBytes});
                QVERIFY(each.seconds > 0 && each.exposed >= 0 && each.exposed <= each.seconds);
            }
        }
        const double keyValues = 4'194'304, queries = 16'777'216;
        const double inputs = queries + keyValues;
        std::vector<Sent> forward, backward;
        if (kind == QLatin1String("ring")) {
            forward = {{keyValues, 3 * keyValues}};
            backward = {{2 * keyValues, 6 * keyValues}};
        } else if (kind == QLatin1String("all_gather")) {
            forward = {{4 * keyValues, 3 * keyValues}};
            backward = {{4 * keyValues, 3 * keyValues}, {4 * keyValues, 3 * keyValues}};
        } else {
            forward = backward = {{inputs, 0.75 * inputs}, {queries, 0.75 * queries}};
        }
        QVERIFY(sent[Phase::forward] == forward);
        QVERIFY(sent[Phase::backwardInput] == backward);
        QCOMPARE(sent.size(), std::size_t{2});
    }

    /// An adapter is B A x: A is r x k, B is n x r (Hu et al. 2021, arXiv 2106.09685, section 4.1). Two
    /// multiplications forward, two for the gradient of the input, two for those of A and B, of 2 T r k and
    /// 2 T n r FLOP each; the frozen projection has no weight gradient.
    void adapters_data() {
        QTest::addColumn<QString>("adapter");
        QTest::addColumn<QString>("projection");
        QTest::addColumn<double>("n");
        QTest::addColumn<double>("k");
        QTest::newRow("QKV") << "QKV adapter"
                             << "QKV projection" << (heads + 2 * kvHeads) * headDim / 8 << K;
        QTest::newRow("output") << "Output adapter"
                                << "Output projection" << K << heads * headDim / 8;
        QTest::newRow("gate and up") << "Gate and up adapter"
                                     << "MLP gate and up" << 2 * F / 8 << K;
        QTest::newRow("down") << "Down adapter"
                              << "MLP down" << K << F / 8;
    }
    void adapters() {
        QFETCH(QString, adapter);
        QFETCH(QString, projection);
        QFETCH(double, n);
        QFETCH(double, k);
        ScenarioSpec spec = dense();
        spec.workload.finetune.kind = "lora";
        spec.workload.finetune.rank = 32;
        spec.workload.finetune.targets = std::vector<std::string>{"attention", "mlp"};
        evaluated(spec);
        std::map<Phase, double> flops;
        for (const OpCost<double>& op : totals().layers[0].ops) {
            if (adapter == QLatin1String(op.name))
                flops[op.phase] += op.flops;
            QVERIFY(projection != QLatin1String(op.name) || op.phase != Phase::backwardWeight);
        }
        const double expected = 2 * sequence * 32 * (n + k);
        for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::backwardWeight})
            QCOMPARE(flops[phase], expected);
    }

    /// An offloaded share of the optimizer takes the host's time instead of the GPU's: the FP32 gradient, the
    /// FP32 weight and the two moments of Adam are 16 bytes of each parameter (Ren et al. 2021, arXiv
    /// 2101.06840, section 2).
    void offloadedOptimizer() {
        Scenario s = resolved(dense());
        s.inputs[Input::offloadOptimizer] = 0.25;
        s.inputs[Input::hostOptimizerBandwidth] = 40e9;
        evaluateAgain(s);
        const auto& in = s.inputs;
        const StageCost<double>& busiest = totals().stages[static_cast<std::size_t>(totals().slowestStage)];
        const double parameters = busiest.parameters / 16; // ZeRO-1 over 16 ranks
        VERIFY_CLOSE(part(StepPart::optimizer),
                     0.75 * parameters * in[Input::optimizerTraffic] /
                             (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]) +
                         0.25 * parameters * 16 / 40e9);
    }

    /// Half of what autograd keeps of a layer (activationsOfAStage in tst_training_by_hand) goes to the host
    /// and comes back. Over a link so slow that it hides all compute, a layer takes as long as its transfers.
    void offloadedActivations() {
        Scenario s = resolved(dense());
        s.inputs[Input::offloadActivations] = 0.5;
        s.inputs[Input::hostBandwidth] = 1e8;
        s.inputs[Input::hostEfficiency] = 0.9;
        s.inputs[Input::hostTimePerLayer] = 0;
        evaluateAgain(s);
        const double saved = s.inputs[Input::savedInputShare];
        const double bytes = sequence / 8 *
                             (2 * 2 * K * (1 + saved)                                     // norms
                              + 2 * (heads + 2 * kvHeads) * headDim + 2 * heads * headDim // q, k, v, o
                              + 4 * heads                                                 // log-sum-exp
                              + 2 * 2 * F + 2 * saved * F);                               // MLP
        const LayerCost<double>& layer = totals().layers[0];
        const double oneWay = 0.5 * bytes / (1e8 * 0.9);
        VERIFY_CLOSE(layer.forward, oneWay);
        VERIFY_CLOSE(layer.backwardInput + layer.backwardWeight, oneWay);
        // Over a fast link nothing is left to wait for.
        s.inputs[Input::hostBandwidth] = 1e15;
        evaluateAgain(s);
        QCOMPARE(totals().layers[0].byPart[StepPart::offload], 0.0);
    }

    /// Two ranks share each expert of DeepSeek-V3: both gather the 2 x 2,048 tokens x 8 experts of the pair
    /// (7,168 wide, 2 bytes) and scatter the outputs, forward and backward; one half of each buffer leaves a
    /// rank.
    void expertTensorParallelism() {
        const Scenario s = evaluated(sharedExperts());
        const double buffer = 2 * 2048.0 * 8 * 7168 * 2;
        std::map<std::pair<std::string_view, Phase>, int> seen;
        for (const CommCost<double>& each : moeLayer(s).communication) {
            if (each.group == "etp") {
                ++seen[{each.op, each.phase}];
                QCOMPARE(each.bytes, buffer);
                QCOMPARE(each.wireBytes, buffer / 2);
            }
        }
        const std::map<std::pair<std::string_view, Phase>, int> expected{
            {{"all_gather", Phase::forward}, 1},
            {{"reduce_scatter", Phase::forward}, 1},
            {{"all_gather", Phase::backwardInput}, 1},
            {{"reduce_scatter", Phase::backwardInput}, 1}};
        QVERIFY(seen == expected);
    }

    /// What autograd keeps of routed experts per token of a rank's sequence shard: the gathered inputs of the
    /// 8 experts (both ranks of a pair hold them), gate, up and product of a rank's half of each expert for
    /// the rows of both, and 8 bytes of routing per expert. Stage 8 of 16 keeps 8 micro-batches of 4 layers.
    void keptByRoutedExperts() {
        ScenarioSpec spec = sharedExperts();
        const Scenario s = evaluated(spec);
        const double saved = s.inputs[Input::savedInputShare], h = 7168, f = 2048;
        const double routed = 8 * 2 * 2 * h * saved             // inputs, gathered from two ranks
                              + 8 * (2 * 2 * f + 2 * saved * f) // two ranks' rows of half an expert
                              + 8 * 256;                        // routing
        const double shared = 2 * 2 * f + 2 * saved * f;
        const double all = memory(8, MemoryKind::activations);
        // Recomputing the experts leaves the rest: the difference is theirs, and that of the shared expert,
        // which is split over the two tensor-parallel ranks; while a layer runs again it is whole once.
        spec.plan.recompute = std::vector<std::string>{"moe"};
        evaluated(spec);
        const double rest = memory(8, MemoryKind::activations);
        const double perLayer = 4096.0 * (routed + shared) / 2;
        VERIFY_CLOSE(all - rest, 8 * 4 * perLayer);
    }

private:
    /// DeepSeek-V3 with tensor parallelism 2 and each expert on two ranks.
    static ScenarioSpec sharedExperts() {
        ScenarioSpec s = experts();
        s.plan.tensorParallel = 2;
        s.plan.expertParallel = 32;
        s.plan.expertTensorParallel = 2;
        return s;
    }
};

QTEST_APPLESS_MAIN(TestParallelismByHand)

} // namespace tst_parallelism_by_hand

#include "tst_parallelism_by_hand.moc"
