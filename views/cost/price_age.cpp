// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/price_age.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::views {

std::optional<int> priceAge(const QString& date, const QDate& today) {
    const auto days = priceAgeDays(date.trimmed().toStdString(), today.toString(Qt::ISODate).toStdString());
    return days ? std::optional(std::max(0, *days)) : std::nullopt;
}

QString oldPriceWarning(std::optional<int> age) {
    return isOld(age) ? QCoreApplication::translate(
                            "PriceAge", "%1 days old; a price older than %2 days may have changed")
                            .arg(*age)
                            .arg(oldPriceDays)
                      : QString();
}

} // namespace alidade::views
