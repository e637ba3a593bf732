// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_picture.h"

#include "model/estimate/estimate.h"
#include "model/estimate/options.h"
#include "model/estimate/resolved_estimate.h"

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
    for (std::size_t i = 0; i < picture.values.size(); ++i)
        known[i % columns] = known[i % columns] || !std::isnan(picture.values[i]);
    SearchPicture out{.figures = {}, .values = {}, .bottlenecks = std::move(picture.bottlenecks)};
    for (std::size_t i = 0; i < columns; ++i)
        if (known[i])
            out.figures.push_back(picture.figures[i]);
    for (std::size_t i = 0; i < picture.values.size(); ++i)
        if (known[i % columns])
            out.values.push_back(picture.values[i]);
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

SearchPictures::SearchPictures(const SearchQuestion& question, const Catalog& catalog, const Profile& profile)
    : plan_(catalog, profile)
    , walker_(question) {
    for (const PlanFigure& each : planFigures())
        if (each.isOf(question.base.workload) && each.path.find("percentiles") == std::string_view::npos)
            figures_.push_back(&each);
}

const SearchPictures::Known& SearchPictures::evaluated(std::uint64_t index) {
    const auto [at, added] = known_.try_emplace(index);
    Known& out = at->second;
    if (!added)
        return out;
    out.values.assign(figures_.size(), std::numeric_limits<double>::quiet_NaN());
    if (plan_.tryOut(walker_.at(index), false) != PlanOutcome::carries)
        return out;
    for (std::size_t i = 0; i < figures_.size(); ++i)
        out.values[i] = plan_.figure(*figures_[i]);
    const EstimateOptions closedForm{.simulate = false, .loadLimit = false, .fixes = false};
    if (const auto headline = estimateResolved(plan_.scenario(), closedForm).headline)
        out.bound = headline->bottleneck;
    return out;
}

SearchPicture SearchPictures::of(SearchResult& result, const std::stop_token& stop, std::size_t most) {
    SearchPicture out{.figures = figures_, .values = {}, .bottlenecks = {}};
    const auto addBound = [&out](std::uint64_t index, const Known& plan) {
        if (plan.bound)
            out.bottlenecks.emplace(index, *plan.bound);
    };
    const std::size_t limit = most < std::numeric_limits<std::size_t>::max() - known_.size()
                                  ? known_.size() + most
                                  : std::numeric_limits<std::size_t>::max();
    const auto tooMany = [&](std::uint64_t index) {
        return known_.size() >= limit && !known_.contains(index);
    };
    for (const std::vector<FoundPlan>* list : {&result.best, &result.front}) {
        for (const FoundPlan& each : *list) {
            if (stop.stop_requested())
                return {};
            if (!tooMany(each.index))
                addBound(each.index, evaluated(each.index));
        }
    }
    std::vector<SampledPlan> shown;
    out.values.reserve(result.sample.size() * figures_.size());
    for (const SampledPlan& each : result.sample) {
        if (stop.stop_requested())
            return {};
        if (tooMany(each.index))
            continue;
        const Known& plan = evaluated(each.index);
        addBound(each.index, plan);
        out.values.insert(out.values.end(), plan.values.begin(), plan.values.end());
        shown.push_back(each);
    }
    result.sample = std::move(shown);
    dropUnknown(out);
    return out;
}

} // namespace alidade
