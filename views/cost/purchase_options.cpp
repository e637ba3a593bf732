// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/purchase_options.h"

#include "views/document/text.h"
#include "views/kit/item_roles.h"
#include "views/scenario/words.h"

#include <QFont>

#include <algorithm>

namespace alidade::views {

std::string purchaseWord(Purchase purchase) {
    switch (purchase) {
    case Purchase::onDemand:
        return "on_demand";
    case Purchase::capacityBlock:
        return "capacity_block";
    case Purchase::reserved:
        return "reserved";
    case Purchase::spot:
        return "spot";
    case Purchase::custom:
        return "custom";
    }
    return {};
}

void PurchaseOptions::setScenario(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                                  const Estimate& present) {
    beginResetModel();
    spec_ = spec;
    catalog_ = std::move(catalog);
    presentRun_ = present.cost ? present.cost->dollarsPerRun : std::nullopt;
    options_.clear();
    const ClusterSpec& cluster = present.scenario.cluster;
    const std::string item = cluster.instance.value_or(cluster.ultraserver.value_or(""));
    for (const Price& price : catalog_->prices) {
        // A scenario cannot name spot capacity, and old prices are history.
        if (price.item != item || !price.current || price.purchase == Purchase::spot)
            continue;
        const bool used = price.region == cluster.region.value_or("") &&
                          purchaseWord(price.purchase) == cluster.purchase.value_or("");
        options_.push_back({.price = &price, .present = used, .dollarsPerRun = {}, .difference = {}});
    }
    std::ranges::stable_sort(options_, {}, [](const Option& o) { return o.price->rate; });
    endResetModel();
}

void PurchaseOptions::clear() {
    beginResetModel();
    options_.clear();
    endResetModel();
}

std::vector<ScenarioSpec> PurchaseOptions::variants() const {
    std::vector<ScenarioSpec> specs;
    for (const Option& option : options_) {
        ScenarioSpec spec = spec_;
        spec.cluster.region = option.price->region;
        spec.cluster.purchase = purchaseWord(option.price->purchase);
        specs.push_back(std::move(spec));
    }
    return specs;
}

void PurchaseOptions::setEstimate(int row, const Estimate* estimate) {
    if (row < 0 || row >= rowCount())
        return;
    Option& option = options_[static_cast<std::size_t>(row)];
    // A reservation is paid for its whole term, whatever the run takes: its share of one run is no price.
    const bool byTheHour = option.price->purchase != Purchase::reserved;
    option.dollarsPerRun =
        byTheHour && estimate && estimate->cost ? estimate->cost->dollarsPerRun : std::nullopt;
    if (option.dollarsPerRun && presentRun_)
        option.difference = *option.dollarsPerRun - *presentRun_;
    emit dataChanged(index(row, runColumn), index(row, differenceColumn));
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
        const QString word = choiceText(purchaseWord(option.price->purchase));
        return option.price->terms.empty() ? word : word + QStringLiteral(", ") + text(option.price->terms);
    }
    case regionColumn:
        return text(option.price->region);
    case rateColumn:
        return quantity(option.price->rate.si(), Dimension::dollarsPerHour, {.significant = 4});
    case runColumn:
        return option.dollarsPerRun ? glance(*option.dollarsPerRun, Dimension::dollars) : dash;
    case differenceColumn:
        if (option.present)
            return tr("in use");
        return option.difference ? difference(*option.difference, Dimension::dollars) : dash;
    case dateColumn:
        return text(option.price->date);
    default:
        return {};
    }
}

QVariant PurchaseOptions::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Option& option = options_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == Qt::DisplayRole)
        return shown(option, column);
    if (role == Qt::TextAlignmentRole &&
        (column == rateColumn || column == runColumn || column == differenceColumn))
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    if (role == inkRole && column == differenceColumn && option.difference && !option.present)
        return QVariant::fromValue(*option.difference < 0 ? Role::ok : Role::text2);
    if (role == inkRole && (column == dateColumn || (column == differenceColumn && option.present)))
        return QVariant::fromValue(Role::text2);
    if (role == Qt::ToolTipRole)
        return text(citation(option.price->provenance, ""));
    return {};
}

QVariant PurchaseOptions::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section >= rateColumn && section <= differenceColumn)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    static const QStringList titles = {tr("Purchase"), tr("Region"),     tr("Per hour"),
                                       tr("Run"),      tr("Difference"), tr("Price date")};
    return role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

} // namespace alidade::views
