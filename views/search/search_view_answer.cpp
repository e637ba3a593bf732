// SPDX-License-Identifier: GPL-3.0-or-later
// What the search page shows of an answer.
#include "data/scenario/scenario_json.h"
#include "data/search/kept_search.h"
#include "model/base/text.h"
#include "model/catalog/catalog.h"
#include "model/search/findings.h"
#include "model/search/plan_walker.h"
#include "model/search/search_words.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/search/nearest_run.h"
#include "views/search/plan_panel.h"
#include "views/search/question_panel.h"
#include "views/search/search_list.h"
#include "views/search/search_plot.h"
#include "views/search/search_source.h"
#include "views/search/search_view.h"

#include <QAction>
#include <QCursor>
#include <QEvent>
#include <QPushButton>
#include <QStackedWidget>
#include <QUndoStack>
#include <qcustomplot.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace alidade::views {

namespace {

constexpr int otherScenario = -2; ///< no place in the undo stack

QString count(std::uint64_t n) { return text(formatCount(static_cast<std::int64_t>(n))); }

QString keyOf(const FoundPlan& plan) { return QString::number(plan.index); }

} // namespace

int SearchView::placeInList(const FoundPlan& plan) const {
    const auto& plans = listedPlans(shown_->result);
    const auto found = std::ranges::find(plans, plan.index, &FoundPlan::index);
    return found == plans.end() ? -1 : static_cast<int>(found - plans.begin());
}

/// A pointer that only happens to rest where the plans appear holds nothing back.
bool SearchView::isHeld() const {
    return hasFirst_ && states_->currentWidget() == content_ &&
           (QCursor::pos() != pointerAtFirst_ || (chosen_ && chosen_->byPerson)) &&
           (list_->viewport()->underMouse() || plot_->plot()->underMouse() || panel_->underMouse());
}

bool SearchView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave && source_->answer() && shown_ != source_->answer())
        QMetaObject::invokeMethod(this, &SearchView::renewAnswer, Qt::QueuedConnection);
    return View::eventFilter(watched, event);
}

void SearchView::renewProgress(double done) {
    busy_->setProgress(done);
    question_->setProgress(done);
    const int share = static_cast<int>(std::min(done, 1.0) * 100);
    going_->setText(isHeld() ? tr("Trying %1: %2 %. New plans appear once the pointer leaves the list.")
                                   .arg(trying_)
                                   .arg(share)
                             : tr("Trying %1: %2 %").arg(trying_).arg(share));
}

void SearchView::renewAnswer() {
    if (!source_->answer() || (source_->answer()->goesOn && isHeld()))
        return;
    shown_ = source_->answer();
    const CatalogSearch& answer = *shown_;
    const SearchResult& result = answer.result;
    const bool more = hasFirst_;
    if (!std::exchange(hasFirst_, true))
        pointerAtFirst_ = QCursor::pos();
    if (answer.goesOn)
        busy_->stop(); // what it has found is not behind a veil
    // What is below does not jump on the way, nor ever under the pointer.
    if (more && (answer.goesOn || isHeld()))
        strip_->setMinimumHeight(std::max(strip_->minimumHeight(), strip_->height()));
    else
        strip_->setMinimumHeight(0);
    showWords(answer);
    plot_->setAnswer(shown_, listedPlans(result), more);
    renewAxes(answer);
    plans_->setAnswer(answer, [this](int plan) { return plot_->isInView(plan); }, more);
    panel_->showReasons(answer, more);
    states_->setCurrentWidget(content_);
    changes_.reset();
    if (!answer.goesOn && result.complete && before_ && before_->mark != answer.mark &&
        isSameQuestion(before_->question, answer.question))
        changes_ = changesBetween(*before_, answer);
    renewChanges();
    report_->setEnabled(recommended().has_value());
    renewStaleness();
    if (more && chosen_ && chosen_->byPerson) {
        if (!chosen_->isRejected) { // its place may be another one
            const int place = placeInList(chosen_->plan);
            if (place >= 0)
                chosen_->plan = listedPlans(result)[static_cast<std::size_t>(place)];
            show(chosen_);
        }
    } else {
        const auto& plans = listedPlans(result);
        const int taken = result.recommended && !answer.goesOn ? placeInList(*result.recommended) : -1;
        show(plans.empty()
                 ? std::nullopt
                 : std::optional(Chosen{.plan = plans[static_cast<std::size_t>(std::max(0, taken))]}));
    }
    list_->setCurrentKey(chosen_ && !chosen_->isRejected ? keyOf(chosen_->plan) : QString());
    findNearest();
    if (!answer.goesOn)
        emit answerChanged();
}

/// A kept answer has said it already.
void SearchView::findNearest() {
    if (nearest_ == nullptr)
        return;
    if (!shown_->goesOn && shown_->result.recommended && shown_->nearest.empty())
        nearest_->find(shown_);
    else
        nearest_->forget();
}

void SearchView::showNearest(const std::shared_ptr<const CatalogSearch>& answer, const std::string& nearest) {
    if (shown_ != answer)
        return;
    source_->note(answer, nearest);
    shown_ = source_->answer();
    panel_->showReasons(*shown_, true);
    emit answerChanged();
}

/// Of a search that goes on nothing is said about the whole space, and nothing is recommended.
void SearchView::showWords(const CatalogSearch& answer) {
    const SearchResult& result = answer.result;
    const SearchCounts& c = result.counts;
    const bool found = !result.best.empty();
    if (answer.goesOn) {
        const PlanFigure& figure = *answer.question.objectives.front();
        const QString best =
            found ? quantity(result.best.front().figure(figure), figure.dimension) : QString();
        verdict_->setVerdict(BadgeKind::neutral,
                             !found ? tr("No plan so far.")
                             : result.present.rank == 1U
                                 ? tr("So far no plan is better than the present one; %1 of the best: %2.")
                                       .arg(text(figure.label), best)
                                 : tr("So far: %1 of the best plan: %2.").arg(text(figure.label), best));
        detail_->setText(
            tr("Partial: %1 of %2 plans tried so far.").arg(count(c.total()), count(result.plans)));
    } else {
        const QString detail = found
                                   ? tr("Recommended: ") + text(recommendationReason(answer.question, result))
                                   : text(result.present.why);
        verdict_->setVerdict(found && result.complete ? BadgeKind::ok : BadgeKind::warn,
                             text(searchHeadline(answer.question, result)));
        detail_->setText(result.complete ? detail
                                         : tr("Partial: stopped before all plans were tried. ") + detail);
    }
    counts_->setText(tr("%1 plans in %2: %3 ranked, %4 do not fit, %5 are illegal, %6 miss a limit; %7 plans "
                        "estimated per second")
                         .arg(count(result.plans), quantity(answer.seconds, Dimension::seconds),
                              count(c.evaluated), count(c.unfit), count(c.illegal), count(c.missed),
                              quantity(static_cast<double>(c.computed()) / std::max(1e-3, answer.seconds),
                                       Dimension::number)));
    plotBar_->setSubtitle(tr("%1 of %2 that run; the ring is the present plan")
                              .arg(count(result.sample.size()), count(c.evaluated)));
}

/// The list after a change of what the picture shows.
void SearchView::renewList() {
    if (!shown_)
        return;
    plans_->setAnswer(*shown_, [this](int plan) { return plot_->isInView(plan); }, source_->busy());
    list_->setCurrentKey(chosen_ && !chosen_->isRejected ? keyOf(chosen_->plan) : QString());
}

void SearchView::renewChanges() {
    changed_->setText(changes_ ? changesInWords(*changes_) : QString());
    changed_->setVisible(changes_.has_value());
    going_->setVisible(shown_->goesOn);
    plans_->setChanges(*shown_, changes_);
}

QString SearchView::changedText() const { return changed_->text(); }

void SearchView::choose(const QString& key) {
    bool isIndex = false;
    const std::uint64_t index = key.toULongLong(&isIndex);
    if (!shown_ || !isIndex || index >= shown_->result.plans)
        return show(std::nullopt);
    const auto& plans = listedPlans(shown_->result);
    const auto found = std::ranges::find(plans, index, &FoundPlan::index);
    Chosen chosen{.plan = {}, .byPerson = true};
    if (found != plans.end())
        chosen.plan = *found;
    else if (shown_->catalog && shown_->profile)
        chosen.plan = planAt(index, shown_->question, *shown_->catalog, *shown_->profile);
    else
        return show(std::nullopt);
    show(chosen);
}

void SearchView::show(const std::optional<Chosen>& chosen) {
    chosen_ = chosen;
    if (!shown_)
        return;
    const FoundPlan* plan = chosen_ ? &chosen_->plan : nullptr;
    panel_->show(*shown_, plan, plan == nullptr ? 0 : placeInList(*plan) + 1);
    panel_->setPreviewed(isPreviewed());
    plot_->setChosen(plan == nullptr ? std::nullopt : std::optional(*plan));
}

/// Of the plans that failed for one reason some are listed, the first one chosen.
void SearchView::chooseRejected(const QString& why) {
    if (!shown_)
        return;
    const auto& all = shown_->result.rejected;
    const auto found = std::ranges::find(all, why, [](const Rejection& each) { return text(each.why); });
    if (found == all.end())
        return;
    show(std::nullopt);
    list_->setCurrentKey({});
    chosen_ = Chosen{.plan = {.index = found->index, .set = found->example, .figures = {}, .marks = {}},
                     .isRejected = true,
                     .byPerson = true};
    panel_->showRejected(*shown_, *found);
    panel_->setPreviewed(isPreviewed());
}

void SearchView::chooseExample(const QString& key) {
    if (!shown_)
        return;
    const std::uint64_t index = key.toULongLong();
    chosen_ =
        Chosen{.plan = {.index = index, .set = editOf(shown_->question, index), .figures = {}, .marks = {}},
               .isRejected = true,
               .byPerson = true};
    panel_->showExample(*shown_, chosen_->plan);
    panel_->setPreviewed(isPreviewed());
}

bool SearchView::isPreviewed() const {
    return chosen_ && !chosen_->plan.set.empty() && document().previewed() != nullptr &&
           document().previewed()->set == chosen_->plan.set;
}

QByteArray SearchView::saved() const {
    return shown_ && !shown_->goesOn ? QByteArray::fromStdString(data::writeSearch(*shown_)) : QByteArray();
}

QByteArray SearchView::answerMark() const { return shown_ ? shown_->mark : QByteArray(); }

void SearchView::setCatalogMark(const std::function<QByteArray()>& mark) { catalogMark_ = mark; }

void SearchView::setValidation(ValidationSource* source) {
    nearest_ = new NearestRun(source, this);
    connect(nearest_, &NearestRun::found, this, &SearchView::showNearest);
}

void SearchView::restore(const QByteArray& saved, const QByteArray& mark) {
    const auto catalog = document().catalog();
    const auto profile = profileOf(document().spec(), *catalog);
    if (!profile)
        return;
    auto read = data::readSearch(saved.toStdString(), *catalog, **profile);
    if (!read)
        return; // such as of a machine that the catalog does not have any more
    auto answer = std::make_shared<CatalogSearch>();
    static_cast<SearchAnswer&>(*answer) = *std::move(read);
    answer->catalog = catalog;
    answer->profile = std::make_shared<const Profile>(**profile);
    renewScenario();
    question_->setQuestion(answer->question);
    const bool isSame = data::writeScenario(answer->question.base) == data::writeScenario(document().spec());
    searchedAt_ = isSame ? document().undoStack()->index() : otherScenario;
    answer->mark = mark;
    hasFirst_ = false;
    source_->restore(answer, mark == catalogMark_());
}

/// Another scenario takes the place of the one that was searched.
void SearchView::forget() {
    source_->forget();
    if (nearest_ != nullptr)
        nearest_->forget();
    shown_.reset();
    before_.reset();
    chosen_.reset();
    searchedAt_ = -1;
    report_->setEnabled(false);
    if (states_->currentWidget() != error_)
        states_->setCurrentWidget(empty_);
}

/// A preview changes nothing; opening another scenario starts a new undo stack.
void SearchView::renewStaleness() {
    const bool asks = !source_->busy() && (isOutdated() || isStale());
    if (!source_->busy())
        verdict_->setNote(isOutdated() ? tr("Scenario changed since")
                          : isStale()  ? tr("Catalog changed since")
                                       : QString());
    again_->setVisible(asks && isStale());
    outdate();
}

bool SearchView::isOutdated() const { return shown_ && searchedAt_ != document().undoStack()->index(); }

bool SearchView::isStale() const { return shown_ && shown_->mark != catalogMark_(); }

} // namespace alidade::views
