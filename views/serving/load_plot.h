// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/serving/load_data.h"

class QCPGraph;
class QCPItemRect;
class QCPItemStraightLine;

namespace alidade::views {

class LoadLabels;

/// One latency against load: at the scenario's percentile strong, its mean thin, its target as a line, the
/// scenario's load as a line with a mark, the loads that meet the targets and those that are not stable as
/// grounds. A click or Left and Right choose a point of the curve, Enter uses its load.
class LoadPlot : public PlotBase {
    Q_OBJECT
public:
    explicit LoadPlot(Latency latency, QWidget* parent = nullptr);

    void setData(const LoadData& data);
    const LoadData& data() const { return data_; }
    /// The curve of a baseline, at the percentile; without points: there is none.
    void setBaseline(const LoadData& data);
    bool hasBaseline() const;
    void setSelected(int point); ///< -1: none
    int selected() const { return selected_; }
    void setLoadAxisTitle(bool shown); ///< of two plots one over the other only the lower has it

    /// In pixels of plot().
    QPointF placeOf(int point) const;
    QPointF presentPlace() const; ///< null where the present load has no finite latency
    double targetY() const;       ///< NaN without a target
    /// Ends of the ground of the loads that meet the targets; equal where there is none.
    std::pair<double, double> groundWithin() const;

    /// The words that found a place when it was last drawn.
    const PlacedLabels& labels() const;

signals:
    void chosen(int point);
    void used(int point);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;

private:
    void makeGrounds();
    void makeCurves();
    void makePresent();
    void showGrounds();
    void showPresent();
    int pointAt(const QPointF& position) const;
    PlotSpot spotOf(int point) const;

    Latency latency_;
    LoadData data_;
    int selected_ = -1;
    QCPItemRect *within_ = nullptr, *unstable_ = nullptr;
    QCPGraph *strong_ = nullptr, *mean_ = nullptr, *ring_ = nullptr, *before_ = nullptr;
    QCPItemStraightLine *presentLine_ = nullptr, *targetLine_ = nullptr;
    QCPGraph* presentMark_ = nullptr;
    LoadLabels* labels_ = nullptr;
};

} // namespace alidade::views
