// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/library/library.h"
#include "views/library/library_place.h"

#include <QTreeWidget>

namespace alidade::views {

/// The places of the library: all scenarios, the folders, the shipped samples, and what was imported.
/// Scenarios are dropped on folders, folders on each other; F2 renames, Delete deletes.
class FolderTree : public QTreeWidget {
    Q_OBJECT

public:
    explicit FolderTree(Library* library, QWidget* parent = nullptr);

    LibraryPlace place() const;
    /// Nothing happens if there is no such place.
    void setPlace(const LibraryPlace& place);
    void newFolder(); ///< in the chosen one; its name is edited at once
    void renameCurrent();
    void removeCurrent();

signals:
    void placeChanged();
    void refused(const QString& reason);

protected:
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QList<QTreeWidgetItem*>& items) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    bool dropMimeData(QTreeWidgetItem* parent, int index, const QMimeData* data,
                      Qt::DropAction action) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) override;

private:
    void renew();
    void addFolders(QTreeWidgetItem* parent, data::WorkspaceId folder);
    QTreeWidgetItem* addPlace(QTreeWidgetItem* parent, const LibraryPlace& place, const QString& words,
                              const char* iconName, std::size_t count);
    QTreeWidgetItem* itemOf(const LibraryPlace& place) const;
    void edited(QTreeWidgetItem* item);
    data::WorkspaceId currentFolder() const; ///< 0: none is chosen

    Library* library_;
    bool renewing_ = false;
    bool renewLater_ = false; ///< the content changed while a name was being typed
};

} // namespace alidade::views
