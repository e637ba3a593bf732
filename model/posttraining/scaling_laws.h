// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace alidade {

/// Loss of a model of N parameters trained on D tokens: E + A / N^alpha + B / D^beta (Hoffmann et al. 2022,
/// arXiv 2203.15556, approach 3).
struct LossLaw {
    std::string_view id, name, source;
    double irreducible = 0, a = 0, b = 0, alpha = 0, beta = 0;
    double aSd = 0, bSd = 0, alphaSd = 0, betaSd = 0; ///< standard errors; 0: not published
};

/// The published fits, the default first.
std::span<const LossLaw> lossLaws();

double lossOf(const LossLaw& law, double parameters, double tokens);

struct OptimalModel {
    double parameters = 0, tokens = 0, loss = 0;
    double ratio() const { return tokens / parameters; } ///< tokens per parameter
};

/// The smallest loss that `flop` buys with 6 FLOP per parameter and token.
OptimalModel optimalModel(const LossLaw& law, double flop);

/// Tokens that repeated data are worth: U (1 + R (1 - e^(-(D/U - 1) / R))). Muennighoff et al. 2023 (arXiv
/// 2305.16264), R = 15.387756.
double effectiveTokens(double unique, double tokens);

} // namespace alidade
