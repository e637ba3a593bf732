// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <cmath>

namespace alidade {

/// Standard normal distribution function.
inline double normalBelow(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

/// Quantile of the standard normal distribution, 0 < p < 1. Relative error about 1e-16.
double normalQuantile(double p);

/// Blom's approximation of the expected maximum of n independent standard normals; 0 for n < 2.
double blomMaximum(double n);

/// Expected i-th smallest (1..n) of n random loads of the given mean: Poisson-like, by Blom's approximation
/// of normal order statistics. Never negative.
double expectedSortedLoad(double mean, int i, int n);

/// Expected maximum of n independent normals: how much longer n synchronized ranks take than their mean.
template <class N>
N expectedMaxNormal(const N& mean, const N& deviation, double n) {
    if (n < 2)
        return mean;
    return mean + deviation * derivedLeaf(deviation, blomMaximum(n), "blom_maximum", Dimension::number,
                                          "quantile of (n - 0.375)/(n + 0.25), Blom 1958");
}

} // namespace alidade
