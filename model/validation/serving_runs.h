// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/scenario.h"
#include "model/serving/serving_totals.h"
#include "model/validation/loop_run.h"
#include "model/validation/validation_report.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace alidade {

/// How the requests of a published serving run come.
enum class ServingRunKind : std::uint8_t {
    steady,    ///< the load of the scenario, without end
    inProcess, ///< the same from within the engine's process: no server or client that spreads equal requests
    rounds,    ///< a closed loop of some requests per user; all users begin at once
    finite,    ///< in process, as many requests as its concurrency, all queued at once, until the last one is
               ///< done
    together,  ///< as many, each engine's share in one batch: their prompts in one step, then their answers
};

struct ServingRun {
    ServingRunKind kind = ServingRunKind::steady;
    double requestsPerUser = 0; ///< of `rounds`; 0 if it is not given
    double pollInterval = 1;    ///< of `rounds`: steps after which the engine looks for new requests
};

/// What a deployment does under the load of a published row, in the row's definitions. Seconds, tokens/s.
struct ServingFigures {
    double ttft = 0, tpot = 0, itl = 0, e2e = 0, prefill = 0;
    double outputTokensPerS = 0, inputTokensPerS = 0; ///< of the whole deployment
};

/// A serving scenario resolved into the evaluations that its figures need, so that they can be repeated with
/// other constants.
class ServingRuns {
public:
    /// The inputs of the pools of one evaluation.
    using PoolInputs = std::array<Inputs, 2>;

    /// An error says what is wrong, for a person.
    static Result<ServingRuns> of(const ScenarioSpec& spec, const ServingRun& run, const Catalog& catalog,
                                  const Profile& profile);

    const std::vector<Scenario>& scenarios() const { return scenarios_; }
    /// Inputs of the scenarios as they were resolved.
    std::vector<PoolInputs> inputs() const;
    /// nullopt where it does not fit into memory. \param inputs of each scenario \param scratch overwritten
    std::optional<ServingFigures> figures(const std::vector<PoolInputs>& inputs,
                                          ServingTotals& scratch) const;

    /// A closed loop with a start: the first token of the loop without end, s, and what firstTokenDelay()
    /// adds to it depends on. nullopt where the run is none, or has no steady state.
    struct LoopStart {
        double ttft = 0;
        LoopRun run;
    };
    std::optional<LoopStart> loopStart(const PoolInputs& inputs, ServingTotals& scratch) const;

private:
    bool evaluate(std::size_t run, const PoolInputs& inputs, ServingTotals& scratch) const;
    std::optional<ServingFigures> steady(const PoolInputs& inputs, ServingTotals& scratch) const;
    LoopRun loopRun(const PoolInputs& inputs, ServingTotals& scratch) const;
    std::optional<ServingFigures> together(const std::vector<PoolInputs>& inputs,
                                           ServingTotals& scratch) const;

    ServingRun run_;
    bool prompts_ = false, answers_ = false; ///< what `together` plays; a scenario each
    double requests_ = 0, input_ = 0, output_ = 0;
    std::vector<Scenario> scenarios_;
};

/// How the requests of a row of the report come.
ServingRun servingRunOf(const ValidationRow& row);

/// The constant that gives the band of a quantity of such a scenario.
Input servingSpreadOf(const Scenario& scenario, std::string_view quantity);

/// The figure of a quantity; nullopt: it is none of them.
std::optional<double> figureOf(const ServingFigures& figures, std::string_view quantity, double gpus);

} // namespace alidade
