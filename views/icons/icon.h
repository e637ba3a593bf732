// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QIcon>

namespace alidade::views {

/// One-tone icon from `views/icons/svg/NAME.svg` ("plan" is the icon of that view). Follows the theme: ink,
/// disabled 40 %, checked accent; sharp at every size and pixel ratio. An unknown name is a bug and asserts.
QIcon icon(QLatin1StringView name);
/// The same in one color whatever the state, for marks such as a red "error".
QIcon icon(QLatin1StringView name, Role role);
/// The application's own icon, in its own colors; below 24 pixels without the net.
QIcon applicationIcon();

/// Draws the icon into `rect` in logical pixels.
void paintIcon(QPainter& painter, const QRectF& rect, QLatin1StringView name, const QColor& color);

} // namespace alidade::views
