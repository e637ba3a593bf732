// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/serving/serving_totals.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace alidade {

/// How far a serving scenario gets; each includes those before it.
enum class ServiceLevel : std::uint8_t {
    none,    ///< cannot run, or does not fit
    fits,    ///< in memory, but more requests arrive than it can serve
    carries, ///< its load, but misses a target
    meets,   ///< its targets, if there are any
};

/// Of the largest rate that is stable: what advice loads machines with at most, because waiting grows like
/// 1 / (1 - load).
inline constexpr double mostAdvisedLoad = 0.9;

/// What makes one plan preferable to another that gets as far.
struct ServiceCost {
    double bill = 0;     ///< dollars per hour; GPUs, where no price is known
    double perToken = 0; ///< bill / tokens per hour, input and output together
    double time = 0;     ///< s, of a request from arrival to the last token
};

/// Resolves and evaluates many variants of one serving scenario, reusing its memory.
class ServingEvaluator {
public:
    ServingEvaluator(const Catalog& catalog, const Profile& profile);

    /// Evaluates a spec. What it found is valid until the next call.
    ServiceLevel tryOut(const ScenarioSpec& spec);
    const ServingTotals& totals() const { return *totals_; } ///< \pre the last level is not `none`
    const Scenario& scenario() const { return *scenario_; }  ///< the last one that resolved
    ServiceCost cost() const;                                ///< \pre as totals()
    /// Load / largest load that is stable; 0 in a closed loop, which waits for itself. \pre as totals()
    double load() const;
    /// Whether the whole estimate, which plays requests through an engine under high load, meets the targets
    /// too. \pre tryOut() says that it does
    bool estimateAgrees(const ScenarioSpec& spec);
    /// Specs that were resolved so far: what a search costs.
    std::size_t tried() const { return tried_; }
    const Catalog& catalog() const { return catalog_; }
    const Profile& profile() const { return profile_; }

private:
    const Catalog& catalog_;
    const Profile& profile_;
    std::unique_ptr<ServingTotals> totals_;
    std::optional<Scenario> scenario_;
    std::size_t tried_ = 0;
};

/// The level that a scenario asks for: its targets are a part of it.
bool hasTargets(const ScenarioSpec& spec);

/// The part of an edit that matters: fields are left out one by one as long as the scenario gets as far for
/// the same money in the same time.
Edit withoutNeedless(const ScenarioSpec& spec, Edit edit, ServingEvaluator& evaluator);

} // namespace alidade
