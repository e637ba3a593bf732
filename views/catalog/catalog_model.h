// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_sheet.h"

#include <QAbstractTableModel>
#include <QHash>
#include <QSortFilterProxyModel>

namespace alidade::views {

/// One sheet of the catalog for the table view.
class CatalogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setSheet(const CatalogSheet& sheet);
    const CatalogSheet& sheet() const { return sheet_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CatalogSheet sheet_;
};

/// Sorts by value, with what is not published at the end; keeps the rows that pass all filters.
class CatalogFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setColumnFilter(int column, const QString& filter);
    void clearFilters();

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QHash<int, QString> filters_;
};

} // namespace alidade::views
