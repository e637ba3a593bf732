// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRect>

class QPainter;
class QStyleOption;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionTab;
class QStyleOptionToolButton;
class QWidget;

/// What KitStyle draws of bars: tabs, titles of columns, scroll bars, the rail, progress. In the colors of
/// the theme, flat.
namespace alidade::views::bars {

/// Logical pixels, as of all that scrolls.
inline constexpr int scrollExtent = 12;
inline constexpr int leastHandle = 28;
/// Logical pixels at the side of a column's title.
inline constexpr int headerPadding = 8;
inline constexpr int headerEdge = 1; ///< below it
inline constexpr int tabMark = 2;    ///< below the tab that is chosen

void drawTabShape(QPainter& painter, const QStyleOptionTab& option);
/// Ink of a tab's label.
QColor tabInk(const QStyleOption& option);

void drawHeaderSection(QPainter& painter, const QRect& rect);

/// The handle of a scroll bar, on its ground.
void drawScrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle);
/// Where the handle is: the groove is all of the bar, which has no buttons.
QRect handleOf(const QStyleOptionSlider& option);

/// The mark at the edge, and the ground of the button with the focus.
void drawRailButton(QPainter& painter, const QStyleOptionToolButton& option);
QColor railInk(const QStyleOption& option);
/// What the label has of the button.
QRect railLabel(const QRect& button);
QSize railButtonSize(const QSize& content);

void drawStatusBar(QPainter& painter, const QRect& rect);
void drawToolTip(QPainter& painter, const QRect& rect);
void drawProgressGround(QPainter& painter, const QRect& rect);
void drawProgress(QPainter& painter, const QStyleOptionProgressBar& option);

} // namespace alidade::views::bars
