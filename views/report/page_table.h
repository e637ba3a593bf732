// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "views/report/page_flow.h"
#include "views/theme/theme.h"

namespace alidade::views {

/// How tightly a table is set, CSS px.
struct TableStyle {
    int pixelSize = 12;
    double rowPadding = 5; ///< above and below the text of a row together
    double before = 6;     ///< above the head
};

/// Adds a table as blocks: its title, its head (repeated on each page), one block a row, its note.
void addTable(std::vector<Block>& blocks, const data::Table& table, const TableStyle& style,
              const Theme& theme, double width);

/// What a column asks for, CSS px.
struct ColumnWish {
    double whole = 0; ///< title and every cell on one line
    double cells = 0; ///< every cell on one line, the title broken between words
    double least = 0; ///< below this it is of no use
};

/// Width of each column so that the table is `width` wide. Where not all wishes can be met, titles are broken
/// first, then the widest texts.
/// \param slackColumn gets what is left over; beyond the last: all get the same
std::vector<double> columnWidths(const std::vector<ColumnWish>& wishes, std::size_t slackColumn,
                                 double width);

} // namespace alidade::views
