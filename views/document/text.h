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

/// The same with its sign, for differences: "+0.82 s", "−27.0 M$".
inline QString difference(double si, Dimension dimension) {
    const QString shown = quantity(si, dimension);
    return si > 0 ? QLatin1Char('+') + shown : shown;
}

/// "1 error", "2 errors"; the words come translated.
inline QString counted(int count, const QString& one, const QString& many) {
    return QString::number(count) + QLatin1Char(' ') + (count == 1 ? one : many);
}

} // namespace alidade::views
