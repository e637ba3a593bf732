// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace alidade::app {

/// Gives Ctrl+Z and its counterpart to the window while the caret is in a field that has no typing
/// to undo. (Qt's fields keep both keys for themselves even then.) Typing that is not committed is undone by
/// the field as usual.
class UndoKeys : public QObject {
    Q_OBJECT

public:
    explicit UndoKeys(QWidget* window);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* window_;
};

} // namespace alidade::app
