// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace alidade {

/// Probability that one of k of n samples is right if c of the n are: 1 - C(n - c, k) / C(n, k).
/// Chen et al. 2021 (arXiv 2107.03374). \pre 0 <= c <= n, 1 <= k <= n
double passAtK(int n, int c, int k);

} // namespace alidade
