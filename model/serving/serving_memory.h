// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/kv_cache.h"

namespace alidade {

/// Bytes of weights on one GPU of the heaviest pipeline stage.
template <class N>
N weightsPerGpu(const ServingContext<N>& c) {
    const InputsT<N>& in = c.in;
    return servingWeights<N>(c.plan.heaviest,
                             {.tensorParallel = c.tensor,
                              .expertGpus = in[Input::expertParallel] * in[Input::expertTensorParallel],
                              .denseBytes = in[Input::denseWeightBytes],
                              .expertBytes = in[Input::expertWeightBytes]})
        .total();
}

/// Activations of the largest step: two residuals and the widest product of a chunk, FP32 logits of a full
/// batch.
template <class N>
N servingActivations(const ServingContext<N>& c) {
    using std::max;
    const InputsT<N>& in = c.in;
    const N widest =
        max(3 * in[Input::ffnSize] / c.tensor,
            in[Input::expertsPerToken] *
                (3 * in[Input::expertFfnSize] / max(N(1), in[Input::expertTensorParallel]) +
                 2 * in[Input::expertHiddenSize]) /
                max(N(1), in[Input::expertParallel] / max(N(1), in[Input::attentionDataParallel])));
    return named(in[Input::chunkTokens] * 2 * (4 * in[Input::hiddenSize] + widest), "activation_memory",
                 Dimension::bytes, "of one prefill chunk");
}

/// What occupies the memory of one GPU of a pool.
template <class N>
struct ServingMemoryT {
    N weights{}, activations{}, workspace{};
    N kvCapacity{};  ///< bytes that are left for KV cache in HBM; may be negative: the weights do not fit
    N kvOffloaded{}; ///< bytes of host memory that hold KV cache too
    N reserve{};     ///< memory that the engine is told to leave alone
    SequenceKv<N> sequence;
};

template <class N>
void servingMemory(const ServingContext<N>& c, ServingMemoryT<N>& out) {
    const InputsT<N>& in = c.in;
    out.weights =
        named(weightsPerGpu(c) * (1 - in[Input::weightsOffload]), "weights_in_hbm", Dimension::bytes);
    out.activations = servingActivations(c);
    out.workspace = in[Input::servingWorkspace];
    using std::max;
    const N beside = out.activations + out.workspace;
    // An engine takes its share of what it finds on the device, which is more than the label says.
    const N& device = in[Input::deviceMemory];
    const N leave = 1 - in[Input::memoryUtilization];
    N left = device * leave;
    if (c.plan.memoryShare == MemoryShare::weightsAndCache)
        left = max(N(0), left - beside); // they live in what is left alone
    else if (c.plan.memoryShare == MemoryShare::rest)
        left = max(N(0), (device - out.weights - beside) * leave);
    out.reserve = named(max(N(0), in[Input::capacity] - (device - left)), "reserve_bytes", Dimension::bytes,
                        "what the engine leaves alone of the capacity");
    out.kvCapacity = named(in[Input::capacity] - out.reserve - out.weights - out.activations - out.workspace,
                           "kv_cache_capacity", Dimension::bytes, "what is left for KV cache");
    out.kvOffloaded = in[Input::kvOffload];
    out.sequence = sequenceKv(c);
}

} // namespace alidade
