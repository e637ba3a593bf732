// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
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

/// The same PDF with an outline and an author, added as an incremental update: Qt 6.4 writes neither.
/// \param pdf as QPdfWriter writes it, with a plain cross-reference table
/// \returns the PDF as it is where it has another structure
QByteArray withOutline(const QByteArray& pdf, const std::vector<OutlineEntry>& entries,
                       const QString& author);

} // namespace alidade::views
