// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/architecture.h"

#include <cstdint>
#include <vector>

namespace alidade {

// Parameter counts from the fields of an architecture: exact, in integers. Formulas: the public model
// configurations; Dao & Gu 2024 (Mamba-2); Megatron-LM training.py (Gated DeltaNet); DeepSeek-V2/V3 reports
// (MLA, MTP).

enum class Mixer : std::uint8_t { none, attention, mamba2, gatedDeltaNet };
enum class FeedForward : std::uint8_t { none, dense, moe };

/// What one decoder layer is made of.
struct LayerComposition {
    Mixer mixer = Mixer::attention;
    FeedForward feedForward = FeedForward::dense;
    bool operator==(const LayerComposition&) const = default;
};

/// One entry per layer, first to last.
std::vector<LayerComposition> layerCompositions(const Architecture& model);

/// Weights that enter a matrix multiplication once per token, and the rest (norms, biases, sinks).
struct BlockParameters {
    std::int64_t gemm = 0, other = 0;
    std::int64_t total() const { return gemm + other; }
};

BlockParameters attentionParameters(const Architecture& model);
BlockParameters mamba2Parameters(std::int64_t hiddenSize, const Mamba2Shape& mamba);
BlockParameters gatedDeltaNetParameters(std::int64_t hiddenSize, const GatedDeltaNetShape& shape);
/// A dense MLP of this width (one of gate/up).
BlockParameters mlpParameters(std::int64_t hiddenSize, std::int64_t width, bool gated, bool bias);

/// One MoE layer: router, routed experts, shared experts.
struct MoeParameters {
    std::int64_t router = 0, routed = 0, shared = 0, other = 0;
    std::int64_t activeRouted = 0; ///< of the experts that one token visits
    std::int64_t activeGemm = 0;   ///< of all weights that one token is multiplied with
    std::int64_t total() const { return router + routed + shared + other; }
    std::int64_t active() const { return router + activeRouted + shared + other; }
};
MoeParameters moeParameters(const Architecture& model);

/// Norms of one layer.
std::int64_t layerNormParameters(const Architecture& model);

struct ParameterCount {
    std::int64_t total = 0;      ///< without multi-token-prediction modules
    std::int64_t active = 0;     ///< total less the routed experts that a token does not visit
    std::int64_t gemmActive = 0; ///< weights that enter a GEMM per token: the N of 2N forward FLOP
    std::int64_t embedding = 0;  ///< V h
    std::int64_t head = 0;       ///< V h unless tied
    std::int64_t experts = 0;    ///< routed experts of all layers
    std::int64_t mtpTotal = 0, mtpActive = 0; ///< multi-token-prediction modules, embedding and head shared
};

ParameterCount countParameters(const Architecture& model);

} // namespace alidade
