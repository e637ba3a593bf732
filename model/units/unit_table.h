// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// What a unit text means. Stored value = written number × 10^exponent × multiply / divide.
struct UnitMeaning {
    Dimension dimension = Dimension::number;
    int exponent = 0;
    double multiply = 1;
    double divide = 1;
    bool multiplierOnly = false; ///< "M": millions of whatever the field counts
    bool shortBits = false;      ///< bits written 'b', which is easily a slip for 'B'
};

/// The same unit text with plain spaces, "/" for " per ", and 'u' for both micro signs.
std::string canonicalUnit(std::string_view text);

/// The meaning of a canonical unit text. `expected` decides between readings of one text: "B" is bytes for a
/// memory size and billions for a count. Empty for a text that is no unit.
std::optional<UnitMeaning> findUnit(std::string_view canonical, Dimension expected);

/// Whether a count, tokens or money: plain multipliers k, M, B, T stand without a unit.
bool takesMultipliers(Dimension dimension);

/// Units of `expected` that differ from `canonical` in upper and lower case only, joined with " or "; empty
/// if none.
std::string unitsOfOtherCase(std::string_view canonical, Dimension expected);

} // namespace alidade
