// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/cost/capacity_block.h"
#include "model/estimate/estimate.h"
#include "model/hardware/purchase.h"

#include <QAbstractTableModel>
#include <QDate>
#include <QSet>

#include <memory>
#include <optional>
#include <vector>

namespace alidade::views {

/// The word of `cluster.commitment` that asks for this price; empty: it is not a commitment, or states no
/// term.
std::string termOf(const Price& price);

/// Every current price of the scenario's machine as a row, with what the run (of serving: a million output
/// tokens) costs at it: as told by an estimate of the scenario with that region and purchase. Capacity Blocks
/// are paid by whole days and commitments for their term, so a run in them costs what has to be booked.
class PurchaseOptions : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        purchaseColumn,
        regionColumn,
        rateColumn,
        runColumn,
        differenceColumn,
        idleColumn, ///< instance-hours of Capacity Blocks and commitments that are paid and not used
        dateColumn,
        columnTotal
    };

    struct Option {
        const Price* price = nullptr;            ///< in the catalog
        bool present = false;                    ///< what the scenario uses now
        std::optional<double> dollars;           ///< of the run, or of a million output tokens
        std::optional<double> difference;        ///< to the present one
        std::optional<double> idleShare;         ///< of a commitment: paid and not used
        std::optional<CapacityBlockPlan> blocks; ///< of a Capacity Block: what the run has to book
        QString refusal;                         ///< why no blocks hold the run
        bool told = false;                       ///< its estimate has come
        bool runs = false;                       ///< and has a cost
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// \param catalog is kept, because the rows point into it
    void setScenario(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog,
                     const Estimate& present);
    void clear();
    /// Prices are old or not on this day.
    void setToday(const QDate& today);
    /// The scenario with the price of each row, in their order.
    std::vector<ScenarioSpec> variants() const;
    void setEstimate(int row, const Estimate* estimate);
    const std::vector<Option>& options() const { return options_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Why an option has no figure, in a word or two and in a sentence.
    struct Lack {
        QString word, reason;
    };
    Lack lackOf(const Option& option) const;
    QString shown(const Option& option, int column) const;
    std::optional<double> dollarsOf(const Cost& cost) const;
    QString toolTip(const Option& option, int column) const;
    bool isOldDate(const Option& option) const;
    void tellChanged();

    ScenarioSpec spec_;
    std::shared_ptr<const Catalog> catalog_;
    std::optional<double> presentDollars_;
    bool serving_ = false;
    QDate today_ = QDate::currentDate();
    std::vector<Option> options_;
    QSet<int> changed_; ///< rows with a new figure that no view was told of yet
};

} // namespace alidade::views
