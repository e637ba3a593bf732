// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/report/pdf_update.h"

#include <QStringList>

namespace alidade::views {

/// Turns the marks of TaggedContent into marked content and a structure tree, so that a screen reader finds
/// headings, paragraphs, tables and what figures show. What is not marked becomes an artifact.
/// \param alternatives of all figures
/// \returns false, with nothing changed, if a page cannot be read or its marks do not match
bool addPdfTags(PdfUpdate& pdf, const QStringList& alternatives);

} // namespace alidade::views
