// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>

class QActionGroup;

namespace alidade::views {

/// The bar of views at the left edge: icon above a word, exactly one checked, an accent mark at the edge
/// next to it.
class Rail : public QToolBar {
    Q_OBJECT
public:
    explicit Rail(QWidget* parent = nullptr);

    /// The first one is checked. `iconName` as for `icon()`.
    QAction* addView(const QString& iconName, const QString& text);
    void setCurrent(int index);
    int current() const;

signals:
    void currentChanged(int index);

private:
    void dress();
    QActionGroup* group_;
};

} // namespace alidade::views
