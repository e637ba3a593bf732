// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

/// Quantiles over requests (TTFT) or over tokens (ITL).
template <class N>
struct PercentilesT {
    N p50{}, p90{}, p95{}, p99{};
};
using Percentiles = PercentilesT<double>;

} // namespace alidade
