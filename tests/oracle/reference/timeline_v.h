// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/timeline.h"

#include <queue>

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace alidade::reference {

/// Times closer than this are simultaneous: they differ only by rounding.
inline constexpr double sameMoment = 1e-12;

/// List scheduling over a V: each device has an early and a late chunk.
class VScheduler {
public:
    VScheduler(const PipelinePlan& plan, int liveChunks)
        : plan_(plan)
        , chunkCount_(2 * plan.stages)
        , cap_(liveChunks)
        , chunks_(static_cast<std::size_t>(chunkCount_))
        , devices_(static_cast<std::size_t>(plan.stages)) {
        for (auto& chunk : chunks_) {
            chunk.forwardEnd.assign(static_cast<std::size_t>(plan.microbatches), never);
            chunk.backwardEnd = chunk.forwardEnd;
        }
    }

    PipelineTimeline run() {
        const std::size_t all = 3 * chunks_.size() * static_cast<std::size_t>(plan_.microbatches);
        while (timeline_.events.size() < all) {
            bool moved = false;
            for (int device = 0; device < plan_.stages; ++device)
                moved = take(device) || moved;
            if (!moved)
                nextMoment();
        }
        for (const Device& device : devices_)
            timeline_.makespan = std::max(timeline_.makespan, device.free);
        return std::move(timeline_);
    }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();
    struct Chunk {
        std::vector<double> forwardEnd, backwardEnd; ///< by micro-batch
        int forwards = 0, backwards = 0;             ///< micro-batches started
    };
    struct Device {
        double free = 0;
        int live = 0;                            ///< chunk activations held
        std::deque<std::pair<int, int>> weights; ///< (micro-batch, chunk) of deferred weight gradients
    };
    struct Choice {
        PipelineWork work;
        int microbatch, chunk;
    };

    int deviceOf(int chunk) const { return chunk < plan_.stages ? chunk : chunkCount_ - 1 - chunk; }
    Chunk& chunk(int k) { return chunks_[static_cast<std::size_t>(k)]; }

    bool arrived(double end, int fromChunk, int device) const {
        return end + (deviceOf(fromChunk) != device ? plan_.transfer : 0) <= now_ + sameMoment;
    }
    bool backwardReady(int k, int device) {
        const int j = chunk(k).backwards;
        const auto i = static_cast<std::size_t>(j);
        return j < plan_.microbatches && arrived(chunk(k).forwardEnd[i], k, device) &&
               (k == chunkCount_ - 1 || arrived(chunk(k + 1).backwardEnd[i], k + 1, device));
    }
    /// Reserves one slot for the late chunk, so that the early one cannot block it.
    bool forwardReady(int k, int device) {
        const int j = chunk(k).forwards;
        const int places = k < plan_.stages ? cap_ - 1 : cap_;
        return j < plan_.microbatches && devices_[static_cast<std::size_t>(device)].live < places &&
               (k == 0 || arrived(chunk(k - 1).forwardEnd[static_cast<std::size_t>(j)], k - 1, device));
    }

    std::optional<Choice> choose(int device) {
        const int late = chunkCount_ - 1 - device;
        for (const int k : {late, device})
            if (backwardReady(k, device))
                return Choice{PipelineWork::backwardInput, chunk(k).backwards, k};
        for (const int k : {late, device})
            if (forwardReady(k, device))
                return Choice{PipelineWork::forward, chunk(k).forwards, k};
        const auto& weights = devices_[static_cast<std::size_t>(device)].weights;
        if (!weights.empty())
            return Choice{PipelineWork::backwardWeight, weights.front().first, weights.front().second};
        return std::nullopt;
    }

    /// Starts one operation on a device if it is free and has one ready.
    bool take(int index) {
        Device& device = devices_[static_cast<std::size_t>(index)];
        if (device.free > now_ + sameMoment)
            return false;
        const std::optional<Choice> choice = choose(index);
        if (!choice)
            return false;
        const auto [work, microbatch, k] = *choice;
        const StageSeconds<double>& t = plan_.virtualStages[static_cast<std::size_t>(k)];
        const auto i = static_cast<std::size_t>(microbatch);
        switch (work) {
        case PipelineWork::forward:
            device.free = chunk(k).forwardEnd[i] = now_ + t.forward;
            ++chunk(k).forwards;
            ++device.live;
            break;
        case PipelineWork::backwardInput:
            device.free = chunk(k).backwardEnd[i] = now_ + t.backwardInput;
            ++chunk(k).backwards;
            device.weights.emplace_back(microbatch, k);
            break;
        case PipelineWork::fullBackward: // never chosen
        case PipelineWork::backwardWeight:
            device.free = now_ + t.backwardWeight;
            device.weights.pop_front();
            --device.live;
            break;
        }
        moments_.push(device.free);
        moments_.push(device.free + plan_.transfer);
        timeline_.events.push_back(
            {index, work, microbatch, k < plan_.stages ? 0 : 1, now_, device.free, false});
        return true;
    }

    /// Advances to the next end of an operation or arrival of its result. There always is one: the oldest
    /// micro-batch can proceed while cap_ >= 2.
    void nextMoment() {
        while (moments_.top() <= now_ + sameMoment)
            moments_.pop();
        now_ = moments_.top();
    }

    const PipelinePlan& plan_;
    const int chunkCount_;
    const int cap_;
    std::vector<Chunk> chunks_;
    std::vector<Device> devices_;
    std::priority_queue<double, std::vector<double>, std::greater<>> moments_;
    double now_ = 0;
    PipelineTimeline timeline_;
};

/// Simulates the V placement (the figures of ZB-V and DualPipe-V): device d holds virtual stages d and 2
/// stages - 1 - d. A free device takes the first ready operation of backward, forward, weight gradient,
/// preferring the later virtual stage. Ignores `plan.schedule` and `plan.chunks`. An upper bound for the
/// published schedules.
/// \param liveChunks maximum chunk activations on a device, >= 2; 0: twice the stages
inline Result<PipelineTimeline> simulateV(const PipelinePlan& plan, int liveChunks = 0) {
    if (plan.stages < 1 || plan.microbatches < 1)
        return Error{"a pipeline needs at least one stage and one micro-batch"};
    if (plan.virtualStages.size() != 2 * static_cast<std::size_t>(plan.stages))
        return Error{"a V timeline needs the times of two virtual stages per device"};
    const int cap = liveChunks == 0 ? 2 * plan.stages : liveChunks;
    if (cap < 2)
        return Error{"a V timeline needs room for two chunk activations per device"};
    return VScheduler(plan, cap).run();
}

} // namespace alidade::reference
