// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_view.h"

#include "model/estimate/estimate.h"
#include "model/run/checkpoint_curve.h"
#include "model/run/run_facts.h"
#include "model/scenario/fields.h"
#include "views/document/document.h"
#include "views/document/estimate_view.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/kit/band_label.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/run/finish_plot.h"
#include "views/run/interval_plot.h"
#include "views/run/run_calendar_view.h"
#include "views/run/run_tables.h"
#include "views/run/run_words.h"
#include "views/run/spare_plot.h"
#include "views/scenario/field_row.h"
#include "views/theme/kit_style.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>
#include <optional>

namespace alidade::views {

namespace {

constexpr std::string_view intervalField = "run.checkpoint_interval_s";

bool isOfInterval(const Fix* fix) {
    return fix != nullptr && fix->set.size() == 1 && fix->set.front().first == intervalField;
}

QString countText(int count) {
    return quantity(count, Dimension::number, {.significant = 9, .trimZeros = true});
}

} // namespace

RunView::~RunView() = default;

QString RunView::sentence() const { return verdict_->sentence(); }
bool RunView::isEmpty() const { return states_->currentWidget() == empty_; }
bool RunView::isBusy() const { return task_.busy(); }

void RunView::updateEstimate() {
    const auto estimate = document().estimate();
    if (!estimate || !estimate->run || !estimate->training) {
        task_.drop();
        shown_.reset();
        story_.reset();
        showNothing();
        return;
    }
    const bool other = estimate != shown_;
    shown_ = estimate;
    states_->setCurrentIndex(1);
    if (other)
        ask();
    renewDates();
    showAnswer();
    if (other) {
        showInterval();
        showTables();
    }
    renewHeights();
}

void RunView::updateBusy() {
    if (isEmpty())
        showNothing();
}

void RunView::showNothing() {
    const auto estimate = document().estimate();
    const WorkloadSpec& workload = document().shownSpec().workload;
    states_->setCurrentWidget(empty_);
    empty_->setAction({});
    if (workload.isServing()) {
        empty_->setText(tr("A service has no end"),
                        tr("The run from start to finish is drawn here when the scenario trains a model."));
    } else if (workload.isReinforcement()) {
        empty_->setText(tr("No whole run of reinforcement learning"),
                        tr("Its step is drawn on the Plan page. Failures and checkpoints are estimated for "
                           "training only."));
    } else if (!document().error().isEmpty()) {
        empty_->setText(tr("There is no estimate"), document().error());
        empty_->setAction(tr("Try again"));
    } else if (document().busy()) {
        empty_->setText(tr("No run to draw yet"), tr("Computing the first estimate."));
    } else if (!estimate) {
        empty_->setText(tr("No run to draw yet"), tr("Choose a model and a cluster in the scenario."));
    } else {
        const Problem* problem = hindrance(*estimate);
        empty_->setText(tr("This plan does not run"), problem ? text(problem->message) : QString());
        empty_->setAction(problem && problem->fix ? text(problem->fix->text) : QString());
    }
}

void RunView::applyFix() {
    const auto estimate = document().estimate();
    const Problem* problem = estimate ? hindrance(*estimate) : nullptr;
    if (problem && problem->fix)
        document().setFields(problem->fix->set, text(problem->fix->text));
}

/// A story begins with what the estimate says; what is drawn from outcomes follows when it is there.
void RunView::ask() { task_.start(runStoryJob(shown_, document().catalog())); }

void RunView::take(const RunStoryPtr& story, bool) {
    if (!shown_ || story->estimate != shown_)
        return;
    const bool begins = !story_ || story_->estimate != story->estimate;
    story_ = story;
    if (begins) {
        showAnswer();
        showStory();
    } else if (story_->isPlayed) { // a later part differs in its outcomes alone
        showOutcomes();
        if (story_->complete)
            showAnswer();
    }
}

void RunView::renewDates() {
    for (FieldRow* each : dates_)
        each->refresh();
}

void RunView::showAnswer() {
    const bool isOfThis = story_ && story_->estimate == shown_;
    const bool goodputGiven =
        isOfThis ? story_->facts.goodputGiven : shown_->scenario.plan.goodput.has_value();
    // Once all outcomes are drawn, the sentence counts them as the curve does.
    const bool isDrawn = isOfThis && story_->complete && !story_->ended.empty();
    const auto deadline = isDrawn ? RunDates(*shown_->run).deadline() : std::nullopt;
    const RunAnswer answer =
        runAnswer(*shown_, goodputGiven,
                  deadline ? std::optional(shareWithin(story_->ended, *deadline)) : std::nullopt);
    const QString error = document().error();
    if (!error.isEmpty())
        verdict_->setVerdict(BadgeKind::err,
                             tr("No estimate: %1").arg(error.section(QStringLiteral(": "), 1)),
                             tr("Shown values predate this change."));
    else if (!shown_->fits)
        verdict_->setVerdict(BadgeKind::err, tr("The plan does not fit into memory."), answer.sentence);
    else
        verdict_->setVerdict(answer.kind, answer.sentence, answer.detail);
    better_ = answer.better.value_or(0);
    QList<Figure> all = runFigures(*shown_, isOfThis ? story_.get() : nullptr);
    for (qsizetype i = 0; i < figures_.size(); ++i) {
        all[i].dimmed = !error.isEmpty() || !shown_->fits;
        figures_[i]->setFigure(all[i]);
    }
    const Run& run = *shown_->run;
    missing_ = !run.days              ? QStringLiteral("workload.tokens")
               : run.start.empty()    ? QStringLiteral("run.start")
               : run.deadline.empty() ? QStringLiteral("run.deadline")
                                      : QString();
    renewButtons();
}

void RunView::showInterval() {
    const Run& run = *shown_->run;
    const bool given = shown_->scenario.plan.goodput.has_value();
    DockTitleBar* bar = intervalPanel_->bar();
    if (given)
        return say(intervalPanel_, tr("The goodput is given"),
                   tr("Clear it in the plan to see the effect of the interval."));
    if (!hasInterval(run))
        return say(intervalPanel_, tr("No interval to choose"),
                   run.mode == CheckpointMode::peer
                       ? tr("Every step is kept in peer memory.")
                       : tr("The state of a failed node is rebuilt from its replicas."));
    say(intervalPanel_, {}, {});
    bar->setSubtitle(tr("stall %1, one interruption in %2")
                         .arg(givenTime(run.checkpoint.stall), quantity(run.mtbf, Dimension::seconds)));
    interval_->setRun(run);
    const RunTable table = curveTable(run);
    intervalPanel_->table()->setTable(table.columns, table.rows);
}

void RunView::showTables() {
    const Run& run = *shown_->run;
    const RunTable causes = causeTable(run);
    double most = 0; // in the unit of the table; the last row is the sum
    for (qsizetype i = 0; i + 1 < causes.rows.size(); ++i)
        most = std::max(most, causes.rows[i].cells.last().value.toDouble());
    shares_->setMaximum(most);
    causes_->setTable(causes.columns, causes.rows);
    const bool ends = !run.lost.empty() && std::isfinite(run.days ? run.days->p50 : 0);
    say(causePanel_, ends ? QString() : tr("No lost time to show"),
        run.days ? tr("The run never ends.") : tr("Set the training tokens."));
    if (ends)
        causePanel_->bar()->setSubtitle(tr("shares of the Llama 3 run: 419 in 54 days"));
    const RunTable tiers = tierTable(run);
    tiers_->setTable(tiers.columns, tiers.rows);
    QStringList notes;
    if (run.checkpoint.drain > 0)
        notes.append(tr("Writing it in the background takes %1 of each %2.")
                         .arg(givenTime(run.checkpoint.drain), givenTime(run.checkpoint.interval)));
    if (const QString data = dataWords(run); !data.isEmpty())
        notes.append(data);
    tierNote_->setText(notes.join(QLatin1Char('\n')));
    tierPanel_->bar()->setTitle(
        tr("Tiers for a checkpoint of %1").arg(glance(run.checkpoint.bytes, Dimension::bytes)));
    tierPanel_->bar()->setSubtitle(tr("reading it back: %1").arg(givenTime(run.checkpoint.restore)));
}

void RunView::showStory() {
    const Run& run = *shown_->run;
    const bool played = story_->isPlayed && story_->error.empty();
    QString what, why;
    if (!story_->error.empty()) {
        what = tr("Nothing can be drawn");
        why = text(story_->error);
    } else if (!run.days) {
        what = tr("The run has no length");
        why = tr("Set the training tokens.");
    } else if (!std::isfinite(run.days->p50)) {
        what = tr("The run never ends");
        why = tr("Interruptions come faster than it restarts.");
    } else if (story_->facts.goodputGiven) {
        what = tr("The goodput is given");
        why = tr("Interruptions are not simulated then.");
    }
    for (ExplorePanel* each : {calendarPanel_, sparePanel_, finishPanel_})
        say(each, what, why);
    if (!played) {
        calendar_->setStory(nullptr);
        outcomeSwitch_->setEnabled(false);
        finishPanel_->setBusy(false, {});
        return;
    }
    const bool drawn = !story_->days.empty();
    outcomeSwitch_->setEnabled(drawn);
    if (!drawn && calendar_->oneOutcome()) {
        outcomeSwitch_->setCurrentIndex(0);
        calendar_->setOneOutcome(false);
    }
    calendar_->setStory(story_);
    nameOutcome();
    const RunTable days = dayTable(*story_);
    calendarPanel_->table()->setTable(days.columns, days.rows);
    spares_->setStory(story_);
    sparePanel_->bar()->setSubtitle(
        tr("%1 nodes are in repair at a time").arg(quantity(run.nodesInRepair, Dimension::number)));
    const RunTable spares = spareTable(*story_);
    sparePanel_->table()->setTable(spares.columns, spares.rows);
    const RunTable steps = stepTable(*story_);
    steps_->setTable(steps.columns, steps.rows);
    steps_->setVisible(!steps.rows.empty());
    const RunTable worths = worthTable(*story_);
    worths_->setTable(worths.columns, worths.rows);
    worths_->setVisible(!worths.rows.empty());
    renewHeights();
    showOutcomes();
}

/// What the calendar is of.
void RunView::nameOutcome() {
    calendarPanel_->bar()->setSubtitle(
        story_->days.empty()      ? tr("expected")
        : calendar_->oneOutcome() ? tr("one drawn outcome with %1 interruptions")
                                        .arg(countText(static_cast<int>(story_->drawn.failures.size())))
                                  : tr("expected; the loupe shows one drawn outcome"));
}

void RunView::showOutcomes() {
    const int count = static_cast<int>(story_->ended.size());
    if (story_->wanted == 0) {
        say(finishPanel_, tr("Too many interruptions to simulate"),
            tr("%1 in each outcome; the band above is from the closed form.")
                .arg(quantity(shown_->run->interruptions, Dimension::number)));
        finishPanel_->setBusy(false, {});
        return;
    }
    finishPanel_->setBusy(
        !story_->complete && task_.busy(),
        tr("Simulating outcomes, %1 of %2").arg(countText(count), countText(story_->wanted)));
    if (count == 0)
        return;
    finish_->setStory(story_);
    finishPanel_->bar()->setSubtitle(
        tr("%1 outcomes; bars: %2 days each, × %3")
            .arg(countText(count),
                 quantity(story_->spread.histogramWidth, Dimension::number, {.significant = 2}))
            .arg(finish_->barTimes()));
    const RunTable table = outcomeTable(*story_);
    finishPanel_->table()->setTable(table.columns, table.rows);
}

void RunView::renewButtons() {
    const bool previewed = isPreviewedHere();
    preview_->setVisible(previewed || better_ > 0);
    preview_->setText(previewed ? tr("End Preview") : tr("Preview %1").arg(givenTime(better_)));
    preview_->setAccessibleName(preview_->text());
    preview_->setToolTip(previewed ? tr("Back to the scenario as it is (Esc)")
                                   : tr("Shows the best checkpoint interval in all views; Esc goes back"));
    adopt_->setVisible(previewed);
    field_->setVisible(!previewed && !missing_.isEmpty());
    field_->setText(missing_ == QLatin1String("workload.tokens") ? tr("Set the Tokens…")
                    : missing_ == QLatin1String("run.start")     ? tr("Set the Start…")
                                                                 : tr("Set a Deadline…"));
    field_->setAccessibleName(field_->text());
    field_->setToolTip(tr("Goes to the field in the scenario"));
}

/// By a button, a click or a key of this page.
bool RunView::isPreviewedHere() const {
    const Fix* fix = document().previewed();
    return isOfInterval(fix) || (fix != nullptr && !step_.empty() && fix->set == step_);
}

void RunView::previewStep(int row) {
    if (!story_ || row < 0 || row >= static_cast<int>(story_->steps.size()))
        return;
    const DeadlineStep step = story_->steps[static_cast<std::size_t>(row)]; // the preview renews the story
    step_ = step.set;
    document().preview({step.text, step.set});
}

void RunView::previewBest() {
    if (isPreviewedHere()) {
        document().endPreview();
        return;
    }
    if (better_ > 0) // not set: it then stays the best when the scenario changes
        document().preview({tr("Set the checkpoint interval to the best one").toStdString(),
                            {{std::string(intervalField), std::string()}}});
}

void RunView::previewInterval(double seconds) {
    const QString value = QString::number(seconds, 'g', 6);
    document().preview({tr("Set the checkpoint interval to %1").arg(givenTime(seconds)).toStdString(),
                        {{std::string(intervalField), value.toStdString()}}});
}

/// How a figure of the strip comes about; what is a difference of two has no formula.
void RunView::explain(int index) {
    static const QStringList paths{
        QStringLiteral("run.days.p50"),         QStringLiteral("run.goodput"),
        QStringLiteral("run.interruptions"),    QString(),
        QStringLiteral("run.checkpoint.count"), QStringLiteral("cost.dollars_per_run")};
    const Figure& figure = figures_[index]->figure();
    if (!paths[index].isEmpty() && !figure.value.isEmpty() && !figure.dimmed)
        emit explainRequested(figure.label, paths[index]);
}

void RunView::followField() {
    for (FieldRow* each : dates_)
        if (each->field().path == missing_.toStdString())
            return each->edit();
    if (!missing_.isEmpty())
        emit fieldRequested(missing_);
}

void RunView::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && isPreviewedHere())
        document().adoptPreview();
    else if (event->key() == Qt::Key_Escape && document().previewed() != nullptr)
        document().endPreview();
    else
        View::keyPressEvent(event);
}

} // namespace alidade::views
