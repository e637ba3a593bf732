// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_kinds.h"
#include "model/estimate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

constexpr double settled = 1.1;    ///< times the median: what a step of the warm-up is above
constexpr double mostWarmUp = 0.2; ///< of the steps
constexpr double outlyingDeviations = 5, leastDeviation = 0.01;
constexpr std::size_t windows = 12;

/// What is left of the steps without warm-up and outliers.
struct KeptSteps {
    std::vector<double> seconds;
    std::size_t warmUp = 0, outliers = 0;
};

KeptSteps keptSteps(const std::vector<double>& all) {
    KeptSteps out;
    const double median = spreadOf(all).median;
    const auto most = static_cast<std::size_t>(mostWarmUp * static_cast<double>(all.size()));
    while (out.warmUp < most && all[out.warmUp] > settled * median)
        ++out.warmUp;
    std::vector<double> deviations;
    for (std::size_t i = out.warmUp; i < all.size(); ++i)
        deviations.push_back(std::abs(all[i] / median - 1));
    const double reach = outlyingDeviations * std::max(leastDeviation, 1.4826 * spreadOf(deviations).median);
    for (std::size_t i = out.warmUp; i < all.size(); ++i)
        if (std::abs(all[i] / median - 1) <= reach)
            out.seconds.push_back(all[i]);
        else
            ++out.outliers;
    return out;
}

} // namespace

Result<LiveCalibration> calibrateStepTimes(const ScenarioSpec& spec, const Catalog& catalog,
                                           const Profile& profile, const MeasuredStepTimes& steps) {
    const Result<LiveConstants> constants = LiveConstants::of(spec, catalog, profile, steps.file);
    if (!constants)
        return Error{constants.error()};
    const Scenario& scenario = constants->scenario();
    if (scenario.isServing())
        return Error{"step times apply to training, but this is a serving scenario; use a training scenario"};
    const auto totals = std::make_unique<Totals>();
    evaluate<double>(scenario, scenario.inputs, *totals);
    std::vector<double> seconds = steps.seconds;
    for (const double rate : steps.tokensPerSecondPerGpu)
        seconds.push_back(totals->tokensPerSecond * totals->stepTime / (rate * scenario.inputs[Input::gpus]));
    const KeptSteps kept = keptSteps(seconds);
    const double least = steps.areMeans ? 1 : leastSteps;
    if (static_cast<double>(kept.seconds.size()) < least) {
        return Error{steps.file + ": " + std::to_string(kept.seconds.size()) +
                     " steps after removing warm-up and outliers; at least " + figureText(least) +
                     " are required"};
    }
    LiveCalibration out;
    out.evidence = CalibrationEvidence::stepTimes;
    out.quantity = "step time";
    out.source = steps.file;
    out.samples = kept.seconds.size();
    std::vector<double> means;
    const std::size_t parts = std::min(windows, kept.seconds.size());
    for (std::size_t w = 0; w < parts; ++w) {
        const auto at = [&](std::size_t k) {
            return kept.seconds.begin() + static_cast<std::ptrdiff_t>(k * kept.seconds.size() / parts);
        };
        means.push_back(meanOf({at(w), at(w + 1)}));
    }
    const Spread all = spreadOf(kept.seconds);
    out.spread = all.relative;
    const double step = meanOf(kept.seconds), peak = scenario.inputs[Input::reportingPeak];
    const double mfu = totals->modelFlops / (step * scenario.inputs[Input::gpus] * peak);
    if (mfu > 1) {
        return Error{steps.file + ": MFU comes out as " + figureText(100 * mfu, " %") +
                     ", which is physically impossible; likely the unit of the column, or the model, the "
                     "batch or the number of GPUs of the scenario is not the job's"};
    }
    out.parameters.push_back(measuredFigure("step_time", "Step time", "s", totals->stepTime, step,
                                            step * (1 - out.spread), step * (1 + out.spread),
                                            kept.seconds.size() == 1 ? std::string("one figure")
                                            : steps.areMeans
                                                ? std::to_string(kept.seconds.size()) + " means of the log"
                                                : std::to_string(kept.seconds.size()) + " steps"));
    out.parameters.push_back(measuredFigure("mfu", "MFU", "ratio", totals->mfu, mfu, mfu * (1 - out.spread),
                                            mfu * (1 + out.spread),
                                            "model FLOP of the scenario / (step x GPUs x BF16 peak)"));
    const double factor = step / totals->stepTime;
    out.parameters.push_back(measuredFigure("overall_factor", "Measured / planned step", "1", 1, factor,
                                            factor * (1 - out.spread), factor * (1 + out.spread),
                                            "the only figure that step times determine"));
    const double planned = scenario.inputs[Input::globalBatch];
    if (steps.globalBatch > 0 && std::abs(steps.globalBatch / planned - 1) > 1e-6) {
        return Error{steps.file + ": the run has a global batch of " + figureText(steps.globalBatch) +
                     ", the scenario one of " + figureText(planned) +
                     "; set workload.global_batch to that of the run"};
    }
    if (kept.warmUp > 0 || kept.outliers > 0) {
        out.notes.push_back("Excluded: " + std::to_string(kept.warmUp) + " warm-up steps, " +
                            std::to_string(kept.outliers) + " outliers (checkpoints, stalls).");
    }
    out.notes.push_back("Step times provide a single number, which the constants share according to their "
                        "uncertainty. GPU activity from Prometheus and nccl-tests logs separate them.");
    std::vector<LivePoint> points;
    for (const double mean : means) {
        points.push_back({.measured = mean,
                          .sd = std::max(out.spread, leastSd),
                          .weight = 1.0 / static_cast<double>(parts),
                          .predict =
                              [&](const std::vector<double>& theta) {
                                  thread_local const auto scratch = std::make_unique<Totals>();
                                  evaluate<double>(scenario, constants->inputs(theta), *scratch);
                                  return scratch->stepTime;
                              },
                          .name = steps.file});
    }
    fitLive(*constants, points, out);
    return out;
}

} // namespace alidade
