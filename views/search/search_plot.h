// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "views/kit/plot_base.h"
#include "views/search/search_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QAction;

namespace alidade::views {

class SearchArt;

/// Plans over two figures, each in the color and with the marker of what bounds it: a sample of all that run
/// in faint, those of the list in full; the front as a line, the present plan in a ring and the chosen one
/// filled. A click chooses a plan, the arrow keys one of the list. Zooming in, and a rectangle of the brush,
/// leave in the list only what is inside.
class SearchPlot : public PlotBase {
    Q_OBJECT

public:
    explicit SearchPlot(QWidget* parent = nullptr);

    /// \param plans the ones that the list shows, in its order
    /// \param more the same search as the answer before: what a person sees of the picture stays
    void setAnswer(const std::shared_ptr<const CatalogSearch>& answer, const std::vector<FoundPlan>& plans,
                   bool more = false);
    /// Figures of the axes; null: those that were searched for.
    void setAxes(const PlanFigure* up, const PlanFigure* right);
    const PlanFigure* up() const { return up_; }
    const PlanFigure* right() const { return right_; }
    /// \param plan of the list or not; nullopt: none
    void setChosen(const std::optional<FoundPlan>& plan);

    /// Whether the plan of the list is in the rectangle of the brush and, when a person has zoomed into the
    /// picture, is in view.
    bool isInView(int plan) const;
    bool hasBrush() const { return brush_.has_value(); } ///< there is a rectangle
    QPointF placeOf(int plan) const;                     ///< in pixels of plot()
    QPointF placeOfSampled(std::size_t plan) const;      ///< the same; place in the sample of the answer
    std::optional<Bound> boundOfSampled(std::size_t plan) const;

    /// Turning it off takes the rectangle away.
    QAction* brushAction() const { return brushAction_; }

signals:
    void chosen(std::uint64_t index); ///< of a plan in its space
    void viewChanged();               ///< other plans are in view

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void renew(bool more);
    void clearBrush();
    double sampled(std::size_t plan, const PlanFigure& figure) const;
    void showRange(PlotAxis which, double low, double high);
    /// The nearest plan, of the list first.
    std::optional<std::uint64_t> planAt(const QPointF& position) const;
    int listed(std::uint64_t index) const; ///< place in the list; -1: none
    PlotSpot spotOf(std::uint64_t index) const;

    std::shared_ptr<const CatalogSearch> answer_;
    std::vector<FoundPlan> plans_;                                  ///< of the list
    const PlanFigure *up_ = nullptr, *right_ = nullptr;             ///< shown
    const PlanFigure *wantedUp_ = nullptr, *wantedRight_ = nullptr; ///< by a person
    std::optional<FoundPlan> chosen_;
    std::optional<QRectF> brush_; ///< in the figures of the axes
    QAction* brushAction_;
    SearchArt* art_;
};

} // namespace alidade::views
