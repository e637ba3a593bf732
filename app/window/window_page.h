// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/custom_values_bar.h"

#include <QString>

#include <functional>

class QUndoStack;
class QWidget;

namespace alidade::app {

/// A page of the window. MainWindow::makePages() lists them once; the rail, the View menu, Ctrl+1 to Ctrl+9,
/// Go to Anything, undo and --view follow from that list.
struct WindowPage {
    QString name; ///< object name of the widget, and chapter of the user guide
    QString text; ///< its word in the rail; empty: it is not in the rail
    const char* icon = nullptr;
    QWidget* widget = nullptr;
    QUndoStack* undo = nullptr; ///< what Ctrl+Z takes back while the page is shown
    /// What the bar of custom values speaks of.
    CustomValuesBar::Figures figures = CustomValuesBar::Figures::several;
    std::function<void()> shown = {}; ///< called when the page comes to the front
};

} // namespace alidade::app
