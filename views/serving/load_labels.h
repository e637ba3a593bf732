// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/serving/load_data.h"

#include <qcustomplot.h>

namespace alidade::views {

class PlotBase;

/// The words in a plot of latency against load. They find their places when the plot is drawn, so that none
/// stands on another, on a curve or on a line: the load first, then the name of the strong curve, the target,
/// the grounds and the mean. What finds no place is in the card of the points and in the table.
class LoadLabels : public QCPAbstractItem {
public:
    LoadLabels(PlotBase& owner, Latency latency);

    void setData(const LoadData& data) { data_ = data; }
    const PlacedLabels& placed() const { return placed_; }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    using Value = double (*)(const LoadPoint&, Latency);
    QPointF pixel(double load, double seconds) const;
    LabelPlacer::Look look(Role ink) const;
    double rowHeight() const;
    QLineF across(double seconds) const; ///< a line over the whole width
    QRectF area() const;
    void keepPictureFree(LabelPlacer& labels) const;
    void addPresent(LabelPlacer& labels) const;
    void addTarget(LabelPlacer& labels) const;
    void addGrounds(LabelPlacer& labels) const;
    void addName(LabelPlacer& labels, const QString& name, Role ink, Value value, Value other) const;

    PlotBase& owner_;
    Latency latency_;
    LoadData data_;
    PlacedLabels placed_;
};

} // namespace alidade::views
