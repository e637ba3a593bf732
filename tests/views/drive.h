// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QPoint>
#include <QPolygonF>
#include <QSize>
#include <QString>
#include <QWidget>

#include <utility>

class QMenu;

// What a person does, for tests that drive widgets: next to what Qt Test has already.

/// Opens the window, in a size or in the one that it has, and waits until it is the active one: a window
/// manager has then placed it, and no answer of its own about the size is on the way any more.
void present(QWidget& window, const QSize& size = {});
/// Lets the event loop turn until layouts and plots, which are renewed in its next turns, have come to rest:
/// on a busy machine time alone would pass without a turn.
void settle();
/// What its visible labels say, a line each.
QString wordsOn(const QWidget& widget);
/// The first label of a plot that is on another one, as "this on that", or nothing.
QString clash(const QList<std::pair<QString, QPolygonF>>& labels);
/// Turns the wheel over the middle of the widget, or over a place in it.
void wheel(QWidget* widget, int notches, Qt::KeyboardModifiers modifiers = {});
void wheelAt(QWidget* widget, QPointF place, int notches, Qt::KeyboardModifiers modifiers = {});
/// Presses at one place, moves in four steps, releases at the other.
void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {});
/// Moves the pointer there, no button down.
void moveTo(QWidget* widget, QPoint place);
/// Presses the menu key; returns the menu that came up, or null.
QMenu* askForMenu(QWidget* widget);
