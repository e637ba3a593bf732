// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <optional>

namespace alidade {

/// 10 % and 90 % quantiles of a time, relative to the estimated one.
struct ErrorBand {
    double low = 1, high = 1;
};

/// Of a step or, in serving, of the time per token. nullopt: not known.
template <class N>
std::optional<ErrorBand> timeErrorBand(const EstimateT<N>& estimate);
/// Of the time to the first token: wider, as queues are in it. nullopt: not known.
std::optional<ErrorBand> firstTokenErrorBand(const Estimate& estimate);

/// Probability that the plan runs out of memory: that the peak, log-normal within its error band, exceeds
/// what is usable. 0..1.
double outOfMemoryProbability(const Memory& memory);
/// A plan is said not to fit only above this probability; between it and 1 - it the plan is tight.
inline constexpr double surelyOutOfMemory = 0.9;
/// True where the plan may or may not run out of memory.
bool isTight(const Memory& memory);

/// Targets that the estimate keeps, but the high end of its error band does not.
struct DoubtfulTargets {
    bool firstToken = false, gap = false;
    bool any() const { return firstToken || gap; }
};
DoubtfulTargets doubtfulTargets(const Estimate& estimate);

} // namespace alidade
