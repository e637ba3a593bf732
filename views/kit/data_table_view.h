// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/table_text.h"

#include <QTableView>
#include <QTreeView>

class QAction;
class QMenu;

namespace alidade::views {

class FilterHeader;

/// TSV of the copied cells alone: what a table of this program takes when cells are pasted into it.
inline constexpr char cellsMimeType[] = "application/x-alidade-cells";

/// What every table and tree table of the house has: rows by the font, hairlines, sorting, Ctrl+C as TSV, a
/// context menu that copies as TSV, Markdown or CSV, chooses columns and sorts. Several cells are copied
/// under the titles of their columns, a single one is copied alone. Owned by the view that it is given.
class TableManners : public QObject {
    Q_OBJECT
public:
    TableManners(QAbstractItemView* view, QHeaderView* header);

    QString selectionAs(TableFormat format) const;
    /// The clipboard also gets the cells without titles, as `cellsMimeType`.
    void copy(TableFormat format) const;
    /// Entries that the owner added to the view with addAction() are on top.
    void showMenu(const QPoint& globalPosition);
    /// The columns to choose from, alone.
    void showColumnMenu(const QPoint& globalPosition);

private:
    QModelIndexList selectedCells() const;
    void fillColumnMenu(QMenu* menu);
    void fillSortMenu(QMenu* menu);
    void dress();
    QAbstractItemView* view_;
    QHeaderView* header_;
};

/// A flat table. Sorting needs a model that sorts; the filter row only says what was typed, the owner
/// filters.
class DataTableView : public QTableView {
    Q_OBJECT
public:
    explicit DataTableView(QWidget* parent = nullptr);

    TableManners& manners() const { return *manners_; }
    /// The row of filter fields under the headers; Ctrl+F shows it and goes there, Esc in it clears and
    /// leaves.
    void setFilterRowVisible(bool visible);
    bool isFilterRowVisible() const;
    void setFilterText(int column, const QString& text);
    QString filterText(int column) const;

signals:
    /// 150 ms after the last key.
    void filterChanged(int column, const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    /// A cell whose text is cut off says it in a tool tip, unless the model has one for it.
    bool viewportEvent(QEvent* event) override;
    /// Where what was committed made the model start afresh, the editor is gone already.
    void closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) override;

private:
    FilterHeader* header_;
    TableManners* manners_;
};

/// A tree with columns, such as layers and their operations.
class DataTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit DataTreeView(QWidget* parent = nullptr);
    TableManners& manners() const { return *manners_; }

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;

private:
    TableManners* manners_;
};

/// Whether a cell passes a filter: ">= 8", "<3", "= x", "!= x" compare numbers where both are (the cell's
/// `Qt::EditRole`), else the text has to contain what was typed, whatever its case. An empty filter lets all
/// pass.
bool passesFilter(const QString& filter, const QVariant& cell, const QString& displayed);

} // namespace alidade::views
