// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/explore/sweep.h"

#include <string_view>
#include <vector>

namespace alidade {

/// Reads "2027-01-04..2027-06-30", also with ":13" (points) or ":step 2 weeks" (days, weeks or months).
/// Without a number: each day of up to a month, each week of up to half a year, else the same day of each
/// month.
/// \returns an error that says how to fix it
Result<std::vector<FieldValue>> datesBetween(std::string_view words);

/// A year of months from the present date, and the days on which a price of the scenario's machine begins;
/// empty if the field has no value.
std::vector<FieldValue> usualDates(const Variable& variable, const Scenario& present, const Catalog& catalog);

} // namespace alidade
