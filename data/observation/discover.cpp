// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/discover.h"

#include "data/observation/collect.h"
#include "model/observation/mapping_choice.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

std::string matcherOf(const MetricRule& rule) {
    const std::string metric =
        metricNames(rule).back(); // of a histogram its count, one series instead of dozens
    return rule.selector.empty() ? metric : metric + '{' + rule.selector + '}';
}

/// Series of a rule; none where there is no rule.
Result<std::vector<Labels>> seriesOf(PrometheusApi& api, const MetricRule* rule, double start, double end,
                                     std::stop_token stop) {
    if (rule == nullptr)
        return std::vector<Labels>();
    return api.series({matcherOf(*rule)}, start, end, stop);
}

} // namespace

Result<std::vector<std::string>> metricsOf(PrometheusApi& api, double start, double end,
                                           std::stop_token stop) {
    Result<std::vector<std::string>> names = api.labelValues("__name__", {}, start, end, stop);
    if (!names)
        return names;
    std::vector<std::string> sorted = *std::move(names);
    std::ranges::sort(sorted);
    return sorted;
}

Result<ClusterMap> discoverCluster(PrometheusApi& api, const MetricMapping& mapping,
                                   const std::vector<std::string>& names, double start, double end,
                                   std::stop_token stop) {
    const MapRules rules = mapRules(mapping, names);
    MetricRule uname;
    uname.metric = "node_uname_info";
    const bool hasUname = std::ranges::binary_search(names, uname.metric);
    MapSeries series;
    std::vector<std::pair<const MetricRule*, std::vector<Labels>*>> wanted = {
        {rules.gpu, &series.gpu},         {rules.training, &series.training},
        {rules.perNode, &series.perNode}, {rules.node, &series.node},
        {rules.up, &series.up},           {hasUname ? &uname : nullptr, &series.uname}};
    for (const MetricRule* rule : rules.serving)
        wanted.emplace_back(rule, &series.serving);
    for (const auto& [rule, into] : wanted) {
        Result<std::vector<Labels>> got = seriesOf(api, rule, start, end, stop);
        if (!got)
            return Error{got.error()};
        into->insert(into->end(), std::make_move_iterator(got->begin()), std::make_move_iterator(got->end()));
    }
    return clusterMap(series, mapping);
}

Result<std::set<std::string>> idleHosts(PrometheusApi& api, const MetricMapping& mapping,
                                        const std::vector<std::string>& names, const HostAliases& aliases,
                                        double start, double end, std::stop_token stop) {
    constexpr double longest = 6 * secondsPerHour;
    constexpr double busy = 0.02;
    std::set<std::string> idle;
    for (const Signal signal : {Signal::gpuUtilization, Signal::engineActive, Signal::tensorActive}) {
        const MetricRule* rule = mapping.rule(signal);
        if (rule == nullptr || !readable(*rule, names))
            continue;
        const std::string& host = rule->host.empty() ? mapping.labels.host : rule->host;
        std::string groups;
        for (const std::string& label : alternatives(host))
            groups += (groups.empty() ? "" : ", ") + label;
        const std::string span = promDuration(std::round(std::clamp(end - start, 60.0, longest)));
        std::vector<Result<Matrix>> answer = api.instants(
            {"max by (" + groups + ") (max_over_time(" + matcherOf(*rule) + '[' + span + "]))"}, end, stop);
        if (!answer.front())
            return Error{answer.front().error()};
        const Matrix& matrix = *answer.front();
        std::set<std::string> active;
        for (std::size_t i = 0; i < matrix.series.size(); ++i) {
            std::string name = hostName(labelValue(matrix.series[i], host), aliases);
            (matrix.row(i).front() * rule->scale > busy ? active : idle).insert(std::move(name));
        }
        std::erase_if(idle, [&](const std::string& name) { return active.contains(name); });
        return idle;
    }
    return idle;
}

Result<JobHosts> findHosts(PrometheusApi& api, const MetricMapping& mapping,
                           const std::vector<std::string>& names, const ClusterMap& map,
                           const std::string& job, double start, double end, std::stop_token stop) {
    std::set<std::string> idle;
    if (needsIdleHosts(map, job)) {
        Result<std::set<std::string>> found = idleHosts(api, mapping, names, map.aliases, start, end, stop);
        if (!found)
            return Error{found.error()};
        idle = *std::move(found);
    }
    return jobHosts(map, job, idle);
}

Result<std::vector<JobChoice>> findJobs(PrometheusApi& api, const MetricMapping& mapping, double start,
                                        double end, std::stop_token stop) {
    const Result<std::vector<std::string>> names = metricsOf(api, start, end, stop);
    if (!names)
        return Error{names.error()};
    const Result<ClusterMap> map = discoverCluster(api, mapping, *names, start, end, stop);
    if (!map)
        return Error{map.error()};
    std::vector<JobChoice> out;
    for (const NamedJob& each : namedJobs(*map)) {
        const Result<JobHosts> hosts = findHosts(api, mapping, *names, *map, each.job, start, end, stop);
        if (!hosts)
            return Error{hosts.error()};
        out.push_back(
            {each.job, each.training ? "training" : "serving", static_cast<int>(hosts->hosts.size())});
    }
    return out;
}

} // namespace alidade::data
