// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/roofline/roofline_data.h"

namespace alidade::views {

class RooflineArt;

/// The picture of a roofline: hover tells about a point, a click or Enter chooses it, arrow keys walk from
/// point to point in the order of their intensity (with Shift they pan); Enter and the menu explain the
/// chosen one.
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
    /// The labels that found a place when it was last drawn. Roofs without one tell about themselves where
    /// the pointer rests on them.
    const PlacedLabels& labels() const;

signals:
    void pointChosen(int point);
    void explainRequested(int point);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void fillMenu(QMenu* menu) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showRates();
    void walk(int steps);
    PlotSpot spotOf(int point) const;

    RooflineArt* art_;
};

} // namespace alidade::views
