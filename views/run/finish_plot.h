// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/run/run_story.h"

namespace alidade::views {

class FinishArt;

/// Days to finish over the simulated outcomes: their histogram, the share that has ended, its 10 %, 50 % and
/// 90 % quantiles, and the share that meets the deadline.
class FinishPlot : public PlotBase {
    Q_OBJECT
public:
    explicit FinishPlot(QWidget* parent = nullptr);

    /// \param story with outcomes
    void setStory(const RunStoryPtr& story);
    /// Share of the outcomes that meet the deadline; absent without one.
    std::optional<double> inTime() const;
    int barTimes() const; ///< bars are drawn so many times as high as the axis says
    PlacedLabels labels() const;

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    RunStoryPtr story_;
    FinishArt* art_;
};

} // namespace alidade::views
