// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/calendar.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace alidade {

namespace {

bool isLeap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// Days from the first day of the year 1 to the first day of a year.
int daysBeforeYear(int year) {
    const int before = year - 1;
    return 365 * before + before / 4 - before / 100 + before / 400;
}

std::optional<int> digitsAt(std::string_view text, std::size_t at, std::size_t length) {
    int value = 0;
    const char* first = text.data() + at;
    const auto [end, error] = std::from_chars(first, first + length, value);
    return error == std::errc() && end == first + length && value >= 0 ? std::optional(value) : std::nullopt;
}

} // namespace

int daysOfMonth(int year, int month) {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && isLeap(year) ? 29 : days[month - 1];
}

int dayNumber(int year, int month, int day) {
    int days = daysBeforeYear(year) - daysBeforeYear(1970) + day - 1;
    for (int m = 1; m < month; ++m)
        days += daysOfMonth(year, m);
    return days;
}

std::optional<int> dayOfDate(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-')
        return {};
    const auto year = digitsAt(text, 0, 4), month = digitsAt(text, 5, 2), day = digitsAt(text, 8, 2);
    if (!year || *year < 1 || !month || *month < 1 || *month > 12 || !day || *day < 1 ||
        *day > daysOfMonth(*year, *month)) {
        return {};
    }
    return dayNumber(*year, *month, *day);
}

std::string dateText(int day) {
    const int sinceOne = day + daysBeforeYear(1970);
    int year = 1 + static_cast<int>(sinceOne / 365.2425);
    while (daysBeforeYear(year + 1) <= sinceOne)
        ++year;
    while (daysBeforeYear(year) > sinceOne)
        --year;
    int rest = sinceOne - daysBeforeYear(year), month = 1;
    while (rest >= daysOfMonth(year, month))
        rest -= daysOfMonth(year, month++);
    char text[40];
    std::snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, rest + 1);
    return text;
}

int monthsAfter(int day, int months) {
    const std::string text = dateText(day);
    const int monthsOfYears = *digitsAt(text, 0, 4) * 12 + *digitsAt(text, 5, 2) - 1 + months;
    const int year = monthsOfYears / 12, month = monthsOfYears % 12 + 1;
    return dayNumber(year, month, std::min(*digitsAt(text, 8, 2), daysOfMonth(year, month)));
}

} // namespace alidade
