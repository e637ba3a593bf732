// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/fixes.h"

#include "model/advice/layouts.h"
#include "model/advice/suggestion_words.h"
#include "model/scenario/rented_machines.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace alidade {

namespace {

constexpr std::size_t layoutBudget = 160; ///< evaluations in a search for the fastest layout

/// The spec with a plan of one GPU per replica: yields the number of GPUs, and is legal if any plan is.
std::optional<Scenario> plainScenario(const ScenarioSpec& spec, const Evaluator& evaluator) {
    ScenarioSpec plain = spec;
    PlanSpec& plan = plain.plan;
    plan.tensorParallel = plan.pipelineParallel = plan.contextParallel = 1;
    for (auto* degree :
         {&plan.dataParallel, &plan.virtualPipeline, &plan.expertParallel, &plan.expertTensorParallel}) {
        degree->reset();
    }
    plan.pipelineSplit.reset();
    plan.schedule.reset();
    auto scenario = resolve(plain, evaluator.catalog(), evaluator.profile());
    return scenario && scenario->modeled ? std::optional(*std::move(scenario)) : std::nullopt;
}

/// Changes of one field of a training plan that may help it run; not of the batch, which is part of the
/// training recipe.
class SingleEdits {
public:
    SingleEdits(const ScenarioSpec& spec, const Scenario& plain, const Scenario* resolved)
        : spec_(spec)
        , model_(plain.model)
        , space_(spec, plain)
        , gpus_(static_cast<std::int64_t>(plain.inputs[Input::gpus])) {
        if (resolved) {
            const TrainingPlan& plan = resolved->plan;
            now_ = {plan.tensorParallel, plan.contextParallel, plan.pipelineParallel, plan.virtualPipeline,
                    plan.expertParallel};
            microBatch_ = plan.microBatch;
        }
    }

    std::vector<Edit> all() {
        leaveOut();
        fewerReplicas();
        for (const std::string& words : recomputeLadder(model_))
            add("plan.recompute", words);
        for (const char* word : {"zero1", "fsdp2"})
            add("plan.sharding", word);
        for (const char* word : {"bf16", "fp16"})
            add("plan.precision", word);
        for (const char* word : {"true", "false"})
            add("plan.sequence_parallel", word);
        add("workload.finetune.kind", "full");
        addDegrees();
        return std::move(out_);
    }

private:
    void add(const char* path, std::string text) {
        Edit edit = changesOf(spec_, {{path, std::move(text)}});
        if (!edit.empty())
            out_.push_back(std::move(edit));
    }
    /// Clears fields that contradict the rest of the plan or have no effect.
    void leaveOut() {
        for (const char* path :
             {"plan.data_parallel", "plan.pipeline_split", "plan.schedule", "cluster.topology",
              "cluster.rank_order", "cluster.placement", "plan.offload.optimizer", "plan.offload.activations",
              "plan.context_parallel", "plan.context_parallel_kind", "plan.expert_parallel",
              "plan.expert_tensor_parallel", "plan.shard_size", "plan.node_limit", "cluster.gpus",
              "plan.optimizer", "plan.framework", "plan.virtual_pipeline", "cluster.region"}) {
            add(path, "");
        }
    }
    /// If hosts are excluded: as many replicas as the other hosts hold and the batch is divisible by.
    void fewerReplicas() {
        const std::int64_t replica = std::int64_t{now_.tensor} * now_.context * now_.pipeline;
        const std::int64_t batch = spec_.workload.globalBatch.value_or(0);
        if (!spec_.cluster.excludedHosts || replica > gpus_)
            return;
        for (std::int64_t n = gpus_ / replica; n >= 1; --n) {
            if (batch % (n * microBatch_) == 0) {
                out_.push_back({{"plan.data_parallel", std::to_string(n)}, {"cluster.gpus", ""}});
                return;
            }
        }
    }
    /// Degrees that satisfy the divisibility rules with the other degrees unchanged.
    void addDegrees() {
        const auto degree = [this](const char* path, int Layout::* member, int most) {
            for (int n = 1; n <= most; ++n) {
                Layout layout = now_;
                layout.*member = n;
                if (space_.divides(layout))
                    add(path, std::to_string(n));
            }
        };
        degree("plan.tensor_parallel", &Layout::tensor, 64);
        degree("plan.pipeline_parallel", &Layout::pipeline, 64);
        if (now_.pipeline > 1)
            degree("plan.virtual_pipeline", &Layout::chunks, 16);
        if (space_.contextChoices().size() > 1)
            degree("plan.context_parallel", &Layout::context, 16);
        if (model_.moe)
            degree("plan.expert_parallel", &Layout::expert, 256);
        for (int n = 1; n < microBatch_; n *= 2)
            add("plan.micro_batch", std::to_string(n));
    }

    const ScenarioSpec& spec_;
    const Architecture& model_;
    LayoutSpace space_;
    Layout now_;
    int microBatch_ = 1;
    std::int64_t gpus_ = 0;
    std::vector<Edit> out_;
};

/// The fastest of some edits that run and fit.
std::optional<Edit> fastest(const ScenarioSpec& spec, const std::vector<Edit>& edits, Evaluator& evaluator) {
    std::optional<Edit> best;
    double bestRate = 0;
    for (const Edit& edit : edits) {
        const auto changed = applyEdit(spec, edit);
        const Totals* totals = changed ? evaluator.runsAndFits(*changed) : nullptr;
        if (totals && totals->tokensPerSecondPerGpu > bestRate) {
            bestRate = totals->tokensPerSecondPerGpu;
            best = edit;
        }
    }
    return best;
}

/// Dollars per hour; without a known price, a stand-in based on the GPU count, comparable only with other
/// such values.
double bill(const Totals& totals, const Scenario& scenario) {
    return scenario.hasPrice ? totals.dollarsPerHour : 1e6 * scenario.inputs[Input::gpus];
}

/// Other machines to try, in groups; the first that works in each group is enough: more of the same, smallest
/// number first; then each other type for training (several GPUs on NVLink, EFA, 16-bit matrix units), in the
/// current number.
std::vector<std::vector<Edit>> machineEdits(const ScenarioSpec& spec, const Catalog& catalog) {
    std::vector<std::vector<Edit>> out(1);
    const bool ultra = spec.cluster.ultraserver.has_value();
    const char* countField = ultra ? "cluster.ultraservers" : "cluster.instances";
    const std::int64_t count = (ultra ? spec.cluster.ultraservers : spec.cluster.instances).value_or(1);
    for (const int factor : {2, 4, 8, 16, 32, 64})
        out.front().push_back({{countField, std::to_string(count * factor)}, {"cluster.gpus", ""}});
    if (spec.cluster.custom.gpu || ultra)
        return out;
    for (const std::string& id : trainingInstances(catalog)) {
        if (id != spec.cluster.instance) {
            Edit other{
                {"cluster.instance", id}, {"cluster.instances", std::to_string(count)}, {"cluster.gpus", ""}};
            std::ranges::copy(withoutStatedPrice(spec), std::back_inserter(other));
            out.push_back({std::move(other)});
        }
    }
    return out;
}

/// The cheapest machines that work, with the fastest layout on them.
std::optional<Edit> cheapestMachines(const ScenarioSpec& spec, Evaluator& evaluator) {
    std::optional<Edit> best, bestLayout;
    double leastCost = 0;
    for (const std::vector<Edit>& group : machineEdits(spec, evaluator.catalog())) {
        for (const Edit& machine : group) {
            const auto changed = applyEdit(spec, machine);
            const auto plain = changed ? plainScenario(*changed, evaluator) : std::nullopt;
            const auto layout =
                plain ? frugalLayout(*changed, {*changed, *plain}, plain->model, evaluator) : std::nullopt;
            if (!layout)
                continue;
            const Totals* totals = evaluator.runsAndFits(*applyEdit(*changed, *layout));
            const double cost = bill(*totals, evaluator.scenario());
            if (!best || cost < leastCost) {
                best = machine;
                bestLayout = layout;
                leastCost = cost;
            }
            break;
        }
    }
    if (!best)
        return std::nullopt;
    const ScenarioSpec changed = *applyEdit(spec, *best);
    const auto plain = plainScenario(changed, evaluator);
    if (auto faster = fastestLayout(changed, {changed, *plain}, plain->model, evaluator, layoutBudget))
        bestLayout = std::move(faster);
    best->insert(best->end(), bestLayout->begin(), bestLayout->end());
    return best;
}

} // namespace

std::optional<Fix> nearestFix(const ScenarioSpec& spec, Evaluator& evaluator) {
    const auto fixOf = [&](const Edit& edit) {
        Edit changes = withoutNeedless(spec, changesOf(spec, edit), evaluator);
        std::string text = describeChange(spec, changes, evaluator.catalog(), evaluator.profile());
        return Fix{std::move(text), std::move(changes)};
    };
    const auto resolved = resolve(spec, evaluator.catalog(), evaluator.profile());
    if (const Edit own = resolved ? changesOfRules(*resolved) : Edit{}; !own.empty()) {
        const ScenarioSpec changed = *applyEdit(spec, own);
        if (evaluator.runsAndFits(changed))
            return fixOf(own);
        if (const auto more = nearestFix(changed, evaluator))
            return fixOf(joined(own, more->set));
    }
    const auto plain = plainScenario(spec, evaluator);
    const auto batch = resolved ? batchEdits(spec, *resolved) : std::vector<Edit>{};
    const bool batchIsWrong = resolved && std::ranges::any_of(resolved->problems, [](const Problem& p) {
                                  return p.severity == Severity::error && p.place == "/workload/global_batch";
                              });
    const auto single =
        plain ? SingleEdits(spec, *plain, resolved ? &*resolved : nullptr).all() : std::vector<Edit>{};
    for (const auto& edits : batchIsWrong ? std::array{batch, single} : std::array{single, batch})
        if (const auto edit = fastest(spec, edits, evaluator))
            return fixOf(*edit);
    const auto layout =
        plain ? fastestLayout(spec, {spec, *plain}, plain->model, evaluator, layoutBudget) : std::nullopt;
    if (layout)
        return fixOf(*layout);
    const auto machines = cheapestMachines(spec, evaluator);
    return machines ? std::optional(fixOf(*machines)) : std::nullopt;
}

} // namespace alidade
