// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace alidade {

/// State size and arithmetic of an optimizer, relative to FP32 Adam.
struct OptimizerKind {
    std::string_view word; ///< in scenario files
    double momentBytes;    ///< per parameter
    double flopsPerSize;   ///< arithmetic per parameter and unit of the hidden size
};

// Adam: two FP32 moments. DeepSeek-V3 (arXiv 2412.19437, 3.3.2): BF16 moments. bitsandbytes (arXiv
// 2110.02861): 8-bit moments. Muon (Jordan 2024): one momentum; five Newton-Schulz iterations of about 6 h
// FLOP per parameter each.
inline constexpr std::array<OptimizerKind, 4> optimizers{
    {{"adam", 8, 0}, {"adam_bf16_moments", 4, 0}, {"adam_8bit", 2, 0}, {"muon", 4, 30}}};

} // namespace alidade
