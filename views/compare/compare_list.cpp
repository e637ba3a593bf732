// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_list.h"

#include "views/document/list_step.h"

#include <QUndoStack>

#include <algorithm>
#include <utility>

namespace alidade::views {

namespace {

/// The baseline is the same scenario after others have come, gone or moved.
std::size_t placeAfterMove(std::size_t chosen, std::size_t from, std::size_t to) {
    if (chosen == from)
        return to;
    if (from < chosen && chosen <= to)
        return chosen - 1;
    if (to <= chosen && chosen < from)
        return chosen + 1;
    return chosen;
}

} // namespace

CompareList::CompareList(QObject* parent)
    : QObject(parent)
    , undo_(new QUndoStack(this)) {
    restore({});
}

void CompareList::push(const QString& undoText, data::ScenarioList next) {
    undo_->push(new ListStep(undoText, state_, std::move(next), [this] { emit changed(); }));
}

int CompareList::add(const std::vector<data::ListedScenario>& scenarios) {
    const auto room = static_cast<std::size_t>(most - size());
    const std::size_t count = std::min(room, scenarios.size());
    if (count > 0) {
        data::ScenarioList next = state_;
        next.scenarios.insert(next.scenarios.end(), scenarios.begin(),
                              scenarios.begin() + static_cast<std::ptrdiff_t>(count));
        if (state_.scenarios.empty())
            next.chosen = 0;
        push(count == 1 ? tr("add %1 to the comparison").arg(QString::fromStdString(scenarios.front().name))
                        : tr("add %1 scenarios to the comparison").arg(count),
             std::move(next));
    }
    return static_cast<int>(scenarios.size() - count);
}

void CompareList::replace(const std::vector<data::ListedScenario>& scenarios, int baseline,
                          const QString& undoText) {
    data::ScenarioList next{scenarios, static_cast<std::size_t>(baseline)};
    if (next.scenarios.size() > static_cast<std::size_t>(most))
        next.scenarios.resize(most);
    push(undoText, std::move(next));
}

void CompareList::remove(int index) {
    if (index < 0 || index >= size())
        return;
    data::ScenarioList next = state_;
    const auto gone = static_cast<std::size_t>(index);
    next.scenarios.erase(next.scenarios.begin() + index);
    if (next.chosen == gone)
        next.chosen = 0;
    else if (next.chosen > gone)
        --next.chosen;
    push(tr("remove %1 from the comparison").arg(QString::fromStdString(state_.scenarios[gone].name)),
         std::move(next));
}

void CompareList::move(int from, int to) {
    if (from == to || from < 0 || to < 0 || from >= size() || to >= size())
        return;
    data::ScenarioList next = state_;
    data::ListedScenario moved = std::move(next.scenarios[static_cast<std::size_t>(from)]);
    next.scenarios.erase(next.scenarios.begin() + from);
    const QString name = QString::fromStdString(moved.name);
    next.scenarios.insert(next.scenarios.begin() + to, std::move(moved));
    next.chosen = placeAfterMove(next.chosen, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    push(tr("move %1").arg(name), std::move(next));
}

void CompareList::setBaseline(int index) {
    if (index < 0 || index >= size() || index == baseline())
        return;
    data::ScenarioList next = state_;
    next.chosen = static_cast<std::size_t>(index);
    push(tr("take %1 as baseline").arg(QString::fromStdString(scenarios()[next.chosen].name)),
         std::move(next));
}

void CompareList::rename(int index, const QString& name) {
    if (index < 0 || index >= size() || name.trimmed().isEmpty())
        return;
    data::ScenarioList next = state_;
    next.scenarios[static_cast<std::size_t>(index)].name = name.trimmed().toStdString();
    push(tr("rename %1").arg(QString::fromStdString(scenarios()[static_cast<std::size_t>(index)].name)),
         std::move(next));
}

void CompareList::arrange(const std::vector<int>& order, const QString& undoText) {
    data::ScenarioList next;
    next.chosen = order.size();
    for (const int each : order) {
        if (each == baseline())
            next.chosen = next.scenarios.size();
        next.scenarios.push_back(scenarios()[static_cast<std::size_t>(each)]);
    }
    if (!std::ranges::is_sorted(order))
        push(undoText, std::move(next));
}

QByteArray CompareList::saved() const { return QByteArray::fromStdString(data::writeScenarioList(state_)); }

void CompareList::restore(const QByteArray& saved) {
    undo_->clear();
    auto read =
        saved.isEmpty() ? Result<data::ScenarioList>(Error{}) : data::readScenarioList(saved.toStdString());
    if (read) {
        state_ = *std::move(read);
        if (state_.scenarios.size() > static_cast<std::size_t>(most))
            state_.scenarios.resize(most);
    } else {
        state_ = {};
        state_.scenarios.push_back({.kind = data::ListedScenario::Kind::open, .name = {}, .spec = {}});
    }
    emit changed();
}

} // namespace alidade::views
