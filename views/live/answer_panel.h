// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/plan_actual.h"

#include <QWidget>

class QGridLayout;

namespace alidade::views {

class TextLabel;

/// How far the job is off its plan, and why: verdict, steps, losses, dollars.
class AnswerPanel : public QWidget {
    Q_OBJECT
public:
    explicit AnswerPanel(QWidget* parent = nullptr);
    void setComparison(const PlanActual& comparison);
    QString verdict() const;
    /// Label and value of each row.
    const QList<std::pair<QString, QString>>& rows() const { return rows_; }

private:
    TextLabel *verdict_, *because_;
    QGridLayout* grid_;
    QList<std::pair<QString, QString>> rows_;
};

} // namespace alidade::views
