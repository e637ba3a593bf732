// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/reliability/spares.h"
#include "model/run/run_simulation.h"
#include "model/scenario/scenario.h"

namespace alidade {

/// What drawings of a whole run take from its scenario, alongside what the estimate says.
struct RunFacts {
    RunSpread spread;              ///< what is not known of step time and failure rate
    double detection = 0;          ///< s until a failure is noticed
    double nodes = 0;              ///< of the job
    double elasticReplicas = 0;    ///< by which it can shrink; 0: it waits for nodes instead
    double nodeDollarsPerHour = 0; ///< rent of a node; 0: no price is known
    bool goodputGiven = false;     ///< the scenario replaces what follows from failures
};

/// \param scenario training that runs
RunFacts runFacts(const Scenario& scenario);

/// What nodes in repair cost the run. \pre its failures are known
NodeShortage shortageOf(const RunFacts& facts, const Run& run);

/// Rent of a node for as long as the run takes without waiting for nodes, $; node-days without a price.
double nodeRent(const RunFacts& facts, const RunProcess& process, const Run& run);

/// The day in which a run ends that starts at the beginning of a day and takes so many days, > 0.
int lastDayOf(int start, double days);

/// Number of simulated outcomes: as many as wanted, fewer where each has very many failures.
/// \param failures in a run, mean
/// \returns 0 where a useful number of them would take too long
int outcomesToDraw(int wanted, double failures);

/// Share of the outcomes that end within a time, 0..1. \param ascending lengths
double shareWithin(const std::vector<double>& ascending, double limit);

} // namespace alidade
