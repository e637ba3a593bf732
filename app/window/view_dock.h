// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace alidade::views {
class View;
}

namespace alidade::app {

/// A dock that holds one view. Its title bar has the view's icon, title and note at the left, its aside and
/// its buttons at the right; the context menu floats and closes it.
class ViewDock : public QDockWidget {
    Q_OBJECT

public:
    /// \param name object name, under which the layout is saved: "layers"
    ViewDock(const QString& name, views::View* view, QWidget* parent);

    views::View* view() const { return view_; }

private:
    views::View* view_;
};

} // namespace alidade::app
