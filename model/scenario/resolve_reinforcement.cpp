// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/posttraining/response_lengths.h"
#include "model/scenario/resolve_parts.h"
#include "model/scenario/role_scenarios.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>

namespace alidade::resolving {

namespace {

constexpr double usualMicrobatch = 16'384; // tokens: ppo_max_token_len_per_gpu of verl
constexpr double colocatedShare = 0.6;     // of the memory, for an engine that shares the GPU with a trainer

/// Gives a field its default and an input its value.
template <class T>
double orDefault(Context& context, Input input, std::optional<T>& field, double fallback,
                 const std::string& source) {
    const bool written = field.has_value();
    field = field.value_or(static_cast<T>(fallback));
    set(context, input, static_cast<double>(*field), originOr(written, SharedText(source)),
        written ? SourceKind::user : SourceKind::assumed);
    return static_cast<double>(*field);
}

/// Shares the GPUs between the pools. \returns an error message
std::string splitGpus(Context& context, const RoleScenarios& roles, RolePlanSpec& filled) {
    const std::int64_t all = context.gpusAvailable;
    if (roles.placement == RolePlacement::colocated) {
        for (const auto& [gpus, path] : {std::pair(&filled.trainGpus, "plan.train.gpus"),
                                         std::pair(&filled.rolloutGpus, "plan.rollout.gpus")}) {
            if (gpus->value_or(all) != all) {
                illegal(context, path,
                        "Colocated roles use the same " + formatCount(all) +
                            " GPUs; leave this field out, or place them split, one_step_off or async");
            }
            *gpus = all;
        }
        return {};
    }
    if (all < 2)
        return "/plan/placement: two pools need at least 2 GPUs; use colocated";
    if (!filled.trainGpus && !filled.rolloutGpus)
        filled.rolloutGpus = all / 2;
    if (!filled.trainGpus)
        filled.trainGpus = std::max<std::int64_t>(1, all - *filled.rolloutGpus);
    if (!filled.rolloutGpus)
        filled.rolloutGpus = std::max<std::int64_t>(1, all - *filled.trainGpus);
    if (*filled.trainGpus + *filled.rolloutGpus > all) {
        illegal(context, "plan.rollout.gpus",
                formatCount(*filled.rolloutGpus) + " rollout and " + formatCount(*filled.trainGpus) +
                    " training GPUs are more than the " + formatCount(all) + " of the cluster");
    } else if (*filled.trainGpus + *filled.rolloutGpus < all) {
        warn(context, "plan.rollout.gpus",
             formatCount(all - *filled.trainGpus - *filled.rolloutGpus) +
                 " GPUs are in neither pool but billed");
    }
    return {};
}

/// The scenario of one side alone: its GPUs of the same machines.
ScenarioSpec sideSpec(const ScenarioSpec& spec, const PlanSpec& plan, std::int64_t gpus) {
    ScenarioSpec out;
    out.name = spec.name;
    out.workload.model = spec.workload.model;
    out.workload.architecture = spec.workload.architecture;
    out.cluster = spec.cluster;
    out.cluster.gpus = gpus;
    out.plan = plan;
    out.calibration = spec.calibration;
    return out;
}

std::int64_t roundedUp(double value, std::int64_t multiple) {
    return std::max<std::int64_t>(
               1, static_cast<std::int64_t>(std::ceil(value / static_cast<double>(multiple) - 1e-9))) *
           multiple;
}

/// One update as a training scenario. Sequences of different length packed into micro-batches are as many
/// equal ones of their token-weighted length: the same tokens, and the same pairs of them in attention.
ScenarioSpec updateSpec(const Context& context, RoleScenarios& roles, RolePlanSpec& filled) {
    const Inputs& in = context.out.inputs;
    PlanSpec plan = context.spec.roles.read().train;
    plan.recompute = plan.recompute.value_or(std::vector<std::string>{"full"});
    const double prompt = *context.out.spec.workload.reinforcement.promptTokens;
    const ResponseLengths lengths(*context.out.spec.workload.reinforcement.responseTokens, roles.responseCv,
                                  in[Input::responseLimit]);
    const double mean = prompt + lengths.mean();
    const double square = prompt * prompt + 2 * prompt * lengths.mean() + lengths.secondMoment();
    const std::int64_t tensor = plan.tensorParallel.value_or(1), contexts = plan.contextParallel.value_or(1);
    const std::int64_t multiple = tensor * (contexts > 1 ? 2 * contexts : 1);
    const std::int64_t length = roundedUp(square / mean, multiple);
    const auto sequence = static_cast<double>(length);
    const std::int64_t gpus = *filled.trainGpus;
    const std::int64_t replica = tensor * contexts * plan.pipelineParallel.value_or(1);
    const std::int64_t data = plan.dataParallel.value_or(std::max<std::int64_t>(1, gpus / replica));
    roles.updateTokens = in[Input::sequencesPerStep] / in[Input::updatesPerStep] * mean;
    const double ofRank = roles.updateTokens / static_cast<double>(data);
    const double budget = filled.microbatchTokens ? static_cast<double>(*filled.microbatchTokens)
                          : plan.microBatch       ? static_cast<double>(*plan.microBatch) * sequence
                                                  : usualMicrobatch;
    const double micro = std::max(1.0, std::floor(std::min(budget, ofRank) / sequence + 1e-9));
    const double microbatches = std::max(1.0, std::ceil(ofRank / (micro * sequence) - 1e-9));
    filled.microbatchTokens = static_cast<std::int64_t>(micro * sequence);
    // A rank with a single sequence takes as long as that sequence, however few tokens the mean has.
    const double modeled = micro * sequence * microbatches;
    roles.updateShare = micro * microbatches > 1 ? ofRank / modeled : 1;
    plan.microBatch = static_cast<std::int64_t>(micro);
    ScenarioSpec out = sideSpec(context.spec, plan, gpus);
    out.run.storage = context.spec.run.storage;
    out.run.storageBytes = context.spec.run.storageBytes;
    out.workload.kind = WorkloadKind::training;
    out.workload.sequenceLength = length;
    out.workload.globalBatch = data * static_cast<std::int64_t>(micro * microbatches);
    return out;
}

ScenarioSpec rolloutSpec(const Context& context, const RoleScenarios& roles, const RolePlanSpec& filled) {
    const ReinforcementSpec& r = context.out.spec.workload.reinforcement;
    ScenarioSpec out = sideSpec(context.spec, context.spec.roles.read().rollout, *filled.rolloutGpus);
    if (roles.placement == RolePlacement::colocated)
        out.plan.memoryUtilization = out.plan.memoryUtilization.value_or(colocatedShare);
    out.workload.kind = WorkloadKind::serving;
    out.workload.inputTokens = r.promptTokens;
    out.workload.outputTokens = r.responseTokens;
    out.workload.outputTokensCv = r.responseTokensCv;
    out.workload.concurrency = context.out.inputs[Input::sequencesPerStep];
    // The responses of a prompt share its cache.
    out.workload.prefixCacheHit = 1 - 1 / context.out.inputs[Input::samplesPerPrompt];
    return out;
}

/// Maps a problem of a side to its place in the whole scenario.
Problem placed(Problem problem, bool train) {
    const std::string side = train ? "train" : "rollout";
    if (problem.place.starts_with("/plan"))
        problem.place = "/plan/" + side + problem.place.substr(5);
    else if (problem.place.starts_with("/workload/") && problem.place != "/workload/model")
        problem.place = "/workload/response_tokens";
    problem.message = (train ? "Training: " : "Rollout: ") + problem.message;
    return problem;
}

void takeProblems(Context& context, const Scenario& side, bool train) {
    Scenario& out = context.out;
    out.legal = out.legal && side.legal;
    out.modeled = out.modeled && side.modeled;
    for (const Problem& problem : side.problems) {
        const bool known = std::ranges::any_of(out.problems, [&](const Problem& each) {
            return problem.place.starts_with("/cluster") && each.place == problem.place;
        });
        if (!known && problem.severity != Severity::info)
            out.problems.push_back(problem.place.starts_with("/cluster") ? problem : placed(problem, train));
    }
}

/// Work and size of another model of the scenario, relative to the trained one.
std::string relativeModel(Context& context, const std::optional<std::string>& id, std::string_view pointer,
                          double& work, double* size) {
    work = 1;
    if (size)
        *size = 1;
    if (!id)
        return {};
    const Architecture* model = context.catalog.model(*id);
    if (!model) {
        std::vector<std::string> ids;
        for (const Architecture& each : context.catalog.models)
            ids.push_back(each.id);
        const std::string near = nearestName(*id, ids);
        return std::string(pointer) + ": there is no model '" + *id + "' in the catalog" +
               (near.empty() ? "" : "; the nearest is '" + near + "'");
    }
    const ParameterCount own = countParameters(context.out.model), other = countParameters(*model);
    work = static_cast<double>(other.gemmActive) / static_cast<double>(own.gemmActive);
    if (size)
        *size = static_cast<double>(other.total) / static_cast<double>(own.total);
    return {};
}

std::string resolveRoles(Context& context, RoleScenarios& roles) {
    const ReinforcementSpec& written = context.spec.workload.reinforcement;
    ReinforcementSpec& filled = context.out.spec.workload.reinforcement;
    RolePlanSpec& plans = context.out.spec.roles.write();
    roles.algorithm =
        read(context, algorithmWords, "workload.algorithm", *filled.algorithm, RlAlgorithm::grpo);
    roles.reference = *filled.reference;
    roles.critic = roles.algorithm == RlAlgorithm::ppo;
    roles.rewardModel = *filled.reward.kind == "model";
    roles.responseCv = *filled.responseTokensCv;
    roles.runaway = written.responseTokensCv ? 0 : runawayShare; // a spread that is given is the whole truth
    plans.placement = plans.placement.value_or("colocated");
    roles.placement =
        read(context, placementWords, "plan.placement", *plans.placement, RolePlacement::colocated);
    const bool colocated = roles.placement == RolePlacement::colocated;
    if (roles.placement == RolePlacement::async) {
        orDefault(context, Input::stalenessSteps, plans.staleness, 0.5, "default");
        plans.partialRollout = plans.partialRollout.value_or(true);
    } else {
        set(context, Input::stalenessSteps, roles.placement == RolePlacement::oneStepOff ? 1 : 0,
            "the placement", SourceKind::derived);
        if (plans.staleness)
            warn(context, "plan.staleness", "Staleness applies only to async; leave it out");
    }
    roles.partialRollout = plans.partialRollout.value_or(true);
    plans.weightSync = plans.weightSync.value_or(colocated ? "refit" : "bucketed");
    roles.weightPath = *plans.weightSync;
    if (colocated != (roles.weightPath == "refit")) {
        illegal(context, "plan.weight_sync",
                colocated ? "Colocated roles hand the weights over inside a GPU; use refit"
                          : "refit is the path inside a GPU; between two pools use broadcast, bucketed, "
                            "host_staged, reshard, rdma or delta");
    }
    roles.offload = plans.phaseOffload ? read(context, phaseOffloadWords, "plan.phase_offload",
                                              *plans.phaseOffload, PhaseOffload::automatic)
                                       : PhaseOffload::automatic;
    roles.parameters = static_cast<double>(countParameters(context.out.model).total);
    roles.activeParameters = static_cast<double>(countParameters(context.out.model).gemmActive);
    if (roles.critic) {
        if (std::string wrong = relativeModel(context, written.critic, "/workload/critic", roles.criticWork,
                                              &roles.criticSize);
            !wrong.empty()) {
            return wrong;
        }
    } else if (written.critic) {
        warn(context, "workload.critic", "Only PPO has a critic; leave this field out");
    }
    if (roles.rewardModel) {
        return relativeModel(context, written.reward.model, "/workload/reward/model", roles.rewardWork,
                             nullptr);
    }
    return {};
}

} // namespace

std::string resolveReinforcementWorkload(Context& context) {
    const ReinforcementSpec& w = context.spec.workload.reinforcement;
    ReinforcementSpec& filled = context.out.spec.workload.reinforcement;
    const auto missing = [](const char* field, const char* what, const char* example) {
        return std::string("/workload/") + field + ": " + what + " is missing; set it, for example " +
               example;
    };
    if (!w.promptsPerStep)
        return missing("prompts_per_step", "the number of prompts per step", "512");
    if (!w.promptTokens)
        return missing("prompt_tokens", "the prompt length", "500");
    if (!w.responseTokens)
        return missing("response_tokens", "the response length", "4000");
    filled.algorithm = w.algorithm.value_or("grpo");
    const bool alone = *filled.algorithm == "ppo" || *filled.algorithm == "reinforce++";
    filled.reference = w.reference.value_or(*filled.algorithm != "dapo");
    filled.reward.kind = w.reward.kind.value_or("rule");
    const double samples =
        orDefault(context, Input::samplesPerPrompt, filled.samplesPerPrompt, alone ? 1 : 8, "default");
    set(context, Input::sequencesPerStep, static_cast<double>(*w.promptsPerStep) * samples,
        "prompts x samples", SourceKind::derived);
    const double updates = orDefault(context, Input::updatesPerStep, filled.updatesPerStep, 1, "default");
    orDefault(context, Input::updateEpochs, filled.epochs, 1, "default");
    orDefault(context, Input::keptShare, filled.keptShare, 1, "default: no dynamic sampling");
    if (*filled.reward.kind != "model") {
        orDefault(context, Input::rewardTime, filled.reward.seconds, *filled.reward.kind == "rule" ? 1.5 : 10,
                  "default: published steps spend 1 to 2 s on rules");
    }
    set(context, Input::inputTokens, *w.promptTokens, "scenario", SourceKind::user);
    set(context, Input::outputTokens, *w.responseTokens, "scenario", SourceKind::user);
    const double limit = orDefault(context, Input::responseLimit, filled.responseLimit,
                                   std::ceil(4 * *w.responseTokens), "default: 4 x the mean");
    constexpr double shortAnswer = 1000; // tokens
    orDefault(context, Input::outputTokensCv, filled.responseTokensCv,
              *w.responseTokens <= shortAnswer ? 0.4 : 0.8,
              "default: 0.4 fits published maxima of short answers, long reasoning spreads more");
    if (limit < *w.responseTokens) {
        return "/workload/response_limit: the limit is below the mean of " +
               formatCount(static_cast<std::int64_t>(*w.responseTokens)) + " tokens; raise it";
    }
    if (updates > context.out.inputs[Input::sequencesPerStep])
        illegal(context, "workload.updates_per_step", "There are more updates than responses in a step");
    if (w.steps) {
        set(context, Input::stepsOfRun, static_cast<double>(*w.steps), "scenario", SourceKind::user);
        context.out.hasTokens = true; // of a whole run
    }
    if (context.out.model.maxContextTokens > 0 &&
        *w.promptTokens + limit > context.out.model.maxContextTokens) {
        warn(context, "workload.response_limit",
             "Prompt and longest response exceed the " + formatCount(context.out.model.maxContextTokens) +
                 "-token context of " + context.out.modelName);
    }
    return {};
}

std::string resolveReinforcement(Context& context) {
    Scenario& out = context.out;
    auto roles = std::make_shared<RoleScenarios>();
    if (std::string wrong = resolveRoles(context, *roles); !wrong.empty())
        return wrong;
    RolePlanSpec& filled = out.spec.roles.write();
    if (std::string wrong = splitGpus(context, *roles, filled); !wrong.empty())
        return wrong;
    if (!out.legal)
        return {};
    const bool colocated = roles->placement == RolePlacement::colocated;
    auto train = resolveFrom(updateSpec(context, *roles, filled), context.catalog, context.profile, 0);
    if (!train)
        return train.error();
    auto rollout = resolveFrom(rolloutSpec(context, *roles, filled), context.catalog, context.profile,
                               colocated ? 0 : static_cast<int>(*filled.trainGpus));
    if (!rollout)
        return rollout.error();
    takeProblems(context, *train, true);
    takeProblems(context, *rollout, false);
    out.placement = train->placement;
    filled.train = train->spec.plan;
    out.spec.run.storage = train->spec.run.storage;
    filled.rollout = rollout->spec.plan;
    const auto used = static_cast<std::int64_t>(
        colocated ? std::max(train->inputs[Input::gpus], rollout->inputs[Input::gpus])
                  : train->inputs[Input::gpus] + rollout->inputs[Input::gpus]);
    set(context, Input::gpus, static_cast<double>(used), "both pools", SourceKind::derived);
    roles->idleGpus = static_cast<int>(context.gpusAvailable - used);
    out.spec.cluster.gpus = used;
    roles->weightLink =
        colocated || context.gpusAvailable <= out.nvlinkDomain ? Bound::nvlink : out.networkBound;
    // The constants of the trainer's software; see resolveConstants.
    out.plan.precision = train->plan.precision;
    context.framework = context.catalog.framework(train->spec.plan.framework.value_or(""));
    resolveConstants(context);
    roles->train = std::move(*train);
    roles->rollout = std::move(*rollout);
    out.roles = std::move(roles);
    return {};
}

} // namespace alidade::resolving
