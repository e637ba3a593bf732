// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/observation/plan_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

constexpr double jobEndLooksBack = 300; ///< s that "now" looks back where a job has ended
constexpr double nowLooksBack = 150;    ///< s that the newest value of a series may be old to be "now"

/// Whether a host does what is compared.
bool belongs(const PlanView& view, const std::string& host) {
    return view.cluster.role(host) == (view.serves ? HostRole::serving : HostRole::training);
}

std::vector<double> foldJob(const PlanView& view, const SignalTable& table, bool mean, bool most) {
    const std::size_t points = view.cluster.points();
    std::vector<double> out(points, notMeasured);
    std::vector<int> counts(points, 0);
    const bool byHost = signalInfo(table.signal).scope != SignalScope::job &&
                        signalInfo(table.signal).scope != SignalScope::engine;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (byHost && !belongs(view, table.rows[row].host))
            continue;
        const std::span<const double> values = table.row(row, points);
        for (std::size_t i = 0; i < points; ++i) {
            if (std::isfinite(values[i])) {
                out[i] = counts[i] == 0 ? values[i] : most ? std::max(out[i], values[i]) : out[i] + values[i];
                ++counts[i];
            }
        }
    }
    for (std::size_t i = 0; mean && i < points; ++i)
        out[i] = counts[i] > 0 ? out[i] / counts[i] : notMeasured;
    return out;
}

std::string howOf(const SignalTable& table, std::string_view what) {
    std::string out = std::string(what) + (what.empty() ? "" : " of ") + table.metric;
    if (!table.expression.empty())
        out += ": " + table.expression;
    return table.note.empty() ? out : out + " (" + table.note + ")";
}

using Plan = std::optional<PlannedFigure>;

/// A line of one signal. \param times unit of the chart over that of the signal
void addSignal(const PlanView& view, PlanActual& out, Signal signal, ChartLine line, std::string_view what,
               std::vector<double> (*fold)(const PlanView&, const SignalTable&), double times = 1) {
    const SignalTable* table = view.cluster.table(signal);
    if (table == nullptr)
        return;
    line.how = howOf(*table, what);
    line.expression = table->expression;
    std::vector<double> measured = fold(view, *table);
    for (double& value : measured)
        value *= times;
    addChart(view, out, std::move(line), std::move(measured));
}

std::vector<double> jobMost(const PlanView& view, const SignalTable& table) {
    return foldJob(view, table, false, true);
}

/// MFU by the plan's own count of FLOPs where there is a plan, so that both sides mean the same.
void addUtilization(const PlanView& view, PlanActual& out) {
    ChartLine line{"mfu", "MFU", "ratio", {}, {}, {}, {}, {}};
    const Training* plan = view.estimate && view.estimate->training ? &*view.estimate->training : nullptr;
    if (plan)
        line.plan = rateBand(*view.estimate).around(plan->mfu);
    const SignalTable* tokens = view.cluster.table(Signal::tokensPerSecond);
    const SignalTable* told = view.cluster.table(Signal::modelFlopsUtilization);
    const SignalTable* flops = view.cluster.table(Signal::modelFlopsPerGpu);
    std::vector<double> measured;
    if (plan && tokens && plan->tokensPerSecond > 0 && view.gpus > 0) {
        const double perToken = plan->mfu / plan->tokensPerSecondPerGpu / static_cast<double>(view.gpus);
        measured = jobMean(view, *tokens);
        std::ranges::for_each(measured, [&](double& value) { value *= perToken; });
        line.how = howOf(*tokens, "tokens/s") + ", times the plan's FLOPs of a token (" +
                   plan->flopsConvention + ") over the peak of " + std::to_string(view.gpus) + " GPUs";
    } else if (told) {
        measured = jobMean(view, *told);
        line.how = howOf(*told, "as the job reports it");
    } else if (plan && flops) {
        measured = jobMean(view, *flops);
        std::ranges::for_each(measured, [&](double& value) { value /= plan->mfuPeakFlopsPerSecond; });
        line.how = howOf(*flops, "model FLOP/s") + ", over the plan's peak; the job counts the FLOPs";
    }
    addChart(view, out, std::move(line), std::move(measured));
}

/// Whether a value at a point may represent the present: only moments came after it, and no gap.
bool isNow(const PlanView& view, std::size_t point) {
    const std::size_t after = view.cluster.points() - point - 1;
    return view.cluster.gaps().observedIn(point + 1, view.cluster.points()) == after &&
           after <= std::max<std::size_t>(2, view.cluster.pointsIn(nowLooksBack));
}

} // namespace

std::vector<double> jobMean(const PlanView& view, const SignalTable& table) {
    return foldJob(view, table, true, false);
}
std::vector<double> jobSum(const PlanView& view, const SignalTable& table) {
    return foldJob(view, table, false, false);
}

double meanOfSeries(const PlanView& view, const std::vector<double>& values, bool running) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool stands = running && i < view.job.stopped.size() && view.job.stopped[i] == Sign::yes;
        if (std::isfinite(values[i]) && !stands) {
            sum += values[i];
            ++n;
        }
    }
    return n > 0 ? sum / n : notMeasured;
}

void addChart(const PlanView& view, PlanActual& out, ChartLine line, std::vector<double> measured) {
    const auto finite = [](double value) { return std::isfinite(value); };
    if (std::ranges::none_of(measured, finite))
        return;
    const std::size_t until = std::min(view.until.value_or(measured.size()), measured.size());
    const auto tail = static_cast<std::ptrdiff_t>(measured.size() - until);
    const auto newest = std::find_if(measured.rbegin() + tail, measured.rend(), finite);
    if (newest != measured.rend() &&
        (tail > 0 || isNow(view, static_cast<std::size_t>(measured.rend() - newest) - 1))) {
        line.now = *newest;
    }
    if (tail > 0) { // rates over minutes fall before the last step is told: the usual value of the end
        const std::size_t few = std::min(until, view.cluster.pointsIn(jobEndLooksBack));
        std::vector<double> last;
        std::copy_if(measured.begin() + static_cast<std::ptrdiff_t>(until - few),
                     measured.begin() + static_cast<std::ptrdiff_t>(until), std::back_inserter(last), finite);
        line.now = last.empty() ? line.now : lowerMedian(last);
    }
    line.mean = meanOfSeries(view, measured, false);
    line.measured = std::move(measured);
    out.charts.push_back(std::move(line));
}

std::vector<double> tensorWork(const PlanView& view) {
    const SignalTable* active = view.cluster.table(Signal::tensorActive);
    const SignalTable* clock = view.cluster.table(Signal::smClock);
    const std::optional<double> peak =
        view.estimate ? assumedValue(*view.estimate, "bf16_peak") : std::nullopt;
    const std::optional<double> at = peak ? peakClock(*peak) : std::nullopt;
    if (!active || !clock || !at)
        return {};
    const std::size_t points = view.cluster.points();
    std::vector<double> out(points, 0);
    std::vector<int> counts(points, 0);
    for (std::size_t row = 0; row < active->rows.size(); ++row) {
        const Entity& where = active->rows[row];
        const auto same = std::ranges::lower_bound(clock->rows, where);
        if (!belongs(view, where.host) || same == clock->rows.end() || *same != where)
            continue;
        const std::span<const double> a = active->row(row, points);
        const std::span<const double> c =
            clock->row(static_cast<std::size_t>(same - clock->rows.begin()), points);
        for (std::size_t i = 0; i < points; ++i) {
            if (std::isfinite(a[i]) && std::isfinite(c[i])) {
                out[i] += a[i] * c[i] / *at;
                ++counts[i];
            }
        }
    }
    for (std::size_t i = 0; i < points; ++i)
        out[i] = counts[i] > 0 ? out[i] / counts[i] : notMeasured;
    return out;
}

void addTrainingCharts(const PlanView& view, PlanActual& out) {
    const Training* plan = view.estimate && view.estimate->training ? &*view.estimate->training : nullptr;
    const auto planned = [&](double value, bool time = false) {
        return !plan || !(value > 0)
                   ? Plan()
                   : Plan((time ? timeBand(*view.estimate) : rateBand(*view.estimate)).around(value));
    };
    const StepVolumes volumes = plan ? stepVolumes(*view.estimate) : StepVolumes{};
    const double step = plan ? plan->stepTime : 1;
    const auto assumed = [&](std::string_view name) {
        return plan ? assumedValue(*view.estimate, name).value_or(0) : 0;
    };
    ChartLine steps{"step_time", "Step time", "s", {}, planned(plan ? plan->stepTime : 0, true), {}, {}, {}};
    if (view.cluster.table(Signal::stepTime)) {
        addSignal(view, out, Signal::stepTime, steps, "", jobMean);
    } else if (!view.job.stepTimeIsRelative) {
        steps.how = "1 / steps per second";
        addChart(view, out, steps, view.job.stepTime);
    }
    addSignal(view, out, Signal::tokensPerSecond,
              {"tokens_per_s",
               "Tokens per second",
               "tokens/s",
               {},
               planned(plan ? plan->tokensPerSecond : 0),
               {},
               {},
               {}},
              "", jobMean);
    addUtilization(view, out);
    ChartLine memory{"gpu_memory", "GPU memory, fullest GPU", "bytes", {}, {}, {}, {}, {}};
    if (plan && view.estimate->memory) {
        const Memory& of = *view.estimate->memory;
        memory.plan = PlannedFigure{of.totalBytes, of.lowBytes, of.highBytes};
    }
    addSignal(view, out, Signal::memoryUsed, memory, "largest", jobMost);
    addSignal(view, out, Signal::nvlinkTransmit,
              {"nvlink_per_gpu",
               "NVLink sent, per GPU",
               "bytes/s",
               {},
               planned(volumes.nvlinkBytes / step),
               {},
               {},
               {}},
              "mean (link headers are in it, about 6 %)", jobMean);
    const double gpusPerHost =
        view.gpus > 0 && !view.cluster.training().empty()
            ? static_cast<double>(view.gpus) / static_cast<double>(view.cluster.training().size())
            : 1;
    addSignal(
        view, out, Signal::efaTransmit,
        {"efa_per_gpu", "EFA sent, per GPU", "bytes/s", {}, planned(volumes.networkBytes / step), {}, {}, {}},
        "mean of the nodes over their GPUs (headers are in it, about 2 %)", jobMean, 1 / gpusPerHost);
    const double bandwidth = assumed("hbm_bandwidth");
    addSignal(view, out, Signal::dramActive,
              {"hbm_active",
               "HBM active",
               "ratio",
               {},
               planned(bandwidth > 0 ? volumes.memoryBytes / step / bandwidth : 0),
               {},
               {},
               {}},
              "mean", jobMean);
    const double peak = assumed("peak");
    std::vector<double> work = tensorWork(view);
    if (!work.empty()) {
        addChart(view, out,
                 {"tensor_work",
                  "Tensor work, share of the peak",
                  "ratio",
                  {},
                  planned(peak > 0 ? plan->hfu * plan->mfuPeakFlopsPerSecond / peak : 0),
                  {},
                  {},
                  "tensor pipes active x SM clock / clock of the published peak"},
                 std::move(work));
    } else {
        addSignal(view, out, Signal::tensorActive,
                  {"tensor_active", "Tensor pipes active", "ratio", {}, {}, {}, {}, {}}, "mean", jobMean);
    }
    const double power = assumed("gpu_power") * assumed("power_utilisation");
    ChartLine watts{"power_per_gpu", "Power per GPU", "W", {}, planned(power), {}, {}, {}};
    addSignal(view, out, Signal::gpuPower, watts, "mean", jobMean);
}

void addServingCharts(const PlanView& view, PlanActual& out) {
    const Serving* plan = view.estimate && view.estimate->serving ? &*view.estimate->serving : nullptr;
    const auto planned = [&](double value, bool time) {
        return !plan || !(value > 0)
                   ? Plan()
                   : Plan((time ? timeBand(*view.estimate) : rateBand(*view.estimate)).around(value));
    };
    struct Latency {
        Signal signal;
        std::string_view id, title;
        double mean;
        Percentiles percentiles;
        RelativeBand band;
    };
    const RelativeBand first = plan ? firstTokenBand(*view.estimate) : RelativeBand{};
    const RelativeBand later = plan ? timeBand(*view.estimate) : RelativeBand{};
    const std::array latencies{Latency{Signal::timeToFirstToken, "ttft", "TTFT", plan ? plan->ttft : 0,
                                       plan ? plan->ttftPercentiles : Percentiles{}, first},
                               Latency{Signal::interTokenLatency, "itl", "ITL", plan ? plan->itl : 0,
                                       plan ? plan->itlPercentiles : Percentiles{}, later}};
    for (const Latency& each : latencies) {
        const Percentiles& p = each.percentiles;
        const std::array statistics{
            std::tuple(Statistic::mean, "mean", each.mean), std::tuple(Statistic::p50, "p50", p.p50),
            std::tuple(Statistic::p90, "p90", p.p90), std::tuple(Statistic::p95, "p95", p.p95),
            std::tuple(Statistic::p99, "p99", p.p99)};
        for (const auto& [statistic, name, value] : statistics) {
            const SignalTable* table = view.cluster.observation().table(each.signal, statistic);
            if (table == nullptr)
                continue;
            ChartLine line{std::string(each.id) + '_' + name,
                           std::string(each.title) + ", " + name,
                           "s",
                           {},
                           value > 0 ? Plan(each.band.around(value)) : Plan(),
                           {},
                           {},
                           {}};
            line.expression = table->expression;
            line.how = howOf(*table, table->rows.size() > 1 ? "mean of the engines'" : "");
            addChart(view, out, std::move(line), jobMean(view, *table));
        }
    }
    addSignal(view, out, Signal::generationTokensPerSecond,
              {"output_tokens_per_s",
               "Output tokens per second",
               "tokens/s",
               {},
               planned(plan ? plan->outputTokensPerSecond : 0, false),
               {},
               {},
               {}},
              "sum", jobSum);
    // Throughput is next to the headline latency.
    if (out.charts.size() > 2 && out.charts.back().id == "output_tokens_per_s")
        std::rotate(out.charts.begin() + 1, out.charts.end() - 1, out.charts.end());
    addSignal(view, out, Signal::promptTokensPerSecond,
              {"prompt_tokens_per_s",
               "Prompt tokens per second",
               "tokens/s",
               {},
               planned(plan ? plan->inputTokensPerSecond : 0, false),
               {},
               {},
               {}},
              "sum", jobSum);
    addSignal(view, out, Signal::requestsRunning,
              {"requests_running",
               "Requests running",
               "1",
               {},
               planned(plan ? plan->concurrency - plan->requestsPerSecond * plan->queueTime : 0, true),
               {},
               {},
               {}},
              "sum", jobSum);
    addSignal(view, out, Signal::requestsWaiting,
              {"requests_waiting",
               "Requests waiting",
               "1",
               {},
               planned(plan ? plan->requestsPerSecond * plan->queueTime : 0, true),
               {},
               {},
               {}},
              "sum", jobSum);
    double use = 0;
    if (plan && !plan->pools.empty()) {
        const Pool& pool = plan->pools.back(); // decodes
        const WorkloadSpec& load = view.estimate->scenario.workload;
        const double context = load.inputTokens.value_or(0) + load.outputTokens.value_or(0) / 2;
        use = pool.kvTokens > 0 ? std::min(1.0, pool.batch * context / pool.kvTokens) : 0;
    }
    addSignal(view, out, Signal::kvCacheUse,
              {"kv_use", "KV cache in use", "ratio", {}, planned(use, true), {}, {}, {}}, "mean", jobMean);
    const double hits = view.estimate ? view.estimate->scenario.workload.prefixCacheHit.value_or(0) : 0;
    addSignal(view, out, Signal::prefixHitShare,
              {"prefix_hits",
               "Prefix cache hits",
               "ratio",
               {},
               plan && hits > 0 ? Plan(PlannedFigure{hits, hits, hits}) : Plan(),
               {},
               {},
               {}},
              "mean", jobMean);
    addSignal(view, out, Signal::queueTime,
              {"queue_time",
               "Time in the queue",
               "s",
               {},
               plan && plan->queueTime > 0 ? Plan(first.around(plan->queueTime)) : Plan(),
               {},
               {},
               {}},
              "mean", jobMean);
    addSignal(view, out, Signal::preemptionsPerSecond,
              {"preemptions_per_s", "Preemptions per second", "1", {}, {}, {}, {}, {}}, "sum", jobSum);
    addSignal(view, out, Signal::gpuPower, {"power_per_gpu", "Power per GPU", "W", {}, {}, {}, {}, {}},
              "mean", jobMean);
}

} // namespace alidade
