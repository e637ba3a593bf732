// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "model/workload/layer_kinds.h"

namespace alidade {

/// Parameters of one stage of a serving replica, summed over its layers, by format and by what divides them.
struct StageParameters {
    double split = 0;    ///< dense format, divided by tensor parallelism
    double narrow = 0;   ///< other linear layers in the experts' format, divided by tensor parallelism
    double keyValue = 0; ///< dense format: projections to keys and values; at least one head of each per GPU
    double whole = 0;    ///< dense format, on every GPU: down-projections of latent attention
    double experts = 0;  ///< routed experts, divided over the GPUs that share them
    double sixteenBit = 0; ///< norms, biases, router: on every GPU
    double vocabulary = 0; ///< embedding and output layer in 16 bits, divided by tensor parallelism
    double kvHeads = 1;
};

/// Linear layers besides the routed experts that are in the experts' format.
struct NarrowParts {
    bool mlp = false;    ///< dense MLPs and shared experts
    bool output = false; ///< output projections of attention
};

/// \param drafts multi-token-prediction modules that the last stage keeps; 0 without speculation
/// \param padding stored expert size in kernels / actual size (expertPadding)
StageParameters stageParameters(const Architecture& model, const LayerKinds& kinds, int pipelineParallel,
                                int stage, int drafts = 0, double padding = 1, NarrowParts narrow = {});

/// How the weights of a stage are distributed over its GPUs.
template <class N>
struct WeightPlacement {
    N tensorParallel{1}; ///< GPUs of one attention group
    N expertGpus{1};     ///< GPUs that share the routed experts: expert x expert-tensor parallelism
    N denseBytes{2};     ///< per weight, block scales included
    N expertBytes{2};
};

/// Bytes of weights on one GPU.
template <class N>
struct ServingWeights {
    N dense{}, experts{}, vocabulary{};
    N total() const { return named(dense + experts + vocabulary, "weights", Dimension::bytes, "on one GPU"); }
};

template <class N>
ServingWeights<N> servingWeights(const StageParameters& stage, const WeightPlacement<N>& at) {
    using std::min;
    const auto count = [&](double value, const char* name) {
        return derivedLeaf(at.tensorParallel, value, name, Dimension::number, "architecture");
    };
    const N& tensor = at.tensorParallel;
    ServingWeights<N> out;
    N dense = count(stage.split, "split_parameters") / tensor;
    if (stage.keyValue > 0) {
        // With more GPUs than KV heads, heads are replicated.
        dense +=
            count(stage.keyValue, "key_value_parameters") / min(tensor, count(stage.kvHeads, "kv_heads"));
    }
    if (stage.whole > 0)
        dense += count(stage.whole, "latent_down_parameters");
    N bytes = at.denseBytes * dense;
    if (stage.narrow > 0)
        bytes += at.expertBytes * count(stage.narrow, "narrow_parameters") / tensor;
    out.dense = named(bytes + 2 * count(stage.sixteenBit, "norms_and_router_parameters"), "dense_weights",
                      Dimension::bytes, "on one GPU");
    if (stage.experts > 0) {
        out.experts = named(at.expertBytes * count(stage.experts, "expert_parameters") / at.expertGpus,
                            "expert_weights", Dimension::bytes, "on one GPU");
    }
    if (stage.vocabulary > 0) {
        out.vocabulary = named(2 * count(stage.vocabulary, "vocabulary_parameters") / tensor,
                               "vocabulary_weights", Dimension::bytes, "16 bits");
    }
    return out;
}

/// Returns the stage with the most bytes.
StageParameters heaviestStage(const Architecture& model, const LayerKinds& kinds, int pipelineParallel,
                              const WeightPlacement<double>& at, int drafts = 0, double padding = 1,
                              NarrowParts narrow = {});

} // namespace alidade
