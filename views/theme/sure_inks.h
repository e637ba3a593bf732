// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include <array>

namespace alidade::views {

/// For words on a fill that neither ink of the theme is readable on: one of these has at least 4.5:1 on any
/// color.
inline const std::array<QColor, 2> sureInks{QColor(Qt::black), QColor(Qt::white)};

} // namespace alidade::views
