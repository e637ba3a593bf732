// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace alidade {
namespace {

/// What a GPU shows as long as it answers, whoever profiles it.
constexpr std::array deviceSignals{
    Signal::gpuTemperature, Signal::smClock, Signal::gpuPower,     Signal::gpuUtilization, Signal::memoryUsed,
    Signal::tensorActive,   Signal::xid,     Signal::engineActive, Signal::dramActive};
constexpr std::array plainSignals{Signal::gpuTemperature, Signal::smClock, Signal::gpuPower,
                                  Signal::gpuUtilization, Signal::memoryUsed};
constexpr std::array profiledSignals{Signal::tensorActive, Signal::smActive,       Signal::engineActive,
                                     Signal::dramActive,   Signal::nvlinkTransmit, Signal::nvlinkReceive,
                                     Signal::pcieTransmit, Signal::pcieReceive};
constexpr double shortestGap = 90; ///< s

using Presence = std::vector<std::uint8_t>; ///< each point

/// Marks the points at which a row has a value.
void mark(std::span<const double> values, Presence& present) {
    present.resize(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        present[i] |= static_cast<std::uint8_t>(std::isfinite(values[i]));
}

/// Presence of each GPU of a host, by index.
std::map<int, Presence> gpusOf(const ClusterDigest& cluster, std::string_view host) {
    std::map<int, Presence> out;
    for (const Signal signal : deviceSignals) {
        const SignalTable* table = cluster.table(signal);
        const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, host);
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            mark(table->row(row, cluster.points()), out[table->rows[row].gpu]);
    }
    return out;
}

/// The longest stretch that a series is away while `others` are there, if it is too long for an accident.
std::optional<PointSpan> tellingAbsence(const ClusterDigest& cluster, const Presence& own,
                                        const std::vector<Sign>& others, double rows) {
    const auto absent = [&](std::size_t i) {
        return own[i] != 0 ? Sign::no : others[i] == Sign::yes ? Sign::yes : Sign::unknown;
    };
    const std::vector<PointSpan> spans = spansWhere(own.size(), absent, 0, cluster.points());
    if (spans.empty())
        return std::nullopt;
    const PointSpan longest = *std::ranges::max_element(spans, {}, &PointSpan::hits);
    double missing = 0, known = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (others[i] == Sign::yes && !longest.contains(i)) {
            missing += own[i] == 0;
            ++known;
        }
    }
    if (known == 0) // never there: nothing to lose
        return std::nullopt;
    const double step = cluster.step();
    const std::size_t least = std::max<std::size_t>(
        step < 120 ? 3 : 2, tellingGap(missing / known, rows * static_cast<double>(own.size())));
    if (longest.hits < least || static_cast<double>(longest.hits) * step < shortestGap)
        return std::nullopt;
    return longest;
}

int usualCount(const std::vector<std::size_t>& counts) {
    std::map<std::size_t, int> hosts;
    for (const std::size_t count : counts)
        if (count > 0)
            ++hosts[count];
    const auto most = std::ranges::max_element(hosts, {}, [](const auto& each) { return each.second; });
    return most == hosts.end() ? 0 : static_cast<int>(most->first);
}

} // namespace

void findMissingGpus(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const std::size_t hosts = cluster.hosts().size();
    std::vector<std::size_t> counts(hosts, 0);
    double rows = 0;
    std::vector<std::pair<std::size_t, int>> never; // host, first index that was not seen
    std::vector<std::vector<int>> indices(hosts);
    EvidenceList lost;
    for (std::size_t host = 0; host < hosts; ++host) {
        const std::map<int, Presence> gpus = gpusOf(cluster, cluster.hosts()[host]);
        counts[host] = gpus.size();
        rows += static_cast<double>(gpus.size());
        for (const auto& [gpu, present] : gpus)
            indices[host].push_back(gpu);
    }
    for (std::size_t host = 0; host < hosts; ++host) {
        if (counts[host] < 2)
            continue;
        const std::map<int, Presence> gpus = gpusOf(cluster, cluster.hosts()[host]);
        std::vector<std::size_t> there(cluster.points(), 0);
        for (const auto& [gpu, present] : gpus)
            for (std::size_t i = 0; i < present.size(); ++i)
                there[i] += present[i];
        for (const auto& [gpu, present] : gpus) {
            std::vector<Sign> others(present.size(), Sign::unknown);
            for (std::size_t i = 0; i < present.size(); ++i) {
                others[i] = 2 * (there[i] - present[i]) >= gpus.size() - 1 && there[i] > present[i]
                                ? Sign::yes
                                : Sign::unknown;
            }
            const std::optional<PointSpan> span = tellingAbsence(cluster, present, others, rows);
            if (!span)
                continue;
            Evidence event =
                evidenceOver(view, FaultKind::missingGpu, {cluster.hosts()[host], gpu, {}}, *span);
            std::size_t last = span->end;
            while (last < present.size() && present[last] == 0)
                ++last;
            event.lasts = last == present.size();
            event.facts.push_back(std::to_string(there[span->end - 1]) + " of " +
                                  std::to_string(gpus.size()) + " GPUs answer");
            lost.push_back(std::move(event));
        }
    }
    const int expected = view.limits.gpusPerNode > 0
                             ? view.limits.gpusPerNode
                             : std::max(view.gpusPerNode.value_or(0), usualCount(counts));
    EvidenceList fewer;
    std::size_t known = 0;
    for (std::size_t host = 0; host < hosts; ++host) {
        known += counts[host] > 0;
        if (counts[host] == 0 || static_cast<int>(counts[host]) >= expected)
            continue;
        int gpu = 0;
        while (std::ranges::find(indices[host], gpu) != indices[host].end())
            ++gpu;
        const bool one = static_cast<int>(counts[host]) == expected - 1;
        Evidence event = evidenceOver(view, FaultKind::missingGpu,
                                      {cluster.hosts()[host], one ? gpu : -1, {}}, {0, cluster.points(), 0});
        event.facts.push_back(std::to_string(counts[host]) + " of " + std::to_string(expected) +
                              " GPUs answer");
        fewer.push_back(std::move(event));
    }
    if (2 * fewer.size() > known) { // the expectation is what is wrong
        Evidence event = std::move(fewer.front());
        event.where = {};
        event.facts = {std::to_string(fewer.size()) + " of " + std::to_string(known) +
                       " nodes show fewer GPUs than the " + std::to_string(expected) + " expected"};
        fewer.assign(1, std::move(event));
    }
    std::ranges::move(lost, std::back_inserter(out));
    std::ranges::move(fewer, std::back_inserter(out));
}

/// Sentinels that the reading met, host by host.
void findSentinels(const HealthView& view, EvidenceList& out) {
    struct Blank {
        double start = 0, end = 0;
        std::set<Signal> signals;
    };
    std::map<std::string, Blank> hosts;
    for (const BlankSpan& each : view.cluster.observation().blanks) {
        Blank& blank = hosts.try_emplace(each.where.host, Blank{each.start, each.end, {}}).first->second;
        blank.start = std::min(blank.start, each.start);
        blank.end = std::max(blank.end, each.end);
        blank.signals.insert(each.signal);
    }
    const TimeGrid& grid = view.cluster.grid();
    const auto pointAt = [&](double time) {
        const double at = std::round((time - grid.start) / grid.step);
        return std::min(grid.points - 1, static_cast<std::size_t>(std::max(0.0, at)));
    };
    for (const auto& [host, blank] : hosts) {
        const PointSpan span{pointAt(blank.start), pointAt(blank.end) + 1, 0};
        Evidence event = evidenceOver(view, FaultKind::blankValues, {host, -1, {}}, span);
        event.facts.push_back("sentinels instead of values in " +
                              countOf(static_cast<double>(blank.signals.size()), "metric", "metrics"));
        out.push_back(std::move(event));
    }
}

/// An exporter that answers for clocks and temperatures but has no profiling value for a whole host: another
/// profiler holds the counters, or it prints sentinels.
void findBlankValues(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    std::set<std::string> told;
    findSentinels(view, out);
    for (const BlankSpan& each : cluster.observation().blanks)
        told.insert(each.where.host);
    std::vector<std::size_t> kinds(cluster.hosts().size(), 0);
    std::vector<Presence> plain(cluster.hosts().size()), profiled(cluster.hosts().size());
    std::vector<std::size_t> hostsProfiled(cluster.points(), 0);
    std::size_t measured = 0;
    const auto fill = [&](std::size_t host, Signal signal, Presence& present) {
        const SignalTable* table = cluster.table(signal);
        const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, cluster.hosts()[host]);
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            mark(table->row(row, cluster.points()), present);
        return rows.size() > 0;
    };
    for (std::size_t host = 0; host < cluster.hosts().size(); ++host) {
        for (const Signal signal : plainSignals)
            fill(host, signal, plain[host]);
        for (const Signal signal : profiledSignals)
            kinds[host] += fill(host, signal, profiled[host]);
        measured += kinds[host] > 0;
        for (std::size_t i = 0; i < profiled[host].size(); ++i)
            hostsProfiled[i] += profiled[host][i];
    }
    for (std::size_t host = 0; host < cluster.hosts().size(); ++host) {
        if (kinds[host] < 2 || plain[host].empty() || told.contains(cluster.hosts()[host]))
            continue;
        std::vector<Sign> others(cluster.points(), Sign::unknown);
        for (std::size_t i = 0; i < others.size(); ++i) {
            const bool elsewhere = measured < 2 || 2 * hostsProfiled[i] >= measured - 1;
            others[i] = plain[host][i] != 0 && elsewhere ? Sign::yes : Sign::unknown;
        }
        const std::optional<PointSpan> span =
            tellingAbsence(cluster, profiled[host], others, static_cast<double>(measured));
        if (!span)
            continue;
        Evidence event = evidenceOver(view, FaultKind::blankValues, {cluster.hosts()[host], -1, {}}, *span);
        event.facts.push_back("clocks and temperatures are there, none of " + std::to_string(kinds[host]) +
                              " profiling metrics is");
        out.push_back(std::move(event));
    }
}

} // namespace alidade
