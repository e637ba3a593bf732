// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/observed_traffic.h"

#include "model/base/quantiles.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace alidade {

namespace {

/// Sum over the rows at each instant; NaN where not measured.
std::vector<double> sums(const SignalTable& table, std::size_t points) {
    std::vector<double> out(points, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const auto values = table.row(row, points);
        for (std::size_t i = 0; i < points; ++i)
            if (std::isfinite(values[i]))
                out[i] = (std::isfinite(out[i]) ? out[i] : 0) + values[i];
    }
    return out;
}

/// Tokens per request: of all tokens over all requests.
std::optional<double> perRequest(const SignalTable* tokens, const std::vector<double>& rates) {
    if (!tokens)
        return std::nullopt;
    const std::vector<double> all = sums(*tokens, rates.size());
    double sum = 0, requests = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        if (std::isfinite(all[i]) && std::isfinite(rates[i])) {
            sum += all[i];
            requests += rates[i];
        }
    }
    return requests > 0 && sum > 0 ? std::optional(std::max(1.0, sum / requests)) : std::nullopt;
}

std::optional<double> meanOf(const SignalTable* table) {
    double sum = 0;
    std::size_t count = 0;
    for (const double value : table ? table->values : std::vector<double>{}) {
        if (std::isfinite(value)) {
            sum += value;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

std::optional<double> spreadOf(const Observation& observation, Signal signal) {
    const auto median = meanOf(observation.table(signal, Statistic::p50)),
               high = meanOf(observation.table(signal, Statistic::p90));
    if (!median || !high || !(*median > 0) || !(*high >= *median))
        return std::nullopt;
    const double sigma = std::log(*high / *median) / quantile90;
    return std::min(10.0, std::sqrt(std::expm1(sigma * sigma)));
}

TrafficProfile profileOf(const std::vector<double>& rates, const TimeGrid& grid, std::size_t& measured) {
    constexpr double hour = secondsPerHour, day = 24 * hour,
                     mondayOfEpoch = 4 * day; // 1970-01-01 was a Thursday
    const double period = grid.end() - grid.start > 1.5 * day ? 7 * day : day;
    const auto buckets = static_cast<std::size_t>(period / hour);
    std::vector<double> sum(buckets, 0), count(buckets, 0);
    double all = 0, allCount = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        if (std::isfinite(rates[i])) {
            // A rate is the mean of the window before its instant.
            const double at = std::fmod(grid.at(i) - 0.5 * grid.step - mondayOfEpoch + 7 * day, period);
            const std::size_t bucket = static_cast<std::size_t>(at / hour) % buckets;
            sum[bucket] += rates[i];
            count[bucket] += 1;
            all += rates[i];
            allCount += 1;
        }
    }
    TrafficProfile out;
    measured = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
        measured += count[i] > 0 ? 1 : 0;
        out.rates.push_back(count[i] > 0 ? sum[i] / count[i] : all / allCount);
    }
    return out;
}

} // namespace

Result<ObservedTraffic> trafficOf(const Observation& observation) {
    const SignalTable* requests = observation.table(Signal::requestsPerSecond);
    const std::size_t points = observation.grid.points;
    const std::vector<double> rates = requests ? sums(*requests, points) : std::vector<double>();
    if (std::ranges::none_of(rates, [](double rate) { return rate > 0; })) {
        return Error{"no requests per second were measured in this time range; a serving engine must report "
                     "the signal requests_per_second"};
    }
    ObservedTraffic out;
    out.rates = profileOf(rates, observation.grid, out.measuredHours);
    out.inputTokens = perRequest(observation.table(Signal::promptTokensPerSecond), rates);
    out.outputTokens = perRequest(observation.table(Signal::generationTokensPerSecond), rates);
    if (!out.inputTokens)
        out.inputTokens = meanOf(observation.table(Signal::promptTokens, Statistic::mean));
    if (!out.outputTokens)
        out.outputTokens = meanOf(observation.table(Signal::outputTokens, Statistic::mean));
    out.inputTokensCv = spreadOf(observation, Signal::promptTokens);
    out.outputTokensCv = spreadOf(observation, Signal::outputTokens);
    if (const auto hit = meanOf(observation.table(Signal::prefixHitShare)))
        out.prefixCacheHit = std::clamp(*hit, 0.0, 1.0);
    return out;
}

} // namespace alidade
