// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

#include <memory>

class QStackedWidget;

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
struct Problem;
} // namespace alidade

namespace alidade::views {

class BusyOverlay;
class CellTable;
class EmptyState;
class ErrorVeil;

/// The first thing that keeps the plan from running; null if it runs.
const Problem* hindrance(const Estimate& estimate);

/// A view on a part of the estimate: its picture, the table behind the picture ("Show data", Ctrl+D), and
/// what is there while there is none. While an estimate is on its way, or after it failed, the old
/// content stays at 45 %.
class EstimateView : public View {
    Q_OBJECT
public:
    explicit EstimateView(Document* document, QWidget* parent = nullptr);

    bool isDataShown() const;
    void setDataShown(bool shown);
    CellTable* dataTable() const { return table_; }
    QAction* dataAction() const { return dataAction_; }

protected:
    /// To be called once, from the constructor.
    void setContent(QWidget* content);
    /// Puts a button above the data table that leads back to the picture: for a page without a dock's title.
    void offerWayBack();
    /// What is drawn; null while there is nothing to draw.
    const std::shared_ptr<const Estimate>& shown() const { return shown_; }

    /// "No operation to draw yet"
    virtual QString nothingYet() const = 0;
    virtual bool canShow(const Estimate& estimate) const = 0;
    /// Why an estimate that runs has nothing for this view: a sentence and a detail. Empty: it does not run.
    virtual std::pair<QString, QString> nothingIn(const Estimate&) const { return {}; }
    /// Fills the content and the data table from shown().
    virtual void showEstimate() = 0;
    /// The same estimate stands against another baseline, or none. For views whose estimate is costly to
    /// show.
    virtual void showDifference() { showEstimate(); }
    /// A person went to a row of the data table.
    virtual void chooseRow(const QString& key) = 0;

    void updateEstimate() final;
    void updateBusy() final;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showNothing(const Estimate* estimate);
    void applyFix();

    QStackedWidget* pages_;
    QWidget* content_ = nullptr;
    CellTable* table_;
    QWidget* tablePage_; ///< the table, or the table below its way back
    EmptyState* empty_ = nullptr;
    ErrorVeil* error_;
    BusyOverlay* busy_;
    QAction* dataAction_;
    std::shared_ptr<const Estimate> shown_;
    std::shared_ptr<const BaselineDifference> against_; ///< that it is shown against
};

} // namespace alidade::views
