// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace alidade {

// Days of the Gregorian calendar as numbers: 0 is 1970-01-01.

int daysOfMonth(int year, int month);           ///< \param month 1..12
int dayNumber(int year, int month, int day);    ///< of a date that exists
std::optional<int> dayOfDate(std::string_view); ///< of "2027-01-04"; nullopt if it is not a date
std::string dateText(int day);                  ///< "2027-01-04"
/// The same day of a later month, or its last day where it is shorter. \param months >= 0
int monthsAfter(int day, int months);

} // namespace alidade
