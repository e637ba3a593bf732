// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_model.h"

#include "views/document/text.h"
#include "views/kit/data_table_view.h"
#include "views/kit/item_roles.h"

namespace alidade::views {

void CatalogModel::setSheet(const CatalogSheet& sheet) {
    beginResetModel();
    sheet_ = sheet;
    endResetModel();
}

int CatalogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(sheet_.rows.size());
}

int CatalogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(sheet_.columns.size());
}

QVariant CatalogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const CatalogSheet::Row& row = sheet_.rows[index.row()];
    const CatalogSheet::Column& column = sheet_.columns[index.column()];
    const CatalogSheet::Cell& cell = row.cells[index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return cell.shown;
    case Qt::EditRole:
        return cell.compare;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return text(citation(*row.provenance, column.key.toStdString()));
    case inkRole:
        return cell.compare.isValid() ? QVariant() : QVariant::fromValue(Role::text3);
    case markRole: {
        const bool first = index.column() == 0;
        return QVariant::fromValue(CellMark{.yours = row.provenance->user,
                                            .disagree = first && !row.provenance->conflicts.empty(),
                                            .refused = false});
    }
    default:
        return {};
    }
}

QVariant CatalogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= sheet_.columns.size())
        return {};
    const CatalogSheet::Column& column = sheet_.columns[section];
    if (role == Qt::DisplayRole)
        return column.title;
    if (role == Qt::ToolTipRole)
        return column.key;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    return {};
}

void CatalogFilter::setColumnFilter(int column, const QString& filter) {
    filters_[column] = filter.trimmed();
    invalidateFilter();
}

void CatalogFilter::clearFilters() {
    filters_.clear();
    invalidateFilter();
}

bool CatalogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    for (auto filter = filters_.begin(); filter != filters_.end(); ++filter) {
        const QModelIndex index = sourceModel()->index(row, filter.key(), parent);
        if (!filter.value().isEmpty() &&
            !passesFilter(filter.value(), index.data(Qt::EditRole), index.data().toString()))
            return false;
    }
    return true;
}

bool CatalogFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(Qt::EditRole);
    const QVariant b = right.data(Qt::EditRole);
    if (a.isValid() != b.isValid()) // at the end in either order
        return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    if (a.typeId() == QMetaType::QString)
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

} // namespace alidade::views
