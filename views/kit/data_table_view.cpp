// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/data_table_view.h"

#include "views/icons/icon.h"
#include "views/kit/delegates.h"
#include "views/kit/filter_header.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QStyleOption>
#include <QToolTip>

namespace alidade::views {

TableManners::TableManners(QAbstractItemView* view, QHeaderView* header)
    : QObject(view)
    , view_(view)
    , header_(header) {
    view->setItemDelegate(new CellDelegate(view));
    view->setFrameShape(QFrame::NoFrame);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setTextElideMode(Qt::ElideRight);
    view->setAlternatingRowColors(false);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(header, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { showColumnMenu(header_->mapToGlobal(place)); });
    connect(&ThemeController::instance(), &ThemeController::changed, this, &TableManners::dress);
    dress();
}

void TableManners::dress() {
    header_->setFont(theme().font(FontRole::small));
    if (auto* table = qobject_cast<QTableView*>(view_)) {
        table->verticalHeader()->setMinimumSectionSize(theme().rowHeight());
        table->verticalHeader()->setDefaultSectionSize(theme().rowHeight());
    }
}

QModelIndexList TableManners::selectedCells() const {
    if (!view_->selectionModel())
        return {};
    QModelIndexList cells = view_->selectionModel()->selectedIndexes();
    cells.removeIf([this](const QModelIndex& cell) { return header_->isSectionHidden(cell.column()); });
    return cells;
}

QString TableManners::selectionAs(TableFormat format) const {
    const QModelIndexList cells = selectedCells();
    // One value is wanted for what it is; Markdown is not a table without titles.
    return tableText(selectedText(cells, cells.size() > 1 || format == TableFormat::markdown), format);
}

void TableManners::copy(TableFormat format) const {
    const QString text = selectionAs(format);
    if (text.isEmpty())
        return;
    auto* data = new QMimeData;
    data->setText(text);
    data->setData(QLatin1StringView(cellsMimeType),
                  tableText(selectedText(selectedCells(), false), TableFormat::tsv).toUtf8());
    QApplication::clipboard()->setMimeData(data);
}

void TableManners::showMenu(const QPoint& globalPosition) {
    auto* menu = new QMenu(view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(view_->actions());
    if (!menu->isEmpty())
        menu->addSeparator();
    const bool any = view_->selectionModel() && view_->selectionModel()->hasSelection();
    struct Entry {
        QString text;
        TableFormat format;
    };
    for (const auto& [text, format] :
         {Entry{tr("Copy"), TableFormat::tsv}, Entry{tr("Copy as Markdown"), TableFormat::markdown},
          Entry{tr("Copy as CSV"), TableFormat::csv}}) {
        QAction* action = menu->addAction(text, this, [this, format = format] { copy(format); });
        action->setEnabled(any);
        if (format == TableFormat::tsv) {
            action->setIcon(icon(QLatin1StringView("copy")));
            action->setShortcut(QKeySequence::Copy);
        }
    }
    menu->addSeparator();
    if (header_->isSortIndicatorShown())
        fillSortMenu(menu->addMenu(tr("Sort by")));
    QMenu* columns = menu->addMenu(icon(QLatin1StringView("columns")), tr("Columns"));
    fillColumnMenu(columns);
    menu->popup(globalPosition);
}

void TableManners::fillSortMenu(QMenu* menu) {
    const QAbstractItemModel* model = view_->model();
    const int now = header_->sortIndicatorSection();
    for (int i = 0; model && i < model->columnCount(); ++i) {
        const QString name = model->headerData(i, Qt::Horizontal).toString();
        if (name.isEmpty() || header_->isSectionHidden(i))
            continue;
        // The present column once more turns the order round, as a click on its title does.
        const bool turn = i == now && header_->sortIndicatorOrder() == Qt::AscendingOrder;
        QAction* action = menu->addAction(name, header_, [this, i, turn] {
            header_->setSortIndicator(i, turn ? Qt::DescendingOrder : Qt::AscendingOrder);
        });
        action->setCheckable(true);
        action->setChecked(i == now);
    }
    if (header_->isSortIndicatorClearable())
        menu->addAction(tr("As given"), header_,
                        [this] { header_->setSortIndicator(-1, Qt::AscendingOrder); });
}

void TableManners::showColumnMenu(const QPoint& globalPosition) {
    auto* menu = new QMenu(view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillColumnMenu(menu);
    menu->popup(globalPosition);
}

void TableManners::fillColumnMenu(QMenu* menu) {
    const QAbstractItemModel* model = view_->model();
    const int columns = model ? model->columnCount() : 0;
    for (int i = 0; i < columns; ++i) {
        QString name = model->headerData(i, Qt::Horizontal).toString();
        QAction* action = menu->addAction(name.isEmpty() ? tr("Column %1").arg(i + 1) : name);
        action->setCheckable(true);
        action->setChecked(!header_->isSectionHidden(i));
        // The first column names the row.
        action->setEnabled(i > 0);
        connect(action, &QAction::toggled, header_,
                [this, i](bool on) { header_->setSectionHidden(i, !on); });
    }
}

DataTableView::DataTableView(QWidget* parent)
    : QTableView(parent)
    , header_(new FilterHeader(this)) {
    setHorizontalHeader(header_);
    header_->setStretchLastSection(true);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectItems);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setCornerButtonEnabled(false);
    setTabKeyNavigation(false); // Tab leaves the table
    setWordWrap(false);
    setSortingEnabled(true);
    manners_ = new TableManners(this, header_);
    connect(header_, &FilterHeader::filterChanged, this, &DataTableView::filterChanged);
    connect(header_, &FilterHeader::left, this, [this] { setFocus(Qt::OtherFocusReason); });
}

void DataTableView::setFilterRowVisible(bool visible) { header_->setFiltersVisible(visible); }
bool DataTableView::isFilterRowVisible() const { return header_->filtersVisible(); }

void DataTableView::setFilterText(int column, const QString& text) {
    if (QLineEdit* field = header_->editor(column))
        field->setText(text);
}

QString DataTableView::filterText(int column) const {
    const QLineEdit* field = header_->editor(column);
    return field ? field->text() : QString();
}

void DataTableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return manners_->copy(TableFormat::tsv);
    if (event->matches(QKeySequence::Find) && model()) {
        setFilterRowVisible(true);
        if (QLineEdit* field = header_->editor(std::max(0, currentIndex().column())))
            field->setFocus(Qt::ShortcutFocusReason);
        return;
    }
    QTableView::keyPressEvent(event);
}

void DataTableView::closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) {
    if (editor != nullptr && !editor->isHidden()) // the view hides an editor that it gives up
        QTableView::closeEditor(editor, hint);
}

void DataTableView::contextMenuEvent(QContextMenuEvent* event) {
    const bool mouse = event->reason() == QContextMenuEvent::Mouse;
    manners_->showMenu(mouse ? event->globalPos()
                             : viewport()->mapToGlobal(visualRect(currentIndex()).center()));
}

bool DataTableView::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QTableView::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QModelIndex index = indexAt(help->pos());
    if (!index.isValid() || index.data(Qt::ToolTipRole).isValid() ||
        sizeHintForIndex(index).width() <= visualRect(index).width())
        return QTableView::viewportEvent(event);
    QToolTip::showText(help->globalPos(), index.data().toString(), viewport(), visualRect(index));
    return true;
}

DataTreeView::DataTreeView(QWidget* parent)
    : QTreeView(parent) {
    setUniformRowHeights(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setAllColumnsShowFocus(false);
    setIndentation(theme().px(18));
    auto* titles = new FilterHeader(this);
    setHeader(titles);
    titles->setSectionsMovable(false); // the first column holds the branches
    titles->setStretchLastSection(true);
    manners_ = new TableManners(this, titles);
}

void DataTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return manners_->copy(TableFormat::tsv);
    QTreeView::keyPressEvent(event);
}

void DataTreeView::contextMenuEvent(QContextMenuEvent* event) {
    const bool mouse = event->reason() == QContextMenuEvent::Mouse;
    manners_->showMenu(mouse ? event->globalPos()
                             : viewport()->mapToGlobal(visualRect(currentIndex()).center()));
}

void DataTreeView::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    const bool selected = selectionModel() && selectionModel()->isRowSelected(index.row(), index.parent());
    if (selected || index.data(groupRowRole).toBool())
        painter->fillRect(rect, theme().color(selected ? Role::sel : Role::alt));
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme().color(Role::grid));
    if (!model()->hasChildren(index))
        return;
    QStyleOption arrow;
    arrow.initFrom(this);
    arrow.rect = QRect(rect.right() - indentation() + 1, rect.top(), indentation(), rect.height());
    style()->drawPrimitive(isExpanded(index) ? QStyle::PE_IndicatorArrowDown : QStyle::PE_IndicatorArrowRight,
                           &arrow, painter, this);
}

bool passesFilter(const QString& filter, const QVariant& cell, const QString& displayed) {
    const QString wanted = filter.trimmed();
    static const QRegularExpression comparison(QStringLiteral("^(>=|<=|!=|>|<|=)\\s*(.+)$"));
    const auto match = comparison.match(wanted);
    if (wanted.isEmpty())
        return true;
    if (!match.hasMatch())
        return displayed.contains(wanted, Qt::CaseInsensitive);
    const QString sign = match.captured(1);
    bool cellIsNumber = false;
    bool wantedIsNumber = false;
    const double a = cell.toDouble(&cellIsNumber);
    const double b = QLocale().toDouble(match.captured(2), &wantedIsNumber);
    if (cellIsNumber && wantedIsNumber && cell.isValid()) {
        return sign == QLatin1String(">=")   ? a >= b
               : sign == QLatin1String("<=") ? a <= b
               : sign == QLatin1String("!=") ? a != b
               : sign == QLatin1String(">")  ? a > b
               : sign == QLatin1String("<")  ? a < b
                                             : a == b;
    }
    const bool same = displayed.compare(match.captured(2), Qt::CaseInsensitive) == 0;
    return sign == QLatin1String("=") ? same : sign == QLatin1String("!=") && !same;
}

} // namespace alidade::views
