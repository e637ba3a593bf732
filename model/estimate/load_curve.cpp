// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/load_curve.h"

#include "model/estimate/evaluate_serving.h"
#include "model/estimate/played_engine.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade {

namespace {

constexpr int curvePoints = 32;
constexpr double nearlyFull = 0.985; ///< of the largest rate: beyond it, latencies have no meaning

bool isClosedLoop(const Scenario& scenario) { return scenario.inputs[Input::concurrency] > 0; }

/// The most that a curve goes to: requests/s, or requests in flight.
double largestLoad(const Scenario& scenario, const ServingTotals& now) {
    if (!isClosedLoop(scenario))
        return nearlyFull * now.maxRequestRate;
    constexpr double beyond = 1.25; // how the queue begins is of interest too
    return std::max(beyond * std::min(now.maxConcurrency, 1e6), scenario.inputs[Input::concurrency]);
}

bool within(const ServingTargets& targets, double ttft, double itl) {
    return (!targets.ttft || ttft <= *targets.ttft) && (!targets.itl || itl <= *targets.itl);
}

/// Requests/s or requests in flight, as the scenario asks.
PlayedLoad loadOf(const Scenario& scenario, double load) {
    return isClosedLoop(scenario) ? PlayedLoad{.concurrency = load} : PlayedLoad{.requestsPerSecond = load};
}

void evaluateAt(const Scenario& scenario, double load, ServingTotals& out) {
    const PlayedLoad asked = loadOf(scenario, load);
    evaluateServingAt(scenario, asked.requestsPerSecond, asked.concurrency, out);
}

/// Played, a load may turn out to be too much: what a full cache preempts is computed again. \param totals of
/// the load in closed form; becomes what is played
void playAt(const Scenario& scenario, double load, ServingTotals& totals) {
    const PlayedLoad asked = loadOf(scenario, load);
    const ServingState state = play(scenario, totals, asked).state;
    evaluateServingAt(scenario, asked.requestsPerSecond, asked.concurrency, totals,
                      ServingDetail::percentiles, &state);
}

/// In closed form, or played.
void evaluateForCurve(const Scenario& scenario, double load, CurvePlaying playing, ServingTotals& out) {
    evaluateAt(scenario, load, out);
    const bool wanted =
        playing == CurvePlaying::always
            ? canPlay(scenario, out)
            : playing == CurvePlaying::whereNeeded && wantsPlaying(scenario, out, loadOf(scenario, load));
    if (wanted)
        playAt(scenario, load, out);
}

} // namespace

void evaluateShown(const Scenario& scenario, double load, const ServingTargets& targets, ServingTotals& out) {
    evaluateAt(scenario, load, out);
    if (!canPlay(scenario, out))
        return;
    const bool trusted = !wantsPlaying(scenario, out, loadOf(scenario, load));
    const auto closed = std::make_unique<ServingTotals>(out);
    playAt(scenario, load, out);
    if (trusted && !contradicts(targets, *closed, out))
        out = *closed;
}

ServingTargets servingTargets(const Scenario& scenario) {
    const WorkloadSpec& w = scenario.spec.workload;
    ServingTargets out{.ttft = w.ttftSloS, .itl = w.itlSloS, .percentile = w.sloPercentile.value_or(90)};
    if (!makesTokens(w))
        out.itl.reset();
    if (!takesPrompts(w))
        out.ttft.reset();
    return out;
}

double quantileOf(const Percentiles& p, double percentile) {
    struct Known {
        double at, value;
    };
    const Known known[] = {{50, p.p50}, {90, p.p90}, {95, p.p95}, {99, p.p99}};
    const auto depth = [](double at) { return -std::log(1 - at / 100); };
    if (percentile <= known[0].at)
        return p.p50;
    const Known* above = std::find_if(std::begin(known), std::end(known) - 1,
                                      [&](const Known& k) { return k.at >= percentile; });
    const Known* below = above - 1;
    if (std::isinf(above->value)) // of an overload all are
        return above->value;
    const double share = (depth(percentile) - depth(below->at)) / (depth(above->at) - depth(below->at));
    return below->value + share * (above->value - below->value);
}

bool meets(const ServingTargets& targets, const ServingTotals& totals) {
    return totals.stable && within(targets, quantileOf(totals.ttftPercentiles, targets.percentile),
                                   quantileOf(totals.itlPercentiles, targets.percentile));
}

bool contradicts(const ServingTargets& targets, const ServingTotals& closed, const ServingTotals& played) {
    constexpr double most = 0.2; // of the closed form's latency
    const auto isOff = [&](const std::optional<double>& target, const Percentiles& was,
                           const Percentiles& is) {
        const double before = quantileOf(was, targets.percentile), after = quantileOf(is, targets.percentile);
        return target &&
               ((before <= *target) != (after <= *target) || !(std::abs(after - before) <= most * before));
    };
    return played.stable != closed.stable ||
           isOff(targets.ttft, closed.ttftPercentiles, played.ttftPercentiles) ||
           isOff(targets.itl, closed.itlPercentiles, played.itlPercentiles);
}

std::vector<LoadPoint> loadCurve(const Scenario& scenario, const ServingTotals& present,
                                 CurvePlaying playing) {
    const ServingTargets targets = servingTargets(scenario);
    const double most = largestLoad(scenario, present);
    std::vector<LoadPoint> out;
    if (!(most > 0) || !std::isfinite(most))
        return out;
    const auto totals = std::make_unique<ServingTotals>();
    const bool closed = isClosedLoop(scenario);
    for (int i = 1; i <= curvePoints; ++i) {
        // Rates evenly; concurrencies by equal factors, from one request on.
        const double share = static_cast<double>(i) / curvePoints;
        const double load =
            closed ? std::pow(std::max(most, 1.0), (i - 1.0) / (curvePoints - 1)) : most * share;
        evaluateForCurve(scenario, load, playing, *totals);
        if (!totals->stable)
            break;
        // More load never lowers a latency: a request finds what it would find with less, and others besides.
        // What comes out lower than at a smaller load, does so by the closed form's error or the sample's.
        const LoadPoint before = out.empty() ? LoadPoint{} : out.back();
        out.push_back(
            {.requestsPerSecond = totals->requestsPerSecond,
             .concurrency = totals->concurrency,
             .outputTokensPerSecond = totals->outputTokensPerSecond,
             .utilization = totals->pools[static_cast<std::size_t>(totals->limitingPool)].utilization,
             .ttft = std::max(before.ttft, totals->ttft),
             .itl = std::max(before.itl, totals->itl),
             .ttftPercentile =
                 std::max(before.ttftPercentile, quantileOf(totals->ttftPercentiles, targets.percentile)),
             .itlPercentile =
                 std::max(before.itlPercentile, quantileOf(totals->itlPercentiles, targets.percentile)),
             .dollarsPerMillionOutputTokens = totals->dollarsPerMillionOutputTokens});
        LoadPoint& now = out.back();
        now.meetsTargets = within(targets, now.ttftPercentile, now.itlPercentile);
    }
    return out;
}

namespace {

/// Looks for the largest load that meets targets. Loads are requests/s or requests in flight.
class LimitSearch {
public:
    LimitSearch(const Scenario& scenario, const ServingTargets& targets, double most)
        : scenario_(scenario)
        , targets_(targets)
        , most_(most) {}

    double rate() const { return rate_; } ///< requests/s at the largest load that was found good
    /// In closed form. \return 0 if none is good
    double inClosedForm() {
        low_ = 0, high_ = most_;
        if (good(high_, false))
            return high_;
        constexpr int halvings = 18;
        halve(halvings, false);
        return low_;
    }
    bool wantsPlayingAt(double load) {
        evaluateAt(scenario_, load, *totals_);
        return wantsPlaying(scenario_, *totals_, loadOf(scenario_, load));
    }
    bool holdsAsShown(double load) { return good(load, true); }
    /// As estimates show it, where playing takes its time. \param guess where to begin \param known a load
    /// that is good, with its rate, or one that is not
    void asShown(double guess, double known, std::optional<double> rateOfKnown) {
        low_ = rateOfKnown ? known : 0;
        high_ = rateOfKnown ? most_ : std::min(known, most_);
        rate_ = rateOfKnown.value_or(0);
        if (guess > low_ && guess < high_)
            (good(guess, true) ? low_ : high_) = guess;
        if (high_ == most_ && good(high_, true))
            return;
        constexpr int halvings = 7; // to one percent
        halve(halvings, true);
    }

private:
    bool good(double load, bool playing) {
        if (playing)
            evaluateShown(scenario_, load, targets_, *totals_);
        else
            evaluateAt(scenario_, load, *totals_);
        const bool met = meets(targets_, *totals_);
        rate_ = met ? totals_->requestsPerSecond : rate_;
        return met;
    }
    void halve(int times, bool playing) {
        for (int i = 0; i < times; ++i) {
            const double middle = 0.5 * (low_ + high_);
            (good(middle, playing) ? low_ : high_) = middle;
        }
    }

    const Scenario& scenario_;
    const ServingTargets& targets_;
    double most_, low_ = 0, high_ = 0, rate_ = 0;
    std::unique_ptr<ServingTotals> totals_ = std::make_unique<ServingTotals>();
};

} // namespace

double requestRateWithin(const Scenario& scenario, const ServingTargets& targets, const ServingTotals& now,
                         bool simulate) {
    const double most = largestLoad(scenario, now);
    if (!(most > 0) || !std::isfinite(most))
        return 0;
    LimitSearch search(scenario, targets, most);
    const double guess = search.inClosedForm(), inClosedForm = search.rate();
    const PlayedLoad asked = presentLoad(scenario);
    const double present = isClosedLoop(scenario) ? asked.concurrency : asked.requestsPerSecond;
    const bool good = meets(targets, now), contradicted = good ? present > guess : present <= guess;
    constexpr double nearly = 0.97; // right at the limit the sample decides
    if (!simulate || (!contradicted && (guess <= 0 || (!search.wantsPlayingAt(guess) &&
                                                       search.holdsAsShown(nearly * guess))))) {
        return inClosedForm;
    }
    search.asShown(guess, present, good ? std::optional(now.requestsPerSecond) : std::nullopt);
    return search.rate();
}

} // namespace alidade
