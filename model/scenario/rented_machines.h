// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The number of instances, or UltraServers, of a scenario.
std::int64_t machineCount(const ScenarioSpec& spec);
/// Whether a path is that of the number of machines: of instances, or of UltraServers.
bool isMachineCount(std::string_view path);
/// Rents another number of the machines of a spec, of whatever kind.
void setMachineCount(ScenarioSpec& spec, std::int64_t count);
/// Rents another number; the GPUs in use and the replicas follow.
Edit machineCountEdit(const ScenarioSpec& spec, std::int64_t count);

/// GPUs of one instance or UltraServer with this id; 0 if the catalog has none.
int gpusOfMachine(const Catalog& catalog, const std::string& id);
/// GPUs of all rented machines of a scenario; 0 for a machine that the catalog does not have.
std::int64_t rentedGpus(const ScenarioSpec& spec, const Catalog& catalog);
/// Rents machines of another type, in the region that offers them.
Edit machineEdit(const Catalog& catalog, const std::string& id, std::int64_t count);

/// Drops prices that the scenario states, and the base that is bought at one: they are those of its present
/// machine. Empty: it states none.
Edit withoutStatedPrice(const ScenarioSpec& spec);

/// Ids of the instance types for training: eight or more GPUs on NVLink, EFA, 16-bit matrix units, rented
/// individually.
std::vector<std::string> trainingInstances(const Catalog& catalog);
/// Ids of the instance types for serving: 16-bit matrix units, rented individually.
std::vector<std::string> servingInstances(const Catalog& catalog);

} // namespace alidade
