// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLineEdit;
class QMainWindow;

namespace alidade::views {
class CellTable;
}

namespace alidade::app {

/// All keys, in a separate window during the work. The list is made anew from the window's actions each
/// time that it opens.
class ShortcutsWindow : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutsWindow(QMainWindow& window);

    void open() override;
    views::CellTable* table() const { return table_; }

private:
    void fill(const QString& words);

    QMainWindow& window_;
    QLineEdit* words_;
    views::CellTable* table_;
};

} // namespace alidade::app
