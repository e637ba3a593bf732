// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/date_axis.h"

#include "model/base/calendar.h"
#include "model/base/text.h"
#include "model/catalog/catalog.h"
#include "model/units/text.h"

#include <charconv>
#include <cmath>
#include <set>
#include <string>

namespace alidade {

namespace {

struct Unit {
    std::string_view name;
    int days = 0, months = 0;
};
constexpr Unit units[] = {{"day", 1, 0}, {"week", 7, 0}, {"month", 0, 1}};
constexpr int longestDaily = 31, longestWeekly = 184; // days

/// The days from `first` to `last`, `count` units apart.
std::vector<int> daysApart(int first, int last, int count, const Unit& unit) {
    std::vector<int> out;
    for (int i = 0; out.size() <= mostSweepPoints; ++i) {
        const int day = unit.months ? monthsAfter(first, i * count) : first + i * count * unit.days;
        if (day > last)
            break;
        out.push_back(day);
    }
    return out;
}

std::vector<int> daysAtPoints(int first, int last, int points) {
    std::vector<int> out;
    for (int i = 0; i < points; ++i) {
        const double share = static_cast<double>(i) / (points - 1);
        const int day = first + static_cast<int>(std::lround(share * (last - first)));
        if (out.empty() || out.back() != day)
            out.push_back(day);
    }
    return out;
}

/// The number at the front of a text and what follows it.
std::pair<std::optional<int>, std::string_view> leadingNumber(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return {error == std::errc{} ? std::optional(number) : std::nullopt,
            trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

Result<std::vector<int>> daysOf(int first, int last, std::string_view steps) {
    constexpr int largest = 10'000;
    const bool isStep = steps.starts_with("step");
    const auto [number, rest] = leadingNumber(isStep ? trimmed(steps.substr(4)) : steps);
    if (!isStep && number && rest.empty() && *number >= 2 && *number <= largest)
        return daysAtPoints(first, last, *number);
    for (const Unit& unit : units) {
        const bool named = rest == unit.name || rest == std::string(unit.name) + "s";
        if (isStep && number && *number >= 1 && *number <= largest && named)
            return daysApart(first, last, *number, unit);
    }
    return Error{quoted(steps) + " is not a number of points or a step of days, weeks or months; write "
                                 "2027-01-04..2027-06-30:13 or 2027-01-04..2027-06-30:step 2 weeks"};
}

std::vector<FieldValue> valuesOf(const std::vector<int>& days) {
    std::vector<FieldValue> out;
    for (const int day : days)
        out.emplace_back(dateText(day));
    return out;
}

} // namespace

Result<std::vector<FieldValue>> datesBetween(std::string_view words) {
    const std::size_t colon = words.find(':');
    const std::string_view range = words.substr(0, colon);
    const std::size_t dots = range.find("..");
    const auto first = dayOfDate(trimmed(range.substr(0, dots))),
               last =
                   dots == std::string_view::npos ? std::nullopt : dayOfDate(trimmed(range.substr(dots + 2)));
    if (!first || !last || *first >= *last) {
        return Error{quoted(range) + " must be two dates, the first one before the second: "
                                     "2027-01-04..2027-06-30"};
    }
    if (colon != std::string_view::npos) {
        const Result<std::vector<int>> days = daysOf(*first, *last, trimmed(words.substr(colon + 1)));
        return days ? Result<std::vector<FieldValue>>(valuesOf(*days)) : Error{days.error()};
    }
    const int length = *last - *first;
    return valuesOf(daysApart(*first, *last, 1,
                              units[length <= longestDaily    ? 0
                                    : length <= longestWeekly ? 1
                                                              : 2]));
}

std::vector<FieldValue> usualDates(const Variable& variable, const Scenario& present,
                                   const Catalog& catalog) {
    const FieldValue value = variable.value(present);
    const auto* text = std::get_if<std::string>(&value);
    const auto first = text ? dayOfDate(*text) : std::nullopt;
    if (!first)
        return {};
    const int last = monthsAfter(*first, 12);
    std::set<int> days;
    for (int i = 0; i <= 12; ++i)
        days.insert(monthsAfter(*first, i));
    for (const Price& price : catalog.prices) {
        const auto begins = price.item == present.priceItem ? dayOfDate(price.validFrom) : std::nullopt;
        if (begins && *begins > *first && *begins < last)
            days.insert(*begins);
    }
    return valuesOf({days.begin(), days.end()});
}

} // namespace alidade
