// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/health_policy.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

namespace alidade::views {

/// The rules of a health policy as a table. Action, meaning and advice of an own policy can be edited; what
/// differs from the preset that it was copied from is in the accent.
class PolicyModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { fault, action, meaning, advice, source, columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// \param base the preset that it was copied from; null: it is a preset itself
    void setPolicy(const HealthPolicy& policy, const HealthPolicy* base);
    const HealthPolicy& policy() const { return policy_; }
    void setLimits(const HealthLimits& limits) { policy_.limits = limits; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void edited();

private:
    bool differs(const HealthRule& rule, int column) const;

    HealthPolicy policy_, base_;
    bool isOwn_ = false;
};

} // namespace alidade::views
