// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <span>
#include <vector>

namespace alidade {

/// Published runs of one source that share model, machine, GPUs, batch (in serving: the load), precision and
/// software but differ in plan: what a search would choose among.
struct PlanChoice {
    RowKind kind = RowKind::training;
    std::string family;       ///< "dense", "moe" or empty
    std::string title;        ///< "GPT 175B on 1,024 a100-80gb-sxm, Megatron-LM (Table 2)"
    std::string picked, best; ///< ids of the rows with the least predicted and the least measured time
    int plans = 0;
    double regret = 0;                      ///< measured time of the picked plan / of the best one - 1
    int pairs = 0;                          ///< measured more than 5 % apart
    std::vector<MisorderedPair> misordered; ///< those of them that are not predicted in that order
    int differing = 0;                      ///< pairs that differ in plan
    double square = 0;                      ///< mean of the squared error of ln of the ratio of their times
    int near = 0;          ///< of these, those with predicted times within exp(0.3) of each other
    double nearSquare = 0; ///< the same of these; both say how well the model tells plans apart
};

/// The choices in a report, in the order of its rows. Of a training row its one throughput quantity counts,
/// of a serving row output throughput, else the time per output token, in reinforcement learning the step.
std::vector<PlanChoice> planChoices(std::span<const ValidationRow> rows);

/// How well the model chooses: "training", "training dense", "training moe", "serving",
/// "reinforcement learning".
std::vector<RegretSummary> regretOf(std::span<const PlanChoice> choices);

} // namespace alidade
