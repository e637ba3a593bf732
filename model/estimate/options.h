// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade {

/// What of an estimate is wanted.
struct EstimateOptions {
    bool loadCurve = false;    ///< fill Serving::loadCurve
    bool distribution = false; ///< simulate, and fill Serving::distribution
    bool simulate =
        true; ///< where the closed form of serving does not hold (closedFormLimit): play the engine
    bool loadLimit = true; ///< find Serving::requestRateWithinTargets, which may take ten plays
    bool timeline = false; ///< fill Training::timeline
    bool fixes = true;     ///< look for the nearest change that makes a failing scenario run and fit
    /// Date of use, "2026-11-20", by which an old price is marked; empty: no price is. (The model has no
    /// clock.)
    std::string today = {};
};

} // namespace alidade
