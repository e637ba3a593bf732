// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// What can ail a running cluster.
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

/// What a policy asks for, from the mildest to the hardest.
enum class HealthAction : std::uint8_t { ignore, watch, restartJob, resetGpu, rebootNode, replaceNode };

/// What a fault took from the plan.
struct FaultCost {
    double seconds = 0; ///< of the job's time that made no progress
    double steps = 0;
    double share = 0;              ///< of the observed time, 0..1
    std::optional<double> dollars; ///< absent without a price
};

/// Something that ails a GPU, a node or a job, with its evidence.
struct Finding {
    FaultKind kind = FaultKind::xid;
    int code = 0;                              ///< XID; 0: none
    HealthAction action = HealthAction::watch; ///< by the policy that judged it
    Entity where;                              ///< gpu -1: the whole node; host empty: the job
    double start = 0;                          ///< Unix s, first seen
    std::optional<double> end;                 ///< Unix s; absent: it lasts
    std::string title;                         ///< "gpu-0031, GPU 2: XID 94, contained memory error"
    std::string evidence; ///< "1,290 MHz, 87 degC, thermal violation; own compute 1.30 x the median"
    std::string advice;   ///< by the policy that judged it
    std::vector<std::string> otherAdvice; ///< "EKS agent: watch", of presets that disagree
    std::optional<FaultCost> cost;        ///< absent: it cost the job nothing that shows
};

} // namespace alidade
