// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_facts.h"

#include <QWidget>

namespace alidade::views {

/// Lines with a name, an amount, a tag and a bar of load. A click or Enter on a line chooses it; the arrow
/// keys go through them.
class TopologyLines : public QWidget {
    Q_OBJECT
public:
    explicit TopologyLines(QWidget* parent = nullptr);
    void setLines(const QList<TopologyLine>& lines);
    const QList<TopologyLine>& lines() const { return lines_; }
    /// -1: none.
    void setCurrent(int line);
    int current() const { return current_; }
    QRect lineRect(int line) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {180, sizeHint().height()}; }

signals:
    void chosen(int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QList<TopologyLine> lines_;
    int current_ = -1;
};

} // namespace alidade::views
