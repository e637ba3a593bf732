// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/critical_path_v.h"

namespace alidade::critical {

/// ZB-V. The order of a device d (zeroBubbleVOrder), with `full` the larger of the micro-batches and 2 p - 1:
/// forwards; then forward and both gradients of chunk 1 in turn (the fill) until the first gradients of chunk
/// 0 arrive; turns of both chunks; d input gradients of each chunk with deferred weight gradients; the other
/// p - d gradients of chunk 0; and the deferred weight gradients.
template <class N>
class ZeroBubbleV {
public:
    explicit ZeroBubbleV(const Pipeline<N>& pipeline)
        : in_(fold(pipeline, false))
        , p_(pipeline.p)
        , m_(pipeline.m)
        , full_(std::max<std::int64_t>(m_, 2 * p_ - 1)) {}

    N longest() {
        using std::max;
        const Filling<N> start = filling(in_, m_, false);
        tails();
        Row<N> firsts; // start of the first gradient of chunk 0
        for (int d = p_ - 1; d >= 0; --d) {
            const N own = afterFill(start, d);
            firsts[d] =
                d == p_ - 1 ? own : max(own, firsts[d + 1] + in_.chunk0[d + 1].backwardInput + in_.hop);
        }
        N out = 0, after = 0; // after the last forward of chunk 1
        for (int d = 0; d < p_; ++d) {
            const StageSeconds<N>&t0 = in_.chunk0[d], &t1 = in_.chunk1[d];
            const N own = drain(d);
            after = d == 0 ? own : max(own, in_.chunk1[d - 1].forward + after + in_.hop);
            out = max(out, firsts[d] + fromGradients0(d, after));
            const std::int64_t turns = m_ - 1 - d; // gradients of chunk 1 before its last forward
            if (turns <= 0) {
                out = max(out, max(start.gradients[d] + own, start.filled[d] + after));
                continue;
            }
            const N between =
                number(turns) * t1.total() +
                number(std::max<std::int64_t>(0, m_ - (2 * p_ - 1 - d))) * t0.forward +
                number(std::max<std::int64_t>(0, m_ - p_)) * (t0.backwardInput + t0.backwardWeight);
            out = max(out, start.gradients[d] + between + after);
            // Alternatively, from the last input gradient of the fill.
            const std::int64_t fill = std::min<std::int64_t>(p_ - 1 - d, turns);
            out = max(out, gradientArrival(in_, start.gradients, d, fill, m_) + between -
                               number(fill) * t1.total() + after);
        }
        return out;
    }

private:
    static double number(std::int64_t n) { return static_cast<double>(n); }
    /// Returns how many of first..last - 1 are below a bound.
    static std::int64_t below(std::int64_t first, std::int64_t last, std::int64_t bound) {
        return std::max<std::int64_t>(0, std::min(last, bound) - first);
    }
    /// Returns the gradients of chunk 0 that a device has completed when the last one of chunk 1 arrives.
    std::int64_t done0(int d) const { return std::max<std::int64_t>(0, m_ - p_ + d); }

    /// Seconds from the start of a gradient of chunk 0 to the end, through the device's own gradients of
    /// chunk 0.
    N gradients0(int d, std::int64_t first) const {
        const std::int64_t late = full_ - p_; // the first with a deferred weight gradient
        const std::int64_t waits =
            std::max<std::int64_t>(0, std::min(m_ - 1, late + d) - std::max(first, late));
        return number(m_ - 1 - first) * in_.chunk0[d].backwardInput +
               number(m_ - 1 - first - waits) * in_.chunk0[d].backwardWeight + last0_[d];
    }

    /// Seconds from the start of the last input gradient of either chunk to the end of the step.
    void tails() {
        using std::max;
        for (int d = 0; d < p_; ++d) {
            const StageSeconds<N>&t0 = in_.chunk0[d], &t1 = in_.chunk1[d];
            const std::int64_t waiting0 = std::clamp<std::int64_t>(m_ - (full_ - p_), 1, d + 1);
            const std::int64_t waiting1 = std::clamp<std::int64_t>(m_ - (full_ - d), 0, d);
            const N weights = number(waiting0) * t0.backwardWeight + number(waiting1) * t1.backwardWeight;
            last0_[d] = t0.backwardInput + (d == 0 ? weights : max(weights, last0_[d - 1] + in_.hop));
        }
        for (int d = p_ - 1; d >= 0; --d) {
            const StageSeconds<N>& t1 = in_.chunk1[d];
            const std::int64_t first = done0(d);
            N own = gradients0(d, first), climb = 0;
            for (int e = d; e-- > 0;) {
                climb = climb + in_.chunk0[e + 1].backwardInput + in_.hop;
                own = max(own, climb + gradients0(e, first));
            }
            if (m_ - 1 < full_ - d)
                own = own + t1.backwardWeight;
            last1_[d] = t1.backwardInput + (d == p_ - 1 ? own : max(own, last1_[d + 1] + in_.hop));
        }
    }

    /// The start of the first gradient of chunk 0, through the device's own operations.
    N afterFill(const Filling<N>& start, int d) const {
        using std::max;
        const StageSeconds<N>& t1 = in_.chunk1[d];
        const std::int64_t fill = std::min<std::int64_t>(p_ - d, m_);
        const std::int64_t forwards = std::max<std::int64_t>(0, std::min<std::int64_t>(p_, m_) - d - 1);
        const N gradient = t1.backwardInput + t1.backwardWeight;
        const N own = max(start.gradients[d] + number(fill) * gradient + number(forwards) * t1.forward,
                          gradientArrival(in_, start.gradients, d, fill - 1, m_) + gradient);
        return m_ > 2 * p_ - 1 - d ? own + in_.chunk0[d].forward : own;
    }

    /// Seconds from the start of the first gradient of chunk 0 to the end of the step.
    /// \param after from the end of the last forward of chunk 1
    N fromGradients0(int d, const N& after) const {
        const StageSeconds<N>&t0 = in_.chunk0[d], &t1 = in_.chunk1[d];
        const N gradient0 = t0.backwardInput + t0.backwardWeight,
                gradient1 = t1.backwardInput + t1.backwardWeight;
        if (m_ > p_) {
            return number(m_ - p_) * (gradient0 + t1.forward) + number(m_ - p_ - 1) * gradient1 +
                   number(std::max<std::int64_t>(0, m_ - 2 * p_ + d)) * t0.forward + after;
        }
        return m_ - 1 >= p_ - d
                   ? number(done0(d)) * gradient0 + number(m_ - 1 - p_ + d) * gradient1 + last1_[d]
                   : number(m_ - 1) * gradient0 + last0_[d];
    }

    /// Seconds from the end of the device's last forward of chunk 1, through its own operations, to its last
    /// gradient of chunk 1.
    N drain(int d) const {
        const StageSeconds<N>&t0 = in_.chunk0[d], &t1 = in_.chunk1[d];
        const std::int64_t first1 = m_ - 1 - std::min<std::int64_t>(m_ - 1, d);
        const std::int64_t first0 = std::max<std::int64_t>(0, m_ - p_);
        return number(m_ - 1 - first1) * t1.backwardInput +
               number(below(first1, m_ - 1, full_ - d)) * t1.backwardWeight +
               number(done0(d) - first0) * t0.backwardInput +
               number(below(first0, done0(d), full_ - p_)) * t0.backwardWeight + last1_[d];
    }

    const Fold<N> in_;
    const int p_;
    const std::int64_t m_, full_;
    Row<N> last0_, last1_;
};

} // namespace alidade::critical
