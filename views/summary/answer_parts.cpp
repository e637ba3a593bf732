// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/answer_parts.h"

#include "views/document/text.h"

#include <cmath>

namespace alidade::views {

namespace {

/// "5.6 – 6.9" in the unit of the value.
QString rangeText(double low, double high, Dimension dimension, const ScaledUnit& unit) {
    const auto number = [&](double value) {
        return text(formatParts(value, dimension, {.significant = 3, .fixed = unit}).number);
    };
    return number(low) + QStringLiteral(" – ") + number(high);
}

} // namespace

std::optional<RelativeBand> relative(const std::optional<ErrorBand>& band) {
    return band ? std::optional(RelativeBand{band->low, band->high}) : std::nullopt;
}

std::optional<RelativeBand> bandOf(const RunTotal& total) {
    if (!total.low || !total.high || !(total.dollars > 0))
        return std::nullopt;
    return RelativeBand{*total.low / total.dollars, *total.high / total.dollars};
}

Figure figure(const QString& label, double value, Dimension dimension,
              const std::optional<RelativeBand>& band, const QString& otherwise) {
    Figure f;
    f.label = label;
    const ScaledUnit unit = glanceUnit(dimension, std::abs(value));
    const Formatted parts = formatParts(value, dimension, {.significant = 3, .fixed = unit});
    f.value = text(parts.number);
    f.unit = text(parts.unit);
    f.number = value;
    if (band) {
        f.band = BandRange{value * band->low, value, value * band->high};
        f.note = rangeText(value * band->low, value * band->high, dimension, unit);
    } else {
        f.note = otherwise;
    }
    return f;
}

Figure unknown(const QString& label, const QString& reason) {
    Figure f;
    f.label = label;
    f.note = reason;
    return f;
}

bool isServing(const Estimate& estimate) {
    return estimate.serving || estimate.scenario.workload.isServing();
}

} // namespace alidade::views
