// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/ranking.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace alidade {

/// The best plan with each value of each free field: what the choice of a field costs or gains once all the
/// others fit it.
class ChoiceBests {
public:
    /// \param digits of the plan: which value each free field has
    void add(const SearchQuestion& question, std::span<const std::size_t> digits, const RankedPlan& plan);
    void add(const ChoiceBests& other);
    /// Puts a plan in place `at` of the list.
    void put(std::size_t at, const RankedPlan& plan);
    /// The values of all free fields one after the other, in the order of the question; none where no plan
    /// with a value runs, fits and keeps the limits. Shorter if the last values have none.
    const std::vector<std::optional<RankedPlan>>& plans() const { return plans_; }

private:
    std::vector<std::optional<RankedPlan>> plans_;
};

/// The best of the plans that rent the fewest GPUs.
struct FewestMachines {
    double gpus = 0;
    RankedPlan plan;

    /// Keeps the one with fewer GPUs, of equals the better one.
    static void add(std::optional<FewestMachines>& to, const FewestMachines& other);
};

} // namespace alidade
