// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/validation_report.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alidade {

/// A published configuration and how unlike it is; 0: the same in everything that counts here.
struct NearRow {
    const ValidationRow* row = nullptr; ///< of the report
    double distance = 0;
};

/// The published rows of training, or of serving, most like a scenario, nearest first; only rows that
/// accuracy is judged by. Training rows have a time or a throughput; of a serving deployment it is the row of
/// the quantity that says most of it. Of training adds up: 3 for another generation of GPU, 1 for another
/// part of the same; 2 for experts against none; 1 for another precision; 0.5 for another framework, 0.25 if
/// its constants are the same; 0.3 for other recomputation; 0.5 |ln| of the ratio of active parameters; 0.15
/// |ln| of that of the GPU counts, and of the sequence lengths; 0.1 |log2| of that of each degree of
/// parallelism and of the micro-batch. Of serving: GPUs as above; 1 for experts against none, and for another
/// phase; 0.5 for other weights, and for arrivals at a rate against requests that are always under way; 0.3
/// for another engine; 0.25 |ln| of the ratio of active and of all parameters; 0.15 |ln| of that of prompt,
/// of answer, and of requests under way on a GPU; 0.1 |ln| of that of the GPU counts; 0.1 |log2| of that of
/// each degree of parallelism.
/// \param filled the scenario as an estimate returns it: with all defaults filled in
std::vector<NearRow> nearestRows(const ValidationReport& report, const ScenarioSpec& filled,
                                 const Catalog& catalog, std::size_t most);

/// Rows farther away than this, less like a scenario than another part and precision together, say nothing of
/// it.
inline constexpr double farthestNear = 2.5;

/// How well the model predicts the published run most like a plan, in a sentence.
/// \param nearest null: that none is near
std::string nearestRunText(const Catalog& catalog, const ValidationRow* nearest);

/// The same of a plan as it is written; empty if there are no published runs to compare it with
/// (reinforcement learning), or it breaks a rule of its form.
std::string nearestRunText(const ValidationReport& report, const ScenarioSpec& plan, const Catalog& catalog,
                           const Profile& profile);

/// Place of a serving row's quantity among those of a deployment: the first says most of it.
std::size_t servingRank(const ValidationRow& row);

} // namespace alidade
