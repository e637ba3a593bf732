// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/fleet_replay.h"

#include "model/base/random.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/fleet/prefix_cache.h"
#include "model/scenario/scenario.h"
#include "model/serving/pool_model.h"
#include "model/serving/simulation.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>

namespace alidade {

namespace {

/// A request of the trace, or a copy of it.
struct Arrival {
    double time = 0;
    std::uint32_t request = 0, copy = 0;
};

struct Arrivals {
    std::vector<Arrival> list; ///< in the order of their times
    bool cut = false;          ///< at the most requests
};

/// `scale` arrivals for each request in the mean.
Arrivals arrivalsOf(const RequestTrace& trace, const ReplayOptions& options) {
    constexpr double spread = 60; // s that a copy is earlier or later at most
    std::vector<Arrival> out;
    double due = 0;
    for (std::size_t i = 0; i < trace.requests.size(); ++i) {
        due += options.scale;
        for (std::uint32_t copy = 0; due >= 1 - 1e-9; ++copy, due -= 1) {
            const double shift = copy == 0 ? 0 : spread * (2 * uniformOf(splitMix64(i * 1024 + copy)) - 1);
            out.push_back(
                {std::max(0.0, trace.requests[i].time + shift), static_cast<std::uint32_t>(i), copy});
        }
        if (out.size() > options.requests)
            break;
    }
    std::ranges::stable_sort(out, {}, &Arrival::time);
    const bool cut = out.size() > options.requests;
    if (cut)
        out.resize(options.requests);
    return {.list = std::move(out), .cut = cut};
}

struct Replica {
    EngineSimulation engine;
    PrefixCache cache;
    bool serving = false;
};

class Replay {
public:
    Replay(const RequestTrace& trace, const PlacedService& placed, const Scenario& scenario,
           const ReplayOptions& options)
        : trace_(trace)
        , placed_(placed)
        , options_(options)
        , totals_(std::make_unique<ServingTotals>())
        , scratch_(std::make_unique<ServingStepCost<double>>())
        , step_(scenario.pools.front().plan, scenario.pools.front().inputs,
                scenario.pools.front().networkBound, *scratch_) {
        evaluateServingAt(scenario, placed.peakRate, 0, *totals_);
        const ServingPool& pool = scenario.pools.front();
        limits_ = engineLimits(pool.plan, pool.inputs, totals_->pools.front().memory);
        targets_ = servingTargets(scenario);
        offset_ = offsetInProfile(trace);
        const auto distinct = std::ranges::max_element(trace.blocks);
        distinctBlocks_ = distinct == trace.blocks.end() ? 1 : *distinct + 1;
    }

    ServiceReplay run(const std::stop_token& stop, const std::function<void(double)>& progress) {
        const auto [arrivals, cut] = arrivalsOf(trace_, options_);
        out_.service = placed_.service;
        out_.leastReplicas = std::numeric_limits<int>::max();
        std::size_t done = 0;
        for (; done < arrivals.size() && !stop.stop_requested(); ++done) {
            constexpr std::size_t often = 256; // requests between two looks
            if (progress && done % often == 0)
                progress(static_cast<double>(done) / static_cast<double>(arrivals.size()));
            take(arrivals[done]);
        }
        for (Replica& each : replicas_)
            playRecorded(each.engine, std::numeric_limits<double>::infinity(), step_);
        out_.seconds = done > 0 ? arrivals[done - 1].time : 0;
        out_.complete = done == arrivals.size() && !cut;
        finish();
        return std::move(out_);
    }

private:
    std::size_t servingAt(double time) const {
        const ReplicaPlan& plan = placed_.option.plan;
        const auto step = static_cast<std::size_t>((time + offset_) / plan.step) % plan.serving.size();
        return static_cast<std::size_t>(std::max(1, plan.serving[step]));
    }

    void resize(std::size_t count) {
        const auto blocks = static_cast<std::size_t>(options_.prefixCacheTokens / trace_.blockTokens);
        while (replicas_.size() < count)
            replicas_.push_back({EngineSimulation(limits_, secondsPerHour), PrefixCache(blocks)});
        for (std::size_t i = 0; i < replicas_.size(); ++i) {
            Replica& each = replicas_[i];
            if (i < count && !each.serving && each.engine.now() > 0)
                each.cache = PrefixCache(blocks); // started again
            each.serving = i < count;
        }
        out_.leastReplicas = std::min(out_.leastReplicas, static_cast<int>(count));
        out_.mostReplicas = std::max(out_.mostReplicas, static_cast<int>(count));
    }

    /// Among the first `count` replicas.
    std::size_t choose(std::size_t count) {
        if (options_.routing == Routing::roundRobin)
            return turn_++ % count;
        std::size_t least = 0, open = 0;
        for (std::size_t i = 0; i < count; ++i) {
            open += replicas_[i].engine.open();
            least = replicas_[i].engine.open() < replicas_[least].engine.open() ? i : least;
        }
        if (options_.routing == Routing::leastLoaded || blocks_.empty())
            return least;
        const double most = 1.5 * static_cast<double>(open) / static_cast<double>(count) + 1;
        std::size_t best = least, bestHeld = replicas_[least].cache.held(blocks_);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t held = replicas_[i].cache.held(blocks_);
            if (held > bestHeld && static_cast<double>(replicas_[i].engine.open()) <= most) {
                best = i;
                bestHeld = held;
            }
        }
        return best;
    }

    void take(const Arrival& arrival) {
        const TraceRequest& request = trace_.requests[arrival.request];
        const std::size_t count = servingAt(arrival.time);
        resize(count);
        for (Replica& each : replicas_)
            playRecorded(each.engine, arrival.time, step_);
        const auto blocks = trace_.blocksOf(request);
        blocks_.assign(blocks.begin(), blocks.end());
        for (std::uint32_t& block : blocks_) // a copy shares prompts with copies like it
            block += arrival.copy * distinctBlocks_;
        Replica& to = replicas_[choose(count)];
        const int cached = cachedTokens(to.cache.use(blocks_), trace_.blockTokens, request.input);
        to.engine.send({arrival.time, request.input, request.output, cached});
        hit_ += cached;
        input_ += request.input;
    }

    void finish() {
        std::vector<double> all;
        std::vector<std::vector<double>> ofHour;
        TimeDistribution gaps;
        std::vector<TimeDistribution> gapsOfHour;
        for (const Replica& each : replicas_) {
            for (const PlayedRequest& request : each.engine.played()) {
                const auto hour = static_cast<std::size_t>(request.sent / secondsPerHour);
                ofHour.resize(std::max(ofHour.size(), hour + 1));
                const double ttft = request.ttft + totals_->outsideEngine;
                ofHour[hour].push_back(ttft);
                all.push_back(ttft);
            }
            gapsOfHour.resize(std::max(gapsOfHour.size(), each.engine.gaps().size()));
            for (std::size_t hour = 0; hour < each.engine.gaps().size(); ++hour) {
                gapsOfHour[hour].add(each.engine.gaps()[hour]);
                gaps.add(each.engine.gaps()[hour]);
            }
        }
        std::sort(all.begin(), all.end());
        out_.requests = all.size();
        out_.ttft = percentilesOf(all);
        out_.itl = itlOf(gaps);
        out_.ttftAtTarget = all.empty() ? 0 : quantileOf(out_.ttft, targets_.percentile);
        out_.itlAtTarget = quantileOf(out_.itl, targets_.percentile);
        out_.onTime = onTime(all);
        out_.prefixHit = input_ > 0 ? hit_ / input_ : 0;
        out_.leastReplicas = std::min(out_.leastReplicas, out_.mostReplicas);
        for (std::size_t hour = 0; hour < ofHour.size(); ++hour) {
            std::vector<double>& ttft = ofHour[hour];
            std::sort(ttft.begin(), ttft.end());
            ReplayHour& each = out_.hours.emplace_back();
            each.requests = ttft.size();
            each.ttft = ttft.empty() ? 0 : quantileOf(percentilesOf(ttft), targets_.percentile);
            each.itl =
                hour < gapsOfHour.size() ? quantileOf(itlOf(gapsOfHour[hour]), targets_.percentile) : 0;
            each.onTime = onTime(ttft);
        }
        out_.meetsTargets = (!targets_.ttft || out_.ttftAtTarget <= *targets_.ttft) &&
                            (!targets_.itl || out_.itlAtTarget <= *targets_.itl);
    }

    static Percentiles itlOf(const TimeDistribution& gaps) {
        return {.p50 = gaps.quantile(0.5),
                .p90 = gaps.quantile(0.9),
                .p95 = gaps.quantile(0.95),
                .p99 = gaps.quantile(0.99)};
    }

    /// \param ascending s
    double onTime(const std::vector<double>& ascending) const {
        if (!targets_.ttft || ascending.empty())
            return 1;
        const auto within = std::ranges::upper_bound(ascending, *targets_.ttft) - ascending.begin();
        return static_cast<double>(within) / static_cast<double>(ascending.size());
    }

    const RequestTrace& trace_;
    const PlacedService& placed_;
    const ReplayOptions& options_;
    std::unique_ptr<ServingTotals> totals_;
    std::unique_ptr<ServingStepCost<double>> scratch_;
    EngineStep step_;
    EngineLimits limits_;
    ServingTargets targets_;
    double offset_ = 0;
    std::uint32_t distinctBlocks_ = 1;
    std::deque<Replica> replicas_;
    std::vector<std::uint32_t> blocks_; // of the present prompt
    std::size_t turn_ = 0;
    double hit_ = 0, input_ = 0; // tokens
    ServiceReplay out_;
};

} // namespace

std::optional<ServiceReplay> replayTrace(const RequestTrace& trace, const PlacedService& placed,
                                         const Catalog& catalog, const Profile& profile,
                                         const ReplayOptions& options, const std::stop_token& stop,
                                         const std::function<void(double)>& progress) {
    const auto scenario = resolve(placed.option.spec, catalog, profile);
    if (!scenario || scenario->pools.size() != 1 || trace.requests.empty() ||
        samplesOf(placed.option.spec.workload) > 1) {
        return std::nullopt;
    }
    return Replay(trace, placed, *scenario, options).run(stop, progress);
}

} // namespace alidade
