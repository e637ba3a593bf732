// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/choice_bests.h"

namespace alidade {

void ChoiceBests::put(std::size_t at, const RankedPlan& plan) {
    if (at >= plans_.size())
        plans_.resize(at + 1);
    if (std::optional<RankedPlan>& best = plans_[at]; !best || plan < *best)
        best = plan;
}

void ChoiceBests::add(const SearchQuestion& question, std::span<const std::size_t> digits,
                      const RankedPlan& plan) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < question.free.size(); ++i) {
        put(first + digits[i], plan);
        first += question.free[i].choices.size();
    }
}

void ChoiceBests::add(const ChoiceBests& other) {
    for (std::size_t at = 0; at < other.plans_.size(); ++at)
        if (other.plans_[at])
            put(at, *other.plans_[at]);
}

void FewestMachines::add(std::optional<FewestMachines>& to, const FewestMachines& other) {
    if (!to || other.gpus < to->gpus || (other.gpus == to->gpus && other.plan < to->plan))
        to = other;
}

} // namespace alidade
