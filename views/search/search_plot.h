// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/search/search_source.h"

#include <memory>
#include <optional>
#include <vector>

namespace alidade::views {

class SearchArt;

/// Plans over two figures: a sample of all that run in faint, those of the list in the color and with the
/// marker of what bounds them, the front as a line, the present plan in a ring and the chosen one filled. A
/// click or the arrow keys choose a plan of the list; zooming in leaves only those in view in the list.
class SearchPlot : public PlotBase {
    Q_OBJECT

public:
    explicit SearchPlot(QWidget* parent = nullptr);

    /// \param plans the ones that the list shows, in its order
    void setAnswer(const std::shared_ptr<const CatalogSearch>& answer, const std::vector<FoundPlan>& plans);
    /// Figures of the axes; null: those that were searched for.
    void setAxes(const PlanFigure* up, const PlanFigure* right);
    const PlanFigure* up() const { return up_; }
    const PlanFigure* right() const { return right_; }
    void setChosen(int plan); ///< place in the list; -1: none

    /// Whether the picture, when a person has zoomed into it, still shows the plan of the list.
    bool isInView(int plan) const;
    QPointF placeOf(int plan) const; ///< in pixels of plot()

signals:
    void chosen(int plan);
    void viewChanged(); ///< other plans are in view

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void renew();
    double sampled(std::size_t plan, const PlanFigure& figure) const;
    void showRange(PlotAxis which, double low, double high);
    int planAt(const QPointF& position) const; ///< -1: none is near
    PlotSpot spotOf(int plan) const;

    std::shared_ptr<const CatalogSearch> answer_;
    std::vector<FoundPlan> plans_;                                  ///< of the list
    const PlanFigure *up_ = nullptr, *right_ = nullptr;             ///< shown
    const PlanFigure *wantedUp_ = nullptr, *wantedRight_ = nullptr; ///< by a person
    SearchArt* art_;
};

} // namespace alidade::views
