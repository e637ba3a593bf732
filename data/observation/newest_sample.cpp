// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/collect.h"
#include "data/observation/discover.h"
#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

constexpr double day = 86400;
constexpr double furthestBack = 90 * day;

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

} // namespace

Result<std::optional<double>> newestSample(PrometheusApi& api, const std::vector<MetricMapping>& mappings,
                                           double before, std::stop_token stop) {
    const Result<std::vector<std::string>> names = metricsOf(api, before - furthestBack, before, stop);
    if (!names)
        return Error{names.error()};
    // One metric of each kind of thing: a job that ended days ago says nothing of its nodes.
    std::vector<std::string> metrics;
    std::vector<SignalScope> scopes;
    for (const MetricMapping& mapping : mappings) {
        for (const MetricRule& rule : mapping.rules) {
            const SignalScope scope = signalInfo(rule.signal).scope;
            if (rule.signal != Signal::targetUp && readable(rule, *names) &&
                std::ranges::find(scopes, scope) == scopes.end()) {
                scopes.push_back(scope);
                metrics.push_back(metricNames(rule).back());
            }
        }
    }
    std::optional<double> last;
    if (metrics.empty())
        return last;
    double from = before - furthestBack, to = before;
    for (const double step : {day, 3600.0, 60.0}) {
        const auto points = static_cast<std::size_t>(std::ceil((to - from) / step)) + 1;
        const std::optional<double> found =
            lastOf(api, metrics, {to - step * static_cast<double>(points - 1), step, points}, stop);
        if (!found)
            return last;
        last = to = std::min(*found, before);
        from = to - step;
    }
    return last;
}

} // namespace alidade::data
