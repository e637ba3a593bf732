// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

/// C[m x n] = A[m x k] B[k x n]; A holds activations, B weights.
template <class N>
struct GemmShape {
    N m, n, k;
};

/// Performance of matrix multiplications on a GPU with a library. Bytes are per element, including block
/// scales.
template <class N>
struct GemmRates {
    N peak;                ///< FLOP/s, dense
    N bandwidth;           ///< bytes/s of HBM
    N computeEfficiency;   ///< 0..1 of peak for large shapes
    N memoryEfficiency;    ///< 0..1 of bandwidth
    N launch;              ///< s
    N extraK = 0;          ///< prologue and epilogue, as additional reduction length
    N quantPasses = 0;     ///< unfused quantization of A, in HBM passes over its 16-bit and quantized forms
    N activationBytes = 2; ///< of A
    N weightBytes = 2;     ///< of B
    N outputBytes = 2;     ///< of C
    N minimumRows = 32;    ///< rows of the smallest tile: fewer rows take as long
};

/// Roofline law of a GEMM, fitted to measured tables of ai-dynamo/aiconfigurator (18,944 shapes per GPU, mean
/// error 4 to 14 %): compute 2 max(m, 32) n (k + k0) / (peak eta_c), memory bytes / (bandwidth eta_m).
template <class N>
RooflineTime<N> gemmTime(const GemmShape<N>& s, const GemmRates<N>& r) {
    using std::max;
    RooflineTime<N> t;
    t.flops = named(2 * s.m * s.n * s.k, "gemm_flops", Dimension::flop);
    t.bytes = named(r.activationBytes * s.m * s.k + r.weightBytes * s.n * s.k + r.outputBytes * s.m * s.n,
                    "gemm_bytes", Dimension::bytes);
    t.compute = named(2 * max(s.m, r.minimumRows) * s.n * (s.k + r.extraK) / (r.peak * r.computeEfficiency),
                      "gemm_compute_time", Dimension::seconds, "roofline");
    t.memory = named(t.bytes / (r.bandwidth * r.memoryEfficiency), "gemm_memory_time", Dimension::seconds,
                     "roofline");
    t.launch = r.launch;
    t.quantization = named(r.quantPasses * (2 + r.activationBytes) * s.m * s.k / r.bandwidth,
                           "quantisation_time", Dimension::seconds, "HBM passes of unfused quantization");
    return withTotal(t);
}

} // namespace alidade
