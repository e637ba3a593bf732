// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/layers/layer_rows.h"

#include <QAbstractItemModel>

namespace alidade::views {

enum class LayerColumn { name, limit, flops, bytes, intensity, roof, time, difference, bar };
inline constexpr int layerColumns = 9;

/// Roles in addition to those of the kit.
enum LayerRole {
    countRole = Qt::UserRole + 5000, ///< QString, of the name: what is behind it, quietly
    partsRole,                       ///< QVariant::fromValue(QList<TimePart>), of the bar
    sortRole,                        ///< what a column sorts by
    shareRole,                       ///< QString, of the bar: what is behind it
    noBarRole,                       ///< QString, in place of a bar
};

/// Kinds of layers, and below each its operations and collectives. A new estimate of the same operations
/// changes figures in place.
class LayersModel : public QAbstractItemModel {
    Q_OBJECT
public:
    using QAbstractItemModel::QAbstractItemModel;

    void setTable(const LayerTable& table);
    const LayerTable& table() const { return table_; }
    /// Of a valid index.
    const LayerRow& row(const QModelIndex& index) const;
    /// The row of a selected layer, operation or group of collectives; invalid if it is not here.
    QModelIndex find(const Selection& selection) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    bool hasSameRows(const LayerTable& table) const;
    QString shown(const LayerRow& row, LayerColumn column) const;
    QString differenceOf(const LayerRow& row) const;
    Role differenceInk(const LayerRow& row) const;
    QVariant sortKey(const LayerRow& row, LayerColumn column) const;
    QString copied(const LayerRow& row, LayerColumn column) const;
    LayerTable table_;
};

} // namespace alidade::views

Q_DECLARE_METATYPE(QList<alidade::views::TimePart>)
