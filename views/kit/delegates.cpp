// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/delegates.h"

#include <QApplication>
#include <QPainter>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double cellPadding = 8; // logical pixels at 10 pt
constexpr double barInset = 5;    // above and below a bar
constexpr double bandCellWidth = 70;
constexpr double cornerSide = 7;
constexpr int tagGap = 6; // between a tag and its text

QRectF inner(const QRect& cell) {
    return QRectF(cell).adjusted(theme().px(cellPadding), 0, -theme().px(cellPadding), -1);
}

} // namespace

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(groupRowRole).toBool())
        option->font = theme().font(FontRole::strong);
    const QVariant ink = index.data(inkRole);
    if (ink.isValid()) {
        // Faint text on a selected row would be hard to read.
        const bool faint = ink.value<Role>() == Role::text3 && (option->state & QStyle::State_Selected);
        const QColor color = theme().color(faint ? Role::text2 : ink.value<Role>());
        option->palette.setColor(QPalette::Text, color);
        option->palette.setColor(QPalette::HighlightedText, color);
    }
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(theme().rowHeight(), size.height()));
    size.rwidth() += 2 * theme().px(cellPadding) - 6;
    return size;
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given,
                         const QModelIndex& index) const {
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const Theme& look = theme();
    const bool selected = option.state & QStyle::State_Selected;
    const bool group = index.data(groupRowRole).toBool();
    painter->save();
    painter->setClipRect(option.rect);
    if (selected)
        painter->fillRect(option.rect, look.color(Role::sel));
    else if (group)
        painter->fillRect(option.rect, look.color(Role::alt));
    paintContent(painter, option, index);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                      look.color(Role::grid));
    if (option.state & QStyle::State_HasFocus) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(look.color(Role::accent), 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
    }
    painter->restore();
}

void CellDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex&) const {
    QRectF area = inner(option.rect);
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    if (option.features & QStyleOptionViewItem::HasCheckIndicator) {
        QStyleOptionViewItem box(option);
        box.rect = style->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, option.widget);
        box.state.setFlag(QStyle::State_On, option.checkState == Qt::Checked);
        style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);
        area.setLeft(box.rect.right() + 6);
    }
    if (!option.icon.isNull()) {
        const int side = theme().px(16);
        const QRect place(static_cast<int>(area.left()), option.rect.center().y() - side / 2, side, side);
        option.icon.paint(painter, place, Qt::AlignCenter);
        area.setLeft(area.left() + side + 6);
    }
    painter->setFont(option.font);
    painter->setPen(option.palette.color(
        option.state & QStyle::State_Enabled ? QPalette::Normal : QPalette::Disabled, QPalette::Text));
    const QString text =
        QFontMetricsF(option.font).elidedText(option.text, option.textElideMode, area.width());
    painter->drawText(area, static_cast<int>(option.displayAlignment) | Qt::TextSingleLine, text);
}

void BarDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const auto bar = index.data(barRole).value<BarCell>();
    const double inset = theme().px(barInset);
    paintBar(*painter, inner(option.rect).adjusted(0, inset, 0, -inset), bar.segments, maximum_);
}

QSize TagDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = CellDelegate::sizeHint(option, index);
    if (index.data(boundRole).isValid())
        size.rwidth() += static_cast<int>(std::ceil(tagSize())) + tagGap;
    return size;
}

void TagDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const QVariant bound = index.data(boundRole);
    QStyleOptionViewItem rest(option);
    if (bound.isValid()) {
        QRectF place = inner(option.rect);
        place.setWidth(tagSize());
        paintTag(*painter, place, bound.value<Bound>());
        rest.rect.setLeft(static_cast<int>(place.right()) - theme().px(cellPadding) + tagGap);
    }
    CellDelegate::paintContent(painter, rest, index);
}

QSize BandDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = CellDelegate::sizeHint(option, index);
    size.rwidth() += theme().px(bandCellWidth) + 8;
    return size;
}

void BandDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    const QVariant band = index.data(bandRole);
    QStyleOptionViewItem rest(option);
    const int width = theme().px(bandCellWidth);
    const QRectF area = inner(option.rect);
    if (band.isValid())
        paintBand(*painter, QRectF(area.right() - width, area.top(), width, area.height()),
                  band.value<BandRange>());
    rest.rect.setRight(option.rect.right() - width - 8);
    CellDelegate::paintContent(painter, rest, index);
}

void CatalogDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    CellDelegate::paint(painter, option, index);
    const auto mark = index.data(markRole).value<CellMark>();
    const double side = theme().px(cornerSide);
    const QRectF cell(option.rect);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    if (mark.yours) {
        painter->setBrush(theme().color(Role::accent));
        painter->drawPolygon(
            QPolygonF{cell.topLeft(), cell.topLeft() + QPointF(side, 0), cell.topLeft() + QPointF(0, side)});
    }
    if (mark.disagree) {
        painter->setBrush(theme().color(Role::warn));
        painter->drawPolygon(QPolygonF{cell.topRight(), cell.topRight() - QPointF(side, 0),
                                       cell.topRight() + QPointF(0, side)});
    }
    painter->restore();
}

void CatalogDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
    const auto mark = index.data(markRole).value<CellMark>();
    QStyleOptionViewItem dressed(option);
    if (mark.refused)
        painter->fillRect(option.rect, theme().color(Role::errBg));
    if (mark.refused || mark.yours)
        dressed.palette.setColor(QPalette::Text, theme().color(mark.refused ? Role::err : Role::accent));
    if (mark.yours)
        dressed.font.setWeight(QFont::Medium);
    CellDelegate::paintContent(painter, dressed, index);
}

} // namespace alidade::views
