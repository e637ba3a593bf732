// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/keep_font.h"

#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QWidget>

namespace alidade::views {

void KeepFont::on(QWidget* widget, FontRole role) { new KeepFont(widget, role); }

KeepFont::KeepFont(QWidget* widget, FontRole role)
    : QObject(widget)
    , widget_(widget)
    , role_(role) {
    widget->installEventFilter(this);
    connect(&ThemeController::instance(), &ThemeController::changed, this, &KeepFont::dress);
    dress();
}

bool KeepFont::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::StyleChange && !dressing_)
        dress();
    return QObject::eventFilter(watched, event);
}

void KeepFont::dress() {
    dressing_ = true;
    widget_->setFont(theme().font(role_));
    dressing_ = false;
}

} // namespace alidade::views
