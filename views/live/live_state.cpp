// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double mostPoints = 360;
constexpr double shortestQuiet = 600; // s
constexpr std::array roundSteps{15.0,   30.0,   60.0,   120.0,   300.0,   600.0,   900.0,
                                1800.0, 3600.0, 7200.0, 21600.0, 86400.0, 604800.0};

/// Whether the job ran otherwise while this lasted.
bool disturbs(const Finding& finding) {
    switch (finding.kind) {
    case FaultKind::xid:
    case FaultKind::efaRetransmits:
    case FaultKind::straggler:
    case FaultKind::stall:
    case FaultKind::restart:
    case FaultKind::thermal:
    case FaultKind::power:
        return true;
    default:
        return finding.cost && finding.cost->share > 0;
    }
}

} // namespace

TimeGrid gridOf(const LiveSpan& span, double now) {
    const double end = span.fixed ? span.end : now;
    const double length = std::max(span.fixed ? span.end - span.start : span.last, roundSteps.front());
    const auto enough =
        std::ranges::find_if(roundSteps, [&](double step) { return length / step <= mostPoints; });
    TimeGrid grid;
    grid.step = enough == roundSteps.end() ? std::ceil(length / mostPoints / 604800) * 604800 : *enough;
    const double last = std::floor(end / grid.step);
    const double first = std::ceil((end - length) / grid.step);
    grid.start = first * grid.step;
    grid.points = static_cast<std::size_t>(std::max(1.0, last - first + 1));
    return grid;
}

std::optional<QuietWindow> quietWindow(const Observation& observation, const PlanActual& comparison,
                                       const std::vector<Finding>& findings) {
    if (comparison.charts.empty())
        return {};
    const std::vector<double>& measured = comparison.charts.front().measured;
    const TimeGrid& grid = observation.grid;
    const auto isQuiet = [&](std::size_t i) {
        if (i >= measured.size() || !std::isfinite(measured[i]))
            return false;
        return std::ranges::none_of(findings, [&](const Finding& finding) {
            // One step of room: what is measured over a window feels the fault a little before and after.
            return disturbs(finding) && grid.at(i) >= finding.start - grid.step &&
                   grid.at(i) <= finding.end.value_or(grid.end()) + grid.step;
        });
    };
    std::optional<QuietWindow> longest;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= grid.points; ++i) {
        if (i < grid.points && isQuiet(i))
            continue;
        if (i > begin) {
            const double length = grid.at(i - 1) - grid.at(begin);
            if (length >= shortestQuiet && (!longest || length > longest->end - longest->start))
                longest = QuietWindow{grid.at(begin), grid.at(i - 1), i - begin};
        }
        begin = i + 1;
    }
    return longest;
}

bool hasValues(const Observation& observation) {
    return std::ranges::any_of(observation.tables, [](const SignalTable& table) {
        return std::ranges::any_of(table.values, [](double value) { return std::isfinite(value); });
    });
}

void completeLive(LiveResult& result) {
    result.gaps = dataGaps(*result.observation);
    const NodeMap& nodes = result.nodes;
    const std::size_t points = result.observation->grid.points;
    result.slowest.assign(nodes.hosts.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t host = 0; host < nodes.hosts.size() && points > 0; ++host) {
        const std::span<const double> row = std::span(nodes.values).subspan(host * points, points);
        for (std::size_t i = 2; i < points; ++i) {
            // A comparison with NaN is false, so that a gap holds nothing.
            const double held = std::min({row[i - 2], row[i - 1], row[i]});
            const bool all = std::isfinite(row[i - 2]) && std::isfinite(row[i - 1]) && std::isfinite(row[i]);
            if (all && !(held <= result.slowest[host]))
                result.slowest[host] = held;
        }
    }
    result.quiet = quietWindow(*result.observation, result.comparison, result.findings);
}

} // namespace alidade::views
