// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/collect.h"

#include "data/observation/discover.h"
#include "data/observation/intervals.h"
#include "data/observation/reading.h"
#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

/// Queries that are asked at once, so that their answers are in memory together.
constexpr std::size_t batch = 12;

/// What a rule's absence looks like on this server.
std::string notThere(const MetricRule& rule, const std::vector<std::string>& names) {
    for (const std::string& metric : metricNames(rule)) {
        if (!std::ranges::binary_search(names, metric))
            return "no metric " + metric + " on the server in this time";
    }
    return {};
}

/// The rules to read: of each signal the first that the server can answer; why not, of the others.
std::vector<const MetricRule*> rulesToRead(const MetricMapping& mapping, const ObservationRequest& request,
                                           const JobSelection& selection,
                                           const std::vector<std::string>& names,
                                           std::vector<MissingSignal>& missing) {
    std::vector<const MetricRule*> out;
    for (const SignalInfo& info : allSignals()) {
        const bool asked =
            request.only.empty() || std::ranges::find(request.only, info.signal) != request.only.end();
        if (!asked || !concerns(selection, info.signal))
            continue;
        const MetricRule* found = nullptr;
        std::string why;
        for (const MetricRule& rule : mapping.rules) {
            if (rule.signal != info.signal || found != nullptr)
                continue;
            if (readable(rule, names))
                found = &rule;
            else if (why.empty())
                why = notThere(rule, names);
        }
        if (found != nullptr) {
            out.push_back(found);
            continue;
        }
        const auto absent = std::ranges::find(mapping.absent, info.signal, &MissingSignal::signal);
        if (why.empty() && absent != mapping.absent.end())
            why = absent->why;
        if (why.empty() && !request.only.empty())
            why = "the mapping has no rule for it";
        if (!why.empty())
            missing.push_back({info.signal, std::move(why)});
    }
    return out;
}

} // namespace

Result<Observation> collectObservation(PrometheusApi& api, const MetricMapping& mapping,
                                       const ObservationRequest& request, std::stop_token stop,
                                       const std::function<void(double share)>& progress) {
    const TimeGrid& grid = request.grid;
    if (grid.points == 0 || !(grid.step > 0))
        return Error{
            "the time range has no points; a start before the end and a step above 0 s would be right"};
    const auto tell = [&](double share) {
        if (progress)
            progress(share);
    };
    Observation out;
    out.server = api.server();
    out.job = request.job;
    out.grid = grid;
    // A range of one instant looks as far back as its step.
    const double from = grid.points == 1 ? grid.start - grid.step : grid.start;
    const Result<std::vector<std::string>> names = metricsOf(api, from, grid.end(), stop);
    if (!names)
        return Error{names.error()};
    const Result<ClusterMap> map = discoverCluster(api, mapping, *names, from, grid.end(), stop);
    if (!map)
        return Error{map.error()};
    const Result<JobHosts> hosts = findHosts(api, mapping, *names, *map, request.job, from, grid.end(), stop);
    if (!hosts)
        return Error{hosts.error()};
    out.hosts = hosts->hosts;
    out.hostsHow = hosts->how;
    if (!hosts->doubt.empty())
        out.warnings.push_back(hosts->doubt);
    if (names->empty())
        out.warnings.push_back(
            "the server has no metrics in this time; look at the time range and the address");
    tell(0.05);

    const std::vector<const MetricRule*> rules =
        rulesToRead(mapping, request, hosts->selection, *names, out.missing);
    const Result<Intervals> intervals =
        findIntervals(api, rules, hosts->selection, grid, request.scrapeInterval, stop);
    if (!intervals)
        return Error{intervals.error()};
    out.sources = intervals->sources;
    out.newest = intervals->newest;
    out.scrapeInterval = intervals->shortest;
    tell(0.1);

    Reading reading(api, mapping.labels, *map, *hosts, *intervals, grid);
    reading.ask(rules);
    for (std::size_t done = 0; done < reading.size(); done += batch) {
        if (stop.stop_requested())
            return Error{"cancelled"};
        reading.read(done, batch, out, stop);
        tell(0.1 + 0.9 * static_cast<double>(std::min(done + batch, reading.size())) /
                       static_cast<double>(reading.size()));
    }
    if (stop.stop_requested())
        return Error{"cancelled"};
    if (std::optional<std::string> failed = reading.nothingAnswered())
        return Error{*failed};
    reading.finish(out, stop);
    tell(1);
    return out;
}

} // namespace alidade::data
