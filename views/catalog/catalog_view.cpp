// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_view.h"

#include "data/catalog/catalog_sheet.h"
#include "model/catalog/catalog.h"
#include "views/catalog/block_paste.h"
#include "views/catalog/catalog_files.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/catalog_table.h"
#include "views/catalog/cell_delegate.h"
#include "views/catalog/cell_scrub.h"
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
#include "views/kit/begin_edit.h"
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

namespace {

/// Room that a column may take at first; long texts are in the panel at the right.
constexpr int widestColumn = 210;
constexpr int bookSheet = 100; ///< in place of a kind, in the list of kinds
const QString bookName = QStringLiteral("price-book");

} // namespace

CatalogView::CatalogView(Document* document, QWidget* parent)
    : View(document, parent)
    , editor_(new CatalogEditor(document, document->catalog(), this))
    , files_(new CatalogFiles(editor_, this))
    , model_(new CatalogModel(editor_, this))
    , filter_(new CatalogFilter(this))
    , kinds_(new QListWidget)
    , pages_(new QStackedWidget)
    , bar_(new DockTitleBar(QString(), {}))
    , table_(new CatalogTable)
    , foot_(new RefusalList(editor_))
    , compare_(new ComparePane(editor_))
    , middle_(new QSplitter(Qt::Vertical))
    , provenance_(new ProvenancePanel(editor_))
    , book_(new PriceBook(editor_))
    , words_(new QLineEdit)
    , prices_(new PriceChoiceBar) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    makeActions();
    pages_->addWidget(makeMiddle());
    pages_->addWidget(book_);
    auto* splitter = new QSplitter;
    splitter->addWidget(makeKinds());
    splitter->addWidget(pages_);
    splitter->addWidget(provenance_);
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({theme().px(170), theme().px(1000), theme().px(320)});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(splitter, 1);
    connectTable();
    connect(editor_, &CatalogEditor::changed, this, &CatalogView::renewKinds);
    connect(editor_, &CatalogEditor::changed, this, &CatalogView::renewState);
    connect(editor_, &CatalogEditor::readOnlyChanged, this, &CatalogView::renewState);
    connect(files_, &CatalogFiles::said, this, &CatalogView::say);
    connect(provenance_, &ProvenancePanel::refused, this, &CatalogView::say);
    connect(book_, &PriceBook::cellChosen, provenance_, &ProvenancePanel::showCell);
    connect(book_, &PriceBook::said, this, &CatalogView::say);
    renewKinds();
    showKind(kindName(data::CatalogKind::instances));
}

/// A cell that is still being edited is given up before the parts that would follow the edit are gone.
CatalogView::~CatalogView() {
    table_->setModel(nullptr);
    book_->table()->setModel(nullptr);
}

QAction* CatalogView::makeAction(const char* name, const QString& words, const char* iconName,
                                 void (CatalogView::*does)()) {
    auto* action = new QAction(words, this);
    action->setObjectName(QString::fromLatin1(name));
    if (iconName != nullptr)
        action->setIcon(icon(QLatin1StringView(iconName)));
    if (does != nullptr)
        connect(action, &QAction::triggered, this, does);
    return action;
}

void CatalogView::makeActions() {
    add_ = makeAction("catalogAdd", tr("Add Entry…"), "add", &CatalogView::addEntry);
    duplicate_ = makeAction("catalogDuplicate", tr("Duplicate Entry, or Fill Down"), "copy",
                            &CatalogView::fillOrDuplicate);
    delete_ = makeAction("catalogDelete", tr("Delete Entries"), "delete", &CatalogView::deleteEntries);
    reset_ = makeAction("catalogReset", tr("Reset to Shipped"), "reset", &CatalogView::resetCells);
    auto* pasteAction = makeAction("catalogPaste", tr("Paste Cells"), nullptr, &CatalogView::paste);
    mine_ = makeAction("catalogMine", tr("Changed by Me"), "override", nullptr);
    mine_->setCheckable(true);
    filterAction_ = makeAction("catalogFilter", tr("Filter by Column"), "filter", nullptr);
    filterAction_->setCheckable(true);
    filterAction_->setToolTip(tr("A row of filters under the headers (Ctrl+F): text, or >= 8"));
    compareAction_ = makeAction("catalogCompare", tr("Compare Two Entries"), "compare", nullptr);
    compareAction_->setCheckable(true);
    columns_ = makeAction("catalogColumns", tr("Columns"), "columns", nullptr);
    import_ = makeAction("catalogImport", tr("Import Catalog…"), "open", nullptr);
    export_ = makeAction("catalogExport", tr("Export Mine…"), "export", nullptr);
    auto* settle =
        makeAction("catalogSettle", tr("Resolve Conflicts…"), nullptr, &CatalogView::settleConflicts);
    connect(mine_, &QAction::toggled, this, [this](bool on) {
        filter_->setTouchedOnly(on);
        renewState();
    });
    connect(filterAction_, &QAction::toggled, table_, &DataTableView::setFilterRowVisible);
    connect(compareAction_, &QAction::toggled, this, &CatalogView::toggleCompare);
    connect(import_, &QAction::triggered, files_, &CatalogFiles::askImport);
    connect(export_, &QAction::triggered, files_, &CatalogFiles::askExport);
    menu_ = {add_,          duplicate_,     delete_, pasteAction, reset_,  nullptr, mine_,
             filterAction_, compareAction_, nullptr, import_,     export_, settle};
    duplicate_->setShortcut(Qt::CTRL | Qt::Key_D);
    pasteAction->setShortcut(QKeySequence::Paste);
    reset_->setShortcut(QKeySequence::Delete);
    for (QAction* action : {add_, duplicate_, delete_, pasteAction, reset_}) {
        action->setShortcutContext(Qt::WidgetShortcut); // not while a cell or filter is typed
        table_->addAction(action);
    }
}

QWidget* CatalogView::makeBar() {
    auto* bar = new QWidget;
    bar->setObjectName(QStringLiteral("catalogBar"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(theme().px(10), theme().px(6), theme().px(10), theme().px(6));
    row->setSpacing(theme().px(6));
    const auto button = [&](QAction* action, const QString& words) {
        auto* made = new QToolButton;
        made->setDefaultAction(action);
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        made->setAutoRaise(true);
        made->setFocusPolicy(Qt::TabFocus);
        made->setText(words);
        made->setAccessibleName(words);
        // The default action's text is for menus.
        connect(action, &QAction::changed, made, [made, action, words] {
            made->setText(action->property("shortText").isValid() ? action->property("shortText").toString()
                                                                  : words);
        });
        row->addWidget(made);
        return made;
    };
    button(add_, tr("Add"));
    for (const bool isUndo : {true, false}) {
        QUndoStack* stack = editor_->undoStack();
        QAction* action =
            isUndo ? stack->createUndoAction(this, tr("Undo")) : stack->createRedoAction(this, tr("Redo"));
        action->setIcon(icon(QLatin1StringView(isUndo ? "undo" : "redo")));
        button(action, isUndo ? tr("Undo in the catalog") : tr("Redo in the catalog"))
            ->setToolButtonStyle(Qt::ToolButtonIconOnly);
    }
    words_->setObjectName(QStringLiteral("catalogWords"));
    words_->setPlaceholderText(tr("Filter rows"));
    words_->setAccessibleName(tr("Filter rows"));
    words_->setClearButtonEnabled(true);
    words_->setMaximumWidth(theme().px(220));
    connect(words_, &QLineEdit::textChanged, this, [this](const QString& words) {
        filter_->setRowFilter(words);
        renewState();
    });
    row->addWidget(words_);
    button(mine_, tr("Changed by me"));
    auto* columns = button(columns_, tr("Columns"));
    connect(columns_, &QAction::triggered, this, [this, columns] {
        table_->manners().showColumnMenu(columns->mapToGlobal(QPoint(0, columns->height())));
    });
    button(compareAction_, tr("Compare"));
    row->addStretch(1);
    button(import_, tr("Import"));
    button(export_, tr("Export mine"));
    return bar;
}

QWidget* CatalogView::makeKinds() {
    kinds_->setObjectName(QStringLiteral("catalogKinds"));
    kinds_->setAccessibleName(tr("Kinds of entries"));
    kinds_->setFrameShape(QFrame::NoFrame);
    kinds_->setItemDelegate(new KindDelegate(kinds_));
    kinds_->setMinimumWidth(theme().px(150));
    QString group;
    const auto heading = [&](const QString& words) {
        if (words == group)
            return;
        group = words;
        (new QListWidgetItem(group, kinds_))->setFlags(Qt::NoItemFlags);
    };
    for (const data::CatalogKind kind : sheetKinds()) {
        const SheetInfo info = sheetInfo(kind);
        heading(info.group);
        auto* item = new QListWidgetItem(info.title, kinds_);
        item->setData(kindSheetRole, static_cast<int>(kind));
        if (kind == data::CatalogKind::prices) {
            auto* book = new QListWidgetItem(tr("Price book"), kinds_);
            book->setData(kindSheetRole, bookSheet);
        }
    }
    connect(kinds_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item == nullptr)
            return;
        const int sheet = item->data(kindSheetRole).toInt();
        pages_->setCurrentIndex(sheet == bookSheet ? 1 : 0);
        if (sheet == bookSheet)
            book_->showScenario();
        else
            openKind(static_cast<data::CatalogKind>(sheet));
        renewState();
    });
    return kinds_;
}

QWidget* CatalogView::makeMiddle() {
    auto* upper = new QWidget;
    auto* column = new QVBoxLayout(upper);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* conflictBar = new ConflictBar(editor_);
    connect(conflictBar, &ConflictBar::settleRequested, this, &CatalogView::settleConflicts);
    column->addWidget(conflictBar);
    column->addWidget(bar_);
    column->addWidget(table_, 1);
    column->addWidget(foot_);
    bar_->addRight(prices_);
    connect(prices_, &PriceChoiceBar::chosen, this, [this](const PriceChoice& choice) {
        model_->setPriceChoice(choice);
        showCurrent();
    });
    bar_->addRight(filterAction_)->setAccessibleName(tr("Filter by column"));
    auto* copy = new QAction(tr("Copy table"), this);
    copy->setToolTip(tr("All rows that are shown, as TSV"));
    connect(copy, &QAction::triggered, this, [this] {
        table_->selectAll();
        table_->manners().copy(TableFormat::tsv);
    });
    bar_->addRight(copy)->setAccessibleName(copy->text());
    middle_->addWidget(upper);
    middle_->addWidget(compare_);
    middle_->setChildrenCollapsible(false);
    middle_->setStretchFactor(0, 1);
    compare_->hide();
    connect(compare_, &ComparePane::closed, this, [this] { compareAction_->setChecked(false); });
    return middle_;
}

void CatalogView::connectTable() {
    filter_->setSourceModel(model_);
    table_->setModel(filter_);
    table_->setItemDelegate(new CatalogCellDelegate(editor_, model_, table_));
    table_->setSortingEnabled(true);
    table_->setAccessibleName(tr("Entries"));
    connect(table_, &DataTableView::filterChanged, this, [this](int at, const QString& words) {
        filter_->setColumnFilter(at, words);
        renewState();
    });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &CatalogView::showCurrent);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QStringList chosen = selectedEntries();
        if (compareAction_->isChecked() && chosen.size() > 1)
            compare_->compare(model_->sheet().kind, chosen.first(), chosen.last());
    });
    connect(table_, &CatalogTable::lockedTyped, this, [this](const QModelIndex& index) {
        QString reason = editor_->readOnly().isEmpty() ? lockedReason(index) : editor_->readOnly();
        if (!reason.isEmpty())
            reason[0] = reason[0].toUpper();
        say(reason + QLatin1Char('.'));
    });
    new CellScrub(table_, editor_,
                  [this](const QModelIndex& index) { return model_->cellAt(filter_->mapToSource(index)); });
    connect(model_, &CatalogModel::refused, this, &CatalogView::say);
    connect(model_, &CatalogModel::renamed, this, [this](const QString& entry) { goToNew(entry, false); });
    connect(foot_, &RefusalList::cellClicked, this, &CatalogView::showCell);
}

void CatalogView::renewKinds() {
    for (int i = 0; i < kinds_->count(); ++i) {
        QListWidgetItem* item = kinds_->item(i);
        const QVariant sheet = item->data(kindSheetRole);
        if (sheet.isValid() && sheet.toInt() != bookSheet)
            item->setData(kindCountRole,
                          entryCount(editor_->catalog(), static_cast<data::CatalogKind>(sheet.toInt())));
    }
}

void CatalogView::showKind(const QString& kind) {
    for (int i = 0; i < kinds_->count(); ++i) {
        const QVariant sheet = kinds_->item(i)->data(kindSheetRole);
        if (!sheet.isValid())
            continue;
        const QString name =
            sheet.toInt() == bookSheet ? bookName : kindName(static_cast<data::CatalogKind>(sheet.toInt()));
        if (name == kind)
            kinds_->setCurrentRow(i);
    }
}

void CatalogView::openKind(data::CatalogKind kind) {
    if (model_->columnCount() > 0)
        headers_[static_cast<int>(model_->sheet().kind)] = table_->horizontalHeader()->saveState();
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setFilterText(column, {});
    filter_->clearFilters();
    model_->setKind(kind);
    prices_->setVisible(model_->sheet().columnOf(priceKey) >= 0);
    prices_->setCatalog(editor_->catalog(), model_->priceChoice());
    const CatalogSheet& sheet = model_->sheet();
    QHeaderView* header = table_->horizontalHeader();
    const auto known = headers_.constFind(static_cast<int>(kind));
    if (known == headers_.cend() || !header->restoreState(*known)) {
        header->setSortIndicator(-1, Qt::AscendingOrder); // the catalog's own order
        for (int column = 0; column < sheet.columns.size(); ++column)
            table_->setColumnHidden(column, false); // what is hidden has no width to begin with
        table_->resizeColumnsToContents();
        for (int column = 0; column < sheet.columns.size(); ++column) {
            table_->setColumnWidth(column, std::min(table_->columnWidth(column), theme().px(widestColumn)));
            table_->setColumnHidden(column, !sheet.columns[column].common);
        }
    }
    filter_->sort(header->sortIndicatorSection(), header->sortIndicatorOrder());
    foot_->setKind(kind);
    foot_->say({});
    chooseUsed();
    if (compareAction_->isChecked())
        toggleCompare(true);
}

/// The entry that the scenario uses, so that the panel has something to say; without one the first.
void CatalogView::chooseUsed() {
    const ScenarioSpec& spec = document().spec();
    QStringList used;
    for (const auto& id : {spec.workload.model, spec.cluster.instance, spec.cluster.ultraserver,
                           spec.plan.framework, spec.plan.engine})
        if (id)
            used.append(text(*id));
    const CatalogSheet& sheet = model_->sheet();
    const auto row =
        std::ranges::find_if(sheet.rows, [&](const auto& each) { return used.contains(each.id); });
    const int at = row == sheet.rows.end() ? 0 : static_cast<int>(row - sheet.rows.begin());
    QModelIndex index = filter_->mapFromSource(model_->index(at, 0));
    if (!index.isValid())
        index = filter_->index(0, 0);
    goTo(index, QAbstractItemView::PositionAtCenter);
    showCurrent();
}

int CatalogView::columnOf(const QString& key) const { return model_->sheet().columnOf(key); }

/// While the page has the focus, the keys of undo and redo are for its own stack.
bool CatalogView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->accept();
            return true;
        }
    }
    return View::event(event);
}

void CatalogView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Undo))
        editor_->undoStack()->undo();
    else if (event->matches(QKeySequence::Redo))
        editor_->undoStack()->redo();
    else
        View::keyPressEvent(event);
}

void CatalogView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (std::exchange(untouched_, false))
        chooseUsed(); // there may be a scenario by now
}

void CatalogView::showCell(const CatalogCell& cell) {
    untouched_ = false;
    showKind(kindName(cell.kind));
    const int row = model_->sheet().rowOf(cell.entry);
    const int column = std::max(0, model_->sheet().columnOf(cell.key));
    if (row < 0)
        return;
    table_->setColumnHidden(column, false);
    if (!filter_->mapFromSource(model_->index(row, column)).isValid())
        clearFilters();
    goTo(filter_->mapFromSource(model_->index(row, column)));
    table_->setFocus(Qt::OtherFocusReason);
}

void CatalogView::clearFilters() {
    mine_->setChecked(false);
    words_->clear();
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setFilterText(column, {});
    filter_->clearFilters();
}

void CatalogView::renewState() {
    const CatalogSheet& sheet = model_->sheet();
    const auto all = static_cast<int>(sheet.rows.size());
    const int shown = filter_->rowCount();
    bar_->setTitle(sheet.title);
    const QString count =
        shown == all ? tr("%1 entries").arg(all) : tr("%1 of %2 entries").arg(shown).arg(all);
    bar_->setSubtitle(tr("%1, catalog of %2").arg(count, text(editor_->shipped()->version)));
    const auto inForce = data::changesInForce(editor_->user()).size();
    mine_->setProperty("shortText",
                       inForce == 0 ? tr("Changed by me") : tr("Changed by me, %1").arg(inForce));
    mine_->setText(inForce == 0 ? tr("Changed by Me") : tr("Changed by Me, %1").arg(inForce));
    const bool sheetShown = pages_->currentIndex() == 0;
    const bool mayEdit = editor_->readOnly().isEmpty() && sheetShown;
    for (QAction* action : {add_, duplicate_, delete_, reset_})
        action->setEnabled(mayEdit);
    import_->setEnabled(editor_->readOnly().isEmpty());
    export_->setEnabled(!editor_->user().changes.empty());
    for (QAction* action : {mine_, columns_, compareAction_, filterAction_})
        action->setEnabled(sheetShown);
    words_->setEnabled(sheetShown);
}

CatalogCell CatalogView::currentCell() const {
    return model_->cellAt(filter_->mapToSource(table_->currentIndex()));
}

QList<CatalogCell> CatalogView::selectedCatalogCells() const {
    QList<CatalogCell> cells;
    for (const QModelIndex& index : table_->selectedCells())
        cells.append(model_->cellAt(filter_->mapToSource(index)));
    return cells;
}

QStringList CatalogView::selectedEntries() const {
    QStringList entries;
    for (const QModelIndex& index : table_->selectedCells()) {
        const QString id = model_->sheet().rows[filter_->mapToSource(index).row()].id;
        if (!entries.contains(id))
            entries.append(id);
    }
    return entries;
}

void CatalogView::showCurrent() {
    const CatalogCell cell = currentCell();
    if (cell.entry.isEmpty())
        provenance_->showNothing();
    else
        provenance_->showCell(cell);
}

void CatalogView::say(const QString& sentence) {
    foot_->say(sentence);
    book_->say(sentence);
}

/// The one selected cell from now on, whatever keys are held down.
void CatalogView::goTo(const QModelIndex& index, QAbstractItemView::ScrollHint hint) {
    table_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    table_->scrollTo(index, hint);
}

void CatalogView::goToNew(const QString& entry, bool editId) {
    const int row = model_->sheet().rowOf(entry);
    if (row < 0)
        return;
    QModelIndex index = filter_->mapFromSource(model_->index(row, 0));
    if (!index.isValid()) { // no filter hides what was just made
        clearFilters();
        index = filter_->mapFromSource(model_->index(row, 0));
    }
    goTo(index, QAbstractItemView::PositionAtCenter);
    table_->setFocus(Qt::OtherFocusReason);
    if (editId)
        beginEdit(*table_, index);
}

} // namespace alidade::views
