// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <random>
#include <thread>

// A cluster that exists in memory only: measurements with the faults that the default simulated one has, and
// what a judge would say of them. Written by hand; no model computed it.
namespace alidade::sample {

inline constexpr double liveNow = 1767283200; // 2026-01-01T16:00:00Z
inline constexpr double liveStart = liveNow - 7200;

struct LiveShape {
    int hosts = 64;
    TimeGrid grid{liveStart, 30, 241};
    bool faults = true;
    bool serving = false;
};

inline std::string liveHost(int i) {
    char name[16];
    std::snprintf(name, sizeof name, "gpu-%04d", i);
    return name;
}

/// s after the beginning of the two hours.
inline double liveSeconds(const LiveShape& shape, std::size_t i) { return shape.grid.at(i) - liveStart; }
inline bool within(double t, double from, double to) { return t >= from && t < to; }
inline bool jobIsAway(const LiveShape& shape, double t) {
    return shape.faults && (within(t, 4200, 4650) || within(t, 5400, 5565));
}

inline Observation liveObservation(const LiveShape& shape, unsigned seed = 1) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 1);
    Observation seen;
    seen.server = "http://prometheus-a.example:9090";
    seen.job = "llama-70b-sft";
    seen.grid = shape.grid;
    for (int i = 0; i < shape.hosts; ++i)
        seen.hosts.push_back(liveHost(i));
    SignalTable step{.signal = Signal::stepTime, .rows = {Entity{}}};
    SignalTable clock{.signal = Signal::smClock};
    SignalTable heat{.signal = Signal::gpuTemperature};
    SignalTable own{.signal = Signal::nodeComputeTime};
    for (std::size_t i = 0; i < shape.grid.points; ++i) {
        const double t = liveSeconds(shape, i);
        double value = 6.11 + 0.05 * noise(random);
        if (shape.faults && within(t, 1800, 3000))
            value = 7.74 + 0.06 * noise(random);
        if (shape.faults && within(t, 3300, 3900))
            value = 6.47 + 0.06 * noise(random);
        step.values.push_back(jobIsAway(shape, t) ? none : value);
    }
    for (int host = 0; host < std::min(shape.hosts, 64); ++host)
        for (int gpu = 0; gpu < 8; ++gpu) {
            const bool slow = shape.faults && host == 7 && gpu == 3;
            clock.rows.push_back({.host = liveHost(host), .gpu = gpu});
            heat.rows.push_back({.host = liveHost(host), .gpu = gpu});
            for (std::size_t i = 0; i < shape.grid.points; ++i) {
                const bool now = slow && within(liveSeconds(shape, i), 1800, 3000);
                clock.values.push_back(now ? 1290e6 : 1755e6);
                heat.values.push_back(now ? 87 : 61 + gpu);
            }
        }
    for (int host = 0; host < std::min(shape.hosts, 56); ++host) {
        own.rows.push_back({.host = liveHost(host)});
        for (std::size_t i = 0; i < shape.grid.points; ++i) {
            const double t = liveSeconds(shape, i);
            const bool slow = shape.faults && host == 7 && within(t, 1800, 3000);
            own.values.push_back(jobIsAway(shape, t) ? none
                                                     : (slow ? 1.3 : 1) * 4.4 * (1 + 0.006 * noise(random)));
        }
    }
    seen.tables = {std::move(step), std::move(clock), std::move(heat), std::move(own)};
    seen.newest = shape.grid.end();
    return seen;
}

inline NodeMap liveNodes(const LiveShape& shape) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise(0, 1);
    NodeMap map;
    map.title = "own compute time of each node, relative to the job's median";
    for (int host = 0; host < shape.hosts; ++host) {
        map.hosts.push_back(liveHost(host));
        const double base = 1 + 0.006 * noise(random);
        for (std::size_t i = 0; i < shape.grid.points; ++i) {
            const double t = liveSeconds(shape, i);
            double value = base + 0.006 * noise(random);
            if (shape.faults) {
                if (host == 7 && within(t, 1800, 3000))
                    value = 1.3 + 0.01 * noise(random);
                if (host == 20 && within(t, 3300, 3900))
                    value = 1.1 + 0.02 * noise(random);
                if (jobIsAway(shape, t) || (host == 41 && within(t, 6000, 6600)))
                    value = std::numeric_limits<double>::quiet_NaN();
            }
            map.values.push_back(value);
        }
    }
    return map;
}

inline std::vector<Finding> liveFindings(const LiveShape& shape) {
    if (!shape.faults)
        return {};
    const double t0 = liveStart;
    using enum HealthAction;
    std::vector<Finding> all;
    all.push_back({FaultKind::xid,
                   94,
                   replaceNode,
                   {"gpu-0031", 2, {}},
                   t0 + 5400,
                   t0 + 5565,
                   "gpu-0031, GPU 2: XID 94, contained memory error",
                   "One double-bit error, a row remap is pending",
                   "Drain, reset the GPU; replace the node if it returns",
                   {"NVIDIA catalog: reset the GPU only"},
                   FaultCost{165, 27, 0.023, 126.0}});
    all.push_back({FaultKind::missingGpu,
                   0,
                   replaceNode,
                   {"gpu-0061", 6, {}},
                   t0 + 6750,
                   {},
                   "gpu-0061, GPU 6: lost",
                   "7 of 8 GPUs answer; a spare, so that no job is hit",
                   "Replace the node",
                   {},
                   {}});
    all.push_back({FaultKind::stall,
                   0,
                   restartJob,
                   {},
                   t0 + 4200,
                   t0 + 4500,
                   "The job stood still",
                   "GPUs 100 % used, tensor pipes idle, no bytes on EFA",
                   "Restart the job",
                   {},
                   FaultCost{300, 50, 0.042, 229.0}});
    all.push_back({FaultKind::restart,
                   0,
                   watch,
                   {},
                   t0 + 4500,
                   t0 + 4650,
                   "The job was restarted",
                   "The step count began anew",
                   {},
                   {},
                   FaultCost{150, 25, 0.021, 115.0}});
    all.push_back({FaultKind::straggler,
                   0,
                   watch,
                   {"gpu-0007", 3, {}},
                   t0 + 1800,
                   t0 + 3000,
                   "gpu-0007, GPU 3: straggler",
                   "1,290 MHz, 87 °C, thermal violation; own compute 1.30 × the median",
                   "Check cooling, then move the rank",
                   {"EKS agent: cordon the node"},
                   FaultCost{264, 44, 0.037, 228.0}});
    all.push_back({FaultKind::efaRetransmits,
                   0,
                   watch,
                   {"gpu-0020", -1, {}},
                   t0 + 3300,
                   t0 + 3900,
                   "gpu-0020: EFA retransmits",
                   "4 of 32 devices, 1 in 1,000 packets; step +6 %",
                   "Watch it; replace the node if it goes on",
                   {},
                   FaultCost{34, 6, 0.005, 31.0}});
    all.push_back({FaultKind::singleBitErrors,
                   0,
                   watch,
                   {"gpu-0013", 5, {}},
                   t0 + 600,
                   {},
                   "gpu-0013, GPU 5: correctable ECC rising",
                   "214 in the last hour, doubling every 20 min",
                   "No cost yet",
                   {},
                   {}});
    all.push_back({FaultKind::missingTarget,
                   0,
                   watch,
                   {"gpu-0041", -1, {}},
                   t0 + 6000,
                   t0 + 6600,
                   "gpu-0041: no metrics",
                   "Four exporters answered 503 for 10 min; the job went on",
                   {},
                   {},
                   {}});
    return all;
}

inline ChartLine liveLine(const LiveShape& shape, const Observation& seen, const char* id, const char* title,
                          const char* unit, PlannedFigure plan, double sign, double noisy) {
    ChartLine line{id, title, unit, {}, plan, {}, {}, "from the exporters"};
    const std::vector<double>& step = seen.tables.front().values;
    std::mt19937 random(static_cast<unsigned>(line.title.size()));
    std::normal_distribution<double> noise(0, noisy * plan.value);
    for (std::size_t i = 0; i < shape.grid.points; ++i)
        line.measured.push_back(plan.value * std::pow(step[i] / 6.11, sign) + noise(random));
    if (std::isfinite(line.measured.back()))
        line.now = line.measured.back();
    return line;
}

inline PlanActual liveComparison(const LiveShape& shape, const Observation& seen) {
    PlanActual all;
    const std::vector<double>& step = seen.tables.front().values;
    if (shape.serving) {
        all.charts.push_back(
            liveLine(shape, seen, "itl_p90", "ITL, p90", "s", {0.021, 0.018, 0.025}, 1, 0.01));
        all.charts.push_back(liveLine(shape, seen, "ttft_p90", "TTFT, p90", "s", {0.41, 0.32, 0.6}, 1, 0.04));
        all.charts.push_back(
            liveLine(shape, seen, "kv_use", "KV cache used", "ratio", {0.6, 0.5, 0.7}, 1, 0.02));
    } else {
        ChartLine head{"step_time", "Step time", "s",  step, PlannedFigure{6.02, 5.58, 6.62},
                       6.12,        6.4,         "job"};
        if (std::isfinite(step.back()))
            head.now = step.back();
        all.charts.push_back(head);
        all.charts.push_back(liveLine(shape, seen, "mfu", "MFU", "ratio", {0.434, 0.395, 0.468}, -1, 0.006));
        all.charts.push_back(liveLine(shape, seen, "efa_per_gpu", "EFA per GPU", "bytes/s",
                                      {19.2e9, 16.8e9, 21.4e9}, -1, 0.015));
        all.charts.push_back(
            liveLine(shape, seen, "power_per_gpu", "Power per GPU", "W", {612, 580, 640}, -0.3, 0.006));
        all.charts.push_back(liveLine(shape, seen, "tokens_per_s", "Tokens/s", "tokens/s",
                                      {523141, 480000, 560000}, -1, 0.006));
        all.charts.push_back(
            liveLine(shape, seen, "memory", "Memory used per GPU", "bytes", {71.0e9, 69e9, 73e9}, 0, 0.001));
        all.charts.push_back(
            liveLine(shape, seen, "nvlink", "NVLink per GPU", "bytes/s", {141e9, 120e9, 160e9}, -1, 0.01));
    }
    all.shares = {
        {"Tensor pipes", 0.63, 0.47}, {"HBM", 0.31, 0.34}, {"NVLink", 0.15, 0.16}, {"EFA", 0.09, 0.38}};
    all.verdict = shape.faults ? "14 % behind plan over two hours; on plan now." : "On plan.";
    all.because = shape.faults ? "Three faults explain 12 of the 14 points." : "";
    all.stepsDone = 1031;
    all.stepsPlanned = 1196;
    if (shape.faults)
        all.losses = {{"Lost to hang and restart", 75, 0.062, 344.0},
                      {"Lost to straggler", 44, 0.037, 228.0},
                      {"Lost to XID 94", 27, 0.023, 126.0},
                      {"Lost to EFA retransmits", 6, 0.005, 31.0}};
    all.dollarsSpent = 6164;
    all.dollarsLost = 851;
    all.dollarsPerStep = 5.98;
    all.dollarsPerMillionTokens = 1.42;
    all.dollarsIdle = 206;
    all.notes = {"Checkpoints are not measured; their time counts as lost."};
    return all;
}

/// A judge that knows the faults of the shape.
inline views::LiveJudge liveJudge(const LiveShape& shape) {
    return [shape](views::LiveResult& result, const views::LiveJudging&) {
        LiveShape here = shape;
        here.grid = result.observation->grid;
        result.findings = liveFindings(here);
        result.nodes = result.observation->tables.empty() ? NodeMap{} : liveNodes(here);
        result.comparison =
            result.observation->tables.empty() ? PlanActual{} : liveComparison(here, *result.observation);
        views::completeLive(result);
    };
}

/// A source whose answers a test decides; its functions run on the worker thread.
struct LiveServer {
    LiveShape shape;
    std::atomic<int> asked = 0;
    std::atomic<bool> held = false; ///< an answer waits until it is released or stopped
    std::mutex mutex;
    std::string error; ///< not empty: it fails
    std::vector<views::LiveRequest> requests;
    bool ownGrid = false; ///< answers with the grid of the shape, whatever was asked for
    bool empty = false, blank = false;
    double gapFrom = 0, gapTo = 0; ///< s after liveStart, without any sample
    std::size_t unanswered = 0;    ///< queries of the next answers
    std::optional<double> newest;  ///< what newestSample says

    views::LiveSource source(const std::string& id = "a", const std::string& name = "prometheus-a") {
        views::LiveSource made;
        made.id = id;
        made.name = name;
        made.observe = [this](const views::LiveRequest& request,
                              std::stop_token stop) -> Result<Observation> {
            ++asked;
            while (held && !stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::scoped_lock lock(mutex);
            requests.push_back(request);
            if (!error.empty())
                return Error{error};
            LiveShape here = shape;
            if (!ownGrid)
                here.grid = request.grid;
            Observation seen = liveObservation(here);
            seen.job = request.job;
            if (empty)
                seen.tables.clear();
            if (blank)
                for (SignalTable& table : seen.tables)
                    std::ranges::fill(table.values, std::numeric_limits<double>::quiet_NaN());
            for (SignalTable& table : seen.tables)
                for (std::size_t i = 0; i < table.values.size(); ++i)
                    if (within(here.grid.at(i % here.grid.points) - liveStart, gapFrom, gapTo))
                        table.values[i] = std::numeric_limits<double>::quiet_NaN();
            seen.unanswered = unanswered;
            if (unanswered > 0)
                seen.warnings.push_back("3 of 60 queries were not answered: 502, Bad Gateway");
            return seen;
        };
        made.newestSample = [this](double, std::stop_token) -> Result<std::optional<double>> {
            const std::scoped_lock lock(mutex);
            return newest;
        };
        made.jobs = [](double, double, std::stop_token) -> Result<std::vector<views::LiveJob>> {
            return std::vector<views::LiveJob>{{"llama-70b-sft", "training", 56}, {"chat", "serving", 4}};
        };
        return made;
    }
    void fail(const std::string& why) {
        const std::scoped_lock lock(mutex);
        error = why;
    }
};

inline std::vector<HealthPolicy> livePolicies() {
    return {{.id = "aws", .name = "AWS post"}, {.id = "nvidia", .name = "NVIDIA catalog"}};
}

} // namespace alidade::sample
