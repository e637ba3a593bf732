// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/roofline/roofline_data.h"

namespace alidade::views {

class RooflineArt;

/// The picture of a roofline: hover tells about a point, a click or Enter chooses it, arrow keys walk from
/// point to point in the order of their intensity (with Shift they pan).
class RooflinePlot : public PlotBase {
    Q_OBJECT
public:
    explicit RooflinePlot(QWidget* parent = nullptr);

    void setData(const RooflineData& data);
    const RooflineData& data() const;
    /// -1: none
    void setSelected(int point);
    int selected() const;
    /// Where a point is drawn, in pixels of plot().
    QPointF placeOf(int point) const;

signals:
    void pointChosen(int point);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;

private:
    void walk(int steps);
    PlotSpot spotOf(int point) const;

    RooflineArt* art_;
};

} // namespace alidade::views
