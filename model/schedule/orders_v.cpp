// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/orders_v.h"

#include <array>

namespace alidade {

namespace {

using Order = std::vector<PipelineOp>;

/// Appends operations of two chunks, each processing its micro-batches in order.
class TwoChunks {
public:
    void forward(int chunk, bool together = false) { add(PipelineWork::forward, chunk, together); }
    void backwardInput(int chunk) { waiting_.push_back(add(PipelineWork::backwardInput, chunk, false)); }
    /// Appends the weight gradient that has been deferred longest.
    void backwardWeight() {
        PipelineOp op = waiting_[nextWaiting_++];
        op.work = PipelineWork::backwardWeight;
        order_.push_back(op);
    }
    void fullBackward(int chunk, bool together = false) { add(PipelineWork::fullBackward, chunk, together); }
    void forwardWithBackward(int forwardChunk, int backwardChunk) {
        forward(forwardChunk, true);
        fullBackward(backwardChunk, true);
    }
    bool weightsWait() const { return nextWaiting_ < waiting_.size(); }
    /// Appends the weight gradient of this chunk that has been deferred longest. Do not mix with the overload
    /// for any chunk.
    void backwardWeight(int chunk) {
        int& next = weights_[static_cast<std::size_t>(chunk)];
        order_.push_back({PipelineWork::backwardWeight, next++, chunk, false});
    }
    bool weightsWait(int chunk) const {
        return weights_[static_cast<std::size_t>(chunk)] < backwards_[static_cast<std::size_t>(chunk)];
    }
    Order take() { return std::move(order_); }

private:
    PipelineOp add(PipelineWork work, int chunk, bool together) {
        int& next = work == PipelineWork::forward ? forwards_[static_cast<std::size_t>(chunk)]
                                                  : backwards_[static_cast<std::size_t>(chunk)];
        order_.push_back({work, next++, chunk, together});
        return order_.back();
    }

    Order order_, waiting_;
    std::size_t nextWaiting_ = 0;
    std::array<int, 2> forwards_{}, backwards_{}, weights_{};
};

} // namespace

std::vector<PipelineOp> zeroBubbleVOrder(int stages, int device, int microbatches) {
    // With too few micro-batches to fill the V, use the order for a full V without the missing ones.
    const int full = std::max(2 * stages - 1, microbatches);
    const int away = stages - device;
    TwoChunks out;
    const auto backward = [&out](int chunk) {
        out.backwardInput(chunk);
        out.backwardWeight(chunk);
    };
    for (int i = 0; i < 2 * away - 1; ++i)
        out.forward(0);
    for (int i = 0; i < device; ++i) {
        out.forward(1);
        out.forward(0);
    }
    for (int i = 0; i < away; ++i) {
        out.forward(1);
        backward(1);
    }
    // Completed so far: 2 stages - 1 - device forwards of chunk 0 and `stages` of chunk 1.
    for (int first = 2 * stages - 1 - device, second = stages; second < full; ++first, ++second) {
        if (first < full)
            out.forward(0);
        backward(0);
        out.forward(1);
        backward(1);
    }
    for (int i = 0; i < device; ++i) {
        out.backwardInput(0);
        out.backwardInput(1);
    }
    for (int i = 0; i < away; ++i)
        backward(0);
    for (const int chunk : {1, 0})
        while (out.weightsWait(chunk))
            out.backwardWeight(chunk);
    Order order = out.take();
    std::erase_if(order, [microbatches](const PipelineOp& op) { return op.microbatch >= microbatches; });
    return order;
}

std::vector<PipelineOp> dualPipeOrder(int half, int position, int microbatches) {
    const int away = half - position - 1;
    TwoChunks out;
    for (int i = 0; i < 2 * away; ++i)
        out.forward(0);
    for (int i = 0; i <= position; ++i) {
        out.forward(0);
        out.forward(1);
    }
    for (int i = 0; i < away; ++i) {
        out.backwardInput(1);
        out.backwardWeight();
        out.forward(1);
    }
    for (int i = 0; i < microbatches - 2 * half + position + 1; ++i) {
        if (i == 0 && away == 0) { // separate, so that the backward does not wait for this forward's input
            out.forward(0);
            out.fullBackward(1);
        } else {
            out.forwardWithBackward(0, 1);
        }
        out.forwardWithBackward(1, 0);
    }
    for (int i = 0; i < away; ++i) {
        out.fullBackward(1);
        out.forwardWithBackward(1, 0);
    }
    // Of the last 2 (position + 1) backwards, the second half defers its weight gradients to the drain.
    for (int i = 0; i < 2 * (position + 1); ++i) {
        const int chunk = i % 2 == 0 ? 1 : 0;
        if (i <= position)
            out.fullBackward(chunk);
        else
            out.backwardInput(chunk);
    }
    for (int i = 0; i < away; ++i) {
        out.backwardWeight();
        out.backwardInput(0);
    }
    while (out.weightsWait())
        out.backwardWeight();
    return out.take();
}

} // namespace alidade
