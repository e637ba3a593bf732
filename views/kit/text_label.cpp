// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/text_label.h"

#include "views/theme/theme_controller.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace alidade::views {

TextLabel::TextLabel(FontRole font, Role ink, const QString& text, QWidget* parent)
    : QLabel(text, parent)
    , font_(font)
    , ink_(ink) {
    setTextFormat(Qt::PlainText);
    setForegroundRole(QPalette::WindowText); // whatever ground the parent has
    dress();
    connect(&ThemeController::instance(), &ThemeController::changed, this, &TextLabel::dress);
}

void TextLabel::setInk(Role ink) {
    if (std::exchange(ink_, ink) != ink)
        dress();
}

void TextLabel::dress() {
    dressing_ = true;
    setFont(theme().font(font_));
    QPalette palette = this->palette();
    palette.setColor(QPalette::WindowText, theme().color(ink_));
    setPalette(palette);
    dressing_ = false;
}

void TextLabel::changeEvent(QEvent* event) {
    // A change of theme sets the fonts and colors of the application anew; these are ours.
    if (event->type() == QEvent::StyleChange && !dressing_)
        dress();
    QLabel::changeEvent(event);
}

void TextLabel::setElided(bool on) {
    elided_ = on;
    updateGeometry();
    update();
}

QSize TextLabel::minimumSizeHint() const {
    const QSize size = QLabel::minimumSizeHint();
    return elided_ ? QSize(std::min(size.width(), fontMetrics().averageCharWidth() * 3), size.height())
                   : size;
}

void TextLabel::paintEvent(QPaintEvent* event) {
    if (!elided_)
        return QLabel::paintEvent(event);
    QPainter painter(this);
    painter.setPen(
        palette().color(isEnabled() ? QPalette::Normal : QPalette::Disabled, QPalette::WindowText));
    const QRect area = contentsRect();
    painter.drawText(area, static_cast<int>(alignment()) | Qt::TextSingleLine,
                     fontMetrics().elidedText(text(), Qt::ElideRight, area.width()));
}

bool TextLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && elided_ && toolTip().isEmpty() &&
        fontMetrics().horizontalAdvance(text()) > contentsRect().width()) {
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
        return true;
    }
    return QLabel::event(event);
}

} // namespace alidade::views
