// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <string>
#include <string_view>

namespace alidade::cli {

/// Unix seconds of a person's time: RFC 3339 ("2026-01-01T12:00:00Z", "2026-01-01T12:00:00.5+02:00", a date
/// alone is its midnight in UTC), Unix seconds ("1767225600"), "now", or before now ("-2h", "-1h30m").
/// \param now Unix seconds
Result<double> timeOf(std::string_view text, double now);

/// Seconds of a length of time: "30" or "30s", "500ms", "2h", "1h30m", "7d", "1w"; greater than 0.
Result<double> durationOf(std::string_view text);

/// Unix seconds of this moment.
double now();

/// "2026-01-01T12:00:00Z", with milliseconds where there are any.
std::string timeText(double unixSeconds);

/// "2 h", "1 h 30 min", "30 s", "2 d": for a person.
std::string durationText(double seconds);

} // namespace alidade::cli
