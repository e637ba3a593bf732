// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QPainter;

namespace alidade::views {

/// What a piece of a page is, for a tagged PDF. Containers hold the pieces painted inside them.
enum class PageTag {
    none,
    title,   ///< of the report, or of a scenario in it
    heading, ///< of a section
    paragraph,
    figure,   ///< see TaggedContent
    headCell, ///< of a table
    cell,
    contentsLine,
    headRow,  ///< container; begins a table
    row,      ///< container
    contents, ///< container
    artifact, ///< decoration, or what is said elsewhere: a table head that is repeated on a page
};

/// Marks what is painted during its life. QPainter cannot tag content, so on a PDF it draws a rectangle
/// outside the page before and after it, which addPdfTags() turns into marked content; on other devices it
/// draws nothing. Must not begin or end inside a clip.
class TaggedContent {
public:
    TaggedContent(QPainter& painter, PageTag tag);
    /// A figure. \param alternative what it shows, in words
    TaggedContent(QPainter& painter, const QString& alternative);
    ~TaggedContent();
    TaggedContent(const TaggedContent&) = delete;
    TaggedContent& operator=(const TaggedContent&) = delete;

private:
    void mark(int height);
    QPainter& painter_;
    int code_ = 0; ///< 0: nothing is marked
};

/// Left and top of the rectangles; their widths are codes, their heights 1 at the beginning and 2 at the end.
inline constexpr int tagMarkPlace = -4096;
/// From here on the code is that of a figure.
inline constexpr int firstFigureCode = 100;
int figureCode(const QString& alternative);

} // namespace alidade::views
