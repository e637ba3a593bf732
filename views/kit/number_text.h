// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace alidade::views {

/// A number as a field shows it, with separators between thousands: "1500" -> "1,500", "$1200/h" ->
/// "$1,200/h"; "15.6 T" stays.
QString grouped(QString number);

} // namespace alidade::views
