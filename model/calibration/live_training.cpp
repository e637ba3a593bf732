// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/calibration/live_activity.h"
#include "model/calibration/live_kinds.h"
#include "model/estimate/evaluate.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

constexpr double sameTokens = 0.05;    ///< difference of tokens of a step that is still the same job
constexpr double countingError = 0.03; ///< of two counts of the same FLOP
constexpr double computeSd = 0.15; ///< of ln(own compute time / its law): what frameworks call that differs
constexpr std::size_t windowsOfFit = 12;
constexpr double leastStepSd = 0.005; ///< of ln(mean step time / the law)

const SignalTable* tableOf(const Observation& o, Signal signal) {
    const SignalTable* table = o.table(signal);
    return table ? table : o.table(signal, Statistic::mean);
}

double usedMean(const Observation& o, const UsableTime& time, Signal signal) {
    const SignalTable* table = tableOf(o, signal);
    return table ? meanOf(usedValues(time, meanOfRows(*table, o.grid.points))) : notMeasured;
}

/// Means of consecutive windows of the used time.
std::vector<double> windowMeans(const Observation& o, const UsableTime& time, Signal signal) {
    const SignalTable* table = tableOf(o, signal);
    if (!table)
        return {};
    const std::vector<double> values = meanOfRows(*table, o.grid.points);
    const double seconds =
        std::max(time.lookback, static_cast<double>(time.points()) * o.grid.step / windowsOfFit);
    std::vector<double> out;
    for (const auto& [from, to] : blocksOf(time, o.grid, seconds)) {
        std::vector<double> block;
        for (std::size_t i = from; i < to; ++i)
            if (time.used[i] && std::isfinite(values[i]))
                block.push_back(values[i]);
        if (!block.empty())
            out.push_back(meanOf(block));
    }
    return out;
}

/// What is measured of a training job, alongside what the profile says of it.
class Job {
public:
    Job(const LiveConstants& constants, const Catalog& catalog, const Observation& observation,
        const UsableTime& time)
        : constants_(constants)
        , scenario_(constants.scenario())
        , catalog_(catalog)
        , o_(observation)
        , time_(time)
        , activity_(jobActivity(observation, time))
        , totals_(std::make_unique<Totals>()) {
        evaluate<double>(scenario_, scenario_.inputs, *totals_);
        windows_ = windowMeans(o_, time_, Signal::stepTime);
        step_ = meanOf(windows_);
    }

    /// \returns an error that names what is missing or physically impossible; empty: none
    std::string check() const {
        if (windows_.empty() || !(step_ > 0))
            return "the job does not report its step time; use a mapping that names the metric";
        const double steps = static_cast<double>(time_.points()) * o_.grid.step / step_;
        if (steps < leastSteps) {
            return "only " + figureText(steps) + " steps in fault-free time; at least " +
                   figureText(leastSteps) + " are required; select a longer time range";
        }
        const double rate = usedMean(o_, time_, Signal::tokensPerSecond);
        const double planned = scenario_.inputs[Input::globalBatch] * scenario_.inputs[Input::sequenceLength];
        if (rate > 0 && std::abs(rate * step_ / planned - 1) > sameTokens) {
            return "the steps of the job have " + figureText(rate * step_) +
                   " tokens, those of the scenario " + figureText(planned) +
                   "; set workload.global_batch and workload.sequence_length to those of the job";
        }
        return {};
    }

    /// Figures of utilization. \returns an error that names what is physically impossible; empty: none
    std::string utilization(LiveCalibration& out) const {
        const double gpus = scenario_.inputs[Input::gpus];
        if (activity_.gpus > 0 && std::abs(activity_.gpus - gpus) > 0.5) {
            out.notes.push_back("The job has " + figureText(activity_.gpus) +
                                " GPUs with data, the scenario " + figureText(gpus) + ".");
        }
        const double mfu = totals_->modelFlops / (step_ * gpus * scenario_.inputs[Input::reportingPeak]);
        out.parameters.push_back(measuredFigure("step_time", "Step time", "s", totals_->stepTime, step_,
                                                step_ * (1 - spread()), step_ * (1 + spread()),
                                                "mean of " + std::to_string(windows_.size()) + " windows"));
        out.parameters.push_back(measuredFigure("mfu", "MFU", "ratio", totals_->mfu, mfu,
                                                mfu * (1 - spread()), mfu * (1 + spread()),
                                                "model FLOP of the scenario / (step x GPUs x BF16 peak)"));
        if (mfu > 1) {
            return "MFU comes out as " + figureText(100 * mfu, " %") +
                   ", which is physically impossible; likely the model, the batch or the number of GPUs of "
                   "the scenario is not the job's";
        }
        for (const auto& [value, name] : {std::pair(activity_.tensor, "tensor pipes"),
                                          std::pair(activity_.sm, "SMs"), std::pair(activity_.dram, "HBM")}) {
            if (value > 1) {
                return std::string("the ") + name + " are active " + figureText(100 * value, " %") +
                       " of the time, which is physically impossible; likely blank values are read as "
                       "numbers: give the mapping a largest value";
            }
        }
        return tensorFigures(mfu, out);
    }

    /// Volumes and communication.
    void communication(LiveCalibration& out) const {
        if (activity_.compute > 0) {
            const double planned = totals_->stepTime - computePart(*totals_);
            const double exposed = step_ - activity_.compute;
            out.parameters.push_back(measuredFigure(
                "exposed_time", "Step time outside compute", "s", planned, exposed,
                std::max(0.0, exposed - step_ * known()), exposed + step_ * known(),
                "step time minus the nodes' own compute: exposed communication, data loading and host time; "
                "a single number that cannot be split into overlap and bandwidth"));
        }
        if (activity_.nvlink > 0) {
            const double bytes = activity_.nvlink * step_;
            out.parameters.push_back(measuredFigure(
                "nvlink_bytes_per_step", "NVLink bytes per GPU and step", "bytes", notMeasured, bytes,
                bytes * (1 - known()), bytes * (1 + known()),
                "includes protocol headers of about 6 %; checks the volume, not the bandwidth"));
        }
        if (!(activity_.efa > 0))
            return;
        const double bytes = activity_.efa * step_;
        out.parameters.push_back(measuredFigure(
            "efa_bytes_per_step", "EFA bytes per node and step", "bytes", notMeasured, bytes,
            bytes * (1 - known()), bytes * (1 + known()), "includes headers; checks the volume"));
        const double line = scenario_.inputs[Input::networkBandwidth] * scenario_.gpusPerNode;
        if (line > 0) {
            const double least = std::min(1.0, activity_.efaMost / line);
            out.parameters.push_back(
                boundedFigure("network_efficiency_seen", "Network efficiency", "ratio",
                              scenario_.inputs[Input::networkEfficiency], least, 1,
                              "lower bound from the busiest window of a node; a training step does not "
                              "separate overlap and efficiency, an nccl-tests log does"));
            out.notes.push_back(
                "Training metrics do not determine network efficiency: twice the efficiency with half of the "
                "overlap gives the same series. Calibrate it with --nccl-log.");
        }
    }

    /// Power, checkpoints and failures.
    void operation(const std::vector<Finding>& findings, LiveCalibration& out) const {
        const double rate = usedMean(o_, time_, Signal::tokensPerSecond),
                     gpus = scenario_.inputs[Input::gpus];
        if (activity_.power > 0 && rate > 0) {
            const double joules = activity_.power * gpus / rate;
            out.parameters.push_back(measuredFigure(
                "energy_per_token", "GPU energy per token", "J", notMeasured, joules, joules * (1 - known()),
                joules * (1 + known()), "GPU boards only, without host and cooling"));
        }
        checkpoints(out);
        failures(findings, out);
    }

    std::vector<LivePoint> points() const {
        std::vector<LivePoint> out;
        // The mean of the windows is known better than a window: a distant prior must not outweigh it.
        const double sd = std::max(spread() / std::sqrt(static_cast<double>(windows_.size())), leastStepSd);
        for (const double seconds : windows_) { // windows repeat one measurement: together they count as one
            out.push_back(
                {.measured = seconds,
                 .sd = sd,
                 .weight = 1 / static_cast<double>(windows_.size()),
                 .predict = [this](const std::vector<double>& theta) { return at(theta).stepTime; }});
        }
        if (activity_.compute > 0 && activity_.compute < step_) {
            out.push_back(
                {.measured = activity_.compute,
                 .sd = computeSd,
                 .weight = 1,
                 .predict = [this](const std::vector<double>& theta) { return computePart(at(theta)); },
                 .judged = false});
        }
        return out;
    }

    /// How well a mean over the windows is known: as they scatter, at best as well as exporters round.
    double known() const { return std::max(spread(), 0.005); }
    double spread() const { return spreadOf(windows_).relative; }
    std::size_t windows() const { return windows_.size(); }
    const JobActivity& activity() const { return activity_; }

private:
    std::string tensorFigures(double mfu, LiveCalibration& out) const {
        const Gpu* gpu = nullptr;
        if (const Instance* instance = catalog_.instance(scenario_.hostType))
            gpu = catalog_.gpu(instance->gpu);
        else if (scenario_.spec.cluster.custom.gpu)
            gpu = catalog_.gpu(*scenario_.spec.cluster.custom.gpu);
        const std::optional<double> sheet = gpu ? sheetClock(*gpu) : std::nullopt;
        if (!sheet || !(activity_.tensorClock > 0)) {
            out.notes.push_back(sheet
                                    ? "Tensor activity or clock is not measured, so tensor FLOP/s and GEMM "
                                      "efficiency are unknown."
                                    : "The clock at which this GPU reaches its data sheet peak is unknown.");
            return {};
        }
        const double ofu = activity_.tensorClock / *sheet;
        if (ofu * (1 + countingError) < mfu) {
            return "MFU, " + figureText(100 * mfu, " %") + ", is above what the tensor pipes did, " +
                   figureText(100 * ofu, " %") +
                   ", which is physically impossible; likely the FLOP of the scenario's model, its batch or "
                   "its number of GPUs do not match the job";
        }
        out.parameters.push_back(measuredFigure(
            "ofu", "FLOP/s of the tensor pipes / peak", "ratio", totals_->hfu, ofu, ofu * 0.98, ofu * 1.02,
            "tensor activity x clock, averaged as product, / " + figureText(*sheet / 1e6, " MHz") +
                ", the clock of the data sheet"));
        out.parameters.push_back(
            measuredFigure("recompute_and_tiles", "Recomputation x tile overhead", "ratio",
                           totals_->hfu / totals_->mfu, ofu / mfu, 0.97 * ofu / mfu, 1.03 * ofu / mfu,
                           "product only; above 1.35: full recomputation; below 1: wrong FLOP count"));
        out.parameters.push_back(
            measuredFigure("sustained_clock", "Clock under load", "Hz", *sheet, activity_.clock,
                           activity_.clock * (1 - known()), activity_.clock * (1 + known()),
                           figureText(activity_.clock / *sheet) + " of the data sheet's"));
        if (activity_.sm > 0) {
            const double useful =
                mfu * totals_->hfu / totals_->mfu; // padding of tiles is not counted as useful
            out.parameters.push_back(boundedFigure(
                "gemm_efficiency", "GEMM efficiency", "ratio", scenario_.inputs[Input::gemmComputeEfficiency],
                std::min(ofu, useful) / activity_.sm, 1,
                std::string(activity_.smIsEngine
                                ? "FLOP/s / graphics engine active (SM active is not exported), 1"
                                : "FLOP/s / SM active, 1") +
                    ": the share of time in GEMMs is unknown; use a trace or a GEMM benchmark"));
        }
        return {};
    }

    void checkpoints(LiveCalibration& out) const {
        const SignalTable* table = o_.table(Signal::checkpointShare);
        if (!table || table->rows.empty())
            return;
        const std::vector<double> share = meanOfRows(*table, o_.grid.points);
        double seconds = 0, count = 0, measured = 0;
        bool inside = false;
        for (const double each : share) {
            const bool now = each > 0.003;
            count += now && !inside ? 1 : 0;
            inside = now;
            seconds += std::isfinite(each) ? each * o_.grid.step : 0;
            measured += std::isfinite(each) ? o_.grid.step : 0;
        }
        if (count > 0) {
            out.parameters.push_back(measuredFigure("checkpoint_seconds", "Blocking time per checkpoint", "s",
                                                    scenario_.inputs[Input::checkpointStall], seconds / count,
                                                    seconds / (count + 1), seconds / count,
                                                    figureText(count) + " checkpoints, " +
                                                        figureText(100 * seconds / measured, " %") +
                                                        " of the time; asynchronous ones hide"));
        }
    }

    void failures(const std::vector<Finding>& findings, LiveCalibration& out) const {
        const double stops = static_cast<double>(std::ranges::count_if(findings, [](const Finding& f) {
            const bool stopped = f.cost && f.cost->seconds > 0; // evidence of one cause is one finding
            return f.kind == FaultKind::restart || f.kind == FaultKind::stall ||
                   (stopped && (f.kind == FaultKind::xid || f.kind == FaultKind::doubleBitErrors));
        }));
        const double hours = scenario_.inputs[Input::gpus] * static_cast<double>(o_.grid.points) *
                             o_.grid.step / secondsPerHour;
        const PoissonInterval rate = poissonInterval(stops, hours);
        CalibratedParameter p =
            boundedFigure("gpu_hours_per_restart", "GPU hours between restarts of the job", "h",
                          scenario_.inputs[Input::gpuHoursPerFailure], 1 / rate.high, 1 / rate.low,
                          figureText(stops) + " in " + figureText(hours) + " GPU hours, Poisson");
        p.after = stops > 0 ? hours / stops : notMeasured;
        p.interval = stops == 0;
        out.parameters.push_back(std::move(p));
    }

    /// What a node computes by itself: arithmetic, HBM traffic, launches.
    static double computePart(const Totals& totals) {
        const auto part = [&totals](StepPart p) { return totals.parts[static_cast<std::size_t>(p)]; };
        return part(StepPart::compute) + part(StepPart::hbm) + part(StepPart::launch);
    }

    const Totals& at(const std::vector<double>& theta) const {
        thread_local const auto scratch = std::make_unique<Totals>();
        evaluate<double>(scenario_, constants_.inputs(theta), *scratch);
        return *scratch;
    }

    const LiveConstants& constants_;
    const Scenario& scenario_;
    const Catalog& catalog_;
    const Observation& o_;
    const UsableTime& time_;
    JobActivity activity_;
    std::unique_ptr<Totals> totals_; ///< by the profile
    std::vector<double> windows_;
    double step_ = 0;
};

} // namespace

Result<LiveCalibration> calibrateTraining(const LiveConstants& constants, const Catalog& catalog,
                                          const Observation& observation, const UsableTime& time,
                                          const std::vector<Finding>& findings) {
    const Job job(constants, catalog, observation, time);
    if (const std::string wrong = job.check(); !wrong.empty())
        return Error{wrong};
    LiveCalibration out;
    out.evidence = CalibrationEvidence::training;
    out.quantity = "step time";
    out.samples = job.windows();
    out.spread = job.spread();
    std::tie(out.start, out.end) = spanOf(time, observation.grid);
    if (const std::string wrong = job.utilization(out); !wrong.empty())
        return Error{wrong};
    job.communication(out);
    job.operation(findings, out);
    fitLive(constants, job.points(), out);
    const double tdp = constants.scenario().inputs[Input::gpuPower];
    if (job.activity().power > 0 && tdp > 0)
        constants.measure(Input::powerUtilization, std::min(1.0, job.activity().power / tdp), leastSd, out);
    return out;
}

} // namespace alidade
