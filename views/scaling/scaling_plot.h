// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scaling/training_budget.h"
#include "views/kit/plot_base.h"

#include <memory>

namespace alidade::views {

class ScalingArt;

/// "1.956": losses differ in the third digit after the point.
QString lossText(double loss);

/// Loss over the size of the model for one budget: a curve per machine, its best size marked. A click or the
/// arrow keys choose a size, Enter adopts it.
class ScalingPlot : public PlotBase {
    Q_OBJECT

public:
    explicit ScalingPlot(QWidget* parent = nullptr);

    /// Null: nothing has been asked yet.
    void setAnswer(const std::shared_ptr<const BudgetAnswer>& answer, const LossLaw& law);
    /// -1, -1: none.
    void setChosen(int curve, int model);

signals:
    void chosen(int curve, int model);
    void adopted(); ///< the chosen one, with Enter

protected:
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ScalingArt* art_;
};

} // namespace alidade::views
