// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/job_timeline.h"
#include "model/observation/plan_actual.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// What the parts of a comparison work on.
struct PlanView {
    const ClusterDigest& cluster;
    const JobTimeline& job;
    const Estimate* estimate; ///< nullptr: none
    std::size_t gpus = 0;     ///< of the hosts that train, as their series show
    bool serves = false;      ///< it is a deployment that is compared, not a training job
    /// Points of which the newest is "now": what exporters report after the job's last step is its tail.
    std::optional<std::size_t> until = std::nullopt;
};

/// How far 10 % and 90 % quantiles lie from the value, as factors, of something that grows with the step time
/// (`time`), or with its inverse.
struct RelativeBand {
    double low = 1, high = 1;
    PlannedFigure around(double value) const { return {value, value * low, value * high}; }
};
RelativeBand timeBand(const Estimate& estimate);
RelativeBand rateBand(const Estimate& estimate);
/// Of the time to the first token, whose error is another than that of the time per token.
RelativeBand firstTokenBand(const Estimate& estimate);

/// A constant or catalog value that the estimate rests on.
std::optional<double> assumedValue(const Estimate& estimate, std::string_view name);

/// SM clock at which the published dense peak holds, from its multiprocessors and what each does in a cycle.
/// \param densePeak 16-bit FLOP/s. nullopt: no part of this peak is known
std::optional<double> peakClock(double densePeak);

/// What one GPU of a training plan does in a step, in the mean over its GPUs; bytes in one direction, without
/// the headers of the links.
struct StepVolumes {
    double nvlinkBytes = 0, networkBytes = 0;
    double memoryBytes = 0; ///< of HBM, by operations of layers: without the optimizer
};
StepVolumes stepVolumes(const Estimate& estimate);

/// Mean, or sum, over the rows of the job's hosts (of all rows, where they name no host).
std::vector<double> jobMean(const PlanView& view, const SignalTable& table);
std::vector<double> jobSum(const PlanView& view, const SignalTable& table);
/// Mean of the finite values; NaN: there is none. `running`: without stops of the job.
double meanOfSeries(const PlanView& view, const std::vector<double>& values, bool running);

void addTrainingCharts(const PlanView& view, PlanActual& out);
void addServingCharts(const PlanView& view, PlanActual& out);
void addShares(const PlanView& view, PlanActual& out);
/// Steps, losses, money, the two sentences.
void addBalance(const PlanView& view, const std::vector<Finding>& findings, PlanActual& out);

/// Tensor activity x SM clock / clock of the peak, of the job: its FLOP/s over the peak of the precision in
/// use. Empty: not measured, or the clock is not known.
std::vector<double> tensorWork(const PlanView& view);

/// A line with its newest value and mean. Nothing if there is no value in it.
void addChart(const PlanView& view, PlanActual& out, ChartLine line, std::vector<double> measured);

} // namespace alidade
