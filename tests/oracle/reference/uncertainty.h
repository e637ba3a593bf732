// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace alidade::reference {

/// Standard deviation of ln T from independent parameters: sqrt(sum (e sd)^2).
/// \param elasticities d ln T / d ln x; \param sds of ln x
inline double deltaMethod(const std::vector<double>& elasticities, const std::vector<double>& sds) {
    assert(elasticities.size() == sds.size());
    double variance = 0;
    for (std::size_t i = 0; i < sds.size(); ++i) {
        variance += elasticities[i] * elasticities[i] * sds[i] * sds[i];
    }
    return std::sqrt(variance);
}

/// d ln f / d ln x at x by central differences. \pre f is positive around x, x != 0
template <class F>
double elasticity(F f, double x, double relativeStep = 1e-4) {
    return (std::log(f(x * (1 + relativeStep))) - std::log(f(x * (1 - relativeStep)))) /
           (std::log1p(relativeStep) - std::log1p(-relativeStep));
}

} // namespace alidade::reference
