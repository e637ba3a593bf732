// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"

#include <cstdint>
#include <vector>

namespace alidade {

/// The kind of change: only the best one of each kind is suggested.
enum class AdviceKind : std::uint8_t {
    overlap,
    precision,
    recompute,
    layout,
    experts,
    context,
    sharding,
    schedule,
    microBatch,
    purchase,
    machine
};

struct Candidate {
    AdviceKind kind;
    Edit edit;
};

/// Changes worth trying on a scenario that runs and fits, each of one kind. Changes that cannot be legal are
/// left out. Whole layouts are searched separately.
std::vector<Candidate> candidatesFor(const ScenarioSpec& spec, const Scenario& scenario,
                                     const Catalog& catalog);

} // namespace alidade
