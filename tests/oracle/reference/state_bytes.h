// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade::reference {

/// Bytes of training state per parameter. A recipe is data: Megatron with FP32 main gradients is {2, 4, 12}.
template <class N>
struct StateBytes {
    N parameters = 0, gradients = 0;
    N optimizer = 0; ///< master weights and moments
    N total() const { return parameters + gradients + optimizer; }
};

/// What a sharding group divides; each includes those before it (ZeRO-1, -2, -3).
enum class ShardedState : std::uint8_t { none, optimizer, gradients, parameters };

/// Bytes that one rank holds per locally held parameter (Rajbhandari et al. 2020, arXiv 1910.02054).
/// \param shardRanks ranks of the sharding group
template <class N>
StateBytes<N> stateBytesPerParam(const StateBytes<N>& recipe, ShardedState sharded, const N& shardRanks) {
    StateBytes<N> out = recipe;
    if (sharded >= ShardedState::optimizer) {
        out.optimizer = recipe.optimizer / shardRanks;
    }
    if (sharded >= ShardedState::gradients) {
        out.gradients = recipe.gradients / shardRanks;
    }
    if (sharded >= ShardedState::parameters) {
        out.parameters = recipe.parameters / shardRanks;
    }
    return out;
}

} // namespace alidade::reference
