// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/answer_panel.h"

#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr std::size_t mostLosses = 6;

QString stepsText(double steps) { return quantity(std::round(steps), Dimension::number, {.significant = 4}); }

QList<std::pair<QString, QString>> rowsOf(const PlanActual& comparison) {
    QList<std::pair<QString, QString>> rows;
    const auto dollars = [](double value) { return glance(value, Dimension::dollars); };
    if (comparison.stepsPlanned > 0)
        rows.append({AnswerPanel::tr("Steps done, planned"),
                     AnswerPanel::tr("%1 of %2")
                         .arg(stepsText(comparison.stepsDone), stepsText(comparison.stepsPlanned))});
    else if (comparison.stepsDone > 0)
        rows.append({AnswerPanel::tr("Steps done"), stepsText(comparison.stepsDone)});
    for (std::size_t i = 0; i < std::min(comparison.losses.size(), mostLosses); ++i) {
        const LossLine& loss = comparison.losses[i];
        QStringList parts;
        if (loss.steps >= 0.5)
            parts.append(counted(static_cast<int>(std::lround(loss.steps)), AnswerPanel::tr("step"),
                                 AnswerPanel::tr("steps")));
        if (loss.share > 0)
            parts.append(quantity(loss.share, Dimension::ratio, {.significant = 2}));
        if (loss.dollars)
            parts.append(dollars(*loss.dollars));
        rows.append({text(loss.name), parts.join(QStringLiteral(", "))});
    }
    if (comparison.dollarsSpent)
        rows.append({comparison.dollarsLost ? AnswerPanel::tr("Cost lost to faults")
                                            : AnswerPanel::tr("Rent of this time"),
                     comparison.dollarsLost
                         ? AnswerPanel::tr("%1 of %2")
                               .arg(dollars(*comparison.dollarsLost), dollars(*comparison.dollarsSpent))
                         : dollars(*comparison.dollarsSpent)});
    if (comparison.dollarsIdle && *comparison.dollarsIdle > 0)
        rows.append({AnswerPanel::tr("Paid while idle"), dollars(*comparison.dollarsIdle)});
    if (comparison.dollarsPerStep)
        rows.append({AnswerPanel::tr("Rent per step"), dollars(*comparison.dollarsPerStep)});
    if (comparison.dollarsPerMillionTokens)
        rows.append(
            {AnswerPanel::tr("Rent per million tokens"), dollars(*comparison.dollarsPerMillionTokens)});
    return rows;
}

} // namespace

AnswerPanel::AnswerPanel(QWidget* parent)
    : QWidget(parent)
    , verdict_(new TextLabel(FontRole::verdict, Role::text))
    , because_(new TextLabel(FontRole::small, Role::text2))
    , grid_(new QGridLayout) {
    const Theme& look = theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(look.px(14), look.px(12), look.px(14), look.px(12));
    column->setSpacing(look.px(3));
    for (TextLabel* label : {verdict_, because_}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    grid_->setContentsMargins(0, look.px(6), 0, 0);
    grid_->setHorizontalSpacing(look.px(10));
    grid_->setVerticalSpacing(look.px(3));
    grid_->setColumnStretch(0, 1);
    column->addLayout(grid_);
    setAccessibleName(tr("Plan against actual"));
}

void AnswerPanel::setComparison(const PlanActual& comparison) {
    const auto say = [](TextLabel* label, const QString& words) {
        if (label->text() != words)
            label->setText(words);
        label->setVisible(!words.isEmpty());
    };
    say(verdict_, text(comparison.verdict));
    say(because_, text(comparison.because));
    const QList<std::pair<QString, QString>> rows = rowsOf(comparison);
    if (rows == rows_)
        return;
    const bool otherRows = !std::ranges::equal(
        rows, rows_, {}, [](const auto& row) { return row.first; },
        [](const auto& row) { return row.first; });
    rows_ = rows;
    if (otherRows) {
        while (QLayoutItem* item = grid_->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        for (int i = 0; i < rows.size(); ++i) {
            auto* label = new TextLabel(FontRole::small, Role::text2, rows[i].first);
            label->setElided(true);
            grid_->addWidget(label, i, 0);
            auto* value = new TextLabel(FontRole::small, Role::text);
            value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid_->addWidget(value, i, 1);
        }
    }
    QStringList words;
    for (int i = 0; i < rows.size(); ++i) {
        static_cast<TextLabel*>(grid_->itemAtPosition(i, 1)->widget())->setText(rows[i].second);
        words.append(rows[i].first + QStringLiteral(": ") + rows[i].second);
    }
    setAccessibleDescription(verdict() + QLatin1Char(' ') + words.join(QStringLiteral("; ")));
}

QString AnswerPanel::verdict() const { return verdict_->text(); }

} // namespace alidade::views
