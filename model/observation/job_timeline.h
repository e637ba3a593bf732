// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/cluster_digest.h"
#include "model/observation/runs.h"

#include <optional>

namespace alidade {

/// A time in which the training job made no step.
struct JobStop {
    PointSpan span;
    double start = 0, end = 0; ///< Unix s; `end` of one that lasts is the end of the grid
    double hung = 0;           ///< s of it in which the GPUs were busy with nothing
    bool processGone = false;  ///< its memory was freed, or its exporter fell silent: it was started again
    bool lasts = false;
    bool before = false; ///< it stood when the observed time began
    /// Steps since the last checkpoint that had to be done again, in s; absent: checkpoints are not measured.
    std::optional<double> redone;
};

/// What the training job did over time.
struct JobTimeline {
    std::vector<double> stepTime;    ///< s; NaN: not known, or no step. Empty: not reported
    bool stepTimeIsRelative = false; ///< from a throughput: only its ratios mean something
    std::vector<Sign> stopped;       ///< each point
    std::vector<JobStop> stops;      ///< by start
    std::vector<double> activity;    ///< tensor activity of the job, the median of its nodes; may be empty
};

/// \param stallSteps so many step times without a step are a stop
JobTimeline jobTimeline(const ClusterDigest& cluster, double stallSteps);

/// The time in which there was a job, from its first sign to its last.
PointSpan timeOfJob(const JobTimeline& job, std::size_t points);

/// Whether an exporter's name says that it is the training job's, or a serving engine's.
bool isJobExporter(std::string_view part);
bool isEngineExporter(std::string_view part);

} // namespace alidade
