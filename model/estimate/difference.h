// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// A class of time in the difference of two estimates.
struct DifferencePart {
    Bound bound = Bound::compute;
    double seconds = 0; ///< after - before
};

/// Why one estimate is faster than another: exclusive parts that sum to the difference.
struct EstimateDifference {
    std::string name;                  ///< "Step time", "Decode step", "Prefill step"
    double before = 0, after = 0;      ///< s
    std::vector<DifferencePart> parts; ///< largest first; those that are equal are left out
};

/// The difference in the time of a training step, of a decode step, or of a prefill step where nothing is
/// decoded. nullopt: one of them has no such time, or they are of different kinds.
std::optional<EstimateDifference> differenceOf(const Estimate& before, const Estimate& after);

} // namespace alidade
