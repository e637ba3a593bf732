// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/estimate/layer_memo.h"
#include "model/scenario/layout_resolver.h"
#include "model/search/plan_figures.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// What becomes of a plan that is tried.
enum class PlanOutcome : std::uint8_t {
    illegal,    ///< breaks a rule, or the model does not cover it
    unfit,      ///< runs, but not in this memory
    overloaded, ///< serving: more requests arrive than it can serve
    carries,    ///< runs, fits and, in serving, is stable
};

/// Resolves and evaluates many variants of a scenario of any kind in memory that it keeps. One per
/// thread.
class PlanEvaluator {
public:
    /// \param adjust changes each resolved scenario before it is evaluated; empty: nothing does
    PlanEvaluator(const Catalog& catalog, const Profile& profile, std::function<void(Scenario&)> adjust = {});
    ~PlanEvaluator();

    /// Evaluates a spec. Serving: the closed form; percentiles only if they are asked for.
    /// \param changed see LayoutResolver: the figures are those of this plan, the texts of its scenario may
    /// be those of an earlier one
    PlanOutcome tryOut(const ScenarioSpec& spec, bool percentiles = true,
                       std::optional<LayoutFields> changed = std::nullopt);

    /// The last scenario that resolved. \pre there was one
    const Scenario& scenario() const { return **scenario_; }
    /// Whether the last spec resolved at all.
    bool resolved() const { return scenario_ && *scenario_; }
    /// Why the last plan is illegal: the first rule that it breaks. \pre the outcome was `illegal`
    Problem whyIllegal() const;
    /// Its message alone. Valid until the next plan.
    std::string_view illegalMessage() const;
    /// See LayoutResolver::illegalBy(). \pre the outcome was `illegal`
    LayoutFields illegalBy() const { return resolved() ? resolver_.illegalBy() : allLayoutFields; }
    /// Why the last plan does not fit: the part that takes most memory. A text of the program. \pre the
    /// outcome was `unfit`
    std::string_view whyUnfit() const;
    /// Serving: whether the last plan misses the scenario's targets of TTFT or ITL. \pre the percentiles were
    /// asked for
    bool missesTargets() const;
    /// A figure of the last plan; NaN if it has none. \pre it carries its load; or it is unfit, and the
    /// figure is of memory or it was tried without `changed`
    double figure(const PlanFigure& figure) const;
    /// ln standard deviation of the model's error on a figure of the last plan; 0: exact.
    double logSd(const PlanFigure& figure) const;
    /// 90 % quantile of the memory that the last plan needs, bytes.
    double memoryHigh() const;
    /// The last plan in full, a service with its engine simulated where the closed form does not hold; none
    /// of reinforcement learning. \pre it carries its load, and was tried without `changed`
    std::optional<Estimate> estimate() const;
    /// Bytes of a GPU that the last plan may use.
    double usableMemory() const;

private:
    PlanOutcome outcome() const;

    LayoutResolver resolver_;
    std::function<void(Scenario&)> adjust_;
    std::optional<Result<Scenario>> adjusted_;
    LayerMemo layers_;
    std::unique_ptr<Totals> training_;
    std::unique_ptr<ServingTotals> serving_;
    std::unique_ptr<RlTotals> reinforcement_;
    const Result<Scenario>* scenario_ = nullptr; ///< of the resolver, or the adjusted one
    bool knowsKind_ = false;                     ///< the next two are set; no layout changes them
    bool serves_ = false, reinforces_ = false;   ///< what the last scenario that resolved is of
    std::vector<Inputs> inputs_;
};

} // namespace alidade
