// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sweep.h"

#include "model/base/quantiles.h"
#include "model/estimate/error_band.h"
#include "model/estimate/figures.h"
#include "model/search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace alidade {

namespace {

/// One sweep while it runs. Its functions may be called from several threads at once.
class Sweeper {
public:
    Sweeper(const Explorer& explorer, const std::vector<SweepAxis>& axes, const SweepOptions& options)
        : explorer_(explorer)
        , axes_(axes)
        , options_(options) {}

    SweepPoint pointOf(std::vector<FieldValue> values) const {
        SweepPoint out{.values = std::move(values), .why = {}, .figures = {}, .bound = {}, .plan = {}};
        VariableSettings settings;
        for (std::size_t i = 0; i < axes_.size(); ++i)
            settings.emplace_back(axes_[i].variable, out.values[i]);
        out.plan = bestPlan(settings);
        const Result<Estimate> estimate = explorer_.with(settings, out.plan);
        if (!estimate) {
            out.why = estimate.error();
            return out;
        }
        out.runs = estimate->runs;
        out.fits = estimate->fits;
        if (!out.runs) {
            const auto first = std::ranges::find(estimate->problems, Severity::error, &Problem::severity);
            out.why = first == estimate->problems.end() ? "" : first->message;
            return out;
        }
        takeFigures(*estimate, out);
        takeShares(*estimate, out);
        if (estimate->headline)
            out.bound = estimate->headline->bottleneck;
        return out;
    }

    /// The first value with the new limit, between two neighbors of a continuous axis.
    SweepPoint closerKink(const SweepPoint& before, const SweepPoint& after) const {
        constexpr int halvings = 12;
        const Variable& variable = axes_.back().variable;
        SweepPoint best = after;
        if (variable.isInteger() || !variable.isNumber())
            return best;
        double low = *numberOf(before.values.back()), high = *numberOf(after.values.back());
        for (int i = 0; i < halvings; ++i) {
            std::vector<FieldValue> values = after.values;
            values.back() = variable.valueOf((low + high) / 2);
            SweepPoint middle = pointOf(std::move(values));
            if (!middle.bound)
                return best;
            if (*middle.bound == *before.bound) {
                low = (low + high) / 2;
            } else {
                high = (low + high) / 2;
                best = std::move(middle);
            }
        }
        return best;
    }

private:
    /// What the search finds best with these settings; empty: nothing is searched, or nothing found.
    Edit bestPlan(const VariableSettings& settings) const {
        if (options_.optimize.empty())
            return {};
        SearchQuestion question;
        question.base = explorer_.specWith(settings);
        for (const FreeField& each : options_.optimize) {
            const auto isSwept = [&](const SweepAxis& axis) { return axis.variable.path() == each.path; };
            if (std::ranges::none_of(axes_, isSwept))
                question.free.push_back(each);
        }
        if (question.free.empty())
            return {};
        question.objectives = {options_.objective};
        question.top = 1;
        completeQuestion(question, explorer_.catalog(), explorer_.profile());
        const SearchResult found =
            search(question, explorer_.catalog(), explorer_.profile(),
                   {.threads = 1, .stop = options_.stop, .adjust = [&settings](Scenario& scenario) {
                        applyNumbers(scenario, settings);
                    }});
        return found.best.empty() ? Edit{} : found.best.front().set;
    }

    static void takeFigures(const Estimate& estimate, SweepPoint& out) {
        const auto time = timeErrorBand(estimate), first = firstTokenErrorBand(estimate);
        forEachFigureOfQuestions(estimate, [&](const FigureT<double>& figure) {
            const PlanFigure* known = findPlanFigure(figure.path);
            if (!known || !known->isOf(estimate.scenario.workload))
                return;
            SweepFigure each{known, figure.value, figure.value, figure.value};
            if (known->error == FigureError::memory && known->path == "memory.total_bytes") {
                each.low = estimate.memory->lowBytes;
                each.high = estimate.memory->highBytes;
            } else if (const auto& band = known->error == FigureError::time         ? time
                                          : known->error == FigureError::firstToken ? first
                                                                                    : std::nullopt) {
                // A throughput is as much lower as a time is higher.
                each.low *= known->moreIsBetter ? 1 / band->high : band->low;
                each.high *= known->moreIsBetter ? 1 / band->low : band->high;
            }
            out.figures.push_back(each);
        });
    }

    static void takeShares(const Estimate& estimate, SweepPoint& out) {
        const std::vector<ShareT<double>>* parts = nullptr;
        if (estimate.training) {
            parts = &estimate.training->breakdown;
        } else if (estimate.serving) {
            parts = estimate.serving->breakdown.empty() ? &estimate.serving->prefillBreakdown
                                                        : &estimate.serving->breakdown;
        }
        double whole = 0;
        for (const ShareT<double>& each : parts ? *parts : std::vector<ShareT<double>>{}) {
            out.shares[static_cast<std::size_t>(each.bound)] += each.seconds;
            whole += each.seconds;
        }
        for (double& each : out.shares)
            each = whole > 0 ? each / whole : 0;
    }

    const Explorer& explorer_;
    const std::vector<SweepAxis>& axes_;
    const SweepOptions& options_;
};

} // namespace

const SweepFigure* SweepPoint::figure(const PlanFigure& which) const {
    const auto found = std::ranges::find(figures, &which, &SweepFigure::figure);
    return found == figures.end() ? nullptr : &*found;
}

Sweep sweep(const Explorer& explorer, std::vector<SweepAxis> axes, const SweepOptions& options) {
    Sweep out{.axes = std::move(axes), .points = {}, .kinks = {}};
    std::size_t count = 1;
    for (const SweepAxis& axis : out.axes)
        count *= axis.values.size();
    const Sweeper sweeper(explorer, out.axes, options);
    std::vector<SweepPoint> points(count);
    std::vector<char> done(count, 0); // not bool: threads write neighbors
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count && !options.stop.stop_requested(); i = next++) {
            std::vector<FieldValue> values(out.axes.size());
            std::size_t rest = i;
            for (std::size_t k = out.axes.size(); k-- > 0;) {
                values[k] = out.axes[k].values[rest % out.axes[k].values.size()];
                rest /= out.axes[k].values.size();
            }
            SweepPoint point = sweeper.pointOf(std::move(values));
            // A search that was stopped halfway has not found the best.
            if (options.stop.stop_requested() && !options.optimize.empty())
                break;
            points[i] = std::move(point);
            done[i] = 1;
            if (options.done)
                options.done(i, points[i]);
        }
    };
    const std::size_t wanted = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                   : std::max(1U, std::thread::hardware_concurrency());
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min(wanted, count); ++i)
            others.emplace_back(work);
        work();
    }
    points.resize(static_cast<std::size_t>(std::ranges::find(done, 0) - done.begin()));
    out.complete = points.size() == count;
    out.points = std::move(points);
    const std::size_t row = out.axes.back().values.size();
    for (std::size_t i = 1; i < out.points.size(); ++i) {
        const SweepPoint &before = out.points[i - 1], &after = out.points[i];
        if (i % row != 0 && before.bound && after.bound && *before.bound != *after.bound &&
            !options.stop.stop_requested()) {
            const SweepPoint at = sweeper.closerKink(before, after);
            out.kinks.push_back({at.values, *before.bound, *at.bound});
        }
    }
    return out;
}

} // namespace alidade
