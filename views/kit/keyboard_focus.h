// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace alidade::views {

/// Whether a widget has the focus and a person works with the keyboard: the focus came by Tab or a shortcut,
/// or a key that moves was pressed since the last click. Only then is a focus ring drawn: with the mouse it
/// tells nothing and looks like a mark of data.
bool keyboardFocus(const QWidget* widget);

} // namespace alidade::views
