// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include <utility>

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
    QString sheet = QStringLiteral(
        "QMainWindow::separator{background:%line;width:1px;height:1px}"
        "QToolBar#rail QToolButton{border:0;border-left:3px solid transparent;color:%text2;font-size:%small;"
        "min-width:%railWidth;padding:7px 3px 7px 0px}"
        "QToolBar#rail QToolButton:hover{color:%text}"
        "QToolBar#rail QToolButton:focus{background:%sel}"
        "QToolBar#rail QToolButton:checked{border-left-color:%accent;color:%accent}"
        "QStatusBar{background:%header;border-top:1px solid %line}"
        "QStatusBar::item{border:0}"
        "QDockWidget::title{background:%header;border-bottom:1px solid %line;padding:8px 12px}"
        "QHeaderView{background:%header;border:0}"
        "QHeaderView::section{background:%header;color:%text2;border:0;border-bottom:1px solid "
        "%line;padding:0 8px}"
        "QTabWidget::pane{border:0;border-top:1px solid %line}"
        "QTabBar{background:%header}"
        "QTabBar::tab{background:%header;color:%text2;border:0;border-bottom:2px solid "
        "transparent;padding:6px 12px}"
        "QTabBar::tab:hover,QTabBar::tab:selected{color:%text}"
        "QTabBar::tab:selected{border-bottom-color:%accent}"
        "QTabBar::tab:selected:focus{background:%sel}"
        "QScrollBar{background:%window;border:0}"
        "QScrollBar:vertical{width:12px}"
        "QScrollBar:horizontal{height:12px}"
        "QScrollBar::handle{background:%line2;border-radius:4px;margin:2px;min-height:24px;min-width:24px}"
        "QScrollBar::handle:hover{background:%text3}"
        "QScrollBar::add-line,QScrollBar::sub-line{width:0;height:0}"
        "QScrollBar::add-page,QScrollBar::sub-page{background:transparent}"
        "QProgressBar{background:%sunken;border:0;border-radius:3px;color:%text;text-align:center}"
        "QProgressBar::chunk{background:%accent;border-radius:3px}"
        "QToolTip{background:%raised;color:%text;border:1px solid %line2;padding:4px}");
    const QList<std::pair<QLatin1StringView, Role>> colours{
        {QLatin1StringView("%accent"), Role::accent}, {QLatin1StringView("%header"), Role::header},
        {QLatin1StringView("%line2"), Role::line2},   {QLatin1StringView("%line"), Role::line},
        {QLatin1StringView("%raised"), Role::raised}, {QLatin1StringView("%sel"), Role::sel},
        {QLatin1StringView("%sunken"), Role::sunken}, {QLatin1StringView("%text2"), Role::text2},
        {QLatin1StringView("%text3"), Role::text3},   {QLatin1StringView("%text"), Role::text},
        {QLatin1StringView("%window"), Role::window}}; // a token that begins like another one comes first
    for (const auto& [token, role] : colours)
        sheet.replace(token, colour(role).name());
    sheet.replace(QLatin1StringView("%small"),
                  QStringLiteral("%1pt").arg(font(FontRole::small).pointSizeF()));
    sheet.replace(QLatin1StringView("%railWidth"), QStringLiteral("%1px").arg(px(63)));
    return sheet;
}

} // namespace alidade::views
