// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace alidade {
namespace {

constexpr double shortestOutage = 45; ///< s: one scrape that fails is none
constexpr double bootJump = 60;       ///< s: clocks drift less
constexpr double vanishedFor = 600;   ///< s until the end of the observed time

/// Exporters that most hosts have describe the host; the others belong to a job, an engine or a service.
std::set<std::string> hostExporters(const SignalTable& up) {
    std::map<std::string, std::size_t> hosts;
    std::set<std::string> all, out;
    for (const Entity& row : up.rows) {
        ++hosts[row.part];
        all.insert(row.host);
    }
    for (const auto& [part, count] : hosts)
        if (2 * count >= all.size() && !isJobExporter(part) && !isEngineExporter(part))
            out.insert(part);
    return out;
}

/// Rows of the host's own exporters (`own`), or one of the others.
void findDownTargets(const HealthView& view, const Entity& where, const std::vector<std::size_t>& rows,
                     FaultKind kind, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const SignalTable& up = *cluster.table(Signal::targetUp);
    std::vector<std::size_t> down(cluster.points(), 0), known(cluster.points(), 0);
    for (const std::size_t row : rows) {
        const std::span<const double> values = up.row(row, cluster.points());
        for (std::size_t i = 0; i < values.size(); ++i) {
            known[i] += std::isfinite(values[i]);
            down[i] += values[i] < 0.5;
        }
    }
    const auto silent = [&](std::size_t i) {
        return known[i] == 0 || cluster.unobserved(i) ? Sign::unknown : down[i] > 0 ? Sign::yes : Sign::no;
    };
    for (const PointSpan& span : spansWhere(cluster.points(), silent, 0, cluster.pointsIn(300))) {
        std::size_t most = 0;
        for (std::size_t i = span.begin; i < span.end; ++i)
            most = std::max(most, down[i]);
        const bool certain = span.hits >= 2 || most >= 2 || kind == FaultKind::engineRestart;
        if (!certain || static_cast<double>(span.hits) * cluster.step() < shortestOutage)
            continue;
        Evidence event = evidenceOver(view, kind, where, span);
        event.facts.push_back(most == rows.size() && rows.size() > 1
                                  ? "all " + std::to_string(rows.size()) + " exporters are silent"
                              : rows.size() > 1 ? std::to_string(most) + " of " +
                                                      std::to_string(rows.size()) + " exporters are silent"
                                                : "the exporter is silent");
        out.push_back(std::move(event));
    }
}

void findReboots(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const SignalTable* boot = cluster.table(Signal::bootTime);
    for (std::size_t row = 0; boot != nullptr && row < boot->rows.size(); ++row) {
        const std::span<const double> values = boot->row(row, cluster.points());
        double known = std::nan("");
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i]))
                continue;
            if (values[i] > known + bootJump) {
                Evidence event = evidenceOver(view, FaultKind::missingTarget, boot->rows[row], {i, i + 1, 1});
                event.where.part.clear();
                event.what = "rebooted";
                event.start = std::min(event.start, std::max(values[i], cluster.grid().start));
                event.lasts = event.before = false;
                out.push_back(std::move(event));
            }
            known = values[i];
        }
    }
}

/// A host whose every series ends while those of the others go on.
void findVanishedHosts(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    constexpr std::array signals{Signal::gpuTemperature,      Signal::smClock, Signal::gpuPower,
                                 Signal::gpuUtilization,      Signal::xid,     Signal::tensorActive,
                                 Signal::hostMemoryAvailable, Signal::bootTime};
    std::vector<std::size_t> after(cluster.hosts().size(), 0); // one past the last point with a value
    std::size_t alive = 0;
    for (std::size_t host = 0; host < after.size(); ++host) {
        for (const Signal signal : signals) {
            const SignalTable* table = cluster.table(signal);
            const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, cluster.hosts()[host]);
            for (std::size_t row = rows.begin; row < rows.end; ++row) {
                const std::span<const double> values = table->row(row, cluster.points());
                std::size_t i = values.size();
                while (i > after[host] && !std::isfinite(values[i - 1]))
                    --i;
                after[host] = std::max(after[host], i);
            }
        }
        alive += cluster.gaps().observedIn(after[host], cluster.points()) <= 2;
    }
    const SignalTable* up = cluster.table(Signal::targetUp);
    for (std::size_t host = 0; host < after.size(); ++host) {
        const std::string& name = cluster.hosts()[host];
        const std::size_t silent = cluster.gaps().observedIn(after[host], cluster.points());
        const bool listed = up != nullptr && rowsOf(*up, name).size() > 0; // its exporters tell themselves
        if (listed || 2 * alive < after.size() || silent < 5 ||
            static_cast<double>(silent) * cluster.step() < vanishedFor) {
            continue;
        }
        Evidence event = evidenceOver(view, FaultKind::missingTarget, {name, -1, {}},
                                      {after[host], cluster.points(), silent});
        event.facts.emplace_back(after[host] == 0 ? "no series at all, while other nodes have series"
                                                  : "its series end while those of other nodes continue");
        out.push_back(std::move(event));
    }
}

} // namespace

void findOutages(const HealthView& view, EvidenceList& out) {
    if (const SignalTable* up = view.cluster.table(Signal::targetUp)) {
        const std::set<std::string> own = hostExporters(*up);
        std::map<std::string, std::vector<std::size_t>> hosts;
        for (std::size_t row = 0; row < up->rows.size(); ++row) {
            const Entity& where = up->rows[row];
            if (own.contains(where.part)) {
                hosts[where.host].push_back(row);
            } else if (!isJobExporter(where.part)) { // that of the job belongs to its stops
                const bool engine =
                    isEngineExporter(where.part) || view.cluster.role(where.host) == HostRole::serving;
                findDownTargets(view, where, {row},
                                engine ? FaultKind::engineRestart : FaultKind::missingTarget, out);
            }
        }
        for (const auto& [host, rows] : hosts)
            findDownTargets(view, {host, -1, {}}, rows, FaultKind::missingTarget, out);
    }
    findReboots(view, out);
    findVanishedHosts(view, out);
}

} // namespace alidade
