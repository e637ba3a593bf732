// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "model/search/search.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

namespace alidade {

/// What a picture of an answer shows beside the answer: the plans of its sample over any two figures, and
/// what bounds each listed plan.
struct SearchPicture {
    /// Of the sampled plans, in the order of the estimate, without percentiles; none is unknown to all of
    /// them.
    std::vector<const PlanFigure*> figures;
    std::vector<double> values;                 ///< of one plan after the other; NaN: the plan has none
    std::map<std::uint64_t, Bound> bottlenecks; ///< by index, of the best plans and the front

    /// \pre it is one of the figures
    double value(std::size_t sampled, const PlanFigure& figure) const;
    bool has(const PlanFigure& figure) const;
};

/// Evaluates some thousand plans once more. Empty if it is stopped.
SearchPicture searchPicture(const SearchQuestion& question, const SearchResult& result,
                            const Catalog& catalog, const Profile& profile, const std::stop_token& stop = {});

} // namespace alidade
