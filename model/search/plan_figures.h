// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/evaluate_reinforcement.h"
#include "model/scenario/fields.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"
#include "model/training/step_cost.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace alidade {

/// Which error a figure inherits.
enum class FigureError : std::uint8_t {
    none,       ///< exact: counts and rents per hour
    time,       ///< of a step, of a token, or of the throughput
    firstToken, ///< of TTFT
    memory,
};

/// A figure that plans are ranked by or limited in, named as in the documented estimate.
struct PlanFigure {
    std::string_view path;  ///< "training.step_time_s"
    std::string_view label; ///< "Step time"
    Dimension dimension = Dimension::number;
    AppliesTo appliesTo = AppliesTo::both;
    bool moreIsBetter = false;
    FigureError error = FigureError::none;
    /// The figure of an evaluation; NaN if the scenario does not have it (no price, no tokens). nullptr where
    /// it does not apply.
    double (*ofTraining)(const Scenario&, const Totals&) = nullptr;
    double (*ofServing)(const Scenario&, const ServingTotals&) = nullptr;
    double (*ofReinforcement)(const Scenario&, const RlTotals&) = nullptr;
    bool ofQuestions = false; ///< only of a service whose scenario says how a question is answered

    bool isOf(const WorkloadSpec& workload) const;
};

/// Standard deviation of ln of the model's error on a figure; 0: exact, and for the memory of a service,
/// whose band is not a share of it.
double logSdOf(const Scenario& scenario, const PlanFigure& figure);

/// Among published runs that share model, hardware and batch, the errors of two plans correlate by about one
/// half; across machines they count as independent.
inline constexpr double errorCorrelationOnOneMachine = 0.5;

/// Standard deviation of ln of the error of the ratio of two plans' times, at most: for plans on the same
/// machines, as many of them, with the same software and precision. What makes a band wide there - the
/// network, how evenly tokens are routed, an unpublished size - is common to both. Measured:
/// published runs that share all of that and differ in plan (planChoices()), in pairs whose predicted times
/// are within exp(nearPair) of each other; root mean square, each choice counted alike. Dense training 0.146
/// (86 pairs), mixtures of experts 0.169 (135), serving 0.109; of reinforcement learning, which has few
/// that are so near, 0.141 over all of its 18. All 154 pairs of mixtures of experts and all 28 dense ones
/// that are predicted more than 28 % apart are measured in that order.
double mostPairLogSd(const Scenario& scenario);
inline constexpr double nearPair = 0.3;

/// All of them, in the order of the estimate.
std::span<const PlanFigure> planFigures();
/// nullptr if there is none with that path.
const PlanFigure* findPlanFigure(std::string_view path);
/// The known path nearest to an unknown one; empty if none is near.
std::string nearestPlanFigure(std::string_view path);

} // namespace alidade
