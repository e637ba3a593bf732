// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/posttraining/scaling_laws.h"
#include "model/scenario/edit.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

// What to train for a budget: which size of a model, on how many tokens, on which machine. The literature
// counts 6 FLOP per parameter and token; here each size is laid out by the plan that a search finds best, and
// paid for as the estimate says, so that a size that trains badly on a machine loses.

struct BudgetQuestion {
    double dollars = 0;            ///< for the run as the estimate counts it, > 0
    std::optional<double> seconds; ///< the run may take at most this long; absent: as long as it takes
    LossLaw law;
    double smallest = 1e9, largest = 1e12; ///< parameters
    int sizes = 12;                        ///< on a logarithmic grid, 3..100; the optimum is then refined
    /// Tokens without repetition; absent: as many as the budget pays for. Repeated ones are worth less.
    std::optional<double> uniqueTokens;
    double servedTokens = 0; ///< that the model serves in its life, out of the same budget
    /// What a served token costs, in trained ones: a third of the FLOP (2 N of 6 N, Sardana et al. 2023,
    /// arXiv 2401.00448) at about half of the utilization (assumed).
    double servedTokenCost = 2.0 / 3;
    std::string machines;             ///< ids separated by commas, or "all"; empty: that of the scenario
    std::vector<std::int64_t> counts; ///< instances or UltraServers; empty: as many GPUs as the scenario has
};

/// A size of the model with what the budget pays for.
struct BudgetModel {
    double asked = 0; ///< parameters of the grid
    Architecture model;
    double parameters = 0, active = 0; ///< of the model; they differ with experts
    double tokens = 0;                 ///< that it is trained on
    /// By the law, of the active parameters and of tokens with repetition discounted. The band is that of the
    /// speed alone; the law's own error is not in it.
    double loss = 0, lossLow = 0, lossHigh = 0;
    double dollars = 0, seconds = 0; ///< of the training run
    double mfu = 0;
    bool late = false;  ///< the time limit leaves part of the budget unspent
    Edit plan;          ///< of the scenario: the machine and the best plan on it
    std::string whyNot; ///< why it cannot be trained; then nothing after `active` is set
    bool trains() const { return whyNot.empty(); }
};

struct BudgetCurve {
    std::string id, machine;         ///< "p5en.48xlarge", "64 x p5en.48xlarge"
    std::vector<BudgetModel> models; ///< by size
    const BudgetModel* best() const; ///< with the smallest loss; nullptr: none trains
};

struct BudgetAnswer {
    std::vector<BudgetCurve> curves; ///< best first; those without a model last
    bool complete = true;            ///< false: stopped before all were tried
    /// The optimum at 6 FLOP per parameter and token, at the FLOP that the best model takes.
    OptimalModel byFlopAlone;
    const BudgetModel* best() const; ///< nullptr: no model trains
};

/// \param spec a training scenario: its model gives the family, all that is not a degree of parallelism stays
/// \param progress called now and then, from any thread, with the share that is done, 0..1
/// \returns an error that names what is wrong with the question or the scenario
Result<BudgetAnswer> whatToTrain(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                 const BudgetQuestion& question, std::stop_token stop = {},
                                 const std::function<void(double)>& progress = {});

/// The scenario of one of the models: machine, plan, architecture and tokens in place.
ScenarioSpec scenarioOf(const ScenarioSpec& spec, const BudgetModel& model);

/// A plan in short, with what is not 1: "TP 8, PP 4, recompute full".
std::string degreesText(const Edit& plan);

} // namespace alidade
