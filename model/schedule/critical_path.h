// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/stage_times.h"

#include <array>

/// The longest chain of dependent operations from the first forward to the last operation of a step, computed
/// without simulating the step: a search estimates thousands of plans with up to thousands of micro-batches,
/// and the simulation (timeline.h) would take most of its time. Tests hold the two together; criticalPath()
/// says how far they may differ. Nothing here allocates or shares state, so that any thread may call it.
/// Micro-batches are identical, so a chain that stays on a stage for n of them
/// costs n times as much. N is double, or a number that counts its terms (critical_path.cpp). F, B, W:
/// forward, input gradient, weight gradient; G = B + W. Stages and micro-batches count from 0.
namespace alidade::critical {

/// One number per stage, uninitialized for double.
template <class N>
struct Row {
    std::array<N, mostPipelineStages> values;
    N& operator[](int i) { return values[static_cast<std::size_t>(i)]; }
    const N& operator[](int i) const { return values[static_cast<std::size_t>(i)]; }
};

/// \tparam N what chains are counted in, \tparam T what the times of stages are, \tparam Times how they are
/// given
template <class N, class T = N, class Times = VirtualTimes<T>>
struct Pipeline {
    explicit Pipeline(const PipelineTimes<T>& pipeline)
        : Pipeline(pipeline, pipeline.transfer) {}
    Pipeline(const PipelineTimes<T>& pipeline, const N& transfer)
        : p(pipeline.stages)
        , v(pipeline.chunks)
        , m(pipeline.microbatches)
        , hop(transfer)
        , combined(pipeline.combined)
        , t(pipeline) {}
    int p, v;
    std::int64_t m;
    N hop;
    double combined;
    Times t;
};

/// A chain without transfers and one with them, followed side by side in one vector register.
class BothChains {
public:
    BothChains() = default;
    BothChains(double seconds)
        : seconds_{seconds, seconds} {}
    BothChains(double without, double with)
        : seconds_{without, with} {}
    double without() const { return seconds_[0]; }
    double with() const { return seconds_[1]; }

    friend BothChains operator+(const BothChains& a, const BothChains& b) {
        return BothChains(a.seconds_ + b.seconds_);
    }
    friend BothChains operator-(const BothChains& a, const BothChains& b) {
        return BothChains(a.seconds_ - b.seconds_);
    }
    friend BothChains operator*(double factor, const BothChains& a) {
        return BothChains(factor * a.seconds_);
    }
    friend BothChains max(const BothChains& a, const BothChains& b) {
        return BothChains(a.seconds_ < b.seconds_ ? b.seconds_ : a.seconds_);
    }

private:
    using Pair = double __attribute__((vector_size(2 * sizeof(double)))); // GCC and Clang
    explicit BothChains(Pair seconds)
        : seconds_(seconds) {}
    Pair seconds_;
};

/// All forwards of all micro-batches, then all backwards: two flow shops of equal jobs. The length of each is
/// one job through every stage plus the other jobs through the slowest (exact for any times).
template <class N>
N gpipe(const Pipeline<N>& in) {
    using std::max;
    N path = 2.0 * (in.p - 1) * in.hop, forward = 0, backward = 0;
    for (int s = 0; s < in.p; ++s) {
        path = path + in.t.total(s);
        forward = max(forward, in.t.forward(s));
        backward = max(backward, in.t.backward(s));
    }
    return path + static_cast<double>(in.m - 1) * (forward + backward);
}

/// Returns, for each stage s, the end of the forward of micro-batch min(p - 1 - s, m - 1), the last one
/// before any backward. `time` returns the seconds of a stage. Given the backwards' seconds, the result is
/// the time left in the step when the first of equally many last backwards starts.
template <class N, class Time>
Row<N> warmUp(const Pipeline<N>& in, Time time) {
    using std::max;
    Row<N> out;
    N sum = 0, slowest = 0;
    for (int s = 0; s < in.p; ++s) {
        sum = sum + time(s);
        slowest = max(slowest, time(s));
        const auto more = std::min<std::int64_t>(in.p - 1 - s, in.m - 1);
        out[s] = sum + static_cast<double>(more) * slowest + static_cast<double>(s) * in.hop;
    }
    return out;
}

/// 1F1B with transfers. From the start of a stage's first backward to the end of its last forward, a chain
/// may cycle through the `length` stages from this one on, forward and back, instead of staying. It then
/// advances by `length` micro-batches and includes two transfers per stage except the last.
/// \param upTo seconds of one micro-batch on stages 0..i, with two transfers each
template <class N>
N roundTrips(const Pipeline<N>& in, const Row<N>& upTo, int stage, std::int64_t pairs) {
    using std::max;
    const auto round = [&](int length) {
        return length == 0 ? N(0)
                           : upTo[stage + length - 1] - (stage > 0 ? upTo[stage - 1] : N(0)) - 2.0 * in.hop;
    };
    N longest = 0;
    for (int length = 1; stage + length <= in.p; ++length) {
        const auto rounds = static_cast<std::int64_t>(static_cast<double>(pairs - 1) / length);
        const auto rest = static_cast<int>(pairs - rounds * length); // 1..length; its last pair stays
        longest = max(longest, static_cast<double>(rounds) * round(length) + round(rest - 1));
    }
    return longest + in.t.total(stage);
}

/// The chain reaches a stage, stays there from its first backward to its last forward, and leaves. Without
/// transfers this is exact for any times.
template <class N>
N oneForwardOneBackward(const Pipeline<N>& in) {
    using std::max;
    const Row<N> forwards = warmUp(in, [&](int s) { return in.t.forward(s); });
    const Row<N> backwards = warmUp(in, [&](int s) { return in.t.backward(s); });
    const bool transfers = in.hop > N(0);
    Row<N> upTo;
    for (int s = 0; transfers && s < in.p; ++s)
        upTo[s] = (s > 0 ? upTo[s - 1] : N(0)) + in.t.total(s) + 2.0 * in.hop;
    N longest = 0, before = 0, after = 0; // before the first backward, after the last forward
    for (int s = in.p - 1; s >= 0; --s) {
        const bool last = s == in.p - 1;
        before = last ? forwards[s] : max(forwards[s], before + in.t.backward(s + 1) + in.hop);
        after = last ? backwards[s] : max(backwards[s], after + in.t.forward(s + 1) + in.hop);
        const std::int64_t pairs = in.m - in.p + s; // backwards before the last forward
        if (pairs > 0) {
            const N between =
                transfers ? roundTrips(in, upTo, s, pairs) : static_cast<double>(pairs) * in.t.total(s);
            longest = max(longest, before + between + after);
        }
        if (pairs == 0) // from here to stage 0, all forwards precede all backwards
            longest = max(longest, max(before + backwards[s], forwards[s] + after));
    }
    return longest;
}

} // namespace alidade::critical
