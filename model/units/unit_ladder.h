// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/format.h"

#include <span>

namespace alidade {

/// A unit of a dimension, used from the absolute value `from` (stored unit) up to the next one.
struct Rung {
    double from = 0;
    ScaledUnit unit;
    int exponent = 0; ///< factor = 10^exponent if `decimal`
    bool decimal = true;
};

/// From small to large; the first rung also covers all smaller values.
std::span<const Rung> unitLadder(Dimension dimension, bool binary);

/// Returns the rung with factor 1, for values too large or too small for prefixes.
const Rung& baseRung(std::span<const Rung> ladder);

/// Returns the rung for a value by its absolute size; the base rung for 0.
const Rung& rungFor(std::span<const Rung> ladder, double absValue);

} // namespace alidade
