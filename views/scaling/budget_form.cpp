// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scaling/budget_form.h"

#include "model/units/parse.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

constexpr int formWidth = 280; // logical pixels at 10 pt

/// The number in a field; nothing typed is nothing asked.
Result<std::optional<double>> typed(const QLineEdit& field, Dimension dimension) {
    const std::string words = field.text().trimmed().toStdString();
    if (words.empty())
        return std::optional<double>();
    const Result<double> value = parseQuantity(words, dimension);
    if (!value)
        return Error{field.accessibleName().toStdString() + ": " + value.error()};
    return std::optional(*value);
}

Result<std::vector<std::int64_t>> countsOf(const QLineEdit& field) {
    std::vector<std::int64_t> out;
    for (const QString& each : field.text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool read = false;
        const qlonglong count = each.trimmed().toLongLong(&read);
        if (!read || count < 1 || count > 100'000)
            return Error{field.accessibleName().toStdString() + ": '" + each.trimmed().toStdString() +
                         "' is not a number of machines; list whole numbers: 32, 64, 128"};
        out.push_back(count);
    }
    return out;
}

} // namespace

BudgetForm::BudgetForm(QWidget* parent)
    : QuestionForm(tr("Find Best Size"), formWidth, parent)
    , law_(new QComboBox)
    , lawText_(new TextLabel(FontRole::small, Role::text2)) {
    setObjectName(QStringLiteral("budgetForm"));
    auto* form = newForm(8);
    const auto addField = [this, form](const char* name, const QString& label, const QString& value,
                                       const QString& placeholder, const QString& help) {
        return QuestionForm::addField(*form, QString::fromLatin1(name), label, value, placeholder, help);
    };
    dollars_ = addField("dollars", tr("Budget"), QStringLiteral("$5 M"), {}, tr("Maximum cost of the run"));
    atMost_ = addField("atMost", tr("Run at most"), {}, tr("no deadline"),
                       tr("Maximum length of the run, such as 60 days"));
    from_ =
        addField("from", tr("Sizes from"), QStringLiteral("1 B"), {}, tr("Smallest number of parameters"));
    to_ = addField("to", tr("to"), QStringLiteral("1 T"), {}, tr("Largest number of parameters"));
    to_->setAccessibleName(tr("Sizes to"));
    machines_ = addField("machines", tr("Machines"), {}, tr("as planned"),
                         tr("Instance types or UltraServers to compare, separated by commas, or all; each "
                            "with as many GPUs as the scenario has"));
    counts_ = addField("counts", tr("How many"), {}, tr("as planned"),
                       tr("Numbers of machines to compare, separated by commas"));
    unique_ = addField("unique", tr("Unique data"), {}, tr("unlimited"),
                       tr("Tokens of the data set without repetition; repeated tokens count less"));
    served_ = addField("served", tr("To be served"), {}, tr("not counted"),
                       tr("Tokens that the model will serve, paid for out of the same budget"));
    law_->setAccessibleName(tr("Scaling law"));
    for (const LossLaw& law : lossLaws())
        law_->addItem(text(law.name), text(law.id));
    law_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    WheelGuard::install(law_);
    form->addRow(tr("Law"), law_);
    rows()->addLayout(form);
    lawText_->setWordWrap(true);
    rows()->addWidget(lawText_);
    rows()->addStretch(1);
    const auto explainLaw = [this] {
        lawText_->setText(
            text(lossLaws()[static_cast<std::size_t>(std::max(0, law_->currentIndex()))].source));
    };
    connect(law_, &QComboBox::currentIndexChanged, this, explainLaw);
    explainLaw();
}

Result<BudgetQuestion> BudgetForm::question() const {
    BudgetQuestion out;
    const auto dollars = typed(*dollars_, Dimension::dollars);
    const auto atMost = typed(*atMost_, Dimension::seconds);
    const auto from = typed(*from_, Dimension::number), to = typed(*to_, Dimension::number);
    const auto unique = typed(*unique_, Dimension::tokens), served = typed(*served_, Dimension::tokens);
    for (const auto* each : {&dollars, &atMost, &from, &to, &unique, &served})
        if (!*each)
            return Error{each->error()};
    const auto counts = countsOf(*counts_);
    if (!counts)
        return Error{counts.error()};
    out.dollars = dollars->value_or(0);
    out.seconds = *atMost;
    out.smallest = from->value_or(out.smallest);
    out.largest = to->value_or(out.largest);
    out.uniqueTokens = *unique;
    out.servedTokens = served->value_or(0);
    out.machines = machines_->text().trimmed().toStdString();
    out.counts = *counts;
    out.law = lossLaws()[static_cast<std::size_t>(std::max(0, law_->currentIndex()))];
    return out;
}

} // namespace alidade::views
