// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_policy.h"
#include "model/observation/job_timeline.h"

#include <string>
#include <vector>

namespace alidade {

/// One sign of a fault, before signs of one cause become one finding.
struct Evidence {
    FaultKind kind = FaultKind::xid;
    int code = 0;
    Entity where;
    double start = 0, last = 0;     ///< Unix s, of the first and the last point that show it
    bool lasts = false;             ///< to the end of the observed time
    bool before = false;            ///< from its beginning, or earlier
    int times = 1;                  ///< how often
    PointSpan span;                 ///< on the grid
    std::string what;               ///< of a title, where it says more than the kind: "rebooted"
    std::vector<std::string> facts; ///< for the sentence of evidence, the most telling first
    std::vector<std::size_t> stops; ///< of the job, that it explains
    bool absorbed = false;          ///< reported by another one
};

/// What every detector works on.
struct HealthView {
    const ClusterDigest& cluster;
    const JobTimeline& job;
    const HealthLimits& limits;
    std::optional<int> gpusPerNode; ///< of the plan
};

using EvidenceList = std::vector<Evidence>;

// Each adds what it sees; none of them knows of the others.
void findXids(const HealthView& view, EvidenceList& out);
void findMemoryErrors(const HealthView& view, EvidenceList& out); ///< ECC and row remapping
void findMissingGpus(const HealthView& view, EvidenceList& out);
void findBlankValues(const HealthView& view, EvidenceList& out);
void findStragglers(const HealthView& view, EvidenceList& out);
void findThrottling(const HealthView& view, EvidenceList& out); ///< heat, power and low clocks
void findRetransmits(const HealthView& view, EvidenceList& out);
void findBadConnections(const HealthView& view, EvidenceList& out);
void findOutages(const HealthView& view, EvidenceList& out);   ///< targets, reboots, vanished hosts
void findJobFaults(const HealthView& view, EvidenceList& out); ///< stops and the loss

/// Signs of one cause become one: the one that explains the others keeps their facts.
void tellStories(const HealthView& view, EvidenceList& evidence);

/// What each of them took from the job; absent where nothing shows. In the order of `evidence`.
std::vector<std::optional<FaultCost>> faultCosts(const HealthView& view, const EvidenceList& evidence,
                                                 std::optional<double> dollarsPerHour);

/// An evidence over points of the grid.
Evidence evidenceOver(const HealthView& view, FaultKind kind, Entity where, const PointSpan& span);

/// How many points in a row without a value are not an accident, where a share `gaps` of the points has none
/// and so many rows are looked at: fewer than one false alarm in a thousand observations.
std::size_t tellingGap(double gaps, double rowsTimesPoints);

// Words.
std::string clockText(double hertz);      ///< "1,290 MHz"
std::string timesText(double ratio);      ///< "1.30 ×"
std::string percentText(double share);    ///< "6.0 %"
std::string durationText(double seconds); ///< "20 min"
std::string countOf(double n, std::string_view one, std::string_view many);

} // namespace alidade
