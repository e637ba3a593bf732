// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/schedule/critical_path.h"

namespace alidade::critical {

/// The first group of microbatches on its way through the chunks: for the last chunk of each device the start
/// of the first microbatch and the end of the last.
template <class N>
struct Passes {
    Row<N> start, end;
};

/// \param time seconds by virtual stage: of the forwards; or of the backwards for the step read from its end,
/// where the last group comes first
template <class N, class Time>
Passes<N> passes(const Pipeline<N>& in, std::int64_t group, Time time) {
    using std::max;
    Passes<N> out;
    for (int k = 0; k < in.p * in.v; ++k) {
        const int d = k % in.p, before = d > 0 ? d - 1 : in.p - 1;
        N start = 0, last = 0; // of the first microbatch; end of the last one by its way through the stages
        if (k > 0) {
            start = out.start[before] + time(k - 1) + in.hop;
            last = out.end[before] + in.hop + time(k);
        }
        if (k >= in.p) {
            start = max(start, out.end[d]);
        }
        out.start[d] = start;
        out.end[d] = max(start + static_cast<double>(group) * time(k), last);
    }
    return out;
}

/// Seconds of the first `count` operations of a device: groups go through its chunks in turn.
template <class N, class Time>
N firstOperations(const Pipeline<N>& in, int device, std::int64_t count, std::int64_t group, Time time,
                  int firstChunk = 0) {
    N out = 0;
    for (int chunk = firstChunk; count > 0; chunk = (chunk + 1) % in.v) {
        const std::int64_t taken = std::min(count, group);
        out = out + static_cast<double>(taken) * time(chunk * in.p + device);
        count -= taken;
    }
    return out;
}

/// As 1F1B, where a stage begins with the forwards of the first group through all its chunks.
template <class N>
N interleaved(const Pipeline<N>& in) {
    using std::max;
    const auto forward = [&](int k) { return in.t.forward(k); };
    const auto backward = [&](int k) { return in.t.backward(k); };
    const std::int64_t group = interleavedGroup(in.p, in.m), all = in.m * in.v;
    const std::int64_t first = std::min(group, in.m), final = in.m - (in.m - 1) / group * group;
    const Passes<N> down = passes(in, first, forward), up = passes(in, final, backward);
    N longest = 0, before = 0, after = 0;
    for (int s = in.p - 1; s >= 0; --s) {
        const bool last = s == in.p - 1;
        const std::int64_t warm = std::min((in.v - 1) * group + 2 * (in.p - 1 - s) + 1, all);
        const std::int64_t lastChunk = warm - (in.v - 1) * first, lastBackwards = warm - (in.v - 1) * final;
        const N own = down.start[s] + firstOperations(in, s, lastChunk, first, forward, in.v - 1);
        const N ownAfter = up.start[s] + firstOperations(in, s, lastBackwards, final, backward, in.v - 1);
        const int next = (in.v - 1) * in.p + s + 1;
        before = last ? own : max(own, before + backward(next) + in.hop);
        after = last ? ownAfter : max(ownAfter, after + forward(next) + in.hop);
        if (warm < all || last) {
            N between =
                -firstOperations(in, s, warm, first, forward) - firstOperations(in, s, warm, final, backward);
            for (int chunk = 0; chunk < in.v; ++chunk) {
                between = between + static_cast<double>(in.m) * in.t.total(chunk * in.p + s);
            }
            longest = max(longest, before + between + after);
        }
        if (warm == all) { // all forwards before all backwards
            longest = max(longest, max(before + up.end[s], down.end[s] + after));
        }
    }
    return longest;
}

} // namespace alidade::critical
