// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace alidade::views {

/// A dashed field that says what may be dropped; the window itself takes the drop.
class DropZone : public QWidget {
    Q_OBJECT

public:
    explicit DropZone(const QString& words, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString words_;
};

} // namespace alidade::views
