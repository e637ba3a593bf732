// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_builder.h"

namespace alidade {

/// The recurrence of a linear-time mixer: runs at a small share of the peak, backward twice the forward.
template <class N>
void scanKernel(const LayerContext<N>& c, const char* name, const N& flopsPerToken, const N& bytesPerToken,
                LayerBuilder<N>& layer) {
    const auto pass = [&](Phase phase, double factor) {
        RooflineTime<N> t;
        t.flops = named(factor * flopsPerToken * c.tokens, "scan_flops", Dimension::flop);
        t.bytes = named(factor * bytesPerToken * c.tokens, "scan_bytes", Dimension::bytes);
        t.compute = named(t.flops / (c.in[Input::reportingPeak] * c.in[Input::scanEfficiency]),
                          "scan_compute_time", Dimension::seconds);
        t.memory = named(t.bytes / (c.in[Input::memoryBandwidth] * c.in[Input::gemmMemoryEfficiency]),
                         "scan_memory_time", Dimension::seconds);
        t.launch = c.in[Input::attentionLaunch];
        layer.kernel(name, phase, withTotal(t), c.in[Input::reportingPeak]);
    };
    pass(Phase::forward, 1);
    pass(Phase::backwardInput, 2);
    if (c.plan.recompute.whole())
        pass(Phase::recompute, 1);
}

/// Mamba-2 mixer: Dao & Gu 2024 (arXiv 2405.21060); FLOP of the scan as Megatron-LM counts them (7 d_i N).
template <class N>
void mamba2Mixer(const LayerContext<N>& c, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N inner = named(in[Input::mambaInner] / c.tensor, "mamba_inner_per_gpu", Dimension::number);
    const N states = named(in[Input::mambaStates] / c.tensor, "mamba_states_per_gpu", Dimension::number);
    layer.gemm("Mamba input projection", 2 * inner + states + in[Input::mambaHeads] / c.tensor,
               in[Input::hiddenSize]);
    layer.elementwise("Causal convolution", 4 * (inner + states));
    scanKernel(c, "State-space scan", 7 * inner * in[Input::mambaState], 4 * (2 * inner + states), layer);
    layer.elementwise("Gated norm", 6 * inner);
    layer.gemm("Mamba output projection", in[Input::hiddenSize], inner);
}

/// Gated DeltaNet: sizes and FLOP as Megatron-LM counts them.
template <class N>
void gatedDeltaNetMixer(const LayerContext<N>& c, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const N keys = named(in[Input::deltaKeys] / c.tensor, "delta_keys_per_gpu", Dimension::number);
    const N values = named(in[Input::deltaValues] / c.tensor, "delta_values_per_gpu", Dimension::number);
    layer.gemm("DeltaNet input projection", 2 * keys + 2 * values + 2 * in[Input::deltaHeads] / c.tensor,
               in[Input::hiddenSize]);
    layer.elementwise("Causal convolution", 4 * (2 * keys + values));
    const N state =
        named(in[Input::deltaValues] / in[Input::deltaHeads], "delta_value_size", Dimension::number);
    scanKernel(c, "Delta-rule scan", 8 * values * state, 4 * (2 * keys + 2 * values), layer);
    layer.elementwise("Gated norm", 6 * values);
    layer.gemm("DeltaNet output projection", in[Input::hiddenSize], values);
}

} // namespace alidade
