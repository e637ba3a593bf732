// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/ranking.h"

#include "model/base/random.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace alidade {

bool operator<(const RankedPlan& a, const RankedPlan& b) {
    return std::tie(a.scores[0], a.changes, a.index) < std::tie(b.scores[0], b.changes, b.index);
}

void ParetoFront::add(const RankedPlan& plan) {
    // The plans before `at` are better in the first objective; the last of them is their best in the second.
    auto at =
        std::ranges::lower_bound(plans_, plan.scores[0], {}, [](const RankedPlan& p) { return p.scores[0]; });
    if (at != plans_.begin() && std::prev(at)->scores[1] <= plan.scores[1])
        return;
    if (at != plans_.end() && at->scores[0] == plan.scores[0]) {
        if (at->scores[1] < plan.scores[1] || (at->scores[1] == plan.scores[1] && *at < plan))
            return;
    }
    auto end = at;
    while (end != plans_.end() && end->scores[1] >= plan.scores[1])
        ++end;
    at = plans_.erase(at, end);
    plans_.insert(at, plan);
}

void ParetoFront::add(const ParetoFront& other) {
    for (const RankedPlan& each : other.plans_)
        add(each);
}

void PlanSample::add(const SampledPlan& plan) { least_.add({splitMix64(plan.index), plan}); }

std::vector<SampledPlan> PlanSample::plans() const {
    std::vector<SampledPlan> out;
    for (const Hashed& each : least_.sorted())
        out.push_back(each.plan);
    std::ranges::sort(out, {}, &SampledPlan::index);
    return out;
}

namespace {

bool isFull(const Rejection& each) { return each.further.size() + 1 >= mostExamples; }

/// Keeps those that come first in the space.
void addExamples(Rejection& each, const Rejection& other) {
    if (isFull(each) && other.index > each.further.back())
        return;
    std::vector<std::uint64_t> all = std::move(each.further);
    all.push_back(each.index);
    all.push_back(other.index);
    all.insert(all.end(), other.further.begin(), other.further.end());
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    all.resize(std::min(all.size(), mostExamples));
    if (all.front() != each.index) { // told by the first one
        each.why = other.why;
        each.example = other.example;
        each.index = other.index;
    }
    all.erase(all.begin());
    each.further = std::move(all);
}

} // namespace

Rejection& RejectionList::entryOf(std::string_view why) {
    if (!entries_.empty()) {
        for (const Recent& each : recent_)
            if (each.message == why)
                return entries_[each.entry];
    }
    key_.clear();
    for (const char c : why) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit)
            key_ += c;
        else if (key_.empty() || key_.back() != '#')
            key_ += '#';
    }
    const auto [known, isNew] = byKey_.try_emplace(key_, entries_.size());
    if (isNew)
        entries_.emplace_back();
    recent_[oldest_].message = why;
    recent_[oldest_].entry = known->second;
    oldest_ = (oldest_ + 1) % recent_.size();
    return entries_[known->second];
}

/// Nothing is copied of the many that only count.
void RejectionList::add(std::string_view message, std::uint64_t index, std::uint64_t count) {
    Rejection& known = entryOf(message);
    if (isFull(known) && index > known.further.back()) {
        known.count += count;
        return;
    }
    Rejection each{.why = std::string(message), .count = count, .index = index, .example = {}};
    for (std::uint64_t i = 1; i < std::min<std::uint64_t>(count, mostExamples); ++i)
        each.further.push_back(index + i);
    add(each);
}

void RejectionList::add(const Rejection& rejection) {
    Rejection& each = entryOf(rejection.why);
    if (each.count == 0) {
        each = rejection;
        return;
    }
    each.count += rejection.count;
    addExamples(each, rejection);
}

void RejectionList::add(const RejectionList& other) {
    for (const Rejection& each : other.entries_)
        add(each);
}

std::vector<Rejection> RejectionList::sorted() const {
    std::vector<Rejection> out = entries_;
    std::ranges::sort(out, [](const Rejection& a, const Rejection& b) {
        return std::pair(b.count, a.index) < std::pair(a.count, b.index);
    });
    return out;
}

} // namespace alidade
