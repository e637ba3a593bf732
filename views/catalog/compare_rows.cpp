// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/compare_rows.h"

#include "data/catalog/catalog_keys.h"
#include "model/catalog/catalog.h"
#include "views/catalog/catalog_editor.h"
#include "views/document/text.h"
#include "views/kit/item_roles.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::views {

namespace {

struct CompareTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

using data::CatalogKind;

const QStringList& silentKeys() {
    static const QStringList keys = {QStringLiteral("notes"), QStringLiteral("conflicts"),
                                     QStringLiteral("network_card_layout")};
    return keys;
}

QString withUnit(const CatalogSheet::Cell& cell, const QString& unit) {
    return cell.compare.isValid() && !unit.isEmpty() ? cell.shown + QLatin1Char(' ') + unit : cell.shown;
}

std::optional<double> ratioOf(double first, double second) {
    return first > 0 && second > 0 ? std::optional(second / first) : std::nullopt;
}

void appendRows(QList<ComparedValue>& out, const CatalogSheet& sheet, const QString& first,
                const QString& second, const QString& suffix) {
    const int a = sheet.rowOf(first);
    const int b = sheet.rowOf(second);
    if (a < 0 || b < 0)
        return;
    for (int i = 1; i < sheet.columns.size(); ++i) {
        const CatalogSheet::Column& column = sheet.columns[i];
        const CatalogSheet::Cell& left = sheet.rows[a].cells[i];
        const CatalogSheet::Cell& right = sheet.rows[b].cells[i];
        // Prices are behind, for the region of the pane.
        if (column.key == priceKey || silentKeys().contains(column.key) ||
            (!left.compare.isValid() && !right.compare.isValid()))
            continue;
        ComparedValue value{.label = column.label + suffix,
                            .first = withUnit(left, column.unit),
                            .second = withUnit(right, column.unit),
                            .firstYours = left.yours,
                            .secondYours = right.yours,
                            .ratio = {},
                            .equal = left.compare == right.compare};
        // Twice the generation is not twice of anything.
        const bool amount = column.number && !column.key.contains(QLatin1String("generation")) &&
                            !column.key.contains(QLatin1String("version"));
        if (amount && left.compare.isValid() && right.compare.isValid())
            value.ratio = ratioOf(left.compare.toDouble(), right.compare.toDouble());
        out.append(value);
    }
}

QString gpuOf(const Catalog& catalog, CatalogKind kind, const QString& entry) {
    const std::string id = entry.toStdString();
    if (kind == CatalogKind::instances)
        if (const Instance* instance = catalog.instance(id))
            return text(instance->gpu);
    if (kind == CatalogKind::ultraservers)
        if (const UltraServer* server = catalog.ultraserver(id))
            return text(server->gpu);
    return {};
}

QString shownRate(const Price* price) {
    return price == nullptr ? QStringLiteral("–")
                            : quantity(price->rate.si(), Dimension::dollarsPerHour, {.significant = 5});
}

void appendPrices(QList<ComparedValue>& out, const Catalog& catalog, const QString& first,
                  const QString& second, const QString& region) {
    const auto price = [&](const QString& item) {
        return catalog.price(item.toStdString(), region.toStdString(), Purchase::onDemand);
    };
    const Price* left = price(first);
    const Price* right = price(second);
    if (left == nullptr && right == nullptr)
        return;
    ComparedValue value{.label = CompareTexts::tr("On-Demand, %1").arg(region),
                        .first = shownRate(left),
                        .second = shownRate(right),
                        .firstYours = left != nullptr && left->provenance.user,
                        .secondYours = right != nullptr && right->provenance.user,
                        .ratio = {},
                        .equal = left != nullptr && right != nullptr && left->rate.si() == right->rate.si()};
    if (left != nullptr && right != nullptr)
        value.ratio = ratioOf(left->rate.si(), right->rate.si());
    out.append(value);
}

} // namespace

QList<ComparedValue> comparedValues(const CatalogEditor& editor, const CatalogSheet& sheet,
                                    const QString& first, const QString& second, const QString& region) {
    QList<ComparedValue> values;
    appendRows(values, sheet, first, second, {});
    const Catalog& catalog = editor.catalog();
    const QString gpuA = gpuOf(catalog, sheet.kind, first);
    const QString gpuB = gpuOf(catalog, sheet.kind, second);
    if (!gpuA.isEmpty() && !gpuB.isEmpty()) {
        appendRows(values, sheetOf(editor, CatalogKind::gpus), gpuA, gpuB, CompareTexts::tr(", one GPU"));
        appendPrices(values, catalog, first, second, region);
    }
    return values;
}

double ratioLength(double ratio) { return ratio >= 1 ? ratio - 1 : 1 / ratio - 1; }

void CompareModel::setValues(const QString& first, const QString& second, const QList<ComparedValue>& values,
                             bool withEqual) {
    beginResetModel();
    first_ = first;
    second_ = second;
    shown_.clear();
    hidden_ = 0;
    longest_ = 0;
    for (const ComparedValue& value : values) {
        if (value.equal && !withEqual) {
            ++hidden_;
            continue;
        }
        shown_.append(value);
        if (value.ratio)
            longest_ = std::max(longest_, ratioLength(*value.ratio));
    }
    endResetModel();
}

int CompareModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QVariant CompareModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const ComparedValue& value = shown_[index.row()];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case labelColumn:
            return value.label;
        case firstColumn:
            return value.first;
        case secondColumn:
            return value.second;
        case ratioColumn:
            return value.ratio ? QStringLiteral("× %1").arg(
                                     quantity(*value.ratio, Dimension::number, {.significant = 3}))
                               : QString();
        default:
            return {};
        }
    case Qt::EditRole:
        return column == ratioColumn && value.ratio ? QVariant(*value.ratio) : data(index, Qt::DisplayRole);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((column == labelColumn || column == barColumn ? Qt::AlignLeft : Qt::AlignRight) |
                          Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return column == firstColumn ? value.first : column == secondColumn ? value.second : value.label;
    case inkRole:
        if ((column == firstColumn && value.firstYours) || (column == secondColumn && value.secondYours))
            return QVariant::fromValue(Role::accent);
        return column == ratioColumn || value.equal ? QVariant::fromValue(Role::text2) : QVariant();
    case ratioRole:
        return value.ratio ? QVariant(*value.ratio) : QVariant();
    case copyRole:
        return column == barColumn ? QVariant(QString()) : QVariant();
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == labelColumn || section == barColumn ? Qt::AlignLeft : Qt::AlignRight) |
                          Qt::AlignVCenter));
    if (role == Qt::DisplayRole)
        return QStringList{tr("Value"), first_, second_, tr("Ratio"), QString()}.value(section);
    return {};
}

} // namespace alidade::views
