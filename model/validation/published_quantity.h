// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/validation/published.h"
#include "model/workload/architecture.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// How a source counts the FLOP of a training token or iteration.
enum class PublishedFlops : std::uint8_t {
    causal, ///< 3 x forward, s/2 keys per query, active experts (Megatron-Core, Megatron Bridge)
    full,   ///< 6 x parameters without the input embedding + 12 L a d s (torchtitan, NeMo 24, DGX Cloud)
    gptIteration,  ///< 72 B l s h^2 (1 + s/6h + V/12hl) (Korthikanti et al. 2022)
    gptRecomputed, ///< 96 B s l h^2 (1 + s/6h + V/16lh): recomputation counts (Narayanan et al. 2021),
    allParameters, ///< 6 N with the embedding, and full attention (LLM Foundry)
};

/// The convention that a source's words mean; causal where they say nothing that is known.
PublishedFlops publishedFlops(std::string_view definition);

/// FLOP of one token under a convention.
double publishedFlopsPerToken(PublishedFlops convention, const Architecture& model, double sequenceLength);

/// The one throughput quantity of a row: step time, else tokens/s per GPU, else FLOP/s per GPU, else MFU.
struct PublishedQuantity {
    std::string name;
    double value = 0;
    double timesStep = 0; ///< a rate is this / step time; 0: the value is the step time itself
    /// What a step time means in this quantity.
    double at(double stepTime) const { return timesStep > 0 ? timesStep / stepTime : stepTime; }
};

/// \returns nullopt if the row has none (memory rows, rows that ran out of memory)
std::optional<PublishedQuantity> publishedThroughput(const PublishedTraining& row, const ScenarioSpec& spec,
                                                     const Architecture& model);

} // namespace alidade
