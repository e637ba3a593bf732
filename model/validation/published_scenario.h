// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/catalog/software_name.h"
#include "model/scenario/spec.h"
#include "model/validation/published.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// A published training row as a scenario that can be estimated.
struct PublishedScenario {
    std::shared_ptr<const ScenarioSpec> spec; ///< null where the source lacks what any model would need
    std::string lacks;                        ///< why, for a person; empty if there is a spec
    /// Fields of the scenario that the source does not give: defaults of the framework, or what its other
    /// words mean.
    std::vector<std::string> assumed;
    bool complete = false; ///< batch, micro-batch, all degrees and the precision are published
    Architecture architecture;
    const Framework* framework = nullptr; ///< of the catalog; whose defaults hold
};

PublishedScenario publishedScenario(const PublishedTraining& row, const Catalog& catalog);

// The steps, each usable alone.

/// The framework that the row's words for its software (where it has none: for its sharding, else the title)
/// are known by; nullptr if the catalog has none.
const Framework* publishedFramework(const PublishedTraining& row, const Catalog& catalog);

/// The serving engine that the row's words for it are known by; nullptr if the catalog has none.
const Framework* publishedEngine(const PublishedServing& row, const Catalog& catalog);

/// The catalog's part for the words of a source; empty if it is none of the catalog.
std::string publishedGpu(std::string_view words, const Catalog& catalog);

/// Bytes/s per GPU and direction that the words for a network give; nullopt if they give none.
std::optional<double> publishedNetworkRate(std::string_view words, int gpusPerNode);

/// The architecture of the row; what it lacks is taken from the catalog's model of that name if their sizes
/// agree.
/// \param model overwritten with that model's id, if the row says nothing else; empty otherwise
/// \param assumed receives the fields that come from the catalog
/// \returns what is missing, for a person; empty if nothing is
std::string publishedArchitecture(const PublishedModel& row, const Catalog& catalog, Architecture& out,
                                  std::string& model, std::vector<std::string>& assumed);

/// Fills the cluster; returns what is missing.
std::string publishedCluster(const PublishedHardware& hardware, const Catalog& catalog, ClusterSpec& out,
                             std::vector<std::string>& assumed);

/// Fills the plan and the batch; returns what is missing. The cluster and the architecture are there already.
std::string publishedPlan(const PublishedTraining& row, const Catalog& catalog, ScenarioSpec& out,
                          const Architecture& architecture, std::vector<std::string>& assumed);

} // namespace alidade
