// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/critical_path.h"

namespace alidade::critical {

/// A pipeline folded into a V. Device d holds virtual stage d, chunk 0, and 2 devices - 1 - d, chunk 1.
/// DualPipe also fits this model: both of its directions run the same model, so that devices d and p - 1 - d
/// perform the same work at the same time, like the two chunks of one device. Its fold is between two
/// devices.
template <class N>
struct Fold {
    int devices = 1;
    N hop = 0, turn = 0; ///< seconds of a transfer between devices, and at the fold
    N combined = 1;
    Row<StageSeconds<N>> chunk0, chunk1;
};

template <class N>
Fold<N> fold(const Pipeline<N>& in, bool bothWays) {
    Fold<N> out;
    out.devices = bothWays ? in.p / 2 : in.p;
    out.hop = in.hop;
    out.turn = bothWays ? in.hop : N(0);
    const auto stage = [&in](int k) {
        return StageSeconds<N>{in.t.forward(k), in.t.backwardInput(k), in.t.backwardWeight(k)};
    };
    for (int d = 0; d < out.devices; ++d) {
        out.chunk0[d] = stage(d);
        out.chunk1[d] = stage(2 * out.devices - 1 - d);
    }
    return out;
}

/// The start of the first input gradient of chunk 1 on each device: forwards go down the V and back up, and
/// the gradient follows from device 0 on. Each device first runs 2 * devices forwards, or all of them if
/// there are fewer.
template <class N>
struct Filling {
    Row<N> filled; ///< end of the device's forwards before that
    Row<N> gradients;
};

/// \param n micro-batches; \param more whether the last device runs one more forward of chunk 0 before its
/// first gradient
template <class N>
Filling<N> filling(const Fold<N>& in, std::int64_t n, bool more) {
    using std::max;
    const int p = in.devices;
    const auto before = [n](int forwards) {
        return static_cast<double>(std::min<std::int64_t>(n, forwards));
    };
    Filling<N> out;
    Row<N> ready; // end of the forwards of chunk 0 before the first of chunk 1
    N sum = 0, slowest = 0;
    for (int d = 0; d < p; ++d) {
        const N& forward = in.chunk0[d].forward;
        sum = sum + forward;
        slowest = max(slowest, forward);
        ready[d] = sum + (before(2 * (p - d) - 1) - 1) * slowest;
        sum = sum + in.hop;
    }
    Row<N> starts; // of the first forward of chunk 1
    N arrival = ready[p - 1] + in.turn;
    for (int d = p - 1; d >= 0; --d) {
        const N start = max(arrival, ready[d]);
        const double left = before(2 * p - 1 - d) - before(2 * (p - d) - 1);
        out.filled[d] = start + before(d + 1) * in.chunk1[d].forward + left * in.chunk0[d].forward;
        starts[d] = start;
        // Alternatively, through the following devices with the last of these forwards of chunk 1.
        N way = in.chunk1[d].forward;
        const double last = before(d + 1) - 1;
        for (int e = d + 1; e < p; ++e) {
            way = way + in.hop;
            const double between = std::min(last, before(2 * p - 1 - e) - before(2 * (p - e) - 1));
            out.filled[d] = max(out.filled[d], starts[e] + (last + 1) * in.chunk1[e].forward +
                                                   between * in.chunk0[e].forward + way);
            way = way + in.chunk1[e].forward;
        }
        arrival = start + in.chunk1[d].forward + in.hop;
    }
    if (more)
        out.filled[p - 1] = out.filled[p - 1] + in.chunk0[p - 1].forward;
    out.gradients[0] = out.filled[0];
    for (int d = 1; d < p; ++d)
        out.gradients[d] = max(out.filled[d], out.gradients[d - 1] + in.chunk1[d - 1].backwardInput + in.hop);
    return out;
}

/// Returns when the input gradient of chunk 1 of micro-batch j arrives on a device if the chain comes from an
/// earlier device that alternates input gradient, weight gradient and, while any are left, forward of chunk 1
/// for j micro-batches.
template <class N>
N gradientArrival(const Fold<N>& in, const Row<N>& gradients, int device, std::int64_t j, std::int64_t n) {
    using std::max;
    N arrival = 0, way = 0;
    for (int d = device - 1; d >= 0; --d) {
        const StageSeconds<N>& t = in.chunk1[d];
        way = way + t.backwardInput + in.hop;
        const auto forwards = std::min<std::int64_t>(j, std::max<std::int64_t>(0, n - 1 - d));
        arrival = max(arrival, gradients[d] + static_cast<double>(forwards) * t.forward +
                                   static_cast<double>(j) * (t.backwardInput + t.backwardWeight) + way);
    }
    return arrival;
}

/// DualPipe and DualPipe-V. The chain stays on a device from its first to its last forward of chunk 1 that
/// runs together with a backward of chunk 0.
/// \param n micro-batches through each chunk, >= twice the devices
template <class N>
N dualPipe(const Pipeline<N>& pipeline, bool bothWays) {
    using std::max;
    const Fold<N> in = fold(pipeline, bothWays);
    const int p = in.devices;
    const double n = static_cast<double>(pipeline.m) / (bothWays ? 2 : 1);
    const auto backward = [](const StageSeconds<N>& t) { return t.backwardInput + t.backwardWeight; };
    const auto up = [&](int d) {
        return pipeline.combined * (in.chunk1[d].forward + backward(in.chunk0[d]));
    };
    const auto down = [&](int d) {
        return pipeline.combined * (in.chunk0[d].forward + backward(in.chunk1[d]));
    };

    const Row<N> gradients = filling(in, 2 * p, true).gradients;
    Row<N> downs, ups; // start of the first forward of chunk 0 with a backward, and of chunk 1
    for (int d = p - 1; d >= 0; --d) {
        const double away = p - 1.0 - d;
        downs[d] = max(gradients[d] + away * in.chunk1[d].total(),
                       gradientArrival(in, gradients, d, p - 1 - d, 2 * p));
        ups[d] = d == p - 1 ? downs[d] + backward(in.chunk1[d]) + in.turn
                            : max(downs[d] + down(d), ups[d + 1] + up(d + 1) + in.hop);
    }
    Row<N> last0, last1;
    for (int d = 0; d < p; ++d) {
        const int away = p - 1 - d, left = d + 1;
        const int upper = std::min(away, left), mixed = left - upper;
        const N weights = static_cast<double>(upper + (mixed + 1) / 2) * in.chunk0[d].backwardWeight +
                          static_cast<double>(mixed / 2) * in.chunk1[d].backwardWeight;
        last0[d] = in.chunk0[d].backwardInput + (d == 0 ? weights : max(weights, last0[d - 1] + in.hop));
    }
    for (int d = p - 1; d >= 0; --d) {
        const double away = p - 1.0 - d;
        const auto& [f0, b0, w0] = in.chunk0[d];
        const auto& [f1, b1, w1] = in.chunk1[d];
        N own = last0[d];
        if (d < p - 1)
            own = own + away * (b0 + w0);
        last1[d] = b1 + (d == 0 ? w1 : N(0)) + (d == p - 1 ? own + in.turn : max(own, last1[d + 1] + in.hop));
    }
    Row<N> lastUps;
    N longest = 0, after = 0;
    for (int d = 0; d < p; ++d) {
        const auto& [f0, b0, w0] = in.chunk0[d];
        const auto& [f1, b1, w1] = in.chunk1[d];
        N own = last1[d];
        for (int i = 0; i < 2 * d; ++i)
            own = own + (i % 2 == 0 ? b1 : b0) + (i <= d ? (i % 2 == 0 ? w1 : w0) : N(0));
        after = up(d) + (d == 0 ? own : max(own, after + in.hop));
        const double away = p - 1.0 - d, main = n - 2 * p + d + 1;
        const N between = (main + away - 1) * up(d) + (main - 1) * down(d) + away * (b1 + w1);
        longest = max(longest, ups[d] + between + after);
        lastUps[d] = after;
    }
    // From the first forwards of chunk 0 with a backward on a device d, down the V by e - d devices, where
    // that forward occurs equally many turns later, and with the last of them to the bottom.
    N afterDown = 0;
    for (int e = p - 1; e >= 0; --e) {
        const double away = p - 1.0 - e;
        const N turn = up(e) + down(e);
        const N own = lastUps[e] + away * (up(e) + backward(in.chunk1[e]));
        afterDown = down(e) + (e == p - 1 ? own : max(own, afterDown + in.hop));
        if (n - 2 * p + e >= 1)
            longest = max(longest, ups[e] + (n - 2 * p + e) * turn - down(e) + afterDown);
        N way = e == p - 1 ? backward(in.chunk1[e]) - down(e)
                           : N(0); // at the bottom, the first is a single backward
        for (int d = e; d >= 0; --d) {
            longest = max(longest, downs[d] + way + (n - 2 * p + d) * turn + afterDown);
            way = (d == e ? N(0) : way) + (d > 0 ? down(d - 1) + in.hop : N(0));
        }
    }
    return longest;
}

} // namespace alidade::critical
