// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"
#include "views/kit/plot_base.h"

namespace alidade::views {

class HeatArt;

/// One figure over two fields: a cell for each estimate, without interpolation; hatched where the plan does
/// not fit, with the edge of that as a line, another line around the cells that reach a goal, and a frame
/// around the present one. A click or the arrow keys choose a cell, Enter takes it.
class HeatPlot : public PlotBase {
    Q_OBJECT

public:
    explicit HeatPlot(QWidget* parent = nullptr);

    void setAnswer(const std::shared_ptr<const SweepAnswer>& answer, const PlanFigure* figure);
    void setTarget(const std::optional<double>& target, bool atMost);
    void setChosen(int point); ///< index into the points of the sweep; -1: none

    QPointF placeOf(int point) const; ///< middle of a cell, in pixels of plot()

signals:
    void chosen(int point);
    void adopted(int point);

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void nameCells();
    int pointAt(const QPointF& position) const;
    PlotSpot spotOf(int point) const;

    std::shared_ptr<const SweepAnswer> answer_;
    const PlanFigure* figure_ = nullptr;
    HeatArt* art_;
};

} // namespace alidade::views
