// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

namespace alidade::views {

QPalette Theme::palette() const {
    QPalette palette;
    palette.setColor(QPalette::Window, color(Role::window));
    palette.setColor(QPalette::Base, color(Role::base));
    palette.setColor(QPalette::AlternateBase, color(Role::alt));
    palette.setColor(QPalette::Button, color(Role::raised));
    palette.setColor(QPalette::ToolTipBase, color(Role::raised));
    palette.setColor(QPalette::ToolTipText, color(Role::text));
    palette.setColor(QPalette::WindowText, color(Role::text));
    palette.setColor(QPalette::Text, color(Role::text));
    palette.setColor(QPalette::ButtonText, color(Role::text));
    palette.setColor(QPalette::BrightText, color(Role::accentText));
    palette.setColor(QPalette::PlaceholderText, color(Role::text3));
    palette.setColor(QPalette::Highlight, color(Role::sel));
    palette.setColor(QPalette::HighlightedText, color(Role::text));
    palette.setColor(QPalette::Link, color(Role::accent));
    palette.setColor(QPalette::LinkVisited, color(Role::accent));
    palette.setColor(QPalette::Light, color(Role::raised));
    palette.setColor(QPalette::Midlight, color(Role::header));
    palette.setColor(QPalette::Mid, color(Role::line));
    palette.setColor(QPalette::Dark, color(Role::line2));
    palette.setColor(QPalette::Shadow, color(Role::line2));
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
        QColor faint = color(Role::text);
        faint.setAlphaF(0.4F);
        palette.setColor(QPalette::Disabled, role, faint);
    }
    return palette;
}

} // namespace alidade::views
