// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_policy.h"

#include <QList>
#include <QWidget>

class QDoubleSpinBox;

namespace alidade::views {

/// When a measurement counts as a fault: one field a limit.
class PolicyLimits : public QWidget {
    Q_OBJECT
public:
    explicit PolicyLimits(QWidget* parent = nullptr);
    void setLimits(const HealthLimits& limits, bool editable);
    HealthLimits limits() const;

signals:
    void edited();

private:
    QList<QDoubleSpinBox*> fields_; ///< in the order of the table of limits
};

} // namespace alidade::views
