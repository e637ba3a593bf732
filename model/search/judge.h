// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/quantiles.h"
#include "model/search/plan_evaluator.h"
#include "model/search/question.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace alidade {

/// What the figures of an evaluation say about a question.
class Judge {
public:
    explicit Judge(const SearchQuestion& question)
        : question_(question) {
        const auto needs = [](const PlanFigure* f) {
            return f->path.find("percentiles") != std::string_view::npos;
        };
        percentiles_ =
            question.base.workload.ttftSloS || question.base.workload.itlSloS ||
            std::ranges::any_of(question.objectives, needs) ||
            std::ranges::any_of(question.limits, [&](const SearchLimit& l) { return needs(l.figure); });
    }

    bool percentiles() const { return percentiles_; }

    /// A figure at the end of its band that is unfavorable, if the question asks for that.
    double judged(double value, double logSd, const PlanFigure& figure) const {
        const double factor = question_.robust ? std::exp(quantile90 * logSd) : 1;
        return figure.moreIsBetter ? value / factor : value * factor;
    }
    template <class Plan>
    double judged(const Plan& plan, const PlanFigure& figure) const {
        return judged(plan.figure(figure), plan.logSd(figure), figure);
    }

    /// Why a plan that runs, fits and carries its load is still no answer; empty: it is one.
    std::string miss(const PlanEvaluator& plan) const {
        if (question_.robust && plan.memoryHigh() > plan.usableMemory())
            return "Only the high end of its memory band does not fit";
        if (plan.missesTargets())
            return missedTargets;
        return missedLimit([&](const PlanFigure& figure) { return judged(plan, figure); });
    }

    /// Which limit a plan misses, or which figure of an objective it does not have.
    template <class Values>
    std::string missedLimit(const Values& value) const {
        const auto at = missedAt(value);
        return at ? reason(*at) : std::string();
    }

    /// The same as a number: two for each limit, whether it is missed or its figure not known, then one for
    /// each objective.
    template <class Values>
    std::optional<std::size_t> missedAt(const Values& value) const {
        for (std::size_t i = 0; i < question_.limits.size(); ++i) {
            const double at = value(*question_.limits[i].figure);
            if (std::isnan(at))
                return 2 * i + 1;
            if (!question_.limits[i].holds(at))
                return 2 * i;
        }
        for (std::size_t i = 0; i < question_.objectives.size(); ++i)
            if (!std::isfinite(value(*question_.objectives[i])))
                return 2 * question_.limits.size() + i;
        return std::nullopt;
    }

    /// Such numbers are less than this, which represents the targets of the scenario.
    std::size_t reasons() const { return 2 * question_.limits.size() + question_.objectives.size(); }

    std::string reason(std::size_t at) const {
        if (at >= reasons())
            return missedTargets;
        if (at >= 2 * question_.limits.size()) {
            const PlanFigure& figure = *question_.objectives[at - 2 * question_.limits.size()];
            return std::string(figure.label) + " is not known";
        }
        const SearchLimit& limit = question_.limits[at / 2];
        const std::string label(limit.figure->label);
        return at % 2 == 1 ? label + " is not known"
                           : label + (limit.atMost ? " is above " : " is below ") +
                                 formatQuantity(limit.value, limit.figure->dimension);
    }

    template <class Values>
    std::array<double, 2> scores(const Values& value) const {
        std::array<double, 2> out{};
        for (std::size_t i = 0; i < std::min<std::size_t>(2, question_.objectives.size()); ++i) {
            const PlanFigure& figure = *question_.objectives[i];
            out[i] = figure.moreIsBetter ? -value(figure) : value(figure);
        }
        return out;
    }
    template <class Plan>
    std::array<double, 2> scoresOf(const Plan& plan) const {
        return scores([&](const PlanFigure& figure) { return judged(plan, figure); });
    }

    static constexpr const char* missedTargets = "Misses the targets of TTFT or ITL";

private:
    const SearchQuestion& question_;
    bool percentiles_ = false;
};

} // namespace alidade
