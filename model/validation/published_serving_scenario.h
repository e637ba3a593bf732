// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"
#include "model/validation/published.h"

#include <memory>
#include <string>
#include <vector>

namespace alidade {

/// A published serving row as a scenario that can be estimated.
struct PublishedServingScenario {
    std::shared_ptr<const ScenarioSpec> spec;   ///< null where the source lacks what any model would need
    std::string lacks;                          ///< why, for a person; empty if there is a spec
    std::vector<std::string> assumed;           ///< fields of the scenario that the source does not give
    const Architecture* architecture = nullptr; ///< of the catalog
};

PublishedServingScenario publishedServingScenario(const PublishedServing& row, const Catalog& catalog);

/// The load under which the row was measured.
enum class PublishedLoadKind : std::uint8_t {
    closedLoop,  ///< a number of requests always under way; where all are queued at once, that many
    openLoop,    ///< arrivals at a rate
    staticBatch, ///< one batch whose requests start and are worked on together; of one request: single stream
};
PublishedLoadKind publishedLoadKind(const PublishedServing& row);

/// Tokens of prompt and answer that a decode row of a line over the context represents, see
/// PublishedServingFigures::itlLine: the context at which it is estimated unless said otherwise.
constexpr double referenceContext = 16'384;

} // namespace alidade
