// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "model/explore/outcomes.h"

#include <cstdint>
#include <string>

namespace alidade::cli {

/// For a person: quantiles, odds, drivers, and the histogram of the first figure.
std::string outcomesText(const Outcomes& outcomes, const Terminal& terminal);
/// As the documented object.
std::string outcomesJson(const Outcomes& outcomes, std::uint64_t seed);

} // namespace alidade::cli
