// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// A unit for printing: the stored value divided by `factor`, followed by `label` ("TB/s", "days", "M$/h").
/// parseQuantity accepts the label as a unit.
struct ScaledUnit {
    double factor = 1;
    std::string_view label;
};

struct FormatOptions {
    int significant = 3;    ///< 1 to 15; digits before the point are never rounded away
    bool binary = false;    ///< KiB, MiB ... instead of kB, MB ... for bytes and bytes per second
    bool trimZeros = false; ///< "80 GB" rather than "80.0 GB": for given values, not for results
    std::optional<ScaledUnit> fixed = {}; ///< one unit for a whole column, see chooseUnit
};

/// A value in two parts, so that the UI can draw the number large and the unit small.
struct Formatted {
    std::string number; ///< "6.13", "$198", "–"
    std::string unit;   ///< "s", "M", "/h", or empty
    std::string text() const;
};

/// Formats for display: "3.35 TB/s", "73.3 days", "$55.04/h", "42.6 %", "16,384". Thousands have commas,
/// minus is U+2212, the locale is ignored; a non-finite value is "–". parseQuantity reads the text, and
/// formatting the parsed value gives the same text.
Formatted formatParts(double si, Dimension dimension, const FormatOptions& options = {});
std::string formatQuantity(double si, Dimension dimension, const FormatOptions& options = {});

template <Dimension D>
std::string format(Quantity<D> value, const FormatOptions& options = {}) {
    return formatQuantity(value.si(), D, options);
}

/// Returns the best unit for a value of this size; for a column, pass its largest absolute value.
ScaledUnit chooseUnit(Dimension dimension, double maxAbsValue, bool binary = false);

/// Formats for editing: the shortest usual text that parseQuantity reads as exactly this double: "80 GiB",
/// "989.5 TFLOP/s", "$1.2 M". Empty for a non-finite value. The number alone, with the unit as `bareUnit`, is
/// also read as the same double.
Formatted editParts(double si, Dimension dimension);
std::string editText(double si, Dimension dimension);

} // namespace alidade
