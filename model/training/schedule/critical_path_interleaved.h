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

/// End of the operations of a device that come before the first of the other kind.
/// \param count of them, from the last chunk of the first group on
template <class N, class Time>
N warmUpEnd(const Pipeline<N>& in, int device, const Passes<N>& passed, std::int64_t count,
            std::int64_t group, Time time) {
    using std::max;
    const N own = passed.start[device] + firstOperations(in, device, count, group, time, in.v - 1);
    return count < group
               ? own
               : max(own, passed.end[device] + firstOperations(in, device, count - group, group, time));
}

/// What the chain of `throughTheHead` needs to know of each stage.
template <class N>
struct StageRows {
    Row<N> work;            ///< of one microbatch
    Row<N> chunk, backward; ///< of one microbatch on one chunk, all of it and the backward; the first is left
                            ///< out, which the stages before the head run while the chain is with that
    Row<N> after;           ///< from the end of the last forward to the end of the step
};

/// A last chunk of the last stage that takes longer than the stage's others (it holds the head): the chain
/// passes it with every group of microbatches and spends the time between on the busiest of the other stages.
/// It goes there and back either way round the ring of stages, and each stage of the way costs it one
/// microbatch of a chunk.
/// \param start of the first forward of that chunk; \param end from the end of its last backward
template <class N>
N throughTheHead(const Pipeline<N>& in, std::int64_t group, const N& start, const N& end,
                 const StageRows<N>& rows) {
    using std::max;
    const int last = in.p - 1;
    const double size = static_cast<double>(group), groups = static_cast<double>(in.m / group);
    const N head = size * in.t.total(in.p * in.v - 1);
    Row<N> turn, direct,
        ring; // from one passage to the next: the best way, straight there, over the ring's end
    N way = 0;
    for (int s = last - 1; s >= 0; --s) {
        const double away = last - s;
        direct[s] = turn[s] = way + (size * (in.v - 1) - 2 * away + 1) * rows.chunk[s] + 2.0 * away * in.hop;
        way = way + rows.chunk[s];
    }
    way = in.t.total(last);
    for (int s = 0; s < last; ++s) {
        const double away = s + 1, stays = size * (in.v - 1) - 2 * away - 2 * (size - in.p);
        ring[s] = way + stays * rows.chunk[s] + 2.0 * away * in.hop;
        turn[s] = max(turn[s], ring[s]);
        way = way + rows.chunk[s];
    }
    const double rest = static_cast<double>(in.m % group), early = (in.v - 1) * (size - rest);
    // Or all the way round with the backwards, leaving out as many forwards as a group has microbatches.
    N round = in.t.backward(last) + static_cast<double>(in.p) * in.hop;
    for (int s = 0; s < last; ++s) {
        round = round + rows.backward[s];
    }
    for (int s = 0; s < last; ++s) {
        turn[s] = max(turn[s], round + size * (in.v - 2) * rows.chunk[s]);
    }
    N longest = 0, up = 0;
    for (int s = last - 1; s >= 0; --s) {
        N path = start + head;
        if (groups > 1) { // it may stay away for some groups
            path = path + turn[s] + head + (groups - 2) * max(turn[s] + head, size * rows.work[s]);
        }
        if (rest == 0) {
            longest = max(longest, path + end);
        } else {
            // A smaller last group: its forwards of the chunk come so many operations before its backwards.
            const N smaller =
                early * (in.t.backward(last) - rows.chunk[s]) + rest * in.t.total(in.p * in.v - 1) + end;
            if (early <= size * (in.v - 1) - 2 * (last - s) + 1) {
                longest = max(longest, path + direct[s] + smaller);
            }
            if (early <= size * (in.v - 1) - 2 * (s + 1) - 2 * (size - in.p)) {
                longest = max(longest, path + ring[s] + smaller);
            }
        }
        // Or the chain stays on the other stage from there on.
        const double away = last - s, left = rest * in.v - 2 * away;
        if (left >= 0) {
            longest = max(longest, path + up + away * in.hop + left * rows.chunk[s] + rows.after[s]);
        }
        up = up + in.t.backward((in.v - 1) * in.p + s);
    }
    return longest;
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
    StageRows<N> rows;
    N longest = 0, before = 0, after = 0;
    for (int s = in.p - 1; s >= 0; --s) {
        N work = in.t.total(s);
        for (int chunk = 1; chunk < in.v; ++chunk) {
            work = work + in.t.total(chunk * in.p + s);
        }
        const double others = std::max(1, in.v - 1);
        rows.work[s] = work;
        rows.chunk[s] = in.v == 1 ? work : (1 / others) * (work - in.t.total(s));
        rows.backward[s] = in.t.backward(s);
        for (int chunk = 1; chunk < in.v; ++chunk) {
            rows.backward[s] =
                chunk == 1 ? in.t.backward(in.p + s) : rows.backward[s] + in.t.backward(chunk * in.p + s);
        }
        rows.backward[s] = (1 / others) * rows.backward[s];
        const bool last = s == in.p - 1;
        const std::int64_t warm = std::min((in.v - 1) * group + 2 * (in.p - 1 - s) + 1, all);
        const std::int64_t lastChunk = warm - (in.v - 1) * first, lastBackwards = warm - (in.v - 1) * final;
        const N own = warmUpEnd(in, s, down, lastChunk, first, forward);
        const N ownAfter = warmUpEnd(in, s, up, lastBackwards, final, backward);
        const int next = (in.v - 1) * in.p + s + 1;
        before = last ? own : max(own, before + backward(next) + in.hop);
        after = last ? ownAfter : max(ownAfter, after + forward(next) + in.hop);
        rows.after[s] = after;
        if (warm < all || last) {
            const N outside =
                firstOperations(in, s, warm, first, forward) + firstOperations(in, s, warm, final, backward);
            longest = max(longest, before + static_cast<double>(in.m) * work - outside + after);
        }
        if (warm == all) { // all forwards before all backwards
            longest = max(longest, max(before + up.end[s], down.end[s] + after));
        }
    }
    return in.m < group
               ? longest
               : max(longest, throughTheHead(in, group, down.start[in.p - 1], up.start[in.p - 1], rows));
}

} // namespace alidade::critical
