// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace alidade::views {

/// Scrolls a column of rows up and down. It is never narrower than the rows, which it could not show
/// otherwise: there is no horizontal scroll bar.
class ColumnScroll : public QScrollArea {
    Q_OBJECT
public:
    explicit ColumnScroll(QWidget* content, QWidget* parent = nullptr);
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace alidade::views
