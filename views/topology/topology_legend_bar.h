// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_look.h"

#include <QWidget>

namespace alidade::views {

/// What the colors say, in one line.
class TopologyLegendBar : public QWidget {
    Q_OBJECT
public:
    explicit TopologyLegendBar(QWidget* parent = nullptr);
    void setLegend(const TopologyLegend& legend);
    const TopologyLegend& legend() const { return legend_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {60, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TopologyLegend legend_;
};

} // namespace alidade::views
