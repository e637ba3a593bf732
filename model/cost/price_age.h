// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace alidade {

/// Older prices may be out of date.
inline constexpr int oldPriceDays = 90;

/// Days from the date of a price ("2026-11-20"; for "2026-11" and "2026", the last day) to `today`
/// ("2026-11-20"); nullopt if either is not a date. Negative for future dates.
std::optional<int> priceAgeDays(std::string_view date, std::string_view today);

/// Whether a price is older than `oldPriceDays`; false if its age is unknown.
bool isOldPrice(std::string_view date, std::string_view today);

} // namespace alidade
