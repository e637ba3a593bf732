// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/kv_transfer.h"
#include "model/serving/serving_step.h"
#include "model/serving/speculation.h"
#include "tests/model/small_model.h"

#include <QTest>

#include <cmath>
#include <memory>

// What the tests of one engine step share: a model so small that every number can be counted on paper.
namespace alidade::test {

/// The model of training_rig.h on 2 GPUs: 4 of 8 query heads and 2 of 4 KV heads of 16 on each. A step has 2
/// prompts of 20 tokens behind 24 others, and 6 sequences with 100 tokens in their caches: 46 rows. A kernel
/// takes as many seconds as it moves bytes.
struct ServingRig {
    ServingPlan plan;
    Inputs in;
    LayerKind layer;
    StepLoad<double> load{
        .prefillTokens = 40, .prefillCached = 24, .prompts = 2, .decodeSequences = 6, .decodeContext = 100};
    std::unique_ptr<LayerCost<double>> out = std::make_unique<LayerCost<double>>();

    ServingRig() {
        plan.tensorParallel = 2;
        plan.expertParallel = 4;
        setSmallModel(in);
        in[Input::expertImbalance] = 1;
        in[Input::pipelineParallel] = in[Input::attentionDataParallel] = 1;
        in[Input::chunkTokens] = 64;
        in[Input::kvElementBytes] = 2;
        in[Input::denseOperandBytes] = in[Input::denseWeightBytes] = 2;
        in[Input::expertOperandBytes] = in[Input::expertWeightBytes] = 2;
        in[Input::servingRowFactor] = in[Input::servingLibraryFactor] = in[Input::servingUntunedExperts] = 1;
        in[Input::servingSinkFactor] = 1;
        in[Input::peak] = in[Input::reportingPeak] = in[Input::expertPeak] = in[Input::latentPeak] = 1e30;
        in[Input::memoryBandwidth] = 1;
        for (const Input efficiency :
             {Input::servingGemmEfficiency, Input::servingMemoryEfficiency, Input::servingAttentionEfficiency,
              Input::servingAttentionMemoryEfficiency, Input::servingLatentEfficiency,
              Input::servingScanEfficiency, Input::servingLinearMemoryEfficiency,
              Input::servingExpertEfficiency, Input::servingExpertMemoryEfficiency}) {
            in[efficiency] = 1;
        }
    }

    ServingContext<double> context() const { return {plan, in, Bound::efa}; }

    const LayerCost<double>& built() {
        const ServingContext<double> c = context();
        servingLayer(c, c.rows(load), layer, *out);
        return *out;
    }
    double flops(const char* name) const { return find(name, &OpCost<double>::flops); }
    double bytes(const char* name) const { return find(name, &OpCost<double>::bytes); }
    double seconds(const char* name) const { return find(name, &OpCost<double>::seconds); }

private:
    double find(const char* name, double OpCost<double>::* figure) const {
        return sumOf(out->ops, name, figure, [](const OpCost<double>&) { return true; });
    }
};

} // namespace alidade::test
