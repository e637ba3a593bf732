// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"
#include "model/observation/relative_times.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

using Series = std::vector<std::vector<double>>;
constexpr double largestRatio = 3; ///< a node that does next to nothing

/// Divides each point by the median of the hosts there, or that median by it.
void relateToMedian(Series& series, std::size_t points, bool inverse) {
    std::vector<double> column;
    for (std::size_t i = 0; i < points; ++i) {
        column.clear();
        for (const std::vector<double>& one : series)
            if (!one.empty() && std::isfinite(one[i]) && one[i] > 0)
                column.push_back(inverse ? -one[i] : one[i]);
        const double median = std::abs(lowerMedian(column));
        for (std::vector<double>& one : series) {
            if (!one.empty()) {
                const double ratio = inverse ? median / one[i] : one[i] / median;
                one[i] = std::isfinite(ratio) && ratio > 0 ? std::min(ratio, largestRatio) : notMeasured;
            }
        }
    }
}

Series foldedByHost(const ClusterDigest& cluster, Signal signal, Fold fold) {
    Series out(cluster.hosts().size());
    if (const SignalTable* table = cluster.table(signal))
        for (const std::size_t host : cluster.training())
            out[host] = cluster.folded(*table, cluster.hosts()[host], fold);
    return out;
}

/// 1 at each point at which no series of a host has a value.
std::vector<std::uint8_t> silentPoints(const ClusterDigest& cluster, std::string_view host) {
    constexpr std::array signals{Signal::gpuTemperature,  Signal::smClock,        Signal::gpuPower,
                                 Signal::tensorActive,    Signal::gpuUtilization, Signal::memoryUsed,
                                 Signal::nodeComputeTime, Signal::bootTime,       Signal::hostMemoryAvailable,
                                 Signal::requestsRunning};
    std::vector<std::uint8_t> out(cluster.points(), 1);
    for (const Signal signal : signals) {
        const SignalTable* table = cluster.table(signal);
        const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, host);
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const std::span<const double> values = table->row(row, cluster.points());
            for (std::size_t i = 0; i < values.size(); ++i)
                out[i] = out[i] != 0 && !std::isfinite(values[i]) ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < out.size(); ++i) // exporters that answer no longer echo for a moment
        out[i] = cluster.unobserved(i) ? 1 : out[i];
    return out;
}

void keepTheLater(Series& into, const Series& from) {
    for (std::size_t host = 0; host < into.size(); ++host) {
        if (into[host].empty()) {
            into[host] = from[host];
            continue;
        }
        for (std::size_t i = 0; i < from[host].size(); ++i)
            into[host][i] = std::fmax(into[host][i], from[host][i]);
    }
}

} // namespace

RelativeTimes relativeTimes(const ClusterDigest& cluster, const JobTimeline& job) {
    RelativeTimes out;
    const std::size_t points = cluster.points();
    out.own = cluster.table(Signal::nodeComputeTime) != nullptr;
    if (out.own) {
        out.hosts = foldedByHost(cluster, Signal::nodeComputeTime, Fold::most);
        relateToMedian(out.hosts, points, false);
    } else {
        out.hosts = foldedByHost(cluster, Signal::smClock, Fold::least);
        Series clock = foldedByHost(cluster, Signal::smClock, Fold::mean);
        Series work = foldedByHost(cluster, Signal::tensorActive, Fold::mean);
        for (std::size_t host = 0; host < work.size(); ++host) {
            if (clock[host].empty())
                work[host].clear();
            for (std::size_t i = 0; i < work[host].size(); ++i)
                work[host][i] *= clock[host][i];
        }
        relateToMedian(out.hosts, points, true);
        relateToMedian(work, points, true);
        keepTheLater(out.hosts, work);
        relateToMedian(out.hosts, points, false);
    }
    const double usual = quantileOf(job.activity, 0.75);
    for (std::vector<double>& host : out.hosts) {
        for (std::size_t i = 0; i < host.size(); ++i) {
            const bool idle = !out.own && i < job.activity.size() && job.activity[i] < 0.3 * usual;
            if (idle || job.stopped[i] == Sign::yes)
                host[i] = notMeasured;
        }
    }
    return out;
}

NodeMap relativeNodeTimes(const Observation& observation) {
    const ClusterDigest cluster(observation);
    const RelativeTimes times = relativeTimes(cluster, jobTimeline(cluster, HealthLimits().stallSteps));
    NodeMap map;
    map.title = times.own ? "own compute time of each node, relative to the job's median"
                          : "time of each node for the same tensor work (activity × SM clock of its slowest "
                            "GPU), relative to the job's median";
    map.hosts = observation.hosts;
    map.values.reserve(map.hosts.size() * observation.grid.points);
    map.noData.reserve(map.hosts.size() * observation.grid.points);
    for (const std::string& host : map.hosts) {
        const std::vector<std::uint8_t> silent = silentPoints(cluster, host);
        map.noData.insert(map.noData.end(), silent.begin(), silent.end());
        const auto found = std::ranges::lower_bound(cluster.hosts(), host);
        const std::size_t index = static_cast<std::size_t>(found - cluster.hosts().begin());
        if (index < times.hosts.size() && !times.hosts[index].empty())
            map.values.insert(map.values.end(), times.hosts[index].begin(), times.hosts[index].end());
        else
            map.values.insert(map.values.end(), observation.grid.points, notMeasured);
    }
    return map;
}

} // namespace alidade
