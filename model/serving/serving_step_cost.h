// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/step_cost.h"

namespace alidade {

/// What one replica of an engine works on in one step, all its attention-data ranks together; means.
template <class N>
struct StepLoad {
    N prefillTokens{};   ///< new prompt tokens
    N prefillCached{};   ///< tokens before them in their sequences
    N prompts{};         ///< sequences that they belong to
    N decodeSequences{}; ///< sequences that get their next token
    N decodeContext{};   ///< tokens in the cache of each
};

/// The cost of one engine step on one GPU; the stages of a pipeline together.
template <class N>
struct ServingStepCost {
    std::array<LayerCost<N>, mostLayerKinds> layers{}; ///< one layer of each kind
    LayerCost<N> draft;                      ///< guessing one draft token; empty without speculation
    LayerCost<N> head;                       ///< output layer and sampling
    std::array<N, stepParts.size()> parts{}; ///< exclusive; sum to `seconds`
    N seconds{};

    /// Whether the next step lists its kernels and collectives.
    void setListed(bool listed) {
        for (LayerCost<N>& each : layers)
            each.listed = listed;
        draft.listed = head.listed = listed;
    }
};

} // namespace alidade
