// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_table.h"

#include "views/kit/begin_edit.h"

#include <QHeaderView>
#include <QKeyEvent>

#include <algorithm>

namespace alidade::views {

namespace {

bool isTyping(const QKeyEvent& event) {
    const bool command = event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    return !command && !event.text().isEmpty() && event.text().at(0).isPrint();
}

} // namespace

CatalogTable::CatalogTable(QWidget* parent)
    : DataTableView(parent) {
    setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                    QAbstractItemView::AnyKeyPressed);
    horizontalHeader()->setStretchLastSection(false);
    horizontalHeader()->setSortIndicatorClearable(true);
}

QList<int> CatalogTable::shownColumns() const {
    QList<int> columns;
    const QHeaderView* header = horizontalHeader();
    for (int place = 0; place < header->count(); ++place)
        if (const int column = header->logicalIndex(place); !header->isSectionHidden(column))
            columns.append(column);
    return columns;
}

QModelIndexList CatalogTable::selectedCells() const {
    if (selectionModel() == nullptr)
        return {};
    QModelIndexList cells = selectionModel()->selectedIndexes();
    const QList<int> columns = shownColumns();
    cells.removeIf([&columns](const QModelIndex& cell) { return !columns.contains(cell.column()); });
    std::ranges::sort(cells, [&columns](const QModelIndex& a, const QModelIndex& b) {
        return a.row() != b.row() ? a.row() < b.row()
                                  : columns.indexOf(a.column()) < columns.indexOf(b.column());
    });
    return cells;
}

void CatalogTable::keyPressEvent(QKeyEvent* event) {
    if (state() == EditingState) // what the field of a cell leaves over, such as the Enter that ends it
        return DataTableView::keyPressEvent(event);
    if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo))
        return event->ignore(); // the page's
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    const QModelIndex current = currentIndex();
    if (plain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current.isValid()) {
        if (current.flags() & Qt::ItemIsEditable)
            beginEdit(*this, current);
        else
            emit lockedTyped(current);
        return;
    }
    const bool wantsEdit = isTyping(*event) || (plain && event->key() == Qt::Key_F2);
    if (wantsEdit && current.isValid() && !(current.flags() & Qt::ItemIsEditable))
        return emit lockedTyped(current);
    DataTableView::keyPressEvent(event);
}

} // namespace alidade::views
