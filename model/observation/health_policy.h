// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding.h"

#include <string>
#include <vector>

namespace alidade {

/// What to do about one kind of fault, with where that is said.
struct HealthRule {
    FaultKind kind = FaultKind::xid;
    int code = 0; ///< XID that it is for; 0: every one without a rule of its own
    HealthAction action = HealthAction::watch;
    std::string meaning; ///< "contained memory error"
    std::string advice;  ///< one sentence
    std::string source;
};

/// When a measurement counts as a fault.
struct HealthLimits {
    double stragglerTime = 1.05;   ///< own compute time over the job's median
    double stragglerClock = 0.9;   ///< SM clock over the job's median, while busy
    double retransmitShare = 1e-4; ///< bytes retransmitted / sent, of a node
    double singleBitPerHour = 10;  ///< and twice as many as in the hour before
    double stallSteps = 3;         ///< no step for so many step times
    int gpusPerNode = 8;           ///< that should answer
};

/// A table that an operator may edit; presets disagree, and say so.
struct HealthPolicy {
    std::string id;   ///< "nvidia"
    std::string name; ///< "NVIDIA catalogue"
    std::string source;
    std::vector<HealthRule> rules;
    HealthLimits limits;
};

/// What the policy says of a fault. The rule of its code, else of its kind, else to watch it.
HealthRule ruleFor(const HealthPolicy& policy, FaultKind kind, int code);

/// Everything that ails the cluster in the observed time, the hardest action first, then by start.
/// \param presets whose other opinions are told; may contain `policy`
std::vector<Finding> judgeHealth(const Observation& observation, const HealthPolicy& policy,
                                 const std::vector<HealthPolicy>& presets = {});

} // namespace alidade
