// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_walker.h"

#include "model/scenario/layout_resolver.h"

#include <algorithm>

namespace alidade {

PlanWalker::PlanWalker(const SearchQuestion& question)
    : question_(question)
    , spec_(question.start)
    , digits_(question.free.size(), unset)
    , next_(digits_) {}

const ScenarioSpec& PlanWalker::at(std::uint64_t index) {
    for (std::size_t i = digits_.size(); i-- > 0;) {
        const auto count = question_.free[i].choices.size();
        const auto digit = static_cast<std::size_t>(index % count);
        index /= count;
        next_[i] = digit;
    }
    std::size_t first = 0; // the slowest field that changes
    while (first < digits_.size() && next_[first] == digits_[first]) {
        ++first;
    }
    layoutOnly_ = true;
    for (std::size_t i = first; i < digits_.size(); ++i) {
        layoutOnly_ = layoutOnly_ && (next_[i] == digits_[i] || isLayoutField(question_.free[i].path));
    }
    if (setsSeveral(first)) { // a machine changes what others have set
        spec_ = question_.start;
        first = 0;
    }
    for (std::size_t i = first; i < digits_.size(); ++i) {
        for (const auto& [field, value] : question_.free[i].choices[next_[i]].sets) {
            field->set(spec_, value);
        }
    }
    digits_ = next_;
    return spec_;
}

bool PlanWalker::setsSeveral(std::size_t from) const {
    for (std::size_t i = from; i < digits_.size(); ++i) {
        if (next_[i] != digits_[i] && question_.free[i].choices[next_[i]].sets.size() > 1) {
            return true;
        }
        if (digits_[i] != unset && next_[i] != digits_[i] &&
            question_.free[i].choices[digits_[i]].sets.size() > 1) {
            return true;
        }
    }
    return false;
}

std::vector<std::optional<std::size_t>> presentDigits(const SearchQuestion& question,
                                                      const Scenario* resolved) {
    std::vector<std::optional<std::size_t>> out;
    for (const FreeField& each : question.free) {
        std::optional<std::size_t> digit;
        for (std::size_t i = 0; i < each.choices.size(); ++i) {
            const auto& [field, value] = each.choices[i].sets.front();
            const bool alone = each.choices[i].sets.size() == 1;
            if (alone &&
                (field->get(question.base) == value || (resolved && field->get(resolved->spec) == value))) {
                digit = i;
            }
        }
        out.push_back(digit);
    }
    return out;
}

Edit editOf(const SearchQuestion& question, std::uint64_t index) {
    Edit out;
    std::vector<const Edit*> parts;
    for (std::size_t i = question.free.size(); i-- > 0;) {
        const auto& choices = question.free[i].choices;
        parts.push_back(&choices[static_cast<std::size_t>(index % choices.size())].edit);
        index /= choices.size();
    }
    const auto put = [&out](const std::pair<std::string, std::string>& each) {
        std::erase_if(out, [&](const auto& known) { return known.first == each.first; });
        out.push_back(each);
    };
    std::ranges::for_each(question.cleared, put);
    for (std::size_t i = parts.size(); i-- > 0;) {
        std::ranges::for_each(*parts[i], put);
    }
    return out;
}

} // namespace alidade
