// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_sheet.h"

#include <QAbstractTableModel>
#include <QDate>
#include <QHash>
#include <QSortFilterProxyModel>

namespace alidade::views {

/// What the model tells besidess the roles of the kit.
enum CatalogRole {
    cellTextRole = Qt::UserRole + 5000, ///< text of the cell while it is edited, with its unit
    cellReasonRole,                     ///< why the text in the cell is not in force; empty: it is
};

/// One sheet of the catalog for the table view. An edit goes to the editor; rows that stay keep their places
/// and whoever points at them.
class CatalogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit CatalogModel(CatalogEditor* editor, QObject* parent = nullptr);

    void setKind(data::CatalogKind kind);
    const CatalogSheet& sheet() const { return sheet_; }
    CatalogCell cellAt(const QModelIndex& index) const;
    /// Which price the rows of machines show.
    void setPriceChoice(const PriceChoice& choice);
    const PriceChoice& priceChoice() const { return prices_; }
    /// Prices are old or not on this day.
    void setToday(const QDate& today);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    /// An edit that could not be kept as a marked text: an id that is taken.
    void refused(const QString& reason);
    /// The entry has another id now.
    void renamed(const QString& entry);

private:
    void refresh();
    QString toolTip(const CatalogSheet::Row& row, int column) const;
    bool isOldPrice(const QModelIndex& index) const;

    CatalogEditor* editor_;
    CatalogSheet sheet_;
    PriceChoice prices_;
    QDate today_ = QDate::currentDate();
};

/// Sorts by value, with what is not published at the end; keeps the rows that pass all filters. A row does
/// not move while it is edited.
class CatalogFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit CatalogFilter(QObject* parent = nullptr);

    void setColumnFilter(int column, const QString& filter);
    /// In any column.
    void setRowFilter(const QString& words);
    /// Only entries with a value of the person's.
    void setTouchedOnly(bool on);
    void clearFilters();

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    bool passesWords(int row) const;

    QHash<int, QString> filters_;
    QString words_;
    bool touchedOnly_ = false;
};

} // namespace alidade::views
