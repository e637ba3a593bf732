// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace alidade::views {

/// The word of a purchase kind in a scenario: "on_demand".
std::string purchaseWord(Purchase purchase);

/// Every current price of the scenario's machine as a row, with what the run costs at it: as told by an
/// estimate of the scenario with that region and purchase.
class PurchaseOptions : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        purchaseColumn,
        regionColumn,
        rateColumn,
        runColumn,
        differenceColumn,
        dateColumn,
        columnTotal
    };

    struct Option {
        const Price* price = nullptr; ///< in the catalog
        bool present = false;         ///< what the scenario uses now
        std::optional<double> dollarsPerRun;
        std::optional<double> difference; ///< to the present one
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// \param catalog is kept, because the rows point into it
    void setScenario(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                     const Estimate& present);
    void clear();
    /// The scenario with the price of each row, in their order.
    std::vector<ScenarioSpec> variants() const;
    void setEstimate(int row, const Estimate* estimate);
    const std::vector<Option>& options() const { return options_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString shown(const Option& option, int column) const;

    ScenarioSpec spec_;
    std::shared_ptr<const Catalog> catalog_;
    std::optional<double> presentRun_;
    std::vector<Option> options_;
};

} // namespace alidade::views
