// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/run_estimate.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"

#include <optional>

namespace alidade::views {

class IntervalArt;

/// Goodput against the checkpoint interval: the present one, the optimum of Young, that of Daly and the exact
/// one. A click, or Left and Right, choose another interval; Enter takes it.
class IntervalPlot : public PlotBase {
    Q_OBJECT
public:
    explicit IntervalPlot(QWidget* parent = nullptr);

    /// \param run whose interval is a choice, see hasInterval()
    void setRun(const Run& run);
    /// Minutes; goodput 0..1.
    QPointF presentMark() const;
    QPointF bestMark() const;
    /// Where an interval stands, in pixels of plot().
    QPointF placeOf(double seconds) const;
    PlacedLabels labels() const;

signals:
    /// \param seconds of training time, with two digits
    void chosen(double seconds);
    void adopted();

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    PlotSpot spotOf(double seconds) const;
    void choose(double seconds);

    std::optional<Run> run_;
    IntervalArt* art_;
};

} // namespace alidade::views
