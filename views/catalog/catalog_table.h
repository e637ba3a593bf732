// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/data_table_view.h"

namespace alidade::views {

/// The table of catalog entries with the keys of a spreadsheet: F2, Enter or typing edits. Its owner adds
/// actions for the rest.
class CatalogTable : public DataTableView {
    Q_OBJECT

public:
    explicit CatalogTable(QWidget* parent = nullptr);

    /// Selected cells in columns that are shown, sorted by place.
    QModelIndexList selectedCells() const;
    /// Columns that are shown, from left to right.
    QList<int> shownColumns() const;

signals:
    /// Somebody typed over a cell that cannot be edited.
    void lockedTyped(const QModelIndex& index);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace alidade::views
