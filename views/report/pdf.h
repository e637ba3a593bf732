// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

#include <QByteArray>

namespace alidade::views {

enum class Paper : std::uint8_t { a4, letter };

/// A report as a PDF file: vector plots, selectable text, page numbers, the scenario attached. Black on white
/// whatever the theme of the application. Needs a QGuiApplication and installed fonts. Empty if the pages
/// could not be made.
QByteArray reportPdf(const data::Report& report, Paper paper);

} // namespace alidade::views
