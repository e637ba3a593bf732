// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/delegates.h"

namespace alidade::views {

/// A name, and behind it quietly what `countRole` says.
class LayerNameDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// Bars of `partsRole` at one scale for the whole table: forward full, recomputed framed, backward pale. Bars
/// of layers carry the letters of their classes where there is room; behind them stands `shareRole`. What has
/// `noBarRole` says that instead.
class LayerBarDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    /// Takes the longest bar in seconds. The scale stays while that fills half of it.
    void setLongest(double seconds);
    double scale() const { return scale_; }
    /// The longest of `shareRole` in the table: bars leave room for it.
    void setLongestShare(const QString& words) { longestShare_ = words; }
    /// The width that it takes from the bars.
    int widthOfShares() const;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;

private:
    double scale_ = 0; ///< s that fill the cell
    QString longestShare_;
};

} // namespace alidade::views
