// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/deadline_steps.h"
#include "model/document/run_worth.h"
#include "model/explore/outcomes.h"
#include "model/run/run_calendar.h"
#include "model/run/run_facts.h"
#include "model/run/run_phases.h"
#include "model/run/spare_costs.h"
#include "model/run/storage_fill.h"
#include "model/units/constants.h"
#include "views/explore/explore_task.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::views {

/// Outcomes that are drawn where that takes a second or less, and those of one batch, after which a newer
/// scenario can end the simulation. Each batch has its own seed.
inline constexpr int outcomesWanted = 10'000, outcomesOfBatch = 500;

/// What the page on the whole run shows besides the estimate. Immutable.
struct RunStory {
    std::shared_ptr<const Estimate> estimate; ///< that it is of
    std::string error;                        ///< not empty: why there is nothing else
    RunFacts facts;
    double goodputLow = 0, goodputHigh = 0; ///< at the 90 % and 10 % quantile of the failure rate
    std::vector<SpareCost> spares;          ///< in dollars, or in node-days without a price

    // Of a run with a length, whose goodput is not given
    bool isPlayed = false;
    std::vector<DeadlineStep> steps; ///< that would meet the deadline
    std::vector<RunWorth> worths;    ///< of single changes
    RunProcess process;
    RunShares expected, drawnShares;
    std::vector<RunPhase> phases;       ///< as expected
    std::optional<StorageFill> storage; ///< nullopt: its capacity is not limited
    DrawnRun drawn;                     ///< one outcome
    std::vector<RunDay> days;           ///< of it
    int failure = -1;                   ///< of it, to be looked at first
    int wanted = 0;                     ///< outcomes; 0: each has so many failures that none are drawn
    std::vector<double> ended;          ///< days of the outcomes so far, ascending
    OutcomeFigure spread;               ///< of these
    bool complete = false;
    double seconds = 0; ///< that it took
};
using RunStoryPtr = std::shared_ptr<const RunStory>;

/// The bars of the outcomes: those of one width, and how many outcomes lie before the first and after the
/// last of them.
struct OutcomeBars {
    std::vector<std::size_t> counts; ///< without those beyond
    double low = 0, width = 0, high = 0;
    std::size_t before = 0, after = 0;
};
OutcomeBars outcomeBars(const RunStory& story);

/// Half of the window that the loupe shows, s.
inline constexpr double loupeHalf = secondsPerHour;

/// The story of an estimate with a run; parts of it are handed on while outcomes are drawn.
ExploreTask<RunStory>::Job runStoryJob(std::shared_ptr<const Estimate> estimate,
                                       std::shared_ptr<const Catalog> catalog);

} // namespace alidade::views
