// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/price_age.h"

#include <algorithm>

namespace alidade::views {

std::optional<int> priceAge(const QString& date, const QDate& today) {
    const auto days = priceAgeDays(date.trimmed().toStdString(), today.toString(Qt::ISODate).toStdString());
    return days ? std::optional(std::max(0, *days)) : std::nullopt;
}

} // namespace alidade::views
