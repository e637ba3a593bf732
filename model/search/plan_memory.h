// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/question.h"
#include "model/search/ranking.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alidade {

/// The figures of all plans of a space that run, fit and carry their load. Other limits and objectives can be
/// answered from them without evaluating a plan; the answer is that of a search.
class PlanMemory {
public:
    /// \param most bytes of figures; of a larger space nothing is remembered
    explicit PlanMemory(const SearchQuestion& question, std::size_t most = std::size_t{96} << 20);

    /// Whether the space was tried to its end and this question has no other, and asks for figures that are
    /// remembered. \pre the present plan, the catalog and the constants are those of the search
    bool answers(const SearchQuestion& question) const;
    std::size_t plans() const { return plans_; }

    /// Some plans, one after the other.
    struct Rows {
        std::vector<std::uint64_t> indices;
        std::vector<double> values; ///< of all figures of a plan, then of the next
        std::vector<char> missesTargets;
    };

    // For searches
    const std::vector<const PlanFigure*>& figures() const { return figures_; }
    const std::vector<Rows>& parts() const { return parts_; }
    bool hasRoomFor(std::size_t more); ///< from any thread; false for good once there is none
    void add(Rows&& rows);
    /// \param rejected, counts: of plans that break a rule, do not fit or do not carry their load
    void finish(const SearchCounts& counts, const RejectionList& rejected, bool complete);
    const SearchCounts& fixedCounts() const { return counts_; }
    const RejectionList& fixedRejected() const { return rejected_; }
    /// Place of a figure in a row.
    std::size_t column(const PlanFigure& figure) const;
    bool knows(const PlanFigure& figure) const;

private:
    SearchQuestion question_;
    bool percentiles_;
    std::vector<const PlanFigure*> figures_;
    std::vector<std::size_t> columns_; ///< by place in planFigures()
    std::size_t most_;                 ///< plans
    std::atomic<std::size_t> asked_{0};
    std::size_t plans_ = 0;
    std::vector<Rows> parts_;
    SearchCounts counts_;
    RejectionList rejected_;
    bool isWhole_ = false;
};

} // namespace alidade
