// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "views/report/pdf.h"

#include <QByteArray>

namespace alidade::views {

/// A report as one self-contained page: its style and its plots are inside, no script, nothing loaded from
/// elsewhere. Well-formed XML in UTF-8. Needs a QGuiApplication and installed fonts, by which the plots are
/// laid out.
/// \param paper on which a browser prints it
QByteArray reportHtml(const data::Report& report, Paper paper = Paper::a4);

} // namespace alidade::views
