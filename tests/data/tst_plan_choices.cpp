// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/scenario/fields.h"
#include "model/scenario/scenario.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_plan_choices {

using namespace alidade;

/// What the choices of a plan decide: kernels and dispatchers of software eras, and whether memory is tight.
class TestPlanChoices : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { catalog_ = data::loadShippedCatalog().catalog; }

    /// "Does not fit" is said of what is almost certain to run out of memory; what may is tight.
    void memoryIsTightBeforeItDoesNotFit() {
        Memory memory;
        memory.capacityBytes = 102;
        memory.reserveBytes = 2;
        const auto probability = [&memory](double total, double high) {
            memory.totalBytes = total;
            memory.highBytes = high;
            return outOfMemoryProbability(memory);
        };
        QVERIFY(std::abs(probability(100, 110) - 0.5) < 1e-12);      // even odds at the limit itself
        QVERIFY(std::abs(probability(100 / 1.1, 100) - 0.1) < 1e-9); // the 90 % quantile is the limit
        QVERIFY(std::abs(probability(110, 121) - 0.9) < 1e-9);       // the 10 % quantile is
        QVERIFY(probability(105, 115.5) < 0.9 && isTight(memory));
        QCOMPARE(probability(90, 90), 0.0); // without a band
        QCOMPARE(probability(101, 101), 1.0);

        // A real plan, on GPUs of just too little memory and of far too little.
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const Estimate roomy = run(spec);
        spec.cluster = {};
        spec.cluster.instances = 64;
        spec.cluster.custom.gpu = "h100-sxm";
        spec.cluster.custom.gpusPerNode = 8;
        spec.cluster.custom.network = "infiniband";
        spec.cluster.custom.networkBytesPerSPerGpuPerDirection = 50e9;
        const auto on = [&](double share) {
            spec.cluster.custom.memoryBytesPerGpu = roomy.memory->totalBytes * share / 0.98;
            return run(spec);
        };
        const Estimate tight = on(0.95), none = on(0.7);
        QVERIFY(tight.runs && tight.fits && tight.memory->headroomBytes < 0);
        QVERIFY(std::ranges::any_of(tight.problems, [](const Problem& p) {
            return p.severity == Severity::warning && p.message.starts_with("Memory is tight");
        }));
        QVERIFY(!none.fits);
    }

    /// Choices of the plan decide between constants before the software does.
    void kernelsAndDispatchersAreChoicesOfThePlan() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const auto step = [&](const char* path, const char* word) {
            return run(*withField(spec, path, word)).training->stepTime;
        };
        QCOMPARE(*run(spec).scenario.plan.attentionKernel, "cudnn"); // the era's default is filled in
        QVERIFY(step("plan.attention_kernel", "fa2") > 1.01 * step("plan.attention_kernel", "cudnn"));
        QVERIFY(step("plan.attention_kernel", "fa1") > 1.01 * step("plan.attention_kernel", "fa2"));
        QVERIFY(step("plan.attention_kernel", "unfused") > step("plan.attention_kernel", "fa1"));
        // PyTorch chooses FlashAttention-2 before Blackwell, and there what is much faster.
        QCOMPARE(step("plan.attention_kernel", "sdpa"), step("plan.attention_kernel", "fa2"));
        spec = specOf("llama-3.1-70b-16xp6-b200.48xlarge");
        QVERIFY(1.01 * step("plan.attention_kernel", "sdpa") < step("plan.attention_kernel", "fa2"));
        QVERIFY(step("plan.attention_kernel", "fa4") < step("plan.attention_kernel", "sdpa"));
        spec = specOf("deepseek-v3-256xp5en.48xlarge");
        QVERIFY(step("plan.dispatcher", "hybridep") < step("plan.dispatcher", "deepep"));
        QCOMPARE(*run(*withField(spec, "plan.dispatcher", "nccl")).scenario.plan.expertExchange,
                 "all_to_all");
        spec = *withField(spec, "plan.cuda_graphs", "true");
        QVERIFY(step("plan.cuda_graph_scope", "full") <= step("plan.cuda_graph_scope", "partial"));
    }

    /// Where a framework has no grouped matrix multiplication for the GPU, the host launches the kernels of
    /// each expert: 128 of them take over 100 ms a layer, forward and backward.
    void expertsInALoop() {
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::training;
        spec.workload.model = "qwen3-30b-a3b";
        spec.workload.sequenceLength = 4096;
        spec.workload.globalBatch = 16;
        spec.cluster.instances = 2;
        spec.plan.framework = "torchtitan";
        const auto kernels = [&](const char* instance, const char* framework) {
            spec.cluster.instance = instance;
            return *run(*withField(spec, "plan.framework", framework)).scenario.plan.expertKernels;
        };
        QCOMPARE(kernels("p4de.24xlarge", "torchtitan"), "loop");
        QCOMPARE(kernels("p4de.24xlarge", "transformers"), "loop");
        QCOMPARE(kernels("g6e.48xlarge", "torchtitan"), "loop"); // compute capability 8.9
        QCOMPARE(kernels("p4de.24xlarge", "megatron-core"), "grouped");
        QCOMPARE(kernels("p5.48xlarge", "torchtitan"), "grouped");
        const double grouped = run(spec).training->stepTime;
        const double loop = run(*withField(spec, "plan.expert_kernels", "loop")).training->stepTime;
        QVERIFY2(loop > grouped + 48 * 0.1, qPrintable(QString::number(loop)));
        // Eight ranks have 16 experts each.
        spec = *withField(spec, "plan.expert_parallel", "8");
        const double shared = run(*withField(spec, "plan.expert_kernels", "loop")).training->stepTime;
        QVERIFY(shared < grouped + (loop - grouped) / 4);
    }

    /// PyTorch's cross_entropy holds 12 bytes a logit when its gradient is computed: the FP32 log-softmax,
    /// the FP32 gradients into and out of it (measured: 12.1). A chunked loss holds next to nothing.
    void lossDecidesWhatLogitsTake() {
        ScenarioSpec spec = onOneGpu();
        const auto logits = [&](const char* loss) {
            return part(run(*withField(spec, "plan.loss", loss)), "Logits and loss");
        };
        const double all = 4096.0 * 128256, hidden = 4096.0 * 4096 * 4;
        QCOMPARE(logits("unfused"), 12 * all + hidden);
        QCOMPARE(logits("fused"), 6 * all + hidden);
        QVERIFY(logits("chunked") < 0.05 * logits("unfused"));
    }

    /// Pure BF16 training: 2 bytes a parameter each for weight and gradient, 4 for the moments of Adam. With
    /// one micro-batch gradients take the place of activations, with two they are there at the peak.
    void withoutMasterWeightsAllIsIn16Bits() {
        ScenarioSpec spec = onOneGpu();
        spec.plan.loss = "chunked";
        spec.plan.recompute = std::vector<std::string>{"full"};
        const double parameters = 8.03e9;
        const auto near = [](double value, double expected) {
            return std::abs(value / expected - 1) < 0.005;
        };
        const Estimate with = run(spec);
        QVERIFY(near(part(with, "Optimizer states"), 12 * parameters));
        QVERIFY(near(part(with, "Gradients") + part(with, "Activations") + part(with, "Logits and loss"),
                     4 * parameters));
        spec.plan.masterWeights = false;
        const Estimate pure = run(spec);
        QVERIFY(near(part(pure, "Weights"), 2 * parameters));
        QVERIFY(near(part(pure, "Optimizer states"), 4 * parameters));
        QVERIFY(near(part(pure, "Gradients") + part(pure, "Activations") + part(pure, "Logits and loss"),
                     2 * parameters));
        spec.workload.globalBatch = 2;
        QVERIFY(near(part(run(spec), "Gradients"), 2 * parameters));
        spec.plan.optimizer = "adam_8bit";
        QVERIFY(near(part(run(spec), "Optimizer states"), 2 * parameters));
        // The frozen base of LoRA is in FP32 only where master weights are asked for.
        spec.workload.finetune.kind = "lora";
        QVERIFY(near(part(run(spec), "Weights"), 2 * parameters));
        spec.plan.sharding = "fsdp2";
        spec.plan.masterWeights = true;
        QVERIFY(near(part(run(spec), "Weights"), 4 * parameters));
        spec.plan.masterWeights.reset();
        QVERIFY(part(run(spec), "Weights") < 2.1 * parameters);
    }

    /// PyTorch's allocator keeps more alongside what is allocated where layers run again; a framework that
    /// allocates once does not care.
    void recomputationFragments() {
        ScenarioSpec spec = onOneGpu();
        // Beyond the share of all that is allocated, of what is no state.
        const auto holes = [&](const char* framework, std::vector<std::string> recompute) {
            spec.plan.framework = framework;
            spec.plan.recompute = std::move(recompute);
            const double everywhere =
                resolve(spec, *catalog_, catalog_->defaultProfile)->inputs[Input::fragmentation];
            const Estimate e = run(spec);
            const double allocated = e.memory->totalBytes - part(e, "Fragmentation") -
                                     part(e, "CUDA context") - part(e, "Communication buffers");
            return (part(e, "Fragmentation") - (everywhere - 1) * allocated) /
                   (part(e, "Activations") + part(e, "Logits and loss") + part(e, "Gathered layers"));
        };
        spec.plan.loss = "chunked";
        for (const char* framework : {"transformers", "torchtitan", "torchtitan-eager"}) {
            QVERIFY(std::abs(holes(framework, {"none"})) < 1e-9);
            QVERIFY(holes(framework, {"full"}) > 0.05);
        }
        QVERIFY(std::abs(holes("megatron-bridge", {"full"})) < 1e-9);
        // An unfused loss leaves a hole of its own where segments can grow.
        spec.plan.loss = "unfused";
        QVERIFY(holes("torchtitan", {"none"}) > 0.05);
        QVERIFY(std::abs(holes("transformers", {"none"})) < 1e-9);
    }

    /// Transformers computes the loss with all logits in memory and its norms one operation at a time; a
    /// chunked loss is Liger's.
    void memoryOfTransformers() {
        ScenarioSpec spec = onOneGpu();
        spec.workload.globalBatch = spec.plan.microBatch = 2;
        spec.plan.recompute = {"none"};
        const double eager = part(run(spec), "Activations");
        spec.plan.framework = "transformers";
        const double logits = 2.0 * 4096 * 128256;
        QVERIFY(std::abs(part(run(spec), "Logits and loss") / (12 * logits) - 1) < 0.02);
        QVERIFY(std::abs(part(run(spec), "Activations") / eager - 1) < 0.01);
        spec.plan.framework = "torchtitan";
        QVERIFY(part(run(spec), "Activations") < 0.9 * eager);
        spec.plan.framework = "transformers";
        spec.plan.loss = "chunked";
        QVERIFY(part(run(spec), "Logits and loss") < logits);
    }

private:
    /// Llama 3.1 8B, one sequence of 4,096 tokens, PyTorch on one H100.
    static ScenarioSpec onOneGpu() {
        ScenarioSpec s;
        s.workload.kind = WorkloadKind::training;
        s.workload.model = "llama-3.1-8b";
        s.workload.sequenceLength = 4096;
        s.workload.globalBatch = 1;
        s.cluster.instance = "p5.4xlarge";
        s.cluster.instances = 1;
        s.plan.framework = "torchtitan-eager";
        s.plan.sharding = "none";
        s.plan.microBatch = 1;
        return s;
    }
    static double part(const Estimate& e, std::string_view name) {
        for (const auto& each : e.memory->parts)
            if (each.name == name)
                return each.bytes;
        return 0;
    }
    static ScenarioSpec specOf(const std::string& id) {
        return *data::readScenario(*data::shippedScenario(id)).spec;
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile, {.fixes = false});
        if (!e)
            qFatal("%s", e.error().c_str());
        return *e;
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestPlanChoices)

} // namespace tst_plan_choices

#include "tst_plan_choices.moc"
