// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/library/library.h"
#include "views/library/library_place.h"

#include <QAbstractTableModel>
#include <QPointer>
#include <QSortFilterProxyModel>

namespace alidade::views {

class Document;
class ItemFigures;

/// Under this name rows of the library are dragged within the window.
inline constexpr char scenarioIdsMime[] = "application/x-alidade-scenario-ids";
/// The ids of such a drag; empty: it is another one.
class ScenarioDrag {
public:
    static QByteArray pack(const WorkspaceIds& ids);
    static WorkspaceIds unpack(const QByteArray& packed);
};

/// The scenarios of one place of the library, or those that match what was searched for. Name and tags can be
/// edited. Rows keep their place in the model while they are there.
class LibraryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { name, tags, workload, machine, answer, cost, changed, folder, columnCountOfModel };
    /// For sorting: numbers and times as such.
    static constexpr int sortRole = Qt::UserRole + 1;

    LibraryModel(Library* library, Document* document, QObject* parent = nullptr);

    void show(const LibraryPlace& place, const QString& search);
    /// The scenario that is open; its name is marked.
    void setOpen(data::WorkspaceId scenario);

    data::WorkspaceId id(int row) const; ///< 0: a sample
    QString sampleId(int row) const;     ///< empty: a scenario of the workspace
    std::string json(int row) const;
    int rowOf(data::WorkspaceId id) const; ///< -1: not shown
    ItemFigures* figures() const { return figures_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::MoveAction; }

signals:
    /// An edit of a cell was refused.
    void refused(const QString& reason);
    /// A cell was edited; its row may now be elsewhere.
    void edited(alidade::data::WorkspaceId scenario);

private:
    struct Row {
        data::WorkspaceId id = 0;
        int sample = -1; ///< index of views::samples()
        bool operator==(const Row&) const = default;
    };

    std::vector<Row> wantedRows() const;
    void renew();
    QString keyOf(const Row& row) const;
    QVariant sampleData(int sample, int column, int role) const;
    QVariant scenarioData(const data::StoredScenario& scenario, int column, int role) const;
    QVariant answerData(const QString& key, const std::string& json, int role) const;
    QVariant costData(const QString& key, const std::string& json, int role) const;
    QString modelName(const std::string& id) const;

    QPointer<Library> library_; ///< a view may ask for data after it has gone, while the window closes
    Document* document_;
    ItemFigures* figures_;
    LibraryPlace place_;
    QString search_;
    std::vector<Row> rows_;
    data::WorkspaceId open_ = 0;
};

/// Sorts the rows; what has no value is at the end.
class LibraryOrder : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

/// A time as one says it: "today, 09:41", "yesterday", "2026-11-02".
QString whenText(data::UtcMs when);

} // namespace alidade::views
