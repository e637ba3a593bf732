// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/layer_delegates.h"

#include "views/kit/paint.h"
#include "views/layers/layers_model.h"

#include <QPainter>

namespace alidade::views {
namespace {

constexpr double padding = 8; // logical pixels at 10 pt, as in the other cells
constexpr double barInset = 5;
constexpr double gap = 8;         // between a name and its count
constexpr double letterFrom = 22; // width of a part that carries its letter
constexpr double leastInset = 3;  // above and below a bar that carries letters
constexpr double backwardOpacity = 0.62;
constexpr double recomputeOpacity = 0.3;

double opacityOf(Pass pass) {
    return pass == Pass::forward ? 1 : pass == Pass::recompute ? recomputeOpacity : backwardOpacity;
}

/// The frame that tells what is computed again from what is computed once.
void paintFrame(QPainter& painter, const QRectF& rect, Bound bound) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().classStyle(bound).color, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.restore();
}

} // namespace

QSize LayerNameDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = CellDelegate::sizeHint(option, index);
    const QString count = index.data(countRole).toString();
    if (!count.isEmpty())
        size.rwidth() +=
            theme().px(gap) + QFontMetrics(theme().font(FontRole::small)).horizontalAdvance(count);
    return size;
}

void LayerNameDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const {
    CellDelegate::paintContent(painter, option, index);
    const QString count = index.data(countRole).toString();
    if (count.isEmpty())
        return;
    const int left = theme().px(padding) + QFontMetrics(option.font).horizontalAdvance(option.text);
    const QRect place = option.rect.adjusted(left + theme().px(gap), 0, -theme().px(padding), -1);
    const bool selected = option.state & QStyle::State_Selected;
    painter->setFont(theme().font(FontRole::small));
    painter->setPen(theme().color(selected ? Role::text2 : Role::text3));
    painter->drawText(place, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(count, Qt::ElideRight, place.width()));
}

void LayerBarDelegate::setLongest(double seconds) {
    if (seconds > scale_ || seconds < scale_ / 2)
        scale_ = seconds;
}

int LayerBarDelegate::widthOfShares() const {
    if (longestShare_.isEmpty())
        return 0;
    return QFontMetrics(theme().font(FontRole::small)).horizontalAdvance(longestShare_) + theme().px(gap);
}

void LayerBarDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
    const auto parts = index.data(partsRole).value<QList<TimePart>>();
    const bool layer = index.data(groupRowRole).toBool();
    const double inset = theme().px(layer ? leastInset : barInset);
    const QRectF cell = QRectF(option.rect).adjusted(theme().px(padding), 0, -theme().px(padding), -1);
    const QRectF area = cell.adjusted(0, inset, -widthOfShares(), -inset);
    const QFont font = theme().font(FontRole::small);
    painter->setFont(font);
    painter->setPen(theme().color(Role::text2));
    painter->drawText(cell, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine,
                      index.data(shareRole).toString());
    if (const QString words = index.data(noBarRole).toString(); !words.isEmpty()) {
        painter->setPen(theme().color(option.state & QStyle::State_Selected ? Role::text2 : Role::text3));
        painter->drawText(area, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                          QFontMetricsF(font).elidedText(words, Qt::ElideRight, area.width()));
        return;
    }
    QList<BarSegment> segments;
    for (const TimePart& part : parts)
        segments.append({part.bound, part.seconds, opacityOf(part.pass), {}, {}});
    paintBar(*painter, area, segments, scale_);
    const QList<QRectF> rects = barRects(area, segments, scale_);
    for (qsizetype i = 0; i < rects.size(); ++i) {
        if (parts[i].pass == Pass::recompute && !rects[i].isNull())
            paintFrame(*painter, rects[i], parts[i].bound);
        if (layer && rects[i].width() >= theme().px(letterFrom))
            paintTag(*painter, rects[i], parts[i].bound);
    }
}

} // namespace alidade::views
