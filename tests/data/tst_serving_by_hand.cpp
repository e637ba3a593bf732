// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "model/estimate/evaluate_serving.h"
#include "model/explain/normal.h"
#include "model/serving/kv_transfer.h"
#include "model/serving/serving_step.h"
#include "tests/data/by_hand.h"
#include "tests/data/serving_fixture.h"

namespace tst_serving_by_hand {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tp = 4;

} // namespace

/// Every formula of an engine step against its value by hand: Llama 3.1 70B with FP8 weights on four H200,
/// and DeepSeek-R1 with experts. Efficiencies are inputs, so that a new calibration changes nothing.
class TestServingByHand : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(shippedCatalog()); }

    /// A step that decodes `B` sequences multiplies each matrix with B rows and reads it once.
    void matrixMultiplicationsOfADecodeStep_data() { addLinearLayers(tp); }
    void matrixMultiplicationsOfADecodeStep() {
        QFETCH(QString, name);
        QFETCH(double, n);
        QFETCH(double, k);
        const double B = 64;
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = B, .decodeContext = 4500});
        const OpCost<double>& op = operation(cost_->layers[0], name);
        const double operand = in[Input::denseOperandBytes], weight = in[Input::denseWeightBytes];
        QCOMPARE(weight, 1.0);
        QCOMPARE(op.flops, 2 * B * n * k);
        QCOMPARE(op.bytes, operand * B * k + weight * n * k + 2 * B * n);
        const double compute =
            2 * B * n * (k + in[Input::servingGemmExtraK]) /
            (in[Input::peak] * in[Input::servingGemmEfficiency] * in[Input::servingLibraryFactor]);
        const double memory = op.bytes / (in[Input::memoryBandwidth] * in[Input::servingMemoryEfficiency]);
        VERIFY_CLOSE(op.seconds, in[Input::servingGemmLaunch] +
                                     (operand < 2 ? in[Input::servingQuantTime] : 0) +
                                     std::max(compute, memory));
    }

    /// One query per sequence: 4 d FLOP and 2 d elements of keys and values per cached token; query heads
    /// that share a key-value head read it once.
    void decodeAttention() {
        const double B = 64, context = 4500;
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = B, .decodeContext = context});
        const OpCost<double>& op = operation(cost_->layers[0], QStringLiteral("Decode attention"));
        QCOMPARE(op.flops, 4 * B * (heads / tp) * headDim * context);
        QCOMPARE(op.bytes, B * context * 2 * headDim * (kvHeads / tp) * in[Input::kvElementBytes]);
        const double memory =
            op.bytes / (in[Input::memoryBandwidth] * in[Input::servingAttentionMemoryEfficiency]);
        const double compute = op.flops / (in[Input::reportingPeak] * in[Input::servingAttentionEfficiency]);
        VERIFY_CLOSE(op.seconds, in[Input::servingAttentionLaunch] + std::max(memory, compute));
    }

    /// The latent of DeepSeek (512 + 64 wide) is read once for all heads; every head works on all of it:
    /// 2 (2 x 512 + 64) FLOP per head and cached token (DeepSeek-V2, arXiv 2405.04434, 2.1).
    void latentAttention() {
        const double context = 3000;
        const Scenario s = resolved(experts());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = 256, .decodeContext = context});
        const double own = 256 / in[Input::attentionDataParallel];
        const OpCost<double>& op = operation(moeLayer(s), QStringLiteral("Decode attention"));
        QCOMPARE(op.flops, 2 * own * (128 / in[Input::tensorParallel]) * context * (2 * 512 + 64));
        const double element = in[Input::kvElementBytes];
        const double token = element < 2 ? 512 * element + 512 / 128 * 4 + 2 * 64 : 576 * element;
        QCOMPARE(op.bytes, own * context * token);
    }

    /// Blackwell multiplies an FP8 cache in FP8; Hopper widens it, and a 16-bit cache is multiplied as it is.
    void latentAttentionMultipliesInTheCachesFormat() {
        const auto compute = [this](const char* gpu, const char* cache) {
            ScenarioSpec spec = experts();
            spec.cluster = {};
            spec.cluster.custom.gpu = gpu;
            spec.cluster.custom.gpusPerNode = spec.cluster.custom.nvlinkDomain = 8;
            spec.cluster.instances = 1;
            spec.plan.kvCache = cache;
            const Scenario s = resolved(spec);
            step(s, {.decodeSequences = 256, .decodeContext = 3000});
            const OpCost<double>& op = operation(moeLayer(s), QStringLiteral("Decode attention"));
            return op.flops / s.pools[0].inputs[Input::latentPeak];
        };
        QCOMPARE(2 * compute("b200-sxm", "fp8"), compute("b200-sxm", "bf16"));
        QCOMPARE(compute("h200-sxm", "fp8"), compute("h200-sxm", "bf16"));
    }

    /// DeepSeek-V3.2 on eight GPUs: 64 index heads of 128 elements on each GPU score every token before a
    /// query, over FP8 keys of 132 bytes; 2,048 of them are read, for 64 heads (the kernel's least) in place
    /// of 16, by a latent of 512 + 64 elements (arXiv 2512.02556; FlashMLA).
    void sparseAttention() {
        const double tokens = 4000, cached = 4000, B = 32, context = 6000;
        const Scenario s = resolved(sparse());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.prefillTokens = tokens, .prefillCached = cached, .prompts = 1});
        const LayerCost<double>& prompts = cost_->layers[0];
        const double pairs = tokens * (cached + (tokens + 1) / 2), index = 64 * 128;
        const OpCost<double>& scores = operation(prompts, QStringLiteral("Indexer scores, prompts"));
        VERIFY_CLOSE(scores.flops, 2 * index * pairs);
        VERIFY_CLOSE(scores.bytes, (tokens + cached) * 132 + 4 * pairs);
        VERIFY_CLOSE(operation(prompts, QStringLiteral("Indexer choice, prompts")).bytes, 2 * 4 * pairs);
        VERIFY_CLOSE(operation(prompts, QStringLiteral("Prefill attention")).flops,
                     2 * 64 * (576 + 512) * tokens * 2048);
        QCOMPARE(operation(prompts, QStringLiteral("Indexer queries")).flops, 2 * tokens * index * 1536);
        QCOMPARE(operation(prompts, QStringLiteral("Indexer keys and weights")).flops,
                 2 * tokens * (128 + 64) * 7168);
        step(s, {.decodeSequences = B, .decodeContext = context});
        const LayerCost<double>& decodes = cost_->layers[0];
        VERIFY_CLOSE(operation(decodes, QStringLiteral("Indexer scores")).flops, 2 * index * B * context);
        VERIFY_CLOSE(operation(decodes, QStringLiteral("Indexer scores")).bytes,
                     B * context * 132 + 4 * B * context);
        QCOMPARE(operation(decodes, QStringLiteral("Decode attention")).flops,
                 2 * B * 16 * 2048 * (2 * 512 + 64));
        // Prompts that fit into the choice are attended to as a whole, as in DeepSeek-V3.
        step(s, {.prefillTokens = 2000, .prefillCached = 0, .prompts = 1});
        const double dense = operation(cost_->layers[0], QStringLiteral("Prefill attention")).flops;
        QCOMPARE(dense, 2 * 16 * (192 + 128) * 2000 * (2001.0 / 2));
        // The keys of the indexer are in the cache alongside the latent.
        ScenarioSpec whole = sparse();
        whole.workload.model = "deepseek-v3";
        const double extra = bytesPerToken(s) - bytesPerToken(resolved(whole));
        QCOMPARE(extra, 61 * 132.0);
        QVERIFY(in[Input::tensorParallel] == 8);
    }

    /// DeepSeek-V3.2 reads prompts about half as fast as V3.1: 18 s against 8 s for 150,000 tokens
    /// (NVIDIA/TensorRT-LLM issue 9933), a third of the throughput at 3,500 (sgl-project/sglang issue 14498).
    void sparsePromptsAreSlowerThanDenseOnes() {
        for (const double tokens : {3500.0, 8192.0}) {
            step(resolved(sparse()), {.prefillTokens = tokens, .prefillCached = 0, .prompts = 1});
            const double sparseSeconds = cost_->seconds;
            ScenarioSpec whole = sparse();
            whole.workload.model = "deepseek-v3";
            step(resolved(whole), {.prefillTokens = tokens, .prefillCached = 0, .prompts = 1});
            const double times = sparseSeconds / cost_->seconds;
            QVERIFY2(times > 1.5 && times < 3, qPrintable(QString::number(times)));
        }
    }

    /// Gemma normalizes what a block puts out too: 4 bytes per element, one more kernel each.
    void normsOfALayer() {
        const auto namesOf = [this](const char* model) {
            ScenarioSpec spec = chat();
            spec.workload.model = model;
            spec.plan.tensorParallel = 1;
            const Scenario s = resolved(spec);
            step(s, {.decodeSequences = 8, .decodeContext = 100});
            QStringList out;
            for (std::size_t kind = 0; kind < s.pools[0].plan.kinds.size(); ++kind)
                for (const OpCost<double>& op : cost_->layers[kind].ops)
                    out.push_back(QLatin1String(op.name));
            return out;
        };
        const QString mlp = QStringLiteral("MLP norm"), after = QStringLiteral("MLP output norm");
        QCOMPARE(namesOf("llama-3.1-70b").count(mlp), 1);
        QCOMPARE(namesOf("llama-3.1-70b").count(after), 0);
        const QStringList gemma = namesOf("gemma-3-27b-it"); // layers with a window and without
        QCOMPARE(gemma.count(mlp), 2);
        QCOMPARE(gemma.count(after), 2);
        QCOMPARE(gemma.count(QStringLiteral("Attention output norm")), 2);
        QCOMPARE(operation(cost_->layers[0], after).bytes, 4 * 8 * 5376.0);
        // One norm for attention and MLP in parallel; layers that are a mixer or an MLP, each with its own.
        QCOMPARE(namesOf("falcon-7b").count(mlp), 0);
        QVERIFY(namesOf("nemotron-h-8b").count(mlp) > 0);
    }

    /// A prompt's queries see what is cached before them and half of their own step.
    void prefillAttention() {
        const double tokens = 2048, cached = 1000;
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.prefillTokens = tokens, .prefillCached = cached, .prompts = 1});
        const OpCost<double>& op = operation(cost_->layers[0], QStringLiteral("Prefill attention"));
        const double pairs = tokens * (cached + (tokens + 1) / 2);
        QCOMPARE(op.flops, 4 * headDim * (heads / tp) * pairs);
        QCOMPARE(op.bytes, 2 * 2 * headDim * (heads / tp * tokens + kvHeads / tp * (tokens + cached)));
        const double ramp = 1 + in[Input::servingAttentionHalfLength] / (cached + tokens);
        VERIFY_CLOSE(op.seconds, in[Input::servingAttentionLaunch] +
                                     op.flops * ramp /
                                         (in[Input::reportingPeak] * in[Input::servingAttentionEfficiency]));
    }

    /// Behind attention and MLP: 2 (n - 1)/n of the 16-bit rows over NVLink.
    void allReducesOfALayer() {
        const double B = 64;
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = B, .decodeContext = 4500});
        int seen = 0;
        for (const CommCost<double>& each : cost_->layers[0].communication) {
            ++seen;
            const double wire = 2 * (tp - 1) / tp * B * K * 2;
            QCOMPARE(each.bytes, B * K * 2);
            QCOMPARE(each.wireBytes, wire);
            VERIFY_CLOSE(each.seconds,
                         in[Input::servingAllReduceLatency] +
                             in[Input::servingAllReduceFill] * std::sqrt(wire) +
                             wire / (in[Input::nvlinkBandwidth] * in[Input::servingAllReduceEfficiency]));
        }
        QCOMPARE(seen, 2);
    }

    /// TensorRT-LLM leaves large all-reduces to NCCL, whose switches take S (1 + 1/n) of each GPU: above some
    /// size that is faster than its own kernels, below it never is.
    void allReducesInTheSwitches() {
        ScenarioSpec spec = chat();
        spec.plan.engine = "tensorrt-llm";
        spec.plan.kvCache = "fp8";
        const Scenario s = resolved(spec);
        const Inputs& in = s.pools[0].inputs;
        bool own = false, switched = false;
        for (const double rows : {16.0, 256.0, 8192.0}) {
            step(s, {.decodeSequences = rows, .decodeContext = 4500});
            const double size = rows * K * 2, wire = 2 * (tp - 1) / tp * size, through = size * (1 + 1 / tp);
            const double kernel = in[Input::servingAllReduceLatency] +
                                  in[Input::servingAllReduceFill] * std::sqrt(wire) +
                                  wire / (in[Input::nvlinkBandwidth] * in[Input::servingAllReduceEfficiency]);
            const CommCost<double>& each = cost_->layers[0].communication[0];
            QVERIFY(each.seconds <= kernel * (1 + 1e-12));
            own = own || close(each.seconds, kernel, 1e-12);
            if (each.seconds < kernel * (1 - 1e-9)) {
                switched = true;
                QVERIFY(each.seconds > through / in[Input::nvlinkBandwidth]); // no faster than the wire
                QVERIFY(each.seconds > in[Input::allReduceLatency]);
            }
        }
        QVERIFY(own && switched);
    }

    /// SGLang runs TensorRT-LLM's kernels for the all-reduces of some models, and all engines do for experts
    /// that Blackwell multiplies in FP4: they share its constants.
    void enginesShareKernels() {
        const auto constants = [&](const char* engine, const char* model, const char* instance) {
            ScenarioSpec spec = chat();
            spec.workload.model = model;
            spec.cluster.instance = instance;
            spec.plan = {};
            spec.plan.engine = engine;
            spec.plan.tensorParallel = 8;
            const Inputs& in = resolved(spec).pools[0].inputs;
            return std::array{in[Input::servingAllReduceLatency], in[Input::servingAllReduceFill],
                              in[Input::servingExpertLaunch]};
        };
        constexpr const char *b200 = "p6-b200.48xlarge", *h200 = "p5en.48xlarge";
        const auto library = constants("tensorrt-llm", "gpt-oss-120b", b200);
        QCOMPARE(constants("sglang-0.5.9", "gpt-oss-120b", b200), library);
        const auto own = constants("sglang-0.5.9", "minimax-m2.5", b200);
        QVERIFY(own[0] > library[0] && own[1] > library[1] && own[2] > library[2]);
        const auto onHopper = constants("sglang-0.5.9", "gpt-oss-120b", h200);
        const auto libraryOnHopper = constants("tensorrt-llm", "gpt-oss-120b", h200);
        QCOMPARE(onHopper[0], libraryOnHopper[0]);
        QVERIFY(onHopper[2] != libraryOnHopper[2]); // widened weights: kernels of its own
        QVERIFY(constants("vllm", "gpt-oss-120b", b200)[0] > library[0]);
        QCOMPARE(constants("vllm", "gpt-oss-120b", b200)[2], library[2]);
    }

    /// Mistral 7B v0.1 sees 4,096 tokens; engines compiled by TensorRT read and keep all of them.
    void enginesThatIgnoreWindows() {
        ScenarioSpec spec = chat();
        spec.workload.model = "mistral-7b-v0.1";
        spec.workload.inputTokens = 20'000;
        const auto decodeBytes = [&](const char* engine) {
            spec.plan = {};
            spec.plan.engine = engine;
            const Scenario s = resolved(spec);
            step(s, {.decodeSequences = 8, .decodeContext = 20'000});
            return std::pair(operation(cost_->layers[0], QStringLiteral("Decode attention")).bytes /
                                 s.pools[0].inputs[Input::kvElementBytes],
                             bytesPerToken(s) / s.pools[0].inputs[Input::kvElementBytes]);
        };
        const double perToken = 2.0 * 8 * 128; // keys and values of eight heads
        QCOMPARE(decodeBytes("vllm").first, 8 * 4096 * perToken);
        QCOMPARE(decodeBytes("tensorrt-llm-0.17").first, 8 * 20'000 * perToken);
    }

    /// A step is its layers, output layer and sampling, and what the engine adds for each of its sequences.
    void aStepIsTheSumOfItsParts() {
        const double B = 64;
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = B, .decodeContext = 4500});
        double layer = 0;
        for (const OpCost<double>& op : cost_->layers[0].ops)
            layer += op.seconds;
        for (const CommCost<double>& each : cost_->layers[0].communication)
            layer += each.seconds;
        VERIFY_CLOSE(cost_->layers[0].seconds, layer);
        VERIFY_CLOSE(cost_->seconds, layersOfModel * layer + cost_->head.seconds +
                                         in[Input::servingStepOverhead] +
                                         in[Input::servingSequenceOverhead] * B);
        const OpCost<double>& logits = operation(cost_->head, QStringLiteral("Logits"));
        QCOMPARE(logits.flops, 2 * B * K * V / tp);
        QCOMPARE(operation(cost_->head, QStringLiteral("Sampling")).bytes,
                 B * V * (in[Input::servingSampleBytes] + in[Input::servingSortBytes]));
    }

    /// Only who asks for the likeliest tokens pays for sorting the vocabulary of each sequence, on each GPU
    /// of the replica.
    void samplingAmongTheLikeliestSortsTheVocabulary() {
        const double B = 64;
        ScenarioSpec spec = chat();
        const auto sampling = [&](const char* how) {
            spec.workload.sampling = how;
            const Scenario s = resolved(spec);
            step(s, {.decodeSequences = B, .decodeContext = 4500});
            return std::pair(operation(cost_->head, QStringLiteral("Sampling")), s.pools[0].inputs);
        };
        const auto [plain, without] = sampling("plain");
        const auto [among, in] = sampling("top_p");
        QCOMPARE(without[Input::servingSortBytes], 0.0);
        QVERIFY(in[Input::servingSortBytes] > 0);
        QCOMPARE(among.bytes - plain.bytes, B * V * in[Input::servingSortBytes]);
        VERIFY_CLOSE(among.seconds - plain.seconds,
                     B * V * in[Input::servingSortBytes] / in[Input::memoryBandwidth]);
    }

    /// A front end that streams a token every 10 ms cannot keep up with 64 sequences at 50 steps a second; it
    /// then sets the pace, and a faster GPU changes nothing.
    void theFrontEndSetsThePaceWhereItIsSlowest() {
        const double B = 64;
        Scenario s = resolved(chat());
        Inputs& in = s.pools[0].inputs;
        const StepLoad<double> load{.decodeSequences = B, .decodeContext = 4500};
        in[Input::servingFrontEndTime] = 0;
        step(s, load);
        const double engine = cost_->seconds;
        in[Input::servingFrontEndTime] = 0.5 * engine / B;
        step(s, load);
        VERIFY_CLOSE(cost_->seconds, engine);
        in[Input::servingFrontEndTime] = 10e-3;
        QVERIFY(engine < B * 10e-3);
        step(s, load);
        VERIFY_CLOSE(cost_->seconds, B * 10e-3);
    }

    /// A vendor's benchmark neither samples nor streams, and its kernels are tuned for the shapes.
    void tuningChoosesTheConstants() {
        ScenarioSpec spec = chat();
        spec.plan.tuning = "vendor";
        const Scenario vendor = resolved(spec);
        spec.plan.tuning.reset();
        const Scenario asRun = resolved(spec);
        QCOMPARE(*asRun.spec.plan.tuning, std::string("as_run"));
        QCOMPARE(*vendor.spec.workload.sampling, std::string("plain"));
        const StepLoad<double> load{.decodeSequences = 256, .decodeContext = 2000};
        step(vendor, load);
        const double tuned = cost_->seconds;
        step(asRun, load);
        QVERIFY(cost_->seconds > tuned);
        for (const Input neutral : {Input::servingSortBytes, Input::servingFrontEndTime})
            QCOMPARE(vendor.pools[0].inputs[neutral], 0.0);
        QCOMPARE(vendor.pools[0].inputs[Input::servingUntunedExperts], 1.0);
    }

    /// Outside CUDA graphs the host launches every kernel; where that takes longer than the work, it sets the
    /// pace: the smooth maximum of power 6.
    void theHostSetsThePaceOfEagerSteps() {
        Scenario s = resolved(chat());
        Inputs& in = s.pools[0].inputs;
        const StepLoad<double> load{.prefillTokens = 256, .prompts = 1};
        in[Input::servingHostPerKernel] = 0;
        step(s, load);
        const double fixed = in[Input::servingStepOverhead] + in[Input::servingPromptOverhead];
        const double gpu = cost_->seconds - fixed;
        const double launches = layersOfModel * cost_->layers[0].launches + cost_->head.launches;
        in[Input::servingHostPerKernel] = 50e-6;
        step(s, load);
        const double host = launches * 50e-6;
        VERIFY_CLOSE(cost_->seconds - fixed, std::pow(std::pow(gpu, 6) + std::pow(host, 6), 1.0 / 6));
    }

    /// Scaling a quantized input is a separate launch, before each of the four matrices of a layer. The
    /// scan of a prompt is ten launches in a layer with the gated delta rule, the state update of a decode is
    /// one.
    void launchesOfALayer() {
        const StepLoad<double> prompt{.prefillTokens = 256, .prompts = 1};
        const StepLoad<double> decode{.decodeSequences = 4, .decodeContext = 256};
        ScenarioSpec spec = chat();
        step(resolved(spec), prompt);
        const int quantized = cost_->layers[0].launches;
        spec.plan.weights = "bf16";
        step(resolved(spec), prompt);
        QCOMPARE(quantized, cost_->layers[0].launches + 4);
        spec.workload.model = "qwen3-next-80b-a3b";
        const Scenario linear = resolved(spec);
        const auto& kinds = linear.pools[0].plan.kinds;
        const auto delta =
            std::ranges::find(kinds, Mixer::gatedDeltaNet, [](const LayerKind& kind) { return kind.mixer; });
        QVERIFY(delta != kinds.end());
        const auto layer = static_cast<std::size_t>(delta - kinds.begin());
        step(linear, decode);
        const int decodes = cost_->layers[layer].launches;
        step(linear, prompt);
        QCOMPARE(cost_->layers[layer].launches, decodes + 9);
    }

    /// Experts that some row chooses are read, fewer where some are more popular than others; six FLOP per
    /// weight of a gated expert and routed row, and the busiest rank's rows against the mean.
    void routedExperts() {
        const double B = 512;
        const Scenario s = resolved(experts());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = B, .decodeContext = 3000});
        const double ranks = in[Input::expertParallel], h = 7168, f = 2048 / in[Input::expertTensorParallel];
        const double rows = B * 8 / ranks;
        const double spread = in[Input::servingExpertSkew];
        const double missed =
            std::pow(1 + B * (std::pow(1 - 8.0 / 256, -spread * spread) - 1), -1 / (spread * spread));
        const double touched = 256 * (1 - missed) / ranks;
        const OpCost<double>& op = operation(moeLayer(s), QStringLiteral("Routed experts"));
        QCOMPARE(op.flops, 6 * h * f * rows);
        VERIFY_CLOSE(op.bytes, 3 * in[Input::expertWeightBytes] * touched * h * f +
                                   rows * (in[Input::servingPermuteBytes] * h + 6 * f));
        // The popularity of the 256/e experts of a rank, and the chance of few rows, vary independently.
        const double deviation = std::sqrt(spread * spread * ranks / 256 * (1 - 1 / ranks) + 1 / rows);
        const double skew =
            in[Input::expertImbalance] * (1 + blomMaximum(static_cast<int>(ranks)) * deviation);
        // Of 32 experts of a rank nearly all are touched: the busiest reads them all, and no more.
        const double local = 256 / ranks;
        const double busiest = std::min(local, touched + blomMaximum(static_cast<int>(ranks)) *
                                                             std::sqrt(touched * (1 - touched / local)));
        const double tile = std::clamp(rows / touched, 16.0, 128.0);
        const double untuned = in[Input::servingUntunedExperts];
        const double compute = untuned * 6 * h * f *
                               (skew * rows + in[Input::servingExpertPad] * tile * busiest) /
                               (in[Input::expertPeak] * in[Input::servingExpertEfficiency]);
        const double memory = untuned *
                              (3 * in[Input::expertWeightBytes] * busiest * h * f +
                               skew * rows * (in[Input::servingPermuteBytes] * h + 6 * f)) /
                              (in[Input::memoryBandwidth] * in[Input::servingExpertMemoryEfficiency]);
        VERIFY_CLOSE(op.seconds, in[Input::servingExpertLaunch] + in[Input::servingExpertQuantTime] +
                                     std::max(compute, memory));
    }

    /// However few rows there are and however many ranks, no rank reads more experts than it holds, nor fewer
    /// than the mean.
    void theBusiestRankReadsAtMostItsExperts() {
        const Scenario s = resolved(experts());
        const ServingPool& pool = s.pools[0];
        const ServingContext<double> context(pool.plan, pool.inputs, pool.networkBound);
        const double local = 256 / pool.inputs[Input::expertParallel];
        for (double touched = 0.25; touched <= local; touched += 0.25) {
            const double busiest = busiestExperts(context, touched);
            QVERIFY(busiest >= touched && busiest <= local);
        }
        VERIFY_CLOSE(busiestExperts(context, local), local);
    }

    /// A token goes once to each other rank that holds one of its 8 experts: n (1 - (1 - 1/n)^8) of n ranks,
    /// in FP8 there and in 16 bits back.
    void exchangeOfTokens() {
        const Scenario s = resolved(experts());
        const Inputs& in = s.pools[0].inputs;
        step(s, {.decodeSequences = 512, .decodeContext = 3000});
        const double n = s.pools[0].plan.expertGroup.ranks;
        const double tokens = 512 / in[Input::attentionDataParallel] / in[Input::tensorParallel];
        const double copies = (n - 1) * (1 - std::pow(1 - 1 / n, 8));
        int seen = 0;
        for (const CommCost<double>& each : moeLayer(s).communication) {
            if (each.op == "dispatch" || each.op == "combine") {
                ++seen;
                const double bytes = tokens * 7168 * (each.op == "dispatch" ? 1 : 2) * copies;
                VERIFY_CLOSE(each.bytes, bytes);
                VERIFY_CLOSE(each.seconds,
                             in[Input::servingExchangeLatency] +
                                 in[Input::servingExchangeFill] * std::sqrt(bytes) +
                                 bytes / (in[Input::nvlinkBandwidth] * in[Input::servingExchangeEfficiency]));
            }
        }
        QCOMPARE(seen, 2);
    }

    // ---- memory

    /// Weights of 70.55e9 parameters: linear layers in FP8, embedding and output layer in 16 bits; the cache
    /// of a token is 2 x 80 x 128 x 2 heads on each of four GPUs.
    void memoryOfAGpu() {
        const Scenario s = resolved(chat());
        const Inputs& in = s.pools[0].inputs;
        const ServingContext<double> context(s.pools[0].plan, in, s.pools[0].networkBound);
        ServingMemoryT<double> memory;
        servingMemory(context, memory);
        const double linear =
            layersOfModel * (2 * K * heads * headDim + 2 * K * kvHeads * headDim + 3 * K * F);
        QVERIFY(close(memory.weights, (linear + 2 * 2 * V * K) / tp, 1e-3)); // norms and scales on top
        QCOMPARE(memory.sequence.bytesPerToken,
                 layersOfModel * 2 * headDim * (kvHeads / tp) * in[Input::kvElementBytes]);
        QCOMPARE(memory.activations, in[Input::chunkTokens] * 2 * (4 * K + 3 * F / tp));
        VERIFY_CLOSE(memory.kvCapacity, in[Input::capacity] - memory.reserve - memory.weights -
                                            memory.activations - in[Input::servingWorkspace]);
    }

    /// With overlap a layer's cache travels while the next layers are computed: the last one is left, or what
    /// the link needs beyond the prefill.
    void handingTheCacheOver() {
        ServingMemoryT<double> sender, receiver;
        sender.sequence.bytesPerToken = 1000;
        receiver.sequence.bytesPerToken = 4000; // moves most: fewer ranks hold the same cache
        const double bytes = 2000 * 4000.0, whole = 1e-4 + bytes / 40e9;
        const auto left = [&](double prefill, bool overlap) {
            return kvHandOver<double>(sender, receiver, 2000, 40e9, 1e-4, 80, prefill, overlap);
        };
        VERIFY_CLOSE(left(1, false), whole);
        VERIFY_CLOSE(left(1, true), whole / 80);
        VERIFY_CLOSE(left(1e-4, true), whole - 1e-4);
    }

private:
    /// DeepSeek-R1 on one p5en.48xlarge: attention data parallel 8, experts over 8 GPUs.
    static ScenarioSpec experts() {
        ScenarioSpec s = chat();
        s.workload.model = "deepseek-r1";
        s.plan = {};
        s.plan.engine = "sglang";
        s.plan.attentionDataParallel = 8;
        s.plan.expertParallel = 8;
        return s;
    }

    static ScenarioSpec sparse() {
        ScenarioSpec s = chat();
        s.workload.model = "deepseek-v3.2";
        s.plan = {};
        s.plan.engine = "vllm";
        s.plan.tensorParallel = 8;
        s.plan.chunkTokens = 16'384;
        return s;
    }

    static double bytesPerToken(const Scenario& s) {
        const ServingPool& pool = s.pools[0];
        return sequenceKv(ServingContext<double>(pool.plan, pool.inputs, pool.networkBound)).bytesPerToken;
    }

    static Scenario resolved(const ScenarioSpec& spec) {
        auto s = resolve(spec, *shippedCatalog(), shippedCatalog()->defaultProfile);
        if (!s || s->pools.empty())
            qFatal("a scenario of this test does not resolve");
        return *s;
    }

    void step(const Scenario& s, const StepLoad<double>& load) {
        const ServingPool& pool = s.pools[0];
        servingStep(ServingContext<double>(pool.plan, pool.inputs, pool.networkBound), load, *cost_);
    }

    static const OpCost<double>& operation(const LayerCost<double>& layer, const QString& name) {
        for (const OpCost<double>& op : layer.ops)
            if (name == QLatin1String(op.name))
                return op;
        qFatal("no operation %s", qPrintable(name));
    }
    const LayerCost<double>& moeLayer(const Scenario& s) const {
        const auto& kinds = s.pools[0].plan.kinds;
        for (std::size_t k = 0; k < kinds.size(); ++k)
            if (kinds[k].feedForward == FeedForward::moe)
                return cost_->layers[k];
        qFatal("no layer with experts");
    }

    std::unique_ptr<ServingStepCost<double>> cost_ = std::make_unique<ServingStepCost<double>>();
};

QTEST_APPLESS_MAIN(TestServingByHand)

} // namespace tst_serving_by_hand

#include "tst_serving_by_hand.moc"
