// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/problem.h"

#include <QAbstractTableModel>

#include <vector>

namespace alidade::views {

/// Problems as rows: severity, sentence, place, change.
class ProblemsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { severityColumn, messageColumn, placeColumn, fixColumn, columnTotal };

    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(std::vector<Problem> problems);
    const std::vector<Problem>& problems() const { return problems_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Problem> problems_; ///< errors first
};

} // namespace alidade::views
