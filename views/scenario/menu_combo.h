// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

class QMenu;

namespace alidade::views {

/// Looks like a combo box and opens a menu, for choices that a list cannot hold: several check marks.
class MenuCombo : public QComboBox {
    Q_OBJECT

public:
    explicit MenuCombo(QWidget* parent = nullptr);

    QMenu* menu() const { return menu_; }
    void setText(const QString& text);
    void showPopup() override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    QMenu* menu_;
};

} // namespace alidade::views
