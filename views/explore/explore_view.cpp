// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/explore_view.h"

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/explore/goal_bar.h"
#include "views/explore/heat_plot.h"
#include "views/explore/outcome_plot.h"
#include "views/explore/pick_combo.h"
#include "views/explore/sweep_plot.h"
#include "views/explore/tornado_plot.h"
#include "views/explore/uncertain_dialog.h"
#include "views/kit/cell_table.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"

#include <QCheckBox>
#include <QDataStream>
#include <QIODevice>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QUndoStack>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr qint32 stateFormat = 1;

bool isSame(const ScenarioSpec& a, const ScenarioSpec& b) {
    for (const Field& field : fieldTable())
        if (field.get(a) != field.get(b))
            return false;
    return true;
}

} // namespace

ExploreView::~ExploreView() = default;

const PlanFigure* ExploreView::figureOf(const PickCombo* box) const {
    const PlanFigure* figure = findPlanFigure(box->path().toStdString());
    return figure != nullptr && scenario_ && figure->isOf(scenario_->spec.workload) ? figure : nullptr;
}

/// What the person edits, not a change that is previewed.
void ExploreView::updateEstimate() {
    if (renewContext())
        askAll();
}

/// \returns whether there is something new to ask about
bool ExploreView::renewContext() {
    const auto catalog = document().catalog();
    const ScenarioSpec& spec = document().spec();
    const int step = document().undoStack()->index();
    if (context_ && context_->catalog == catalog && askedAt_ == step && isSame(context_->spec, spec) &&
        states_->currentWidget() != empty_)
        return false;
    askedAt_ = step;
    const auto profile = profileOf(spec, *catalog);
    const auto resolved =
        profile ? resolve(spec, *catalog, **profile) : Result<Scenario>(Error{profile.error()});
    if (!resolved || !resolved->runs()) {
        empty_->setText(
            tr("Nothing to explore yet"),
            resolved
                ? tr("The scenario does not run: %1")
                      .arg(resolved->problems.empty() ? QString() : text(resolved->problems.front().message))
                : tr("Choose a model and a cluster on the Plan page."));
        states_->setCurrentWidget(empty_);
        forget();
        return false;
    }
    context_ = std::make_shared<const ExploreContext>(ExploreContext{spec, catalog, **profile});
    scenario_ = std::make_unique<Scenario>(*resolved);
    serving_ = scenario_->isServing();
    choice_ = {};
    renewChoices();
    renewButtons();
    states_->setCurrentIndex(1);
    return true;
}

/// What is asked of another scenario is not answered any more: there is no context to show it in.
void ExploreView::forget() {
    source_->drop();
    context_.reset();
    for (ExplorePanel* panel : {linePanel_, gridPanel_, sensitivityPanel_, doubtPanel_})
        panel->setBusy(false, {});
}

void ExploreView::renewChoices() {
    const auto variables = sweptVariables(*scenario_, *context_->catalog),
               numbers = sweptVariables(*scenario_, *context_->catalog, true);
    const auto figures = figuresOf(*scenario_);
    const auto fill = [](PickCombo* box, const QList<NamedPath>& choices, const QString& usual) {
        const QString before = box->path();
        box->setChoices(choices);
        if (before.isEmpty() || box->findData(before) < 0)
            box->setPath(usual);
    };
    fill(across_, variables, usualVariable(*scenario_, 0));
    fill(gridAcross_, variables, usualVariable(*scenario_, 1));
    fill(gridUp_, variables, usualVariable(*scenario_, 0));
    fill(lineFigure_, figures, usualFigure(*scenario_, 0));
    fill(gridFigure_, figures, usualFigure(*scenario_, 1));
    fill(weighed_, figures, usualFigure(*scenario_, 2));
    fill(outcomeFigure_, figures, usualFigure(*scenario_, 2));
    const QString variable = goal_->variable(), figure = goal_->figure();
    goal_->setChoices(numbers, figures);
    if (goal_->variableBox()->findData(variable) < 0)
        goal_->variableBox()->setPath(scenario_->hasPrice && !serving_ ? QStringLiteral("price")
                                                                       : usualVariable(*scenario_, 0));
    if (goal_->figureBox()->findData(figure) < 0) {
        const QString usual = usualFigure(*scenario_, 2);
        goal_->setAsk(goal_->variable(), usual, !findPlanFigure(usual.toStdString())->moreIsBetter, {});
    }
    // An input of another scenario has nothing to say about this one.
    uncertain_.removeIf([&](const QString& each) { return !uncertainOf(each.toStdString(), *scenario_); });
}

void ExploreView::askAll() {
    askLine();
    askGrid();
    askSensitivity();
    askGoal();
    askOutcomes();
}

void ExploreView::askLine() {
    if (!context_ || figureOf(lineFigure_) == nullptr)
        return;
    source_->sweepLine(context_, {.across = across_->path(),
                                  .up = {},
                                  .acrossValues = values_->text(),
                                  .upValues = {},
                                  .objective = figureOf(lineFigure_),
                                  .optimize = optimize_->isChecked()});
}

void ExploreView::askGrid() {
    if (!context_ || figureOf(gridFigure_) == nullptr)
        return;
    if (gridAcross_->path() == gridUp_->path()) {
        gridPanel_->setError(tr("Both axes have the same field"),
                             tr("Choose a different field for one of them."));
        return;
    }
    source_->sweepGrid(context_, {.across = gridAcross_->path(),
                                  .up = gridUp_->path(),
                                  .acrossValues = {},
                                  .upValues = {},
                                  .objective = figureOf(gridFigure_)});
}

void ExploreView::askSensitivity() {
    if (context_ && figureOf(weighed_) != nullptr)
        source_->weigh(context_, figureOf(weighed_),
                       {.step = 0.1, .ownError = rangeSwitch_->currentIndex() == 1, .saturation = true});
}

void ExploreView::askGoal() {
    if (!context_ || !goal_->target())
        return;
    source_->solve(context_, {.variable = goal_->variable(),
                              .goal = goal_->figure() +
                                      (goal_->atMost() ? QStringLiteral("<=") : QStringLiteral(">=")) +
                                      goal_->value()});
}

void ExploreView::askOutcomes() {
    const PlanFigure* figure = figureOf(outcomeFigure_);
    if (!context_ || figure == nullptr)
        return;
    OutcomeQuestion question;
    question.figures = {figure};
    for (const QString& each : std::as_const(uncertain_))
        if (auto read = uncertainOf(each.toStdString(), *scenario_))
            question.uncertain.push_back(*std::move(read));
    const QString typed = limit_->text().trimmed();
    if (!typed.isEmpty()) {
        const auto limit =
            searchLimit(scenario_->spec.workload, std::string(figure->path) + "=" + typed.toStdString(),
                        !figure->moreIsBetter);
        if (!limit) {
            odds_->setText(text(limit.error()));
            return;
        }
        question.limits.push_back(*limit);
    }
    source_->draw(context_, question);
}

void ExploreView::setUncertain(const QStringList& texts) {
    uncertain_ = texts;
    uncertainButton_->setText(uncertain_.isEmpty() ? tr("Uncertain Inputs…")
                                                   : tr("Uncertain Inputs (%1)…").arg(uncertain_.size()));
    askOutcomes();
}

UncertainDialog* ExploreView::editUncertain() {
    if (!scenario_)
        return nullptr;
    auto* dialog = new UncertainDialog(*scenario_, sweptVariables(*scenario_, *document().catalog(), true),
                                       uncertain_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { setUncertain(dialog->texts()); });
    dialog->open();
    return dialog;
}

void ExploreView::choosePoint(const std::shared_ptr<const SweepAnswer>& answer, int point) {
    if (!answer || !context_ || point < 0 || point >= static_cast<int>(answer->sweep.points.size()))
        return;
    const SweepPoint& each = answer->sweep.points[static_cast<std::size_t>(point)];
    const bool ofLine = answer == source_->line();
    line_->setChosen(ofLine ? point : -1);
    for (SweepPlot* plot : std::as_const(multiples_))
        plot->setChosen(ofLine ? point : -1);
    grid_->setChosen(ofLine ? -1 : point);
    choose({editOf(answer->sweep, each, context_->spec), pointInWords(answer->sweep, each), true});
}

void ExploreView::choose(const Choice& choice) {
    choice_ = choice;
    if (choice_.edit.empty() && document().previewed() != nullptr)
        document().endPreview();
    else if (!choice_.edit.empty())
        showPreview();
    renewButtons();
}

void ExploreView::showPreview() {
    const Edit changes = changesOf(document().spec(), choice_.edit);
    if (changes.empty()) {
        if (document().previewed() != nullptr)
            document().endPreview();
        return;
    }
    document().preview({describeEdit(changes), choice_.edit});
}

bool ExploreView::isPreviewed() const {
    return document().previewed() != nullptr && !choice_.edit.empty() &&
           document().previewed()->set == choice_.edit;
}

void ExploreView::togglePreview() {
    if (isPreviewed())
        document().endPreview();
    else if (!choice_.edit.empty())
        showPreview();
}

void ExploreView::adopt() {
    const Edit edit = choice_.edit;
    if (edit.empty())
        return;
    if (document().previewed() != nullptr)
        document().endPreview();
    if (!changesOf(document().spec(), edit).empty())
        document().setFields(edit, tr("adopt %1").arg(choice_.words));
}

void ExploreView::renewButtons() {
    const bool possible =
        !choice_.edit.empty() && context_ && !changesOf(context_->spec, choice_.edit).empty();
    preview_->setEnabled(possible);
    adopt_->setEnabled(possible);
    preview_->setText(isPreviewed() ? tr("End Preview") : tr("Preview"));
    preview_->setAccessibleName(preview_->text());
    const QString why =
        choice_.isChosen && choice_.edit.empty()
            ? tr("%1 comes from the catalog or calibration; no field sets it").arg(choice_.words)
            : QString();
    preview_->setToolTip(why.isEmpty() ? tr("Show it in all views; Esc goes back") : why);
    adopt_->setToolTip(why.isEmpty() ? tr("Make it the scenario; one step to undo") : why);
    verdict_->setNote(choice_.isChosen ? choice_.words : QString());
}

QByteArray ExploreView::saveState() const {
    QByteArray out;
    QDataStream stream(&out, QIODevice::WriteOnly);
    stream << stateFormat << across_->path() << values_->text() << lineFigure_->path()
           << several_->isChecked() << optimize_->isChecked() << gridAcross_->path() << gridUp_->path()
           << gridFigure_->path() << weighed_->path() << qint32(rangeSwitch_->currentIndex())
           << goal_->variable() << goal_->figure() << goal_->atMost() << goal_->value()
           << outcomeFigure_->path() << limit_->text() << uncertain_ << qint32(doubtSwitch_->currentIndex());
    return out;
}

void ExploreView::restoreState(const QByteArray& state) {
    QDataStream stream(state);
    qint32 format = 0, range = 0, doubt = 0;
    QString across, values, lineFigure, gridAcross, gridUp, gridFigure, weighed, variable, figure, goal,
        outcomeFigure, limit;
    bool several = false, optimize = false, atMost = true;
    QStringList uncertain;
    stream >> format >> across >> values >> lineFigure >> several >> optimize >> gridAcross >> gridUp >>
        gridFigure >> weighed >> range >> variable >> figure >> atMost >> goal >> outcomeFigure >> limit >>
        uncertain >> doubt;
    if (stream.status() != QDataStream::Ok || format != stateFormat)
        return;
    // A list that is not there yet keeps the path until it is.
    for (const auto& [box, path] :
         {std::pair(across_, across), std::pair(lineFigure_, lineFigure), std::pair(gridAcross_, gridAcross),
          std::pair(gridUp_, gridUp), std::pair(gridFigure_, gridFigure), std::pair(weighed_, weighed),
          std::pair(outcomeFigure_, outcomeFigure)})
        box->keepPath(path);
    goal_->variableBox()->keepPath(variable);
    goal_->figureBox()->keepPath(figure);
    goal_->setAsk(variable, figure, atMost, goal);
    values_->setText(values);
    limit_->setText(limit);
    const QSignalBlocker quietSeveral(several_), quietOptimize(optimize_);
    several_->setChecked(several);
    optimize_->setChecked(optimize);
    rangeSwitch_->setCurrentIndex(std::clamp(range, 0, 1));
    doubtSwitch_->setCurrentIndex(std::clamp(doubt, 0, 1));
    doubtPanel_->showPage(doubt == 1 ? outcomePage_ : ignorancePage_);
    uncertain_ = uncertain;
    forget();
    outdate();
}

QString ExploreView::oddsText() const { return odds_->text(); }

} // namespace alidade::views
