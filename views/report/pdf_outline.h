// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/report/pdf_update.h"

#include <QString>

#include <cstddef>
#include <vector>

namespace alidade::views {

/// A place in a PDF that its outline (the bookmarks of a reader) leads to.
struct OutlineEntry {
    QString title;
    std::size_t page = 0; ///< from 0
    double y = 0;         ///< points from the bottom of the page
    int level = 0;        ///< 0, or 1: below the last one of level 0
};

/// Adds an outline, which Qt 6.4 does not write. \pre pdf.good()
void addPdfOutline(PdfUpdate& pdf, const std::vector<OutlineEntry>& entries);

} // namespace alidade::views
