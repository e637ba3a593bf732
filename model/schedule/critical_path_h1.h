// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/critical_path.h"

namespace alidade::critical {

/// ZB-H1: seconds from the start of the final input gradients on stage s, those with no more forwards between
/// them, to the end of the step. The chain may climb to any stage k <= s and end there with the pending
/// weight gradients.
template <class N>
N drainH1(const Pipeline<N>& in, int s) {
    using std::max;
    const auto more = std::min<std::int64_t>(in.p - 1 - s, in.m - 1);
    N longest = 0, climb = 0, slowest = 0;
    for (int k = s; k >= 0; --k) {
        const std::int64_t draining = in.p - 1 - k;
        const N stay = in.t.backward(k);
        // With few micro-batches the first of these on stage s comes before its first weight gradient.
        const bool early = k == s && draining < in.m && in.m < in.p && more > 0;
        const std::int64_t done =
            draining > 0 ? std::min(draining, in.m) - 1 + std::max<std::int64_t>(0, in.m - draining - k)
                         : std::max<std::int64_t>(0, in.m - 1 - k);
        climb = climb + in.t.backwardInput(k);
        N staying = static_cast<double>(more) * max(slowest, stay);
        if (early)
            staying = static_cast<double>(more) * stay - in.t.backwardWeight(k);
        else
            slowest = max(slowest, stay);
        longest = max(longest, climb + staying + static_cast<double>(in.m - done) * in.t.backwardWeight(k) +
                                   static_cast<double>(s - k) * in.hop);
    }
    return longest;
}

/// Like 1F1B. Before its last forward, a stage completes all but p of its weight gradients.
template <class N>
N zeroBubbleH1(const Pipeline<N>& in) {
    using std::max;
    const Row<N> forwards = warmUp(in, [&](int s) { return in.t.forward(s); });
    const auto weights = static_cast<double>(std::max<std::int64_t>(0, in.m - in.p));
    N longest = 0, before = 0, after = 0;
    for (int s = in.p - 1; s >= 0; --s) {
        const bool last = s == in.p - 1;
        const N drain = drainH1(in, s);
        before = last ? forwards[s] : max(forwards[s], before + in.t.backwardInput(s + 1) + in.hop);
        after = last ? drain : max(drain, after + in.t.forward(s + 1) + in.hop);
        const std::int64_t pairs = in.m - in.p + s;
        if (pairs > 0 || last) {
            longest =
                max(longest, before + static_cast<double>(pairs) * (in.t.forward(s) + in.t.backwardInput(s)) +
                                 weights * in.t.backwardWeight(s) + after);
        }
        if (pairs == 0)
            longest = max(longest, max(before + drain, forwards[s] + after));
    }
    return longest;
}

} // namespace alidade::critical
