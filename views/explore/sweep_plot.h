// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"
#include "views/kit/plot_base.h"

namespace alidade::views {

class SweepArt;

/// One figure over one field: a line with its error band, a mark at each estimate (hollow: does not fit), the
/// classes of the step as a ribbon below on the same axis, and a diamond where another class takes over. A
/// click or the arrow keys choose a point, Enter takes it.
class SweepPlot : public PlotBase {
    Q_OBJECT

public:
    /// \param ribbon false: small, as one of several figures
    explicit SweepPlot(bool ribbon = true, QWidget* parent = nullptr);

    void setAnswer(const std::shared_ptr<const SweepAnswer>& answer, const PlanFigure* figure);
    /// A value that the figure shall reach, as a dashed line; none without one.
    void setTarget(const std::optional<double>& target);
    void setChosen(int point); ///< index; -1: none
    const PlanFigure* figure() const { return figure_; }

    QPointF placeOf(int point) const; ///< in pixels of plot()

signals:
    void chosen(int point);
    void adopted(int point); ///< Enter on the chosen one

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void showAxes();
    int pointAt(const QPointF& position) const;
    PlotSpot spotOf(int point) const;

    std::shared_ptr<const SweepAnswer> answer_;
    const PlanFigure* figure_ = nullptr;
    SweepArt* art_;
};

/// What a point of a sweep has to say, for the card of a plot.
CardContent cardOf(const SweepAnswer& answer, const SweepPoint& point, const PlanFigure& figure);

} // namespace alidade::views
