// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"

namespace alidade {

/// Forward FLOP of one token, by component (1 multiply-accumulate = 2 FLOP).
struct FlopsPerToken {
    double projections = 0, core = 0, mlp = 0, moe = 0, logits = 0, mtp = 0;
    double total() const { return projections + core + mlp + moe + logits + mtp; }
};

enum class AttentionAverage : unsigned char {
    half, ///< s/2 keys per query: the reporting convention (Megatron-LM num_floating_point_operations)
    exact ///< (s + 1)/2
};

/// \param absorbed MLA with the up-projections folded into query and output, as in decode
/// \param mtpDepth multi-token-prediction modules that run
FlopsPerToken forwardFlopsPerToken(const Architecture& model, double sequenceLength,
                                   AttentionAverage average = AttentionAverage::half, bool absorbed = false,
                                   int mtpDepth = 0);

enum class FlopsConvention : unsigned char {
    causal, ///< 3 x forward with s/2 keys (Megatron-LM)
    palm,   ///< 6 N without embedding + 12 L a d s (full attention; Chowdhery 2022)
    sixN,   ///< 6 N
};
enum class RecomputeFlops : unsigned char { none, selective, full };

/// Training FLOP of one token. Recomputation counts as executed (hardware) FLOP only.
double trainFlopsPerToken(const Architecture& model, double sequenceLength, FlopsConvention convention,
                          RecomputeFlops recompute = RecomputeFlops::none, int mtpDepth = 0);

/// FLOP of one GPT iteration (MLP of width 4h, full attention), Korthikanti et al. 2022, appendix.
double megatronIterationFlops(double batch, double sequenceLength, double layers, double hiddenSize,
                              double vocabulary, RecomputeFlops recompute = RecomputeFlops::none);

} // namespace alidade
