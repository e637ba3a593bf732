// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/scenario/problem.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// Resolves and evaluates many variants of one scenario, reusing its memory.
class Evaluator {
public:
    Evaluator(const Catalog& catalog, const Profile& profile)
        : catalog_(catalog)
        , profile_(profile)
        , totals_(std::make_unique<Totals>()) {}

    /// The totals of a spec that resolves, runs and fits; nullptr otherwise. Valid until the next call.
    const Totals* runsAndFits(const ScenarioSpec& spec);
    /// The scenario of the last call that resolved.
    const Scenario& scenario() const { return *scenario_; }
    /// Number of specs resolved so far: the cost of a search.
    std::size_t tried() const { return tried_; }
    const Catalog& catalog() const { return catalog_; }
    const Profile& profile() const { return profile_; }

private:
    const Catalog& catalog_;
    const Profile& profile_;
    std::unique_ptr<Totals> totals_;
    std::optional<Scenario> scenario_;
    std::size_t tried_ = 0;
};

/// The part of an edit that matters: drops fields one by one as long as the scenario still runs and fits with
/// the same time and cost. \pre the whole edit runs and fits
Edit withoutNeedless(const ScenarioSpec& spec, Edit edit, Evaluator& evaluator);

/// The changes that the rules which a scenario breaks offer themselves; empty: they offer none.
Edit changesOfRules(const Scenario& resolved);

/// Both edits, one after the other.
Edit joined(Edit first, const Edit& second);

/// The global batches nearest to the current one, below and above, that the resolved plan divides.
std::vector<Edit> batchEdits(const ScenarioSpec& spec, const Scenario& resolved);

} // namespace alidade
