// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/memory/weights_and_kv.h"
#include "model/serving/serving_context.h"

namespace alidade {

constexpr double linearStateBytes = 4; ///< engines keep the state of linear attention in FP32

/// Bytes of KV cache per token of one attention layer on one GPU. KV heads fewer than tensor-parallel ranks
/// replicate, the latent of MLA is whole on each rank; in FP8 it keeps a scale for 128 elements and its
/// rotary part in 16 bits (656 bytes for DeepSeek-V3).
template <class N>
N kvBytesPerTokenAndLayer(const ServingContext<N>& c) {
    using std::max;
    const InputsT<N>& in = c.in;
    const N& element = in[Input::kvElementBytes];
    if (c.plan.latentAttention) {
        const N& rank = in[Input::mlaKvRank];
        const N& rope = in[Input::mlaRopeDim];
        return named(valueOf(element) < 2 ? rank * element + rank / 128 * 4 + 2 * rope
                                          : (rank + rope) * element,
                     "kv_bytes_per_token_and_layer", Dimension::bytes, "latent and rotary key");
    }
    return named(gqaKvElements(in[Input::kvHeads], in[Input::headDim], c.tensor) * element,
                 "kv_bytes_per_token_and_layer", Dimension::bytes, "2 d max(1, g/t)");
}

/// What one sequence keeps on one GPU: layers with full attention, with a window, with a state.
template <class N>
struct SequenceKv {
    N bytesPerToken{};       ///< of layers that keep all tokens
    N windowBytesPerToken{}; ///< of layers that keep `window` tokens
    N window{};
    N constantBytes{}; ///< states
};

template <class N>
SequenceKv<N> sequenceKv(const ServingContext<N>& c) {
    const InputsT<N>& in = c.in;
    N perLayer = kvBytesPerTokenAndLayer(c);
    if (c.plan.sparseTokens > 0) {
        perLayer =
            named(perLayer + c.count(c.plan.sparseIndexDim + 4.0, "index_key_bytes", "FP8 key and scale"),
                  "kv_and_index_bytes_per_token_and_layer", Dimension::bytes);
    }
    const N& stages = in[Input::pipelineParallel];
    SequenceKv<N> out;
    double whole = 0, windowed = 0, window = 0, mamba = 0, delta = 0;
    for (std::size_t k = 0; k < c.plan.kinds.size(); ++k) {
        const LayerKind& kind = c.plan.kinds[k];
        const int layers = c.plan.layersOfKind[k];
        mamba += kind.mixer == Mixer::mamba2 ? layers : 0;
        delta += kind.mixer == Mixer::gatedDeltaNet ? layers : 0;
        if (kind.mixer == Mixer::attention) {
            const bool limited = kind.window > 0 && !c.plan.reservesRequests;
            (limited ? windowed : whole) += layers;
            window = limited ? kind.window : window;
        }
    }
    out.bytesPerToken = named(c.count(whole, "full_attention_layers", "architecture") * perLayer / stages,
                              "kv_bytes_per_token", Dimension::bytes, "of one GPU");
    out.window = c.count(window, "attention_window", "architecture");
    out.windowBytesPerToken = named(c.count(windowed, "window_layers", "architecture") * perLayer / stages,
                                    "window_kv_bytes_per_token", Dimension::bytes, "of one GPU");
    const N states =
        c.count(mamba, "mamba_layers", "architecture") * in[Input::mambaInner] * in[Input::mambaState] +
        c.count(delta, "delta_layers", "architecture") *
            (valueOf(in[Input::deltaHeads]) > 0
                 ? in[Input::deltaValues] * in[Input::deltaValues] / in[Input::deltaHeads]
                 : N(0));
    out.constantBytes = named(states * linearStateBytes / (c.tensor * stages), "state_bytes_per_sequence",
                              Dimension::bytes, "linear attention, of one GPU");
    return out;
}

/// What a sequence of this many tokens keeps on one GPU.
template <class N>
N sequenceBytes(const SequenceKv<N>& kv, const N& context) {
    using std::min;
    return kv.bytesPerToken * context + kv.windowBytesPerToken * min(context, kv.window) + kv.constantBytes;
}

} // namespace alidade
