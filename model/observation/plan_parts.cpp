// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/plan_parts.h"

#include "model/base/quantiles.h"
#include "model/observation/health_policy.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

/// The headline is a throughput in training, a latency or a throughput in serving: a rate where its unit
/// says.
struct HeadlineBand {
    double below = 1, above = 1; ///< of a rate
};

HeadlineBand bandOf(const Estimate& estimate) {
    const auto& headline = estimate.headline;
    if (!headline || !(headline->value > 0) || !(headline->low > 0) || !(headline->high > 0))
        return {};
    const double low = headline->low / headline->value, high = headline->high / headline->value;
    return headline->unit == "s" ? HeadlineBand{1 / high, 1 / low} : HeadlineBand{low, high};
}

/// Dense 16-bit FLOP of a multiprocessor in a cycle: NVIDIA's architecture white papers (A100, H100,
/// Blackwell); times multiprocessors and clock they give the published peaks.
struct TensorPart {
    double peak; ///< FLOP/s, dense, 16 bits
    double multiprocessors, flopPerCycle;
};
constexpr std::array tensorParts{
    TensorPart{312e12, 108, 2048},   // A100 SXM: 1,410 MHz
    TensorPart{989.5e12, 132, 4096}, // H100 and H200 SXM: 1,830 MHz
    TensorPart{2250e12, 148, 8192},  // B200 SXM: 1,856 MHz
};

/// Points up to the last one with a step time, where only moments came after it: a job that stands, or whose
/// exporter has been silent for long, is told by the rest as it is now.
std::optional<std::size_t> pointsUpToLastStep(const PlanView& view) {
    constexpr double mostTail = 300; // s
    const bool stands = !view.job.stops.empty() && view.job.stops.back().lasts;
    std::size_t until = view.job.stepTime.size();
    while (until > 0 && !std::isfinite(view.job.stepTime[until - 1]))
        --until;
    const std::size_t after = view.cluster.points() - until;
    const bool tail = until > 0 && after <= view.cluster.pointsIn(mostTail) &&
                      view.cluster.gaps().observedIn(until, view.cluster.points()) == after;
    return tail && !stands && !view.serves ? std::optional(until) : std::nullopt;
}

} // namespace

RelativeBand rateBand(const Estimate& estimate) {
    const HeadlineBand band = bandOf(estimate);
    return {band.below, band.above};
}

RelativeBand timeBand(const Estimate& estimate) {
    const HeadlineBand band = bandOf(estimate);
    return {1 / band.above, 1 / band.below};
}

RelativeBand firstTokenBand(const Estimate& estimate) {
    const std::optional<double> logSd = assumedValue(estimate, "serving_ttft_log_sd");
    if (!logSd)
        return timeBand(estimate);
    const double factor = std::exp(quantile90 * *logSd);
    return {1 / factor, factor};
}

std::optional<double> assumedValue(const Estimate& estimate, std::string_view name) {
    const auto found =
        std::ranges::find_if(estimate.assumptions, [&](const auto& each) { return each.name == name; });
    return found == estimate.assumptions.end() ? std::nullopt : std::optional(found->value);
}

std::optional<double> peakClock(double densePeak) {
    for (const TensorPart& part : tensorParts)
        if (std::abs(densePeak / part.peak - 1) < 0.005)
            return densePeak / (part.multiprocessors * part.flopPerCycle);
    return std::nullopt;
}

StepVolumes stepVolumes(const Estimate& estimate) {
    StepVolumes out;
    if (!estimate.training)
        return out;
    const Training& training = *estimate.training;
    const double pipeline = static_cast<double>(estimate.scenario.plan.pipelineParallel.value_or(1));
    const auto send = [&](const Communication& each, double times) {
        out.networkBytes += each.networkBytes * times;
        out.nvlinkBytes += each.nvlinkBytes * times;
    };
    for (const Layer& layer : training.layers) {
        // A GPU holds its stage's share of the layers, and they see every micro-batch.
        const double times = layer.count * training.microbatches / pipeline;
        for (const Communication& each : layer.communication)
            send(each, times);
        for (const Operation& op : layer.ops)
            out.memoryBytes += op.bytes * times;
    }
    for (const Communication& each : training.communication)
        send(each, 1);
    return out;
}

void addShares(const PlanView& view, PlanActual& out) {
    const Training* plan = view.estimate && view.estimate->training ? &*view.estimate->training : nullptr;
    const StepVolumes volumes = plan ? stepVolumes(*view.estimate) : StepVolumes{};
    const auto assumed = [&](std::string_view name) -> std::optional<double> {
        return view.estimate ? assumedValue(*view.estimate, name) : std::nullopt;
    };
    const auto modeled = [&](double bytes, std::optional<double> rate) -> std::optional<double> {
        return plan && rate && *rate > 0 ? std::optional(bytes / plan->stepTime / *rate) : std::nullopt;
    };
    const auto measured = [&](std::vector<double> values, std::optional<double> over,
                              double times = 1) -> std::optional<double> {
        const double mean = values.empty() || !over ? NAN : meanOfSeries(view, values, true) * times / *over;
        return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
    };
    const auto series = [&](Signal signal) {
        const SignalTable* table = view.cluster.table(signal);
        return table ? jobMean(view, *table) : std::vector<double>();
    };
    const std::optional<double> peak = assumed("peak");
    ActivityShare tensor{"Tensor pipes", {}, measured(tensorWork(view), 1.0)};
    if (plan && peak)
        tensor.modeled = plan->hfu * plan->mfuPeakFlopsPerSecond / *peak;
    if (!tensor.measured) {
        tensor.measured = measured(series(Signal::tensorActive), 1.0);
        if (tensor.measured && view.estimate) {
            out.notes.emplace_back(
                "The SM clock of the GPU's published peak is not known: tensor pipes are "
                "shown as active at their own clock, which reads higher at a lower clock.");
        }
    }
    const double nodes = static_cast<double>(view.cluster.training().size());
    const double perGpu = view.gpus > 0 && nodes > 0 ? nodes / static_cast<double>(view.gpus) : 1;
    const std::optional<double> nvlink = assumed("nvlink_bandwidth"), network = assumed("network_bandwidth");
    out.shares = {
        tensor,
        {"HBM", modeled(volumes.memoryBytes, assumed("hbm_bandwidth")),
         measured(series(Signal::dramActive), 1.0)},
        {"NVLink", modeled(volumes.nvlinkBytes, nvlink), measured(series(Signal::nvlinkTransmit), nvlink)},
        {"EFA", modeled(volumes.networkBytes, network),
         measured(series(Signal::efaTransmit), network, perGpu)},
    };
    std::erase_if(out.shares, [](const ActivityShare& each) { return !each.modeled && !each.measured; });
}

PlanActual comparePlan(const Observation& observation, const std::vector<Finding>& findings,
                       const Estimate* estimate) {
    const ClusterDigest cluster(observation);
    const JobTimeline job = jobTimeline(cluster, HealthLimits().stallSteps);
    PlanView view{cluster, job, estimate, 0, false};
    for (const Signal signal : {Signal::gpuPower, Signal::smClock, Signal::gpuUtilization, Signal::memoryUsed,
                                Signal::tensorActive}) {
        const SignalTable* table = cluster.table(signal);
        if (table != nullptr) {
            view.gpus = static_cast<std::size_t>(std::ranges::count_if(
                table->rows, [&](const Entity& row) { return cluster.trains(row.host); }));
            break;
        }
    }
    const bool trains = cluster.table(Signal::stepTime) || cluster.table(Signal::tokensPerSecond) ||
                        cluster.table(Signal::stepsPerSecond);
    const bool engines = cluster.table(Signal::timeToFirstToken) ||
                         cluster.table(Signal::interTokenLatency) || cluster.table(Signal::requestsRunning);
    // What runs decides; a plan of the other kind is said to be one, and what was measured stays.
    const bool planServes = estimate && (estimate->serving || estimate->scenario.workload.isServing());
    view.serves = engines != trains ? engines : planServes;
    PlanActual out;
    view.until = pointsUpToLastStep(view);
    if (view.serves) {
        addServingCharts(view, out);
    } else {
        addTrainingCharts(view, out);
        addShares(view, out);
    }
    addBalance(view, findings, out);
    return out;
}

} // namespace alidade
