// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/error_band.h"

#include "model/base/quantiles.h"
#include "model/estimate/load_curve.h"

#include <algorithm>
#include <cmath>

namespace alidade {

template <class N>
std::optional<ErrorBand> timeErrorBand(const EstimateT<N>& estimate) {
    const auto& headline = estimate.headline;
    if (!headline)
        return std::nullopt;
    const double value = valueOf(headline->value), low = valueOf(headline->low),
                 high = valueOf(headline->high);
    if (!(value > 0) || !(low > 0) || !(high > low))
        return std::nullopt;
    const ErrorBand band{low / value, high / value};
    // A rate: a high one makes a short time.
    return headline->unit == "s" ? band : ErrorBand{1 / band.high, 1 / band.low};
}

template std::optional<ErrorBand> timeErrorBand(const EstimateT<double>&);
template std::optional<ErrorBand> timeErrorBand(const EstimateT<Traced>&);

std::optional<ErrorBand> firstTokenErrorBand(const Estimate& estimate) {
    const auto found =
        std::ranges::find(estimate.assumptions, "serving_ttft_log_sd", &AssumptionT<double>::name);
    if (found == estimate.assumptions.end() || !(found->value > 0))
        return std::nullopt;
    const double factor = std::exp(quantile90 * found->value);
    return ErrorBand{1 / factor, factor};
}

double outOfMemoryProbability(const Memory& memory) {
    const double usable = memory.capacityBytes - memory.reserveBytes;
    if (!(usable > 0) || !(memory.totalBytes > 0) || !(memory.highBytes > memory.totalBytes))
        return memory.totalBytes > usable ? 1 : 0;
    const double sd = std::log(memory.highBytes / memory.totalBytes) / quantile90;
    return std::erfc(-std::log(memory.totalBytes / usable) / (sd * std::sqrt(2.0))) / 2;
}

bool isTight(const Memory& memory) {
    const double p = outOfMemoryProbability(memory);
    return p > 1 - surelyOutOfMemory && p <= surelyOutOfMemory;
}

DoubtfulTargets doubtfulTargets(const Estimate& estimate) {
    if (!estimate.serving)
        return {};
    const Serving& s = *estimate.serving;
    const auto doubtful = [&s](const Percentiles& percentiles, const std::optional<double>& target,
                               const std::optional<ErrorBand>& band) {
        const double value = quantileOf(percentiles, s.targetPercentile);
        return target && band && value > 0 && value <= *target && value * band->high > *target;
    };
    return {doubtful(s.ttftPercentiles, s.ttftTarget, firstTokenErrorBand(estimate)),
            doubtful(s.itlPercentiles, s.itlTarget, timeErrorBand(estimate))};
}

} // namespace alidade
