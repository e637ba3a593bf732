// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_sheet.h"

#include <QAbstractTableModel>

#include <optional>

namespace alidade::views {

/// Values of two entries side by side.
struct ComparedValue {
    QString label; ///< "Memory bandwidth, per GPU"
    QString first, second;
    bool firstYours = false, secondYours = false;
    std::optional<double> ratio; ///< second / first, where both are numbers over zero
    bool equal = false;
};

/// Every value that at least one of two entries has: those of the sheet; of instances and UltraServers also
/// those of one of their GPUs, and the price on demand in a region.
QList<ComparedValue> comparedValues(const CatalogEditor& editor, const CatalogSheet& sheet,
                                    const QString& first, const QString& second, const QString& region);

/// The rows as a table. The last column is the ratio again, as a bar.
class CompareModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { labelColumn, firstColumn, secondColumn, ratioColumn, barColumn, columnTotal };
    using QAbstractTableModel::QAbstractTableModel;

    void setValues(const QString& first, const QString& second, const QList<ComparedValue>& values,
                   bool withEqual);
    int hidden() const { return hidden_; } ///< equal values that are not shown
    const QList<ComparedValue>& values() const { return shown_; }
    double longestBar() const { return longest_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString first_, second_;
    QList<ComparedValue> shown_;
    int hidden_ = 0;
    double longest_ = 1;
};

/// How far a ratio is from one: 1 for twice as much and for half as much.
double ratioLength(double ratio);

/// Ratio of a row in `barColumn`, a double.
inline constexpr int ratioRole = Qt::UserRole + 5100;

} // namespace alidade::views
