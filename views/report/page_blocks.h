// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "views/report/page_flow.h"
#include "views/theme/theme.h"

namespace alidade::views {

/// What a plot shows, in words.
QString figureWords(const data::Plot& plot);

/// A report as blocks for a text area, in CSS px.
/// \param tightness 0..1: how much white space is given up to save a nearly empty page
std::vector<Block> blocksOf(const data::Report& report, const Theme& theme, double width, double pageHeight,
                            double tightness);

} // namespace alidade::views
