// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/cell_table.h"

#include "views/kit/delegates.h"
#include "views/theme/theme_controller.h"

#include <QCursor>
#include <QHash>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSortFilterProxyModel>

#include <algorithm>

namespace alidade::views {
namespace {

/// Lets pass what passes the filter of every column.
class FilteredOrder : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setFilter(int column, const QString& filter) {
        filters_[column] = filter;
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        for (auto filter = filters_.begin(); filter != filters_.end(); ++filter) {
            const QModelIndex cell = sourceModel()->index(row, filter.key(), parent);
            if (!passesFilter(filter.value(), cell.data(Qt::EditRole), cell.data(Qt::DisplayRole).toString()))
                return false;
        }
        return true;
    }

private:
    QHash<int, QString> filters_;
};

/// Numbers as a spreadsheet reads them: no separators of thousands, which the shown text has.
QVariant copied(const Cell& cell) {
    return cell.value.isValid() ? QVariant(QLocale::c().toString(cell.value.toDouble(), 'g', 6)) : QVariant();
}

} // namespace

void CellTableModel::setTable(const QList<CellColumn>& columns, const QList<CellRow>& rows) {
    const bool same = columns.size() == columns_.size() &&
                      std::ranges::equal(rows, rows_, {}, &CellRow::key, &CellRow::key);
    if (!same)
        beginResetModel();
    columns_ = columns;
    rows_ = rows;
    if (!same)
        return endResetModel();
    if (columns_.isEmpty())
        return;
    emit headerDataChanged(Qt::Horizontal, 0, static_cast<int>(columns_.size()) - 1);
    if (!rows_.isEmpty())
        emit dataChanged(index(0, 0),
                         index(static_cast<int>(rows_.size()) - 1, static_cast<int>(columns_.size()) - 1));
}

int CellTableModel::rowOf(const QString& key) const {
    const auto found = std::ranges::find(rows_, key, &CellRow::key);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int CellTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CellTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant CellTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.column() >= rows_[index.row()].cells.size())
        return {};
    const Cell& cell = rows_[index.row()].cells[index.column()];
    switch (role) {
    case Qt::DisplayRole:
        return cell.text;
    case Qt::EditRole:
        return cell.value.isValid() ? cell.value : QVariant(cell.text);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (columns_[index.column()].number ? Qt::AlignRight : Qt::AlignLeft));
    case boundRole:
        return cell.bound ? QVariant::fromValue(*cell.bound) : QVariant();
    case copyRole:
        return copied(cell);
    default:
        return {};
    }
}

QVariant CellTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns_.size())
        return {};
    const CellColumn& column = columns_[section];
    switch (role) {
    case Qt::DisplayRole:
        return column.title;
    case Qt::ToolTipRole:
        return column.toolTip.isEmpty() ? QVariant() : QVariant(column.toolTip);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | (column.number ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

CellTable::CellTable(QWidget* parent)
    : DataTableView(parent)
    , cells_(new CellTableModel(this)) {
    auto* order = new FilteredOrder(this);
    order_ = order;
    order->setSourceModel(cells_);
    order->setSortRole(Qt::EditRole);
    setModel(order);
    setItemDelegate(new TagDelegate(this)); // draws a tag only where there is one
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    horizontalHeader()->setSortIndicatorClearable(true);
    sortByColumn(-1, Qt::AscendingOrder);
    connect(this, &DataTableView::filterChanged, order,
            [order](int column, const QString& filter) { order->setFilter(column, filter); });
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (telling_ && row.isValid())
            emit currentKeyChanged(cells_->key(order_->mapToSource(row).row()));
    });
}

void CellTable::setTable(const QList<CellColumn>& columns, const QList<CellRow>& rows) {
    const QScopedValueRollback quiet(telling_, false);
    const bool first = cells_->columnCount() != columns.size();
    cells_->setTable(columns, rows);
    if (first)
        resizeColumnsToContents();
}

void CellTable::renewTable(const QList<CellColumn>& columns, const QList<CellRow>& rows) {
    const auto keyOf = [this](const QModelIndex& row) {
        return row.isValid() ? cells_->key(order_->mapToSource(row).row()) : QString();
    };
    const auto placeOf = [this](const QString& key) {
        const int row = key.isEmpty() ? -1 : cells_->rowOf(key);
        return row < 0 ? QModelIndex() : order_->mapFromSource(cells_->index(row, 0));
    };
    QScrollBar* bar = verticalScrollBar();
    const int scrolled = bar->value();
    const bool isPointed = viewport()->underMouse();
    const QModelIndex still =
        isPointed ? indexAt(viewport()->mapFromGlobal(QCursor::pos())) : indexAt(QPoint(1, 1));
    // At its top a table goes on showing the first rows.
    const QString stillKey = isPointed || scrolled > 0 ? keyOf(still) : QString();
    const int top = visualRect(still).top();
    const QString chosen = keyOf(currentIndex());
    setTable(columns, rows);
    const QScopedValueRollback quiet(telling_, false);
    const bool scrolls = hasAutoScroll();
    setAutoScroll(false);
    if (const QModelIndex place = placeOf(chosen); place.isValid())
        setCurrentIndex(place);
    setAutoScroll(scrolls);
    executeDelayedItemsLayout();
    bar->setValue(scrolled);
    if (const QModelIndex place = placeOf(stillKey); place.isValid())
        bar->setValue(bar->value() + visualRect(place).top() - top);
}

void CellTable::setCurrentKey(const QString& key) {
    const QScopedValueRollback quiet(telling_, false);
    const int row = cells_->rowOf(key);
    const QModelIndex place = row < 0 ? QModelIndex() : order_->mapFromSource(cells_->index(row, 0));
    if (!place.isValid()) {
        selectionModel()->clear();
    } else if (currentIndex().row() != place.row()) {
        setCurrentIndex(place);
        scrollTo(place);
    }
}

TextTable CellTable::textTable() const {
    TextTable table;
    for (int column = 0; column < cells_->columnCount(); ++column)
        table.headers.append(cells_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < cells_->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < cells_->columnCount(); ++column) {
            const QModelIndex cell = cells_->index(row, column);
            const QVariant copy = cell.data(copyRole);
            cells.append((copy.isValid() ? copy : cell.data(Qt::DisplayRole)).toString());
        }
        table.rows.append(cells);
    }
    return table;
}

} // namespace alidade::views
