// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "views/kit/plot_base.h"

class QCPGraph;
class QCPItemRect;

namespace alidade::views {

/// What a calibration is held against over time.
struct CalibrationSeries {
    QString title;                     ///< "Step time, s"
    bool clock = true;                 ///< times are Unix s; else numbers of steps
    std::vector<double> times, values; ///< values in the unit of the title; NaN: a gap
};

/// The measured line, and over it the time that is left out, with the reasons.
class CalibrationPlot : public PlotBase {
    Q_OBJECT
public:
    explicit CalibrationPlot(QWidget* parent = nullptr);
    void setSeries(const CalibrationSeries& series, const std::vector<ExcludedWindow>& excluded);
    int excluded() const { return static_cast<int>(excluded_.size()); }

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    CalibrationSeries series_;
    std::vector<ExcludedWindow> excluded_;
    QCPGraph* line_;
    QList<QCPItemRect*> bands_;
};

} // namespace alidade::views
