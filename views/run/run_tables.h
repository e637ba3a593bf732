// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/cell_table.h"
#include "views/kit/delegates.h"
#include "views/run/run_story.h"

namespace alidade::views {

/// A table with its rows.
struct RunTable {
    QList<CellColumn> columns;
    QList<CellRow> rows;
};

/// What interrupts the run: times, restart, redone and lost days of each cause; the last row adds up.
RunTable causeTable(const Run& run);
/// Where a checkpoint can go.
RunTable tierTable(const Run& run);
/// Behind the pictures.
RunTable curveTable(const Run& run);
RunTable spareTable(const RunStory& story);
RunTable outcomeTable(const RunStory& story);
/// What would meet the deadline; the key of a row is its step.
RunTable stepTable(const RunStory& story);
/// What single changes are worth.
RunTable worthTable(const RunStory& story);
/// The days of the drawn outcome.
RunTable dayTable(const RunStory& story);

/// Key of the row that adds up.
inline constexpr char totalKey[] = "total";

/// A number, and right of it a bar at one scale for the whole column; the last row is a sum, without a bar.
class ShareDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    /// The value that would fill the bar.
    void setMaximum(double maximum) { maximum_ = maximum; }
    /// The column with the bars; -1: none has them.
    void setBarColumn(int column) { column_ = column; }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;

private:
    double maximum_ = 1;
    int column_ = -1;
};

} // namespace alidade::views
