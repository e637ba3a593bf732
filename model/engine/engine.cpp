// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/engine.h"

#include "model/advice/fixes.h"
#include "model/advice/serving_fixes.h"
#include "model/advice/serving_suggest.h"
#include "model/advice/suggest.h"
#include "model/engine/price_report.h"
#include "model/engine/storage_overflow.h"
#include "model/engine/straddling_groups.h"
#include "model/estimate/assemble.h"
#include "model/estimate/error_band.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/figure_path.h"
#include "model/estimate/figures.h"
#include "model/estimate/reinforcement_estimate.h"
#include "model/estimate/scenario_origin.h"
#include "model/estimate/serving_estimate.h"
#include "model/estimate/traced_estimate.h"
#include "model/explain/explain_step.h"
#include "model/scenario/choice_names.h"
#include "model/schedule/pipeline_idle.h"
#include "model/schedule/timeline.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>
#include <memory>

namespace alidade {

namespace {

std::string gigabytesText(double bytes) { return formatQuantity(bytes, Dimension::bytes); }

/// "Does not fit" as a problem with its place and figures.
void reportMemory(const Scenario& scenario, Estimate& estimate) {
    if (!estimate.memory || !scenario.legal)
        return; // of an illegal plan the memory is shown, but it is not what is in the way
    const Memory& memory = *estimate.memory;
    const double usable = memory.capacityBytes - memory.reserveBytes;
    if (estimate.fits) {
        if (memory.totalBytes > usable) {
            estimate.problems.push_back({Severity::warning,
                                         "/plan",
                                         "Memory is tight: " + gigabytesText(memory.totalBytes) +
                                             " per GPU, " + gigabytesText(usable) +
                                             " usable; runs out of memory with a probability of " +
                                             formatQuantity(outOfMemoryProbability(memory), Dimension::ratio),
                                         {}});
        }
        return;
    }
    std::string where =
        scenario.plan.pipelineParallel > 1 ? " on stage " + std::to_string(memory.worstStage) : "";
    const auto largest = std::max_element(memory.parts.begin(), memory.parts.end(),
                                          [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    std::string part = largest->name;
    part[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(part[0])));
    estimate.problems.push_back({Severity::error,
                                 "/plan",
                                 "Does not fit: " + gigabytesText(memory.totalBytes) + " per GPU" + where +
                                     ", " + gigabytesText(usable) + " usable; " + part + " take " +
                                     gigabytesText(largest->bytes),
                                 {}});
}

/// Attaches the nearest change that helps to each error, or says that none does.
void reportFix(const Scenario& scenario, const ScenarioSpec& spec, const Catalog& catalog,
               const Profile& profile, Estimate& estimate) {
    Evaluator evaluator(catalog, profile);
    const std::optional<Fix> fix = nearestFix(spec, evaluator);
    bool first = true;
    for (Problem& problem : estimate.problems) {
        if (problem.severity != Severity::error)
            continue;
        problem.fix = fix;
        if (!fix && first && scenario.modeled) {
            problem.message +=
                ". No single change, no other layout and no larger or other machine makes it run and fit";
        }
        first = false;
    }
}

/// MFU counts against the dense 16-bit peak, which narrower formats exceed.
void reportMfuOverOne(const Scenario& scenario, Estimate& estimate) {
    if (!estimate.training || !(estimate.training->mfu > 1))
        return;
    const std::string precision =
        nameOfChoice("plan.precision", scenario.spec.plan.precision.value_or("bf16"));
    estimate.problems.push_back(
        {Severity::info,
         "/plan/precision",
         "MFU is " + formatQuantity(estimate.training->mfu, Dimension::ratio) +
             ": it counts against the dense 16-bit peak of " +
             formatQuantity(estimate.training->mfuPeakFlopsPerSecond, Dimension::flopPerSecond) +
             ", and matrix products in " + precision + " run faster than that",
         {}});
}

void fillTimeline(const Scenario& scenario, const Totals& totals, Training& training) {
    const TrainingPlan& plan = scenario.plan;
    const int chunks = chunksPerStage(plan);
    PipelinePlan drawn{.schedule = plan.schedule,
                       .stages = plan.pipelineParallel,
                       .microbatches = static_cast<int>(plan.microbatches),
                       .chunks = chunks,
                       .virtualStages = {},
                       .transfer = totals.pipelineHop};
    const auto times = std::span(totals.virtualStages);
    if (totals.virtualStageCount == 0) { // one stage
        const StageCost<double>& s = totals.stages[0];
        drawn.virtualStages = {{s.forward, s.backwardInput, s.backwardWeight}};
    } else if (totals.virtualStageCount == plan.pipelineParallel) {
        drawn.virtualStages = evenChunks({times.begin(), times.begin() + plan.pipelineParallel}, chunks);
    } else {
        drawn.virtualStages.assign(times.begin(), times.begin() + totals.virtualStageCount);
    }
    if (!splitsBackward(plan.schedule)) // the full backward is one operation
        for (StageSeconds<double>& t : drawn.virtualStages)
            t = {t.forward, t.backwardInput + t.backwardWeight, 0};
    const auto timeline = simulate(drawn);
    if (!timeline)
        return;
    training.timelineMakespan = timeline->makespan;
    training.timelineClosedForm =
        totals.virtualStageCount == 0
            ? totals.microbatches * totals.stages[0].seconds
            : criticalPath({plan.schedule, plan.pipelineParallel, plan.microbatches, chunks,
                            times.first(static_cast<std::size_t>(totals.virtualStageCount)),
                            totals.pipelineHop});
    for (const PipelineEvent& event : timeline->events) {
        const char kind = event.work == PipelineWork::forward          ? 'F'
                          : event.work == PipelineWork::backwardWeight ? 'W'
                                                                       : 'B';
        training.timeline.push_back(
            {event.stage, event.microbatch, event.chunk, kind, event.start, event.end});
    }
}

} // namespace

Result<Estimate> estimate(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                          EstimateOptions options) {
    const auto scenario = resolve(spec, catalog, profile);
    if (!scenario)
        return Error{scenario.error()};
    if (scenario->isServing()) {
        Estimate out = servingEstimate(*scenario, options);
        if (options.fixes && scenario->modeled)
            adviseService(spec, catalog, profile, out);
        reportStraddling(*scenario, spec, catalog, profile, options.fixes, out);
        reportPrice(*scenario, catalog, options.today, out);
        return out;
    }
    if (scenario->isReinforcement()) {
        Estimate out = reinforcementEstimate(*scenario);
        reportPrice(*scenario, catalog, options.today, out);
        return out;
    }
    std::unique_ptr<Totals> totals;
    if (canEvaluate(*scenario)) {
        totals = std::make_unique<Totals>();
        evaluate(*scenario, scenario->inputs, *totals);
    }
    Estimate out = assemble(*scenario, scenario->inputs, totals.get());
    reportMemory(*scenario, out);
    if (options.fixes && !(out.runs && out.fits))
        reportFix(*scenario, spec, catalog, profile, out);
    if (options.timeline && out.training)
        fillTimeline(*scenario, *totals, *out.training);
    reportStraddling(*scenario, spec, catalog, profile, options.fixes, out);
    reportStorageOverflow(*scenario, out);
    reportMfuOverOne(*scenario, out);
    reportPrice(*scenario, catalog, options.today, out);
    return out;
}

namespace {

/// A number that no formula makes: of the scenario, a count, an index, a time of the timeline.
template <class N>
Explanation explainPlain(const ScenarioSpec& written, const FigureT<N>& figure) {
    Explanation out = explain(Traced(valueOf(figure.value)));
    const std::string origin = scenarioOrigin(written, figure.path);
    out.path = figure.path;
    out.name = figure.meaning;
    out.dimension = figure.dimension;
    out.source = std::string(figure.meaning) + (origin.empty() ? "" : "; " + origin);
    return out;
}

std::vector<std::string> partsOf(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        parts.emplace_back(text.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

/// What is found by simulation or by many evaluations, the timeline, the curve over the load, the
/// distribution: each of its numbers is an outcome, not a formula.
std::optional<Explanation> explainOutcome(const ScenarioSpec& spec, const Catalog& catalog,
                                          const Profile& profile, std::string_view path) {
    const EstimateOptions options{.loadCurve = path.starts_with("serving.load_curve."),
                                  .distribution = path.starts_with("serving.distribution."),
                                  .timeline = path.starts_with("training.timeline."),
                                  .fixes = false};
    if (!options.loadCurve && !options.distribution && !options.timeline)
        return {};
    const auto plain = estimate(spec, catalog, profile, options);
    auto figure = plain ? findFigure(*plain, path) : std::nullopt;
    if (plain && !figure) {
        const auto place = figurePath(*plain, path);
        figure = place ? findFigure(*plain, *place) : std::nullopt;
    }
    return figure ? std::optional(explainPlain(spec, *figure)) : std::nullopt;
}

} // namespace

Result<Explanation> explainFigure(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  std::string_view writtenWithSteps) {
    std::vector<std::string> steps = partsOf(writtenWithSteps, '>');
    const std::string written = steps.front();
    steps.erase(steps.begin());
    const auto scenario = resolve(spec, catalog, profile);
    if (!scenario)
        return Error{scenario.error()};
    if (auto outcome =
            steps.empty() ? explainOutcome(spec, catalog, profile, dottedPath(written)) : std::nullopt) {
        return *std::move(outcome);
    }
    Trace trace;
    const EstimateT<Traced> traced = tracedEstimate(*scenario, trace);
    std::string path = dottedPath(written);
    auto figure = findFigure(traced, path);
    if (!figure) { // an element may be called by its name
        const Result<std::string> place = figurePath(traced, written);
        if (!place)
            return Error{place.error()};
        path = *place;
        figure = findFigure(traced, path);
    }
    if (!figure) {
        std::vector<std::string> known;
        forEachFigure(traced, [&known](const FigureT<Traced>& each) { known.push_back(each.path); });
        const std::string near = nearestName(path, known);
        return Error{"'" + written + "' is not a figure of this estimate" +
                     (near.empty() ? "" : "; the nearest is '" + near + "'")};
    }
    if (!steps.empty()) {
        auto step = explainStep(figure->value, steps);
        if (!step)
            return Error{"'" + steps.back() + "' has no formula in '" + std::string(writtenWithSteps) + "'"};
        step->path = writtenWithSteps;
        return *std::move(step);
    }
    if (!figure->computed || figure->value.node() == 0)
        return explainPlain(spec, *figure);
    Explanation out = explain(figure->value);
    out.path = figure->path;
    if (out.dimension == Dimension::number)
        out.dimension = figure->dimension;
    return out;
}

std::vector<Suggestion> suggest(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                std::size_t most) {
    if (spec.workload.isReinforcement())
        return {};
    if (spec.workload.isServing()) {
        ServingEvaluator evaluator(catalog, profile);
        return suggestForService(evaluator, spec, most);
    }
    Evaluator evaluator(catalog, profile);
    return suggestWith(evaluator, spec, most);
}

} // namespace alidade
