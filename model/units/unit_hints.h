// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/unit_table.h"

#include <string>
#include <string_view>

namespace alidade {

/// Returns why a canonical unit text is rejected where `expected` is required, as the second half of a
/// sentence that begins with the quoted text: "is a bandwidth", "has its unit in the wrong case; write GB".
/// \param unit its meaning, or null if it is not a unit
std::string unitRefusal(std::string_view canonical, const UnitMeaning* unit, Dimension expected);

/// Returns why the text after a number is not a unit but belongs to the number or to a second one; empty if
/// neither applies.
std::string numberRefusal(std::string_view rest);

} // namespace alidade
