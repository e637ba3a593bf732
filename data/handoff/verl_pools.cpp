// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/verl_pools.h"

#include "data/handoff/handoff.h"
#include "model/scenario/role_scenarios.h"

#include <algorithm>
#include <vector>

namespace alidade::data::handoff {

namespace {

/// Instances by how many of their GPUs are free.
class Instances {
public:
    explicit Instances(std::int64_t gpus)
        : withFree_(static_cast<std::size_t>(gpus) + 1) {}

    /// Takes GPUs of one instance: of the fullest that has them, else of a new one.
    void take(std::int64_t gpus) {
        std::size_t free = static_cast<std::size_t>(gpus);
        while (free < withFree_.size() && withFree_[free] == 0)
            ++free;
        if (free == withFree_.size()) {
            --free;
            ++count_;
        } else {
            --withFree_[free];
        }
        ++withFree_[free - static_cast<std::size_t>(gpus)];
    }
    std::int64_t count() const { return count_; }

private:
    std::vector<std::int64_t> withFree_;
    std::int64_t count_ = 0;
};

/// Whether as many GPUs of an instance are whole groups, or an even share of one that needs several
/// instances.
bool holds(std::int64_t gpus, std::int64_t group, std::int64_t instance) {
    return group <= instance ? gpus % group == 0 : group % gpus == 0;
}

/// The divisors of a pool's GPUs that an instance has and that suit, the largest first.
template <class Suits>
std::vector<std::int64_t> divisors(std::int64_t pool, std::int64_t instance, const Suits& suits) {
    std::vector<std::int64_t> out;
    for (std::int64_t gpus = std::min(pool, instance); gpus > 0; --gpus)
        if (pool % gpus == 0 && suits(gpus))
            out.push_back(gpus);
    return out;
}

bool hasPools(const ScenarioSpec& spec) {
    return spec.roles.read().placement.value_or("colocated") != "colocated";
}

} // namespace

VerlPools packPools(const PoolNeeds& needs) {
    const std::int64_t instance = needs.instanceGpus;
    const std::int64_t fewest = (needs.trainGpus + needs.rolloutGpus + instance - 1) / instance;
    const std::vector<std::int64_t> rollouts =
        divisors(needs.rolloutGpus, instance, [&needs, instance](std::int64_t gpus) {
            return needs.engine <= instance
                       ? gpus % needs.engine == 0
                       : needs.engine % gpus == 0 && holds(gpus, needs.engineGroup, instance);
        });
    const std::vector<std::int64_t> trainings =
        divisors(needs.trainGpus, instance,
                 [&needs, instance](std::int64_t gpus) { return holds(gpus, needs.tensorGroup, instance); });
    VerlPools best{{}, {}, 0};
    for (const std::int64_t train : trainings) {
        for (const std::int64_t rollout : rollouts) {
            Instances filled(instance);
            for (std::int64_t i = 0; i < needs.trainGpus / train; ++i)
                filled.take(train);
            // Of an engine that fits into an instance no more GPUs are bound together than it needs.
            const std::int64_t share = std::min(rollout, needs.engine);
            for (std::int64_t i = 0; i < needs.rolloutGpus / share; ++i)
                filled.take(share);
            if (best.instances == 0 || filled.count() < best.instances)
                best = {
                    {needs.trainGpus / train, train}, {needs.rolloutGpus / rollout, rollout}, filled.count()};
            if (best.instances == fewest)
                return best;
        }
    }
    return best;
}

VerlPools poolsOf(const HandoffSource& source) {
    const RoleScenarios& roles = *source.scenario.roles;
    const PlanSpec &train = source.estimate.scenario.roles.read().train,
                   &rollout = source.estimate.scenario.roles.read().rollout;
    return packPools({.trainGpus = static_cast<std::int64_t>(roles.train.inputs[Input::gpus]),
                      .rolloutGpus = static_cast<std::int64_t>(roles.rollout.inputs[Input::gpus]),
                      .tensorGroup = train.tensorParallel.value_or(1),
                      .engine = rollout.tensorParallel.value_or(1) * rollout.pipelineParallel.value_or(1) *
                                rollout.attentionDataParallel.value_or(1),
                      .engineGroup = rollout.tensorParallel.value_or(1),
                      .instanceGpus = std::max(1, source.scenario.gpusPerNode)});
}

std::string placementFault(const ScenarioSpec& spec) {
    if (!hasPools(spec))
        return {};
    const ReinforcementSpec& load = spec.workload.reinforcement;
    if (load.algorithm == "ppo")
        return "trains a critic only where rollout and training take turns on the same GPUs, and this plan "
               "has a pool for each; colocate them, or choose an algorithm without a critic";
    if (load.reward.kind == "model")
        return "gives a reward model its own GPUs in addition to two pools, which this plan does not have; "
               "colocate rollout and training, or score by a rule";
    return {};
}

std::string packingFault(const HandoffSource& source) {
    if (!hasPools(source.estimate.scenario) || source.scenario.roles == nullptr)
        return {};
    const VerlPools pools = poolsOf(source);
    const std::int64_t has = std::max(1, source.scenario.hosts);
    if (pools.instances <= has)
        return {};
    return "takes equally many GPUs of each instance of a pool, and keeps a tensor group or an engine inside "
           "an instance: " +
           std::to_string(pools.train.gpus()) + " training and " + std::to_string(pools.rollout.gpus()) +
           " rollout GPUs need " + std::to_string(pools.instances) + " instances, and the cluster has " +
           std::to_string(has);
}

} // namespace alidade::data::handoff
