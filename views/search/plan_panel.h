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
    void setPreviewed(bool previewed);

    QPushButton* previewButton() const { return preview_; }
    QPushButton* adoptButton() const { return adopt_; }
    CellTable* figures() const { return figures_; }
    CellTable* fields() const { return fields_; }
    CellTable* reasons() const { return reasons_; }

signals:
    void previewRequested();
    void adoptRequested();

private:
    TextLabel* note_;
    CellTable* figures_;
    CellTable* fields_;
    CellTable* reasons_;
    QPushButton* preview_;
    QPushButton* adopt_;
};

} // namespace alidade::views
