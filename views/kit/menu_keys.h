// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace alidade::views {

/// Opens the context menu of the focused widget with Shift+F10 and the Menu key, everywhere in the
/// application. X11 sends a context menu event for the Menu key alone, other platforms for neither.
class MenuKeys : public QObject {
    Q_OBJECT
public:
    explicit MenuKeys(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace alidade::views
