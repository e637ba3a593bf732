// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/drop_zone.h"

#include "views/theme/theme_controller.h"

#include <QPainter>

namespace alidade::views {

DropZone::DropZone(const QString& words, QWidget* parent)
    : QWidget(parent)
    , words_(words) {
    setAccessibleName(words);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize DropZone::sizeHint() const { return {theme().px(300), theme().px(66)}; }

void DropZone::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen dashes(theme().color(Role::line2), 1);
    dashes.setDashPattern({4, 3});
    painter.setPen(dashes);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    painter.setFont(theme().font(FontRole::small));
    painter.setPen(theme().color(Role::text2));
    painter.drawText(rect(), Qt::AlignCenter, words_);
}

} // namespace alidade::views
