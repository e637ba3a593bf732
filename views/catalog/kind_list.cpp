// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/kind_list.h"

#include "views/kit/paint.h"
#include "views/theme/theme_controller.h"

#include <QPainter>

namespace alidade::views {

QSize KindDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const bool heading = !index.data(kindSheetRole).isValid();
    return {theme().px(120), theme().rowHeight() + theme().px(heading ? 12 : 4)};
}

void KindDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const bool heading = !index.data(kindSheetRole).isValid();
    const bool selected = option.state & QStyle::State_Selected;
    if (selected)
        painter->fillRect(option.rect, theme().color(Role::sel));
    QRect area = option.rect.adjusted(theme().px(14), 0, -theme().px(14), 0);
    if (heading)
        area.setTop(area.top() + theme().px(10));
    painter->setFont(theme().font(heading ? FontRole::small : selected ? FontRole::strong : FontRole::body));
    painter->setPen(theme().color(heading ? Role::text2 : selected ? Role::accent : Role::text));
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    if (!heading) {
        painter->setFont(theme().font(FontRole::body));
        painter->setPen(theme().color(Role::text2));
        painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter, index.data(kindCountRole).toString());
    }
    if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange)
        paintFocus(*painter, QRectF(option.rect).adjusted(1, 1, -1, -1));
}

} // namespace alidade::views
