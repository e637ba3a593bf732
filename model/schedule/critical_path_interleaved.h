// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/critical_path.h"

namespace alidade::critical {

/// The first group of micro-batches passing through the chunks: for the last chunk of each device, the start
/// of the first micro-batch and the end of the last. For the step read from its end, whose first group is the
/// last one, the same for the backwards.
template <class N>
struct Passes {
    Row<N> start, end;

    /// Moves on to a chunk of the next device, or of the first one again, with the seconds of the previous
    /// chunk and of this one.
    template <class T>
    void pass(int from, int to, const T& before, const T& seconds, double group, const N& hop, bool again) {
        using std::max;
        const N first = start[from] + before + hop, last = end[from] + hop + seconds;
        start[to] = again ? max(first, end[to]) : first;
        end[to] = max(start[to] + group * seconds, last);
    }
};

/// \param first, final micro-batches of the first and last group
template <class N, class T, class Times>
void passes(const Pipeline<N, T, Times>& in, std::int64_t first, std::int64_t final, Passes<N>& down,
            Passes<N>& up) {
    const double groupDown = static_cast<double>(first), groupUp = static_cast<double>(final);
    T forward = in.t.forward(0), backward = in.t.backward(0);
    down.start[0] = up.start[0] = 0;
    down.end[0] = groupDown * forward;
    up.end[0] = groupUp * backward;
    for (int chunk = 0; chunk < in.v; ++chunk) {
        for (int d = chunk == 0 ? 1 : 0; d < in.p; ++d) {
            const int from = d > 0 ? d - 1 : in.p - 1, k = chunk * in.p + d;
            const T nextForward = in.t.forward(k), nextBackward = in.t.backward(k);
            down.pass(from, d, forward, nextForward, groupDown, in.hop, chunk > 0);
            up.pass(from, d, backward, nextBackward, groupUp, in.hop, chunk > 0);
            forward = nextForward;
            backward = nextBackward;
        }
    }
}

/// Returns the seconds of `count` operations of a device from its last chunk on. Groups pass through the
/// chunks in turn.
template <class N, class T, class Times, class Time>
T lastChunkOn(const Pipeline<N, T, Times>& in, int device, std::int64_t count, std::int64_t group,
              Time time) {
    T out = 0;
    for (int chunk = in.v - 1; count > 0; chunk = chunk + 1 == in.v ? 0 : chunk + 1) {
        const std::int64_t taken = std::min(count, group);
        out = out + static_cast<double>(taken) * time(chunk * in.p + device);
        count -= taken;
    }
    return out;
}

/// Returns the end of a device's operations before the first one of the other kind.
/// \param seconds of the operations, from the last chunk of the first group on; \param count number of
/// operations
template <class N, class T>
N warmUpEnd(const Passes<N>& passed, int device, const T& seconds, std::int64_t count, std::int64_t group,
            const T& chunk) {
    using std::max;
    const N own = passed.start[device] + seconds;
    return count < group ? own : max(own, passed.end[device] + seconds - static_cast<double>(group) * chunk);
}

/// Seconds of one micro-batch on each stage that the chain needs.
template <class N, class T>
struct StageRows {
    Row<T> forwards, backwards; ///< through all chunks of the device
    Row<T> chunk, backward;     ///< through one chunk both ways, and back; excludes the first chunk's forward
                                ///< and the last one's backward, done while the chain is with the head
    Row<N> after;               ///< from the end of the device's last forward to the end of the step

    template <class Times>
    explicit StageRows(const Pipeline<N, T, Times>& in) {
        const double others = 1.0 / std::max(1, in.v - 1);
        for (int s = 0; s < in.p; ++s) {
            const T forward = in.t.forward(s), back = in.t.backward(s);
            T allForward = forward, allBack = back;
            for (int c = 1; c < in.v; ++c) {
                allForward = allForward + in.t.forward(c * in.p + s);
                allBack = allBack + in.t.backward(c * in.p + s);
            }
            forwards[s] = allForward;
            backwards[s] = allBack;
            backward[s] = others * (allBack - in.t.backward((in.v - 1) * in.p + s));
            chunk[s] = backward[s] + others * (allForward - forward);
        }
    }
};

/// Handles the case in which the last chunk of the last stage takes longer than the stage's other chunks (it
/// holds the head). The chain passes it with every group of micro-batches and spends the time in between on
/// the busiest other stage. It goes there and back in either direction of the ring of stages, and each stage
/// on the way costs it one micro-batch of a chunk.
/// \param start of the first forward of that chunk; \param end from the end of its last backward
template <class N, class T, class Times>
N throughTheHead(const Pipeline<N, T, Times>& in, std::int64_t group, const N& start, const N& end,
                 const StageRows<N, T>& rows) {
    using std::max;
    const int last = in.p - 1, k = in.p * in.v - 1;
    const double size = static_cast<double>(group), groups = static_cast<double>(in.m / group);
    const double rest = static_cast<double>(in.m % group), early = (in.v - 1) * (size - rest);
    const T head = size * in.t.total(k);
    // The other direction: past the end of the ring, or all the way around with the backwards, skipping as
    // many forwards as a group has micro-batches.
    Row<N> ring;
    T way = in.t.total(last);
    N round = in.t.backward(last) + static_cast<double>(in.p) * in.hop;
    for (int s = 0; s < last; ++s) {
        const double away = s + 1, stays = size * (in.v - 1) - 2 * away - 2 * (size - in.p);
        ring[s] = stays < 1 ? N(0) : way + stays * rows.chunk[s] + 2.0 * away * in.hop;
        way = way + rows.chunk[s];
        round = round + rows.backward[s];
    }
    N longest = 0;
    T up = 0;
    way = 0;
    for (int s = last - 1; s >= 0; --s) {
        const double away = last - s, stays = size * (in.v - 1) - 2 * away + 1;
        const N direct = stays < 1 ? N(0) : way + stays * rows.chunk[s] + 2.0 * away * in.hop;
        const N turn = max(max(direct, ring[s]), round + size * (in.v - 2) * rows.chunk[s]);
        N path = start + head;
        if (groups > 1) { // the chain may stay away for some groups
            path = path + turn + head +
                   (groups - 2) * max(turn + head, size * (rows.forwards[s] + rows.backwards[s]));
        }
        if (rest == 0) {
            longest = max(longest, path + end);
        } else {
            // Smaller last group: its forwards of the chunk are `early` operations ahead of its backwards.
            const N smaller = early * (in.t.backward(last) - rows.chunk[s]) + rest * in.t.total(k) + end;
            if (early <= stays)
                longest = max(longest, path + direct + smaller);
            if (early <= size * (in.v - 1) - 2 * (s + 1) - 2 * (size - in.p))
                longest = max(longest, path + ring[s] + smaller);
        }
        // Alternatively, the chain stays on the other stage from there on.
        const double left = rest * in.v - 2 * away;
        if (left >= 0)
            longest = max(longest, path + up + away * in.hop + left * rows.chunk[s] + rows.after[s]);
        way = way + rows.chunk[s];
        up = up + in.t.backward((in.v - 1) * in.p + s);
    }
    return longest;
}

/// Like 1F1B, with each stage starting with the forwards of the first group through all its chunks.
template <class N, class T, class Times>
N interleaved(const Pipeline<N, T, Times>& in) {
    using std::max;
    const auto forward = [&](int k) { return in.t.forward(k); };
    const auto backward = [&](int k) { return in.t.backward(k); };
    const std::int64_t group = interleavedGroup(in.p, in.m), all = in.m * in.v;
    const std::int64_t first = std::min(group, in.m), final = in.m - (in.m - 1) / group * group;
    Passes<N> down, up;
    passes(in, first, final, down, up);
    StageRows<N, T> rows(in);
    N longest = 0, before = 0, after = 0;
    for (int s = in.p - 1; s >= 0; --s) {
        const bool last = s == in.p - 1;
        const std::int64_t warm = std::min((in.v - 1) * group + 2 * (in.p - 1 - s) + 1, all);
        const std::int64_t countDown = warm - (in.v - 1) * first, countUp = warm - (in.v - 1) * final;
        const int k = (in.v - 1) * in.p + s;
        const T lastDown = lastChunkOn(in, s, countDown, first, forward);
        const T lastUp = lastChunkOn(in, s, countUp, final, backward);
        const N own = warmUpEnd(down, s, lastDown, countDown, first, forward(k));
        const N ownAfter = warmUpEnd(up, s, lastUp, countUp, final, backward(k));
        before = last ? own : max(own, before + backward(k + 1) + in.hop);
        after = last ? ownAfter : max(ownAfter, after + forward(k + 1) + in.hop);
        rows.after[s] = after;
        if (warm < all || last) { // excludes the forwards before and the backwards after
            const N between = static_cast<double>(in.m) * (rows.forwards[s] + rows.backwards[s]) -
                              static_cast<double>(first) * (rows.forwards[s] - forward(k)) - lastDown -
                              static_cast<double>(final) * (rows.backwards[s] - backward(k)) - lastUp;
            longest = max(longest, before + between + after);
        }
        if (warm == all) // all forwards precede all backwards
            longest = max(longest, max(before + up.end[s], down.end[s] + after));
    }
    return in.m < group || in.v == 1
               ? longest
               : max(longest, throughTheHead(in, group, down.start[in.p - 1], up.start[in.p - 1], rows));
}

} // namespace alidade::critical
