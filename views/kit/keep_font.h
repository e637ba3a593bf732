// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"

#include <QObject>

class QWidget;

namespace alidade::views {

/// Gives a widget a font of the theme for good: through changes of theme and size, and after whatever
/// sets the fonts of all widgets anew. Owned by the widget.
class KeepFont : public QObject {
    Q_OBJECT
public:
    static void on(QWidget* widget, FontRole role);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    KeepFont(QWidget* widget, FontRole role);
    void dress();

    QWidget* widget_;
    FontRole role_;
    bool dressing_ = false;
};

} // namespace alidade::views
