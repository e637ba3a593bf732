// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <cstdint>
#include <vector>

namespace alidade {

enum class RunPhaseKind : std::uint8_t {
    block,  ///< a Capacity Block, as far as the run uses it
    plan,   ///< a training plan, likewise
    rented, ///< machines that are paid while they are used
    unused, ///< paid to the end of the block or plan, after the end of the run
};

/// A stretch of the time for which machines are rented, in days from the start of the run.
struct RunPhase {
    RunPhaseKind kind = RunPhaseKind::rented;
    double from = 0, to = 0;
    int number = 1, count = 1; ///< of the blocks that follow each other
};

/// Of a run that ends after so many days. One that is longer than the longest Capacity Block takes several,
/// one after the other. Empty: its end is not known.
std::vector<RunPhase> runPhases(const Estimate& estimate, double days);

} // namespace alidade
