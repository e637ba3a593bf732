// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/fleet/fleet.h"

#include <utility>
#include <vector>

namespace alidade {

/// GPUs of a machine that a replica blocks: the smallest of the sizes 1, 2, 4 ... that divide the machine and
/// each other and hold it, so that sizes fill machines without gaps; whole machines for a larger one.
std::int64_t slotOf(std::int64_t replicaGpus, std::int64_t machineGpus);

/// Machines that hold replicas of these slots. \param slots GPUs, summed over all replicas, as of slotOf
inline std::int64_t machinesFor(std::int64_t slots, std::int64_t machineGpus) {
    return (slots + machineGpus - 1) / machineGpus;
}

/// One replica of a service on the machines of a pool. \param tensorParallel 0: as the service says
ScenarioSpec replicaOn(const FleetService& service, const FleetPool& pool, const Catalog& catalog,
                       int tensorParallel);

/// s until one instance has read the weights of a replica. \param gpus of the replica on one instance
double weightLoadSeconds(double bytesPerGpu, std::int64_t gpus, const std::string& storage,
                         const Catalog& catalog);

/// What a replica carries, in closed form or checked by the simulation.
/// \returns the option, or why there is none (service and pool of it are not set)
std::pair<std::optional<ServiceOption>, RejectedOption>
serviceCapacity(const FleetService& service, const FleetPool& pool, const Catalog& catalog,
                const Profile& profile, int tensorParallel, bool simulate);

/// Plans the replicas of an option: as few beyond the policy's as keep enough requests on time.
/// \returns false if none does
bool planReplicas(const FleetService& service, ServiceOption& option);

/// Tensor-parallel degrees to try for a service; 0: as it says.
std::vector<int> degreesToTry(const FleetService& service, std::int64_t machineGpus);

/// Whether replicas of `better` in the room of one of `other`, on the same pool, carry as much as it.
bool dominates(const ServiceOption& better, const ServiceOption& other);

} // namespace alidade
