// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "views/catalog/catalog_editor.h"

#include <QAbstractTableModel>
#include <QDate>

#include <memory>
#include <optional>

namespace alidade::views {

/// The prices of one machine, in one region or all, as a table: cheapest first within a way to pay. The rate
/// can be edited.
class PriceRows : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        wayColumn,
        regionColumn,
        rateColumn,
        gpuColumn,   ///< per GPU and hour
        shareColumn, ///< against on demand in the same region
        dateColumn,
        sourceColumn,
        columnTotal
    };

    explicit PriceRows(CatalogEditor* editor, QObject* parent = nullptr);

    /// \param region empty: all
    void show(const QString& item, const QString& region, bool withHistory);
    void setToday(const QDate& today);
    int oldPrices() const; ///< of those that are shown
    const Price* priceAt(int row) const { return rows_[static_cast<std::size_t>(row)]; }
    CatalogCell cellAt(int row) const;
    /// Cells of the rates on demand that are shown, with the text of each after a discount on the shipped
    /// rate.
    QList<CatalogEditor::CellText> discounted(double share) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void keepPlaces(std::vector<const Price*>& rows) const;
    QString shown(const Price& price, int column) const;
    int gpusOf(const Price& price) const;

    CatalogEditor* editor_;
    std::shared_ptr<const Catalog> catalog_; ///< that the rows point into
    std::vector<const Price*> rows_;
    QDate today_ = QDate::currentDate();
};

} // namespace alidade::views
