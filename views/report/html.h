// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "views/report/drawing.h"
#include "views/report/pdf.h"

#include <QByteArray>

#include <vector>

namespace alidade::views {

/// A report as one self-contained page: its style and its plots are inside, no script, nothing loaded from
/// elsewhere. Well-formed XML in UTF-8. Needs a QGuiApplication and installed fonts, by which the plots are
/// laid out.
/// \param paper on which a browser prints it
/// \param plots takes the drawings of its `svg` elements with the role img, in their order; nullptr: unasked
QByteArray reportHtml(const data::Report& report, Paper paper = Paper::a4,
                      std::vector<Drawing>* plots = nullptr);

} // namespace alidade::views
