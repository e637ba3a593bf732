// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"
#include "views/serving/test_time_data.h"

namespace alidade::views {

/// The names of the two curves and of the target in a plot of an answered question. They find their places
/// when the plot is drawn, so that none is on another, on a curve or on a line; what finds none is in the
/// card of the points and in the table.
class TestTimeLabels : public PlotArt {
public:
    /// \param data of the owner, which it keeps
    TestTimeLabels(PlotBase& owner, TestTimeMeasure measure, const TestTimeData& data);

    const PlacedLabels& placed() const { return placed_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QList<QPointF> curve(bool strong) const; ///< in pixels; what is not known is left out
    void addName(LabelPlacer& labels, const QString& name, bool strong) const;

    TestTimeMeasure measure_;
    const TestTimeData& data_;
    PlacedLabels placed_;
};

} // namespace alidade::views
