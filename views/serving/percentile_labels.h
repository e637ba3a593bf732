// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/serving/percentile_data.h"

#include <qcustomplot.h>

namespace alidade::views {

class PlotBase;

/// The words in a plot of percentiles, which find their places when it is drawn: names of curves and of
/// targets clear of curves, lines and each other, the percentiles beside the plot.
class PercentileLabels : public QCPAbstractItem {
public:
    explicit PercentileLabels(PlotBase& owner);

    void setData(const PercentileData& data) { data_ = data; }
    const PlacedLabels& placed() const { return placed_; }
    /// Ink of a curve and of its name.
    static Role inkOf(RequestLatency latency);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QPointF pixel(double seconds, double share) const;
    void keepPictureFree(LabelPlacer& labels) const;
    void addCurve(LabelPlacer& labels, const LatencyCurve& curve) const;
    void addTarget(LabelPlacer& labels, const LatencyCurve& curve) const;
    void addPercentiles(LabelPlacer& labels) const;

    PlotBase& owner_;
    PercentileData data_;
    PlacedLabels placed_;
};

} // namespace alidade::views
