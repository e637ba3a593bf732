// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/report/page_tags.h"

#include <QPointF>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

class QPainter;

namespace alidade::views {

/// Something that is printed in one piece. Lengths in CSS px.
struct Block {
    double height = 0;
    double before = 0;         ///< white space above, unless it begins a page
    bool keepWithNext = false; ///< a heading, the head of a table
    bool newPage = false;      ///< begins a page
    /// Printed again above this block if it begins a page: the head of its table.
    std::shared_ptr<const Block> repeated{};
    std::function<void(QPainter&, const QPointF& topLeft)> paint{};
    PageTag tag = PageTag::none;          ///< none: `paint` marks its pieces itself
    QString heading{};                    ///< of a section, for contents and outline; empty: none begins here
    bool headingOfPart = false;           ///< it is the title of a scenario of a comparison
    std::shared_ptr<int> contentsEntry{}; ///< the number of its page, for the contents
};

struct PlacedBlock {
    const Block* block = nullptr; ///< points into the blocks given, or is the repeated head of one
    double top = 0;               ///< from the top of the text area
};
using Page = std::vector<PlacedBlock>;

/// Deals blocks out to pages of a height, in order. No block is split; blocks that are kept with the next
/// are on one page with it as long as they fit on one.
std::vector<Page> paginate(const std::vector<Block>& blocks, double pageHeight);

/// Paints a block as what it is.
void paintBlock(QPainter& painter, const QPointF& topLeft, const Block& block);

/// Bottom of the last block of a page; 0 for an empty one.
double usedHeight(const Page& page);

} // namespace alidade::views
