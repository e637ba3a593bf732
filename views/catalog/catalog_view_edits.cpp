// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the catalog page change.
#include "data/catalog/catalog_sheet.h"
#include "model/catalog/catalog.h"
#include "views/catalog/block_paste.h"
#include "views/catalog/catalog_files.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/catalog_view.h"
#include "views/catalog/cell_delegate.h"
#include "views/catalog/compare_pane.h"
#include "views/catalog/conflict_dialog.h"
#include "views/catalog/entry_dialog.h"
#include "views/catalog/kind_list.h"
#include "views/catalog/pasted_cells.h"
#include "views/catalog/price_book.h"
#include "views/catalog/price_choice_bar.h"
#include "views/catalog/provenance_panel.h"
#include "views/catalog/refusal_list.h"
#include "views/catalog/sheet_columns.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/data_table_view.h"
#include "views/kit/dock_title_bar.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace alidade::views {

void CatalogView::addEntry() {
    auto* dialog = new EntryDialog(editor_, model_->sheet().kind, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { goToNew(dialog->entry(), false); });
    dialog->open();
}

void CatalogView::duplicateEntry() {
    const QModelIndex current = filter_->mapToSource(table_->currentIndex());
    if (!current.isValid())
        return;
    const QString entry = model_->sheet().rows[current.row()].id;
    QString made;
    const QString reason = editor_->duplicate(model_->sheet().kind, entry, &made);
    if (!reason.isEmpty())
        return say(reason);
    goToNew(made, true);
    say(tr("%1 is your copy of %2; type its id.").arg(made, entry));
}

void CatalogView::deleteEntries() {
    const QStringList entries = selectedEntries();
    if (entries.isEmpty())
        return;
    const data::CatalogKind kind = model_->sheet().kind;
    const QString reason = editor_->remove(kind, entries, data::WithDependants::refuse);
    if (reason.isEmpty())
        return say(entries.size() == 1
                       ? tr("%1 is deleted. Undo brings it back.").arg(entries[0])
                       : tr("%1 entries are deleted. Undo brings them back.").arg(entries.size()));
    if (!editor_->readOnly().isEmpty())
        return say(reason);
    auto* question = new QMessageBox(QMessageBox::Question, tr("Delete"), reason, QMessageBox::Cancel, this);
    question->setAttribute(Qt::WA_DeleteOnClose);
    auto* both = question->addButton(tr("Delete those too"), QMessageBox::DestructiveRole);
    connect(both, &QPushButton::clicked, this,
            [this, kind, entries] { say(editor_->remove(kind, entries, data::WithDependants::removeToo)); });
    question->open();
}

void CatalogView::resetCells() {
    QList<CatalogCell> cells = selectedCatalogCells();
    cells.removeIf(
        [](const CatalogCell& cell) { return cell.entry.isEmpty() || cell.key == QLatin1String("id"); });
    if (cells.isEmpty()) {
        const QStringList entries = selectedEntries();
        return entries.isEmpty() ? void() : say(editor_->resetEntry(model_->sheet().kind, entries[0]));
    }
    say(editor_->reset(cells));
}

/// Over several rows the top cell goes down into the others; within one row the entry is duplicated.
void CatalogView::fillOrDuplicate() {
    const QModelIndexList cells = table_->selectedCells();
    const bool rows = std::ranges::any_of(
        cells, [&cells](const QModelIndex& cell) { return cell.row() != cells.constFirst().row(); });
    if (!rows)
        return duplicateEntry();
    const BlockPlan plan = planFill(cells);
    const QStringList refusals =
        editor_->setTexts(plan.texts, tr("fill down %1 cells").arg(plan.texts.size()));
    say(tr("Filled down. %1").arg(blockReport(plan, refusals)));
}

void CatalogView::paste() {
    const QMimeData* data = QApplication::clipboard()->mimeData();
    if (data == nullptr) // some platforms have none for an empty clipboard
        return say(tr("The clipboard has no text."));
    const QString cells = QString::fromUtf8(data->data(QLatin1StringView(cellsMimeType)));
    const QList<QStringList> block = pastedCells(cells.isEmpty() ? data->text() : cells);
    if (block.isEmpty())
        return say(tr("The clipboard has no text."));
    const BlockPlan plan = planBlock(block, table_->selectedCells(), table_->shownColumns());
    const QStringList refusals =
        editor_->setTexts(plan.texts, plan.texts.size() == 1 ? tr("paste a cell")
                                                             : tr("paste %1 cells").arg(plan.texts.size()));
    say(tr("Pasted. %1").arg(blockReport(plan, refusals)));
}

void CatalogView::toggleCompare(bool on) {
    compare_->setVisible(on);
    if (!on)
        return;
    QStringList chosen = selectedEntries();
    const CatalogSheet& sheet = model_->sheet();
    for (int i = 0; chosen.size() < 2 && i < sheet.rows.size(); ++i)
        if (!chosen.contains(sheet.rows[i].id) && !sheet.rows[i].removed())
            chosen.append(sheet.rows[i].id);
    if (chosen.size() > 1)
        compare_->compare(sheet.kind, chosen.first(), chosen.last());
    middle_->setSizes({middle_->height() - theme().px(290), theme().px(290)});
}

void CatalogView::settleConflicts() {
    if (editor_->conflicts().empty())
        return say(tr("Nothing to resolve: your values were made over this catalog."));
    if (conflicts_ == nullptr) {
        conflicts_ = new ConflictDialog(editor_, this);
        conflicts_->setAttribute(Qt::WA_DeleteOnClose);
    }
    conflicts_->open();
}

} // namespace alidade::views
