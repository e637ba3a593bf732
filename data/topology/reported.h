// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/topology.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// Who describes the hosts, the closest to the network first: of two descriptions of one host the first one's
/// switches are believed.
enum class TopologyOrigin : std::uint8_t { own, ec2, kubernetes, slurmTree, slurmBlock };

/// "EC2 DescribeInstanceTopology", "Kubernetes node labels", ...
std::string originName(TopologyOrigin origin);

/// A host as one file reports it.
struct ReportedHost {
    Host host;                     ///< without its leaf
    std::vector<std::string> path; ///< switches above it, top first; empty: not reported
    std::string place;             ///< "FILE:/Instances/3" or "FILE:12"
};

/// All that the files of one origin report.
struct TopologyReport {
    TopologyOrigin origin = TopologyOrigin::ec2;
    std::string name;               ///< of an own document; empty: not named
    std::string source;             ///< of an own document; empty: origin and files
    std::vector<std::string> files; ///< names, for the source
    std::vector<ReportedHost> hosts;
    std::vector<std::string> notes; ///< for a person: what was left out, what is incomplete
    bool incomplete = false;        ///< there are more hosts than the files hold
};

/// Hosts that all of the reports know, with the first report's switches; the others add names, types and
/// NVLink domains. Hosts are one if an id, a name or the part of a name before its first dot is equal. Faults
/// are whole lines: "PLACE: what is wrong; how to fix it".
std::optional<TopologyReport> mergeReports(std::vector<TopologyReport> reports,
                                           std::vector<std::string>& faults);

/// The topology of a report. Two hosts of one id, a switch below two others or twice on one way, and hosts of
/// several zones are faults. Linear in hosts and layers.
std::optional<Topology> assembleTopology(const TopologyReport& report, std::vector<std::string>& faults);

} // namespace alidade::data
