// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace alidade::data {
namespace {

constexpr double lookBack = 600;
constexpr double usualInterval = 30;
/// Samples are counted in several windows: a series that has just begun fills only a short one, and a slow
/// one has too few samples there.
constexpr std::array countWindows = {30.0, 120.0, lookBack};
constexpr double enoughSamples = 4;
constexpr double mostParts = 24; ///< of a range whose intervals are looked at one by one
constexpr std::size_t queriesEach = countWindows.size() + 1;

std::string plainSeries(const MetricRule& rule) {
    const std::string metric = metricNames(rule).back();
    return rule.selector.empty() ? metric : metric + '{' + rule.selector + '}';
}

/// One rule for each source.
std::vector<const MetricRule*> samplesOf(const std::vector<const MetricRule*>& rules) {
    std::vector<const MetricRule*> out;
    for (const MetricRule* rule : rules) {
        const bool seen =
            std::ranges::any_of(out, [&](const MetricRule* each) { return each->source == rule->source; });
        if (!seen)
            out.push_back(rule);
    }
    return out;
}

std::optional<double> firstValue(const Result<Matrix>& answer) {
    if (!answer || answer->series.empty() || !std::isfinite(answer->row(0).front()))
        return std::nullopt;
    return answer->row(0).front();
}

struct IntervalEstimate {
    double seconds = 0;
    bool doubtful = false; ///< of the longest window, part of which may have no samples
};

/// From the counts in the windows, by the shortest that has enough.
IntervalEstimate intervalOf(std::span<const Result<Matrix>> counts) {
    for (std::size_t i = 0; i < countWindows.size(); ++i) {
        const double samples = firstValue(counts[i]).value_or(0);
        const bool last = i + 1 == countWindows.size();
        if (samples >= enoughSamples || last)
            return {.seconds = scrapeIntervalOf(samples, countWindows[i]), .doubtful = last};
    }
    return {};
}

/// Asks for the counts, then for the newest sample.
void addQueries(const MetricRule& rule, std::vector<std::string>& queries) {
    const std::string series = plainSeries(rule);
    for (const double window : countWindows)
        queries.push_back("max(count_over_time(" + series + '[' + promDuration(window) + "]))");
    queries.push_back("max(timestamp(" + series + "))");
}

/// Fills in what an earlier time left open. \returns whether the interval may be that of a gap
bool take(std::span<const Result<Matrix>> answers, ObservedSource& source) {
    bool doubtful = false;
    if (source.scrapeInterval <= 0) {
        const IntervalEstimate estimate = intervalOf(answers);
        source.scrapeInterval = estimate.seconds;
        doubtful = estimate.doubtful;
    }
    if (std::isnan(source.newest))
        source.newest = firstValue(answers.back()).value_or(source.newest);
    return doubtful;
}

/// The longest interval that two parts side by side agree on. One with a shorter one before and after it
/// is that of a gap which has taken as much of both parts.
double agreedInterval(std::span<const double> counts, double part) {
    std::map<double, std::pair<std::size_t, std::size_t>> agreed; // by interval: first and last part
    for (std::size_t k = 1; k < counts.size(); ++k) {
        const double one = scrapeIntervalOf(counts[k - 1], part), other = scrapeIntervalOf(counts[k], part);
        if (one > 0 && one == other)
            agreed.try_emplace(one, k, k).first->second.second = k;
    }
    for (auto longest = agreed.rbegin(); longest != agreed.rend(); ++longest) {
        const bool within = std::any_of(std::next(longest), agreed.rend(), [&](const auto& shorter) {
            return shorter.second.first < longest->second.first &&
                   shorter.second.second > longest->second.second;
        });
        if (!within)
            return longest->first;
    }
    return 0;
}

/// How often a source was scraped in earlier parts of the range. A doubtful interval gives way to that.
void lookFurtherBack(PrometheusApi& api, const std::vector<const MetricRule*>& samples, const TimeGrid& grid,
                     const std::vector<bool>& doubtful, std::vector<ObservedSource>& sources,
                     std::stop_token stop) {
    const double part = std::max(lookBack, std::ceil((grid.end() - grid.start) / mostParts / 60) * 60);
    const auto parts = static_cast<std::size_t>((grid.end() - grid.start) / part);
    if (parts < 2)
        return;
    const TimeGrid ends{grid.end() - part * static_cast<double>(parts - 1), part, parts};
    std::vector<RangeQuery> queries;
    for (const MetricRule* rule : samples)
        queries.push_back(
            {"max(count_over_time(" + plainSeries(*rule) + '[' + promDuration(part) + "]))", ends});
    const std::vector<Result<Matrix>> answers = api.ranges(queries, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i] || answers[i]->series.empty())
            continue;
        const std::span<const double> counts = answers[i]->row(0);
        const double agreed = agreedInterval(counts, part);
        if (agreed > 0)
            sources[i].scrapeInterval = doubtful[i] ? agreed : std::max(sources[i].scrapeInterval, agreed);
    }
}

} // namespace

QueryWindows Intervals::windows(const MetricRule& rule, double gridStep) const {
    const auto found = std::ranges::find(sources, rule.source, &ObservedSource::id);
    double scrape = found == sources.end() ? 0 : found->scrapeInterval;
    if (scrape <= 0)
        scrape = shortest > 0 ? shortest : usualInterval;
    return queryWindows(scrape, gridStep, stepTime);
}

Result<Intervals> findIntervals(PrometheusApi& api, const std::vector<const MetricRule*>& rules,
                                const JobSelection& selection, const TimeGrid& grid, double given,
                                std::stop_token stop) {
    Intervals out;
    const std::vector<const MetricRule*> samples = samplesOf(rules);
    for (const MetricRule* rule : samples)
        out.sources.push_back({rule->source, 0, std::numeric_limits<double>::quiet_NaN()});
    std::vector<std::string> queries;
    for (const MetricRule* rule : samples)
        addQueries(*rule, queries);
    const auto step =
        std::ranges::find(rules, Signal::stepTime, [](const MetricRule* rule) { return rule->signal; });
    const bool trains = step != rules.end();
    if (trains)
        queries.push_back(expressionOf(**step, {}, {lookBack, lookBack, lookBack, lookBack}, selection));

    std::vector<bool> doubtful(samples.size(), false);
    for (const double time : {grid.end(), grid.at(grid.points / 2)}) {
        const std::vector<Result<Matrix>> answers = api.instants(queries, time, stop);
        const bool none =
            std::ranges::none_of(answers, [](const Result<Matrix>& each) { return bool(each); });
        if (none && !answers.empty())
            return Error{answers.front().error()};
        for (std::size_t i = 0; i < samples.size(); ++i)
            if (take(std::span(answers).subspan(queriesEach * i, queriesEach), out.sources[i]))
                doubtful[i] = true;
        if (trains && out.stepTime <= 0)
            out.stepTime = firstValue(answers.back()).value_or(0) * (*step)->scale;
        const bool open = std::ranges::any_of(
            out.sources, [](const ObservedSource& source) { return source.scrapeInterval <= 0; });
        if (!open && (!trains || out.stepTime > 0))
            break;
    }
    if (!(given > 0))
        lookFurtherBack(api, samples, grid, doubtful, out.sources, stop);
    for (ObservedSource& source : out.sources) {
        if (given > 0)
            source.scrapeInterval = given;
        if (source.scrapeInterval > 0 && (out.shortest <= 0 || source.scrapeInterval < out.shortest))
            out.shortest = source.scrapeInterval;
        if (!std::isnan(source.newest) && !(out.newest >= source.newest))
            out.newest = source.newest;
    }
    return out;
}

} // namespace alidade::data
