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

QString Theme::styleSheet() const {
    const QString sheet = QStringLiteral(
        "QMainWindow::separator{background:%line;width:1px;height:1px}"
        "QToolBar{background:%header;border:0;border-bottom:1px solid %line;spacing:6px;padding:0 8px}"
        "QToolBar#rail{border:0;border-right:1px solid %line;padding:6px 0;spacing:0}"
        "QToolBar#rail QToolButton{border:0;border-left:3px solid transparent;color:%text2;padding:7px 3px "
        "7px 0}"
        "QToolBar#rail QToolButton:hover{color:%text}"
        "QToolBar#rail QToolButton:focus{background:%sel}"
        "QToolBar#rail QToolButton:checked{border-left-color:%accent;color:%accent}"
        "QStatusBar{background:%header;border-top:1px solid %line}"
        "QStatusBar::item{border:0}"
        "QHeaderView{background:%header;border:0}"
        "QHeaderView::section{background:%header;color:%text2;border:0;border-bottom:1px solid "
        "%line;padding:0 8px}"
        "QToolTip{background:%raised;color:%text;border:1px solid %line2;padding:4px}");
    QString result = sheet;
    struct Name {
        QLatin1StringView token;
        Role role;
    };
    // A token that begins like another one comes first.
    for (const auto& [token, role] :
         {Name{QLatin1StringView("%accent"), Role::accent}, Name{QLatin1StringView("%header"), Role::header},
          Name{QLatin1StringView("%line2"), Role::line2}, Name{QLatin1StringView("%line"), Role::line},
          Name{QLatin1StringView("%raised"), Role::raised}, Name{QLatin1StringView("%sel"), Role::sel},
          Name{QLatin1StringView("%text2"), Role::text2}, Name{QLatin1StringView("%text"), Role::text}})
        result.replace(token, colour(role).name());
    return result;
}

} // namespace alidade::views
