// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/custom_values_bar.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/catalog/catalog_editor.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/cell_table.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_source.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::app {

using views::FontRole;
using views::Role;
using views::text;
using views::theme;

namespace {

constexpr int mostRows = 6; ///< of the list before it scrolls

} // namespace

CustomValuesBar::CustomValuesBar(views::CatalogEditor& editor, views::ValidationSource& validation,
                                 QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , validation_(validation)
    , sentence_(new views::TextLabel(FontRole::body, Role::text, {}, this))
    , listButton_(new QToolButton(this))
    , switch_(new QPushButton(this))
    , list_(new views::CellTable(this)) {
    setObjectName(QStringLiteral("customValues"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().px(12), theme().px(3), theme().px(12), theme().px(4));
    column->setSpacing(theme().px(4));
    auto* line = new QHBoxLayout;
    line->setSpacing(theme().px(8));
    auto* mark = new QLabel(this);
    const int side = theme().px(14);
    mark->setPixmap(views::icon(QLatin1StringView("override"), Role::accent).pixmap(side, side));
    line->addWidget(mark);
    sentence_->setElided(true);
    line->addWidget(sentence_, 1);
    listButton_->setText(tr("List"));
    listButton_->setToolTip(tr("Custom values to use"));
    listButton_->setAccessibleName(tr("List of custom values"));
    listButton_->setCheckable(true);
    line->addWidget(listButton_);
    line->addWidget(switch_);
    column->addLayout(line);
    list_->setAccessibleName(tr("Custom values"));
    list_->hide();
    column->addWidget(list_);
    connect(listButton_, &QToolButton::toggled, list_, &QWidget::setVisible);
    connect(switch_, &QPushButton::clicked, this, &CustomValuesBar::switchOver);
    connect(&editor_, &views::CatalogEditor::changed, this, [this] {
        validation_.setShipped(editor_.shippedAlone());
        if (editor_.customValues().empty())
            validation_.useCustomValues(false);
        renew();
    });
    connect(&editor_, &views::CatalogEditor::usesShippedChanged, this, &CustomValuesBar::renew);
    connect(&editor_.document(), &views::Document::estimateChanged, this, &CustomValuesBar::renew);
    validation_.setShipped(editor_.shippedAlone());
    renew();
}

void CustomValuesBar::setFigures(Figures figures) {
    figures_ = figures;
    renew();
}

QString CustomValuesBar::sentence() const { return isHidden() ? QString() : sentence_->text(); }

bool CustomValuesBar::shipped() const {
    return figures_ == Figures::validation ? !validation_.usesCustomValues() : editor_.usesShipped();
}

std::vector<data::CustomValue> CustomValuesBar::valuesOf(const Estimate& estimate) const {
    return data::customValuesUsed(editor_.customValues(), estimate.scenario, editor_.catalog());
}

std::vector<data::CustomValue> CustomValuesBar::shownValues() const {
    const auto estimate = editor_.document().estimate();
    return figures_ == Figures::answer && estimate ? valuesOf(*estimate) : editor_.customValues();
}

QString CustomValuesBar::ownRateText(const Estimate& estimate) const {
    if (editor_.usesShipped())
        return {};
    const std::vector<data::CustomValue> used = valuesOf(estimate);
    const data::CustomRates rates = data::customRates(used);
    const auto words = [](const data::CustomValue& rate) {
        return rate.shippedNumber
                   ? tr("yours, list %1").arg(views::quantity(*rate.shippedNumber, Dimension::dollars, {}))
                   : tr("yours");
    };
    const std::optional<CostBase> base = estimate.cost ? estimate.cost->base : std::nullopt;
    if (rates.base == nullptr && rates.rest == nullptr)
        return {};
    if (!base || base->rest == 0)
        return words(rates.base != nullptr ? *rates.base : *rates.rest);
    // Bought in two ways: each with its own, or with where it is from.
    return tr("Base: %1; rest: %2")
        .arg(rates.base != nullptr ? words(*rates.base) : text(base->priceSource),
             rates.rest != nullptr ? words(*rates.rest) : text(estimate.cost->priceSource));
}

void CustomValuesBar::renew() {
    const std::vector<data::CustomValue> values = shownValues();
    setVisible(!values.empty());
    if (values.empty())
        return;
    const QString phrase = text(data::customValuesPhrase(values.size())).section(QLatin1Char(' '), 1);
    const bool one = values.size() == 1;
    const QString error = editor_.document().error();
    if (shipped() && figures_ == Figures::answer && !error.isEmpty())
        sentence_->setText(tr("The shipped catalog cannot compute this scenario: %1").arg(error));
    else if (shipped())
        sentence_->setText(one ? tr("Computed with the shipped catalog; %1 is left out").arg(phrase)
                               : tr("Computed with the shipped catalog; %1 are left out").arg(phrase));
    else
        sentence_->setText(tr("Computed with %1: %2").arg(phrase, text(data::describe(values.front()))) +
                           (one ? QString() : tr(" and %1 more").arg(values.size() - 1)));
    sentence_->setAccessibleName(sentence_->text());
    switch_->setText(shipped() ? tr("Use custom values") : tr("Use shipped values"));
    switch_->setAccessibleName(switch_->text());
    renewList(values);
}

void CustomValuesBar::renewList(const std::vector<data::CustomValue>& values) {
    QList<views::CellRow> rows;
    for (const data::CustomValue& each : values) {
        const QString key = text(data::name(each.kind)) + QLatin1Char('/') + text(each.entry) +
                            QLatin1Char('/') + text(each.key);
        rows.append({key,
                     {{text(each.entry), {}, {}},
                      {text(each.label), {}, {}},
                      {text(each.value), {}, {}},
                      {text(each.shipped), {}, {}},
                      {text(each.date), {}, {}}}});
    }
    list_->setTable({{tr("Entry"), false, {}},
                     {tr("Value"), false, {}},
                     {tr("Yours"), false, {}},
                     {tr("Shipped"), false, {}},
                     {tr("Entered"), false, {}}},
                    rows);
    list_->resizeColumnsToContents();
    list_->horizontalHeader()->setStretchLastSection(true);
    const int shownRows = std::min(static_cast<int>(rows.size()), mostRows);
    list_->setFixedHeight(list_->horizontalHeader()->sizeHint().height() + shownRows * theme().rowHeight() +
                          2 * list_->frameWidth() + theme().px(2));
}

void CustomValuesBar::switchOver() {
    if (figures_ == Figures::validation)
        validation_.useCustomValues(!validation_.usesCustomValues());
    else
        editor_.useShipped(!editor_.usesShipped());
    renew();
}

void CustomValuesBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::header));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().color(Role::line));
}

} // namespace alidade::app
