// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QWidget>

namespace alidade::views {

class Theme;

/// Of a node that has data but made no step.
QColor stoodStill(const Theme& look);

/// Legend of the charts: "plan, low–high" and "measured".
class ChartKey : public QWidget {
    Q_OBJECT
public:
    explicit ChartKey(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Legend of the map of nodes: the ramp with its ends, and what no data looks like.
class NodeKey : public QWidget {
    Q_OBJECT
public:
    explicit NodeKey(QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace alidade::views
