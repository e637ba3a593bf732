// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/posttraining/scaling_laws.h"

#include <cmath>

namespace alidade::reference {

/// The model that reaches `loss` with the least FLOP of training (6 N D) and of serving `served` tokens (2 N
/// each): Sardana et al. 2023 (arXiv 2401.00448). The program weighs dollars of real plans instead
/// (model/scaling). \returns zeros if no model reaches the loss
inline OptimalModel optimalForServing(const LossLaw& law, double loss, double served) {
    const double reducible = loss - law.irreducible;
    if (reducible <= 0)
        return {};
    // Tokens that a size needs for the loss; below the smallest size none suffice.
    const auto tokensOf = [&](double parameters) {
        const double left = reducible - law.a / std::pow(parameters, law.alpha);
        return left > 0 ? std::pow(law.b / left, 1 / law.beta) : 0.0;
    };
    const auto cost = [&](double logParameters) {
        const double n = std::exp(logParameters);
        const double d = tokensOf(n);
        return d > 0 ? std::log(6 * n * d + 2 * n * served) : 1e300;
    };
    const double smallest = std::log(law.a / reducible) / law.alpha;
    double low = smallest + 1e-6, high = smallest + 30;
    constexpr double golden = 0.6180339887498949;
    for (int i = 0; i < 120; ++i) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (cost(left) < cost(right))
            high = right;
        else
            low = left;
    }
    OptimalModel out;
    out.parameters = std::exp((low + high) / 2);
    out.tokens = tokensOf(out.parameters);
    out.loss = loss;
    return out;
}

/// Kaplan et al. 2020 (arXiv 2001.08361): one-dimensional laws in PF-days. They over-size models: small
/// models, short warm-up, parameters without embeddings.
struct KaplanModel {
    double parameters = 0, batch = 0, tokens = 0, loss = 0; ///< batch: tokens
};
inline KaplanModel kaplanModel(double pfDays) {
    return {.parameters = 1.3e9 * std::pow(pfDays, 0.73),
            .batch = 2.0e6 * std::pow(pfDays, 0.24),
            .tokens = 2e10 * std::pow(pfDays, 0.27),
            .loss = std::pow(3.1e8 / pfDays, 0.050)};
}

} // namespace alidade::reference
