// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/search/search_source.h"

#include <QWidget>

class QPushButton;

namespace alidade::views {

class CellTable;
class SegmentedButtons;
class TextLabel;

/// The plan that is chosen in the list, figure by figure and field by field next to the present one, with
/// what can be done with it; below, why other plans were rejected, and what decides.
class PlanPanel : public QWidget {
    Q_OBJECT

public:
    explicit PlanPanel(QWidget* parent = nullptr);

    /// \param plan null: none is chosen
    /// \param rank in the list, from 1; 0: the plan is one of the picture alone
    void show(const CatalogSearch& answer, const FoundPlan* plan, int rank);
    /// Why plans of the answer were rejected.
    /// \param more the same search as the answer before
    void showReasons(const CatalogSearch& answer, bool more);
    /// Plans that failed for one reason, the first of them chosen.
    void showRejected(const CatalogSearch& answer, const Rejection& rejection);
    /// One of those; it can be previewed. \pre showRejected()
    void showExample(const CatalogSearch& answer, const FoundPlan& plan);
    void setPreviewed(bool previewed);

    QPushButton* previewButton() const { return preview_; }
    QPushButton* adoptButton() const { return adopt_; }
    CellTable* figures() const { return figures_; }
    CellTable* fields() const { return fields_; }
    CellTable* examples() const { return examples_; } ///< visible after a reason was chosen
    CellTable* reasons() const { return reasons_; }
    SegmentedButtons* why() const { return why_; } ///< why not, or what decides
    QString decidesText() const;

signals:
    void previewRequested();
    void adoptRequested();
    void rejectionChosen(const QString& why); ///< a reason was clicked, or Enter pressed on it
    void exampleChosen(const QString& key);   ///< index of a rejected plan in its space, as text

private:
    void showFields(const CatalogSearch& answer, const FoundPlan& plan);

    TextLabel* note_;
    CellTable* figures_;
    CellTable* examples_;
    CellTable* fields_;
    CellTable* reasons_;
    SegmentedButtons* why_;
    TextLabel* decides_;
    QPushButton* preview_;
    QPushButton* adopt_;
};

} // namespace alidade::views
