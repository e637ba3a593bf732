// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/search/search_source.h"

namespace alidade::views {

class SearchArt;

/// Plans over two figures: a sample of all that run in faint, those of the list in ink, the front as a line,
/// the present plan in a ring and the chosen one filled. A click or the arrow keys choose a plan of the list.
class SearchPlot : public PlotBase {
    Q_OBJECT

public:
    explicit SearchPlot(QWidget* parent = nullptr);

    /// \param plans the ones that the list shows, in its order
    void setAnswer(const std::shared_ptr<const CatalogSearch>& answer, const std::vector<FoundPlan>& plans);
    void setChosen(int plan); ///< place in the list; -1: none

    QPointF placeOf(int plan) const; ///< in pixels of plot()

signals:
    void chosen(int plan);

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void showRange(PlotAxis which, double low, double high);
    int planAt(const QPointF& position) const; ///< -1: none is near
    PlotSpot spotOf(int plan) const;

    std::shared_ptr<const CatalogSearch> answer_;
    SearchArt* art_;
};

} // namespace alidade::views
