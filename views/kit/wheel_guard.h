// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace alidade::views {

/// Keeps the wheel from changing a combo or spin box in a scrolling panel unless it has the focus. Owned by
/// the widget.
class WheelGuard : public QObject {
    Q_OBJECT
public:
    static void install(QWidget* widget);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace alidade::views
