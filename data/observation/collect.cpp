// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/collect.h"

#include "data/observation/discover.h"
#include "data/observation/intervals.h"
#include "data/observation/prepared.h"
#include "data/observation/reading.h"
#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

/// Queries that are asked at once, so that their answers are in memory together.
constexpr std::size_t batch = 12;
/// Points of a range whose answers are so small that all queries are asked at once.
constexpr std::size_t shortRange = 8;

/// What a rule's absence looks like on this server.
std::string notThere(const MetricRule& rule, const std::vector<std::string>& names) {
    for (const std::string& metric : metricNames(rule))
        if (!std::ranges::binary_search(names, metric))
            return "no metric " + metric + " on the server in this time";
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
        // Of engines, the first of each make: their rows are in one table.
        std::vector<const MetricRule*> found;
        std::string why;
        for (const MetricRule& rule : mapping.rules) {
            const bool another =
                found.empty() || (info.scope == SignalScope::engine &&
                                  std::ranges::find(found, rule.source, &MetricRule::source) == found.end());
            if (rule.signal != info.signal || !another)
                continue;
            if (readable(rule, names))
                found.push_back(&rule);
            else if (why.empty())
                why = notThere(rule, names);
        }
        if (!found.empty()) {
            out.insert(out.end(), found.begin(), found.end());
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

Result<Prepared> prepareObservation(PrometheusApi& api, const MetricMapping& mapping,
                                    const ObservationRequest& request, std::stop_token stop) {
    const TimeGrid& grid = request.grid;
    if (grid.points == 0 || !(grid.step > 0))
        return Error{"the time range has no points; use a start before the end and a step above 0 s"};
    Prepared out;
    out.mapping = mapping;
    // A range of one instant looks as far back as its step.
    const double from = grid.points == 1 ? grid.start - grid.step : grid.start;
    const Result<std::vector<std::string>> names = metricsOf(api, from, grid.end(), stop);
    if (!names)
        return Error{names.error()};
    Result<ClusterMap> map = discoverCluster(api, mapping, *names, from, grid.end(), stop);
    if (!map)
        return Error{map.error()};
    Result<JobHosts> hosts = findHosts(api, mapping, *names, *map, request.job, from, grid.end(), stop);
    if (!hosts)
        return Error{hosts.error()};
    out.map = *std::move(map);
    out.hosts = *std::move(hosts);
    if (!out.hosts.doubt.empty())
        out.warnings.push_back(out.hosts.doubt);
    if (names->empty())
        out.warnings.push_back(
            "the server has no metrics in this time; look at the time range and the address");
    const std::vector<const MetricRule*> rules =
        rulesToRead(out.mapping, request, out.hosts.selection, *names, out.missing);
    Result<Intervals> intervals =
        findIntervals(api, rules, out.hosts.selection, grid, request.scrapeInterval, stop);
    if (!intervals)
        return Error{intervals.error()};
    out.intervals = *std::move(intervals);
    for (const MetricRule* rule : rules)
        out.rules.push_back(*rule);
    return out;
}

Result<Observation> readPrepared(PrometheusApi& api, Prepared& prepared, const TimeGrid& grid,
                                 const std::string& job, std::stop_token stop,
                                 const std::function<void(double share)>& progress) {
    Observation out;
    out.server = api.server();
    out.job = job;
    out.grid = grid;
    out.hosts = prepared.hosts.hosts;
    out.hostsHow = prepared.hosts.how;
    out.warnings = prepared.warnings;
    out.missing = prepared.missing;
    out.sources = prepared.intervals.sources;
    out.newest = prepared.intervals.newest;
    out.scrapeInterval = prepared.intervals.shortest;
    std::vector<const MetricRule*> rules;
    for (const MetricRule& rule : prepared.rules)
        rules.push_back(&rule);
    Reading reading(api, prepared, grid);
    const PrometheusApi::Unanswered before = api.unanswered();
    reading.ask(rules, stop);
    const std::size_t atOnce = grid.points <= shortRange ? std::max<std::size_t>(1, reading.size()) : batch;
    for (std::size_t done = 0; done < reading.size(); done += atOnce) {
        if (stop.stop_requested())
            return Error{"canceled"};
        reading.read(done, atOnce, out, stop);
        // A server that is gone in the middle leaves half of a picture, which says nothing true.
        if (api.unanswered().unreachable > before.unreachable && !stop.stop_requested())
            return Error{reading.firstError().empty()
                             ? "the server closed the connection before its answers were complete"
                             : reading.firstError()};
        if (progress)
            progress(0.1 + 0.9 * static_cast<double>(std::min(done + atOnce, reading.size())) /
                               static_cast<double>(reading.size()));
    }
    if (stop.stop_requested())
        return Error{"canceled"};
    if (std::optional<std::string> failed = reading.nothingAnswered())
        return Error{*failed};
    reading.finish(out, stop);
    out.unanswered = api.unanswered().refused - before.refused;
    if (out.unanswered > 0)
        out.warnings.push_back(std::to_string(out.unanswered) + " of " + std::to_string(reading.requests()) +
                               " queries were not answered: " + reading.firstError());
    return out;
}

Result<Observation> collectObservation(PrometheusApi& api, const MetricMapping& mapping,
                                       const ObservationRequest& request, std::stop_token stop,
                                       const std::function<void(double share)>& progress) {
    Result<Prepared> prepared = prepareObservation(api, mapping, request, stop);
    if (!prepared)
        return Error{prepared.error()};
    if (progress)
        progress(0.1);
    return readPrepared(api, *prepared, request.grid, request.job, stop, progress);
}

} // namespace alidade::data
