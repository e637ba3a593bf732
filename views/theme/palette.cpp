// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

namespace alidade::views {

QPalette Theme::palette() const {
    QPalette palette;
    palette.setColor(QPalette::Window, colour(Role::window));
    palette.setColor(QPalette::Base, colour(Role::base));
    palette.setColor(QPalette::AlternateBase, colour(Role::alt));
    palette.setColor(QPalette::Button, colour(Role::raised));
    palette.setColor(QPalette::ToolTipBase, colour(Role::raised));
    palette.setColor(QPalette::ToolTipText, colour(Role::text));
    palette.setColor(QPalette::WindowText, colour(Role::text));
    palette.setColor(QPalette::Text, colour(Role::text));
    palette.setColor(QPalette::ButtonText, colour(Role::text));
    palette.setColor(QPalette::BrightText, colour(Role::accentText));
    palette.setColor(QPalette::PlaceholderText, colour(Role::text3));
    palette.setColor(QPalette::Highlight, colour(Role::sel));
    palette.setColor(QPalette::HighlightedText, colour(Role::text));
    palette.setColor(QPalette::Link, colour(Role::accent));
    palette.setColor(QPalette::LinkVisited, colour(Role::accent));
    palette.setColor(QPalette::Light, colour(Role::raised));
    palette.setColor(QPalette::Midlight, colour(Role::header));
    palette.setColor(QPalette::Mid, colour(Role::line));
    palette.setColor(QPalette::Dark, colour(Role::line2));
    palette.setColor(QPalette::Shadow, colour(Role::line2));
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
        QColor faint = colour(Role::text);
        faint.setAlphaF(0.4F);
        palette.setColor(QPalette::Disabled, role, faint);
    }
    return palette;
}

} // namespace alidade::views
