// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/layout_resolver.h"

#include "model/scenario/resolve_parts.h"

#include <algorithm>
#include <iterator>

namespace alidade {

namespace {

bool isError(const Problem& problem) { return problem.severity == Severity::error; }

} // namespace

/// The last scenario, and what it was before its plan was resolved.
struct LayoutResolver::State {
    ScenarioSpec written;
    Result<Scenario> result{std::in_place};
    std::optional<resolving::Context> context;
    bool knowsWords = false;                ///< all words of the spec are those of its fields
    bool reusable = false;                  ///< the steps before and after the plan succeeded
    LayoutFields changed = allLayoutFields; ///< since the last plan that broke no rule of the layout
    // before the plan
    std::size_t problems = 0;
    bool legal = true, modeled = true;
    std::vector<Problem> laterErrors; ///< of prices and constants
};

LayoutResolver::LayoutResolver(const Catalog& catalog, const Profile& profile)
    : catalog_(catalog)
    , profile_(profile) {}

LayoutResolver::~LayoutResolver() = default;

const Result<Scenario>& LayoutResolver::resolve(const ScenarioSpec& spec,
                                                std::optional<LayoutFields> changed) {
    using namespace resolving;
    if (changed && state_ && state_->reusable) {
        State& s = *state_;
        Scenario& out = *s.result;
        copyLayout(spec.plan, s.written.plan, *changed);
        out.placement.reset();
        out.problems.resize(s.problems);
        out.legal = s.legal;
        out.modeled = s.modeled;
        s.context->layoutOnly = true;
        s.changed |= *changed;
        resolveLayoutAgain(*s.context, s.changed);
        if (out.legal)
            s.changed = 0;
        if (out.legal && !s.laterErrors.empty()) {
            out.problems.insert(out.problems.end(), s.laterErrors.begin(), s.laterErrors.end());
            out.legal = false;
        }
        if (out.legal)
            checkLayout(*s.context);
        return s.result;
    }
    const bool known = changed && state_ && state_->knowsWords; // those of the layout are checked with it
    state_ = std::make_unique<State>();
    State& s = *state_;
    s.written = spec;
    if (std::string wrong = known ? std::string() : checkChoices(spec, catalog_); !wrong.empty()) {
        s.result = Error{std::move(wrong)};
        return s.result;
    }
    s.knowsWords = true;
    if (spec.workload.isServing() || spec.workload.isReinforcement()) {
        s.result = resolveFrom(spec, catalog_, profile_, 0);
        return s.result;
    }
    Scenario& out = *s.result;
    s.context.emplace(contextOf(s.written, catalog_, profile_, out, 0));
    std::string wrong = resolveDemand(*s.context);
    if (wrong.empty()) {
        s.problems = out.problems.size();
        s.legal = out.legal;
        s.modeled = out.modeled;
        wrong = resolvePlan(*s.context);
    }
    if (!wrong.empty()) {
        s.result = Error{std::move(wrong)};
        return s.result;
    }
    const auto planProblems = static_cast<std::ptrdiff_t>(out.problems.size());
    resolveTrainingRates(*s.context);
    std::copy_if(out.problems.begin() + planProblems, out.problems.end(), std::back_inserter(s.laterErrors),
                 isError);
    checkLegality(*s.context);
    nameScenario(out);
    std::erase_if(s.context->defaults, [](const SoftwareDefault& each) { return each.bit == 0; });
    s.reusable = out.modeled == s.modeled; // a step that is left out cannot say what is not modeled
    // Which rule an illegal plan is said to break must not depend on whether it is the first.
    return out.legal || !s.reusable ? s.result : resolve(spec, LayoutFields{0});
}

LayoutFields LayoutResolver::illegalBy() const {
    const bool known =
        state_ && state_->reusable && state_->context->layoutOnly && state_->laterErrors.empty();
    return known ? state_->context->decidedBy : allLayoutFields;
}

} // namespace alidade
