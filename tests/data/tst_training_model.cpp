// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=formulas numbers
#include "data/catalog/catalog_reader.h"
#include "model/estimate/evaluate.h"
#include "model/workload/flops.h"
#include "model/workload/parameters.h"
#include "tests/oracle/reference/rank_parameters.h"

#include <QTest>

#include <cmath>
#include <memory>

namespace tst_training_model {

using namespace alidade;
using namespace alidade::reference;

/// Counts of the training model on the shipped catalog, against figures worked out by hand.
class TestTrainingModel : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    /// Every weight of every model is held once on a single GPU's worth of parallelism.
    void oneGpuHoldsEveryParameter() {
        for (const Architecture& model : catalog_->models) {
            const Scenario s = resolved(scenario(model.id, 16, 4096));
            evaluate(s, s.inputs, *totals_);
            const StageCost<double>& stage = totals_->stages[0];
            const ParameterCount count = countParameters(model);
            const auto all = static_cast<double>(count.total + count.mtpTotal);
            QVERIFY2(std::abs((stage.parameters + stage.expertParameters) / all - 1) < 1e-5,
                     model.id.c_str());
        }
    }

    /// The matrix multiplications of the forward pass are those that the model's FLOP are counted from;
    /// convolutions of linear mixers and the exact diagonal of attention are the only difference.
    void forwardKernelsExecuteTheModelsFlop() {
        for (const Architecture& model : catalog_->models) {
            if (model.sparseIndexer)
                continue; // the indexer is counted, but has no separate kernel
            const Scenario s = resolved(scenario(model.id, 16, 4096));
            evaluate(s, s.inputs, *totals_);
            double executed =
                forwardFlops(totals_->head) + model.mtpLayers * forwardFlops(totals_->prediction);
            for (std::size_t k = 0; k < s.plan.kinds.size(); ++k)
                executed += s.plan.stageKinds[0][k] * forwardFlops(totals_->layers[k]);
            const double counted = totals_->modelFlops / 3 / (128.0 * 4096);
            QVERIFY2(std::abs(executed / 4096 / counted - 1) < 1e-3,
                     (model.id + ": " + std::to_string(executed / 4096 / counted)).c_str());
        }
    }

    /// Gemma 3: 62 layers, of which every sixth sees the whole sequence.
    void patternsThatBeginWithANumber() {
        const Scenario gemma = resolved(scenario("gemma-3-27b-it", 16, 32'768));
        int sliding = 0, whole = 0;
        for (std::size_t k = 0; k < gemma.plan.kinds.size(); ++k)
            (gemma.plan.kinds[k].window > 0 ? sliding : whole) += gemma.plan.stageKinds[0][k];
        QCOMPARE(sliding, 52);
        QCOMPARE(whole, 10);
    }

    /// DeepSeek-V3 at 16 stages and expert parallelism 64: 1.637e9 parameters on a rank of a middle stage;
    /// the last stage also has a copy of the embedding for the prediction module.
    void deepSeekV3OnSixteenStages() {
        ScenarioSpec spec = scenario("deepseek-v3", 256, 4096);
        spec.workload.globalBatch = 15'360;
        spec.plan.pipelineParallel = 16;
        spec.plan.expertParallel = 64;
        const Scenario s = resolved(spec);
        QCOMPARE(s.plan.stageLayers.front(), 3);
        QCOMPARE(s.plan.stageLayers.back(), 2);
        evaluate(s, s.inputs, *totals_);
        const StageCost<double>& middle = totals_->stages[8];
        const RankParameters rank = rankParameters(s.model, 1, 16, 64, 1, 8);
        QCOMPARE(middle.parameters, rank.dense);
        QCOMPARE(middle.expertParameters, rank.expert);
        QVERIFY(std::abs(middle.parameters + middle.expertParameters - 1.637e9) < 1e6);
        // Two layers and the module's own, output layer, embedding copy, the module's 2 h^2 (norms aside).
        const double vocabulary = 129'280.0 * 7168, layer = rank.dense / 4;
        const StageCost<double>& last = totals_->stages[15];
        const double expected = 3 * layer + 2 * vocabulary + 2.0 * 7168 * 7168;
        QVERIFY2(std::abs(last.parameters / expected - 1) < 1e-4, std::to_string(last.parameters).c_str());
        // Logits of the model and of the module, 10 bytes each, and the final norm's 4 h.
        const double logits = last.memory[static_cast<std::size_t>(MemoryKind::logits)];
        const double perToken = 2 * s.inputs[Input::logitsBytes] * 129'280 + 4.0 * 7168;
        QVERIFY(std::abs(logits / (perToken * 4096) - 1) < 1e-9);
    }

    /// Over EFA gradients share the cards with the exchange of tokens; inside an NVLink domain they do not
    /// meet.
    void gradientsShareTheCardsWithTheExchange() {
        ScenarioSpec spec = scenario("deepseek-v3", 256, 4096);
        spec.plan.pipelineParallel = 16;
        spec.plan.expertParallel = 64;
        Scenario across = resolved(spec);
        QCOMPARE(across.plan.expertDataGroup.sharers, 2.0);
        evaluate(across, across.inputs, *totals_);
        const auto gathering = [this] {
            return totals_->parts[static_cast<std::size_t>(StepPart::parameterGather)];
        };
        const double shared = gathering();
        across.plan.shardGroup.sharers = across.plan.expertDataGroup.sharers = 1;
        evaluate(across, across.inputs, *totals_);
        QVERIFY(gathering() < shared);
        spec.plan.expertParallel = 8; // one instance
        QCOMPARE(resolved(spec).plan.expertDataGroup.sharers, 1.0);
    }

    /// Activations of a DeepSeek-V3 layer with experts: 453,248 bytes per token in 16 bits; the experts'
    /// outputs are not kept.
    void deepSeekV3Activations() {
        ScenarioSpec spec = scenario("deepseek-v3", 256, 4096);
        spec.workload.globalBatch = 15'360;
        spec.plan.pipelineParallel = 16;
        spec.plan.expertParallel = 64;
        spec.plan.recompute = std::vector<std::string>{"none"};
        const Scenario s = resolved(spec);
        evaluate(s, s.inputs, *totals_);
        // Stage 8 of 16 keeps 8 micro-batches of 4 layers. While the backward pass of one runs, its 8 experts
        // a token have gradients of the product, of gate and up (2,048 wide), of their outputs and inputs
        // (7,168).
        const double kept = totals_->stages[8].memory[static_cast<std::size_t>(MemoryKind::activations)];
        const double gradients = 8 * 2 * (3 * 2048 + 2 * 7168);
        QVERIFY2(std::abs((kept / 4096 - gradients) / (8 * 4) - 453'248) < 1, std::to_string(kept).c_str());
    }

    /// The largest gather of Llama 3.2 1B is that of its output layer, 128,256 x 2,048 parameters, tied to
    /// the embedding or not; its buffer stays.
    void oneVocabularyMatrixIsGathered() {
        ScenarioSpec spec = scenario("llama-3.2-1b", 2, 4096);
        spec.plan.framework = "torchtitan";
        const auto gathered = [&](int vocabulary) {
            Scenario s = resolved(spec);
            s.inputs[Input::vocabulary] = vocabulary;
            evaluate(s, s.inputs, *totals_);
            return totals_->stages[0].memory[static_cast<std::size_t>(MemoryKind::gathered)];
        };
        const Scenario s = resolved(spec);
        const double each = s.inputs[Input::gatherBytes];
        QVERIFY(std::abs(gathered(256'512) - gathered(128'256) - each * 128'256 * 2048) < 1);
    }

    /// Full sharding under a pipeline gathers a stage's weights once a step and reduces its gradients once:
    /// both are whole in between.
    void pipelinesOfShardedStagesHoldWholeGradients() {
        ScenarioSpec spec = scenario("llama-3.1-70b", 64, 8192);
        spec.workload.globalBatch = 1024;
        spec.plan.tensorParallel = 8;
        spec.plan.pipelineParallel = 4;
        spec.plan.sharding = "fsdp2";
        const Scenario s = resolved(spec);
        evaluate(s, s.inputs, *totals_);
        const StageCost<double>& first = totals_->stages[0];
        const double whole = first.memory[static_cast<std::size_t>(MemoryKind::gathered)];
        QCOMPARE(whole,
                 (s.inputs[Input::gatherBytes] + s.inputs[Input::gradientReduceBytes]) * first.parameters);
    }

    /// A V-shaped pipeline turns back: its first stage has the embedding and the output layer, and its last
    /// stage neither.
    void vShapedPipelinesEndOnTheFirstStage() {
        ScenarioSpec spec = scenario("llama-3.1-70b", 64, 8192);
        spec.workload.globalBatch = 1024;
        spec.plan.tensorParallel = 8;
        spec.plan.pipelineParallel = 4;
        spec.plan.schedule = "zb-v";
        const Scenario s = resolved(spec);
        evaluate(s, s.inputs, *totals_);
        const auto& stages = totals_->stages;
        QCOMPARE(s.plan.stageLayers.front(), s.plan.stageLayers[3]);
        const double more = stages[0].parameters - stages[3].parameters;
        QVERIFY(std::abs(more - 2.0 * 128'256 * 8192 / 8 - 8192) < 1);
        const auto logits = static_cast<std::size_t>(MemoryKind::logits);
        QVERIFY(stages[0].memory[logits] > 0);
        QCOMPARE(stages[3].memory[logits], 0.0);
        // The parts of the step and the chunks that the schedule works with are the same work.
        double chunks = 0, whole = 0;
        for (int i = 0; i < totals_->virtualStageCount; ++i) {
            const StageSeconds<double>& t = totals_->virtualStages[static_cast<std::size_t>(i)];
            chunks += t.forward;
            whole += i < 4 ? stages[static_cast<std::size_t>(i)].forward : 0;
        }
        QVERIFY(std::abs(chunks / whole - 1) < 1e-12);
        QVERIFY(std::abs(totals_->virtualStages[0].forward + totals_->virtualStages[7].forward -
                         stages[0].forward) < 1e-12);
    }

    /// Experts on a latent of 1,024 (Nemotron 3 Super): its two projections are kernels of the layer, and its
    /// prediction module has attention and experts although no decoder layer has both.
    void latentExpertsAndTheirPredictionModule() {
        const Scenario s = resolved(scenario("nemotron-3-super-120b-a12b", 16, 4096));
        QVERIFY(s.plan.prediction.mixer == Mixer::attention);
        QVERIFY(s.plan.prediction.feedForward == FeedForward::moe);
        evaluate(s, s.inputs, *totals_);
        double latent = 0;
        for (const OpCost<double>& op : totals_->layers[1].ops)
            latent += QByteArray(op.name).startsWith("Latent") && op.phase == Phase::forward ? op.flops : 0;
        QCOMPARE(latent, 2 * 2.0 * 4096 * s.model.hiddenSize * 1024);
    }

    /// What is recomputed includes the exchange between the ranks that share an expert.
    void recomputedExpertsExchangeAgain() {
        ScenarioSpec spec = scenario("mixtral-8x22b", 32, 4096);
        spec.workload.globalBatch = 1024;
        spec.plan.tensorParallel = 4;
        spec.plan.pipelineParallel = 4;
        spec.plan.expertTensorParallel = 2;
        const auto exchanges = [&](const char* recompute) {
            spec.plan.recompute = std::vector<std::string>{recompute};
            const Scenario s = resolved(spec);
            evaluate(s, s.inputs, *totals_);
            int count = 0;
            for (const CommCost<double>& each : totals_->layers[0].communication)
                count += each.group == "etp";
            return count;
        };
        QCOMPARE(exchanges("none"), 4);
        QCOMPARE(exchanges("full"), 6);
        QCOMPARE(exchanges("moe"), 6);
    }

private:
    static ScenarioSpec scenario(const std::string& model, int instances, std::int64_t sequence) {
        ScenarioSpec s;
        s.workload.kind = WorkloadKind::training;
        s.workload.model = model;
        s.workload.sequenceLength = sequence;
        s.workload.globalBatch = 128;
        s.cluster.instance = "p5.48xlarge";
        s.cluster.instances = instances;
        s.plan.framework = "megatron-core";
        s.plan.sequenceParallel = true;
        return s;
    }

    Scenario resolved(const ScenarioSpec& spec) const {
        auto s = resolve(spec, *catalog_, catalog_->defaultProfile);
        if (!s || !s->runs())
            qFatal("a scenario of this test does not run");
        return *s;
    }

    static double forwardFlops(const LayerCost<double>& layer) {
        double flops = 0;
        for (const OpCost<double>& op : layer.ops)
            flops += op.phase == Phase::forward ? op.flops : 0;
        return flops;
    }

    std::shared_ptr<const Catalog> catalog_;
    std::unique_ptr<Totals> totals_ = std::make_unique<Totals>();
};

QTEST_APPLESS_MAIN(TestTrainingModel)

} // namespace tst_training_model

#include "tst_training_model.moc"
