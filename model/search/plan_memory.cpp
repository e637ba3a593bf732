// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_memory.h"

#include "model/search/judge.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace alidade {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::size_t placeOf(const PlanFigure& figure) {
    return static_cast<std::size_t>(&figure - planFigures().data());
}

bool isSameSpace(const SearchQuestion& a, const SearchQuestion& b) {
    const auto sameChoices = [](const FreeField& x, const FreeField& y) {
        return x.path == y.path &&
               std::ranges::equal(x.choices, y.choices, {}, &SearchChoice::edit, &SearchChoice::edit);
    };
    return a.cleared == b.cleared && std::ranges::equal(a.free, b.free, sameChoices);
}

} // namespace

PlanMemory::PlanMemory(const SearchQuestion& question, std::size_t most)
    : question_(question)
    , percentiles_(Judge(question).percentiles())
    , columns_(planFigures().size(), none) {
    for (const PlanFigure& each : planFigures()) {
        if (each.isOf(question.base.workload) &&
            (percentiles_ || each.path.find("percentiles") == std::string_view::npos)) {
            columns_[placeOf(each)] = figures_.size();
            figures_.push_back(&each);
        }
    }
    most_ = most / (sizeof(double) * figures_.size() + sizeof(std::uint64_t) + sizeof(char));
}

std::size_t PlanMemory::column(const PlanFigure& figure) const { return columns_[placeOf(figure)]; }

bool PlanMemory::knows(const PlanFigure& figure) const { return column(figure) != none; }

bool PlanMemory::answers(const SearchQuestion& question) const {
    const auto known = [this](const PlanFigure* figure) { return knows(*figure); };
    // The unfavorable end of a band is not remembered.
    return isWhole_ && !question.robust && isSameSpace(question_, question) &&
           Judge(question).percentiles() == percentiles_ && std::ranges::all_of(question.objectives, known) &&
           std::ranges::all_of(question.limits, known, &SearchLimit::figure);
}

bool PlanMemory::hasRoomFor(std::size_t more) { return asked_.fetch_add(more) + more <= most_; }

void PlanMemory::add(Rows&& rows) {
    plans_ += rows.indices.size();
    parts_.push_back(std::move(rows));
}

void PlanMemory::finish(const SearchCounts& counts, const RejectionList& rejected, bool complete) {
    isWhole_ = complete && asked_ <= most_;
    if (!isWhole_) {
        parts_.clear();
        return;
    }
    counts_ = counts;
    rejected_ = rejected;
}

} // namespace alidade
