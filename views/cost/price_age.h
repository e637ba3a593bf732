// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/price_age.h"

#include <QDate>
#include <QString>

#include <optional>

namespace alidade::views {

/// Days that have passed since the date of a price: "2026", "2026-01" or "2026-01-21". A year or month counts
/// from its last day, so that nothing is called older than it surely is. Empty: the text is not a date. A
/// date to come is 0 days old.
std::optional<int> priceAge(const QString& date, const QDate& today);

/// Says that a price is old, if it is; else nothing.
QString oldPriceWarning(std::optional<int> age);

inline bool isOld(std::optional<int> age) { return age && *age > oldPriceDays; }

} // namespace alidade::views
