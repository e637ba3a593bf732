// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "model/explain/normal.h"
#include "tests/data/step_by_hand.h"

#include <algorithm>

namespace tst_training_by_hand {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double T = 8192; ///< tokens of one micro-batch: one sequence
constexpr double tp = 8;

} // namespace

/// Every formula of a training step against its value by hand: counts of FLOP and bytes from the sizes of
/// Llama 3.1 70B and DeepSeek-V3 (their config.json), times from the laws that the comments cite.
/// Efficiencies and the like are inputs here, so that a new calibration changes nothing.
class TestTrainingByHand : public QObject, private StepByHand {
    Q_OBJECT

private slots:
    // ---- kernels of a dense layer

    /// A multiplication [m x k][k x n] takes 2 m n k FLOP and moves its three matrices once; the gradients of
    /// its input and of its weights are multiplications of the same size (Korthikanti et al. 2022, appendix
    /// A).
    void matrixMultiplicationsOfALayer_data() { addLinearLayers(tp); }
    void matrixMultiplicationsOfALayer() {
        QFETCH(QString, name);
        QFETCH(double, n);
        QFETCH(double, k);
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::backwardWeight}) {
            const OpCost<double>& op = operation(totals().layers[0], name, phase);
            QCOMPARE(op.flops, 2 * T * n * k);
            QCOMPARE(op.bytes, 2 * (T * k + n * k + T * n));
            // The reduction is over k, n, or the tokens; the law pays `extraK` of it once more.
            const double depth = phase == Phase::forward ? k : phase == Phase::backwardInput ? n : T;
            const double compute = op.flops * (1 + in[Input::gemmExtraK] / depth) /
                                   (in[Input::peak] * in[Input::gemmComputeEfficiency]);
            const double memory = op.bytes / (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]);
            VERIFY_CLOSE(op.seconds, in[Input::gemmLaunch] + std::max(compute, memory));
            VERIFY_CLOSE(op.efficiency, op.flops / (in[Input::peak] * op.seconds));
            VERIFY_CLOSE(op.intensity, op.flops / op.bytes);
        }
    }

    /// In FP8 operands are one byte and the input is quantized on the way: `quantPasses` over its 16-bit and
    /// its 8-bit form.
    void quantizedMultiplications() {
        ScenarioSpec spec = dense();
        spec.plan.precision = "fp8";
        Scenario s = resolved(spec);
        s.inputs[Input::quantPasses] = 0.7;
        evaluateAgain(s);
        const auto& in = s.inputs;
        const OpCost<double>& op = operation(totals().layers[0], QStringLiteral("MLP down"), Phase::forward);
        const double n = K, k = F / tp;
        QCOMPARE(op.bytes, T * k + n * k + 2 * T * n);
        const double compute =
            2 * T * n * (k + in[Input::gemmExtraK]) / (in[Input::peak] * in[Input::gemmComputeEfficiency]);
        const double quantization = 0.7 * (2 + 1) * T * k / in[Input::memoryBandwidth];
        VERIFY_CLOSE(op.seconds, in[Input::gemmLaunch] + compute + quantization);
    }

    /// Causal attention: 4 d FLOP for each of s (s + 1) / 2 pairs and head; the backward kernel 2.5 times as
    /// many (FlashAttention-2, Dao 2023, section 3.1); q, k, v and o pass memory once, twice backward.
    void attentionOfALayer() {
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        const double pairs = T * (T + 1) / 2, flops = 4 * headDim * heads / tp * pairs;
        const double bytes = 2 * 2 * headDim * T * (heads / tp + kvHeads / tp);
        const OpCost<double>& forward = core(Phase::forward);
        const OpCost<double>& backward = core(Phase::backwardInput);
        QCOMPARE(forward.flops, flops);
        QCOMPARE(forward.bytes, bytes);
        QCOMPARE(backward.flops, 2.5 * flops);
        QCOMPARE(backward.bytes, 2 * bytes);
        const double efficiency = in[Input::attentionEfficiency] / (1 + in[Input::attentionHalfLength] / T);
        VERIFY_CLOSE(forward.seconds,
                     in[Input::attentionLaunch] + flops / (in[Input::reportingPeak] * efficiency));
        VERIFY_CLOSE(backward.seconds,
                     in[Input::attentionLaunch] +
                         2.5 * flops /
                             (in[Input::reportingPeak] * efficiency * in[Input::attentionBackwardRatio]));
    }

    /// Norms read x and the residual and write both; rotary embedding reads and writes queries and keys; the
    /// product of gate and up reads two and writes one. The backward pass moves twice as much.
    void elementwiseKernelsOfALayer_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("bytes");
        QTest::newRow("attention norm") << "Attention norm" << 8 * K / tp * T;
        QTest::newRow("MLP norm") << "MLP norm" << 8 * K / tp * T;
        QTest::newRow("rotary") << "Rotary embedding" << 4 * (heads + kvHeads) / tp * headDim * T;
        QTest::newRow("product") << "GLU product" << 6 * F / tp * T;
    }
    void elementwiseKernelsOfALayer() {
        QFETCH(QString, name);
        QFETCH(double, bytes);
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        for (const Phase phase : {Phase::forward, Phase::backwardInput}) {
            const double times = phase == Phase::forward ? 1 : 2;
            const OpCost<double>& op = operation(totals().layers[0], name, phase);
            VERIFY_CLOSE(op.bytes, times * bytes * in[Input::elementwisePasses]);
            VERIFY_CLOSE(op.seconds,
                         op.bytes / (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]));
        }
    }

    /// Gemma normalizes the outputs of attention and MLP too.
    void normsBehindTheBlocks() {
        ScenarioSpec spec = dense();
        spec.workload.model = "gemma-3-27b-it";
        spec.plan.pipelineParallel = 1;
        const Scenario s = evaluated(spec);
        for (const char* name : {"Attention output norm", "MLP output norm", "MLP norm"}) {
            VERIFY_CLOSE(operation(totals().layers[0], QLatin1String(name), Phase::forward).bytes,
                         8 * 5376 / tp * T * s.inputs[Input::elementwisePasses]);
        }
    }

    void embeddingAndHead() {
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        for (const Phase phase : {Phase::forward, Phase::backwardInput, Phase::backwardWeight}) {
            const OpCost<double>& logits = operation(totals().head, QStringLiteral("Logits"), phase);
            QCOMPARE(logits.flops, 2 * T * K * V / tp);
            QCOMPARE(logits.bytes, 2 * (T * K + K * V / tp + T * V / tp));
            const double depth = phase == Phase::forward ? K : phase == Phase::backwardInput ? V / tp : T;
            VERIFY_CLOSE(logits.seconds, in[Input::gemmLaunch] +
                                             logits.flops * (1 + in[Input::gemmExtraK] / depth) /
                                                 (in[Input::reportingPeak] * in[Input::headGemmEfficiency]));
        }
        const QString loss = QStringLiteral("Cross-entropy"), look = QStringLiteral("Token embedding");
        const double passes = in[Input::elementwisePasses];
        QCOMPARE(operation(totals().head, loss, Phase::forward).bytes, 8 * V / tp * T);
        QCOMPARE(operation(totals().head, loss, Phase::backwardInput).bytes, 6 * V / tp * T);
        VERIFY_CLOSE(operation(totals().embedding, look, Phase::forward).bytes, 4 * K * T * passes);
        VERIFY_CLOSE(operation(totals().embedding, look, Phase::backwardInput).bytes, 8 * K * T * passes);
    }

    /// Sequence parallelism gathers before and scatters behind each of the two blocks, forward and backward,
    /// and gathers once more for the weight gradients (Korthikanti et al. 2022, section 4.2.2).
    void collectivesOfALayer() {
        ScenarioSpec spec = dense();
        spec.plan.overlap.tensor = 0.25;
        const Scenario s = evaluated(spec);
        const double buffer = 2 * T * K;
        int gathers = 0, scatters = 0;
        for (const CommCost<double>& each : totals().layers[0].communication) {
            QCOMPARE(each.group, std::string_view("tp"));
            QCOMPARE(each.bytes, buffer);
            QCOMPARE(each.wireBytes, buffer * (tp - 1) / tp);
            VERIFY_CLOSE(each.exposed, 0.75 * each.seconds);
            gathers += each.op == "all_gather";
            scatters += each.op == "reduce_scatter";
        }
        QCOMPARE(gathers, 6);
        QCOMPARE(scatters, 4);
        // The pace of NVLink: alpha + (n - 1) steps + gamma sqrt(w) + w / B is the fit's own test; here only
        // that a buffer twice as large takes longer than the same, and less than twice as long.
        QVERIFY(s.inputs[Input::nvlinkBandwidth] > 0);
        for (const CommCost<double>& each : totals().layers[0].communication) {
            QVERIFY(each.seconds > each.wireBytes / s.inputs[Input::nvlinkBandwidth]);
            QVERIFY(each.seconds < 2 * each.wireBytes / s.inputs[Input::nvlinkBandwidth]);
        }
    }

    /// A phase of a layer is the sum of its kernels and exposed collectives, unless the host is slower: the
    /// smooth maximum of power 6 of both, where the host's share grows with the kernels that it launches.
    void aLayerIsTheSumOfItsParts() {
        Scenario s = resolved(dense());
        s.inputs[Input::hostGraphShare] = 1;
        for (const double host : {0.0, 0.02}) {
            s.inputs[Input::hostTimePerLayer] = host;
            evaluateAgain(s);
            const LayerCost<double>& layer = totals().layers[0];
            std::map<Phase, double> gpu, kernels;
            for (const OpCost<double>& op : layer.ops) {
                gpu[op.phase] += op.seconds;
                ++kernels[op.phase];
            }
            for (const CommCost<double>& each : layer.communication)
                gpu[each.phase] += each.exposed;
            double expected = 0;
            for (const auto& [phase, seconds] : gpu) {
                const double launching = host * kernels[phase] / 30;
                expected += std::pow(std::pow(seconds, 6) + std::pow(launching, 6), 1.0 / 6);
            }
            VERIFY_CLOSE(layer.seconds, expected);
            VERIFY_CLOSE(layer.forward + layer.backwardInput + layer.backwardWeight, layer.seconds);
            double parts = 0;
            for (const double each : layer.byPart.seconds)
                parts += each;
            VERIFY_CLOSE(parts, layer.seconds);
        }
    }

    // ---- memory

    /// 20 of 80 layers on each of 4 stages, the embedding on the first and the output layer on the last.
    void parametersOfStages() {
        evaluated(dense());
        const double layer = layerParameters();
        QCOMPARE(totals().stages[0].parameters, 20 * layer + V * K / tp);
        QCOMPARE(totals().stages[1].parameters, 20 * layer);
        QCOMPARE(totals().stages[3].parameters, 20 * layer + V * K / tp + K);
        QCOMPARE(totals().stages[1].trainable, 20 * layer);
    }

    /// ZeRO stages divide the state one after the other (Rajbhandari et al. 2020, table 1).
    void stateOfAStage() {
        for (const auto& [sharding, divided] :
             {std::pair{"none", 0}, std::pair{"zero1", 1}, std::pair{"zero2", 2}, std::pair{"zero3", 3}}) {
            ScenarioSpec spec = dense();
            spec.plan.pipelineParallel = 1;
            spec.plan.sharding = sharding;
            const Scenario s = evaluated(spec);
            const auto& in = s.inputs;
            const double parameters = layersOfModel * layerParameters() + 2 * V * K / tp + K, ranks = 64;
            const auto share = [&](int from) { return parameters / (divided >= from ? ranks : 1); };
            VERIFY_CLOSE(memory(0, MemoryKind::optimizer), in[Input::optimizerBytes] * share(1));
            VERIFY_CLOSE(memory(0, MemoryKind::gradients), in[Input::gradientBytes] * share(2));
            VERIFY_CLOSE(memory(0, MemoryKind::weights), in[Input::weightBytes] * share(3));
        }
    }

    /// What 16-bit autograd keeps of a layer, per token: two norm inputs and outputs (4 x 2h), q, k, v and
    /// the attention's output, the log-sum-exp, gate, up and their product (Korthikanti et al. 2022,
    /// section 4.1, with FlashAttention and grouped queries). Stage i of p keeps p - i micro-batches under
    /// 1F1B. While the backward pass of a layer runs, gradients of its product and of gate and up exist
    /// alongside; on the last stage they have the room of the logits, which are larger.
    void activationsOfAStage() {
        ScenarioSpec spec = dense();
        spec.plan.recompute = std::vector<std::string>{"none"};
        const Scenario s = evaluated(spec);
        const double saved = s.inputs[Input::savedInputShare];
        const double perToken = (2 * 2 * K * (1 + saved)                                     // norms
                                 + 2 * (heads + 2 * kvHeads) * headDim + 2 * heads * headDim // q, k, v, o
                                 + 4 * heads                                                 // log-sum-exp
                                 + 2 * 2 * F + 2 * saved * F) /                              // MLP
                                tp;
        const double inLayer = 3 * 2 * F * T / tp + 3 * 2 * K * T;
        for (int stage = 0; stage < 4; ++stage) {
            VERIFY_CLOSE(memory(stage, MemoryKind::activations),
                         (4 - stage) * 20 * perToken * T + (stage < 3 ? inLayer : 0));
        }
    }

    /// Full recomputation keeps the input of each layer, and one layer whole while it runs again; on the last
    /// stage that layer and its gradients have the room of the logits.
    void activationsUnderFullRecomputation() {
        ScenarioSpec spec = dense();
        spec.plan.recompute = std::vector<std::string>{"none"};
        evaluated(spec);
        const double whole = memory(3, MemoryKind::activations) / 20; // one micro-batch, 20 layers
        spec.plan.recompute = std::vector<std::string>{"full"};
        evaluated(spec);
        VERIFY_CLOSE(memory(0, MemoryKind::activations),
                     4 * 20 * 2 * K * T / tp + whole + 3 * 2 * F * T / tp + 3 * 2 * K * T);
        const double beside = whole + 3 * 2 * F * T / tp + 3 * 2 * K * T - memory(3, MemoryKind::logits);
        VERIFY_CLOSE(memory(3, MemoryKind::activations), 20 * 2 * K * T / tp + std::max(0.0, beside));
        // ... and the backward pass takes the kernels of the forward pass once more.
        const LayerCost<double>& layer = totals().layers[0];
        double forward = 0, again = 0;
        for (const OpCost<double>& op : layer.ops) {
            forward += op.phase == Phase::forward ? op.flops : 0;
            again += op.phase == Phase::recompute ? op.flops : 0;
        }
        VERIFY_CLOSE(again, forward);
    }

    void restOfAStagesMemory() {
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        VERIFY_CLOSE(memory(3, MemoryKind::logits),
                     in[Input::logitsBytes] * T * V / tp + 4 * K * T / tp); // and the final norm
        QCOMPARE(memory(0, MemoryKind::logits), 0.0);
        double allocated = 0;
        for (const MemoryKind kind : {MemoryKind::weights, MemoryKind::gradients, MemoryKind::optimizer,
                                      MemoryKind::activations, MemoryKind::logits, MemoryKind::gathered}) {
            allocated += memory(3, kind);
        }
        VERIFY_CLOSE(memory(3, MemoryKind::fragmentation), allocated * (in[Input::fragmentation] - 1));
        QCOMPARE(memory(3, MemoryKind::communication), in[Input::communicationMemory]);
        QCOMPARE(memory(3, MemoryKind::context), in[Input::contextMemory]);
        VERIFY_CLOSE(totals().stages[3].memoryTotal, allocated * in[Input::fragmentation] +
                                                         in[Input::communicationMemory] +
                                                         in[Input::contextMemory]);
        VERIFY_CLOSE(totals().headroom,
                     in[Input::capacity] * (1 - in[Input::memoryReserve]) -
                         totals().stages[static_cast<std::size_t>(totals().worstStage)].memoryTotal);
    }

    // ---- pipeline

    /// Between stages go the activations of a micro-batch, one tensor-parallel slice per rank, forward and
    /// back: 2 m transfers of 2 T h / t bytes.
    void transfersBetweenStages() {
        Scenario s = resolved(dense());
        s.inputs[Input::overlapPipeline] = 0;
        evaluateAgain(s);
        const double microbatches = 1024.0 / 16, bytes = 2 * T * K / tp;
        const CommCost<double>& sent = stepTraffic("pp", "send");
        QCOMPARE(sent.bytes, bytes);
        QCOMPARE(sent.wireBytes, bytes * 2 * microbatches);
        QCOMPARE(sent.networkBytes, sent.wireBytes);
        VERIFY_CLOSE(sent.seconds, totals().pipelineHop * 2 * microbatches);
        const double hop = totals().pipelineHop;
        QVERIFY(hop > bytes / s.inputs[Input::networkBandwidth]);
        s.inputs[Input::overlapPipeline] = 0.25;
        evaluateAgain(s);
        VERIFY_CLOSE(totals().pipelineHop, 0.75 * hop);
        s.inputs[Input::overlapPipeline] = 1;
        evaluateAgain(s);
        QCOMPARE(part(StepPart::pipelineTransfer), 0.0);
    }

    /// 1F1B with stages of one pace: (p - 1)(F + B) idle (Narayanan et al. 2021), and each of its hops, there
    /// and back, lengthens the step.
    void bubbleOfOneForwardOneBackward() {
        Scenario s = resolved(dense());
        s.inputs[Input::vocabulary] = 8; // embedding and head cost next to nothing
        s.inputs[Input::overlapPipeline] = 0;
        evaluateAgain(s);
        const double stage = 20 * totals().layers[0].seconds;
        QVERIFY(equalTo(part(StepPart::bubble), 3 * stage, 2e-3));
        // The first and last stage take a little longer, which hides as much of a hop.
        QVERIFY(part(StepPart::pipelineTransfer) >= 2 * 3 * totals().pipelineHop * (1 - 2e-3));
    }

    /// A device of DualPipe holds stages d and p - 1 - d: both copies of the weights, the mean of the two in
    /// memory and in work.
    void dualPipeHoldsTwoStages() {
        ScenarioSpec spec = dense();
        spec.plan.schedule = "dualpipe";
        spec.plan.pipelineSplit = std::vector<std::int64_t>{23, 20, 20, 17};
        const Scenario s = evaluated(spec);
        const auto& in = s.inputs;
        const double layer = layerParameters(), embedding = V * K / tp;
        const double front = 23 * layer + embedding, back = 17 * layer + embedding + K;
        for (const int stage : {0, 3})
            VERIFY_CLOSE(memory(stage, MemoryKind::weights), 2 * in[Input::weightBytes] * (front + back) / 2);
        const int busiest = totals().slowestStage;
        double expected = 0;
        for (const int stage : {busiest, 3 - busiest}) {
            expected += s.plan.stageLayers[static_cast<std::size_t>(stage)] *
                        totals().layers[0].byPart[StepPart::compute] / 2;
            expected += stage == 0 ? totals().embedding.byPart[StepPart::compute] / 2 : 0;
            expected += stage == 3 ? totals().head.byPart[StepPart::compute] / 2 : 0;
        }
        VERIFY_CLOSE(part(StepPart::compute), totals().microbatches * expected);
    }

    // ---- once a step

    /// ZeRO-1 scatters the gradients and gathers the weights of the largest stage; the last bucket and what
    /// does not fit under a backward (forward) pass of the mean stage are exposed (Li et al. 2020, arXiv
    /// 2006.15704).
    void dataParallelTraffic() {
        for (const double overlap : {1.0, 0.1}) {
            Scenario s = resolved(dense());
            s.inputs[Input::overlapGradient] = overlap;
            evaluateAgain(s);
            const auto& in = s.inputs;
            const double largest = 20 * layerParameters() + V * K / tp + K;
            const CommCost<double>& reduce = stepTraffic("dp", "reduce_scatter");
            const CommCost<double>& gather = stepTraffic("dp", "all_gather");
            QCOMPARE(reduce.bytes, largest * in[Input::gradientReduceBytes]);
            QCOMPARE(gather.bytes, largest * in[Input::gatherBytes]);
            QCOMPARE(reduce.wireBytes, reduce.bytes * 15 / 16);
            // Under the 20 layers of a stage, not under the embedding or the head that one of them has
            // besides.
            const LayerCost<double>& layer = totals().layers[0];
            const double forward = 20 * layer.forward;
            const double backward = 20 * (layer.backwardInput + layer.backwardWeight);
            const auto exposed = [&](double seconds, double compute) {
                const double tail = seconds / in[Input::gradientBuckets];
                return tail + std::max(0.0, seconds - tail - overlap * compute);
            };
            VERIFY_CLOSE(part(StepPart::gradientReduce), exposed(reduce.seconds, backward));
            VERIFY_CLOSE(part(StepPart::parameterGather), exposed(gather.seconds, forward));
        }
    }

    /// The update streams the optimizer's state of a rank's shard through memory.
    void optimizerOfAShard() {
        const Scenario s = evaluated(dense());
        const auto& in = s.inputs;
        const StageCost<double>& busiest = totals().stages[static_cast<std::size_t>(totals().slowestStage)];
        VERIFY_CLOSE(part(StepPart::optimizer),
                     busiest.parameters / 16 * in[Input::optimizerTraffic] /
                         (in[Input::memoryBandwidth] * in[Input::gemmMemoryEfficiency]));
    }

    /// All ranks wait for the slowest: Blom's expected maximum of so many normal deviations.
    void stragglers() {
        const Scenario s = evaluated(dense());
        double busy = 0;
        for (std::size_t i = 0; i < stepParts.size(); ++i)
            busy += static_cast<StepPart>(i) == StepPart::straggler ? 0 : totals().parts[i];
        const double most = s.inputs[Input::stragglerSpread] * normalQuantile((512 - 0.375) / (512 + 0.25));
        VERIFY_CLOSE(part(StepPart::straggler), busy * most);
        VERIFY_CLOSE(totals().stepTime, busy * (1 + most));
    }

    /// Model FLOP: 6 for each weight and token, and attention over half of the sequence (Narayanan et al.
    /// 2021, appendix; Chowdhery et al. 2022, appendix B). HFU counts what the kernels really execute.
    void utilization() {
        const Scenario s = evaluated(dense());
        const double tokens = 1024 * T;
        const double weights = layersOfModel * (K * (2 * heads + 2 * kvHeads) * headDim + 3 * K * F) + K * V;
        const double attention = layersOfModel * 4 * heads * headDim * T / 2;
        VERIFY_CLOSE(totals().modelFlops, 3 * (2 * weights + attention) * tokens);
        VERIFY_CLOSE(totals().tokensPerSecond, tokens / totals().stepTime);
        VERIFY_CLOSE(totals().tokensPerSecondPerGpu, tokens / totals().stepTime / 512);
        const double peak = s.inputs[Input::reportingPeak];
        VERIFY_CLOSE(totals().mfu, totals().modelFlops / totals().stepTime / 512 / peak);
        double layer = 0, head = 0;
        for (const OpCost<double>& op : totals().layers[0].ops)
            layer += op.flops;
        for (const OpCost<double>& op : totals().head.ops)
            head += op.flops;
        VERIFY_CLOSE(totals().hfu, 64 * (layersOfModel * layer + head) / 4 / totals().stepTime / peak);
    }

    // ---- the run

    /// Exponential failures and checkpoints at the optimum of the goodput, at which its derivative is zero:
    /// the share of useful time is tau / (M e^(R/M) (e^((tau + delta)/M) - 1)) (Daly 2006, equation 13); the
    /// time until storage has a checkpoint adds to R. Planned stops come on top.
    void goodputAndMoney() {
        ScenarioSpec spec = dense();
        spec.workload.tokens = 1e12;
        spec.cluster.purchase = "custom";
        spec.cluster.dollarsPerInstanceHour = 40;
        const Scenario s = evaluated(spec);
        const auto& in = s.inputs;
        const double M = in[Input::gpuHoursPerFailure] * 3600 / 512;
        const double bytes =
            in[Input::modelParameters] * (in[Input::weightBytes] + in[Input::optimizerBytes]);
        const double copy = bytes / (512 * in[Input::hostBandwidth] * in[Input::hostEfficiency]);
        const double delta = in[Input::checkpointStall] + copy;
        const double write = totals().run.drain;
        const double restart = in[Input::restartTime] + write; // 512 GPUs: no growth
        const double R = in[Input::failureDetection] + restart;
        const double tau = totals().run.interval;
        const auto ratio = [&](double interval) {
            return interval / (M * std::exp((R + write) / M) * std::expm1((interval + delta) / M));
        };
        QVERIFY(ratio(tau) >= ratio(tau * 0.999) && ratio(tau) >= ratio(tau * 1.001));
        VERIFY_CLOSE(totals().run.checkpointBytes, bytes);
        VERIFY_CLOSE(totals().run.mtbf, M);
        const double goodput = ratio(tau) * (1 - in[Input::plannedRatio] * restart / M);
        VERIFY_CLOSE(totals().goodput, goodput);
        const double hours = 1e12 / totals().tokensPerSecond / goodput / 3600;
        VERIFY_CLOSE(totals().runTime, hours * 3600);
        VERIFY_CLOSE(totals().dollarsPerHour, 40 * 64.0);
        VERIFY_CLOSE(totals().instanceHours, 64 * hours);
        // Billed by thousandths of an hour, 40 * 64 dollars for each, which are whole cents.
        const double dollars = 40 * 64 * std::ceil(hours * 1000) / 1000;
        VERIFY_CLOSE(totals().dollarsPerRun, dollars);
        VERIFY_CLOSE(totals().dollarsPerMillionTokens, dollars / 1e6);
        // Power: a busy GPU, one that waits for others, one that is stopped; the host and PUE on top of each.
        const double busyWatts = in[Input::gpuPower] * in[Input::powerUtilization],
                     idleWatts = in[Input::gpuPower] * in[Input::idlePower];
        const double busy =
            (part(StepPart::compute) + part(StepPart::hbm) + part(StepPart::optimizer)) / totals().stepTime;
        const double stepWatts =
            busy * busyWatts + (1 - busy) * (idleWatts + in[Input::waitingPower] * (busyWatts - idleWatts));
        const double stopped = goodput * delta / tau + R / M + in[Input::plannedRatio] * restart / M;
        const double gpuWatts = stepWatts * (1 - stopped) + idleWatts * stopped;
        VERIFY_CLOSE(totals().energyKwh,
                     512 * (gpuWatts * (1 + in[Input::fanPower]) + in[Input::hostPowerPerGpu]) *
                         in[Input::pue] * hours / 1000);
        // Location-based (GHG Protocol, Scope 2 Guidance): energy times the carbon of the grid.
        VERIFY_CLOSE(totals().carbonKg, totals().energyKwh * in[Input::gridCarbon]);
    }

private:
    /// Weights of a layer on one of 8 ranks: q and o (h a d each), k and v, three MLP matrices, two norms.
    static double layerParameters() {
        return (2 * K * heads * headDim + 2 * K * kvHeads * headDim + 3 * K * F) / tp + 2 * K;
    }
};

QTEST_APPLESS_MAIN(TestTrainingByHand)

} // namespace tst_training_by_hand

#include "tst_training_by_hand.moc"
