// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/layers/experts_data.h"

namespace alidade::views {

class ExpertsArt;

/// Expected load of each GPU or expert, the busiest first, against the mean, what the estimate uses, and the
/// capacity. Left and Right walk the bars.
class ExpertsPlot : public PlotBase {
    Q_OBJECT
public:
    explicit ExpertsPlot(QWidget* parent = nullptr);

    void setData(const ExpertLoads& loads);
    const ExpertLoads& data() const;
    void setSelected(int index); ///< -1: none
    int selected() const;
    QRectF barRect(int index) const; ///< in pixels of plot()
    double lineY(double tokens) const;

signals:
    void chosen(int index);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;

private:
    int barAt(const QPointF& position) const;
    PlotSpot spotOf(int index) const;

    ExpertsArt* art_;
};

} // namespace alidade::views
