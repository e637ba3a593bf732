// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/plan_walker.h"

#include "model/scenario/layout_fields.h"
#include "model/scenario/rented_machines.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace alidade {

namespace {

/// \pre a choice of the number of machines
std::int64_t countOf(const SearchChoice& choice) {
    const auto* count = std::get_if<std::int64_t>(&choice.sets.front().second);
    return count ? *count : 1;
}

} // namespace

PlanWalker::PlanWalker(const SearchQuestion& question)
    : question_(question)
    , spec_(question.start)
    , digits_(question.free.size(), unset)
    , next_(digits_) {
    for (const FreeField& each : question.free)
        bits_.push_back(layoutFieldBit(each.path));
}

/// Most plans follow the last one: counting on takes no divisions.
void PlanWalker::readDigits(std::uint64_t index) {
    const bool follows = !digits_.empty() && digits_.front() != unset && index == index_ + 1;
    index_ = index;
    if (!follows) {
        digitsAt(question_, index, next_);
        return;
    }
    for (std::size_t i = next_.size(); i-- > 0;) {
        if (++next_[i] < question_.free[i].choices.size())
            return;
        next_[i] = 0;
    }
}

const ScenarioSpec& PlanWalker::at(std::uint64_t index) {
    readDigits(index);
    std::size_t first = 0; // the slowest field that changes
    while (first < digits_.size() && next_[first] == digits_[first])
        ++first;
    LayoutFields fields = 0;
    bool layoutOnly = true;
    for (std::size_t i = first; i < digits_.size(); ++i) {
        if (next_[i] != digits_[i]) {
            fields |= bits_[i];
            layoutOnly = layoutOnly && bits_[i] != 0;
        }
    }
    if (setsSeveral(first)) { // a machine changes what others have set
        spec_ = question_.start;
        first = 0;
        fields = allLayoutFields;
    }
    changed_ = layoutOnly ? std::optional(fields) : std::nullopt;
    for (std::size_t i = first; i < digits_.size(); ++i) {
        const SearchChoice& choice = question_.free[i].choices[next_[i]];
        if (isMachineCount(question_.free[i].path)) {
            setMachineCount(spec_, countOf(choice));
            continue;
        }
        for (const auto& [field, value] : choice.sets)
            field->set(spec_, value);
    }
    digits_ = next_;
    return spec_;
}

std::uint64_t PlanWalker::endOfRun(std::uint64_t index, LayoutFields decidedBy) const {
    std::uint64_t plans = 1;
    for (std::size_t i = bits_.size(); i-- > 0 && bits_[i] != 0 && (bits_[i] & decidedBy) == 0;)
        plans *= question_.free[i].choices.size();
    return (index / plans + 1) * plans;
}

bool PlanWalker::setsSeveral(std::size_t from) const {
    for (std::size_t i = from; i < digits_.size(); ++i) {
        if (next_[i] != digits_[i] && question_.free[i].choices[next_[i]].sets.size() > 1)
            return true;
        if (digits_[i] != unset && next_[i] != digits_[i] &&
            question_.free[i].choices[digits_[i]].sets.size() > 1) {
            return true;
        }
    }
    return false;
}

void digitsAt(const SearchQuestion& question, std::uint64_t index, std::span<std::size_t> digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        const auto count = question.free[i].choices.size();
        digits[i] = static_cast<std::size_t>(index % count);
        index /= count;
    }
}

std::vector<std::optional<std::size_t>> presentDigits(const SearchQuestion& question,
                                                      const Scenario* resolved) {
    std::vector<std::optional<std::size_t>> out;
    for (const FreeField& each : question.free) {
        std::optional<std::size_t> digit;
        for (std::size_t i = 0; i < each.choices.size(); ++i) {
            const auto& [field, value] = each.choices[i].sets.front();
            const bool alone = each.choices[i].sets.size() == 1;
            if (isMachineCount(each.path)) {
                if (countOf(each.choices[i]) == machineCount(question.base))
                    digit = i;
            } else if (alone && (field->get(question.base) == value ||
                                 (resolved && field->get(resolved->spec) == value))) {
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
    bool ofUltraservers = question.base.cluster.ultraserver.has_value();
    for (std::size_t i = parts.size(); i-- > 0;) {
        const std::string& path = question.free[question.free.size() - 1 - i].path;
        if (isMachineCount(path)) { // of the kind that the plan has
            const char* kind = ofUltraservers ? "cluster.ultraservers" : "cluster.instances";
            put({kind, parts[i]->front().second});
            continue;
        }
        for (const auto& each : *parts[i]) {
            put(each);
            if (each.first == "cluster.ultraserver")
                ofUltraservers = !each.second.empty();
        }
    }
    return out;
}

} // namespace alidade
