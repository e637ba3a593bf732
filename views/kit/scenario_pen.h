// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QIcon>
#include <QPen>

namespace alidade::views {

/// How many dash patterns there are.
inline constexpr int scenarioDashes = 12;

/// The line of a scenario among others: told apart by its dashes and never by a hue. The baseline is solid,
/// in ink.
/// \param place of the scenario in its list; beyond scenarioDashes the patterns begin again
QPen scenarioPen(int place, bool isBaseline, const Theme& look);
/// The same as a short piece of line, for headers and menus.
QIcon scenarioLine(int place, bool isBaseline, const Theme& look);

} // namespace alidade::views
