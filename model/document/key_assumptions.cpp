// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/key_assumptions.h"

#include "model/base/quantiles.h"
#include "model/explore/sensitivity.h"
#include "model/search/plan_figures.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double tenth = 0.1;

/// A number that may be otherwise, with the headline figure at its ends.
struct Varied {
    Variable variable;
    double value = 0, low = 0, high = 0;
    bool ownError = false;
    double lowChange = 0, highChange = 0; ///< of the figure, as shares; positive: worse

    double worst() const { return std::max({std::abs(lowChange), std::abs(highChange)}); }
};

class KeyAssumptions {
public:
    KeyAssumptions(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                   const Scenario& scenario, const Estimate& estimate, const PlanResult& base)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , scenario_(scenario)
        , base_(base)
        , explorer_(spec, catalog, profile, false) {
        for (const std::string& path : figuresOf(estimate)) {
            const PlanFigure* known = findPlanFigure(path);
            const auto now = explorer_.figure(path, {});
            if (now && *now > 0)
                judged_.push_back({path, *now, known != nullptr && known->moreIsBetter});
        }
    }

    std::vector<KeyAssumption> all() {
        if (judged_.empty())
            return {};
        for (std::size_t i = 0; i < inputCount; ++i) {
            const auto input = static_cast<Input>(i);
            const double sd =
                isConstant(input) && used(input) ? constantLogSd(scenario_, profile_, input) : 0;
            if (sd > 0) {
                const double factor = std::exp(quantile90 * sd);
                add(Variable(input), 1 / factor, factor, true);
            }
        }
        for (const Input input : {Input::price, Input::basePrice, Input::peak, Input::memoryBandwidth})
            if (used(input))
                add(Variable(input), 1 - tenth, 1 + tenth, false);
        if (scenario_.hasGoodput) {
            if (const Field* goodput = findField("plan.goodput"))
                add(Variable(*goodput), 1 - tenth, 1 + tenth, false);
        }
        std::ranges::stable_sort(varied_, std::ranges::greater{}, &Varied::worst);
        std::vector<KeyAssumption> out;
        for (const Varied& each : varied_)
            if (out.size() < mostKeyAssumptions && each.worst() >= leastEffect)
                out.push_back(assumptionOf(each));
        return out;
    }

private:
    /// A figure by which an assumption matters.
    struct Judged {
        std::string path;
        double now = 0;
        bool moreIsBetter = false;
    };

    /// Of a run the cost, which follows time and price. The rent of a service is given: its price, and what
    /// its users see.
    static std::vector<std::string> figuresOf(const Estimate& estimate) {
        if (estimate.cost && estimate.cost->dollarsPerRun)
            return {"cost.dollars_per_run"};
        std::vector<std::string> out{headlineFigure(estimate)};
        if (estimate.serving && estimate.cost && estimate.cost->dollarsPerMillionTokens)
            out.emplace_back("cost.dollars_per_million_tokens");
        return out;
    }

    bool used(Input input) const {
        return mayVary(scenario_, input) && leadingInput(scenario_, input) == input &&
               originsOf(scenario_)[static_cast<std::size_t>(input)].used;
    }

    /// The largest change of the figures at a value, as a share, positive where it is worse.
    double changeAt(const Variable& variable, double value) const {
        double out = 0;
        for (const Judged& each : judged_) {
            const auto there = explorer_.figure(each.path, {{variable, variable.valueOf(value)}});
            if (!there || !(*there > 0))
                return 1; // it does not run there, or carries no load: nothing is worse
            const double change = each.moreIsBetter ? each.now / *there - 1 : *there / each.now - 1;
            out = std::abs(change) > std::abs(out) ? change : out;
        }
        return out;
    }

    void add(Variable variable, double lowFactor, double highFactor, bool ownError) {
        const auto value = numberOf(variable.value(scenario_));
        if (!value)
            return;
        const auto within = [&](double x) { return std::clamp(x, variable.minimum(), variable.maximum()); };
        Varied each{.variable = variable, .value = *value, .ownError = ownError};
        each.low = within(*value * lowFactor);
        each.high = within(*value * highFactor);
        each.lowChange = changeAt(variable, each.low);
        each.highChange = changeAt(variable, each.high);
        varied_.push_back(each);
    }

    KeyAssumption assumptionOf(const Varied& each) const {
        KeyAssumption out{.name = each.variable.path(), .label = each.variable.label(), .source = {}};
        out.value = each.value;
        out.dimension = each.variable.dimension();
        out.low = each.low;
        out.high = each.high;
        out.ownError = each.ownError;
        out.worse = each.lowChange >= each.highChange ? each.low : each.high;
        out.change = std::max(each.lowChange, each.highChange);
        if (const auto input = each.variable.input()) {
            const InputOrigin& origin = originsOf(scenario_)[static_cast<std::size_t>(*input)];
            out.source = std::string(std::string_view(origin.source));
            out.kind = origin.kind;
        } else {
            out.source = "scenario";
            out.kind = SourceKind::user;
        }
        const auto there =
            resultWith(spec_, catalog_, profile_, {}, {{each.variable, each.variable.valueOf(out.worse)}});
        if (!there || !there->carries) {
            out.carries = false;
            return out;
        }
        if (there->days && base_.days)
            out.days = *there->days - *base_.days;
        if (there->total && base_.total)
            out.total = *there->total - *base_.total;
        return out;
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    const Scenario& scenario_;
    const PlanResult& base_;
    Explorer explorer_;
    std::vector<Judged> judged_;
    std::vector<Varied> varied_;
};

} // namespace

std::vector<KeyAssumption> keyAssumptions(const ScenarioSpec& spec, const Catalog& catalog,
                                          const Profile& profile, const Scenario& scenario,
                                          const Estimate& estimate, const PlanResult& base) {
    return base.carries ? KeyAssumptions(spec, catalog, profile, scenario, estimate, base).all()
                        : std::vector<KeyAssumption>{};
}

} // namespace alidade
