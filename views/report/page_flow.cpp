// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/page_flow.h"

namespace alidade::views {
namespace {

/// Height from the top of block `first` to the bottom of the last one that it is kept with.
double chainHeight(const std::vector<Block>& blocks, std::size_t first) {
    double height = blocks[first].height;
    for (std::size_t i = first; blocks[i].keepWithNext && i + 1 < blocks.size() && !blocks[i + 1].newPage;
         ++i)
        height += blocks[i + 1].before + blocks[i + 1].height;
    return height;
}

} // namespace

std::vector<Page> paginate(const std::vector<Block>& blocks, double pageHeight) {
    std::vector<Page> pages(1);
    double y = 0;
    bool kept = false; // held on this page by the block before
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        const bool top = pages.back().empty();
        const double chain = kept ? block.height : chainHeight(blocks, i);
        const double onNewPage = chain + (block.repeated ? block.repeated->height : 0);
        const double needed = onNewPage <= pageHeight ? chain : block.height;
        if (!top && (block.newPage || y + block.before + needed > pageHeight + 0.01)) {
            pages.emplace_back();
            y = 0;
        }
        if (pages.back().empty()) {
            if (block.repeated && i > 0) {
                pages.back().push_back({block.repeated.get(), 0});
                y = block.repeated->height;
            }
        } else {
            y += block.before;
        }
        pages.back().push_back({&block, y});
        y += block.height;
        kept = block.keepWithNext && onNewPage <= pageHeight;
    }
    return pages;
}

void paintBlock(QPainter& painter, const QPointF& topLeft, const Block& block) {
    const TaggedContent content(painter, block.tag);
    block.paint(painter, topLeft);
}

double usedHeight(const Page& page) { return page.empty() ? 0 : page.back().top + page.back().block->height; }

} // namespace alidade::views
