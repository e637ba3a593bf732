// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/serving/percentile_data.h"

namespace alidade::views {

/// The words in a plot of percentiles, which find their places when it is drawn: names of curves and of
/// targets clear of curves, lines and each other, the percentiles next to the plot.
class PercentileLabels : public PlotArt {
public:
    /// \param data of the owner, which it keeps
    PercentileLabels(PlotBase& owner, const PercentileData& data);

    const PlacedLabels& placed() const { return placed_; }
    /// Ink of a curve and of its name.
    static Role inkOf(RequestLatency latency);
    /// The longest of the percentiles next to the plot.
    static QString highestPercentiles();

protected:
    void draw(QCPPainter* painter) override;

private:
    void keepPictureFree(LabelPlacer& labels) const;
    void addCurve(LabelPlacer& labels, const LatencyCurve& curve) const;
    void addTarget(LabelPlacer& labels, const LatencyCurve& curve) const;
    void addPercentiles(LabelPlacer& labels) const;

    const PercentileData& data_;
    PlacedLabels placed_;
};

} // namespace alidade::views
