// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>

namespace alidade::reference {

/// A rollout in closed form, for a step of `fixed` + `perSequence` x batch seconds and lengths whose limit
/// cuts only the longest: fixed x E[longest] + perSequence x sequences of an engine x mean. rollout() of the
/// model also knows places, staleness and the last engine.
struct RolloutClosedForm {
    double seconds = 0, longest = 0, meanOccupancy = 0;
};

inline RolloutClosedForm rolloutClosedForm(double sequences, double engines, double meanLength, double cv,
                                           double fixed, double perSequence, double limit) {
    const double variance = std::log1p(cv * cv);
    const double mu = std::log(meanLength) - variance / 2;
    RolloutClosedForm out;
    out.longest = std::min(limit, std::exp(mu + std::sqrt(variance) * blomMaximum(sequences)));
    out.seconds = fixed * out.longest + perSequence * sequences / engines * meanLength;
    out.meanOccupancy = meanLength / out.longest;
    return out;
}

} // namespace alidade::reference
