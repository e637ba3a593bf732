// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include <cmath>

namespace alidade::views {

/// Multiples of `step` from `low` to `high`, such as the ticks of an axis or rows of a grid: at most `most`,
/// and none where the step is not positive or a bound is not finite. Adding up steps instead never ends where
/// a step is below the resolution of the value.
inline QList<double> multiples(double low, double high, double step, int most = 1000) {
    QList<double> values;
    if (!(step > 0) || !std::isfinite(low) || !std::isfinite(high) || !(high >= low))
        return values;
    const double first = std::ceil(low / step);
    for (int i = 0; i < most; ++i) {
        const double value = (first + i) * step;
        if (!(value <= high))
            break;
        values.append(value);
    }
    return values;
}

/// `from`, `from + step`, ... below `end`: at most `most` places, and none where the step is not positive or
/// a bound is not finite.
inline QList<double> placesBetween(double from, double end, double step, int most = 1000) {
    QList<double> values;
    if (!(step > 0) || !std::isfinite(from) || !std::isfinite(end))
        return values;
    for (int i = 0; i < most && from + i * step < end; ++i)
        values.append(from + i * step);
    return values;
}

} // namespace alidade::views
