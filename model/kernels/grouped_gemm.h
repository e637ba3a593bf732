// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

/// Expected number of distinct experts that `tokens` tokens hit, choosing k of E independently of each other.
/// With uniform routing (c = 0) E (1 - (1 - k/E)^T). Otherwise the rate at which an expert is hit is
/// gamma-distributed over the experts, so that its hits are a negative binomial count, and E (1 - (1 + T ((1
/// - k/E)^(-c^2) - 1))^(-1/c^2)) are hit: exactly k by one token.
/// \param spread c, the coefficient of variation of the experts' popularity, at least 0
template <class N>
N expertsTouched(const N& experts, const N& expertsPerToken, const N& tokens, const N& spread) {
    using std::max;
    using std::pow;
    const N missed = max(1 - expertsPerToken / experts, N(1e-12)); // by one token
    const N squared = spread * spread;
    if (valueOf(squared) < 1e-6)
        return experts * (1 - pow(missed, tokens));
    return experts * (1 - 1 / pow(1 + tokens * (pow(1 / missed, squared) - 1), 1 / squared));
}

} // namespace alidade
