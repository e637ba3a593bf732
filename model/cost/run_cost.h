// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

template <class N>
struct RunCost {
    N hours;
    N dollars; ///< of the instances; excludes storage and transfer
};

/// \param ettr effective training time ratio, 0..1
/// \param dollarsPerHour of one instance
template <class N>
RunCost<N> runCost(const N& tokens, const N& tokensPerSecond, const N& ettr, const N& instances,
                   const N& dollarsPerHour) {
    RunCost<N> cost;
    cost.hours = named(tokens / tokensPerSecond / ettr / 3600, "run_hours", Dimension::number,
                       "tokens / throughput / effective training time ratio");
    cost.dollars = cost.hours * instances * dollarsPerHour;
    return cost;
}

/// Energy of a run. \param utilisation average draw / gpuWatts, 0..1
/// \param hostWatts of CPU, fans and network per GPU; \param pue power usage effectiveness of the building,
/// >= 1
template <class N>
N energyKwh(const N& gpus, const N& gpuWatts, const N& utilisation, const N& hostWatts, const N& pue,
            const N& hours) {
    return gpus * (gpuWatts * utilisation + hostWatts) * pue * hours / 1000;
}

} // namespace alidade
