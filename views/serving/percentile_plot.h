// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/serving/percentile_data.h"

class QCPGraph;

namespace alidade::views {

class PercentileLabels;

/// The distributions of the latencies of a request: which share is faster than a time. The usual percentiles
/// are marked on each curve; targets are as lines.
class PercentilePlot : public PlotBase {
    Q_OBJECT
public:
    explicit PercentilePlot(QWidget* parent = nullptr);

    void setData(const PercentileData& data);
    const PercentileData& data() const { return data_; }
    /// The curves of a baseline, thin and pale in the dashes of their latencies; without curves: there is
    /// none.
    void setBaseline(const PercentileData& data);
    bool hasBaseline() const;
    /// Of curve `curve` of data(), in pixels of plot().
    QPointF markPlace(int curve, int mark) const;
    int marks() const; ///< that are drawn, over all curves
    /// The words that found a place when it was last drawn.
    const PlacedLabels& labels() const;

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    struct Drawn {
        QCPGraph *line = nullptr, *marks = nullptr, *target = nullptr, *before = nullptr;
    };
    void makeCurve(RequestLatency latency);
    void showCurve(Drawn& drawn, const LatencyCurve* curve);
    QPointF place(int curve, double share) const;

    PercentileData data_;
    std::array<Drawn, requestLatencies> drawn_;
    PercentileLabels* labels_ = nullptr;
};

} // namespace alidade::views
