// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/item_roles.h"

#include <QStyledItemDelegate>

namespace alidade::views {

/// Every cell of the house: row height from the font, a hairline below, group rows on their own ground and in
/// weight 500, the current cell in a 2 px accent frame. Subclasses draw what is inside.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
    /// Default: icon and text by Qt's roles and `inkRole`.
    virtual void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const;
};

/// Stacked bars at one scale for the whole column. `barRole`.
class BarDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    /// The value that would fill the cell's width.
    void setMaximum(double maximum) { maximum_ = maximum; }
    double maximum() const { return maximum_; }

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;

private:
    double maximum_ = 1;
};

/// The letter tag of `boundRole`, then the cell's text if it has one.
class TagDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// The cell's text, and right of it the low-high line of `bandRole`.
class BandDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// Catalog cells: corners of `markRole`, and the ground of a refused value.
class CatalogDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

} // namespace alidade::views
