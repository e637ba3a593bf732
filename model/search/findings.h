// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/choice_bests.h"
#include "model/search/plan_memory.h"
#include "model/search/ranking.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace alidade {

/// What the plans of a space, or of a part of it, came to: enough to answer the question once the parts are
/// together. Adding parts in any order gives the same.
struct SearchFindings {
    explicit SearchFindings(const SearchQuestion& question);

    SearchCounts counts;
    BestList best;
    ParetoFront front;
    RejectionList rejected; ///< break a rule, do not fit, or do not carry their load
    RejectionList missed;   ///< miss a limit or a target
    PlanSample sample;
    ChoiceBests ofChoice;
    std::optional<FewestMachines> fewest; ///< only where the machines or their number are free
    std::uint64_t better = 0;             ///< plans better than the present one

    void add(const SearchFindings& other);
};

/// Plans kept for the answer, at least: some more than asked for, since among equals the plan with the fewest
/// changes is looked for, and plans with the same figures are listed once.
std::size_t keptPlans(const SearchQuestion& question);

/// Tries the plans of `options.shard`. \pre completeQuestion(); the space has at most mostPlans plans
SearchFindings searchShard(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                           const SearchOptions& options = {});

/// What trying all plans would find, from what is remembered of them. \pre memory.answers(question), and the
/// rest is that of the search
SearchFindings recallFindings(const PlanMemory& memory, const SearchQuestion& question,
                              const Catalog& catalog, const Profile& profile);

/// The answer to a question from what all of its shards found, with the same options.
SearchResult searchAnswer(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                          SearchFindings findings, const SearchOptions& options = {});

/// Any plan of the space as an answer tells it, a service by its closed form. Without figures if it is
/// illegal. \pre completeQuestion(); `index` is less than the size of the space
FoundPlan planAt(std::uint64_t index, const SearchQuestion& question, const Catalog& catalog,
                 const Profile& profile);

/// Why findings cannot belong to this question, catalog and profile: a plan in them that has other figures
/// now. Empty: they do.
std::string wrongWith(const SearchFindings& findings, const SearchQuestion& question, const Catalog& catalog,
                      const Profile& profile);

} // namespace alidade
