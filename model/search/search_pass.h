// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/search/findings.h"
#include "model/search/judge.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_memory.h"
#include "model/search/plan_walker.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// A pass over the plans of a space: tries each of them, or judges what is remembered of them.
class SearchPass {
public:
    /// All must outlive this.
    SearchPass(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
               const SearchOptions& options);

    /// Tries the plans of the shard.
    SearchFindings tryAll() const;
    /// \pre memory.answers(question)
    SearchFindings recall(const PlanMemory& memory) const;

    const Judge& judge() const { return judge_; }
    /// The figures of the picture: the first objective, and the second one or the memory.
    const std::array<const PlanFigure*, 2>& axes() const { return axes_; }
    const PresentPlan& present() const { return present_; } ///< without its rank
    /// Its first objective as ranked; absent: it is not an answer.
    const std::optional<double>& presentScore() const { return presentScore_; }
    /// Free fields whose value differs from the present plan.
    int changesOf(std::span<const std::size_t> digits) const;
    std::vector<std::pair<const PlanFigure*, double>> figuresOf(const PlanEvaluator& plan) const;

private:
    /// What one thread has found.
    struct Own {
        SearchFindings found;
        PlanMemory::Rows rows;
        bool remembers = false;
    };
    void judgePresent();
    /// Tries a plan. \param end of the plans that are to be tried
    /// \returns the next plan to try: those before it fail for the same reason
    std::uint64_t tryOne(std::uint64_t index, std::uint64_t end, PlanWalker& walker, PlanEvaluator& plan,
                         Own& out) const;
    void remember(std::uint64_t index, const PlanEvaluator& plan, Own& out) const;
    template <class Plan>
    void rank(const Plan& plan, std::uint64_t index, std::span<const std::size_t> digits,
              SearchFindings& out) const;
    struct Remembered;
    struct Misses;

    const SearchQuestion& question_;
    const Catalog& catalog_;
    const Profile& profile_;
    const SearchOptions& options_;
    Judge judge_;
    std::array<const PlanFigure*, 2> axes_;
    const PlanFigure* gpus_ = findPlanFigure("gpus");
    std::uint64_t plans_;
    bool machinesAreFree_;
    std::vector<std::optional<std::size_t>> presentDigits_;
    PresentPlan present_;
    std::optional<double> presentScore_;
};

} // namespace alidade
