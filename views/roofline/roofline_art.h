// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/roofline/roofline_data.h"

namespace alidade::views {

/// What is in a roofline plot: roofs with their labels, ridges, and the points. Operations without
/// arithmetic have no place on a logarithmic axis: they hang in a strip at the left edge, as far below the
/// HBM roof as their share of its bandwidth says.
class RooflineArt : public PlotArt {
public:
    explicit RooflineArt(PlotBase& owner);

    void setData(const RooflineData& data) { data_ = data; }
    const RooflineData& data() const { return data_; }
    void setSelected(int point) { selected_ = point; }
    int selected() const { return selected_; }

    /// Share of the plot's width that the strip takes; 0: there is none.
    double stripShare() const;
    /// Where the strip ends, in pixels.
    double stripEnd() const;
    /// In pixels of the plot; may be outside of what is seen.
    QPointF place(int point) const;
    /// The nearest point within reach of a finger's width; -1 if there is none.
    int pointAt(const QPointF& position) const;
    /// What the nearest roof says; nothing where there is none close by.
    std::optional<CardContent> roofAt(const QPointF& position) const;
    /// The labels that found a place when it was last drawn.
    const PlacedLabels& labels() const { return placed_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QLineF fabricLine(double bytesPerSecond, double from, double to) const;
    QLineF hbmLine(double from, double to) const; ///< between two intensities
    QLineF lineOf(const FabricRoof& fabric) const;
    QLineF peakLine(double flopsPerSecond) const;
    QLineF seen(const QLineF& line) const;
    void keepLinesFree(LabelPlacer& labels) const;
    void labelRoofs(LabelPlacer& labels) const;
    void drawRoofs(QPainter& painter, LabelPlacer& labels) const;
    void drawFabrics(QPainter& painter, LabelPlacer& labels) const;
    void drawRidges(QPainter& painter, LabelPlacer& labels) const;
    void drawStrip(QPainter& painter, LabelPlacer& labels) const;
    void drawTrail(QPainter& painter, int point) const;
    void drawPoints(QCPPainter& painter) const;

    RooflineData data_;
    int selected_ = -1;
    PlacedLabels placed_;
};

} // namespace alidade::views
