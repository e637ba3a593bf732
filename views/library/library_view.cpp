// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/library_view.h"

#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/topology_words.h"
#include "views/icons/icon.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/library/folder_tree.h"
#include "views/library/item_figures.h"
#include "views/library/library_model.h"
#include "views/start/samples.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDrag>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// Widths of the columns at first, logical pixels at 10 pt, in their order.
constexpr int libraryColumns[] = {300, 110, 150, 180, 210, 130, 120, 110};
constexpr int wantedNameWidth = 300, leastNameWidth = 180;
constexpr double leastColumnShare = 0.62; ///< of their width that the other columns keep
constexpr int searchWidth = 240;
constexpr int dragWidth = 220;   ///< most of the label that is dragged
constexpr int trashDays = 30;    ///< after which a workspace forgets what was deleted
constexpr int searchDelay = 150; ///< ms

QString sizeText(std::int64_t bytes) {
    return bytes == 0 ? QString() : quantity(static_cast<double>(bytes), Dimension::bytes);
}

/// Rows of it are dragged as a small label: a picture of whole rows would hide where they can be dropped.
class ScenarioTable : public DataTableView {
public:
    using DataTableView::DataTableView;

protected:
    void startDrag(Qt::DropActions supported) override {
        const QModelIndexList rows = selectionModel()->selectedRows();
        auto* data = model()->mimeData(selectedIndexes());
        if (data == nullptr || rows.isEmpty()) {
            delete data;
            return;
        }
        auto* drag = new QDrag(this);
        drag->setMimeData(data);
        drag->setPixmap(scenarioDragPicture(rows.size() == 1
                                                ? rows.first().data().toString()
                                                : LibraryView::tr("%1 scenarios").arg(rows.size()),
                                            devicePixelRatioF()));
        drag->setHotSpot({-theme().px(10), 0});
        drag->exec(supported, Qt::MoveAction);
    }
};

} // namespace

QPixmap scenarioDragPicture(const QString& words, double ratio) {
    const QFontMetrics metrics(theme().font(FontRole::body));
    const QString shown = metrics.elidedText(words, Qt::ElideMiddle, theme().px(dragWidth));
    const QSize size(metrics.horizontalAdvance(shown) + theme().px(16), metrics.height() + theme().px(8));
    QPixmap picture((QSizeF(size) * ratio).toSize());
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().color(Role::line2));
    painter.setBrush(theme().color(Role::raised));
    painter.drawRoundedRect(QRectF(QPointF(), size).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(theme().color(Role::text));
    painter.setFont(theme().font(FontRole::body));
    painter.drawText(QRect(QPoint(), size), Qt::AlignCenter, shown);
    return picture;
}

LibraryView::LibraryView(Document* document, Library* library, QWidget* parent)
    : View(document, parent)
    , library_(library)
    , folders_(new FolderTree(library))
    , bar_(new DockTitleBar(QStringLiteral("library"), {}))
    , search_(new QLineEdit)
    , stack_(new QStackedWidget)
    , table_(new ScenarioTable)
    , model_(new LibraryModel(library, document, this))
    , order_(new LibraryOrder(this))
    , documents_(new CellTable)
    , empty_(new EmptyState(QStringLiteral("library"), {}, {}, tr("New scenario")))
    , message_(new TextLabel(FontRole::small, Role::err)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* splitter = new QSplitter(this);
    splitter->addWidget(makeLeft());
    splitter->addWidget(makeRight());
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({theme().px(220), theme().px(1100)});
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(splitter);
    makeActions();
    connect(folders_, &FolderTree::placeChanged, this, &LibraryView::show_);
    connect(folders_, &FolderTree::refused, this, &LibraryView::say);
    connect(model_, &LibraryModel::refused, this, &LibraryView::say);
    connect(model_, &LibraryModel::edited, this, &LibraryView::keepInView, Qt::QueuedConnection);
    connect(library, &Library::refused, this, &LibraryView::say);
    connect(library, &Library::changed, this, &LibraryView::renew);
    // The topologies are read on a worker and come with a catalog.
    connect(document, &Document::catalogChanged, this, &LibraryView::renewDocuments);
    show_();
}

QWidget* LibraryView::makeLeft() {
    auto* left = new QWidget;
    left->setMinimumWidth(theme().px(160));
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new DockTitleBar(QStringLiteral("folder"), tr("Folders"));
    newFolder_ = new QAction(icon(QLatin1StringView("add")), tr("New folder"), this);
    newFolder_->setToolTip(tr("New folder in the selected one"));
    connect(newFolder_, &QAction::triggered, folders_, &FolderTree::newFolder);
    auto* button = bar->addRight(newFolder_);
    button->setAccessibleName(newFolder_->text());
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    column->addWidget(bar);
    column->addWidget(folders_, 1);
    return left;
}

QWidget* LibraryView::makeRight() {
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    search_->setPlaceholderText(tr("Search all scenarios"));
    search_->setAccessibleName(tr("Search the library"));
    search_->setToolTip(tr("Words of the name, the tags, the model, the machine or the folder; "
                           "tag:draft looks at the tags only (Ctrl+F)"));
    search_->setClearButtonEnabled(true);
    search_->setFixedWidth(theme().px(searchWidth));
    search_->addAction(icon(QLatin1StringView("search")), QLineEdit::LeadingPosition);
    search_->installEventFilter(this);
    auto* delay = new QTimer(this);
    delay->setSingleShot(true);
    delay->setInterval(searchDelay);
    connect(search_, &QLineEdit::textChanged, delay, qOverload<>(&QTimer::start));
    connect(delay, &QTimer::timeout, this, &LibraryView::show_);
    bar_->addRight(search_);
    auto* import = new QAction(tr("Import…"), this);
    import->setToolTip(tr("Scenarios, model configurations, topologies and nccl-tests logs"));
    connect(import, &QAction::triggered, this, &LibraryView::importFiles);
    bar_->addRight(import)->setAccessibleName(tr("Import files"));
    emptyTrash_ = new QAction(icon(QLatin1StringView("delete")), tr("Empty the Trash…"), this);
    emptyTrash_->setToolTip(tr("Deletes permanently. Items in the trash are deleted after 30 days."));
    connect(emptyTrash_, &QAction::triggered, this, &LibraryView::askEmptyTrash);
    bar_->addRight(emptyTrash_);
    column->addWidget(bar_);

    order_->setSourceModel(model_);
    order_->setSortRole(LibraryModel::sortRole);
    order_->setDynamicSortFilter(true);
    table_->setObjectName(QStringLiteral("scenarios"));
    table_->setAccessibleName(tr("Scenarios"));
    table_->setModel(order_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    table_->sortByColumn(LibraryModel::changed, Qt::DescendingOrder);
    for (int i = 0; i < LibraryModel::columnCountOfModel; ++i)
        table_->setColumnWidth(i, theme().px(libraryColumns[i]));
    table_->horizontalHeader()->setStretchLastSection(false);
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this,
            [this] { hasWidths_ = hasWidths_ || !fitting_; });
    table_->installEventFilter(this);
    table_->viewport()->installEventFilter(this);
    connect(table_, &QTableView::doubleClicked, this, &LibraryView::openCurrent);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &LibraryView::renewActions);

    documents_->setObjectName(QStringLiteral("documents"));
    documents_->setAccessibleName(tr("Imported"));
    documents_->setSelectionBehavior(QAbstractItemView::SelectRows);
    connect(documents_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &LibraryView::renewActions);
    connect(empty_, &EmptyState::triggered, this, &LibraryView::startNew);
    stack_->addWidget(table_);
    stack_->addWidget(documents_);
    stack_->addWidget(empty_);
    column->addWidget(stack_, 1);
    message_->setContentsMargins(theme().px(12), theme().px(4), theme().px(12), theme().px(4));
    message_->setWordWrap(true);
    message_->hide();
    column->addWidget(message_);
    return right;
}

QAction* LibraryView::addTableAction(const QString& words, const QKeySequence& keys, const char* iconName,
                                     void (LibraryView::*run)()) {
    auto* action = new QAction(words, this);
    if (iconName != nullptr)
        action->setIcon(icon(QLatin1StringView(iconName)));
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, run);
    return action;
}

void LibraryView::makeActions() {
    open_ = addTableAction(tr("Open"), QKeySequence(Qt::Key_Return), "open", &LibraryView::openCurrent);
    open_->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    rename_ = addTableAction(tr("Rename"), QKeySequence(Qt::Key_F2), nullptr, &LibraryView::renameCurrent);
    duplicate_ = addTableAction(tr("Duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D), "copy",
                                &LibraryView::duplicateChosen);
    compare_ = addTableAction(tr("Add to the Comparison"), {}, "compare", &LibraryView::compareChosen);
    pin_ = addTableAction(tr("Pin as Baseline"), {}, "pin", &LibraryView::pinCurrent);
    remove_ = addTableAction(tr("Delete"), QKeySequence::Delete, "delete", &LibraryView::removeChosen);
    export_ = addTableAction(tr("Write to a File…"), {}, "export", &LibraryView::exportCurrent);
    copyJson_ = addTableAction(tr("Copy as Scenario File"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
                               nullptr, &LibraryView::copyJson);
    use_ = addTableAction(tr("Use in the Open Scenario"), {}, "topology", &LibraryView::useCurrent);
    auto* paste = addTableAction(tr("Paste"), QKeySequence::Paste, nullptr, &LibraryView::paste);
    restore_ =
        addTableAction(tr("Restore"), QKeySequence(Qt::Key_Return), "reset", &LibraryView::restoreChosen);
    restore_->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    table_->addActions({open_, rename_, duplicate_, compare_, pin_, remove_, export_, copyJson_, paste});
    documents_->addActions({use_, restore_, rename_, remove_});
    renewActions();
}

/// Ctrl+F goes to the search field; Esc and Down leave it.
bool LibraryView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (event->type() != QEvent::KeyPress)
        return View::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == table_ && key->matches(QKeySequence::Find)) {
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
        return true;
    }
    if (watched == search_ && (key->key() == Qt::Key_Escape || key->key() == Qt::Key_Down)) {
        if (key->key() == Qt::Key_Escape)
            search_->clear();
        table_->setFocus(Qt::OtherFocusReason);
        if (!table_->currentIndex().isValid() && order_->rowCount() > 0)
            table_->setCurrentIndex(order_->index(0, 0));
        return true;
    }
    return View::eventFilter(watched, event);
}

void LibraryView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (chosen().empty() && openScenario_ != 0)
        showScenarios({openScenario_});
}

void LibraryView::setOpenScenario(data::WorkspaceId scenario) {
    openScenario_ = scenario;
    model_->setOpen(scenario);
}

/// The names get what room there is; where that is little, the other columns give some of theirs.
void LibraryView::fitColumns() {
    if (hasWidths_ || fitting_)
        return;
    const QScopedValueRollback now(fitting_, true);
    const int room = table_->viewport()->width();
    int others = 0;
    for (int i = 1; i < LibraryModel::columnCountOfModel; ++i)
        others += table_->isColumnHidden(i) ? 0 : theme().px(libraryColumns[i]);
    if (others == 0)
        return;
    const double share =
        std::clamp(1.0 * (room - theme().px(wantedNameWidth)) / others, leastColumnShare, 1.0);
    int taken = 0;
    for (int i = 1; i < LibraryModel::columnCountOfModel; ++i)
        if (!table_->isColumnHidden(i)) {
            table_->setColumnWidth(i, static_cast<int>(theme().px(libraryColumns[i]) * share));
            taken += table_->columnWidth(i);
        }
    table_->setColumnWidth(LibraryModel::name, std::max(room - taken, theme().px(leastNameWidth)));
}

/// An edited row may have got another place by its new name or time.
void LibraryView::keepInView(data::WorkspaceId scenario) {
    const int row = model_->rowOf(scenario);
    if (row >= 0)
        table_->scrollTo(order_->mapFromSource(model_->index(row, LibraryModel::name)));
}

void LibraryView::showScenarios(const WorkspaceIds& scenarios) {
    if (scenarios.empty() || library_->scenario(scenarios.front()) == nullptr)
        return;
    search_->clear();
    if (model_->rowOf(scenarios.front()) < 0) {
        const data::WorkspaceId folder = library_->scenario(scenarios.front())->folder;
        folders_->setPlace(folder == 0 ? LibraryPlace() : LibraryPlace{LibraryPlace::Kind::folder, folder});
        show_();
    }
    table_->clearSelection();
    for (const data::WorkspaceId id : scenarios) {
        const QModelIndex at = order_->mapFromSource(model_->index(model_->rowOf(id), 0));
        if (!at.isValid())
            continue;
        table_->selectionModel()->setCurrentIndex(at,
                                                  QItemSelectionModel::Select | QItemSelectionModel::Rows);
        table_->scrollTo(at);
    }
}

bool LibraryView::showsDocuments() const {
    return !folders_->place().hasScenarios() && search_->text().trimmed().isEmpty();
}

WorkspaceIds LibraryView::chosen() const {
    WorkspaceIds ids;
    const bool documents = showsDocuments();
    const QAbstractItemView* view = documents ? static_cast<const QAbstractItemView*>(documents_) : table_;
    for (const QModelIndex& index : view->selectionModel()->selectedRows()) {
        data::WorkspaceId id = 0;
        if (documents) {
            const auto* proxy = static_cast<const QAbstractProxyModel*>(documents_->model());
            id = documents_->cells()->key(proxy->mapToSource(index).row()).toLongLong();
        } else {
            id = model_->id(order_->mapToSource(index).row());
        }
        if (id != 0)
            ids.push_back(id);
    }
    return ids;
}

data::WorkspaceId LibraryView::targetFolder() const {
    const LibraryPlace place = folders_->place();
    return place.kind == LibraryPlace::Kind::folder && library_->folder(place.folder) != nullptr
               ? place.folder
               : 0;
}

QString LibraryView::message() const { return message_->isHidden() ? QString() : message_->text(); }

void LibraryView::say(const QString& reason) {
    message_->setText(reason);
    message_->setVisible(!reason.isEmpty());
}

/// What the chosen place and the search show.
void LibraryView::show_() {
    model_->show(folders_->place(), search_->text());
    const bool everywhere =
        !search_->text().trimmed().isEmpty() || folders_->place().kind == LibraryPlace::Kind::all;
    table_->setColumnHidden(LibraryModel::folder, !everywhere);
    table_->setColumnHidden(LibraryModel::changed,
                            folders_->place().kind == LibraryPlace::Kind::samples && !everywhere);
    fitColumns();
    renew();
}

void LibraryView::renew() {
    say({});
    const bool searching = !search_->text().trimmed().isEmpty();
    const LibraryPlace place = folders_->place();
    const auto* item = folders_->currentItem();
    bar_->setTitle(searching ? tr("Found") : item != nullptr ? item->text(0) : tr("Library"));
    renewDocuments();
    const int rows = model_->rowCount();
    if (searching || place.hasScenarios()) {
        bar_->setSubtitle(rows == 0 ? QString() : counted(rows, tr("scenario"), tr("scenarios")));
        stack_->setCurrentWidget(rows == 0 ? static_cast<QWidget*>(empty_) : table_);
    } else {
        bar_->setSubtitle(counted(documents_->cells()->rowCount(), tr("entry"), tr("entries")));
        stack_->setCurrentWidget(documents_);
    }
    if (searching)
        empty_->setText(
            tr("Nothing matches “%1”").arg(search_->text().trimmed()),
            tr("Every word has to be in the name, the tags, the model, the machine or the folder."));
    else if (!library_->isOpen())
        empty_->setText(tr("No workspace is open"), tr("The shipped samples are always available."));
    else
        empty_->setText(tr("No scenario here yet"),
                        tr("Start one, open a sample, or drop scenario files on the window."));
    empty_->setAction(searching ? QString() : tr("New scenario"));
    newFolder_->setEnabled(library_->isWritable());
    setNote(library_->isOpen() && !library_->isWritable() ? tr("read-only") : QString());
    renewActions();
}

void LibraryView::renewDocuments() {
    const LibraryPlace place = folders_->place();
    if (place.hasScenarios())
        return;
    if (place.kind == LibraryPlace::Kind::trash)
        return renewTrash();
    const bool topologies = place.kind == LibraryPlace::Kind::topologies;
    QList<CellColumn> columns{{tr("Name"), false, {}}};
    if (topologies) {
        columns.append({tr("Hosts"), false, {}});
        columns.append({tr("Used by"), false, tr("Scenarios of this workspace that name it")});
    }
    columns.append({{tr("Size"), true, {}}, {tr("Imported"), false, {}}});
    QList<CellRow> rows;
    for (const data::StoredDocument* each :
         data::documentsOf(library_->content(),
                           topologies ? data::DocumentKind::topology : data::DocumentKind::measurement)) {
        QList<Cell> cells{{text(each->name), {}, {}}};
        if (topologies) {
            const Topology* read = document().catalog()->topology(each->name);
            cells.append({read != nullptr ? topologyHosts(*read) : QStringLiteral("–"), {}, {}});
            cells.append({library_->topologyUsers(each->name).join(QStringLiteral(", ")), {}, {}});
        }
        cells.append({{sizeText(each->bodyBytes), static_cast<double>(each->bodyBytes), {}},
                      {whenText(each->createdMs), static_cast<qlonglong>(each->createdMs), {}}});
        rows.append({QString::number(each->id), cells});
    }
    const bool first = documents_->cells()->columnCount() != columns.size();
    documents_->setTable(columns, rows);
    if (first) {
        documents_->setColumnWidth(0, theme().px(280));
        if (topologies) {
            documents_->setColumnWidth(1, theme().px(200));
            documents_->setColumnWidth(2, theme().px(220));
        }
    }
}

/// What was deleted, newest first, and until when it can be restored.
void LibraryView::renewTrash() {
    const data::WorkspaceContent& content = library_->content();
    QList<CellRow> rows;
    for (const data::WorkspaceId id : library_->trash()) {
        QString what = tr("Folder and its contents");
        data::UtcMs when = 0;
        if (const auto scenario = content.scenarios.find(id); scenario != content.scenarios.end()) {
            what = tr("Scenario");
            when = scenario->second.deletedMs;
        } else if (const auto stored = content.documents.find(id); stored != content.documents.end()) {
            what = stored->second.kind == data::DocumentKind::topology ? tr("Topology") : tr("Measurement");
            when = stored->second.deletedMs;
        } else if (const auto folder = content.folders.find(id); folder != content.folders.end()) {
            when = folder->second.deletedMs;
        }
        rows.append({QString::number(id),
                     {{library_->trashName(id), {}, {}},
                      {what, {}, {}},
                      {whenText(when), static_cast<qlonglong>(when), {}},
                      {QDateTime::fromMSecsSinceEpoch(when).addDays(trashDays).date().toString(Qt::ISODate),
                       {},
                       {}}}});
    }
    documents_->setTable({{tr("Name"), false, {}},
                          {tr("What"), false, {}},
                          {tr("Deleted"), false, {}},
                          {tr("Kept until"), false, tr("Then it is deleted permanently")}},
                         rows);
    documents_->setColumnWidth(0, theme().px(300));
    documents_->setColumnWidth(1, theme().px(200));
    documents_->setColumnWidth(2, theme().px(140));
}

void LibraryView::renewActions() {
    if (open_ == nullptr)
        return;
    const WorkspaceIds ids = chosen();
    const bool writable = library_->isWritable();
    const bool one = currentRow() >= 0;
    open_->setEnabled(one);
    export_->setEnabled(one);
    copyJson_->setEnabled(one);
    duplicate_->setEnabled(writable && one);
    compare_->setEnabled(!showsDocuments() && one);
    pin_->setEnabled(!showsDocuments() && one);
    rename_->setEnabled(writable && ids.size() == 1 && folders_->place().hasScenarios());
    remove_->setEnabled(writable && !ids.empty());
    const LibraryPlace::Kind kind = folders_->place().kind;
    const bool trash = showsDocuments() && kind == LibraryPlace::Kind::trash;
    use_->setVisible(kind == LibraryPlace::Kind::topologies);
    use_->setEnabled(use_->isVisible() && ids.size() == 1);
    restore_->setVisible(trash);
    restore_->setEnabled(trash && writable && !ids.empty());
    remove_->setVisible(!trash);
    remove_->setEnabled(remove_->isEnabled() && !trash);
    rename_->setVisible(!showsDocuments());
    emptyTrash_->setVisible(trash);
    emptyTrash_->setEnabled(trash && writable && documents_->cells()->rowCount() > 0);
}

int LibraryView::currentRow() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (stack_->currentWidget() != table_ || rows.isEmpty())
        return -1;
    const QModelIndex current = table_->currentIndex().siblingAtColumn(0);
    return order_->mapToSource(rows.contains(current) ? current : rows.first()).row();
}

} // namespace alidade::views
