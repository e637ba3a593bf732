// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <limits>
#include <vector>

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

/// The layouts that a guided way tries. Training: tensor parallel inside an NVLink domain, pipelines up to 16
/// stages, recompute from none to full. Serving: tensor parallel, or experts spread over an NVLink domain
/// with attention in data parallel, in the model's own precision and in FP8.
std::vector<ScenarioSpec> usualLayouts(const ScenarioSpec& base);

/// Finds the best of a list of estimates: of those that run and fit the fastest (training), the one that
/// takes the most requests within its targets (serving); if none fits, the one that lacks least memory.
class PlanChoice {
public:
    void consider(int index, const Estimate* estimate);
    int index() const; ///< 0 if nothing ran

private:
    int best_ = -1, nearest_ = -1;
    double bestScore_ = -std::numeric_limits<double>::infinity();
    double leastLack_ = std::numeric_limits<double>::infinity(); ///< bytes that the nearest needs too much
};

} // namespace alidade::views
