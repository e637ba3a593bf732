// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

// The answer of a validation: predictions next to published measurements, and what follows for the trust in
// them. Fractions are 0..1; quantities are in SI base units.

/// What a row measures.
enum class RowKind : std::uint8_t { training, serving, collective, reinforcement, finetune, run };

/// The word of reports and of `--by kind`.
constexpr std::string_view rowKindName(RowKind kind) {
    switch (kind) {
    case RowKind::training:
        return "training";
    case RowKind::serving:
        return "serving";
    case RowKind::collective:
        return "collective";
    case RowKind::reinforcement:
        return "reinforcement learning";
    case RowKind::finetune:
        return "fine-tuning";
    case RowKind::run:
        return "run";
    }
    return {};
}

/// One published quantity with its prediction.
struct ValidationRow {
    std::string id;
    std::string quantity; ///< "step_time_s", "tokens_per_s_per_gpu", ..., "peak_memory_bytes", "time_s"
    double measured = 0, predicted = 0;
    double error = 0;                 ///< predicted / measured - 1
    double low = 0, high = 0;         ///< 10 % and 90 % quantiles of the prediction; both 0 without a band
    double weight = 0;                ///< 1 / (rows of the group that have this quantity)
    std::string group;                ///< sweep that the row belongs to
    std::string quality;              ///< the source's quality: "high", "medium", "low", or "A", "B", "C"
    std::vector<std::string> assumed; ///< settings that the source does not give
    // For filters and for what is shown of a row
    bool complete = true; ///< batch, degrees and precision are all published
    RowKind kind = RowKind::training;
    /// "benchmark", "production", "layer", "whole_run"; of serving the load, such as "offline"; empty for
    /// collectives
    std::string rowKind;
    std::string model, family; ///< family: "dense", "moe" or empty
    std::string gpu;           ///< catalog id of the part
    std::string precision;     ///< of serving that of the weights
    std::string framework;     ///< of serving the engine
    std::string software;      ///< as published, with its exact version: "TensorRT-LLM 1.2.0rc2"
    std::string release;       ///< of the software: see softwareRelease; empty for collectives
    std::string sourceTitle, sourceLocator, sourceTable, sourceRow, sourceDate, notes;
    int gpus = 0;
    double parameters = 0, activeParameters = 0; ///< of the model; 0 for collectives
    std::string operation;                       ///< of collectives: "all_reduce", ..., "moe_dispatch"
    double bytes = 0;           ///< of collectives: size as nccl-tests counts it; 0 if it is not given
    int nodes = 0;              ///< of serving and collectives
    double requestsPerUser = 0; ///< of a closed loop that starts all users at once; 0 if it is not given
    double pollInterval = 1;    ///< of serving: steps after which the engine looks for new requests
    std::shared_ptr<const ScenarioSpec> scenario; ///< what was predicted; null for collectives
};

/// A configuration that is published as running or as running out of memory.
struct MemoryOutcome {
    std::string id;
    std::string outcome; ///< "ok", "oom", "oom_fragmentation"
    bool fits = true;    ///< predicted: false only where running out of memory is almost certain
    double outOfMemoryProbability = 0; ///< predicted, 0..1

    bool ran() const { return outcome == "ok"; }
    bool likelyOut() const { return outOfMemoryProbability > 0.5; }
    /// What is likelier by the model is what happened.
    bool agrees() const { return likelyOut() != ran(); }
};

/// Error on the rows of each source, model or software release with constants that were fitted without it.
struct LeaveOneOut {
    std::string by; ///< "source", "model", "release" or "together"
    double medianAbsError = 0, meanAbsError = 0;
    double bandCoverage = 0; ///< share of the measurements inside the band around these predictions
};

/// Error figures of one quantity over a class of rows, each row weighted by 1/(rows of its group).
struct ValidationSummary {
    std::string group;    ///< the class: "all", "gpu h100-sxm", "dense", ...
    std::string quantity; ///< of the rows; "throughput" for the one throughput quantity of each training row
    int n = 0, groups = 0;
    double medianAbsError = 0, meanAbsError = 0, p90AbsError = 0;
    double bias = 0; ///< median signed error
    double within10 = 0, within20 = 0;
    double bandCoverage = 0;  ///< share of the measurements inside low..high
    double bandHalfWidth = 0; ///< median of (high - low) / (2 predicted)
    std::optional<LeaveOneOut> leaveOneOut;
};

/// A row that no model could predict, and what the source lacks.
struct SkippedRow {
    std::string id, why;
};

/// Two published plans whose order the model does not predict.
struct MisorderedPair {
    std::string faster, slower; ///< ids of the rows, as measured
    double measuredRatio = 1;   ///< time of the slower / of the faster, above 1.05
    double predictedRatio = 1;  ///< the same as predicted, at most 1
};

/// What it costs to take the plan that the model finds fastest, where several plans were measured. See
/// regret.h.
struct RegretSummary {
    std::string group;          ///< "training", "training dense", "training moe", "serving"
    int choices = 0;            ///< groups of runs that differ in plan
    double mean = 0, worst = 0; ///< regret: measured time of the chosen plan / of the best one - 1
    std::string worstChoice;    ///< which one
    int pairs = 0;              ///< of plans measured more than 5 % apart
    double ordered = 0;         ///< share of them that is predicted in the measured order
    std::vector<MisorderedPair> misordered; ///< the others
};

struct ValidationReport {
    std::vector<ValidationRow> rows;
    std::vector<MemoryOutcome> memoryOutcomes;
    std::vector<ValidationSummary> summary; ///< "all" first
    std::vector<SkippedRow> skipped;
    std::vector<RegretSummary> regret; ///< empty unless it was asked for
};

} // namespace alidade
