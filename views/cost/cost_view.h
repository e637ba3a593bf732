// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/cost/cost_table.h"
#include "views/document/view.h"

#include <functional>

class QScrollArea;
class QStandardItem;
class QStandardItemModel;

namespace alidade::views {

class BatchEstimator;
class DataTableView;
class EmptyState;
class PurchaseOptions;
class SegmentedButtons;
class TextLabel;

/// What it costs, per hour, day, month or run, line by line, with the date and source of the price; and what
/// the same run costs at every other price that the catalog has for the machine.
class CostView : public View {
    Q_OBJECT

public:
    explicit CostView(Document* document, QWidget* parent = nullptr);
    ~CostView() override;

    QString title() const override { return tr("Cost"); }
    QString iconName() const override { return QStringLiteral("cost"); }

    void setPeriod(CostPeriod period);
    /// What is said of the price of an estimate where it is the user's own: "yours, list $55.04"; empty where
    /// it is not.
    void setOwnRate(std::function<QString(const Estimate&)> text);

protected:
    void updateEstimate() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    void makeLineTable();
    void makeOptionTable();
    QStandardItem* differenceCell(const std::optional<double>& more, CostPeriod period) const;
    void showLines(const Estimate& estimate);
    void showOptions(const Estimate& estimate);
    void showColumns();
    void use(int row);

    CostPeriod period_ = CostPeriod::run;
    std::function<QString(const Estimate&)> ownRate_;
    QScrollArea* content_;
    EmptyState* empty_;
    SegmentedButtons* periods_;
    TextLabel *total_, *perToken_, *source_, *optionsTitle_;
    DataTableView *lines_, *options_;
    QStandardItemModel* lineModel_;
    PurchaseOptions* optionModel_;
    BatchEstimator* batch_;
};

} // namespace alidade::views
