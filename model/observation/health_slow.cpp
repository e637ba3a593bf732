// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/observation/health_evidence.h"
#include "model/observation/relative_times.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

constexpr double shortestSlowness = 60; ///< s
constexpr double hot = 83;              ///< degC of a GPU that lowers its clock (H100: 87 is its limit)
constexpr double throttles = 1e-3;      ///< share of the time that is not rounding
constexpr double manyGpus = 0.25;       ///< of the job: a matter of the room, not of a GPU

double meanOver(std::span<const double> values, const PointSpan& span) {
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t i = span.begin; i < span.end; ++i) {
        if (std::isfinite(values[i])) {
            sum += values[i];
            ++n;
        }
    }
    return n == 0 ? notMeasured : sum / static_cast<double>(n);
}

std::size_t fewestHits(const ClusterDigest& cluster) {
    const auto points = static_cast<std::size_t>(std::ceil(shortestSlowness / cluster.step()));
    return std::max<std::size_t>(points, cluster.step() < 120 ? 3 : 2);
}

/// Stretches above a limit, on average too; short dips, gaps and stops of the job do not end one.
std::vector<PointSpan> stretchesAbove(const HealthView& view, std::span<const double> values, double limit,
                                      std::size_t least) {
    const ClusterDigest& cluster = view.cluster;
    std::size_t gap = 0;
    for (const JobStop& stop : view.job.stops)
        gap = std::max(gap, stop.span.end - stop.span.begin);
    std::vector<PointSpan> out = spansWhere(
        values.size(),
        [&](std::size_t i) {
            return !std::isfinite(values[i]) ? Sign::unknown : values[i] > limit ? Sign::yes : Sign::no;
        },
        cluster.step() < 120 ? 2 : 1, cluster.pointsIn(300) + gap);
    std::erase_if(
        out, [&](const PointSpan& span) { return span.hits < least || !(meanOver(values, span) > limit); });
    return out;
}

/// Median of a table's values, from enough of them: a day of a thousand nodes has tens of millions.
double usualOf(const SignalTable* table) {
    constexpr std::size_t enough = 100'000;
    if (table == nullptr)
        return notMeasured;
    const std::size_t every = std::max<std::size_t>(1, table->values.size() / enough);
    std::vector<double> some;
    for (std::size_t i = 0; i < table->values.size(); i += every)
        some.push_back(table->values[i]);
    return quantileOf(std::move(some), 0.5);
}

/// The GPU of a host that its clock gives away, else its temperature; -1: neither does.
/// \param usual SM clock, Hz
int slowestGpu(const ClusterDigest& cluster, const std::string& host, const PointSpan& span, double usual) {
    const auto extreme = [&](Signal signal, double sign) {
        std::pair<int, double> best{-1, notMeasured};
        const SignalTable* table = cluster.table(signal);
        const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, host);
        std::vector<double> all;
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const double mean = sign * meanOver(table->row(row, cluster.points()), span);
            if (std::isfinite(mean)) {
                all.push_back(mean);
                if (!(best.second >= mean))
                    best = {table->rows[row].gpu, mean};
            }
        }
        return std::pair(best.first, best.second - lowerMedian(all));
    };
    const auto [slow, below] = extreme(Signal::smClock, -1);
    if (slow >= 0 && below > 0.03 * usual)
        return slow;
    const auto [warm, above] = extreme(Signal::gpuTemperature, 1);
    return warm >= 0 && above > 10 ? warm : -1;
}

double rowMean(const ClusterDigest& cluster, Signal signal, const Entity& where, const PointSpan& span) {
    const SignalTable* table = cluster.table(signal);
    const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, where.host);
    double most = notMeasured;
    for (std::size_t row = rows.begin; row < rows.end; ++row)
        if (where.gpu < 0 || table->rows[row].gpu == where.gpu)
            most = std::fmax(most, meanOver(table->row(row, cluster.points()), span));
    return most;
}

/// The usual value of the lowest (`sign` -1) or highest row of a GPU or a node: that of half of the time,
/// which checkpoints and stops do not move.
double usualValue(const ClusterDigest& cluster, Signal signal, const Entity& where, const PointSpan& span,
                  double sign) {
    const SignalTable* table = cluster.table(signal);
    const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, where.host);
    double most = notMeasured;
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::span<const double> values = table->row(row, cluster.points());
        if (where.gpu < 0 || table->rows[row].gpu == where.gpu) {
            std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(span.begin),
                                     values.begin() + static_cast<std::ptrdiff_t>(span.end));
            most = std::fmax(most, sign * lowerMedian(part));
        }
    }
    return sign * most;
}

/// Share of the time above which a GPU is throttled; any, where the unit of the metric is not certain.
double throttleLimit(const ClusterDigest& cluster, Signal signal) {
    const SignalTable* table = cluster.table(signal);
    return table != nullptr && table->signOnly ? 0 : throttles;
}

/// Clock and temperature of the GPU, and whether it was throttled.
void addGpuFacts(const ClusterDigest& cluster, Evidence& event) {
    const double clock = usualValue(cluster, Signal::smClock, event.where, event.span, -1);
    if (std::isfinite(clock))
        event.facts.push_back(clockText(clock));
    const double temperature = usualValue(cluster, Signal::gpuTemperature, event.where, event.span, 1);
    if (std::isfinite(temperature))
        event.facts.push_back(std::to_string(std::lround(temperature)) + " °C");
    if (rowMean(cluster, Signal::thermalViolation, event.where, event.span) >
        throttleLimit(cluster, Signal::thermalViolation)) {
        event.facts.emplace_back("thermal violation");
    }
}

bool overlaps(const PointSpan& a, const PointSpan& b, std::size_t slack) {
    return a.begin <= b.end + slack && b.begin <= a.end + slack;
}

/// A GPU's clock over the job's median, while the job works.
/// \param usual activity of the job while it works
std::vector<double> clockRatios(const HealthView& view, std::span<const double> clocks,
                                std::span<const double> median, double usual) {
    std::vector<double> out(clocks.size(), notMeasured);
    for (std::size_t i = 0; i < clocks.size(); ++i) {
        const bool idle = i < view.job.activity.size() && view.job.activity[i] < 0.3 * usual;
        if (!idle && view.job.stopped[i] != Sign::yes)
            out[i] = median[i] / clocks[i]; // above 1: slower
    }
    return out;
}

} // namespace

void findStragglers(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    if (cluster.training().size() < 2)
        return;
    const RelativeTimes times = relativeTimes(cluster, view.job);
    const double usual = usualOf(cluster.table(Signal::smClock));
    const double limit = times.own ? view.limits.stragglerTime : 1 / view.limits.stragglerClock;
    for (const std::size_t host : cluster.training()) {
        for (const PointSpan& span : stretchesAbove(view, times.hosts[host], limit, fewestHits(cluster))) {
            const std::string& name = cluster.hosts()[host];
            Evidence event = evidenceOver(view, FaultKind::straggler,
                                          {name, slowestGpu(cluster, name, span, usual), {}}, span);
            addGpuFacts(cluster, event);
            event.facts.push_back((times.own ? "own compute " : "work takes ") +
                                  timesText(meanOver(times.hosts[host], span)) + " the median");
            out.push_back(std::move(event));
        }
    }
}

void findThrottling(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const std::size_t least = fewestHits(cluster);
    EvidenceList hotOnes, slowOnes;
    // Heat: any of it, while the job works.
    const SignalTable* heat = cluster.table(Signal::thermalViolation);
    const double heatLimit = throttleLimit(cluster, Signal::thermalViolation);
    for (std::size_t row = 0; heat != nullptr && row < heat->rows.size(); ++row) {
        const std::span<const double> values = heat->row(row, cluster.points());
        for (const PointSpan& span : stretchesAbove(view, values, heatLimit, least)) {
            Evidence event = evidenceOver(view, FaultKind::thermal, heat->rows[row], span);
            addGpuFacts(cluster, event);
            if (!heat->signOnly) {
                const double share = std::min(1.0, meanOver(values, span));
                event.facts.push_back("throttled " + percentText(share) + " of the time");
            }
            hotOnes.push_back(std::move(event));
        }
    }
    if (heat != nullptr &&
        static_cast<double>(hotOnes.size()) > manyGpus * static_cast<double>(heat->rows.size()) &&
        hotOnes.size() > 2) {
        Evidence room = hotOnes.front();
        for (const Evidence& one : hotOnes) {
            room.start = std::min(room.start, one.start);
            room.last = std::max(room.last, one.last);
            room.span.begin = std::min(room.span.begin, one.span.begin);
            room.span.end = std::max(room.span.end, one.span.end);
            room.lasts = room.lasts || one.lasts;
        }
        room.where = {};
        room.facts = {countOf(static_cast<double>(hotOnes.size()), "GPU", "GPUs") + " of " +
                      std::to_string(heat->rows.size()) + " lower their clocks"};
        hotOnes.assign(1, std::move(room));
    }
    // Clocks below the job's, while it works.
    const SignalTable* clocks = cluster.table(Signal::smClock);
    const std::vector<double> median = cluster.jobMedian(Signal::smClock, Fold::mean, true);
    const double works = quantileOf(view.job.activity, 0.75);
    const double usualPower = quantileOf(cluster.jobMedian(Signal::powerViolation, Fold::mean), 0.5);
    for (std::size_t row = 0; clocks != nullptr && !median.empty() && row < clocks->rows.size(); ++row) {
        const Entity& where = clocks->rows[row];
        if (!cluster.trains(where.host))
            continue;
        const std::vector<double> ratios =
            clockRatios(view, clocks->row(row, cluster.points()), median, works);
        for (const PointSpan& span : stretchesAbove(view, ratios, 1 / view.limits.stragglerClock, least)) {
            Evidence event = evidenceOver(view, FaultKind::straggler, where, span);
            const bool warm = usualValue(cluster, Signal::gpuTemperature, where, span, 1) >= hot;
            const double power = rowMean(cluster, Signal::powerViolation, where, span);
            const double usual = usualPower;
            event.kind = warm                                                    ? FaultKind::thermal
                         : power > throttles && !(power < 2 * usual + throttles) ? FaultKind::power
                                                                                 : FaultKind::straggler;
            addGpuFacts(cluster, event);
            event.facts.push_back("SM clock " + percentText(1 / meanOver(ratios, span)) +
                                  " of the job's median");
            if (event.kind == FaultKind::power)
                event.facts.push_back("power limit " + percentText(std::min(1.0, power)) + " of the time");
            slowOnes.push_back(std::move(event));
        }
    }
    // A GPU that is hot and slow is one of them.
    for (Evidence& slow : slowOnes) {
        for (const Evidence& warm : hotOnes) {
            slow.absorbed = slow.absorbed || ((warm.where == slow.where || warm.where.host.empty()) &&
                                              overlaps(slow.span, warm.span, cluster.pointsIn(300)));
        }
    }
    std::erase_if(slowOnes, [](const Evidence& slow) { return slow.absorbed; });
    std::ranges::move(hotOnes, std::back_inserter(out));
    std::ranges::move(slowOnes, std::back_inserter(out));
}

} // namespace alidade
