// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_picture.h"

#include "model/estimate/estimate.h"
#include "model/estimate/resolved_estimate.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_walker.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace alidade {

namespace {

/// Removes the figures that no plan has.
void dropUnknown(SearchPicture& picture) {
    const std::size_t columns = picture.figures.size();
    std::vector<bool> known(columns, false);
    for (std::size_t i = 0; i < picture.values.size(); ++i) {
        known[i % columns] = known[i % columns] || !std::isnan(picture.values[i]);
    }
    SearchPicture out{.figures = {}, .values = {}, .bottlenecks = std::move(picture.bottlenecks)};
    for (std::size_t i = 0; i < columns; ++i) {
        if (known[i]) {
            out.figures.push_back(picture.figures[i]);
        }
    }
    for (std::size_t i = 0; i < picture.values.size(); ++i) {
        if (known[i % columns]) {
            out.values.push_back(picture.values[i]);
        }
    }
    picture = std::move(out);
}

} // namespace

bool SearchPicture::has(const PlanFigure& figure) const {
    return std::ranges::find(figures, &figure) != figures.end();
}

double SearchPicture::value(std::size_t sampled, const PlanFigure& figure) const {
    const auto column = static_cast<std::size_t>(std::ranges::find(figures, &figure) - figures.begin());
    return values[sampled * figures.size() + column];
}

SearchPicture searchPicture(const SearchQuestion& question, const SearchResult& result,
                            const Catalog& catalog, const Profile& profile, const std::stop_token& stop) {
    SearchPicture out;
    for (const PlanFigure& each : planFigures()) {
        if (each.isOf(question.base.workload) && each.path.find("percentiles") == std::string_view::npos) {
            out.figures.push_back(&each);
        }
    }
    PlanEvaluator plan(catalog, profile);
    PlanWalker walker(question);
    for (const std::vector<FoundPlan>* list : {&result.best, &result.front}) {
        for (const FoundPlan& each : *list) {
            if (stop.stop_requested()) {
                return {};
            }
            if (out.bottlenecks.contains(each.index) ||
                plan.tryOut(walker.at(each.index), false) != PlanOutcome::carries) {
                continue;
            }
            if (const auto headline = estimateResolved(plan.scenario()).headline) {
                out.bottlenecks.emplace(each.index, headline->bottleneck);
            }
        }
    }
    out.values.reserve(result.sample.size() * out.figures.size());
    for (const SampledPlan& each : result.sample) {
        if (stop.stop_requested()) {
            return {};
        }
        plan.tryOut(walker.at(each.index), false);
        for (const PlanFigure* figure : out.figures) {
            out.values.push_back(plan.figure(*figure));
        }
    }
    dropUnknown(out);
    return out;
}

} // namespace alidade
