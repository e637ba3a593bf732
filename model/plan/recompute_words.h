// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/plan_words.h"
#include "model/plan/training_plan.h"
#include "model/workload/architecture.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace alidade {

/// What a word of plan.recompute recomputes; nullptr: nothing.
using RecomputedPart = bool Recompute::*;

/// A word of plan.recompute.
struct RecomputeWord {
    std::string_view word;
    RecomputedPart value;
    std::string_view megatron{}; ///< the module of Megatron-Core that it names; empty: there is none
    bool alone = false;          ///< excludes all others
    bool (*exists)(const Architecture&) = nullptr; ///< in a model; nullptr: in every one
};

/// Words that exclude all others, then modules, some of them under the name of Megatron-Core too.
inline constexpr auto recomputeWords = [] {
    constexpr auto experts = [](const Architecture& model) { return model.moe.has_value(); };
    constexpr auto shared = [](const Architecture& model) {
        return model.moe && model.moe->sharedExperts > 0;
    };
    constexpr auto latent = [](const Architecture& model) { return model.mla.has_value(); };
    constexpr auto dense = [](const Architecture& model) { return model.ffnIntermediateSize > 0; };
    constexpr auto gated = [](const Architecture& model) {
        return model.ffnGated && model.ffnIntermediateSize > 0;
    };
    return std::array{
        RecomputeWord{.word = "none", .value = nullptr, .alone = true},
        RecomputeWord{.word = "selective", .value = &Recompute::core, .alone = true},
        RecomputeWord{.word = "full", .value = &Recompute::full, .alone = true},
        RecomputeWord{.word = "every_other_layer", .value = &Recompute::everyOther, .alone = true},
        RecomputeWord{.word = "per_op", .value = &Recompute::perOp, .alone = true},
        RecomputeWord{.word = "core_attention", .value = &Recompute::core, .megatron = "core_attn"},
        RecomputeWord{.word = "core_attn", .value = &Recompute::core, .megatron = "core_attn"},
        RecomputeWord{.word = "norms", .value = &Recompute::norms, .megatron = "layernorm"},
        RecomputeWord{.word = "layernorm", .value = &Recompute::norms, .megatron = "layernorm"},
        // The product of a dense layer is no module of its own.
        RecomputeWord{.word = "glu", .value = &Recompute::product, .exists = gated},
        RecomputeWord{.word = "mlp", .value = &Recompute::mlp, .megatron = "mlp", .exists = dense},
        RecomputeWord{.word = "moe", .value = &Recompute::experts, .megatron = "moe", .exists = experts},
        RecomputeWord{
            .word = "moe_act", .value = &Recompute::product, .megatron = "moe_act", .exists = experts},
        RecomputeWord{.word = "shared_experts",
                      .value = &Recompute::sharedExperts,
                      .megatron = "shared_experts",
                      .exists = shared},
        RecomputeWord{
            .word = "mla_up_proj", .value = &Recompute::mlaUp, .megatron = "mla_up_proj", .exists = latent}};
}();

/// nullptr: there is no such word.
constexpr const RecomputeWord* findRecomputeWord(std::string_view word) {
    const auto* const at = std::ranges::find(recomputeWords, word, &RecomputeWord::word);
    return at == recomputeWords.end() ? nullptr : at;
}

} // namespace alidade
