// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <cmath>

namespace alidade::views {

/// Which of the look's text and ground is easier to read on a fill.
inline QColor inkOn(const QColor& fill, const Theme& look) {
    const QColor text = look.color(Role::text), ground = look.color(Role::base);
    return std::abs(text.lightnessF() - fill.lightnessF()) >=
                   std::abs(ground.lightnessF() - fill.lightnessF())
               ? text
               : ground;
}

} // namespace alidade::views
