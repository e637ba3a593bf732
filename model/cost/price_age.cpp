// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/price_age.h"

#include "model/base/calendar.h"

#include <charconv>

namespace alidade {
namespace {

std::optional<int> numberAt(std::string_view text, std::size_t at, std::size_t length) {
    int value = 0;
    const char* first = text.data() + at;
    const auto [end, error] = std::from_chars(first, first + length, value);
    return error == std::errc() && end == first + length ? std::optional(value) : std::nullopt;
}

/// Day number of the last day of the period that a date names.
std::optional<int> lastDayOf(std::string_view date) {
    const bool hasMonth = date.size() >= 7 && date[4] == '-';
    const bool hasDay = date.size() == 10 && hasMonth && date[7] == '-';
    if (date.size() != 4 && !(date.size() == 7 && hasMonth) && !hasDay)
        return {};
    const auto year = numberAt(date, 0, 4);
    const auto month = hasMonth ? numberAt(date, 5, 2) : std::optional(12);
    if (!year || *year < 1 || !month || *month < 1 || *month > 12)
        return {};
    const int last = daysOfMonth(*year, *month);
    const auto day = hasDay ? numberAt(date, 8, 2) : std::optional(last);
    return day && *day >= 1 && *day <= last ? std::optional(dayNumber(*year, *month, *day)) : std::nullopt;
}

} // namespace

std::optional<int> priceAgeDays(std::string_view date, std::string_view today) {
    const auto then = lastDayOf(date), now = lastDayOf(today);
    if (!then || !now)
        return {};
    return *now - *then;
}

bool isOldPrice(std::string_view date, std::string_view today) {
    const auto age = priceAgeDays(date, today);
    return age && *age > oldPriceDays;
}

} // namespace alidade
