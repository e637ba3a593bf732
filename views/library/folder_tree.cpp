// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/folder_tree.h"

#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/begin_edit.h"
#include "views/kit/delegates.h"
#include "views/kit/item_roles.h"
#include "views/library/library_model.h"
#include "views/start/samples.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMimeData>
#include <QSet>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <utility>

namespace alidade::views {

namespace {

constexpr int placeKindRole = Qt::UserRole + 11;
constexpr int placeFolderRole = Qt::UserRole + 12;
constexpr char folderIdMime[] = "application/x-alidade-folder-id";

LibraryPlace placeOf(const QTreeWidgetItem* item) {
    if (item == nullptr)
        return {};
    return {static_cast<LibraryPlace::Kind>(item->data(0, placeKindRole).toInt()),
            item->data(0, placeFolderRole).toLongLong()};
}

} // namespace

FolderTree::FolderTree(Library* library, QWidget* parent)
    : QTreeWidget(parent)
    , library_(library) {
    setObjectName(QStringLiteral("folders"));
    setAccessibleName(tr("Folders"));
    setColumnCount(2);
    setHeaderHidden(true);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    setItemDelegate(new CellDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setIndentation(14);
    setUniformRowHeights(true);
    setDragEnabled(true);
    setAcceptDrops(true);
    setDropIndicatorShown(true);
    setDragDropMode(QAbstractItemView::DragDrop);
    setDefaultDropAction(Qt::MoveAction);
    // Next to a line is nowhere: what is dropped goes onto one.
    invisibleRootItem()->setFlags(invisibleRootItem()->flags() & ~Qt::ItemIsDropEnabled);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    connect(this, &QTreeWidget::currentItemChanged, this, [this] {
        if (!renewing_)
            emit placeChanged();
    });
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item) {
        if (!renewing_)
            edited(item);
    });
    connect(library, &Library::changed, this, &FolderTree::renew);
    renew();
}

void FolderTree::closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) {
    QTreeWidget::closeEditor(editor, hint);
    if (std::exchange(renewLater_, false))
        QMetaObject::invokeMethod(this, &FolderTree::renew, Qt::QueuedConnection);
}

void FolderTree::renew() {
    if (state() == EditingState) { // renewing would throw away the name that is being typed
        renewLater_ = true;
        return;
    }
    const LibraryPlace before = currentItem() != nullptr ? place() : LibraryPlace();
    QSet<data::WorkspaceId> closed;
    for (QTreeWidgetItemIterator each(this); *each != nullptr; ++each)
        if (!(*each)->isExpanded())
            closed.insert(placeOf(*each).folder);
    renewing_ = true;
    clear();
    const data::WorkspaceContent& content = library_->content();
    const auto there =
        std::ranges::count_if(content.scenarios, [](const auto& each) { return each.second.deletedMs == 0; });
    addPlace(nullptr, {LibraryPlace::Kind::all}, tr("All scenarios"), "library",
             static_cast<std::size_t>(there));
    addFolders(nullptr, 0);
    addPlace(nullptr, {LibraryPlace::Kind::samples}, tr("Samples"), "validation",
             static_cast<std::size_t>(samples().size()));
    using data::DocumentKind;
    for (const auto& [kind, stored, words, iconName] :
         {std::tuple{LibraryPlace::Kind::topologies, DocumentKind::topology, tr("Topologies"), "topology"},
          std::tuple{LibraryPlace::Kind::measurements, DocumentKind::measurement, tr("Measurements"),
                     "live"}})
        if (const auto documents = data::documentsOf(content, stored); !documents.empty())
            addPlace(nullptr, {kind}, words, iconName, documents.size());
    if (const WorkspaceIds gone = library_->trash(); !gone.empty())
        addPlace(nullptr, {LibraryPlace::Kind::trash}, tr("Trash"), "delete", gone.size());
    for (QTreeWidgetItemIterator each(this); *each != nullptr; ++each)
        (*each)->setExpanded(!closed.contains(placeOf(*each).folder) || placeOf(*each).folder == 0);
    QTreeWidgetItem* again = itemOf(before);
    setCurrentItem(again != nullptr ? again : topLevelItem(0));
    renewing_ = false;
    if (place() != before)
        emit placeChanged();
}

void FolderTree::addFolders(QTreeWidgetItem* parent, data::WorkspaceId folder) {
    for (const data::Folder* each : data::foldersIn(library_->content(), folder)) {
        QTreeWidgetItem* item = addPlace(parent, {LibraryPlace::Kind::folder, each->id}, text(each->name),
                                         "folder", data::scenariosIn(library_->content(), each->id).size());
        if (library_->isWritable())
            item->setFlags(item->flags() | Qt::ItemIsEditable | Qt::ItemIsDragEnabled |
                           Qt::ItemIsDropEnabled);
        addFolders(item, each->id);
    }
}

QTreeWidgetItem* FolderTree::addPlace(QTreeWidgetItem* parent, const LibraryPlace& place,
                                      const QString& words, const char* iconName, std::size_t count) {
    auto* item = new QTreeWidgetItem({words, QString::number(count)});
    item->setData(0, placeKindRole, static_cast<int>(place.kind));
    item->setData(0, placeFolderRole, static_cast<qlonglong>(place.folder));
    item->setIcon(0, icon(QLatin1StringView(iconName)));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setData(1, inkRole, QVariant::fromValue(Role::text2));
    item->setToolTip(0, words);
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (place.kind == LibraryPlace::Kind::all && library_->isWritable())
        flags |= Qt::ItemIsDropEnabled;
    item->setFlags(flags);
    if (parent != nullptr)
        parent->addChild(item);
    else
        addTopLevelItem(item);
    return item;
}

QTreeWidgetItem* FolderTree::itemOf(const LibraryPlace& place) const {
    for (QTreeWidgetItemIterator each(const_cast<FolderTree*>(this)); *each != nullptr; ++each)
        if (placeOf(*each) == place)
            return *each;
    return nullptr;
}

LibraryPlace FolderTree::place() const { return placeOf(currentItem()); }

void FolderTree::setPlace(const LibraryPlace& place) {
    if (QTreeWidgetItem* item = itemOf(place))
        setCurrentItem(item);
}

data::WorkspaceId FolderTree::currentFolder() const {
    return place().kind == LibraryPlace::Kind::folder ? place().folder : 0;
}

void FolderTree::newFolder() {
    if (state() == EditingState) { // a name is being typed: it is committed first, which renews the tree
        setFocus(Qt::OtherFocusReason);
        if (state() != EditingState)
            QMetaObject::invokeMethod(this, &FolderTree::newFolder, Qt::QueuedConnection);
        return;
    }
    const data::WorkspaceId id = library_->addFolder(currentFolder(), {});
    QTreeWidgetItem* item = id != 0 ? itemOf({LibraryPlace::Kind::folder, id}) : nullptr;
    if (item == nullptr)
        return;
    setCurrentItem(item);
    beginEdit(*this, indexFromItem(item));
}

void FolderTree::renameCurrent() {
    if (currentFolder() != 0)
        beginEdit(*this, indexFromItem(currentItem()));
}

void FolderTree::removeCurrent() {
    if (const data::WorkspaceId folder = currentFolder(); folder != 0)
        library_->remove({folder});
}

/// The tree is made anew by the change itself, or here if there was none.
void FolderTree::edited(QTreeWidgetItem* item) {
    const data::WorkspaceId folder = placeOf(item).folder;
    const QString name = item->text(0);
    // Not from within the editor that is just being closed.
    QMetaObject::invokeMethod(
        this,
        [this, folder, name] {
            const QString reason = library_->renameFolder(folder, name);
            renew();
            if (!reason.isEmpty())
                emit refused(reason);
        },
        Qt::QueuedConnection);
}

QStringList FolderTree::mimeTypes() const {
    return {QString::fromLatin1(scenarioIdsMime), QString::fromLatin1(folderIdMime)};
}

QMimeData* FolderTree::mimeData(const QList<QTreeWidgetItem*>& items) const {
    if (items.isEmpty() || placeOf(items.first()).folder == 0)
        return nullptr;
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(folderIdMime), ScenarioDrag::pack({placeOf(items.first()).folder}));
    return mime;
}

bool FolderTree::dropMimeData(QTreeWidgetItem* parent, int, const QMimeData* data, Qt::DropAction) {
    const LibraryPlace target = placeOf(parent);
    if (parent == nullptr)
        return false;
    if (target.kind != LibraryPlace::Kind::folder && target.kind != LibraryPlace::Kind::all)
        return false;
    if (data->hasFormat(QString::fromLatin1(scenarioIdsMime))) {
        library_->move(ScenarioDrag::unpack(data->data(QString::fromLatin1(scenarioIdsMime))), target.folder);
    } else {
        const WorkspaceIds ids = ScenarioDrag::unpack(data->data(QString::fromLatin1(folderIdMime)));
        const QString reason = ids.empty() ? QString() : library_->moveFolder(ids.front(), target.folder);
        if (!reason.isEmpty())
            emit refused(reason);
    }
    return false; // the tree is made anew; the view must not move rows by itself
}

/// Files from outside are the window's.
void FolderTree::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->ignore();
    else
        QTreeWidget::dragEnterEvent(event);
}

void FolderTree::dragMoveEvent(QDragMoveEvent* event) {
    if (event->mimeData()->hasUrls())
        event->ignore();
    else
        QTreeWidget::dragMoveEvent(event);
}

void FolderTree::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Delete && currentFolder() != 0)
        removeCurrent();
    else
        QTreeWidget::keyPressEvent(event);
}

void FolderTree::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(icon(QLatin1StringView("add")), tr("New Folder"), this, &FolderTree::newFolder)
        ->setEnabled(library_->isWritable());
    QAction* rename = menu->addAction(tr("Rename"), this, &FolderTree::renameCurrent);
    rename->setShortcut(QKeySequence(Qt::Key_F2));
    QAction* remove =
        menu->addAction(icon(QLatin1StringView("delete")), tr("Delete"), this, &FolderTree::removeCurrent);
    remove->setShortcut(QKeySequence::Delete);
    for (QAction* action : {rename, remove})
        action->setEnabled(currentFolder() != 0 && library_->isWritable());
    menu->popup(event->globalPos());
}

} // namespace alidade::views
