// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/rank_layout.h"

namespace alidade {

/// Calls `visit(base, firstIndex)` for each group of a pattern: its index n is rank base +
/// patternOffset(pattern, firstIndex + n x step). Skips groups whose first rank is not a multiple of `unit`.
template <class F>
void forEachGroup(const GroupPattern& p, std::int64_t ranks, std::int64_t unit, F visit) {
    const std::int64_t innerSpan = p.innerStride * p.inner, outerSpan = p.outerStride * p.outer;
    const std::int64_t indices = std::int64_t{p.inner} * p.outer;
    for (std::int64_t base = 0; base < ranks;) {
        if (p.inner > 1 && base / p.innerStride % p.inner != 0) {
            base = (base / innerSpan + 1) * innerSpan;
            continue;
        }
        if (p.outer > 1 && base / p.outerStride % p.outer != 0) {
            base = (base / outerSpan + 1) * outerSpan;
            continue;
        }
        if (p.step > 1)
            for (std::int64_t first = 0; first < p.step; ++first)
                visit(base, first);
        else
            for (std::int64_t first = 0; first + p.ranks <= indices; first += p.ranks)
                visit(base, first);
        base += unit;
    }
}

/// Returns the rank of index k of a pattern's index space, relative to its base.
inline std::int64_t patternOffset(const GroupPattern& p, std::int64_t k) {
    return p.outer == 1 ? k * p.innerStride : k % p.inner * p.innerStride + k / p.inner * p.outerStride;
}

} // namespace alidade
