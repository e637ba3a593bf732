// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/outcomes.h"
#include "views/document/view.h"
#include "views/explore/explore_source.h"
#include "views/explore/explore_words.h"

#include <QStringList>

#include <memory>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTimer;

namespace alidade::views {

class CellTable;
class EmptyState;
class ExplorePanel;
class GoalBar;
class HeatPlot;
class OutcomePlot;
class PickCombo;
class SegmentedButtons;
class SweepPlot;
class TextLabel;
class TornadoPlot;
class UncertainDialog;
class VerdictLabel;

/// What if: one field, two fields, every input, and what is not known, each point a full estimate. A click
/// previews a point in all views, Adopt makes it the scenario.
class ExploreView : public View {
    Q_OBJECT

public:
    explicit ExploreView(Document* document, QWidget* parent = nullptr);
    ~ExploreView() override;

    QString title() const override { return tr("Explore"); }
    QString iconName() const override { return QStringLiteral("explore"); }

    /// What is asked, to be kept with a workspace. An unreadable state changes nothing.
    QByteArray saveState() const;
    void restoreState(const QByteArray& state);

    // For tests and pictures
    ExploreSource* source() const { return source_; }
    SweepPlot* linePlot() const { return line_; }
    HeatPlot* gridPlot() const { return grid_; }
    TornadoPlot* tornado() const { return tornado_; }
    OutcomePlot* outcomePlot() const { return outcome_; }
    GoalBar* goal() const { return goal_; }
    ExplorePanel* linePanel() const { return linePanel_; }
    ExplorePanel* gridPanel() const { return gridPanel_; }
    PickCombo* acrossBox() const { return across_; }
    QLineEdit* valuesField() const { return values_; }
    QLineEdit* limitField() const { return limit_; }
    QCheckBox* severalBox() const { return several_; }
    QCheckBox* optimizeBox() const { return optimize_; }
    QPushButton* previewButton() const { return preview_; }
    QPushButton* adoptButton() const { return adopt_; }
    QPushButton* uncertainButton() const { return uncertainButton_; }
    SegmentedButtons* doubtSwitch() const { return doubtSwitch_; }
    SegmentedButtons* rangeSwitch() const { return rangeSwitch_; }
    CellTable* ignorance() const { return ignorance_; }
    CellTable* drivers() const { return drivers_; }
    QList<SweepPlot*> multiples() const { return multiples_; }
    QString sentence() const;
    QString oddsText() const;
    void setUncertain(const QStringList& texts);
    UncertainDialog* editUncertain();

protected:
    void updateEstimate() override;

private:
    /// A change of the scenario that is chosen, by a point or a goal.
    struct Choice {
        Edit edit;
        QString words;
        bool isChosen = false;
    };
    QWidget* makeStrip();
    void makeLinePanel();
    void makeGridPanel();
    void makeSensitivityPanel();
    void makeDoubtPanel();
    void connectParts();

    // What is asked
    bool renewContext();
    void forget();
    void renewChoices();
    void askAll();
    void askLine();
    void askGrid();
    void askSensitivity();
    void askGoal();
    void askOutcomes();

    // What is shown
    void take(ExploreSource::Part part);
    void showLine();
    void showMultiples(const std::shared_ptr<const SweepAnswer>& answer);
    void showGrid();
    void showSensitivity();
    void showIgnorance(const Sensitivity& sensitivity);
    void showGoal();
    void showOutcomes();
    void renewTargets();
    void renewHeadline();

    void choosePoint(const std::shared_ptr<const SweepAnswer>& answer, int point);
    void choose(const Choice& choice);
    void showPreview();
    void togglePreview();
    void adopt();
    bool isPreviewed() const;
    void renewButtons();
    const PlanFigure* figureOf(const PickCombo* box) const;

    ExploreSource* source_;
    ExploreContextPtr context_;
    std::unique_ptr<Scenario> scenario_; ///< of the context, resolved
    QStackedWidget* states_;
    EmptyState* empty_;
    VerdictLabel* verdict_;
    GoalBar* goal_;
    QPushButton* preview_;
    QPushButton* adopt_;
    ExplorePanel *linePanel_, *gridPanel_, *sensitivityPanel_, *doubtPanel_;
    PickCombo *across_, *lineFigure_, *gridAcross_, *gridUp_, *gridFigure_, *weighed_, *outcomeFigure_;
    QLineEdit *values_, *limit_;
    QCheckBox *several_, *optimize_;
    QPushButton* uncertainButton_;
    SegmentedButtons *rangeSwitch_, *doubtSwitch_;
    TextLabel *doubtText_, *odds_;
    SweepPlot* line_;
    HeatPlot* grid_;
    TornadoPlot* tornado_;
    OutcomePlot* outcome_;
    CellTable *ignorance_, *drivers_;
    QWidget *multiplesPage_ = nullptr, *ignorancePage_ = nullptr, *outcomePage_ = nullptr;
    QList<SweepPlot*> multiples_;
    QString weighedInput_;  ///< current row of the table of sensitivity
    QStringList uncertain_; ///< as uncertainOf() reads them
    Choice choice_;
    int askedAt_ = -1; ///< place in the undo stack that the answers are about
    bool serving_ = false;
};

} // namespace alidade::views
