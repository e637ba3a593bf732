// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/price_rows.h"

#include "views/catalog/catalog_model.h"
#include "views/cost/price_age.h"
#include "views/cost/purchase_options.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/item_roles.h"
#include "views/scenario/words.h"

#include <algorithm>
#include <tuple>

namespace alidade::views {

namespace {

const QString rateKey = QStringLiteral("usd_per_hour");

QString wayOf(const Price& price) {
    QString words = choiceText("cluster.purchase", purchaseWord(price.purchase));
    if (!price.terms.empty())
        words += QStringLiteral(", ") + text(price.terms);
    if (!price.validFrom.empty())
        words += PriceRows::tr(" from %1").arg(text(price.validFrom));
    if (!price.validUntil.empty())
        words += PriceRows::tr(" until %1").arg(text(price.validUntil));
    return words;
}

} // namespace

PriceRows::PriceRows(CatalogEditor* editor, QObject* parent)
    : QAbstractTableModel(parent)
    , editor_(editor) {}

void PriceRows::setToday(const QDate& today) { today_ = today; }

void PriceRows::show(const QString& item, const QString& region, bool withHistory) {
    std::vector<const Price*> rows;
    const std::shared_ptr<const Catalog> catalog = editor_->applied().catalog;
    for (const Price& price : catalog->prices)
        if (text(price.item) == item && (region.isEmpty() || text(price.region) == region) &&
            (price.current || withHistory))
            rows.push_back(&price);
    std::ranges::stable_sort(rows, [](const Price* a, const Price* b) {
        return std::tuple(a->purchase, !a->current, a->rate.si()) <
               std::tuple(b->purchase, !b->current, b->rate.si());
    });
    keepPlaces(rows);
    // The same prices with other values keep selection and scroll position.
    if (std::ranges::equal(rows, rows_, {}, &Price::id, &Price::id) && !rows.empty()) {
        catalog_ = catalog;
        rows_ = std::move(rows);
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1));
        return;
    }
    beginResetModel();
    catalog_ = catalog;
    rows_ = std::move(rows);
    endResetModel();
}

/// A price that changes does not move while the same ones are shown: who types down a column goes on there.
void PriceRows::keepPlaces(std::vector<const Price*>& rows) const {
    if (rows.size() != rows_.size())
        return;
    std::vector<const Price*> placed;
    for (const Price* old : rows_) {
        const auto same =
            std::ranges::find_if(rows, [old](const Price* price) { return price->id == old->id; });
        if (same == rows.end())
            return;
        placed.push_back(*same);
    }
    rows = std::move(placed);
}

int PriceRows::oldPrices() const {
    return static_cast<int>(std::ranges::count_if(
        rows_, [this](const Price* price) { return isOld(priceAge(text(price->date), today_)); }));
}

CatalogCell PriceRows::cellAt(int row) const {
    return {data::CatalogKind::prices, text(priceAt(row)->id), rateKey};
}

QList<CatalogEditor::CellText> PriceRows::discounted(double share) const {
    QList<CatalogEditor::CellText> texts;
    for (int row = 0; row < rowCount(); ++row) {
        const Price* price = priceAt(row);
        if (price->purchase != Purchase::onDemand || !price->current)
            continue;
        const auto& shipped = editor_->shipped()->prices;
        const auto base = std::ranges::find(shipped, price->id, &Price::id);
        const double rate = (base == shipped.end() ? *price : *base).rate.si() * (1 - share);
        texts.append({cellAt(row), QLocale::c().toString(rate, 'g', 8)});
    }
    return texts;
}

int PriceRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PriceRows::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

int PriceRows::gpusOf(const Price& price) const {
    if (const Instance* instance = catalog_->instance(price.item))
        return instance->gpus;
    const UltraServer* server = catalog_->ultraserver(price.item);
    return server != nullptr ? server->gpus : 0;
}

QString PriceRows::shown(const Price& price, int column) const {
    const QString dash = QStringLiteral("–");
    switch (column) {
    case wayColumn:
        return price.current ? wayOf(price) : tr("%1 (history)").arg(wayOf(price));
    case regionColumn:
        return text(price.region);
    case rateColumn:
        return quantity(price.rate.si(), Dimension::dollarsPerHour, {.significant = 5});
    case gpuColumn: {
        const int gpus = gpusOf(price);
        return gpus > 0 ? quantity(price.rate.si() / gpus, Dimension::dollarsPerHour, {.significant = 4})
                        : dash;
    }
    case shareColumn: {
        const Price* demand = catalog_->price(price.item, price.region, Purchase::onDemand);
        if (demand == nullptr || price.purchase == Purchase::onDemand || !(demand->rate.si() > 0))
            return price.purchase == Purchase::onDemand ? QString() : dash;
        const double share = price.rate.si() / demand->rate.si() - 1;
        return (share > 0 ? QStringLiteral("+") : QString()) +
               quantity(share, Dimension::ratio, {.significant = 2});
    }
    case dateColumn: {
        const auto age = priceAge(text(price.date), today_);
        return isOld(age) ? tr("%1, old").arg(text(price.date)) : text(price.date);
    }
    case sourceColumn:
        return text(citation(price.provenance, "usd_per_hour"));
    default:
        return {};
    }
}

QVariant PriceRows::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Price& price = *priceAt(index.row());
    const int column = index.column();
    const auto age = priceAge(text(price.date), today_);
    switch (role) {
    case Qt::DisplayRole:
        return shown(price, column);
    case Qt::EditRole:
        return column == rateColumn ? QVariant(price.rate.si()) : QVariant(shown(price, column));
    case cellTextRole:
        return editor_->editText(cellAt(index.row()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((column >= rateColumn && column <= shareColumn ? Qt::AlignRight : Qt::AlignLeft) |
                          Qt::AlignVCenter));
    case Qt::DecorationRole:
        return column == dateColumn && isOld(age) ? QVariant(icon(QLatin1StringView("warning"), Role::warn))
                                                  : QVariant();
    case Qt::ToolTipRole:
        return column == dateColumn && isOld(age) ? oldPriceWarning(age) : shown(price, sourceColumn);
    case inkRole:
        if (column == dateColumn && isOld(age))
            return QVariant::fromValue(Role::warn);
        return !price.current || column == sourceColumn ? QVariant::fromValue(Role::text2) : QVariant();
    case markRole:
        return QVariant::fromValue(
            CellMark{.yours = column == rateColumn && price.provenance.user,
                     .disagree = column == rateColumn && !price.provenance.conflicts.empty(),
                     .refused = column == rateColumn && editor_->refusal(cellAt(index.row())) != nullptr});
    default:
        return {};
    }
}

bool PriceRows::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole || index.column() != rateColumn)
        return false;
    editor_->setText(cellAt(index.row()), value.toString());
    return true;
}

Qt::ItemFlags PriceRows::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == rateColumn && editor_->readOnly().isEmpty() ? flags | Qt::ItemIsEditable : flags;
}

QVariant PriceRows::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section >= rateColumn && section <= shareColumn ? Qt::AlignRight : Qt::AlignLeft) |
                          Qt::AlignVCenter));
    const QStringList titles = {tr("Purchase option"),   tr("Region"), tr("Per hour"), tr("Per GPU"),
                                tr("Against On-Demand"), tr("Date"),   tr("Source")};
    return role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

} // namespace alidade::views
