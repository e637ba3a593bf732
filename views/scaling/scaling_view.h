// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scaling/training_budget.h"
#include "views/document/view.h"
#include "views/explore/question_page.h"

#include <memory>

class QPushButton;
class QStackedWidget;

namespace alidade::views {

class BudgetForm;
class CellTable;
class EmptyState;
class ExplorePanel;
class ScalingPlot;

/// What to train for a budget: the scenario's model at other sizes, each with its best plan and the tokens
/// that the money pays for. A size can be adopted as the scenario, in one step to undo.
class ScalingView : public View {
    Q_OBJECT

public:
    explicit ScalingView(Document* document, QWidget* parent = nullptr);
    ~ScalingView() override;

    QString title() const override { return tr("Scaling"); }
    QString iconName() const override { return QStringLiteral("scaling"); }

    bool isBusy() const;

    // For tests and pictures
    BudgetForm* form() const { return form_; }
    ScalingPlot* plot() const { return plot_; }
    CellTable* table() const { return table_; }
    QPushButton* adoptButton() const { return adopt_; }
    QString sentence() const;
    /// The newest answer; null before the first.
    const std::shared_ptr<const BudgetAnswer>& answer() const { return answer_; }

signals:
    void finished();

protected:
    void updateEstimate() override;

private:
    struct Answered {
        BudgetQuestion question;
        ScenarioSpec spec;
        std::shared_ptr<const BudgetAnswer> answer;
        std::string error;
    };
    QWidget* makeTable();
    void ask();
    void take(const std::shared_ptr<const Answered>& answered);
    void forget();
    void showAnswer();
    void choose(int curve, int model);
    void adopt();
    const BudgetModel* chosen() const;

    std::shared_ptr<const Answered> answered_;
    std::shared_ptr<const BudgetAnswer> answer_;
    QStackedWidget* states_;
    EmptyState* empty_;
    QPushButton* adopt_;
    BudgetForm* form_;
    ExplorePanel* panel_;
    ScalingPlot* plot_;
    CellTable* table_;
    QuestionPage* page_;
    QuestionTask<Answered> task_;
    int curve_ = -1, model_ = -1;
};

} // namespace alidade::views
