// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/metric_mapping.h"

#include <QAbstractTableModel>

#include <map>

namespace alidade::views {

/// What a rule reads on the server now, in words.
struct MappingPreview {
    QString now;        ///< "1,290 – 1,755 MHz, 32 rows"; empty: nothing was read
    QString check;      ///< what is odd about the unit, or what was found; an error as a sentence
    bool odd = false;   ///< `check` says that something is wrong
    QString expression; ///< PromQL that was asked
};

/// A metric mapping as a table: one row a signal, grouped by exporter; what the server does not have is at
/// the end with the reason.
class MappingModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { signalColumn, metric, divisor, selector, kind, unit, scale, now, remark, columns };
    explicit MappingModel(QObject* parent = nullptr);

    /// \param detected to which rows can be reset
    void setMapping(const MetricMapping& mapping, const MetricMapping& detected);
    MetricMapping mapping() const;
    void setLabels(const LabelNames& labels);
    void setPreview(Signal signal, const MappingPreview& preview);
    void clearPreviews();
    /// Rules that were not previewed since they were last changed.
    std::vector<MetricRule> unread() const;

    std::optional<Signal> signalAt(int row) const; ///< nullopt: a heading
    int rowOf(Signal signal) const;                ///< -1: not shown
    /// As it was detected; without a detected rule the signal goes missing.
    void resetRow(int row);
    bool isChanged(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void edited(alidade::Signal signal);
    void refused(const QString& reason);

private:
    struct Row {
        QString heading; ///< of a group; else empty
        Signal signal = Signal::stepTime;
    };
    void rebuild();
    MetricRule* ruleOf(Signal signal);
    const MetricRule* ruleOf(Signal signal) const;
    QString absence(Signal signal) const;
    QVariant cell(const Row& row, int column, int role) const;

    MetricMapping mapping_, detected_;
    std::map<Signal, MappingPreview> previews_;
    std::vector<Row> rows_;
};

} // namespace alidade::views
