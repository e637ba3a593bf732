// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace alidade {
struct ScenarioSpec;
}

namespace alidade::data {
struct HandoffSource;
}

namespace alidade::data::handoff {

/// What verl calls a resource pool: as many GPUs on each of its instances.
struct VerlPool {
    std::int64_t nodes = 1;       ///< instances that it has GPUs of
    std::int64_t gpusPerNode = 1; ///< of each of them
    std::int64_t gpus() const { return nodes * gpusPerNode; }
};

struct VerlPools {
    VerlPool train, rollout;
    std::int64_t instances = 1; ///< that both fill
};

/// What two pools have to hold.
struct PoolNeeds {
    std::int64_t trainGpus = 1, rolloutGpus = 1;
    std::int64_t tensorGroup = 1; ///< GPUs of a tensor-parallel group of training
    std::int64_t engine = 1;      ///< GPUs of one replica of the rollout
    std::int64_t engineGroup = 1; ///< GPUs of a tensor-parallel group of it
    std::int64_t instanceGpus = 8;
};

/// The pools that fill the fewest instances; of equal ones those with the most GPUs of an instance. A tensor
/// group and an engine stay inside an instance if they fit into one. Ray gives each instance's share of
/// training a place first, then each engine, always on the fullest instance that still has room.
/// \pre tensor groups divide the training GPUs, engines the rollout GPUs
VerlPools packPools(const PoolNeeds& needs);

/// Those of a plan with two pools. GPUs that no replica uses belong to neither.
VerlPools poolsOf(const HandoffSource& source);

/// Why no trainer of verl runs reinforcement learning in this placement, as words after its name; empty: one
/// does.
std::string placementFault(const ScenarioSpec& spec);

/// Why the instances of the cluster do not hold the pools; empty: they do, or there are none.
std::string packingFault(const HandoffSource& source);

} // namespace alidade::data::handoff
