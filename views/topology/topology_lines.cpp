// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_lines.h"

#include "views/document/text.h"
#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace alidade::views {

TopologyLines::TopologyLines(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void TopologyLines::setLines(const QList<TopologyLine>& lines) {
    lines_ = lines;
    current_ = -1;
    setVisible(!lines.isEmpty());
    QStringList words;
    for (const TopologyLine& line : lines)
        words.append(line.name + QStringLiteral(", ") + line.detail);
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

void TopologyLines::setCurrent(int line) {
    current_ = line;
    update();
}

QRect TopologyLines::lineRect(int line) const {
    const int height = theme().rowHeight();
    return {0, line * height, width(), height};
}

QSize TopologyLines::sizeHint() const {
    return {theme().px(272), static_cast<int>(lines_.size()) * theme().rowHeight()};
}

void TopologyLines::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& look = theme();
    const QFont body = look.font(FontRole::body), small = look.font(FontRole::small);
    const int bar = look.px(40), percent = look.px(36), tag = look.px(18), gap = look.px(5);
    const int detail = look.px(60);
    for (int i = 0; i < lines_.size(); ++i) {
        const TopologyLine& line = lines_[i];
        const QRect row = lineRect(i);
        if (i == current_)
            painter.fillRect(row, look.color(Role::sel));
        painter.fillRect(QRect(row.left(), row.bottom(), row.width(), 1), look.color(Role::grid));
        int right = row.right() - gap;
        const QRect percentRect(right - percent, row.top(), percent, row.height());
        right -= percent + gap;
        const QRectF barRect(right - bar, row.center().y() - look.px(4), bar, look.px(8));
        right -= bar + gap;
        painter.setFont(body);
        painter.setPen(look.color(Role::text));
        painter.drawText(percentRect, Qt::AlignRight | Qt::AlignVCenter,
                         line.share >= 0 ? quantity(line.share, Dimension::ratio, {.significant = 2})
                                         : QStringLiteral("–"));
        painter.fillRect(barRect, look.color(Role::sunken));
        if (line.share > 0 && line.tag)
            painter.fillRect(
                QRectF(barRect.topLeft(),
                       QSizeF(std::max(1.0, barRect.width() * std::min(1.0, line.share)), barRect.height())),
                look.classStyle(*line.tag).color);
        painter.setFont(small);
        painter.setPen(look.color(Role::text2));
        painter.drawText(QRect(right - detail, row.top(), detail, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter, line.detail);
        right -= detail + gap;
        if (line.tag) {
            paintTag(painter, QRectF(right - tag, row.top(), tag, row.height()), *line.tag);
            right -= tag + gap;
        }
        painter.setFont(body);
        painter.setPen(look.color(Role::text));
        const QString name = QFontMetrics(body).elidedText(line.name, Qt::ElideMiddle, right - gap);
        painter.drawText(QRect(gap, row.top(), right - gap, row.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         name);
    }
    if (keyboardFocus(this))
        paintFocus(painter, rect());
}

void TopologyLines::mousePressEvent(QMouseEvent* event) {
    for (int i = 0; i < lines_.size(); ++i)
        if (lineRect(i).contains(event->position().toPoint()))
            emit chosen(i);
}

void TopologyLines::keyPressEvent(QKeyEvent* event) {
    const int count = static_cast<int>(lines_.size());
    if (count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up)) {
        const int step = event->key() == Qt::Key_Down ? 1 : -1;
        emit chosen(current_ < 0 ? (step > 0 ? 0 : count - 1) : std::clamp(current_ + step, 0, count - 1));
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace alidade::views
