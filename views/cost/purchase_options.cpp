// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/purchase_options.h"

#include "model/catalog/price_choice.h"
#include "model/estimate/run_order.h"
#include "model/units/constants.h"
#include "views/cost/price_age.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/item_roles.h"
#include "views/scenario/words.h"

#include <QFont>

#include <algorithm>
#include <utility>

namespace alidade::views {

std::string termOf(const Price& price) {
    const std::string term = isCommitment(price.purchase) ? commitmentOf(price) : std::string();
    return term.ends_with("_upfront") ? term : std::string(); // else no word of a scenario
}

void PurchaseOptions::setScenario(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                                  const Estimate& present) {
    beginResetModel();
    changed_.clear();
    spec_ = spec;
    catalog_ = std::move(catalog);
    serving_ = present.serving.has_value();
    presentDollars_ = present.cost ? dollarsOf(*present.cost) : std::nullopt;
    options_.clear();
    const ClusterSpec& cluster = present.scenario.cluster;
    const std::string item = cluster.instance.value_or(cluster.ultraserver.value_or(""));
    std::vector<const Price*> prices;
    for (const Price& price : catalog_->prices) {
        // A scenario cannot name spot capacity.
        if (price.item != item || price.purchase == Purchase::spot ||
            !isInForce(price, present.scenario.pricingDay()))
            continue;
        const auto same = std::ranges::find_if(prices, [&price](const Price* each) {
            return each->region == price.region && each->purchase == price.purchase &&
                   each->terms == price.terms;
        });
        if (same == prices.end())
            prices.push_back(&price);
        else if (isPreferred(price, **same))
            *same = &price;
    }
    std::ranges::stable_sort(prices, {}, [](const Price* each) { return each->rate; });
    // What is bought in another way stays so; the options are those of the rest.
    const std::int64_t inBase = present.scenario.order.base.instances.value_or(0);
    for (const Price* each : prices) {
        const Price& price = *each;
        const bool used =
            inBase == 0 && price.region == cluster.region.value_or("") &&
            purchaseWord(price.purchase) == cluster.purchase.value_or("") &&
            (!isCommitment(price.purchase) || commitmentOf(price) == cluster.commitment.value_or(""));
        Option option{.price = &price,
                      .present = used,
                      .dollars = {},
                      .difference = {},
                      .idleShare = {},
                      .blocks = {},
                      .refusal = {}};
        const auto seconds = runSeconds(present);
        if (price.purchase == Purchase::capacityBlock && seconds) {
            const auto count = cluster.instances.value_or(cluster.ultraservers.value_or(1)) - inBase;
            auto blocks =
                planCapacityBlocks(static_cast<int>(count), *seconds / secondsPerHour,
                                   cluster.ultraserver ? ultraserverBlockEndHours : capacityBlockEndHours);
            if (blocks)
                option.blocks = *std::move(blocks);
            else
                option.refusal = text(blocks.error());
        }
        options_.push_back(std::move(option));
    }
    endResetModel();
}

std::optional<double> PurchaseOptions::dollarsOf(const Cost& cost) const {
    if (serving_)
        return cost.dollarsPerMillionOutputTokens;
    const auto total = runTotal(cost);
    return total ? std::optional(total->dollars) : std::nullopt;
}

void PurchaseOptions::clear() {
    beginResetModel();
    changed_.clear();
    options_.clear();
    endResetModel();
}

std::vector<ScenarioSpec> PurchaseOptions::variants() const {
    std::vector<ScenarioSpec> specs;
    for (const Option& option : options_) {
        ScenarioSpec spec = spec_;
        spec.cluster.region = option.price->region;
        spec.cluster.purchase = std::string(purchaseWord(option.price->purchase));
        if (const std::string term = termOf(*option.price); !term.empty())
            spec.cluster.commitment = term;
        specs.push_back(std::move(spec));
    }
    return specs;
}

void PurchaseOptions::setEstimate(int row, const Estimate* estimate) {
    if (row < 0 || row >= rowCount())
        return;
    Option& option = options_[static_cast<std::size_t>(row)];
    const bool bookable = option.refusal.isEmpty();
    option.told = true;
    option.runs = estimate != nullptr && estimate->cost.has_value();
    option.dollars = bookable && option.runs ? dollarsOf(*estimate->cost) : std::nullopt;
    // A deployment serves for as long as it is paid.
    if (option.dollars && !serving_ && isCommitment(option.price->purchase) && estimate->cost->order &&
        estimate->cost->order->bookedHours > 0)
        option.idleShare = static_cast<double>(estimate->cost->order->idleHours) /
                           static_cast<double>(estimate->cost->order->bookedHours);
    if (option.dollars && presentDollars_)
        option.difference = *option.dollars - *presentDollars_;
    // Answers come many at a time, and a view fits its columns to all rows at each change: one for all of
    // them.
    if (changed_.isEmpty())
        QMetaObject::invokeMethod(this, &PurchaseOptions::tellChanged, Qt::QueuedConnection);
    changed_.insert(row);
}

void PurchaseOptions::tellChanged() {
    const QSet<int> rows = std::exchange(changed_, {});
    if (rows.isEmpty())
        return; // other options since
    const auto [first, last] = std::ranges::minmax(rows);
    emit dataChanged(index(first, runColumn), index(std::min(last, rowCount() - 1), differenceColumn));
}

PurchaseOptions::Lack PurchaseOptions::lackOf(const Option& option) const {
    if (!option.refusal.isEmpty())
        return {tr("not bookable"), tr("Cannot be booked: %1").arg(option.refusal)};
    if (!option.told)
        return {tr("estimating"), tr("The estimate at this price is not ready yet")};
    if (!option.runs)
        return {tr("no estimate"), tr("The scenario has no estimate at this price")};
    return serving_ ? Lack{tr("nothing served"), tr("No tokens are served, so there is no price per token")}
                    : Lack{tr("no end"), tr("Set the training tokens to get a run time")};
}

void PurchaseOptions::setToday(const QDate& today) { today_ = today; }

bool PurchaseOptions::isOldDate(const Option& option) const {
    return isOld(priceAge(text(option.price->date), today_));
}

int PurchaseOptions::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(options_.size());
}

int PurchaseOptions::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnTotal;
}

QString PurchaseOptions::shown(const Option& option, int column) const {
    const QString dash = QStringLiteral("–");
    switch (column) {
    case purchaseColumn: {
        const QString word = choiceText("cluster.purchase", purchaseWord(option.price->purchase));
        return option.price->terms.empty() ? word : word + QStringLiteral(", ") + text(option.price->terms);
    }
    case regionColumn:
        return text(option.price->region);
    case rateColumn:
        return quantity(option.price->rate.si(), Dimension::dollarsPerHour, {.significant = 4});
    case runColumn:
        return option.dollars ? glance(*option.dollars, Dimension::dollars) : lackOf(option).word;
    case differenceColumn:
        if (option.present)
            return tr("in use");
        return option.difference ? difference(*option.difference, Dimension::dollars) : dash;
    case idleColumn:
        return option.blocks      ? quantity(option.blocks->idleHours() / option.blocks->bookedHours,
                                             Dimension::ratio, {.significant = 2})
               : option.idleShare ? quantity(*option.idleShare, Dimension::ratio, {.significant = 2})
                                  : dash;
    case dateColumn:
        return isOldDate(option) ? tr("%1, %2 days old")
                                       .arg(text(option.price->date))
                                       .arg(priceAge(text(option.price->date), today_).value_or(0))
                                 : text(option.price->date);
    default:
        return {};
    }
}

QString PurchaseOptions::toolTip(const Option& option, int column) const {
    if (column == dateColumn && isOldDate(option))
        return oldPriceWarning(priceAge(text(option.price->date), today_));
    const bool priced = column == runColumn || (column == differenceColumn && !option.present);
    if ((priced && !option.dollars) || (column == idleColumn && !option.refusal.isEmpty()))
        return lackOf(option).reason;
    if (column == differenceColumn && !option.present && !option.difference)
        return tr("The price in use has no figure to compare with");
    if (column == idleColumn && !option.blocks && option.price->purchase != Purchase::capacityBlock)
        return option.idleShare ? tr("Paid until the end of the term and not used")
                                : tr("Only Capacity Blocks are booked by whole days");
    if (column == idleColumn && !option.blocks && serving_)
        return tr("A deployment serves for as long as it is paid");
    if (column == idleColumn && !option.blocks)
        return lackOf(option).reason;
    if (column == runColumn && !serving_ && isCommitment(option.price->purchase))
        return tr("Paid for the whole term, whatever the run takes of it");
    if (option.blocks && column >= runColumn)
        return tr("%1 blocks for %2 whole days, %3 instance-hours of them paid and not used")
            .arg(option.blocks->sizes.size())
            .arg(option.blocks->days)
            .arg(quantity(option.blocks->idleHours(), Dimension::number, {.significant = 3}));
    return text(citation(option.price->provenance, ""));
}

QVariant PurchaseOptions::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Option& option = options_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == Qt::DisplayRole)
        return shown(option, column);
    if (role == Qt::TextAlignmentRole && column >= rateColumn && column <= idleColumn)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    if (role == inkRole && column == differenceColumn && option.difference && !option.present)
        return QVariant::fromValue(*option.difference < 0 ? Role::ok : Role::text2);
    if (column == dateColumn && isOldDate(option)) {
        if (role == Qt::DecorationRole)
            return icon(QLatin1StringView("warning"), Role::warn);
        if (role == inkRole)
            return QVariant::fromValue(Role::warn);
    }
    if (role == inkRole && column == runColumn && !option.dollars)
        return QVariant::fromValue(Role::text3);
    if (role == inkRole && (column == dateColumn || (column == differenceColumn && option.present)))
        return QVariant::fromValue(Role::text2);
    if (role == Qt::ToolTipRole)
        return toolTip(option, column);
    return {};
}

QVariant PurchaseOptions::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section >= rateColumn && section <= idleColumn)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    const QStringList titles = {
        tr("Purchase"),   tr("Region"),    tr("Per hour"),  serving_ ? tr("Per M output") : tr("Run"),
        tr("Difference"), tr("Paid idle"), tr("Price date")};
    return role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

} // namespace alidade::views
