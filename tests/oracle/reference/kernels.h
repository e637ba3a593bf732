// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/attention.h"

#include <cmath>

namespace alidade::reference {

/// The useful fraction of the arithmetic when m x n is cut into tiles that run in waves over the
/// multiprocessors. A diagnostic: libraries choose tiles well, so the law above does not contain it.
inline double tileWaveEfficiency(double m, double n, double tileRows, double tileColumns,
                                 double multiprocessors) {
    const double rows = std::ceil(m / tileRows);
    const double columns = std::ceil(n / tileColumns);
    const double waves = std::ceil(rows * columns / multiprocessors);
    return m * n / (rows * tileRows * columns * tileColumns) * (rows * columns) / (waves * multiprocessors);
}

/// Causal attention with equal head sizes for keys and values.
template <class N>
AttentionShape<N> causalAttention(const N& batch, const N& queries, const N& queryHeads, const N& kvHeads,
                                  const N& headSize, const N& cached = N(0)) {
    return {.batch = batch,
            .queries = queries,
            .cached = cached,
            .queryHeads = queryHeads,
            .kvHeads = kvHeads,
            .headSize = headSize,
            .valueHeadSize = headSize,
            .pairs = named(causalPairs(queries, cached), "attention_pairs", Dimension::number,
                           "s P + s (s + 1) / 2"),
            .span = queries};
}

} // namespace alidade::reference
