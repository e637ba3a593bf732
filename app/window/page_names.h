// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace alidade::app {

// Pages of the main window that are named in more than one place: object names of their widgets, and the
// words that showPage() takes.
inline const QString startName = QStringLiteral("start");
inline const QString planName = QStringLiteral("plan");
inline const QString catalogName = QStringLiteral("catalog");
inline const QString validationName = QStringLiteral("validation");
inline const QString guideName = QStringLiteral("guide");
inline const QString topologyName = QStringLiteral("topology");

} // namespace alidade::app
