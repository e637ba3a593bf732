// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "model/estimate/evaluate.h"
#include "tests/data/by_hand.h"
#include "tests/data/shipped_catalog.h"

#include <memory>

// What the tests of a training step worked out by hand share.
namespace alidade::test {

/// Evaluates the two plans of these tests on the shipped catalog.
class StepByHand {
public:
    StepByHand()
        : catalog_(shippedCatalog()) {}

    /// Llama 3.1 70B on 64 p5.48xlarge: tensor 8, pipeline 4, data 16, ZeRO-1, BF16, 1,024 sequences of
    /// 8,192.
    static ScenarioSpec dense() {
        ScenarioSpec s;
        s.workload.kind = WorkloadKind::training;
        s.workload.model = "llama-3.1-70b";
        s.workload.sequenceLength = 8192;
        s.workload.globalBatch = 1024;
        s.cluster.instance = "p5.48xlarge";
        s.cluster.instances = 64;
        s.plan.framework = "megatron-core";
        s.plan.tensorParallel = 8;
        s.plan.pipelineParallel = 4;
        s.plan.sequenceParallel = true;
        s.plan.sharding = "zero1";
        s.plan.schedule = "1f1b";
        s.plan.microBatch = 1;
        s.plan.precision = "bf16";
        s.plan.recompute = std::vector<std::string>{"none"};
        return s;
    }

    /// DeepSeek-V3 on 256 p5.48xlarge: pipeline 16, expert parallelism 64, ZeRO-1, BF16.
    static ScenarioSpec experts() {
        ScenarioSpec s = dense();
        s.workload.model = "deepseek-v3";
        s.workload.sequenceLength = 4096;
        s.workload.globalBatch = 15'360;
        s.cluster.instances = 256;
        s.plan.tensorParallel = 1;
        s.plan.pipelineParallel = 16;
        s.plan.expertParallel = 64;
        return s;
    }

    Scenario resolved(const ScenarioSpec& spec) const {
        auto s = resolve(spec, *catalog_, catalog_->defaultProfile);
        if (!s || !s->runs()) {
            qFatal("a scenario of this test does not run: %s",
                   s ? s->problems.front().message.c_str() : s.error().c_str());
        }
        return *s;
    }
    Scenario evaluated(const ScenarioSpec& spec) {
        const Scenario s = resolved(spec);
        evaluate(s, s.inputs, *totals_);
        return s;
    }

    static const OpCost<double>& operation(const LayerCost<double>& layer, const QString& name, Phase phase) {
        for (const OpCost<double>& op : layer.ops)
            if (name == QLatin1String(op.name) && op.phase == phase)
                return op;
        qFatal("no operation %s", qPrintable(name));
    }
    const OpCost<double>& core(Phase phase) const {
        return operation(totals_->layers[0], QStringLiteral("Core attention"), phase);
    }
    const LayerCost<double>& moeLayer(const Scenario& s) const {
        for (std::size_t k = 0; k < s.plan.kinds.size(); ++k)
            if (s.plan.kinds[k].feedForward == FeedForward::moe)
                return totals_->layers[k];
        qFatal("no layer with experts");
    }
    const CommCost<double>& stepTraffic(std::string_view group, std::string_view op) const {
        for (const CommCost<double>& each : totals_->stepCommunication)
            if (each.group == group && each.op.starts_with(op))
                return each;
        qFatal("no such traffic");
    }
    double memory(int stage, MemoryKind kind) const {
        return totals_->stages[static_cast<std::size_t>(stage)].memory[static_cast<std::size_t>(kind)];
    }
    double part(StepPart p) const { return totals_->parts[static_cast<std::size_t>(p)]; }

    const Totals& totals() const { return *totals_; }
    void evaluateAgain(const Scenario& s) { evaluate(s, s.inputs, *totals_); }

private:
    std::shared_ptr<const Catalog> catalog_;
    std::unique_ptr<Totals> totals_ = std::make_unique<Totals>();
};

} // namespace alidade::test
