// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/text.h"

#include <cmath>

namespace alidade::views {

namespace {

/// From here to a million a number has too many digits to be read at a glance.
constexpr double longNumber = 1e4;

} // namespace

ScaledUnit glanceUnit(Dimension dimension, double maxAbsValue) {
    const bool isLong = maxAbsValue >= longNumber && maxAbsValue < 1e6;
    if (isLong && dimension == Dimension::tokensPerSecond)
        return {1e3, "k tokens/s"};
    if (isLong && dimension == Dimension::dollars)
        return {1e3, "k$"};
    return chooseUnit(dimension, maxAbsValue);
}

QString glance(double si, Dimension dimension) {
    if (dimension != Dimension::dollars)
        return quantity(si, dimension, {.fixed = glanceUnit(dimension, std::abs(si))});
    const bool isLong = std::abs(si) >= longNumber && std::abs(si) < 1e6;
    return isLong ? quantity(si / 1e3, dimension) + QStringLiteral(" k") : quantity(si, dimension);
}

QString difference(double si, Dimension dimension) {
    const QString shown = glance(si, dimension);
    return si > 0 ? QLatin1Char('+') + shown : shown;
}

QString counted(int count, const QString& one, const QString& many) {
    return QString::number(count) + QLatin1Char(' ') + (count == 1 ? one : many);
}

} // namespace alidade::views
