// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_builder.h"

namespace alidade {

/// Dense MLP of one width. \param width of the whole model, one of gate and up
template <class N>
void mlpKernels(const LayerContext<N>& c, const N& width, bool shared, LayerBuilder<N>& layer) {
    const InputsT<N>& in = c.in;
    const Recompute& recompute = c.plan.recompute;
    const bool gated = c.plan.gatedFfn;
    const N local = named(width / c.tensor, "ffn_per_gpu", Dimension::number);
    const N upWidth = gated ? named(2 * local, "gate_up_width", Dimension::number) : local;
    const bool again = shared ? recompute.sharedExperts || recompute.experts : recompute.mlp;
    layer.gemm(shared  ? "Shared experts, gate and up"
               : gated ? "MLP gate and up"
                       : "MLP up",
               upWidth, in[Input::hiddenSize],
               {.again = again || recompute.perOp, .share = again || !gated ? N(1) : N(0.5)});
    if (c.plan.lora && c.plan.loraMlp)
        layer.adapter("Gate and up adapter", upWidth, in[Input::hiddenSize]);
    // reads gate and up, writes the product; without a gate one input less
    const N bytes = named((gated ? 6 : 4) * local, "product_bytes_per_token", Dimension::bytes);
    layer.elementwise(shared  ? "Shared experts, product"
                      : gated ? "GLU product"
                              : "Activation",
                      bytes, again || recompute.product || recompute.perOp);
    layer.gemm(shared ? "Shared experts, down" : "MLP down", in[Input::hiddenSize], local, {.again = again});
    if (c.plan.lora && c.plan.loraMlp)
        layer.adapter("Down adapter", in[Input::hiddenSize], local);
}

} // namespace alidade
