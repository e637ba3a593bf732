// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/search.h"

#include <QString>

#include <optional>
#include <vector>

namespace alidade::views {

/// How the answer to a question differs from an older answer to the same one, as after a change of the
/// catalog.
struct SearchChanges {
    struct Plan {
        FoundPlan plan;                   ///< the newer, where both have it
        std::optional<int> before, after; ///< places in the lists, from 1
        std::optional<double> was, is;    ///< the first objective
    };
    const PlanFigure* figure = nullptr;
    std::optional<double> bestWas, bestIs;
    /// Those that entered, in their order; then those that left; then those whose figure changed.
    std::vector<Plan> plans;
    int entered = 0, left = 0, changed = 0;
};

/// Whether both ask the same about the same scenario.
bool isSameQuestion(const SearchQuestion& a, const SearchQuestion& b);

/// \pre isSameQuestion()
SearchChanges changesBetween(const SearchAnswer& older, const SearchAnswer& newer);

/// "Since the last search: Step time of the best plan 14.6 s to 14.2 s; 3 plans entered the list, 2 left it."
QString changesInWords(const SearchChanges& changes);

/// What is listed: with two figures to look for, the plans that no other one beats in both.
const std::vector<FoundPlan>& listedPlans(const SearchResult& result);

} // namespace alidade::views
