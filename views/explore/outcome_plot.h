// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"
#include "views/kit/plot_base.h"

namespace alidade::views {

class OutcomeArt;

/// How a figure spreads: a histogram with the 10 %, 50 % and 90 % quantiles, and the part that misses a limit
/// in another tone.
class OutcomePlot : public PlotBase {
    Q_OBJECT

public:
    explicit OutcomePlot(QWidget* parent = nullptr);

    /// \param answer with a figure
    void setAnswer(const std::shared_ptr<const OutcomeAnswer>& answer);

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    std::shared_ptr<const OutcomeAnswer> answer_;
    OutcomeArt* art_;
};

} // namespace alidade::views
