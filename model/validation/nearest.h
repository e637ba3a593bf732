// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/validation_report.h"

#include <cstddef>
#include <vector>

namespace alidade {

/// A published configuration and how unlike it is; 0: the same in everything that counts here.
struct NearRow {
    const ValidationRow* row = nullptr; ///< of the report
    double distance = 0;
};

/// The published training rows most like a scenario, nearest first; only rows that accuracy is judged by,
/// with a time or a throughput. Adds up: 3 for another generation of GPU, 1 for another part of the same; 2
/// for experts against none; 1 for another precision; 0.5 for another framework, 0.25 if its constants are
/// the same; 0.3 for other recomputation; 0.5 |ln| of the ratio of active parameters; 0.15 |ln| of that of
/// the GPU counts, and of the sequence lengths; 0.1 |log2| of that of each degree of parallelism and of the
/// micro-batch.
/// \param filled the scenario as an estimate returns it: with all defaults filled in
std::vector<NearRow> nearestRows(const ValidationReport& report, const ScenarioSpec& filled,
                                 const Catalog& catalog, std::size_t most);

} // namespace alidade
