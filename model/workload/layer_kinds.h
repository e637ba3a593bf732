// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/workload/parameters.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

constexpr std::size_t mostLayerKinds = 8; ///< distinct decoder layers that an evaluation keeps apart

/// One distinct decoder layer of a model: what it is made of, which keys its queries see, and its parameters
/// by what divides them.
struct LayerKind {
    Mixer mixer = Mixer::attention;
    FeedForward feedForward = FeedForward::dense;
    int window = 0;              ///< tokens that a query sees; 0: all before it
    bool chunked = false;        ///< the window is a block (chunked attention) instead of sliding
    std::int64_t split = 0;      ///< weights that tensor parallelism divides
    std::int64_t replicated = 0; ///< norms, biases, router, MLA's down-projections
    std::int64_t experts = 0;    ///< routed experts: expert (tensor) parallelism divides them
    std::int64_t activeGemm = 0; ///< weights that one token is multiplied with
    double coreFlops = 0;        ///< of one token's attention core (or scan), by the reporting convention
    std::string word;            ///< for files: "transformer", "moe", "sliding_moe"
    std::string title;           ///< for a person: "MoE layer, sliding attention"
};

/// The distinct layers in the order in which they first appear, and the kind of each layer.
struct LayerKinds {
    std::vector<LayerKind> kinds;
    std::vector<std::uint8_t> ofLayer; ///< index into kinds, one per decoder layer
    LayerKind prediction;              ///< of a multi-token-prediction module: attention to all before it and
                                       ///< the feed-forward part of the last layer
};

/// \param sequenceLength tokens; a window that is no shorter is not a window
LayerKinds layerKinds(const Architecture& model, std::int64_t sequenceLength);

/// Tokens that the queries of a layer see (a window or a block), 0 for all before them: from the pattern that
/// the catalog words ("all layers", "alternating: sliding, full", "5 sliding then 1 full", "...; last layer
/// full").
int attentionWindow(const Architecture& model, int layer);

/// FLOP of one token in the core of a layer: attention over the mean number of keys, 7 d_i N of a Mamba-2
/// scan, 2 (4 (2K + W) + 4 n_v d_v^2) of Gated DeltaNet (Megatron-LM, training.py).
double coreFlopsPerToken(const Architecture& model, const LayerKind& kind, double sequenceLength);

/// Mean number of keys per query in a reporting convention: half of the sequence for causal attention, the
/// exact mean under a window.
double meanKeys(const LayerKind& kind, double sequenceLength);

} // namespace alidade
