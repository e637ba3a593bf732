// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include <cstdint>

namespace alidade::views {

class History;

/// A history as a table, newest first. The name of a version can be edited.
class HistoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { time, edit, version, columnCountOfModel };

    explicit HistoryModel(History* history, QObject* parent = nullptr);

    std::int64_t number(int row) const;
    int rowOf(std::int64_t number) const; ///< -1: there is none
    /// After a change of the history: rows that are there keep their place.
    void renew();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void named(std::int64_t number, const QString& name);

private:
    History* history_;
    int rows_ = 0;
    std::int64_t newest_ = 0; ///< number of the first row
};

} // namespace alidade::views
