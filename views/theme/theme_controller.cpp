// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme_controller.h"

#include "views/theme/desktop_appearance.h"
#include "views/theme/kit_style.h"

#include <QApplication>
#include <QEvent>
#include <QToolTip>
#include <QWidget>

#include <algorithm>

namespace alidade::views {

ThemeController::ThemeController() = default;

ThemeController& ThemeController::instance() {
    static ThemeController controller;
    return controller;
}

const Theme& theme() { return ThemeController::instance().theme(); }

void ThemeController::setChoice(ThemeChoice choice) {
    choice_ = choice;
    renew(theme_.fontScale());
}

void ThemeController::setBodyPointSize(double points) { renew(std::clamp(points, 7.0, 24.0) / 10); }

void ThemeController::install() {
    if (installed_)
        return;
    installed_ = true;
    const QPalette system = QGuiApplication::palette();
    systemIsDark_ =
        system.color(QPalette::Window).lightness() < system.color(QPalette::WindowText).lightness();
    // The controller outlives the application; what talks to the bus must not.
    auto* desktop = new DesktopAppearance(qApp);
    connect(desktop, &DesktopAppearance::darkPreferred, this, [this](bool dark) {
        systemIsDark_ = dark;
        renew(theme_.fontScale());
    });
    QApplication::setStyle(new KitStyle);
    theme_ = wanted(theme_.fontScale());
    apply();
}

Theme ThemeController::wanted(double fontScale) const {
    const bool dark = choice_ == ThemeChoice::dark || (choice_ == ThemeChoice::system && systemIsDark_);
    return dark ? Theme::dark(fontScale) : Theme::light(fontScale);
}

void ThemeController::renew(double fontScale) {
    const Theme next = wanted(fontScale);
    if (next == theme_)
        return;
    theme_ = next;
    if (installed_)
        apply();
}

void ThemeController::apply() {
    QApplication::setFont(theme_.font(FontRole::body));
    QApplication::setPalette(theme_.palette());
    QToolTip::setPalette(theme_.palette());
    QToolTip::setFont(theme_.font(FontRole::small));
    // The style has other lengths and colors now, which no font and no palette says.
    for (QWidget* widget : QApplication::allWidgets()) {
        QEvent style(QEvent::StyleChange);
        QCoreApplication::sendEvent(widget, &style);
        widget->updateGeometry();
        widget->update();
    }
    emit changed(theme_);
}

} // namespace alidade::views
