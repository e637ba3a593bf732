// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/cost_view.h"

#include "model/scenario/edit.h"
#include "views/cost/price_age.h"
#include "views/cost/purchase_options.h"
#include "views/document/baselines.h"
#include "views/document/batch_estimator.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

/// From this width on (logical pixels at 10 pt) the dates of prices have room.
constexpr int dateWidth = 600;
constexpr int differenceColumn = 4; ///< of the lines

QStandardItem* cell(const QString& shown, bool number) {
    auto* item = new QStandardItem(shown);
    item->setEditable(false);
    if (number)
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

/// "$2.75 per million output tokens, $0.46 per million input tokens; prefill takes 32 % of the GPU time"
QStringList servingPrices(const Estimate& estimate) {
    QStringList said;
    if (!estimate.serving || !estimate.cost)
        return said;
    const Cost& cost = *estimate.cost;
    if (cost.dollarsPerMillionOutputTokens)
        said.append(CostView::tr("%1 per million output tokens")
                        .arg(quantity(*cost.dollarsPerMillionOutputTokens, Dimension::dollars)));
    if (cost.dollarsPerMillionInputTokens)
        said.append(CostView::tr("%1 per million input tokens")
                        .arg(quantity(*cost.dollarsPerMillionInputTokens, Dimension::dollars)));
    const double share = estimate.serving->prefillShare;
    if (!said.isEmpty() && share > 0)
        said.append(CostView::tr("shared by GPU time, %1 of it prefill")
                        .arg(quantity(share, Dimension::ratio, {.significant = 2})));
    return said;
}

/// "ordered: Capacity Block, 1 x u-p6e-gb200x72, 35 days, $123 k, paid when bought": blocks have no price of
/// a month. Empty: it is paid by use.
QString blockOrder(const Estimate& estimate) {
    QStringList lines;
    Cents amount = 0;
    for (const OrderLine& line : prepaidLines(estimate)) {
        lines.append(text(line.text));
        amount += line.amount;
    }
    if (lines.isEmpty())
        return {};
    // Support and the like are in the order for all machines.
    if (isPrepaid(estimate))
        amount = estimate.cost->order->beforeTax;
    return CostView::tr("ordered: %1, %2 before tax, paid when bought")
        .arg(lines.join(QStringLiteral("; ")), glance(dollarsOf(amount), Dimension::dollars));
}

/// "Capacity Block", "16 × Savings Plan and 48 × Capacity Block".
QString purchaseWords(const Cost& cost) {
    const QString how = choiceText("cluster.purchase", cost.purchase);
    if (!cost.base)
        return how;
    const QString ofBase = CostView::tr("%1 × %2")
                               .arg(cost.base->items)
                               .arg(choiceText("cluster.purchase", cost.base->purchase));
    return cost.base->rest == 0 ? ofBase
                                : CostView::tr("%1 and %2 × %3").arg(ofBase).arg(cost.base->rest).arg(how);
}

/// ". Draws 9.4 kW, 6.9 MWh per month with hosts and cooling"
QString servingPower(const Estimate& estimate) {
    if (!estimate.serving || !estimate.serving->energy)
        return {};
    const ServingEnergyT<double>& energy = *estimate.serving->energy;
    return CostView::tr(". Draws %1, %2 per month with hosts and cooling")
        .arg(quantity(energy.watts, Dimension::watts, {.significant = 2}),
             quantity(energy.kilowattHoursPerMonth * 1000, Dimension::wattHours, {.significant = 2}));
}

} // namespace

CostView::CostView(Document* document, QWidget* parent)
    : View(document, parent)
    , content_(new QScrollArea(this))
    , empty_(new EmptyState(QStringLiteral("cost"), {}, {}, {}, this))
    , periods_(new SegmentedButtons(content_))
    , total_(new TextLabel(FontRole::figure, Role::text, {}, content_))
    , perToken_(new TextLabel(FontRole::small, Role::text2, {}, content_))
    , source_(new TextLabel(FontRole::small, Role::text2, {}, content_))
    , optionsTitle_(new TextLabel(FontRole::strong, Role::text, tr("The same run at other prices"), content_))
    , lines_(new DataTableView(content_))
    , options_(new DataTableView(content_))
    , lineModel_(new QStandardItemModel(this))
    , optionModel_(new PurchaseOptions(this))
    , batch_(new BatchEstimator(document->engine(), this)) {
    setObjectName(QStringLiteral("costView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    makeLineTable();
    makeOptionTable();
    auto* page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    content_->setFrameShape(QFrame::NoFrame);
    content_->setWidgetResizable(true);
    content_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    content_->setFocusPolicy(Qt::NoFocus);
    content_->setMinimumHeight(theme().px(80));
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(4));
    column->addWidget(makeHead());
    column->addWidget(lines_);
    const int side = theme().px(12);
    for (TextLabel* label : {source_, optionsTitle_}) {
        label->setContentsMargins(side, theme().px(label == optionsTitle_ ? 8 : 2), side, 0);
        column->addWidget(label);
    }
    source_->setWordWrap(true);
    column->addWidget(options_);
    column->addStretch(1);
    content_->setWidget(page);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(content_);
    outer->addWidget(empty_);
    connect(batch_, &BatchEstimator::estimated, this,
            [this](int row, const std::shared_ptr<const Estimate>& estimate) {
                optionModel_->setEstimate(row, estimate.get());
            });
    coverWhileBusy();
    updateEstimate();
}

CostView::~CostView() = default;

QWidget* CostView::makeHead() {
    auto* head = new QWidget(content_);
    head->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), theme().px(4));
    line->setSpacing(theme().px(12));
    periods_->setOptions(QStringList{tr("Hour"), tr("Day"), tr("Month"), tr("Run")});
    periods_->setAccessibleName(tr("Cost per"));
    connect(periods_, &SegmentedButtons::currentEdited, this,
            [this](int index) { setPeriod(static_cast<CostPeriod>(index)); });
    perToken_->setElided(true);
    line->addWidget(total_);
    line->addWidget(perToken_, 1);
    line->addWidget(periods_);
    return head;
}

void CostView::makeLineTable() {
    lineModel_->setHorizontalHeaderLabels(
        {tr("What"), tr("Quantity"), tr("Each"), tr("Cost"), QStringLiteral("Δ")});
    lineModel_->horizontalHeaderItem(differenceColumn)
        ->setToolTip(tr("Increase over baseline; gray: within the error of the difference"));
    for (int column = 1; column <= differenceColumn; ++column)
        lineModel_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    lines_->setModel(lineModel_);
    lines_->setItemDelegate(new CellDelegate(lines_));
    lines_->setSortingEnabled(false);
    lines_->setAccessibleName(tr("Lines of the cost"));
    lines_->horizontalHeader()->setStretchLastSection(false);
    lines_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    lines_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    lines_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void CostView::makeOptionTable() {
    options_->setModel(optionModel_);
    options_->setItemDelegate(new CellDelegate(options_));
    options_->setSortingEnabled(false);
    options_->setAccessibleName(tr("Prices that the catalog has for this machine"));
    options_->setToolTip(tr("Enter or a double click uses the price"));
    options_->horizontalHeader()->setStretchLastSection(false);
    options_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    options_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    options_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(options_, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { use(index.row()); });
}

void CostView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    showColumns();
}

/// The dates give way first; they are in the tooltips too. What serves has no time that is paid and not used.
void CostView::showColumns() {
    const bool narrow = width() < theme().px(dateWidth);
    const auto estimate = document().estimate();
    options_->setColumnHidden(PurchaseOptions::idleColumn, narrow || (estimate && estimate->serving));
    options_->setColumnHidden(PurchaseOptions::dateColumn, narrow);
}

void CostView::setOwnRate(std::function<QString(const Estimate&)> text) {
    ownRate_ = std::move(text);
    updateEstimate();
}

void CostView::setPeriod(CostPeriod period) {
    period_ = period;
    updateEstimate();
}

void CostView::updateEstimate() {
    const auto estimate = document().estimate();
    // A deployment that does not fit serves nothing that a price could be asked for.
    const bool priced = estimate && estimate->cost && (estimate->fits || !estimate->serving);
    const bool shown = priced && document().error().isEmpty();
    content_->setVisible(shown);
    empty_->setVisible(!shown);
    setAside({});
    if (shown) {
        showLines(*estimate);
        showOptions(*estimate);
    } else if (!estimate) {
        empty_->setText(tr("No cost yet"), tr("Choose a model in the scenario."));
    } else if (!estimate->runs) {
        empty_->setText(tr("No cost: the plan does not run"), tr("The answer above says what stops it."));
    } else if (!estimate->fits) {
        empty_->setText(tr("No cost: the plan does not fit"), tr("The answer above says what is missing."));
    } else {
        empty_->setText(
            tr("No price"),
            tr("No price for this machine, region and purchase option. Choose Custom price to enter one."));
    }
}

void CostView::showLines(const Estimate& estimate) {
    CostPeriod period = period_;
    if (!hoursOf(period, estimate))
        period = isPrepaid(estimate) ? CostPeriod::day : CostPeriod::month;
    periods_->setCurrentIndex(static_cast<int>(period));
    periods_->button(static_cast<int>(CostPeriod::run))
        ->setEnabled(hoursOf(CostPeriod::run, estimate).has_value());
    total_->setText(costTotal(estimate, period));
    setAside(total_->text());
    const Cost& cost = *estimate.cost;
    optionsTitle_->setText(estimate.serving ? tr("The same deployment at other prices")
                                            : tr("The same run at other prices"));
    periods_->button(static_cast<int>(CostPeriod::run))->setVisible(!estimate.serving);
    periods_->button(static_cast<int>(CostPeriod::month))->setVisible(!isPrepaid(estimate));
    QStringList besides = servingPrices(estimate);
    if (const QString order = blockOrder(estimate); !order.isEmpty())
        besides.prepend(order);
    if (cost.dollarsPerMillionTokens && !estimate.serving)
        besides.append(
            tr("%1 per million tokens")
                .arg(quantity(*cost.dollarsPerMillionTokens, Dimension::dollars, {.significant = 3})));
    if (cost.energyKwh)
        besides.append(quantity(*cost.energyKwh * 1000, Dimension::wattHours) + tr(" for the run"));
    perToken_->setText(besides.join(QStringLiteral(", ")));
    const QString ownRate = ownRate_ ? ownRate_(estimate) : QString();
    source_->setText(tr("%1, %2, price of %3%4. %5")
                         .arg(purchaseWords(cost), text(cost.region), text(cost.priceDate),
                              isOld(priceAge(text(cost.priceDate), QDate::currentDate()))
                                  ? tr(" (older than %1 days)").arg(oldPriceDays)
                                  : QString(),
                              ownRate.isEmpty() ? text(cost.priceSource) : ownRate) +
                     servingPower(estimate));
    lineModel_->removeRows(0, lineModel_->rowCount());
    const QList<CostRow> rows = costRows(estimate, period);
    const QList<CostRow> before =
        baseline() != nullptr ? costRows(*baseline()->before, period) : QList<CostRow>();
    for (qsizetype i = 0; i < rows.size(); ++i)
        lineModel_->appendRow({cell(rows[i].name, false), cell(rows[i].quantity, true),
                               cell(rows[i].price, true), cell(rows[i].dollars, true),
                               differenceCell(moreThan(before, rows, i), period)});
    lines_->setColumnHidden(differenceColumn, before.isEmpty());
    for (int column = 1; column < lineModel_->columnCount(); ++column)
        lines_->resizeColumnToContents(column); // a row that comes later widens none
    const int lines = std::max(1, lineModel_->rowCount());
    lines_->setFixedHeight(lines_->horizontalHeader()->sizeHint().height() + lines * theme().rowHeight() + 2);
}

/// Rents are certain; what a run costs is as certain as its time.
QStandardItem* CostView::differenceCell(const std::optional<double>& more, CostPeriod period) const {
    QStandardItem* item = cell(more ? difference(*more, Dimension::dollars) : QStringLiteral("–"), true);
    const FigureChange* run = baseline() != nullptr ? baseline()->change("cost.dollars_per_run") : nullptr;
    const bool certain = period != CostPeriod::run || (run != nullptr && run->certain);
    const Role ink = !more || !certain || *more == 0 ? Role::text3 : *more < 0 ? Role::ok : Role::err;
    item->setData(QVariant::fromValue(ink), inkRole);
    if (more && !certain)
        item->setToolTip(tr("within the error"));
    return item;
}

void CostView::showOptions(const Estimate& estimate) {
    if (document().busy() || document().previewed() != nullptr)
        return; // of the scenario itself only
    optionModel_->setScenario(document().spec(), document().catalog(), estimate);
    const bool any = optionModel_->rowCount() > 0;
    showColumns();
    optionsTitle_->setVisible(any);
    options_->setVisible(any);
    // The dock scrolls as a whole, so no price is behind a second scroll bar.
    options_->setFixedHeight(options_->horizontalHeader()->sizeHint().height() +
                             optionModel_->rowCount() * theme().rowHeight() + 2);
    batch_->run(optionModel_->variants(), document().catalog());
}

void CostView::use(int row) {
    if (row < 0 || row >= optionModel_->rowCount())
        return;
    const Price& price = *optionModel_->options()[static_cast<std::size_t>(row)].price;
    Edit edit{{"cluster.region", price.region},
              {"cluster.purchase", std::string(purchaseWord(price.purchase))}};
    if (std::string term = termOf(price); !term.empty())
        edit.emplace_back("cluster.commitment", std::move(term));
    document().setFields(
        edit, tr("buy %1 in %2")
                  .arg(choiceText("cluster.purchase", purchaseWord(price.purchase)), text(price.region)));
}

} // namespace alidade::views
