// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/search/search_source.h"

#include <QWidget>

class QPushButton;

namespace alidade::views {

class CellTable;
class TextLabel;

/// The plan that is chosen in the list, figure by figure and field by field beside the present one, with what
/// can be done with it; below, why other plans were rejected.
class PlanPanel : public QWidget {
    Q_OBJECT

public:
    explicit PlanPanel(QWidget* parent = nullptr);

    /// \param plan null: none is chosen
    void show(const CatalogSearch& answer, const FoundPlan* plan, int rank);
    /// An example of the plans that failed for one reason; it can be previewed.
    void showRejected(const CatalogSearch& answer, const Rejection& rejection);
    void setPreviewed(bool previewed);

    QPushButton* previewButton() const { return preview_; }
    QPushButton* adoptButton() const { return adopt_; }
    CellTable* figures() const { return figures_; }
    CellTable* fields() const { return fields_; }
    CellTable* reasons() const { return reasons_; }

signals:
    void previewRequested();
    void adoptRequested();
    void rejectionChosen(const QString& why); ///< a reason was clicked, or Enter pressed on it

private:
    void showFields(const CatalogSearch& answer, const FoundPlan& plan);

    TextLabel* note_;
    CellTable* figures_;
    CellTable* fields_;
    CellTable* reasons_;
    QPushButton* preview_;
    QPushButton* adopt_;
};

} // namespace alidade::views
