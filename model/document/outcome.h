// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/money.h"
#include "model/explore/variable.h"

#include <optional>
#include <string>

namespace alidade {

/// What a plan comes to, in the figures that a buyer decides by.
struct PlanResult {
    bool runs = false, fits = false;
    bool carries = false;                    ///< runs, fits and, of a service, is not overloaded
    std::string why;                         ///< it does not; empty: it does
    std::optional<double> days;              ///< of a run
    std::optional<double> lowDays, highDays; ///< 10 % and 90 % quantiles
    std::optional<double> deadlineDays;      ///< from the start to the end of the deadline's day
    std::optional<Cents> total;              ///< before tax, of the order with its storage
    std::optional<Cents> low, high;          ///< of the total; absent: it is exact
    double memory = 0, memoryHigh = 0;       ///< bytes of the fullest GPU, and their 90 % quantile
    double usableMemory = 0;                 ///< bytes of a GPU
    std::optional<double> firstToken, gap;   ///< s, TTFT and ITL of a service, at the targets' percentile
    std::optional<bool> meetsTargets;        ///< of a service with targets
    std::string machines;                    ///< "64 x p5.48xlarge"

    bool missesDeadline() const { return days && deadlineDays && *days > *deadlineDays; }
};

PlanResult planResult(const Scenario& scenario, const Estimate& estimate);

/// The result of a scenario with fields set and numbers of catalog or calibration changed, through the engine
/// that estimates any scenario.
/// \returns an error for a change that means nothing
Result<PlanResult> resultWith(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                              const Edit& set, const VariableSettings& numbers = {});

} // namespace alidade
