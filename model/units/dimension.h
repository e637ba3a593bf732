// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <array>
#include <string_view>

namespace alidade {

inline constexpr std::array allDimensions = {
    Dimension::number,  Dimension::ratio,           Dimension::bytes,         Dimension::seconds,
    Dimension::flop,    Dimension::bytesPerSecond,  Dimension::flopPerSecond, Dimension::flopPerByte,
    Dimension::dollars, Dimension::dollarsPerHour,  Dimension::watts,         Dimension::wattHours,
    Dimension::tokens,  Dimension::tokensPerSecond,
};

/// Returns the display name with its article, for use within a sentence: "a memory size", "a bandwidth".
std::string_view dimensionName(Dimension dimension);

/// Returns the unit of stored values, as in tables and JSON: "bytes", "FLOP/s"; empty for a number and a
/// ratio. Accepted as a unit by parseQuantity.
std::string_view baseUnitName(Dimension dimension);

/// Returns examples of texts that parseQuantity accepts: "80 GB or 80 GiB".
std::string_view unitExamples(Dimension dimension);

/// Returns whether users may enter a value below zero. Computed differences of any dimension may be negative.
bool mayBeNegative(Dimension dimension);

} // namespace alidade
