// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/unit_table.h"

#include <string>
#include <string_view>

namespace alidade {

/// Why a canonical unit text is refused where `expected` is wanted, as the second half of a sentence that
/// begins with the quoted text: "is a bandwidth", "has its unit in the wrong case; write GB".
/// \param unit its meaning, or null if it is no unit at all
std::string unitRefusal(std::string_view canonical, const UnitMeaning* unit, Dimension expected);

/// Why what stands after a number is no unit but belongs to the number or to a second one; empty if it is
/// neither.
std::string numberRefusal(std::string_view rest);

} // namespace alidade
