// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/pool_model.h"

#include <memory>

namespace alidade::oracle {

/// An engine with its inputs. Whatever a case does not name is switched off, so that the formulas of the
/// program reduce to those of the papers.
struct ServingSetup {
    ServingSetup() {
        for (const Input one : {Input::tensorParallel,
                                Input::pipelineParallel,
                                Input::attentionDataParallel,
                                Input::expertParallel,
                                Input::expertTensorParallel,
                                Input::workers,
                                Input::kvBlock,
                                Input::chunkTokens,
                                Input::servingLibraryFactor,
                                Input::servingGemmEfficiency,
                                Input::servingMemoryEfficiency,
                                Input::servingAttentionEfficiency,
                                Input::servingAttentionMemoryEfficiency,
                                Input::memoryBandwidth,
                                Input::peak,
                                Input::reportingPeak,
                                Input::expertPeak,
                                Input::hiddenSize,
                                Input::headDim,
                                Input::kvHeads}) {
            in[one] = 1;
        }
        in[Input::denseOperandBytes] = in[Input::expertOperandBytes] = 2;
    }
    /// Adds layers with attention and a dense MLP. \param window tokens that they see; 0: all
    void addLayers(int layers, int window = 0) {
        plan.layersOfKind[plan.kinds.size()] = layers;
        LayerKind kind;
        kind.window = window;
        plan.kinds.push_back(kind);
    }
    ServingContext<double> context() const { return ServingContext<double>(plan, in, Bound::efa); }
    ServingMemoryT<double> memory() const {
        ServingMemoryT<double> out;
        servingMemory(context(), out);
        return out;
    }
    /// s of a step that only decodes.
    double decodeSeconds(double sequences, double tokens) const {
        const auto cost = std::make_unique<ServingStepCost<double>>();
        servingStep(context(),
                    {.prefillTokens = 0,
                     .prefillCached = 0,
                     .prompts = 0,
                     .decodeSequences = sequences,
                     .decodeContext = tokens},
                    *cost);
        return cost->seconds;
    }

    ServingPlan plan;
    Inputs in;
};

} // namespace alidade::oracle
