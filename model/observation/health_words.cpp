// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/observation/health_evidence.h"
#include "model/units/format.h"

#include <cmath>

namespace alidade {

std::string clockText(double hertz) {
    return formatCount(static_cast<std::int64_t>(std::llround(hertz / 1e6))) + " MHz";
}

std::string timesText(double ratio) {
    return formatQuantity(ratio, Dimension::number, {.significant = 3}) + " ×";
}

std::string percentText(double share) { return formatQuantity(share, Dimension::ratio, {.significant = 2}); }

std::string durationText(double seconds) {
    const double rounded = seconds < 90 ? std::round(seconds) : std::round(seconds / 60) * 60;
    return formatQuantity(rounded, Dimension::seconds, {.significant = 2, .trimZeros = true});
}

std::string countOf(double n, std::string_view one, std::string_view many) {
    const std::int64_t whole = std::llround(n);
    return formatCount(whole) + ' ' + std::string(whole == 1 ? one : many);
}

} // namespace alidade
