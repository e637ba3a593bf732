// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace alidade {

/// A price that is older may not hold any more: look it up again.
inline constexpr int oldPriceDays = 90;

/// Days from the date of a price ("2026-11-20"; of "2026-11" and "2026" the last day counts) to `today`
/// ("2026-11-20"); nullopt where one of them is no date. Below zero for a date to come.
std::optional<int> priceAgeDays(std::string_view date, std::string_view today);

/// Whether a price is older than `oldPriceDays`; false where its age is not known.
bool isOldPrice(std::string_view date, std::string_view today);

} // namespace alidade
