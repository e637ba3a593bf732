// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

constexpr double busyNetwork = 0.05; ///< of its usual traffic: below it a share means nothing
constexpr double guiltyDevice = 0.2; ///< of what the worst device retransmits

double total(std::span<const double> values, const PointSpan& span) {
    double sum = 0;
    for (std::size_t i = span.begin; i < span.end; ++i)
        sum += std::isfinite(values[i]) ? std::max(0.0, values[i]) : 0;
    return sum;
}

double eventsOf(const ClusterDigest& cluster, Signal signal, const std::string& host, PointSpan span) {
    const SignalTable* table = cluster.table(signal);
    const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, host);
    span.end = std::min(span.end + 1, cluster.points());
    double sum = 0;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
        sum += total(table->row(row, cluster.points()), span);
    return sum;
}

/// "4 of 32 devices (rdmap79s0, rdmap80s0, ...)"; the name alone if it is one.
void nameDevices(const ClusterDigest& cluster, const SignalTable& again, Evidence& event) {
    const RowRange rows = rowsOf(again, event.where.host);
    std::vector<double> amounts;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
        amounts.push_back(total(again.row(row, cluster.points()), event.span));
    if (amounts.size() < 2)
        return;
    const double worst = *std::ranges::max_element(amounts);
    std::vector<std::string> guilty;
    for (std::size_t i = 0; i < amounts.size(); ++i)
        if (amounts[i] >= guiltyDevice * worst)
            guilty.push_back(again.rows[rows.begin + i].part);
    if (guilty.size() == amounts.size()) {
        event.facts.push_back("all of " + std::to_string(amounts.size()) + " devices");
        return;
    }
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(guilty.size(), 4); ++i)
        names += (i > 0 ? ", " : "") + guilty[i];
    event.facts.push_back(std::to_string(guilty.size()) + " of " + std::to_string(amounts.size()) +
                          " devices (" + names + (guilty.size() > 4 ? ", ..." : "") + ")");
    if (guilty.size() == 1)
        event.where.part = guilty.front();
}

} // namespace

void findRetransmits(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const SignalTable* again = cluster.table(Signal::efaRetransmitted);
    const SignalTable* sent = cluster.table(Signal::efaTransmit);
    if (again == nullptr || sent == nullptr)
        return;
    for (const std::string& host : cluster.hosts()) {
        const std::vector<double> lost = cluster.folded(*again, host, Fold::sum);
        const std::vector<double> all = cluster.folded(*sent, host, Fold::sum);
        if (lost.empty() || all.empty())
            continue;
        const double usual = quantileOf(all, 0.75);
        const auto bad = [&](std::size_t i) {
            if (!std::isfinite(lost[i]) || !std::isfinite(all[i]))
                return Sign::unknown;
            if (!(all[i] > busyNetwork * usual))
                return Sign::unknown;
            return lost[i] > view.limits.retransmitShare * all[i] ? Sign::yes : Sign::no;
        };
        for (const PointSpan& span : spansWhere(cluster.points(), bad, 1, cluster.pointsIn(300))) {
            if (span.hits < 2 || static_cast<double>(span.hits) * cluster.step() < 60)
                continue;
            const double share = total(lost, span) / total(all, span);
            if (!(share > view.limits.retransmitShare))
                continue;
            Evidence event = evidenceOver(view, FaultKind::efaRetransmits, {host, -1, {}}, span);
            event.facts.push_back("1 in " + countOf(1 / share, "byte", "bytes") + " sent again");
            nameDevices(cluster, *again, event);
            const double timeouts = eventsOf(cluster, Signal::efaRetransmitTimeouts, host, span);
            if (timeouts >= 0.5)
                event.facts.push_back(countOf(timeouts, "timeout", "timeouts"));
            out.push_back(std::move(event));
        }
    }
}

void findBadConnections(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    EvidenceList found;
    for (const std::string& host : cluster.hosts()) {
        std::vector<double> events;
        for (const Signal signal : {Signal::efaImpairedConnections, Signal::efaUnresponsiveRemotes}) {
            const SignalTable* table = cluster.table(signal);
            const std::vector<double> one =
                table == nullptr ? std::vector<double>() : cluster.folded(*table, host, Fold::sum);
            events.resize(one.empty() ? events.size() : one.size(), 0);
            for (std::size_t i = 0; i < one.size(); ++i)
                events[i] += std::isfinite(one[i]) ? one[i] : 0;
        }
        const auto bad = [&](std::size_t i) { return events[i] > 0.3 ? Sign::yes : Sign::no; };
        for (const PointSpan& span : spansWhere(events.size(), bad, cluster.pointsIn(300), 0)) {
            if (total(events, span) < 0.9) // one event, as an extrapolated increase
                continue;
            Evidence event = evidenceOver(view, FaultKind::efaConnections, {host, -1, {}}, span);
            const double impaired = eventsOf(cluster, Signal::efaImpairedConnections, host, span);
            const double silent = eventsOf(cluster, Signal::efaUnresponsiveRemotes, host, span);
            if (impaired >= 0.5)
                event.facts.push_back(countOf(impaired, "connection", "connections") + " impaired");
            if (silent >= 0.5)
                event.facts.push_back(countOf(silent, "remote", "remotes") + " unresponsive");
            found.push_back(std::move(event));
        }
    }
    // One dead node makes all its peers complain.
    if (found.size() > 3 && 4 * found.size() > cluster.hosts().size()) {
        const auto late = [](const Evidence& a, const Evidence& b) { return a.start < b.start; };
        Evidence all = *std::ranges::min_element(found, late);
        if (std::ranges::all_of(found, [&](const Evidence& each) { return each.start - all.start < 600; })) {
            all.where = {};
            all.facts = {"on " + countOf(static_cast<double>(found.size()), "node", "nodes") +
                         " at the same time"};
            found.assign(1, std::move(all));
        }
    }
    std::ranges::move(found, std::back_inserter(out));
}

} // namespace alidade
