// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/data_table_view.h"
#include "views/validation/run_picture.h"

#include <QAbstractTableModel>

class QSortFilterProxyModel;

namespace alidade::views {

/// Errors of one class of runs, as a strip of dots under a box draws them. Signed, predicted / measured − 1.
struct ErrorStrip {
    QList<double> errors;
    double p10 = 0, p25 = 0, median = 0, p75 = 0, p90 = 0; ///< of the weight
    double full = 0.5; ///< what is at either end of the cell; one scale for the whole table
};

struct ClassRow {
    QString key, label;
    int place = 0; ///< of its marker
    ValidationSummary figures;
    ErrorStrip strip;
};

/// The classes of these rows, those of most rows first. Classes without their own marker have that of
/// the others.
QList<ClassRow> classRows(const std::vector<const ValidationRow*>& rows, const QList<RunClass>& classes,
                          RunField field, const Catalog& catalog);

class ClassModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { name, runs, medianError, bias, within20, strip };

    using QAbstractTableModel::QAbstractTableModel;
    void setRows(const QString& title, const QList<ClassRow>& rows);
    const ClassRow& row(int index) const { return rows_[index]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString title_;
    QList<ClassRow> rows_;
};

/// How far off the predictions are, class by class: figures, and the errors as dots under a box.
class ClassTable : public DataTableView {
    Q_OBJECT
public:
    explicit ClassTable(QWidget* parent = nullptr);

    void setRows(const QString& title, const QList<ClassRow>& rows);
    ClassModel* classes() const { return model_; }
    void clearChosen(); ///< without a signal

signals:
    void chosen(const QString& key); ///< a person went to a class
    void opened(const QString& key); ///< double click or Enter: nothing but this class

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();
    QString keyAt(const QModelIndex& index) const;
    ClassModel* model_;
    QSortFilterProxyModel* order_;
    bool telling_ = true;
};

} // namespace alidade::views

Q_DECLARE_METATYPE(alidade::views::ErrorStrip)
