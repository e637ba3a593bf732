// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QWidget>

class QMenu;

// What a person does, for tests that drive widgets: beside what Qt Test has already.

/// Turns the wheel over the middle of the widget, or over a place in it.
void wheel(QWidget* widget, int notches, Qt::KeyboardModifiers modifiers = {});
void wheelAt(QWidget* widget, QPointF place, int notches, Qt::KeyboardModifiers modifiers = {});
/// Presses at one place, moves in four steps, releases at the other.
void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {});
/// Moves the pointer there, no button down.
void moveTo(QWidget* widget, QPoint place);
/// Presses the menu key; returns the menu that came up, or null.
QMenu* askForMenu(QWidget* widget);
