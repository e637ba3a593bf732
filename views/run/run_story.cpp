// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_story.h"

#include "model/base/quantiles.h"
#include "model/explore/outcome_statistics.h"
#include "model/run/checkpoint_curve.h"
#include "views/document/engine.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace alidade::views {

namespace {

constexpr qint64 partInterval = 120; // ms between partial results
constexpr std::uint64_t seedOfOutcome = 1, seedOfBatches = 1'000;
constexpr int leastSpares = 8, mostSpares = 400; // on the axis

/// Enough to see both sides of the minimum.
int sparesShown(const Run& run) {
    const double most = std::max({2.0 * run.bestSpares, 1.25 * run.spares, static_cast<double>(leastSpares)});
    return static_cast<int>(std::min(most, static_cast<double>(mostSpares)));
}

RunShares sumOf(const std::vector<RunDay>& days) {
    RunShares out;
    for (const RunDay& each : days) {
        out.work += each.shares.work;
        out.redone += each.shares.redone;
        out.stopped += each.shares.stopped;
        out.starting += each.shares.starting;
    }
    return out;
}

/// All but the outcomes.
RunStory firstPart(std::shared_ptr<const Estimate> estimate, const Catalog& catalog) {
    RunStory out;
    out.estimate = std::move(estimate);
    const auto profile = profileOf(out.estimate->scenario, catalog);
    const auto scenario = profile ? resolve(out.estimate->scenario, catalog, **profile)
                                  : Result<Scenario>(Error{profile.error()});
    if (!scenario) {
        out.error = scenario.error();
        return out;
    }
    const Run& run = *out.estimate->run;
    out.facts = runFacts(*scenario);
    if (out.facts.goodputGiven || !run.days || !std::isfinite(run.days->p50))
        return out;
    out.isPlayed = true;
    out.process = runProcess(run);
    out.goodputLow = goodputAtRate(run, std::exp(quantile90 * out.facts.spread.rateLogSd));
    out.goodputHigh = goodputAtRate(run, std::exp(-quantile90 * out.facts.spread.rateLogSd));
    out.expected = expectedShares(run, out.facts.detection);
    out.phases = runPhases(*out.estimate, run.days->p50);
    out.storage = storageFill(*out.estimate);
    out.spares =
        spareCosts(shortageOf(out.facts, run), nodeRent(out.facts, out.process, run), sparesShown(run));
    out.steps =
        deadlineSteps(out.estimate->scenario, catalog, **profile, *scenario, *out.estimate, inTimeWanted);
    out.worths = runWorths(out.estimate->scenario, catalog, **profile, *scenario, *out.estimate);
    out.wanted = outcomesToDraw(outcomesWanted, run.interruptions);
    if (out.wanted == 0)
        return out;
    out.drawn = drawRun(out.process, seedOfOutcome);
    out.days = drawnDays(out.process, out.drawn, out.facts.detection);
    out.drawnShares = sumOf(out.days);
    out.failure = tellingFailure(out.process, out.drawn, 2 * loupeHalf);
    return out;
}

void drawBatch(RunStory& story, int batch) {
    const int count = std::min(outcomesOfBatch, story.wanted - static_cast<int>(story.ended.size()));
    std::vector<double> more = drawLengths(
        story.process, count, seedOfBatches + static_cast<std::uint64_t>(batch), story.facts.spread);
    for (double& each : more)
        each /= secondsPerDay;
    std::vector<double> all;
    all.reserve(story.ended.size() + more.size());
    std::ranges::merge(story.ended, more, std::back_inserter(all));
    story.ended = std::move(all);
}

} // namespace

ExploreTask<RunStory>::Job runStoryJob(std::shared_ptr<const Estimate> estimate,
                                       std::shared_ptr<const Catalog> catalog) {
    return [estimate = std::move(estimate), catalog = std::move(catalog)](
               const std::stop_token& stop, const ExploreTask<RunStory>::Partly& partly) -> RunStoryPtr {
        QElapsedTimer clock, sincePart;
        clock.start();
        RunStory story = firstPart(estimate, *catalog);
        partly(std::make_shared<const RunStory>(story));
        sincePart.start();
        for (int batch = 0; static_cast<int>(story.ended.size()) < story.wanted && !stop.stop_requested();
             ++batch) {
            drawBatch(story, batch);
            if (sincePart.elapsed() >= partInterval && static_cast<int>(story.ended.size()) < story.wanted) {
                sincePart.restart();
                story.spread = statisticsOf(story.ended);
                partly(std::make_shared<const RunStory>(story));
            }
        }
        story.spread = statisticsOf(story.ended);
        story.complete = static_cast<int>(story.ended.size()) == story.wanted;
        story.seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        return std::make_shared<const RunStory>(std::move(story));
    };
}

OutcomeBars outcomeBars(const RunStory& story) {
    const OutcomeFigure& s = story.spread;
    OutcomeBars out{.counts = s.histogram, .low = s.histogramLow, .width = s.histogramWidth};
    out.high = out.low + out.width * static_cast<double>(out.counts.size());
    if (out.counts.size() < 2)
        return out;
    const double little = 1e-9 * out.width; // the ends are outcomes themselves, and rounded
    const auto place = [&story](auto at) { return static_cast<std::size_t>(at - story.ended.begin()); };
    out.before = place(std::ranges::lower_bound(story.ended, out.low - little));
    out.after = story.ended.size() - place(std::ranges::upper_bound(story.ended, out.high + little));
    out.counts.front() -= std::min(out.counts.front(), out.before);
    out.counts.back() -= std::min(out.counts.back(), out.after);
    return out;
}

} // namespace alidade::views
