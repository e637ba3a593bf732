// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Codes of FaultKind::rowRemap: the flag that a remap could not be recorded, and a remap that needs a reset
/// to take effect. 0: the count of remapped rows grew.
inline constexpr int remapFailed = 1, remapPending = 2;

/// What to do about one kind of fault, with where that is said.
struct HealthRule {
    FaultKind kind = FaultKind::xid;
    int code = 0; ///< XID (or row remap) that it is for; 0: every one without its own rule
    HealthAction action = HealthAction::watch;
    std::string meaning; ///< "contained memory error"
    std::string advice;  ///< one sentence
    std::string source;
    bool operator==(const HealthRule&) const = default;
};

/// When a measurement counts as a fault.
struct HealthLimits {
    double stragglerTime = 1.05;   ///< own compute time over the job's median
    double stragglerClock = 0.9;   ///< SM clock over the job's median, while busy
    double retransmitShare = 1e-4; ///< bytes retransmitted / sent, of a node
    double singleBitErrors = 10;   ///< corrected errors in a window of at most an hour
    double singleBitGrowth = 2;    ///< and so many times those of the window before it
    double stallSteps = 3;         ///< no step for so many step times
    int gpusPerNode = 0;           ///< that should answer; 0: as many as on most nodes
    bool operator==(const HealthLimits&) const = default;
};

/// A table that an operator may edit; presets disagree, and say so.
struct HealthPolicy {
    std::string id;   ///< "nvidia"
    std::string name; ///< "NVIDIA catalog"
    std::string source;
    std::vector<HealthRule> rules;
    HealthLimits limits;
};

/// The rule of this fault and code, else of this fault with code 0; nullptr: the policy says nothing of it.
const HealthRule* findRule(const HealthPolicy& policy, FaultKind kind, int code);

/// What the policy says of a fault. The rule of its code, else of its kind, else to watch it.
HealthRule ruleFor(const HealthPolicy& policy, FaultKind kind, int code);

/// What is known of the cluster besides its measurements.
struct HealthContext {
    std::optional<double> dollarsPerHour; ///< of the job's machines; absent: faults have no price
    std::optional<int> gpusPerNode;       ///< of the plan, at least; the policy's own limit goes first
};

/// All faults of the cluster in the observed time, the most severe action first, then by start. Evidence
/// of one cause is one finding: the crash and the reboot after an XID belong to the XID, the restart after a
/// hang to the hang. Gaps in the data are not faults.
/// \param presets whose other opinions are reported; may contain `policy`
std::vector<Finding> judgeHealth(const Observation& observation, const HealthPolicy& policy,
                                 const std::vector<HealthPolicy>& presets = {},
                                 const HealthContext& context = {});

} // namespace alidade
