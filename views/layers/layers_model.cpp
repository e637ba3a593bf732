// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/layers_model.h"

#include "model/base/quantiles.h"
#include "views/document/text.h"
#include "views/theme/theme_controller.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

/// An index carries the group of its row counted from 1; of a group itself, 0.
constexpr quintptr groupLevel = 0;

LayerColumn columnOf(const QModelIndex& index) { return static_cast<LayerColumn>(index.column()); }

QString figure(const std::optional<double>& si, Dimension dimension, const ScaledUnit& unit) {
    if (!si)
        return QStringLiteral("–");
    return text(formatParts(*si, dimension, {.fixed = unit}).number);
}

/// What the decimals of the column do not show is said to be less.
QString figure(const std::optional<double>& si, Dimension dimension, const ColumnUnit& unit) {
    const ScaledUnit& plain = unit;
    if (!si || !(*si > 0) || !unit.decimals)
        return figure(si, dimension, plain);
    const int decimals = *unit.decimals;
    const double least = std::pow(10.0, -decimals);
    const double value = *si / unit.factor;
    if (value < least)
        return QStringLiteral("< ") + QString::number(least, 'f', decimals);
    const double rounded = std::round(value / least) * least * (1 + 1e-12);
    const int digits = static_cast<int>(std::floor(std::log10(rounded))) + 1 + decimals;
    return text(formatParts(rounded * unit.factor, dimension,
                            {.significant = std::clamp(digits, 1, 15), .fixed = plain})
                    .number);
}

QString percent(double si) { return quantity(si, Dimension::ratio, {.significant = 2}); }

QString spreadsheetNumber(double value) { return QLocale::c().toString(value, 'g', 6); }

} // namespace

bool LayersModel::hasSameRows(const LayerTable& table) const {
    return std::ranges::equal(table.groups, table_.groups, [](const LayerGroup& a, const LayerGroup& b) {
        return a.head.key == b.head.key &&
               std::ranges::equal(a.rows, b.rows, {}, &LayerRow::key, &LayerRow::key);
    });
}

void LayersModel::setTable(const LayerTable& table) {
    if (!hasSameRows(table)) {
        beginResetModel();
        table_ = table;
        return endResetModel();
    }
    table_ = table;
    emit headerDataChanged(Qt::Horizontal, 0, layerColumns - 1);
    const auto tell = [this](const QModelIndex& parent) {
        const int rows = rowCount(parent);
        if (rows > 0)
            emit dataChanged(index(0, 0, parent), index(rows - 1, layerColumns - 1, parent));
    };
    tell({});
    for (int group = 0; group < rowCount(); ++group)
        tell(index(group, 0));
}

const LayerRow& LayersModel::row(const QModelIndex& index) const {
    if (index.internalId() == groupLevel)
        return table_.groups[index.row()].head;
    return table_.groups[static_cast<qsizetype>(index.internalId() - 1)].rows[index.row()];
}

QModelIndex LayersModel::find(const Selection& selection) const {
    for (int group = 0; group < rowCount(); ++group) {
        if (table_.groups[group].head.selection.layer != selection.layer)
            continue;
        const QModelIndex head = index(group, 0);
        if (selection.operation.isEmpty())
            return head;
        for (int i = 0; i < rowCount(head); ++i) {
            const Selection& candidate = table_.groups[group].rows[i].selection;
            if (candidate.operation == selection.operation &&
                (candidate.group == selection.group || candidate.group.isEmpty()))
                return index(i, 0, head);
        }
    }
    return {};
}

QModelIndex LayersModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : groupLevel);
}

QModelIndex LayersModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == groupLevel)
        return {};
    return createIndex(static_cast<int>(index.internalId() - 1), 0, groupLevel);
}

int LayersModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return static_cast<int>(table_.groups.size());
    if (parent.internalId() != groupLevel || parent.column() > 0)
        return 0;
    return static_cast<int>(table_.groups[parent.row()].rows.size());
}

int LayersModel::columnCount(const QModelIndex&) const { return layerColumns; }

QString LayersModel::shown(const LayerRow& row, LayerColumn column) const {
    switch (column) {
    case LayerColumn::name:
        return row.name;
    case LayerColumn::flops:
        return figure(row.flops, Dimension::flop, table_.flops);
    case LayerColumn::bytes:
        return figure(row.bytes, Dimension::bytes, table_.bytes);
    case LayerColumn::intensity:
        return row.selection.operation.isEmpty()
                   ? QString()
                   : figure(row.intensity, Dimension::flopPerByte, ScaledUnit{1, ""});
    case LayerColumn::roof:
        return row.selection.operation.isEmpty() ? QString()
               : row.roof                        ? percent(*row.roof)
                                                 : QStringLiteral("–");
    case LayerColumn::time:
        return figure(row.seconds, Dimension::seconds, table_.time);
    case LayerColumn::difference:
        return differenceOf(row);
    case LayerColumn::limit:
    case LayerColumn::bar:
        return {};
    }
    Q_UNREACHABLE();
}

/// "+0.12"; what is not in the baseline is new.
QString LayersModel::differenceOf(const LayerRow& row) const {
    if (!table_.differenceLogSd)
        return {};
    if (!row.before)
        return row.seconds > 0 ? tr("new") : QString();
    const double change = row.seconds - *row.before;
    const QString shown = figure(change, Dimension::seconds, table_.time);
    return change > 0 ? u'+' + shown : shown;
}

Role LayersModel::differenceInk(const LayerRow& row) const {
    if (!row.before || !table_.differenceLogSd || row.seconds == *row.before)
        return Role::text3;
    const double ratio = row.seconds / *row.before;
    const bool certain = !(ratio > 0) || std::abs(std::log(ratio)) > quantile90 * *table_.differenceLogSd;
    return !certain ? Role::text3 : row.seconds < *row.before ? Role::ok : Role::err;
}

QVariant LayersModel::sortKey(const LayerRow& row, LayerColumn column) const {
    switch (column) {
    case LayerColumn::name:
        return row.name;
    case LayerColumn::limit:
        return stackPosition(row.bound);
    case LayerColumn::flops:
        return row.flops.value_or(0);
    case LayerColumn::bytes:
        return row.bytes.value_or(0);
    case LayerColumn::intensity:
        return row.intensity.value_or(0);
    case LayerColumn::roof:
        return row.roof.value_or(0);
    case LayerColumn::difference:
        return row.before ? row.seconds - *row.before : 0.0;
    case LayerColumn::time:
    case LayerColumn::bar:
        return row.seconds;
    }
    Q_UNREACHABLE();
}

QString LayersModel::copied(const LayerRow& row, LayerColumn column) const {
    const auto scaled = [](const std::optional<double>& si, double factor) {
        return si ? spreadsheetNumber(*si / factor) : QString();
    };
    switch (column) {
    case LayerColumn::name:
        return row.count.isEmpty() ? row.name : row.name + QLatin1Char(' ') + row.count;
    case LayerColumn::limit:
        return theme().classStyle(row.bound).name;
    case LayerColumn::flops:
        return scaled(row.flops, table_.flops.factor);
    case LayerColumn::bytes:
        return scaled(row.bytes, table_.bytes.factor);
    case LayerColumn::intensity:
        return scaled(row.intensity, 1);
    case LayerColumn::roof:
        return row.roof ? percent(*row.roof) : QString();
    case LayerColumn::time:
        return scaled(row.seconds, table_.time.factor);
    case LayerColumn::difference:
        return row.before ? scaled(row.seconds - *row.before, table_.time.factor) : QString();
    case LayerColumn::bar: {
        QStringList parts;
        for (const TimePart& part : row.parts)
            parts.append(theme().classStyle(part.bound).name + QLatin1Char(' ') +
                         spreadsheetNumber(part.seconds / table_.time.factor));
        return parts.join(QStringLiteral(", "));
    }
    }
    Q_UNREACHABLE();
}

QVariant LayersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const LayerRow& line = row(index);
    const LayerColumn column = columnOf(index);
    const bool group = index.internalId() == groupLevel;
    switch (role) {
    case Qt::DisplayRole:
        return shown(line, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (column >= LayerColumn::flops ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        return column == LayerColumn::time ? QVariant(theme().font(FontRole::strong)) : QVariant();
    case Qt::AccessibleTextRole:
        return copied(line, column);
    case Qt::AccessibleDescriptionRole:
        return HoverCard::words(line.card);
    case inkRole:
        return column == LayerColumn::difference ? QVariant::fromValue(differenceInk(line)) : QVariant();
    case boundRole:
        return column == LayerColumn::limit ? QVariant::fromValue(line.bound) : QVariant();
    case groupRowRole:
        return group;
    case countRole:
        return column == LayerColumn::name ? line.count : QVariant();
    case partsRole:
        return column == LayerColumn::bar ? QVariant::fromValue(line.parts) : QVariant();
    case shareRole:
        return column == LayerColumn::bar ? line.ofStep : QVariant();
    case noBarRole:
        return column == LayerColumn::bar ? line.noBar : QVariant();
    case sortRole:
        return sortKey(line, column);
    case copyRole:
        return copied(line, column);
    default:
        return {};
    }
}

QVariant LayersModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= layerColumns)
        return {};
    const auto column = static_cast<LayerColumn>(section);
    const bool number = column >= LayerColumn::flops && column <= LayerColumn::difference;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
    struct Head {
        QString title, toolTip;
    };
    const QString pass = table_.serving ? QStringLiteral("%1") : tr("%1 fwd");
    const auto head = [&]() -> Head {
        switch (column) {
        case LayerColumn::name:
            return {tr("Operation"), tr("All phases of an operation together")};
        case LayerColumn::limit:
            return {tr("Limit"), tr("Dominant bound")};
        case LayerColumn::flops:
            return {pass.arg(text(table_.flops.label)),
                    tr("Arithmetic of the forward pass, per GPU, layer and %1").arg(table_.per)};
        case LayerColumn::bytes:
            return {pass.arg(text(table_.bytes.label)),
                    tr("HBM traffic of the forward pass; for collectives their buffers")};
        case LayerColumn::intensity:
            return {tr("FLOP/B"), tr("Arithmetic per byte of HBM traffic, forward")};
        case LayerColumn::roof:
            return {tr("of roof"), tr("Share of the peak, or of the HBM bandwidth, that the forward pass "
                                      "reaches")};
        case LayerColumn::time:
            return {
                text(table_.time.label),
                tr("All phases, per GPU, layer and %1; for collectives the exposed part").arg(table_.per)};
        case LayerColumn::difference:
            return {QStringLiteral("Δ"),
                    tr("Time minus that of the baseline; gray: within the error of the difference")};
        case LayerColumn::bar:
            if (table_.serving)
                return {tr("Time, share of the step"),
                        tr("For a layer: its time by bound, one scale for all bars; behind it the "
                           "share that all layers of the kind have of the step.")};
            return {tr("Forward, backward"), tr("Full color: forward. Framed: recomputed. Pale: backward. "
                                                "For a layer: its time by bound. One scale for all bars.")};
        }
        Q_UNREACHABLE();
    }();
    return role == Qt::DisplayRole   ? QVariant(head.title)
           : role == Qt::ToolTipRole ? QVariant(head.toolTip)
                                     : QVariant();
}

} // namespace alidade::views
