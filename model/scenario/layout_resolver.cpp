// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/layout_resolver.h"

#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <array>

namespace alidade {

/// The last scenario, and what it was before its plan was resolved.
struct LayoutResolver::State {
    ScenarioSpec written;
    Result<Scenario> result{std::in_place};
    std::optional<resolving::Context> context;
    bool reusable = false; ///< the steps before and after the plan succeeded
    // before the plan
    TrainingPlan plan;
    std::optional<std::int64_t> gpus;
    std::size_t problems = 0;
    bool legal = true, modelled = true;
    std::vector<Problem> later; ///< of prices and constants
};

LayoutResolver::LayoutResolver(const Catalog& catalog, const Profile& profile)
    : catalog_(catalog)
    , profile_(profile) {}

LayoutResolver::~LayoutResolver() = default;

const Result<Scenario>& LayoutResolver::resolve(const ScenarioSpec& spec, bool layoutOnly) {
    using namespace resolving;
    if (layoutOnly && state_ && state_->reusable) {
        State& s = *state_;
        Scenario& out = *s.result;
        s.written.plan = spec.plan;
        out.spec.plan = spec.plan;
        out.spec.cluster.gpus = s.gpus;
        out.plan = s.plan;
        out.placement.reset();
        out.problems.resize(s.problems);
        out.legal = s.legal;
        out.modelled = s.modelled;
        if (std::string wrong = resolvePlan(*s.context); !wrong.empty()) {
            s.result = Error{std::move(wrong)};
            s.reusable = false;
            return s.result;
        }
        resolveReplicas(*s.context);
        out.problems.insert(out.problems.end(), s.later.begin(), s.later.end());
        out.legal = out.legal && std::ranges::none_of(s.later, [](const Problem& each) {
                        return each.severity == Severity::error;
                    });
        if (out.legal) {
            checkLayout(*s.context);
        }
        return s.result;
    }
    state_ = std::make_unique<State>();
    State& s = *state_;
    s.written = spec;
    if (spec.workload.isServing() || spec.workload.isReinforcement()) {
        s.result = alidade::resolve(spec, catalog_, profile_);
        return s.result;
    }
    Scenario& out = *s.result;
    s.context.emplace(contextOf(s.written, catalog_, profile_, out, 0));
    std::string wrong = resolveDemand(*s.context);
    if (wrong.empty()) {
        s.plan = out.plan;
        s.gpus = out.spec.cluster.gpus;
        s.problems = out.problems.size();
        s.legal = out.legal;
        s.modelled = out.modelled;
        wrong = resolvePlan(*s.context);
    }
    if (!wrong.empty()) {
        s.result = Error{std::move(wrong)};
        return s.result;
    }
    const auto planProblems = static_cast<std::ptrdiff_t>(out.problems.size());
    resolveTrainingRates(*s.context);
    s.later.assign(out.problems.begin() + planProblems, out.problems.end());
    checkLegality(*s.context);
    nameScenario(out);
    // From now on: the constants that a first plan was cut short before would be wrong for all that follow.
    s.context->onlyLegal = true;
    s.reusable = true;
    // Which rule an illegal plan is said to break must not depend on whether it is the first.
    return out.legal ? s.result : resolve(spec, true);
}

bool isLayoutField(std::string_view path) {
    static constexpr std::array<std::string_view, 15> fields{
        "plan.tensor_parallel",   "plan.sequence_parallel", "plan.context_parallel",
        "plan.pipeline_parallel", "plan.virtual_pipeline",  "plan.context_parallel_kind",
        "plan.pipeline_split",    "plan.schedule",          "plan.expert_parallel",
        "plan.data_parallel",     "plan.sharding",          "plan.expert_tensor_parallel",
        "plan.shard_size",        "plan.micro_batch",       "plan.recompute"};
    return std::ranges::find(fields, path) != fields.end();
}

} // namespace alidade
