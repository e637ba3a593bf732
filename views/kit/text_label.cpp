// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/text_label.h"

#include "views/theme/theme_controller.h"

#include <QEvent>

namespace alidade::views {

TextLabel::TextLabel(FontRole font, Role ink, const QString& text, QWidget* parent)
    : QLabel(text, parent)
    , font_(font)
    , ink_(ink) {
    setTextFormat(Qt::PlainText);
    dress();
    connect(&ThemeController::instance(), &ThemeController::changed, this, &TextLabel::dress);
}

void TextLabel::setInk(Role ink) {
    ink_ = ink;
    dress();
}

void TextLabel::dress() {
    dressing_ = true;
    setFont(theme().font(font_));
    QPalette palette = this->palette();
    palette.setColor(QPalette::WindowText, theme().colour(ink_));
    setPalette(palette);
    dressing_ = false;
}

void TextLabel::changeEvent(QEvent* event) {
    // A style sheet that is set anew takes its own fonts and colours; these are ours.
    if (event->type() == QEvent::StyleChange && !dressing_)
        dress();
    QLabel::changeEvent(event);
}

} // namespace alidade::views
