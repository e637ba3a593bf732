// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/format.h"

#include <QString>

#include <string_view>

namespace alidade::views {

/// Texts of the model are UTF-8.
inline QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// A value in SI units for reading: "3.35 TB/s".
inline QString quantity(double si, Dimension dimension, const FormatOptions& options = {}) {
    return text(formatQuantity(si, dimension, options));
}

/// A unit in which a result of this size has few digits: "523 k tokens/s" rather than "523,141 tokens/s".
ScaledUnit glanceUnit(Dimension dimension, double maxAbsValue);
/// A result to be read at a glance: three digits.
QString glance(double si, Dimension dimension);
/// The same with its sign, for differences: "+820 ms", "−$27.0 M".
QString difference(double si, Dimension dimension);

/// "1 error", "2 errors"; the words come translated.
QString counted(int count, const QString& one, const QString& many);

} // namespace alidade::views
