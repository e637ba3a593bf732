// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/serving/serving_totals.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace alidade {

/// How far a serving scenario gets; each level includes the ones before it.
enum class ServiceLevel : std::uint8_t {
    none,    ///< cannot run, or does not fit
    fits,    ///< in memory, but more requests arrive than it can serve
    carries, ///< its load, but misses a target
    meets,   ///< its targets, if there are any
};

/// The largest share of the maximum stable rate that suggestions use, because waiting time grows like 1 / (1
/// - load).
inline constexpr double mostAdvisedLoad = 0.9;

/// The cost of a plan, for choosing among plans of the same level.
struct ServiceCost {
    double bill = 0;     ///< dollars per hour; number of GPUs where no price is known
    double perToken = 0; ///< bill / tokens per hour, input and output together
    double time = 0;     ///< s, of a request from arrival to the last token
};

/// Resolves and evaluates many variants of one serving scenario, reusing its memory.
class ServingEvaluator {
public:
    ServingEvaluator(const Catalog& catalog, const Profile& profile);

    /// Evaluates a spec. The results are valid until the next call.
    ServiceLevel tryOut(const ScenarioSpec& spec);
    /// The same without percentiles, which take several times as long as the means and change none of them: a
    /// scenario with targets is at most said to carry its load.
    ServiceLevel tryMeans(const ScenarioSpec& spec);
    /// Whether the last one that carries its load meets its targets. \pre tryMeans() returned `carries`
    ServiceLevel judgeLatencies();
    const ServingTotals& totals() const { return *totals_; } ///< \pre the last level is not `none`
    const Scenario& scenario() const { return *scenario_; }  ///< the last one that resolved
    ServiceCost cost() const;                                ///< \pre as totals()
    /// Load / largest stable load; 0 in a closed loop, which limits its own load. \pre as totals()
    double load() const;
    /// Whether the full estimate, which simulates the engine under high load, also meets the targets. \pre
    /// tryOut() returned `meets`
    bool estimateAgrees(const ScenarioSpec& spec);
    /// Number of specs resolved so far: the cost of a search.
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

/// Whether a scenario has latency targets, and so requires the level `meets`.
bool hasTargets(const ScenarioSpec& spec);

/// The part of an edit that matters: drops fields one by one as long as the scenario reaches the same level
/// with the same cost and time.
Edit withoutNeedless(const ScenarioSpec& spec, Edit edit, ServingEvaluator& evaluator);

} // namespace alidade
