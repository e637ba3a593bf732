// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/report/drawing.h"

#include <QByteArray>
#include <QTextDocument>

#include <memory>
#include <vector>

namespace alidade::views {

/// A page of reportHtml() as rich text, which has no boxes side by side and no SVG: those are tables and
/// pictures here, the words and the tables are those of the page. Made on any thread; belongs to that of the
/// application, which deletes it.
/// \param plots of the page \param width of the text, logical px; plots are not wider
/// \param ratio device px of a logical one
std::shared_ptr<QTextDocument> htmlDocument(const QByteArray& page, const std::vector<Drawing>& plots,
                                            double width, double ratio);

} // namespace alidade::views
