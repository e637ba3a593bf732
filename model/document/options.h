// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/outcome.h"
#include "model/explore/figure_errors.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace alidade {

/// A plan among which to choose.
struct OptionCandidate {
    std::string name; ///< "1,024 x p6-b200.48xlarge", "Full recomputation"
    Edit set{};       ///< of the scenario, to become it; empty: the scenario itself
    PlanResult result{};
    FigureErrors errors{};
    bool serving = false, reinforcement = false;
};

enum class OptionState : std::uint8_t {
    chosen,
    open,     ///< not worse than the chosen one beyond the model's error, or a trade of time for money
    rejected, ///< cannot be used, or is worse
};

struct ConsideredOption {
    std::string name;
    Edit set{};
    OptionState state = OptionState::open;
    std::string reason; ///< one
    bool equal = false; ///< cost and time differ from the chosen ones by less than the model's error
    PlanResult result{};
};

/// Judges plans against a chosen one, in the order chosen, open, rejected; each by its total. A plan is
/// rejected if it cannot be used, misses the deadline or the targets, or costs more beyond the error that the
/// two plans do not share (ratioLogSd()); one that costs less, or differs by less than that error, is open.
std::vector<ConsideredOption> judgedOptions(std::span<const OptionCandidate> candidates, std::size_t chosen);

/// What the options come to in a sentence: how many are open, and what the cheapest of them would save. Empty
/// if there is nothing to choose from.
std::string optionsHeadline(std::span<const ConsideredOption> options);

/// The plan to take of several: of those that can be used and miss neither deadline nor targets the one with
/// the least total. One that is listed before it is taken instead while the model cannot tell their costs
/// apart. Without any such plan the first one.
std::size_t recommendedOption(std::span<const OptionCandidate> candidates);

struct FoundOptions {
    std::vector<ConsideredOption> options; ///< at most mostOptions; the chosen one is the scenario
    std::uint64_t plans = 0;               ///< that were tried
    bool betterLayout = false; ///< the same machines are faster in another layout, beyond the error
};
inline constexpr std::size_t mostOptions = 10;

/// What else could be ordered for the job of a scenario: the best plan on each other machine with as many
/// GPUs and on the same machines, both from a small search; half and twice the machines; another precision,
/// more and less recomputation. \pre the scenario runs and fits
FoundOptions optionsConsidered(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                               const PlanResult& base);

} // namespace alidade
