// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/data_table_view.h"
#include "views/kit/item_roles.h"

#include <QAbstractTableModel>

#include <optional>

class QSortFilterProxyModel;

namespace alidade::views {

struct CellColumn {
    QString title;
    bool number = false; ///< right-aligned
    QString toolTip;
};

struct Cell {
    QString text;
    QVariant value;             ///< a number, which sorting, filters and copies take instead of the text
    std::optional<Bound> bound; ///< its letter tag is before the text
};

struct CellRow {
    QString key; ///< which thing the row is about; the same key is the same row after an update
    QList<Cell> cells;
};

/// A flat table of given cells. New rows with the same keys replace the old ones in place.
class CellTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTable(const QList<CellColumn>& columns, const QList<CellRow>& rows);
    const QString& key(int row) const { return rows_[row].key; }
    int rowOf(const QString& key) const; ///< -1 if there is none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QList<CellColumn> columns_;
    QList<CellRow> rows_;
};

/// A table of figures to sort, filter and copy, such as the table behind a picture.
class CellTable : public DataTableView {
    Q_OBJECT
public:
    explicit CellTable(QWidget* parent = nullptr);

    void setTable(const QList<CellColumn>& columns, const QList<CellRow>& rows);
    /// The same while a person looks at it: the row under the pointer, else the first one in view, stays
    /// where it is on the screen, and the selection stays.
    void renewTable(const QList<CellColumn>& columns, const QList<CellRow>& rows);
    /// Selects the row without a signal; an unknown key selects nothing.
    void setCurrentKey(const QString& key);
    CellTableModel* cells() const { return cells_; }
    /// All of it in the order of the model, for files.
    TextTable textTable() const;

signals:
    /// A person went to another row.
    void currentKeyChanged(const QString& key);

private:
    CellTableModel* cells_;
    QSortFilterProxyModel* order_;
    bool telling_ = true;
};

} // namespace alidade::views
