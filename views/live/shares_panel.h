// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/plan_actual.h"

#include <QWidget>

#include <vector>

namespace alidade::views {

/// Where the time goes by the model, next to how busy the hardware says it is: a pair of bars a unit.
class SharesPanel : public QWidget {
    Q_OBJECT
public:
    explicit SharesPanel(QWidget* parent = nullptr);
    void setShares(const std::vector<ActivityShare>& shares);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<ActivityShare> shares_;
};

} // namespace alidade::views
