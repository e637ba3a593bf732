// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Kinds of fault.
enum class FaultKind : std::uint8_t {
    xid,
    doubleBitErrors,
    singleBitErrors, ///< corrected ones that grow ever faster
    rowRemap,        ///< failure, or pending
    thermal,
    power,
    missingGpu,
    missingTarget,
    efaRetransmits,
    efaConnections, ///< impaired or unresponsive
    straggler,
    stall, ///< the job stands still
    restart,
    badLoss,
    engineRestart,
    blankValues, ///< sentinels instead of measurements
};

/// The id in files: "xid", "double_bit_errors".
std::string_view faultName(FaultKind kind);
/// For a person: "XID", "double-bit ECC errors".
std::string_view faultLabel(FaultKind kind);
/// All of them, in the order of the enumeration.
std::span<const FaultKind> allFaultKinds();

/// What a policy asks for, from the mildest to the hardest.
enum class HealthAction : std::uint8_t { ignore, watch, restartJob, resetGpu, rebootNode, replaceNode };

/// The id in files: "restart_job", "replace_node".
std::string_view actionName(HealthAction action);
/// For a person: "restart the job", "replace".
std::string_view actionLabel(HealthAction action);
/// All of them, the mildest first.
std::span<const HealthAction> allHealthActions();

/// How urgent an action is: `now` for hardware to reset, reboot or replace, `soon` for a job to restart.
enum class FindingLevel : std::uint8_t { none, watch, soon, now };
FindingLevel levelOf(HealthAction action);
/// "none", "watch", "soon", "now".
std::string_view levelName(FindingLevel level);

/// What a fault took from the plan, against the job's own quiet pace. Where faults overlap, each second is
/// counted once.
struct FaultCost {
    double seconds = 0;            ///< of the job's time that made no progress, work done twice included
    double steps = 0;              ///< that the job would have done in them; 0: its step time is not known
    double share = 0;              ///< of the job's time (as long as it was seen), 0..1
    std::optional<double> dollars; ///< absent without a price
    bool operator==(const FaultCost&) const = default;
};

/// A fault of a GPU, node or job, with its evidence.
struct Finding {
    FaultKind kind = FaultKind::xid;
    int code = 0;                              ///< XID, or what of a row remap; 0: none
    HealthAction action = HealthAction::watch; ///< by the policy that judged it
    Entity where;                              ///< gpu -1: the whole node; host empty: the job
    double start = 0;                          ///< Unix s, first seen
    std::optional<double> end;                 ///< Unix s; absent: it lasts
    std::string title;                         ///< "gpu-0031, GPU 2: XID 94, contained memory error"
    std::string evidence; ///< "1,290 MHz, 87 degC, thermal violation; own compute 1.30 x the median"
    std::string advice;   ///< by the policy that judged it
    std::vector<std::string> otherAdvice; ///< "EKS agent: watch", of presets that disagree
    std::optional<FaultCost> cost;        ///< absent: it cost the job nothing that shows
    bool before = false;                  ///< it was there when the observed time began
    int times = 1;                        ///< how often in the observed time
};

/// A node that asks for something, with what it did.
struct NodeRank {
    std::string host;
    HealthAction action = HealthAction::watch; ///< the hardest of its findings
    double seconds = 0;                        ///< that its findings cost the job
    int findings = 0;                          ///< with each recurrence counted
    std::string why;                           ///< titles of its findings, the hardest first
};

/// Nodes that a policy wants reset, rebooted or replaced, the most urgent first: by action, then by what they
/// cost the job, then by how often they failed.
std::vector<NodeRank> replaceFirst(const std::vector<Finding>& findings);

} // namespace alidade
