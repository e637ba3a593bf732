// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/schedule_orders.h"

#include "model/schedule/orders_v.h"
#include "model/schedule/schedule_rules.h"

namespace alidade {

namespace {

using Order = std::vector<PipelineOp>;

Order gpipeOrder(int microbatches) {
    Order order;
    for (const PipelineWork work : {PipelineWork::forward, PipelineWork::backwardInput})
        for (int j = 0; j < microbatches; ++j)
            order.push_back({work, j, 0});
    return order;
}

/// Returns `warmup` forwards, then alternating forwards and backwards, then the remaining backwards.
Order alternate(const Order& forward, const Order& backward, std::size_t warmup) {
    const auto split = static_cast<Order::difference_type>(warmup);
    Order order(forward.begin(), forward.begin() + split);
    const std::size_t pairs = forward.size() - warmup;
    for (std::size_t j = 0; j < pairs; ++j) {
        order.push_back(forward[warmup + j]);
        order.push_back(backward[j]);
    }
    order.insert(order.end(), backward.begin() + static_cast<Order::difference_type>(pairs), backward.end());
    return order;
}

Order oneForwardOneBackwardOrder(int stages, int stage, int microbatches) {
    Order forward, backward;
    for (int j = 0; j < microbatches; ++j) {
        forward.push_back({PipelineWork::forward, j, 0});
        backward.push_back({PipelineWork::backwardInput, j, 0});
    }
    return alternate(forward, backward, static_cast<std::size_t>(std::min(stages - stage - 1, microbatches)));
}

/// Micro-batches pass through each chunk in groups (Narayanan et al. 2021).
Order interleavedOrder(int stages, int stage, int microbatches, int chunks) {
    const int group = interleavedGroup(stages, microbatches);
    Order forward, backward;
    for (int first = 0; first < microbatches; first += group) {
        const int last = std::min(first + group, microbatches);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int microbatch = first; microbatch < last; ++microbatch) {
                forward.push_back({PipelineWork::forward, microbatch, chunk});
                backward.push_back({PipelineWork::backwardInput, microbatch, chunks - 1 - chunk});
            }
        }
    }
    const int warmup = std::min((stages - stage - 1) * 2 + (chunks - 1) * group, microbatches * chunks);
    return alternate(forward, backward, static_cast<std::size_t>(warmup));
}

/// 1F1B with weight gradients delayed by `stage` micro-batches, filling the drain
/// (Qi et al. 2024).
Order zeroBubbleH1Order(int stages, int stage, int microbatches) {
    const int warmup = std::min(stages - stage - 1, microbatches);
    int weights = 0;
    Order order;
    for (int j = 0; j < warmup; ++j)
        order.push_back({PipelineWork::forward, j, 0});
    for (int j = 0; j < microbatches; ++j) {
        const bool draining = warmup + j >= microbatches;
        if (!draining)
            order.push_back({PipelineWork::forward, warmup + j, 0});
        order.push_back({PipelineWork::backwardInput, j, 0});
        if (j >= stage || draining)
            order.push_back({PipelineWork::backwardWeight, weights++, 0});
    }
    while (weights < microbatches)
        order.push_back({PipelineWork::backwardWeight, weights++, 0});
    return order;
}

/// Returns the order of device d of DualPipe: the direction that enters at the nearer end is chunk 0 of the
/// order. Micro-batches of direction 1 follow those of direction 0.
Order bothWaysOrder(int stages, int device, int microbatches) {
    const bool secondHalf = device >= stages / 2;
    const int fromEnd = std::min(device, stages - 1 - device);
    Order order = dualPipeOrder(stages / 2, fromEnd, microbatches / 2);
    for (PipelineOp& op : order) {
        op.chunk ^= secondHalf ? 1 : 0;
        op.microbatch += op.chunk * (microbatches / 2);
    }
    return order;
}

Order orderOf(PipelineSchedule schedule, int stages, int stage, int microbatches, int chunks) {
    switch (schedule) {
    case PipelineSchedule::gpipe:
        return gpipeOrder(microbatches);
    case PipelineSchedule::oneForwardOneBackward:
        return oneForwardOneBackwardOrder(stages, stage, microbatches);
    case PipelineSchedule::interleaved:
        return interleavedOrder(stages, stage, microbatches, chunks);
    case PipelineSchedule::zeroBubbleH1:
        return zeroBubbleH1Order(stages, stage, microbatches);
    case PipelineSchedule::zeroBubbleV:
        return zeroBubbleVOrder(stages, stage, microbatches);
    case PipelineSchedule::dualPipe:
        return bothWaysOrder(stages, stage, microbatches);
    case PipelineSchedule::dualPipeV:
        return dualPipeOrder(stages, stage, microbatches);
    case PipelineSchedule::zeroBubbleH2:
        break;
    }
    return {};
}

} // namespace

Result<std::vector<Order>> scheduleOrders(PipelineSchedule schedule, int stages, int microbatches,
                                          int chunks) {
    const bool plain = schedule == PipelineSchedule::interleaved && (stages == 1 || chunks == 1);
    if (auto refused = plain ? scheduleRefusal(PipelineSchedule::gpipe, stages, microbatches, 1)
                             : scheduleRefusal(schedule, stages, microbatches, chunks)) {
        return Error{std::move(*refused)};
    }
    std::vector<Order> orders;
    for (int stage = 0; stage < stages; ++stage)
        orders.push_back(orderOf(schedule, stages, stage, microbatches, chunks));
    return orders;
}

} // namespace alidade
