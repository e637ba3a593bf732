// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

// Units that formulas convert to and from, in SI units. What a person types is read by unit_table.cpp.

inline constexpr double secondsPerHour = 3600, secondsPerDay = 24 * secondsPerHour;
inline constexpr double bytesPerMib = 1'048'576, bytesPerGib = 1024 * bytesPerMib,
                        bytesPerTib = 1024 * bytesPerGib;

} // namespace alidade
