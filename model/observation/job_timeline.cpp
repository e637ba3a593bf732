// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/job_timeline.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

/// Below this share of its usual level an activity counts as none, above `worksFrom` as work. Checkpoints
/// that are shorter than the exporter's window lie between.
constexpr double idlesTo = 0.1, worksFrom = 0.3;
constexpr double busyWithNothing = 0.9; ///< GPU utilization of a hang: a kernel waits
constexpr double freedBelow = 0.2;      ///< of the memory that the job usually holds
constexpr double inCheckpoint = 0.3;    ///< share of the time
constexpr double shortestStop = 60;     ///< s
constexpr double unknownPause =
    600; ///< s with idle GPUs that may be a checkpoint, where nothing reports them
constexpr double finishedAfter = 1800; ///< s at the end of the observed time: the job is over, not ill

bool hasWord(std::string_view text, std::string_view word) {
    return std::ranges::search(text, word, [](char a, char b) {
               return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
           }).begin() != text.end();
}

/// The value at a point, or NaN where the series is not measured at all.
double valueAt(const std::vector<double>& values, std::size_t i) {
    return i < values.size() ? values[i] : notMeasured;
}

/// The job's row: mean over rows where several processes tell the same.
std::vector<double> jobRow(const ClusterDigest& cluster, Signal signal, bool largest = false) {
    const SignalTable* table = cluster.table(signal);
    if (table == nullptr)
        return {};
    std::vector<double> out(cluster.points(), notMeasured);
    std::vector<int> counts(out.size(), 0);
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
        const std::span<const double> values = table->row(row, out.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (!std::isfinite(values[i]))
                continue;
            out[i] = counts[i] == 0 ? values[i] : largest ? std::max(out[i], values[i]) : out[i] + values[i];
            ++counts[i];
        }
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = counts[i] > 1 && !largest ? out[i] / counts[i] : out[i];
    return out;
}

/// Everything that tells whether the job makes steps, each point.
struct StepSigns {
    std::vector<double> activity, busy, memory, network, lastStep, stepRate, checkpoint, exporterUp;
    double activityLevel = 0, memoryLevel = 0, networkLevel = 0, stepRateLevel = 0;
    double stepTime = 0; ///< usual; 0: not known
    double usualAge = 0; ///< of the last step when it is seen

    double age(const TimeGrid& grid, std::size_t i) const { return grid.at(i) - valueAt(lastStep, i); }
    bool checkpoints(std::size_t i) const { return valueAt(checkpoint, i) >= inCheckpoint; }
    bool gone(std::size_t i) const {
        return (memoryLevel > 0 && valueAt(memory, i) < freedBelow * memoryLevel) ||
               valueAt(exporterUp, i) < 0.5;
    }
    bool works(std::size_t i) const {
        return activityLevel > 0 && valueAt(activity, i) >= worksFrom * activityLevel;
    }
    bool still(std::size_t i) const {
        return activityLevel > 0 && valueAt(activity, i) <= idlesTo * activityLevel &&
               !(networkLevel > 0 && valueAt(network, i) > worksFrom * networkLevel);
    }
};

std::vector<double> exporterOf(const ClusterDigest& cluster) {
    const SignalTable* up = cluster.table(Signal::targetUp);
    std::vector<double> out;
    for (std::size_t row = 0; up != nullptr && row < up->rows.size(); ++row) {
        if (!isJobExporter(up->rows[row].part))
            continue;
        const std::span<const double> values = up->row(row, cluster.points());
        out.resize(values.size(), notMeasured);
        for (std::size_t i = 0; i < out.size(); ++i) // one that answers is enough
            out[i] = std::isfinite(values[i]) ? std::fmax(out[i], values[i]) : out[i];
    }
    return out;
}

/// Share of the time in checkpoints; where nothing reports them, the bursts of writing.
std::vector<double> checkpointsOf(const ClusterDigest& cluster) {
    std::vector<double> out = jobRow(cluster, Signal::checkpointShare);
    if (!out.empty())
        return out;
    const SignalTable* writes = cluster.table(Signal::lustreWrite);
    if (writes == nullptr)
        return {};
    out = cluster.jobMedian(Signal::lustreWrite, Fold::sum);
    const double most = quantileOf(out, 1), usual = quantileOf(out, 0.5);
    const bool bursts = most > 0 && most > 5 * usual;
    for (double& value : out)
        value = bursts ? value / most : 0;
    return bursts ? out : std::vector<double>();
}

double usualLevel(const std::vector<double>& values) {
    const double high = quantileOf(values, 0.75);
    return std::isfinite(high) ? high : 0;
}

StepSigns signsOf(const ClusterDigest& cluster) {
    StepSigns out;
    out.activity = cluster.jobMedian(Signal::tensorActive, Fold::mean);
    out.activityLevel = usualLevel(out.activity);
    if (out.activityLevel < 0.02) // a job without tensor work, or not measured
        out.activityLevel = 0;
    out.busy = cluster.jobMedian(Signal::gpuUtilization, Fold::mean);
    out.memory = cluster.jobMedian(Signal::memoryUsed, Fold::most, true);
    out.memoryLevel = usualLevel(out.memory);
    if (cluster.training().size() > 1) {
        out.network = cluster.jobMedian(Signal::efaTransmit, Fold::sum);
        out.networkLevel = usualLevel(out.network);
    }
    out.lastStep = jobRow(cluster, Signal::lastStep, true);
    out.stepRate = jobRow(cluster, Signal::stepsPerSecond);
    out.stepRateLevel = usualLevel(out.stepRate);
    out.checkpoint = checkpointsOf(cluster);
    out.exporterUp = exporterOf(cluster);
    std::vector<double> ages;
    for (std::size_t i = 0; i < out.lastStep.size(); ++i)
        ages.push_back(out.age(cluster.grid(), i));
    const double usual = quantileOf(ages, 0.5);
    out.usualAge = std::isfinite(usual) ? std::max(0.0, usual) : 0;
    return out;
}

std::vector<double> stepTimesOf(const ClusterDigest& cluster, bool& relative) {
    std::vector<double> out = jobRow(cluster, Signal::stepTime);
    relative = false;
    if (out.empty()) {
        out = jobRow(cluster, Signal::tokensPerSecond);
        relative = true;
    }
    if (out.empty()) {
        out = jobRow(cluster, Signal::stepsPerSecond);
        relative = false;
    }
    const bool rate = cluster.table(Signal::stepTime) == nullptr;
    for (double& value : out)
        value = !(value > 0) ? notMeasured : rate ? 1 / value : value;
    return out;
}

Sign stoppedAt(const StepSigns& signs, const TimeGrid& grid, std::size_t i, double stallSteps) {
    if (signs.works(i))
        return Sign::no;
    if (signs.gone(i))
        return Sign::yes;
    const double age = signs.age(grid, i);
    const double late = std::max(stallSteps * signs.stepTime, shortestStop / 2) + signs.usualAge;
    const bool old = std::isfinite(age) && signs.stepTime > 0 && age > late;
    if (signs.checkpoints(i) && !(old && age > late + 2 * shortestStop))
        return Sign::no;
    if (old || signs.still(i))
        return Sign::yes;
    if (signs.stepRateLevel > 0 && valueAt(signs.stepRate, i) <= 0.02 * signs.stepRateLevel)
        return Sign::yes;
    const bool told = std::isfinite(valueAt(signs.activity, i)) || std::isfinite(age) ||
                      std::isfinite(valueAt(signs.stepRate, i));
    return told ? Sign::no : Sign::unknown;
}

/// Time between the end of the last checkpoint and the stop, or nothing where the checkpoints run together.
/// A rate rises within a point of the checkpoint's start, and its area is the checkpoint's length.
std::optional<double> sinceCheckpoint(const ClusterDigest& cluster, const JobStop& stop) {
    const std::vector<double> share = jobRow(cluster, Signal::checkpointShare);
    if (share.empty() || !(quantileOf(share, 1) > 0))
        return std::nullopt;
    const double quiet = 0.02 * quantileOf(share, 1);
    std::size_t i = std::min(stop.span.begin + 1, share.size());
    while (i > 1 && !(share[i - 1] > quiet && share[i - 2] <= quiet))
        --i;
    if (i <= 1)
        return std::nullopt;
    double length = 0;
    for (std::size_t k = i - 1; k < stop.span.begin && share[k] > quiet; ++k)
        length += share[k] * cluster.step();
    const double end = cluster.grid().at(i - 1) - cluster.step() / 2 + length;
    return std::max(0.0, stop.start - end);
}

JobStop stopOf(const ClusterDigest& cluster, const StepSigns& signs, const PointSpan& span) {
    const TimeGrid& grid = cluster.grid();
    JobStop out;
    out.span = span;
    out.start = grid.at(span.begin);
    // What the data end with goes on, as far as known.
    out.lasts = cluster.gaps().observedIn(span.end, grid.points) == 0;
    out.end = out.lasts ? grid.at(span.end - 1) : grid.at(span.end) - grid.step / 2;
    out.before = cluster.gaps().observedIn(0, span.begin) == 0;
    const double last = valueAt(signs.lastStep, span.begin);
    if (std::isfinite(last) && last < out.start)
        out.start = out.before ? last : std::max(last, grid.at(span.begin - 1) - signs.usualAge);
    for (std::size_t i = span.begin; i < span.end; ++i) {
        const bool gone = signs.gone(i);
        out.processGone = out.processGone || gone;
        // At its last point the GPUs may be at work again, which a mean over the last window does not show
        // yet.
        const bool resumes = i + 1 == span.end && !out.lasts;
        out.hung += !gone && !resumes && valueAt(signs.busy, i) >= busyWithNothing ? grid.step : 0;
    }
    out.hung = out.hung > 0 ? std::min(out.hung + (grid.at(span.begin) - out.start), out.end - out.start) : 0;
    return out;
}

/// Stops that come again and again, alike and with idle GPUs, are checkpoints or evaluations.
void dropRecurring(std::vector<JobStop>& stops) {
    std::vector<double> lengths;
    for (const JobStop& stop : stops)
        if (!stop.processGone && stop.hung == 0)
            lengths.push_back(stop.end - stop.start);
    if (lengths.size() < 3)
        return;
    const double usual = lowerMedian(lengths);
    std::erase_if(stops, [&](const JobStop& stop) {
        return !stop.processGone && stop.hung == 0 && stop.end - stop.start <= 2 * usual;
    });
}

bool isStop(const JobStop& stop, const StepSigns& signs, double stallSteps) {
    const double length = stop.end - stop.start;
    const bool certain = stop.processGone || (stop.hung > 0 && signs.still(stop.span.begin));
    if (length < std::max(stallSteps * signs.stepTime, shortestStop) || (stop.span.hits < 2 && !certain))
        return false;
    if (!stop.processGone && stop.hung == 0 && signs.checkpoint.empty() && length < unknownPause)
        return false;
    if (stop.before) // warming up, unless it had made steps, or the GPUs wait in a kernel for long
        return std::isfinite(valueAt(signs.lastStep, 0)) || stop.hung >= 10 * shortestStop;
    return !(stop.lasts && stop.processGone && length > finishedAfter);
}

} // namespace

bool isJobExporter(std::string_view part) {
    constexpr std::array words{"train", "megatron", "nemo", "torchtitan", "deepspeed", "lightning"};
    return std::ranges::any_of(words, [&](std::string_view word) { return hasWord(part, word); });
}

bool isEngineExporter(std::string_view part) {
    constexpr std::array words{"vllm",     "sglang", "dynamo", "trtllm",
                               "tensorrt", "triton", "engine", "serving"};
    return std::ranges::any_of(words, [&](std::string_view word) { return hasWord(part, word); });
}

JobTimeline jobTimeline(const ClusterDigest& cluster, double stallSteps) {
    JobTimeline out;
    if (cluster.training().empty() || cluster.points() == 0)
        return out;
    StepSigns signs = signsOf(cluster);
    out.stepTime = stepTimesOf(cluster, out.stepTimeIsRelative);
    const double usual = out.stepTimeIsRelative ? notMeasured : quantileOf(out.stepTime, 0.5);
    signs.stepTime = std::isfinite(usual) ? usual : 0;
    out.activity = signs.activity;
    for (std::size_t i = 0; i < cluster.points(); ++i) {
        out.stopped.push_back(cluster.unobserved(i) ? Sign::unknown
                                                    : stoppedAt(signs, cluster.grid(), i, stallSteps));
    }
    const std::vector<PointSpan> spans =
        spansWhere(cluster.points(), [&](std::size_t i) { return out.stopped[i]; }, 0, cluster.pointsIn(300));
    for (const PointSpan& span : spans) {
        JobStop stop = stopOf(cluster, signs, span);
        if (isStop(stop, signs, stallSteps))
            out.stops.push_back(stop);
    }
    dropRecurring(out.stops);
    for (JobStop& stop : out.stops)
        if (!stop.lasts && stop.processGone)
            stop.redone = sinceCheckpoint(cluster, stop);
    return out;
}

PointSpan timeOfJob(const JobTimeline& job, std::size_t points) {
    PointSpan out{0, points};
    const auto known = [&](std::size_t i) {
        const bool told = i < job.stepTime.size() && std::isfinite(job.stepTime[i]);
        return told ||
               std::ranges::any_of(job.stops, [&](const JobStop& each) { return each.span.contains(i); });
    };
    while (out.begin < points && !known(out.begin))
        ++out.begin;
    while (out.end > out.begin && !known(out.end - 1))
        --out.end;
    return out;
}

} // namespace alidade
