// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/compare/compare_grid.h"
#include "views/kit/data_table_view.h"

#include <QAbstractTableModel>

namespace alidade::views {

/// A comparison as a table: scenarios are columns, or rows where it is transposed.
class ComparisonModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setGrid(const CompareGrid& grid, bool transposed);
    /// Room for the title of a scenario, pixels: what is longer is cut at its end.
    void setTitleRoom(int pixels);
    const CompareGrid& grid() const { return grid_; }
    bool isTransposed() const { return transposed_; }

    /// Place of the scenario that a cell is about; -1: the cell names a row.
    int scenarioOf(const QModelIndex& index) const;
    /// Field, figure or reason that a cell is about; null: none.
    const ComparisonRow* rowOf(const QModelIndex& index) const;
    /// Where a row of the grid is at present; invalid: nowhere.
    QModelIndex find(const QString& key, int scenario) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const ComparisonCell* cellOf(const QModelIndex& index) const;
    QVariant labelData(const QModelIndex& index, int role) const;

    CompareGrid grid_;
    QList<qsizetype> lines_; ///< rows of the grid that are shown, in their order
    bool transposed_ = false;
    int titleRoom_ = 0;
};

/// The table of the Compare page. Scenarios are dragged by their titles.
class CompareTable : public DataTableView {
    Q_OBJECT

public:
    explicit CompareTable(QWidget* parent = nullptr);

    void setGrid(const CompareGrid& grid, bool transposed);
    const ComparisonModel& cells() const { return *model_; }
    int currentScenario() const; ///< -1: none
    QString currentKey() const;  ///< of the row; empty: none
    void setCurrent(const QString& key, int scenario);

signals:
    /// A person dragged a scenario to another place.
    void moved(int from, int to);
    /// The title of a figure was clicked, in the transposed table: order by it.
    void sortRequested(const QString& key);
    void opened(int scenario);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    ComparisonModel* model_;
    bool arranging_ = false;
};

} // namespace alidade::views
