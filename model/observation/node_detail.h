// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/finding.h"
#include "model/observation/observation.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A figure of one part of a node: the newest value that is not older than two minutes, and what it was over
/// the observed time. Absent: not measured.
struct DetailFigure {
    std::optional<double> now, mean, least, most;
};

/// One code over time.
struct XidEvent {
    int code = 0;
    double time = 0;     ///< Unix s, when it was first seen
    bool before = false; ///< it was there when the observed time began
};

/// One GPU of a node; units as of the signals.
struct GpuDetail {
    int gpu = 0;
    DetailFigure clock, power, temperature, memory, tensor, nvlinkSent, nvlinkReceived;
    std::optional<double> heatThrottled,
        powerThrottled;          ///< mean share of the time; 1e-9 where only its sign is known
    bool throttleIsSign = false; ///< only whether it is above 0 means something
    std::optional<double> singleBit, doubleBit, nvlinkErrors; ///< counted in the observed time
    std::optional<double> rowsRemapped;                       ///< both kinds, now
    std::vector<XidEvent> xids;                               ///< by time
    bool silent = false; ///< other GPUs of the node have values now, this one has none
};

/// One EFA device, or all of a node where the server reports only their sum.
struct EfaDetail {
    std::string device; ///< empty: the node
    DetailFigure sent, received;
    std::optional<double> retransmitShare;        ///< of the bytes sent in the observed time
    std::optional<double> impaired, unresponsive; ///< counted in the observed time
};

/// What is known of one node.
struct NodeDetail {
    std::string host, role; ///< role for a person: "trains", "serves", "idle"
    std::vector<GpuDetail> gpus;
    std::vector<EfaDetail> devices; ///< by name; those before them that retransmit, the worst first
    std::vector<std::pair<std::string, std::optional<bool>>> exporters; ///< name, and whether it answers now
    std::optional<double> bootTime;                                     ///< Unix s
    std::vector<Finding> findings;                                      ///< of this node
};

/// \param traffic of EFA devices where the observation has only that of nodes: one value a row, the mean of
/// the observed time
NodeDetail nodeDetail(const Observation& observation, const std::string& host,
                      const std::vector<Finding>& findings, const std::vector<SignalTable>& traffic = {});

} // namespace alidade
