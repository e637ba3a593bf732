// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "views/kit/delegates.h"

#include <QAbstractTableModel>

namespace alidade::views {

/// The constants of a calibration before and after, one a row.
class CalibrationModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { constant, before, after, range, dataShare, how, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void setParameters(const std::vector<CalibratedParameter>& parameters);
    const CalibratedParameter& parameter(int row) const;
    /// Ends of the axis that all ranges share, relative to what was before.
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<CalibratedParameter> parameters_;
    double lowest_ = 0.5, highest_ = 1.5;
};

/// "2.41 TB/s", "38.2 %"; NaN: "–".
QString calibratedText(const CalibratedParameter& parameter, double value);
/// "unchanged", "82 %", "bounds only".
QString dataShareText(const CalibratedParameter& parameter);

/// The band from low to high on an axis that all rows share, with a tick at what is fitted (none where only
/// bounds are known) and a thin one at what was before.
class CalibratedRangeDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

/// How much of a constant is measured: a bar next to the words.
class DataShareDelegate : public CellDelegate {
    Q_OBJECT
public:
    using CellDelegate::CellDelegate;

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override;
};

} // namespace alidade::views
