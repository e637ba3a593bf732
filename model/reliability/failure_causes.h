// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace alidade {

/// One class of what interrupts a run.
struct FailureCause {
    std::string_view name;
    double share;   ///< of all unexpected interruptions
    bool takesNode; ///< the node has to be replaced; otherwise the job restarts on the same nodes
};

/// Shares of the 419 unexpected interruptions of the Llama 3 405B run (arXiv 2407.21783, table 5). GPU:
/// faulty GPU 148, HBM3 72, SRAM 19, system processor 17, silent data corruption 6, thermal interface 6.
/// Software: software bug 54, NCCL watchdog timeout 7, dependency 2. Network: switch and cable 35, NIC 7.
/// Host maintenance 32. The other 14 are parts of the node: SSD, power supply, chassis, CPU, memory.
inline constexpr double causesCounted = 419;
inline constexpr std::array<FailureCause, 5> failureCauses{
    {{"GPU and HBM", 268 / causesCounted, true},
     {"Software and dependencies", 63 / causesCounted, false},
     {"Network: switch, cable, NIC", 42 / causesCounted, false},
     {"Host maintenance", 32 / causesCounted, true},
     {"Other parts of the node", 14 / causesCounted, true}}};

// Lost time that is not an unexpected failure.
inline constexpr std::string_view plannedCause = "Planned maintenance";
inline constexpr std::string_view waitingCause = "Waiting for a repaired node";
/// Of an elastic run, instead of waiting.
inline constexpr std::string_view elasticCause = "Fewer replicas during repairs";
inline constexpr std::string_view stallCause = "Checkpoint stalls";

constexpr bool isShortage(std::string_view cause) { return cause == waitingCause || cause == elasticCause; }

/// Share of the interruptions after which a node has to be replaced.
constexpr double nodeLossShare() {
    double share = 0;
    for (const FailureCause& cause : failureCauses)
        share += cause.takesNode ? cause.share : 0;
    return share;
}

} // namespace alidade
