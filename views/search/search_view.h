// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"
#include "model/search/search.h"
#include "views/document/view.h"
#include "views/search/search_changes.h"

#include <QByteArray>

#include <functional>
#include <memory>
#include <optional>
#include <string>

class QAction;
class QComboBox;
class QPushButton;
class QStackedWidget;
class QTimer;

namespace alidade::views {

class BusyOverlay;
class CellTable;
class DockTitleBar;
class EmptyState;
class ErrorState;
class NearestRun;
class PlanPanel;
class QuestionPanel;
class SearchList;
class SearchPlot;
class SearchSource;
class TextLabel;
class ValidationSource;
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
    /// Question and answer, to be restored; empty without an answer.
    QByteArray saved() const;
    /// \param mark of the catalog when it was saved: answerMark()
    void restore(const QByteArray& saved, const QByteArray& mark);
    QByteArray answerMark() const;
    /// Tells one catalog from another, also over a restart; by default each new one counts as another.
    void setCatalogMark(const std::function<QByteArray()>& mark);
    /// Where the published runs come from that a recommended plan is compared with. It must outlive this.
    void setValidation(ValidationSource* source);

    // For tests and pictures
    QuestionPanel* questionPanel() const { return question_; }
    PlanPanel* planPanel() const { return panel_; }
    SearchList* answerList() const { return plans_; }
    CellTable* list() const { return list_; }
    SearchPlot* plot() const { return plot_; }
    QComboBox* verticalAxis() const { return up_; }
    QComboBox* horizontalAxis() const { return right_; }
    SearchSource* source() const { return source_; }
    QAction* reportAction() const { return report_; }
    QPushButton* againButton() const { return again_; }
    QString sentence() const;
    QString changedText() const; ///< what changed since the last search; empty: nothing is compared
    bool isOutdated() const;     ///< the scenario changed since the search
    bool isStale() const;        ///< the catalog changed since the search

signals:
    /// The recommended plan is to be reported, with the search.
    void reportRequested();
    /// The chosen plan is to be compared with others.
    void compareRequested(const alidade::data::ListedScenario& plan);
    /// A search has ended: saved() has changed.
    void answerChanged();

protected:
    void updateEstimate() override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// A plan that the right side shows.
    struct Chosen {
        FoundPlan plan;
        bool isRejected = false;
        bool byPerson = false;
    };
    QWidget* makeAnswer();
    QWidget* makeStrip();
    void connectParts();
    void renewScenario();
    void renewBusy(bool busy);
    void renewProgress(double done);
    void renewAnswer();
    void showWords(const CatalogSearch& answer);
    void findNearest();
    void showNearest(const std::shared_ptr<const CatalogSearch>& answer, const std::string& nearest);
    void renewList();
    void renewChanges();
    void renewStaleness();
    void forget();
    void rankAnew();
    /// What so far was found waits: it must not move under the pointer.
    bool isHeld() const;
    void show(const std::optional<Chosen>& chosen);
    int placeInList(const FoundPlan& plan) const; ///< -1: none
    void togglePreview();
    void adopt();
    void makeListActions();
    void makeAxes();
    void renewAxes(const CatalogSearch& answer);
    void chooseRejected(const QString& why);
    void chooseExample(const QString& key);
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
    DockTitleBar* plotBar_ = nullptr;
    QAction* report_ = nullptr;
    SearchPlot* plot_;
    SearchList* plans_;
    CellTable* list_; ///< of plans_
    QWidget* strip_ = nullptr;
    TextLabel* detail_;
    TextLabel* going_; ///< how far the search at work is
    TextLabel* changed_;
    QPushButton* again_;
    TextLabel* counts_;
    PlanPanel* panel_;
    QComboBox *up_ = nullptr, *right_ = nullptr;  ///< figures of the axes
    QTimer* filter_;                              ///< one new list for any number of changes of the view
    std::shared_ptr<const CatalogSearch> shown_;  ///< may be older than what the source has
    std::shared_ptr<const CatalogSearch> before_; ///< the answer that the next one is compared with
    NearestRun* nearest_ = nullptr;               ///< null: no published runs are given
    std::optional<SearchChanges> changes_;
    std::optional<Chosen> chosen_;
    std::function<QByteArray()> catalogMark_;
    QString trying_;        ///< "18.8 M plans"
    bool hasFirst_ = false; ///< something of the search at work is shown
    QPoint pointerAtFirst_; ///< where the pointer was when that came
    int searchedAt_ = -1;   ///< place in the undo stack that the answer is about
};

} // namespace alidade::views
