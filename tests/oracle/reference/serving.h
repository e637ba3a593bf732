// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/fleet.h"
#include "model/serving/speculation.h"

namespace alidade::reference {

/// Prefill and decode workers that carry a load (no whole numbers), and their ratio.
template <class N>
struct PoolSizes {
    N prefill = 0, decode = 0, ratio = 0;
};

/// \param rate requests/s \param prompt, output tokens of a request \param prefillRate, decodeRate tokens/s
/// of one worker \param utilization 0..1 that they are planned for
template <class N>
PoolSizes<N> poolSizes(const N& rate, const N& prompt, const N& output, const N& prefillRate,
                       const N& decodeRate, const N& utilization = N(1)) {
    return {.prefill = rate * prompt / (prefillRate * utilization),
            .decode = rate * output / (decodeRate * utilization),
            .ratio = (prompt / prefillRate) / (output / decodeRate)};
}

/// One point of the trade between what a user feels and what a GPU does.
template <class N>
struct ParetoPoint {
    N tokensPerUser = 0; ///< tokens/s
    N tokensPerGpu = 0;  ///< tokens/s
    N dollarsPerMillionTokens = 0;
};

/// \param step s \param dollarsPerGpuHour paid for each of `gpus`
template <class N>
ParetoPoint<N> paretoPoint(const N& batch, const N& step, const N& gpus, const N& dollarsPerGpuHour,
                           const N& tokensPerStep = N(1)) {
    const N perUser = tokensPerStep / step, all = batch * perUser;
    return {.tokensPerUser = perUser,
            .tokensPerGpu = all / gpus,
            .dollarsPerMillionTokens = dollarsPerGpuHour * gpus / 3600 / all * 1e6};
}

/// Engines that carry a peak. \param maximumRate requests/s of one \param headroom share of it kept free,
/// 0 <= headroom < 1 \param spare more of them
inline double replicasFor(double peakRate, double maximumRate, double headroom, double spare = 0) {
    constexpr double rounding = 1e-9; // a ratio that is a whole number stays one
    return std::ceil(peakRate / (maximumRate * (1 - headroom)) - rounding) + spare;
}

/// How much faster decoding becomes. \param draftCost of one drafted token, \param verifyCost of the longer
/// step: both in plain decode steps
template <class N>
N speculativeSpeedup(const N& acceptance, const N& drafted, const N& draftCost, const N& verifyCost = N(1)) {
    return speculativeTokens(acceptance, drafted) / (drafted * draftCost + verifyCost);
}

} // namespace alidade::reference
