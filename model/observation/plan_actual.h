// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/observation/health_policy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A figure of the plan with its 10 % and 90 % quantiles.
struct PlannedFigure {
    double value = 0, low = 0, high = 0;
};

/// One figure of the job over time, alongside what the plan says of it.
struct ChartLine {
    std::string id;               ///< "step_time", "mfu", "efa_per_gpu", "ttft_p90"
    std::string title;            ///< "Step time"
    std::string unit;             ///< SI: "s", "ratio", "bytes/s", "W", "tokens/s"
    std::vector<double> measured; ///< on the grid of the observation; NaN: a gap
    std::optional<PlannedFigure> plan;
    std::optional<double> now;   ///< the newest measured value; absent if there is none
    std::optional<double> mean;  ///< over the observed time
    std::string how;             ///< what it was made of, for a person: metric and expression
    std::string expression = {}; ///< PromQL that was asked; empty: it was made of several
};

/// Where the time goes by the model, alongside how busy the hardware says it is.
struct ActivityShare {
    std::string name;                        ///< "Tensor pipes", "HBM", "NVLink", "EFA"
    std::optional<double> modeled, measured; ///< 0..1
};

/// A line of what the observed time was worth.
struct LossLine {
    std::string name; ///< "Lost to straggler"
    double steps = 0, share = 0;
    std::optional<double> dollars;
};

/// A plan and the measurements of the same job on one axis.
struct PlanActual {
    std::vector<ChartLine> charts; ///< the headline figure first
    std::vector<ActivityShare> shares;
    std::string verdict; ///< one sentence: "14 % behind plan over two hours; on plan now."
    std::string because; ///< one sentence; empty: nothing to say
    double stepsDone = 0, stepsPlanned = 0;
    std::vector<LossLine> losses; ///< the largest first
    std::optional<double> dollarsSpent, dollarsLost, dollarsPerStep, dollarsPerMillionTokens, dollarsIdle;
    std::vector<std::string> notes; ///< what could not be compared, and why
};

/// \param estimate of the scenario that the job is held against; nullptr: only what was measured
PlanActual comparePlan(const Observation& observation, const std::vector<Finding>& findings,
                       const Estimate* estimate);

/// What a plan contributes to the judgment of health: the rent of the job's machines (as many as there are,
/// at the plan's price of one) and the GPUs of a machine. Empty without a plan.
HealthContext healthContext(const Observation& observation, const Estimate* estimate);

/// One node over time relative to the others: own compute time over the job's median where the job reports
/// it, else tensor activity times clock. Rows: observation.hosts; NaN: no data.
struct NodeMap {
    std::string title; ///< "own compute time of each node, relative to the job's median"
    std::vector<std::string> hosts;
    std::vector<double> values; ///< host by host, grid.points each
    /// As `values`: 1 where the host has no data at all, so that NaN does not mean that it stood still.
    std::vector<std::uint8_t> noData;
};
NodeMap relativeNodeTimes(const Observation& observation);

} // namespace alidade
