// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/bound_rows.h"
#include "model/validation/serving_runs.h"

namespace alidade {

/// One measured figure of a serving run.
struct MeasuredServing {
    std::string id;
    std::string source;                       ///< publication
    std::string release = {};                 ///< of the engine
    std::string group = {};                   ///< sweep that the row belongs to
    std::shared_ptr<const ScenarioSpec> spec; ///< what was run
    ServingRun run;
    std::string quantity; ///< "tpot_s", "ttft_s", "output_tokens_per_s_per_gpu", ...
    double gpus = 1;      ///< that a figure per GPU counts
    double measured = 0;  ///< > 0, SI
    double weight = 0;    ///< of the row in the fit
    double sd = 0;        ///< of ln(measured / law)
};

/// Figures of serving runs with the constants of engines that their predictions depend on.
class BoundServing : public BoundRows {
public:
    /// Runs that do not resolve, or do not fit into memory, are left out: see `rejected`.
    BoundServing(const std::vector<MeasuredServing>& figures, const Catalog& catalog, const Profile& profile);
    double logValue(std::size_t row, const std::vector<double>& parameters) const override;

private:
    struct Run {
        ServingRuns runs;
        std::vector<ServingRuns::PoolInputs> inputs;
        std::vector<std::vector<Feed>> feeds; ///< of each scenario and pool
    };
    /// What a row asks of a run. Rows of one run follow each other.
    struct Question {
        std::size_t run = 0;
        std::string quantity;
        double gpus = 1;
    };
    std::optional<ServingFigures> figuresOf(const Run& run, const std::vector<double>& parameters) const;

    std::vector<Run> runs_;
    std::vector<Question> questions_;
    std::uint64_t serial_; ///< tells objects apart that live at one address after each other
};

} // namespace alidade
