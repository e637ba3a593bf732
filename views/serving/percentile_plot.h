// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/serving/percentile_data.h"

class QCPGraph;
class QCPItemLine;
class QCPItemText;

namespace alidade::views {

/// The distributions of the latencies of a request: which share is faster than a time. The usual percentiles
/// are marked on each curve; targets stand as lines.
class PercentilePlot : public PlotBase {
    Q_OBJECT
public:
    explicit PercentilePlot(QWidget* parent = nullptr);

    void setData(const PercentileData& data);
    const PercentileData& data() const { return data_; }
    /// Of curve `curve` of data(), in pixels of plot().
    QPointF markPlace(int curve, int mark) const;
    int marks() const; ///< that are drawn, over all curves

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    struct Drawn {
        QCPGraph *line = nullptr, *marks = nullptr, *target = nullptr;
        QCPItemText *name = nullptr, *targetName = nullptr;
    };
    void makeCurve(RequestLatency latency);
    void showCurve(Drawn& drawn, const LatencyCurve* curve);
    QPointF place(int curve, double share) const;

    PercentileData data_;
    std::array<Drawn, requestLatencies> drawn_;
};

} // namespace alidade::views
