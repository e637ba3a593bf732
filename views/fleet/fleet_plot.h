// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet.h"
#include "views/kit/plot_base.h"

#include <memory>

namespace alidade::views {

class FleetArt;

/// Instances in use over the day or week, stacked by pool, against the base that is paid all the time.
class FleetPlot : public PlotBase {
    Q_OBJECT

public:
    explicit FleetPlot(QWidget* parent = nullptr);

    /// Null: nothing has been planned yet.
    void setPlan(const std::shared_ptr<const FleetPlan>& plan, const Fleet& fleet);

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    FleetArt* art_;
};

} // namespace alidade::views
