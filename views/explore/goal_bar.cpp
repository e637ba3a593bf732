// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/goal_bar.h"

#include "model/units/dimension.h"
#include "model/units/parse.h"
#include "views/document/text.h"
#include "views/explore/pick_combo.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QStyle>

namespace alidade::views {

GoalBar::GoalBar(QWidget* parent)
    : QWidget(parent)
    , variable_(new PickCombo(tr("What may change")))
    , figure_(new PickCombo(tr("The figure of the goal")))
    , sense_(new QComboBox)
    , value_(new QLineEdit)
    , answer_(new TextLabel(FontRole::strong, Role::text))
    , why_(new TextLabel(FontRole::small, Role::text2)) {
    sense_->addItems({tr("at most"), tr("at least")});
    sense_->setAccessibleName(tr("At most or at least"));
    WheelGuard::install(sense_);
    value_->setAccessibleName(tr("The goal"));
    value_->setPlaceholderText(tr("a goal"));
    value_->setMaximumWidth(theme().px(110));
    why_->setElided(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme().px(8));
    const auto word = [&](const QString& text) {
        row->addWidget(new TextLabel(FontRole::body, Role::text2, text));
    };
    word(tr("Find"));
    row->addWidget(variable_);
    word(tr("so that"));
    row->addWidget(figure_);
    word(tr("is"));
    row->addWidget(sense_);
    row->addWidget(value_);
    row->addWidget(answer_);
    row->addWidget(why_, 1);
    connect(variable_, &PickCombo::picked, this, &GoalBar::tell);
    connect(figure_, &PickCombo::picked, this, [this](const QString& path) {
        // Another figure has another unit, and another good end.
        if (const PlanFigure* figure = findPlanFigure(path.toStdString()))
            sense_->setCurrentIndex(figure->moreIsBetter ? 1 : 0);
        value_->clear();
        tell();
    });
    connect(sense_, &QComboBox::activated, this, &GoalBar::tell);
    connect(value_, &QLineEdit::editingFinished, this, [this] {
        if (value_->isModified()) {
            value_->setModified(false);
            tell();
        }
    });
}

void GoalBar::setChoices(const QList<NamedPath>& variables, const QList<NamedPath>& figures) {
    variable_->setChoices(variables);
    figure_->setChoices(figures);
}

void GoalBar::setAsk(const QString& variable, const QString& figure, bool atMost, const QString& value) {
    variable_->setPath(variable);
    figure_->setPath(figure);
    sense_->setCurrentIndex(atMost ? 0 : 1);
    value_->setText(value);
    clearAnswer();
}

QString GoalBar::variable() const { return variable_->path(); }
QString GoalBar::figure() const { return figure_->path(); }
bool GoalBar::atMost() const { return sense_->currentIndex() == 0; }
QString GoalBar::value() const { return value_->text().trimmed(); }

std::optional<double> GoalBar::target() const {
    const PlanFigure* known = findPlanFigure(figure().toStdString());
    if (known == nullptr || value().isEmpty())
        return std::nullopt;
    const Result<double> read = parseQuantity(value().toStdString(), known->dimension);
    return read ? std::optional(*read) : std::nullopt;
}

/// What is typed is checked here, where the person looks.
void GoalBar::tell() {
    const PlanFigure* known = findPlanFigure(figure().toStdString());
    clearAnswer();
    if (known != nullptr)
        value_->setToolTip(text(unitExamples(known->dimension)));
    const bool wrong = !value().isEmpty() && !target();
    value_->setProperty(refusedProperty, wrong);
    value_->style()->polish(value_);
    value_->update();
    if (wrong && known != nullptr)
        why_->setText(tr("not a value of it; write %1").arg(text(unitExamples(known->dimension))));
    emit asked(target().has_value());
}

void GoalBar::setAnswer(const SolveAnswer& answer) {
    if (!answer.solution) {
        answer_->setText(tr("None"));
        why_->setText(text(answer.solution.error()));
        return;
    }
    const Solution& found = *answer.solution;
    if (!found.value || !answer.variable) {
        answer_->setText(tr("None"));
        why_->setText(text(found.why));
        return;
    }
    answer_->setText(u"→ " + valueInWords(*answer.variable, *found.value));
    why_->setText(
        found.figure
            ? tr("%1 is then %2").arg(figure_->currentText(), glance(*found.figure, answer.goal.dimension))
            : text(found.why));
    why_->setToolTip(text(found.why));
}

void GoalBar::clearAnswer() {
    answer_->setText({});
    why_->setText({});
    why_->setToolTip({});
}

QString GoalBar::answerText() const { return answer_->text(); }

} // namespace alidade::views
