// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scaling/training_budget.h"
#include "views/kit/question_form.h"

class QComboBox;
class QLineEdit;

namespace alidade::views {

class TextLabel;

/// What the Scaling page is asked: budget, deadline, range of sizes, machines, data and law.
class BudgetForm : public QuestionForm {
    Q_OBJECT

public:
    explicit BudgetForm(QWidget* parent = nullptr);

    /// As typed. \returns the first fault, "Budget: ..."
    Result<BudgetQuestion> question() const;

private:
    QLineEdit *dollars_, *atMost_, *from_, *to_, *machines_, *counts_, *unique_, *served_;
    QComboBox* law_;
    TextLabel* lawText_;
};

} // namespace alidade::views
