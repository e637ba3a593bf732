// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "model/scenario/problem.h"

#include <optional>
#include <string>

namespace alidade {

/// The effect of a change of a serving plan. Latencies are at the percentile of the targets.
struct ServiceGain {
    double ttft = 0, ttftDifference = 0; ///< s, after the change; after - before
    double itl = 0, itlDifference = 0;   ///< s
    std::optional<double> dollarsPerHour, dollarsPerHourDifference;
    std::optional<double> dollarsPerMillionOutputTokens, dollarsPerMillionOutputTokensDifference;
};

/// The time and cost of a plan, as its estimate shows them.
struct PlanFigures {
    double stepTime = 0;    ///< s; of a decode step for a service
    double boundTime = 0;   ///< s of it in the suggestion's class
    double requestTime = 0; ///< s, mean from arrival to the last token; of a service
    double maxRequestRate = 0, requestsPerSecond = 0; ///< of a service
    /// Absent without a price; the cost of a run also without a number of tokens.
    std::optional<double> dollarsPerHour, dollarsPerRun, dollarsPerMillionTokens;
    std::string purchase, region; ///< as in a scenario: "on_demand"; empty without a price
};

/// A change to the scenario and its effect, found by re-estimating. For a service, the step is a decode step
/// and the tokens are output tokens.
struct Suggestion {
    Fix change;
    std::string reason;             ///< why it helps: suggestionReason()
    Bound bound = Bound::compute;   ///< the class of time that it reduces
    double stepTime = 0;            ///< seconds, after the change
    double stepTimeDifference = 0;  ///< after - before; negative: faster
    double tokensPerSecond = 0;     ///< after the change
    double tokensPerSecondGain = 0; ///< after / before - 1
    std::optional<double> dollarsPerRun, dollarsPerRunDifference;
    double memoryBytes = 0;             ///< of the worst stage, after the change
    std::optional<ServiceGain> service; ///< of a serving scenario
    PlanFigures before, after;          ///< the figures behind the reason
};

} // namespace alidade
