// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"
#include "model/search/search.h"
#include "views/document/view.h"

#include <memory>
#include <optional>

class QAction;
class QComboBox;
class QStackedWidget;
class QTimer;

namespace alidade::views {

class BusyOverlay;
class CellTable;
class DockTitleBar;
class EmptyState;
class ErrorState;
class PlanPanel;
class QuestionPanel;
class SearchPlot;
class SearchSource;
class TextLabel;
class VerdictLabel;
struct CatalogSearch;

/// The best plans out of all that are legal: the question at the left, the answer in a sentence over the list
/// of plans, and the chosen plan against the present one at the right.
class SearchView : public View {
    Q_OBJECT

public:
    explicit SearchView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Search"); }
    QString iconName() const override { return QStringLiteral("search"); }

    void search();
    /// Null before the first answer.
    std::shared_ptr<const SearchAnswer> answer() const;
    /// The plan to take, as a scenario; nullopt: none was found, not all plans were tried, or another
    /// scenario was opened since.
    std::optional<ScenarioSpec> recommended() const;
    void choose(const QString& key); ///< index of a plan in its space, as text; unknown: none

    // For tests and pictures
    QuestionPanel* questionPanel() const { return question_; }
    PlanPanel* planPanel() const { return panel_; }
    CellTable* list() const { return list_; }
    SearchPlot* plot() const { return plot_; }
    QComboBox* verticalAxis() const { return up_; }
    QComboBox* horizontalAxis() const { return right_; }
    SearchSource* source() const { return source_; }
    QAction* reportAction() const { return report_; }
    QString sentence() const;
    bool isOutdated() const; ///< the scenario changed since the search

signals:
    /// The recommended plan is to be reported, with the search.
    void reportRequested();
    /// The chosen plan is to stand beside others.
    void compareRequested(const alidade::data::ListedScenario& plan);

protected:
    void updateEstimate() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeAnswer();
    void connectParts();
    void renewScenario();
    void renewBusy(bool busy);
    void renewAnswer();
    void renewList(const CatalogSearch& answer);
    void renewStaleness();
    void togglePreview();
    void adopt();
    void makeListActions();
    void makeAxes();
    void renewAxes(const CatalogSearch& answer);
    void chooseRejected(const QString& why);
    /// The chosen plan as a scenario; nullopt: none is chosen.
    std::optional<data::ListedScenario> chosenScenario() const;
    bool isPreviewed() const;

    SearchSource* source_;
    QuestionPanel* question_;
    QStackedWidget* states_;
    EmptyState* empty_;
    ErrorState* error_;
    QWidget* content_ = nullptr;
    QWidget* waiting_ = nullptr; ///< for the first answer
    BusyOverlay* busy_ = nullptr;
    VerdictLabel* verdict_;
    DockTitleBar* listBar_ = nullptr;
    DockTitleBar* plotBar_ = nullptr;
    QAction* report_ = nullptr;
    SearchPlot* plot_;
    CellTable* list_;
    TextLabel* shared_;
    TextLabel* counts_;
    PlanPanel* panel_;
    QComboBox *up_ = nullptr, *right_ = nullptr; ///< figures of the axes
    QTimer* filter_;                             ///< one new list for any number of changes of the view
    QString chosen_;
    Edit rejected_;       ///< the chosen plan if it is none of the list, but an example of those rejected
    int searchedAt_ = -1; ///< place in the undo stack that the answer is about
};

} // namespace alidade::views
