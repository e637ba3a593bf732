// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/serving/load_data.h"

namespace alidade::views {

/// The words in a plot of latency against load. They find their places when the plot is drawn, so that none
/// is on another, on a curve or on a line: the load first, then the name of the strong curve, the target,
/// the grounds and the mean. What finds no place is in the card of the points and in the table.
class LoadLabels : public PlotArt {
public:
    /// \param data of the owner, which it keeps
    LoadLabels(PlotBase& owner, Latency latency, const LoadData& data);

    const PlacedLabels& placed() const { return placed_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    using Value = double (*)(const LoadPoint&, Latency);
    QPointF cutPixel(double load, double seconds) const; ///< not far outside of what is seen
    LabelPlacer::Look look(Role ink) const;
    double rowHeight() const;
    QLineF across(double seconds) const; ///< a line over the whole width
    void keepPictureFree(LabelPlacer& labels) const;
    void addPresent(LabelPlacer& labels) const;
    void addTarget(LabelPlacer& labels) const;
    void addGrounds(LabelPlacer& labels) const;
    void addName(LabelPlacer& labels, const QString& name, bool strong) const;

    Latency latency_;
    const LoadData& data_;
    PlacedLabels placed_;
};

} // namespace alidade::views
