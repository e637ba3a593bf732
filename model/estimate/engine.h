// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"

#include <string>
#include <string_view>

namespace alidade {

struct EstimateOptions {
    bool loadCurve = false;    ///< fill Serving::loadCurve
    bool distribution = false; ///< simulate, and fill Serving::distribution
    bool simulate =
        true; ///< where the closed form of serving does not hold (closedFormLimit): play the engine
    bool loadLimit = true; ///< find Serving::requestRateWithinTargets, which may take ten plays
    bool timeline = false; ///< fill Training::timeline
    bool fixes = true;     ///< look for the nearest change that makes a failing scenario run and fit
    /// Date of use, "2026-11-20", by which an old price is marked; empty: no price is. (The model has no
    /// clock.)
    std::string today = {};
};

/// Resolves a spec and estimates it. A scenario that cannot run or does not fit is an answer, not an error;
/// an error is a request that means nothing: an id that the catalog does not have, a required field that is
/// missing. Its message begins with the JSON pointer: "/workload/model: ...".
Result<Estimate> estimate(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                          EstimateOptions options = {});

/// How one number of the documented JSON comes about. `path` is dotted: "training.step_time_s",
/// "training.layers.1.ops.3.seconds", "memory.parts.0.bytes"; see figurePath for other ways to write it. A
/// term of its formula follows after >: "training.step_time_s>gpu_time>stage_time".
Result<Explanation> explainFigure(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  std::string_view path);

/// What a change of a serving plan brings. Latencies are at the percentile of the targets.
struct ServiceGain {
    double ttft = 0, ttftDifference = 0; ///< s, after the change; after - before
    double itl = 0, itlDifference = 0;   ///< s
    std::optional<double> dollarsPerHour, dollarsPerHourDifference;
    std::optional<double> dollarsPerMillionOutputTokens, dollarsPerMillionOutputTokensDifference;
};

/// What a plan takes and costs, as its estimate shows it.
struct PlanFigures {
    double stepTime = 0;    ///< s; of a service one decode step
    double boundTime = 0;   ///< s of it that the suggestion's class takes
    double requestTime = 0; ///< s, mean from arrival to the last token; of a service
    double maxRequestRate = 0, requestsPerSecond = 0; ///< of a service
    /// Absent without a price; the cost of a run also without a number of tokens.
    std::optional<double> dollarsPerHour, dollarsPerRun, dollarsPerMillionTokens;
    std::string purchase, region; ///< as in a scenario: "on_demand"; empty without a price
};

/// A change to the scenario and what it brings, found by re-estimating. Of a service the step is a decode
/// step and the tokens are output tokens.
struct Suggestion {
    Fix change;
    std::string reason;             ///< why it helps: suggestionReason()
    Bound bound = Bound::compute;   ///< the class of time that it attacks
    double stepTime = 0;            ///< seconds, after the change
    double stepTimeDifference = 0;  ///< after - before; negative: faster
    double tokensPerSecond = 0;     ///< after the change
    double tokensPerSecondGain = 0; ///< after / before - 1
    std::optional<double> dollarsPerRun, dollarsPerRunDifference;
    double memoryBytes = 0;             ///< of the worst stage, after the change
    std::optional<ServiceGain> service; ///< of a serving scenario
    PlanFigures before, after;          ///< what the reason is made from
};

/// The changes of plan that gain most tokens per second per dollar (per second without a price), best first,
/// each of which still runs and fits. For a scenario that runs and fits; else empty. Of a service those that
/// lower the price of its tokens while it carries its load and keeps the targets that it keeps; then those
/// that answer sooner for the same money.
std::vector<Suggestion> suggest(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                std::size_t most = 3);

} // namespace alidade
