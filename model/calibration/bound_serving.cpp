// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/bound_serving.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

namespace alidade {

namespace {

std::uint64_t nextSerial() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

} // namespace

BoundServing::BoundServing(const std::vector<MeasuredServing>& figures, const Catalog& catalog,
                           const Profile& profile)
    : BoundRows(profile, true)
    , serial_(nextSerial()) {
    const auto scratch = std::make_unique<ServingTotals>();
    const ScenarioSpec* last = nullptr; // of the last run that is bound
    for (const MeasuredServing& each : figures) {
        if (each.spec.get() != last) {
            auto runs = ServingRuns::of(*each.spec, each.run, catalog, marked());
            if (!runs) {
                rejected_.push_back({each.id, runs.error()});
                continue;
            }
            Run run{.runs = std::move(*runs), .inputs = {}, .feeds = {}};
            run.inputs = run.runs.inputs();
            if (!run.runs.figures(run.inputs, *scratch)) {
                rejected_.push_back({each.id, "does not fit into the memory of its GPUs"});
                continue;
            }
            for (const Scenario& scenario : run.runs.scenarios())
                for (const ServingPool& pool : scenario.pools)
                    run.feeds.push_back(feedsOf(pool.inputs, pool.origins));
            runs_.push_back(std::move(run));
            last = each.spec.get();
        }
        std::set<std::size_t> parameters;
        for (const std::vector<Feed>& feeds : runs_.back().feeds)
            for (const Feed& feed : feeds)
                parameters.insert(feed.parameter);
        const Scenario& scenario = runs_.back().runs.scenarios().back();
        const auto spread = static_cast<std::size_t>(servingSpreadOf(scenario, each.quantity));
        rows_.push_back({.id = each.id,
                         .source = each.source,
                         .release = each.release,
                         .group = each.group,
                         .model = architectureKey(scenario.model),
                         .measured = each.measured,
                         .weight = each.weight,
                         .sd = each.sd,
                         .parameters = {parameters.begin(), parameters.end()},
                         .band = constantOf(scenario.pools.back().origins[spread])});
        questions_.push_back({runs_.size() - 1, each.quantity, each.gpus});
    }
}

std::optional<ServingFigures> BoundServing::figuresOf(const Run& run,
                                                      const std::vector<double>& parameters) const {
    thread_local const auto scratch = std::make_unique<ServingTotals>();
    std::vector<ServingRuns::PoolInputs> inputs = run.inputs;
    std::size_t fed = 0;
    for (std::size_t i = 0; i < run.runs.scenarios().size(); ++i) {
        for (std::size_t pool = 0; pool < run.runs.scenarios()[i].pools.size(); ++pool, ++fed) {
            for (const Feed& feed : run.feeds[fed]) {
                inputs[i][pool][feed.input] =
                    feed.scale * toValue(feed.parameter, parameters[feed.parameter]);
            }
        }
    }
    return run.runs.figures(inputs, *scratch);
}

double BoundServing::logValue(std::size_t row, const std::vector<double>& parameters) const {
    // Rows of one run are asked for one after the other.
    struct Answer {
        std::uint64_t serial = 0;
        std::size_t run = 0;
        std::vector<double> parameters;
        std::optional<ServingFigures> figures;
    };
    thread_local Answer last;
    const Question& question = questions_[row];
    if (last.serial != serial_ || last.run != question.run || last.parameters != parameters)
        last = {serial_, question.run, parameters, figuresOf(runs_[question.run], parameters)};
    const auto value =
        last.figures ? figureOf(*last.figures, question.quantity, question.gpus) : std::nullopt;
    return value ? std::log(*value) : std::numeric_limits<double>::quiet_NaN();
}

} // namespace alidade
