// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/collect.h"
#include "data/observation/discover.h"
#include "model/observation/mapping_choice.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

constexpr double day = secondsPerDay;
constexpr double window = 90 * day;
constexpr int windows = 21; // a little over five years: the longest retention that is common

/// The last instant of the grid at which any of the metrics has a sample within the step before it.
std::optional<double> lastOf(PrometheusApi& api, const std::vector<std::string>& metrics,
                             const TimeGrid& grid, std::stop_token stop) {
    std::vector<RangeQuery> queries;
    for (const std::string& metric : metrics)
        queries.push_back(
            {"count(present_over_time(" + metric + '[' + promDuration(grid.step) + "]))", grid});
    std::optional<double> out;
    for (const Result<Matrix>& answer : api.ranges(queries, stop)) {
        if (!answer || answer->series.empty())
            continue;
        const std::span<const double> counts = answer->row(0);
        for (std::size_t i = counts.size(); i-- > 0;) {
            if (counts[i] > 0) {
                out = std::max(out.value_or(grid.at(i)), grid.at(i));
                break;
            }
        }
    }
    return out;
}

/// Metrics to look for, one for each kind of thing: a job that ended days ago says nothing about its nodes.
std::vector<std::string> metricsToSeek(const std::vector<MetricMapping>& mappings,
                                       const std::vector<std::string>& names) {
    std::vector<std::string> metrics;
    std::vector<SignalScope> scopes;
    for (const MetricMapping& mapping : mappings) {
        for (const MetricRule& rule : mapping.rules) {
            const SignalScope scope = signalInfo(rule.signal).scope;
            if (rule.signal != Signal::targetUp && readable(rule, names) &&
                std::ranges::find(scopes, scope) == scopes.end()) {
                scopes.push_back(scope);
                metrics.push_back(metricNames(rule).back());
            }
        }
    }
    return metrics;
}

/// The newest sample of `metrics` in the window that ends at `before`, closed in on by days, hours and
/// minutes.
std::optional<double> newestInWindow(PrometheusApi& api, const std::vector<std::string>& metrics,
                                     double before, std::stop_token stop) {
    std::optional<double> last;
    double from = before - window, to = before;
    for (const double step : {day, secondsPerHour, 60.0}) {
        const auto points = static_cast<std::size_t>(std::ceil((to - from) / step)) + 1;
        const std::optional<double> found =
            lastOf(api, metrics, {to - step * static_cast<double>(points - 1), step, points}, stop);
        if (!found)
            break;
        last = to = std::min(*found, before);
        from = to - step;
    }
    return last;
}

} // namespace

Result<std::optional<double>> newestSample(PrometheusApi& api, const std::vector<MetricMapping>& mappings,
                                           double before, std::stop_token stop) {
    const Result<std::vector<std::string>> ever = metricsOf(api, before - windows * window, before, stop);
    if (!ever)
        return Error{ever.error()};
    if (metricsToSeek(mappings, *ever).empty())
        return std::optional<double>();
    // Names come from the index of the server, so that years without samples cost it next to nothing.
    for (int i = 0; i < windows; ++i) {
        const double end = before - i * window;
        const Result<std::vector<std::string>> names = metricsOf(api, end - window, end, stop);
        if (!names)
            return Error{names.error()};
        const std::vector<std::string> metrics = metricsToSeek(mappings, *names);
        if (metrics.empty())
            continue;
        if (const std::optional<double> found = newestInWindow(api, metrics, end, stop))
            return found;
    }
    return std::optional<double>();
}

} // namespace alidade::data
