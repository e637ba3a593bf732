// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSharedPointer>
#include <QString>

#include <functional>

class QCPAxisTicker;

namespace alidade::views {

/// Ticks of a plot axis whose labels the owner writes; logarithmic ones are at decades, and at 1, 2, 5
/// where less than two decades are to be seen. An empty function writes by locale with six digits.
QSharedPointer<QCPAxisTicker> makeTicker(bool logarithmic, std::function<QString(double)> text);

} // namespace alidade::views
