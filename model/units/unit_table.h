// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// The meaning of a unit text. Stored value = written number × 10^exponent × multiply / divide.
struct UnitMeaning {
    Dimension dimension = Dimension::number;
    int exponent = 0;
    double multiply = 1;
    double divide = 1;
    bool multiplierOnly = false; ///< "M": millions of whatever the field counts
    bool shortBits = false;      ///< bits written as 'b', which is often a typo for 'B'
};

/// Returns the unit text with plain spaces, "/" for " per ", and 'u' for both micro signs.
std::string canonicalUnit(std::string_view text);

/// Returns the meaning of a canonical unit text. `expected` resolves ambiguous texts: "B" is bytes for a
/// memory size and billions for a count. Empty for a text that is not a unit.
std::optional<UnitMeaning> findUnit(std::string_view canonical, Dimension expected);

/// Returns whether the dimension (a count, tokens or money) accepts plain multipliers k, M, B, T without a
/// unit.
bool takesMultipliers(Dimension dimension);

/// Returns the units of `expected` that differ from `canonical` only in case, joined with " or "; empty if
/// none.
std::string unitsOfOtherCase(std::string_view canonical, Dimension expected);

} // namespace alidade
