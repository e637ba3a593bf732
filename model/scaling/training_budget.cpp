// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scaling/training_budget.h"

#include "model/base/text.h"
#include "model/engine/engine.h"
#include "model/estimate/error_band.h"
#include "model/scaling/scaled_model.h"
#include "model/scenario/rented_machines.h"
#include "model/search/search.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade {

namespace {

/// A machine to try, and the edit that rents it.
struct RentedMachine {
    std::string id;
    std::int64_t count = 1;
    Edit edit;
};

std::string idOf(const ScenarioSpec& spec) {
    return spec.cluster.ultraserver ? *spec.cluster.ultraserver
           : spec.cluster.instance  ? *spec.cluster.instance
                                    : "custom cluster";
}

Result<std::vector<RentedMachine>> machinesOf(const ScenarioSpec& spec, const Catalog& catalog,
                                              const BudgetQuestion& question) {
    std::vector<Edit> kinds(1);
    if (!question.machines.empty()) {
        const Result<FreeField> free = freeMachines(spec, catalog, question.machines);
        if (!free)
            return Error{free.error()};
        kinds.clear();
        for (const SearchChoice& choice : free->choices)
            kinds.push_back(choice.edit);
    }
    std::vector<RentedMachine> out;
    for (const Edit& kind : kinds) {
        const auto on = applyEdit(spec, kind);
        if (!on)
            return Error{"the scenario cannot take the machine"};
        if (question.counts.empty())
            out.push_back({idOf(*on), machineCount(*on), kind});
        for (const std::int64_t count : question.counts) {
            Edit edit = kind;
            const Edit number = machineCountEdit(*on, count);
            edit.insert(edit.end(), number.begin(), number.end());
            out.push_back({idOf(*on), count, std::move(edit)});
        }
    }
    return out;
}

/// The scenario with this model instead of its own.
ScenarioSpec sized(const ScenarioSpec& spec, const Architecture& model) {
    ScenarioSpec out = spec;
    out.workload.model.reset();
    out.workload.architecture = model;
    return out;
}

/// The plan of the shortest step; the error is why there is none.
Result<Edit> fastestPlan(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                         std::stop_token stop) {
    SearchQuestion question{
        .base = spec, .start = {}, .cleared = {}, .free = {}, .objectives = {}, .limits = {}, .top = 1};
    question.objectives = {findPlanFigure("training.step_time_s")};
    completeQuestion(question, catalog, profile);
    if (const std::string wrong = wrongWith(question); !wrong.empty())
        return Error{wrong};
    const SearchResult result = search(question, catalog, profile, {.stop = std::move(stop)});
    if (!result.recommended) {
        return Error{!result.complete          ? "stopped"
                     : result.rejected.empty() ? "no plan runs and fits"
                                               : result.rejected.front().why};
    }
    return result.recommended->set;
}

class Budget {
public:
    Budget(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
           const BudgetQuestion& question, std::stop_token stop)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , question_(question)
        , stop_(std::move(stop)) {}

    BudgetModel at(const RentedMachine& machine, const Architecture& family, double parameters) const {
        BudgetModel out;
        out.asked = parameters;
        const Result<Architecture> model = scaledModel(family, parameters);
        if (!model) {
            out.whyNot = model.error();
            return out;
        }
        out.model = *model;
        const ParameterCount count = countParameters(*model);
        out.parameters = static_cast<double>(count.total);
        out.active = static_cast<double>(count.active);
        const ScenarioSpec on = sized(*applyEdit(spec_, machine.edit), *model);
        const Result<Edit> plan = fastestPlan(on, catalog_, profile_, stop_);
        if (!plan) {
            out.whyNot = plan.error();
            return out;
        }
        out.plan = machine.edit;
        out.plan.insert(out.plan.end(), plan->begin(), plan->end());
        spend(*applyEdit(on, *plan), out);
        return out;
    }

private:
    /// As many tokens as money and time pay for.
    void spend(ScenarioSpec spec, BudgetModel& out) const {
        // Checkpoints and lost time make the price of a token depend a little on how many there are; whole
        // blocks make it jump. A few rounds get within a per mille, and never above the budget.
        constexpr int rounds = 6;
        double tokens = 20 * out.active;
        for (int round = 0; round < rounds; ++round) {
            spec.workload.tokens = tokens;
            const auto e = estimate(spec, catalog_, profile_);
            if (!e || !e->training || !e->training->runTime || !e->cost || !e->cost->dollarsPerRun) {
                out.whyNot = !e                    ? e.error()
                             : e->problems.empty() ? "it cannot run"
                             : !e->cost            ? "it has no price in this region"
                                                   : e->problems.front().message;
                return;
            }
            const double dollars = *e->cost->dollarsPerRun;
            const double served = question_.servedTokens * question_.servedTokenCost * dollars / tokens;
            const double seconds = *e->training->runTime;
            const double byMoney = (question_.dollars - served) / dollars;
            const double byTime = question_.seconds ? *question_.seconds / seconds : byMoney;
            if (!(byMoney > 0)) {
                out.whyNot = "serving its tokens alone costs more than the budget";
                return;
            }
            const double more = std::min(byMoney, byTime);
            if (more >= 1 && tokens > out.tokens) {
                out.tokens = tokens;
                out.dollars = dollars;
                out.seconds = seconds;
                out.mfu = e->training->mfu;
                out.late = byTime < byMoney;
                setLoss(*e, out);
                if (more < 1.001)
                    break;
            }
            // A hair below, so that the next round finds it paid for.
            tokens *= more * (1 - 2e-4);
        }
        if (!(out.tokens > 0))
            out.whyNot = "the budget is too small for any run";
    }

    double lossAt(const BudgetModel& model, double tokens) const {
        return lossOf(question_.law, model.active,
                      question_.uniqueTokens ? effectiveTokens(*question_.uniqueTokens, tokens) : tokens);
    }

    void setLoss(const Estimate& e, BudgetModel& out) const {
        out.loss = out.lossLow = out.lossHigh = lossAt(out, out.tokens);
        if (const auto band = timeErrorBand(e)) {
            out.lossLow = lossAt(out, out.tokens / band->low);
            out.lossHigh = lossAt(out, out.tokens / band->high);
        }
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    const BudgetQuestion& question_;
    std::stop_token stop_;
};

std::string wrongWith(const ScenarioSpec& spec, const BudgetQuestion& question) {
    if (spec.workload.isServing() || spec.workload.isReinforcement())
        return "/workload/kind: scaling requires a pre-training scenario";
    if (spec.workload.finetune.kind)
        return "/workload/finetune: scaling does not apply to fine-tuning; use a pre-training scenario";
    if (!(question.dollars > 0) || !std::isfinite(question.dollars))
        return "the budget must be an amount of dollars greater than 0";
    if (!(question.smallest >= 1e7 && question.largest > question.smallest && question.largest <= 1e13))
        return "the sizes must be a range between 10 million and 10 trillion parameters";
    if (question.sizes < 3 || question.sizes > 100)
        return "the number of sizes must be 3 to 100";
    return "";
}

const Architecture* familyOf(const ScenarioSpec& spec, const Catalog& catalog) {
    if (spec.workload.architecture)
        return &*spec.workload.architecture;
    const auto found = std::ranges::find(catalog.models, spec.workload.model.value_or(""), &Architecture::id);
    return found == catalog.models.end() ? nullptr : &*found;
}

double middle(double a, double b) { return std::sqrt(a * b); }

} // namespace

const BudgetModel* BudgetCurve::best() const {
    const BudgetModel* out = nullptr;
    for (const BudgetModel& each : models)
        if (each.trains() && (!out || each.loss < out->loss))
            out = &each;
    return out;
}

const BudgetModel* BudgetAnswer::best() const { return curves.empty() ? nullptr : curves.front().best(); }

Result<BudgetAnswer> whatToTrain(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                 const BudgetQuestion& question, std::stop_token stop,
                                 const std::function<void(double)>& progress) {
    if (const std::string wrong = wrongWith(spec, question); !wrong.empty())
        return Error{wrong};
    const Architecture* family = familyOf(spec, catalog);
    if (!family)
        return Error{"/workload/model: unknown model '" + spec.workload.model.value_or("") + "'"};
    if (const Result<Architecture> possible = scaledModel(*family, question.smallest); !possible)
        return Error{"/workload/model: " + possible.error()};
    const Result<std::vector<RentedMachine>> machines = machinesOf(spec, catalog, question);
    if (!machines)
        return Error{machines.error()};
    constexpr int refinements = 2; // each halves the distance to the neighbors, on both sides
    const int perMachine = question.sizes + 2 * refinements;
    const auto all = static_cast<double>(perMachine) * static_cast<double>(machines->size());
    int done = 0;
    const auto tell = [&] {
        if (progress)
            progress(std::min(1.0, ++done / all));
    };
    const Budget budget(spec, catalog, profile, question, stop);
    BudgetAnswer out;
    for (const RentedMachine& machine : *machines) {
        BudgetCurve curve{
            .id = machine.id, .machine = formatCount(machine.count) + " x " + machine.id, .models = {}};
        const auto add = [&](double parameters) {
            if (stop.stop_requested()) {
                out.complete = false;
                return;
            }
            BudgetModel model = budget.at(machine, *family, parameters);
            if (stop.stop_requested()) {
                out.complete = false;
                return;
            }
            tell();
            const auto after =
                std::ranges::upper_bound(curve.models, model.parameters, {}, &BudgetModel::parameters);
            const bool known = after != curve.models.begin() &&
                               std::prev(after)->parameters == model.parameters && model.trains();
            if (!known)
                curve.models.insert(after, std::move(model));
        };
        const double ratio = std::log(question.largest / question.smallest) / (question.sizes - 1);
        for (int i = 0; i < question.sizes; ++i)
            add(question.smallest * std::exp(ratio * i));
        for (int i = 0; i < refinements; ++i) {
            const BudgetModel* best = curve.best();
            if (!best)
                break;
            const auto at = static_cast<std::size_t>(best - curve.models.data());
            const double size = best->parameters;
            const double below = at > 0 ? curve.models[at - 1].parameters : 0;
            const double above = at + 1 < curve.models.size() ? curve.models[at + 1].parameters : 0;
            if (below > 0)
                add(middle(below, size));
            if (above > 0)
                add(middle(size, above));
        }
        out.curves.push_back(std::move(curve));
    }
    std::ranges::stable_sort(out.curves, [](const BudgetCurve& a, const BudgetCurve& b) {
        const BudgetModel *x = a.best(), *y = b.best();
        return x && (!y || x->loss < y->loss);
    });
    if (const BudgetModel* best = out.best())
        out.byFlopAlone = optimalModel(question.law, 6 * best->active * best->tokens);
    return out;
}

ScenarioSpec scenarioOf(const ScenarioSpec& spec, const BudgetModel& model) {
    ScenarioSpec out = sized(spec, model.model);
    out = applyEdit(out, model.plan).value_or(out);
    out.workload.tokens = model.tokens;
    out.name = model.model.name;
    return out;
}

std::string degreesText(const Edit& plan) {
    std::string out;
    const auto add = [&](std::string_view path, std::string_view name) {
        for (const auto& [field, value] : plan)
            if (field == path && !value.empty() && value != "1")
                out += (out.empty() ? "" : ", ") + std::string(name) + " " + value;
    };
    add("plan.tensor_parallel", "TP");
    add("plan.context_parallel", "CP");
    add("plan.pipeline_parallel", "PP");
    add("plan.expert_parallel", "EP");
    add("plan.micro_batch", "micro-batch");
    add("plan.recompute", "recompute");
    return out;
}

} // namespace alidade
