// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/step_table.h"

namespace alidade {

/// Largest batch that step times are measured for where nothing else limits it.
constexpr double unlimitedBatch = 4096;

/// The two ends of the closed form that do not depend on the type of the step function.
double expectedBatch(const RequestLoad& load, const LoadMeans& means, const StepTable& table);
double maximumRequestRate(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                          const StepTable& table);
/// What is said of an engine that cannot do what it is asked for. An overload costs `equilibrium` a second
/// solution, that of the full engine.
ServingState overloadedState(const RequestLoad& load, double maximumRate);
ServingState equilibrium(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                         const StepTable& table, ServingDetail detail);

template <StepTime F>
StepTable measureSteps(const RequestLoad& load, const EngineLimits& limits, const LoadMeans& means,
                       const F& step) {
    const double largest = std::clamp(means.maxBatch, 1.0, unlimitedBatch);
    StepTable table(means, limits, step, largest);
    if (limits.mixed) {
        table.mixAt(means, step, std::clamp(expectedBatch(load, means, table), 1.0, 0.7 * largest + 0.3));
        table.mixAt(means, step, largest);
    }
    return table;
}

/// The largest stable rate of an open loop, requests/s: the throughput with every place of the batch taken.
template <StepTime F>
double maximumRequestRate(const RequestLoad& load, const EngineLimits& limits, const F& step) {
    const LoadMeans means = loadMeans(load, limits);
    return means.maxBatch < 1
               ? 0
               : maximumRequestRate(load, limits, means, measureSteps(load, limits, means, step));
}

/// The equilibrium in closed form: 21 calls of the step function, 39 where prefill and decode mix; no
/// allocation; means in some 20 microseconds besides, percentiles in ten times that.
///
/// Little's law ties batch and gap; the number that decodes is that of a processor-sharing server, the
/// prompts that wait are a Markov chain on a lattice, coarse for means and fine for distributions. The means
/// are the same with percentiles and without.
///
/// Where it agrees with the played engine, and where the simulation is to be taken instead, says
/// closedFormLimit (validity.h); tests/model/tst_serving_agreement.cpp holds it to that.
template <StepTime F>
ServingState steadyState(const RequestLoad& load, const EngineLimits& limits, const F& step,
                         ServingDetail detail = ServingDetail::percentiles,
                         const ClosedFormConstants& constants = {}) {
    const LoadMeans means = loadMeans(load, limits, constants);
    if (means.maxBatch < 1)
        return overloadedState(load, 0);
    return equilibrium(load, limits, means, measureSteps(load, limits, means, step), detail);
}

} // namespace alidade
