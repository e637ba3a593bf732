// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"

#include <qcustomplot.h>

namespace alidade::views {

/// What an owner paints into its plot by its own hand. It is not an item that could be selected, and may
/// paint next to the axes too.
class PlotArt : public QCPAbstractItem {
public:
    double selectTest(const QPointF&, bool, QVariant*) const final { return -1; }

protected:
    enum class Clip { none, axes };
    explicit PlotArt(PlotBase& owner, Clip clip = Clip::none)
        : QCPAbstractItem(owner.plot())
        , owner_(owner) {
        setSelectable(false);
        setClipToAxisRect(clip == Clip::axes);
    }

    /// The rectangle between the axes, in pixels of the plot, as what follows.
    QRectF area() const { return parentPlot()->axisRect()->rect(); }
    double pixelX(double value) const { return parentPlot()->xAxis->coordToPixel(value); }
    double pixelY(double value) const { return parentPlot()->yAxis->coordToPixel(value); }
    QPointF pixel(double x, double y) const { return {pixelX(x), pixelY(y)}; }

    PlotBase& owner_;
};

} // namespace alidade::views
