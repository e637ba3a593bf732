// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/data_gaps.h"

#include "model/observation/health_evidence.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

/// Rows of a table that are looked at: enough to see a time in which (next to) none has a value.
constexpr std::size_t mostRows = 64;
/// A share of the usual number of series with a value that is next to none: an exporter outside the cluster,
/// or a rate that still looks back.
constexpr double nextToNone = 0.05;
constexpr double onItsWay = 120; ///< s that the newest samples of a server may be late

/// How many of the sampled rows have a value at each point.
std::vector<double> measuredRows(const Observation& observation) {
    const std::size_t points = observation.grid.points;
    std::vector<double> out(points, 0);
    for (const SignalTable& table : observation.tables) {
        if (table.signal == Signal::targetUp) // the server's own word
            continue;
        const std::size_t every = std::max<std::size_t>(1, table.rows.size() / mostRows);
        for (std::size_t row = 0; row < table.rows.size(); row += every) {
            const std::span<const double> values = table.row(row, points);
            for (std::size_t i = 0; i < points; ++i)
                out[i] += std::isfinite(values[i]) ? 1 : 0;
        }
    }
    return out;
}

/// Fewer targets, or those of one host, may all be down for their own reason.
constexpr double fewestTargets = 3;

/// What the server tells at each point of the exporters that it asks.
struct Asked {
    std::vector<double> asked, answered;
    bool several = false; ///< of more than one host

    bool any(std::size_t i) const { return i < asked.size() && asked[i] > 0; }
    bool silent(std::size_t i) const {
        return several && any(i) && asked[i] >= fewestTargets && answered[i] <= nextToNone * asked[i];
    }
};

Asked askedAt(const Observation& observation) {
    Asked out;
    const SignalTable* up = observation.table(Signal::targetUp);
    if (up == nullptr)
        return out;
    const std::size_t points = observation.grid.points;
    out.asked.assign(points, 0);
    out.answered.assign(points, 0);
    for (std::size_t row = 0; row < up->rows.size(); ++row) {
        out.several = out.several || up->rows[row].host != up->rows.front().host;
        const std::span<const double> values = up->row(row, points);
        for (std::size_t i = 0; i < points; ++i) {
            out.asked[i] += std::isfinite(values[i]) ? 1 : 0;
            out.answered[i] += values[i] >= 0.5 ? 1 : 0;
        }
    }
    return out;
}

} // namespace

std::size_t DataGaps::observedIn(std::size_t begin, std::size_t end) const {
    std::size_t out = 0;
    for (std::size_t i = begin; i < std::min(end, unobserved.size()); ++i)
        out += unobserved[i] == 0;
    return out;
}

DataGaps dataGaps(const Observation& observation) {
    const TimeGrid& grid = observation.grid;
    DataGaps out;
    out.unobserved.assign(grid.points, 0);
    const std::vector<double> measured = measuredRows(observation);
    std::vector<double> some;
    std::ranges::copy_if(measured, std::back_inserter(some), [](double rows) { return rows > 0; });
    const double usual = some.empty() ? 0 : quantileOf(some, 0.5);
    const Asked targets = askedAt(observation);
    for (std::size_t i = 0; i < grid.points; ++i) {
        const bool nothing = measured[i] <= nextToNone * usual && !targets.any(i);
        out.unobserved[i] = nothing || targets.silent(i) ? 1 : 0;
    }
    // What the newest samples lack by a minute or two is on its way.
    std::size_t end = grid.points;
    while (end > 0 && out.unobserved[end - 1] != 0 && !targets.silent(end - 1))
        --end;
    if (static_cast<double>(grid.points - end) * grid.step < onItsWay) {
        std::fill(out.unobserved.begin() + static_cast<std::ptrdiff_t>(end), out.unobserved.end(),
                  std::uint8_t{0});
    }
    const std::vector<PointSpan> spans = spansWhere(
        grid.points, [&](std::size_t i) { return out.unobserved[i] != 0 ? Sign::yes : Sign::no; }, 0, 0);
    for (const PointSpan& span : spans) {
        DataGap gap;
        gap.span = span;
        gap.before = span.begin == 0;
        gap.lasts = span.end == grid.points;
        gap.start = gap.before ? grid.start : grid.at(span.begin - 1);
        gap.end = gap.lasts ? grid.end() : grid.at(span.end);
        gap.silent = targets.silent((span.begin + span.end) / 2);
        out.gaps.push_back(gap);
    }
    return out;
}

std::string gapSentence(const DataGaps& gaps, const TimeGrid& grid) {
    double missing = 0, silent = 0;
    for (const DataGap& gap : gaps.gaps) {
        const double length = static_cast<double>(gap.span.end - gap.span.begin) * grid.step;
        missing += length;
        silent += gap.silent ? length : 0;
    }
    if (!(missing > 0))
        return {};
    const bool lasts = gaps.gaps.back().lasts;
    std::string out = "No data for " + durationText(missing);
    if (gaps.gaps.size() > 1)
        out += " in " + std::to_string(gaps.gaps.size()) + " gaps";
    out += silent >= missing ? ": no exporter answered"
           : silent > 0      ? ": no samples, for " + durationText(silent) + " of it no exporter answered"
                             : ": the server has no samples of it";
    return out + (lasts ? "; it lasts." : ".");
}

} // namespace alidade
