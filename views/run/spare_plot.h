// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/run/run_story.h"

namespace alidade::views {

class SpareArt;

/// What spare nodes cost: their rent, the rent of a cluster that waits for a repair, and both together with
/// the minimum and the present number.
class SparePlot : public PlotBase {
    Q_OBJECT
public:
    explicit SparePlot(QWidget* parent = nullptr);

    /// \param story with spares
    void setStory(const RunStoryPtr& story);
    int bestSpares() const; ///< of the curve
    PlacedLabels labels() const;

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    RunStoryPtr story_;
    SpareArt* art_;
};

} // namespace alidade::views
