// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_walker.h"
#include "model/search/search.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace alidade {

/// What a picture of an answer shows besides the answer: the plans of its sample over any two figures, and
/// what bounds each of them and each listed plan.
struct SearchPicture {
    /// Of the sampled plans, in the order of the estimate, without percentiles; none is unknown to all of
    /// them.
    std::vector<const PlanFigure*> figures;
    std::vector<double> values;                 ///< of one plan after the other; NaN: the plan has none
    std::map<std::uint64_t, Bound> bottlenecks; ///< by index, of the best plans, the front and the sample

    /// \pre it is one of the figures
    double value(std::size_t sampled, const PlanFigure& figure) const;
    bool has(const PlanFigure& figure) const;
};

/// Makes pictures of one answer after the other to the same question; a plan is evaluated once.
class SearchPictures {
public:
    /// All must outlive this.
    SearchPictures(const SearchQuestion& question, const Catalog& catalog, const Profile& profile);

    /// \param most plans to evaluate now, the listed ones first; those of the sample that would be too many
    /// leave it
    /// \returns an empty one if it is stopped
    SearchPicture of(SearchResult& result, const std::stop_token& stop = {},
                     std::size_t most = std::numeric_limits<std::size_t>::max());

private:
    struct Known {
        std::vector<double> values; ///< of the figures
        std::optional<Bound> bound;
    };
    const Known& evaluated(std::uint64_t index);

    PlanEvaluator plan_;
    PlanWalker walker_;
    std::vector<const PlanFigure*> figures_;
    std::unordered_map<std::uint64_t, Known> known_; ///< by index
};

} // namespace alidade
