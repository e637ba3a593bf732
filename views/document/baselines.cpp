// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/baselines.h"

#include "model/catalog/catalog.h"
#include "views/document/compared_item.h"
#include "views/document/document.h"
#include "views/document/latest_worker.h"
#include "views/document/list_step.h"
#include "views/document/text.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace alidade::views {

const FigureChange* BaselineDifference::change(std::string_view path) const {
    const auto found = std::ranges::find_if(
        comparison.figures, [path](const FigureRow& row) { return row.figure->path == path; });
    return found == comparison.figures.end() || !found->changes[1] ? nullptr : &*found->changes[1];
}

const FigureChange* BaselineDifference::timeChange() const {
    const FigureChange* step = change("training.step_time_s");
    return step != nullptr ? step : change("serving.tpot_s");
}

bool BaselineDifference::moreIsBetter(std::string_view path) const {
    const PlanFigure* figure = findPlanFigure(path);
    return figure != nullptr && figure->moreIsBetter;
}

struct Baselines::Private {
    std::shared_ptr<const ComparedItem> item; ///< of the current baseline; null: not estimated yet
    LatestWorker worker;
    explicit Private(QObject* owner)
        : worker(owner, Work::computing) {}
};

Baselines::Baselines(Document& document)
    : QObject(&document)
    , document_(document)
    , d(std::make_unique<Private>(this))
    , undo_(new QUndoStack(this)) {
    connect(&document, &Document::estimateChanged, this, &Baselines::request);
    connect(&document, &Document::catalogChanged, this, [this] {
        d->item.reset();
        ++generation_;
    });
}

Baselines::~Baselines() = default;

int Baselines::current() const {
    return state_.chosen < state_.scenarios.size() ? static_cast<int>(state_.chosen) : -1;
}

void Baselines::push(const QString& undoText, data::ScenarioList next) {
    undo_->push(new ListStep(undoText, state_, std::move(next), [this] { hasChanged(); }));
}

void Baselines::hasChanged() {
    d->item.reset();
    ++generation_;
    drop(); // it is another one's
    emit listChanged();
    request();
}

void Baselines::pin(const ScenarioSpec& spec, const QString& name) {
    data::ScenarioList next = state_;
    if (next.scenarios.size() >= static_cast<std::size_t>(most))
        next.scenarios.erase(next.scenarios.begin());
    const auto isTaken = [&next](const QString& each) {
        return std::ranges::any_of(
            next.scenarios, [&each](const data::ListedScenario& other) { return text(other.name) == each; });
    };
    QString free = name;
    for (int number = 2; isTaken(free); ++number)
        free = name + u' ' + QString::number(number);
    next.scenarios.push_back({.name = free.toStdString(), .spec = spec});
    next.chosen = next.scenarios.size() - 1;
    shown_ = true;
    push(tr("pin the baseline %1").arg(free), std::move(next));
}

void Baselines::choose(int index) {
    if (index == current() || index < 0 || index >= static_cast<int>(list().size()))
        return;
    data::ScenarioList next = state_;
    next.chosen = static_cast<std::size_t>(index);
    shown_ = true;
    push(tr("take %1 as baseline").arg(text(list()[next.chosen].name)), std::move(next));
}

void Baselines::remove(int index) {
    if (index < 0 || index >= static_cast<int>(list().size()))
        return;
    data::ScenarioList next = state_;
    const auto gone = static_cast<std::size_t>(index);
    next.scenarios.erase(next.scenarios.begin() + index);
    if (next.chosen > gone || next.chosen >= next.scenarios.size())
        next.chosen = next.chosen > 0 ? next.chosen - 1 : 0;
    push(tr("remove the baseline %1").arg(text(list()[gone].name)), std::move(next));
}

void Baselines::rename(int index, const QString& name) {
    if (index < 0 || index >= static_cast<int>(list().size()) || name.trimmed().isEmpty())
        return;
    data::ScenarioList next = state_;
    next.scenarios[static_cast<std::size_t>(index)].name = name.trimmed().toStdString();
    push(tr("rename the baseline %1").arg(text(list()[static_cast<std::size_t>(index)].name)),
         std::move(next));
}

void Baselines::setShown(bool shown) {
    if (std::exchange(shown_, shown) == shown)
        return;
    emit listChanged();
    request();
}

void Baselines::drop() {
    d->worker.cancel();
    if (std::exchange(difference_, nullptr) != nullptr)
        emit differenceChanged();
}

/// A newer estimate does not drop the answer to an older one: in a drag the views would have none.
void Baselines::request() {
    const auto after = document_.estimate();
    if (!isShown() || !after || !document_.error().isEmpty())
        return drop();
    const data::ListedScenario& baseline = list()[static_cast<std::size_t>(current())];
    d->worker.start([this, generation = generation_, item = d->item, after, spec = baseline.spec,
                     name = baseline.name, present = document_.shownSpec(), place = current(),
                     catalog = document_.catalog(),
                     engine = document_.engine()](const LatestWorker::Turn& turn) mutable {
        if (item == nullptr)
            item = comparedItem(engine, spec, *catalog);
        std::shared_ptr<BaselineDifference> out;
        if (item->estimate != nullptr) {
            out = std::make_shared<BaselineDifference>();
            out->name = text(name);
            out->place = place;
            out->before = item->estimate;
            out->after = after;
            const auto errors = errorsOf(present, *catalog);
            const std::vector<ComparedScenario> both{
                {name, item->estimate.get(), item->errors.get()},
                {after->scenario.name.value_or("present plan"), after.get(), errors.get()}};
            out->comparison = compareScenarios(both, 0);
        }
        turn.post([this, generation, item, out] { accept(generation, item, out); });
    });
}

void Baselines::accept(int generation, const std::shared_ptr<const ComparedItem>& item,
                       const std::shared_ptr<const BaselineDifference>& difference) {
    if (generation != generation_ || !isShown())
        return;
    d->item = item;
    error_ = text(item->error);
    difference_ = difference;
    emit differenceChanged();
}

QByteArray Baselines::saved() const { return QByteArray::fromStdString(data::writeScenarioList(state_)); }

void Baselines::restore(const QByteArray& saved) {
    undo_->clear();
    auto read =
        saved.isEmpty() ? Result<data::ScenarioList>(Error{}) : data::readScenarioList(saved.toStdString());
    state_ = read ? *std::move(read) : data::ScenarioList();
    std::erase_if(state_.scenarios, [](const data::ListedScenario& each) {
        return each.kind != data::ListedScenario::Kind::fixed;
    });
    hasChanged();
}

} // namespace alidade::views
